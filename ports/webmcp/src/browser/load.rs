/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Whether the page loaded.
//!
//! The engine has no event for a load that failed: it shows a page of its own that tells the reason, and reports that
//! page as loaded. So the page is looked at. That a site could imitate one of these pages does no harm, since none of
//! them has a tool. A page that came with a status of 400 or more did not load either, nor did one that is a redirect:
//! the engine shows what came with a redirect that it does not follow, such as one to a file.

use std::net::{TcpStream, ToSocketAddrs};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use modelcontext_mcp::shown_address;
use servo::prefs;
use url::Url;

use super::Browser;
use super::tab::Tab;
use super::wait::Wait;
use crate::exit::{Failure, Result};

/// What the engine says of every connection that it could not make.
const CONNECTION_FAILED: &str = "client error (Connect)";

/// How long it may take to find out why.
const DIAGNOSIS_TIME: Duration = Duration::from_secs(2);

/// Gives the reason that stands on one of those pages, and null on any other.
const REASON_OF_ERROR_PAGE: &str = r#"
(() => {
  const { title, body, scripts } = document;
  const text = body?.querySelector("p")?.textContent ?? "";
  if (title === "Error loading page" && scripts.length === 0 && body.childElementCount === 1) {
    return text.replace(/^[^:]*: */, "");
  }
  if (title === "Certificate error" && document.querySelector("body > #bytes + script")) {
    return `certificate error: ${text}`;
  }
  return null;
})()
"#;

impl Browser {
    /// Waits until the page and what belongs to it have loaded, or until that has failed.
    pub fn wait_for_load(&self) -> Result<()> {
        let activity = format!("loading {}", shown_address(&self.url));
        self.stage(activity.clone());
        let error = self
            .wait(self.deadline, async {
                self.tab.complete().await;
                self.tab.load_error(&self.url).await
            })
            .map_err(|ended| self.failure(ended, &activity))?;
        match error {
            None => Ok(()),
            Some(reason) => Err(Failure::not_loaded(reason)),
        }
    }
}

impl Tab {
    /// What to say of the page that was to come from `url`, if it did not load. A page that the server calls an error
    /// is not the page asked for.
    pub async fn load_error(&self, url: &Url) -> Option<String> {
        if self.page.has_no_document() {
            return Some(no_document(&shown_address(url)));
        }
        // The title alone would tell most pages apart, but what the engine says of it can come later than the end of
        // the load.
        let reason = self.evaluate(REASON_OF_ERROR_PAGE).await.ok().flatten();
        let reason = reason.and_then(|json| serde_json::from_str::<Option<String>>(&json).ok());
        let reason = match reason.flatten() {
            Some(reason) => self.in_words(reason, url).await,
            None => {
                let status = self
                    .http_status()
                    .await
                    .filter(|status| is_no_page(*status))?;
                format!("the server answered with status {status}")
            }
        };
        let url = shown_address(url);
        Some(format!("{url} did not load: {reason}"))
    }

    /// The status that the top-level document came with, if it came over HTTP.
    pub async fn http_status(&self) -> Option<u16> {
        self.ask(|webview, answer| webview.http_status(answer))
            .await
    }

    /// The engine's reason, or a better one where it has none: of a connection that failed it does not tell how.
    async fn in_words(&self, reason: String, url: &Url) -> String {
        if reason != CONNECTION_FAILED || uses_a_proxy() {
            return reason;
        }
        let waker = self.waker.clone();
        let Some(diagnosis) = why_there_is_no_connection(url, move || waker.ring()) else {
            return reason;
        };
        let deadline = Instant::now() + DIAGNOSIS_TIME;
        let better = self
            .until(|| match diagnosis.try_recv() {
                Ok(better) => Wait::Over(better),
                Err(TryRecvError::Disconnected) => Wait::Over(None),
                Err(TryRecvError::Empty) if Instant::now() >= deadline => Wait::Over(None),
                Err(TryRecvError::Empty) => Wait::Until(deadline),
            })
            .await;
        better.unwrap_or(reason)
    }
}

/// What to say of a page of which the engine abandoned the load.
pub fn no_document(page: &str) -> String {
    format!("{page} did not load: the server answered without a page (status 204 or 205)")
}

/// Whether a page that came with this status is not the one that was asked for.
fn is_no_page(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308 | 400..)
}

fn uses_a_proxy() -> bool {
    let preferences = prefs::get();
    !preferences.network_http_proxy_uri.is_empty()
        || !preferences.network_https_proxy_uri.is_empty()
}

/// Tries to connect as the engine did, for the sake of the error, and calls `done` once it is known. There is none when
/// the connection comes about.
fn why_there_is_no_connection(
    url: &Url,
    done: impl FnOnce() + Send + 'static,
) -> Option<Receiver<Option<String>>> {
    let (host, port) = (url.host_str()?.to_owned(), url.port_or_known_default()?);
    let (sender, receiver) = mpsc::channel();
    // Looking up a name cannot be bounded in time, so it is left to a thread that nobody waits for too long.
    thread::Builder::new()
        .name("Diagnosis".to_owned())
        .spawn(move || {
            let target = (host.trim_start_matches('[').trim_end_matches(']'), port);
            let reason = match target
                .to_socket_addrs()
                .map(|mut addresses| addresses.next())
            {
                Ok(Some(address)) => TcpStream::connect_timeout(&address, DIAGNOSIS_TIME)
                    .err()
                    .map(|error| error.to_string()),
                Ok(None) | Err(_) => Some(format!("the host `{host}` is not known")),
            };
            // Whoever asked may have gone on.
            let _ = sender.send(reason);
            done();
        })
        .ok()?;
    Some(receiver)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// No name is that long, so that this machine needs to ask nobody.
    const UNKNOWN_HOST: &str =
        "no-such-host-no-such-host-no-such-host-no-such-host-no-such-host.invalid";

    fn url(text: &str) -> Url {
        Url::parse(text).expect("it is a URL")
    }

    #[track_caller]
    fn diagnosis(url: &Url) -> Option<String> {
        why_there_is_no_connection(url, || {})
            .expect("a thread can be started")
            .recv()
            .expect("it comes to an answer")
    }

    #[test]
    fn a_connection_that_fails_is_explained() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = url(&format!(
            "http://{}/",
            listener.local_addr().expect("it is bound")
        ));
        assert_eq!(diagnosis(&address), None);
        drop(listener);
        let reason = diagnosis(&address).expect("nobody listens");
        assert!(reason.contains("refused"), "{reason}");
        assert_eq!(
            diagnosis(&url(&format!("https://{UNKNOWN_HOST}/"))),
            Some(format!("the host `{UNKNOWN_HOST}` is not known"))
        );
    }

    #[test]
    fn whoever_waits_is_told_that_the_answer_is_there() {
        let (sender, told) = mpsc::channel();
        let answer =
            why_there_is_no_connection(&url(&format!("https://{UNKNOWN_HOST}/")), move || {
                // The test may have failed already.
                let _ = sender.send(());
            })
            .expect("a thread can be started");
        told.recv().expect("it is told");
        assert!(answer.try_recv().expect("it is there").is_some());
    }
}
