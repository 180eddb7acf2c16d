/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Whether the page loaded.
//!
//! The engine has no event for a load that failed: it shows a page of its own that tells the reason, and reports that page
//! as loaded. So the page is looked at. That a site could imitate one of these pages does no harm, since none of them has
//! a tool. A page that came with a status of 400 or more did not load either.

use std::net::{TcpStream, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use servo::{LoadStatus, prefs};
use url::Url;

use super::{Awaited, Browser, Wait};
use crate::exit::{Failure, Result};

/// The titles of the pages that the engine shows instead of one that it cannot load.
const ERROR_TITLES: [&str; 2] = ["Error loading page", "Certificate error"];

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
        let activity = format!("loading {}", self.url);
        self.stage(activity.clone());
        self.wait(self.deadline, || match self.webview.load_status() {
            LoadStatus::Complete => Wait::Over(()),
            LoadStatus::Started | LoadStatus::HeadParsed => Wait::On,
        })
        .map_err(|ended| self.failure(ended, &activity))?;
        match self.load_error() {
            Ok(None) => Ok(()),
            Ok(Some(reason)) => Err(Failure::not_loaded(format!(
                "{} did not load: {}",
                self.url,
                in_words(&reason, &self.url)
            ))),
            Err(ended) => Err(self.failure(ended, &activity)),
        }
    }

    /// Why the page did not load, if it did not. A page that the server calls an error is not the page asked for.
    fn load_error(&self) -> Awaited<Option<String>> {
        let title = self.webview.page_title();
        if !title.is_some_and(|title| ERROR_TITLES.contains(&title.as_str())) {
            let status = self.ask(|webview, answer| webview.http_status(answer))?;
            return Ok(status
                .filter(|status| *status >= 400)
                .map(|status| format!("the server answered with status {status}")));
        }
        let reason = self.evaluate(REASON_OF_ERROR_PAGE.to_owned())?;
        Ok(reason
            .ok()
            .flatten()
            .and_then(|json| serde_json::from_str::<Option<String>>(&json).ok())
            .flatten())
    }
}

/// The engine's reason, or a better one where it has none: of a connection that failed it does not tell how.
fn in_words(reason: &str, url: &Url) -> String {
    let better = if reason == CONNECTION_FAILED && !uses_a_proxy() {
        why_there_is_no_connection(url)
    } else {
        None
    };
    better.unwrap_or_else(|| reason.to_owned())
}

fn uses_a_proxy() -> bool {
    let preferences = prefs::get();
    !preferences.network_http_proxy_uri.is_empty()
        || !preferences.network_https_proxy_uri.is_empty()
}

/// Tries to connect as the engine did, for the sake of the error. Gives none when that works or takes too long.
fn why_there_is_no_connection(url: &Url) -> Option<String> {
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
        })
        .ok()?;
    receiver.recv_timeout(DIAGNOSIS_TIME).ok().flatten()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("it is a URL")
    }

    #[test]
    fn a_connection_that_fails_is_explained() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = url(&format!(
            "http://{}/",
            listener.local_addr().expect("it is bound")
        ));
        assert_eq!(why_there_is_no_connection(&address), None);
        drop(listener);
        let reason = why_there_is_no_connection(&address).expect("nobody listens");
        assert!(reason.contains("refused"), "{reason}");
        assert_eq!(
            why_there_is_no_connection(&url("https://no-such-host.invalid/")),
            Some("the host `no-such-host.invalid` is not known".to_owned())
        );
    }

    #[test]
    fn other_reasons_are_the_engine_s() {
        let page = url("http://127.0.0.1:9/");
        assert_eq!(in_words("Too many redirects", &page), "Too many redirects");
    }
}
