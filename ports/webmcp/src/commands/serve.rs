/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp serve`
//!
//! Two threads: this one runs the engine and answers what is asked of the page, the other one speaks to the clients.

use std::ffi::OsString;
use std::fs;
use std::net::{self, SocketAddr};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use modelcontext_mcp::{
    CallLog, Consequential, HttpLimits, HttpOptions, Options, Pacing, Server, serve_http,
    serve_stdio,
};
use tokio::fs::File;
use tokio::io::stdin;
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};
use tokio::sync::oneshot;

use super::{Opener, TOKEN_VARIABLE};
use crate::browser::{Ended, ServedPage};
use crate::cli::{ConsequentialArgument, ServeArguments};
use crate::exit::{Failure, Result, Status};
use crate::output::{print_note, results};

/// How long it may take to answer what has been asked when the program is to end.
const FAREWELL_TIME: Duration = Duration::from_secs(1);

pub fn run(arguments: &ServeArguments, token: Option<OsString>, opener: &Opener) -> Result<()> {
    // Everything that can be wrong without the page is found out before it loads.
    let door = match arguments.http {
        Some(address) => Door::open(address, arguments, token)?,
        None => Door::Streams,
    };
    let options = Options {
        consequential: match arguments.consequential {
            ConsequentialArgument::Ask => Consequential::Ask,
            ConsequentialArgument::Allow => Consequential::Allow,
            ConsequentialArgument::Deny => Consequential::Deny,
        },
        timeout: opener.options.timeout,
        validate: !arguments.no_validate,
        debugging: arguments.debugging,
        result_limit: arguments.result_limit,
        call_log: open_log(arguments.log.as_deref())?,
        pacing: Pacing::default(),
    };
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| failed(format!("cannot start to serve: {error}")))?;

    let browser = opener.load(&arguments.url)?;
    browser.finish_progress();
    let (page, questions) = browser.hand_out();
    let server = Server::new(Arc::new(page), options);
    door.announce();
    let clients = Clients::admit(runtime, door, server, browser.doorbell())?;
    let served = browser.serve(&questions, || clients.are_gone());
    // Whoever still waits for the page is told that there is none any more.
    drop(questions);
    match served {
        Ok(()) => clients.end(),
        Err(Ended::Interrupted) => {
            clients.send_away();
            Err(Failure::new(Status::Interrupted, "serving: interrupted"))
        }
        Err(ended) => {
            clients.send_away();
            Err(failed(browser.failure(ended, "serving").message))
        }
    }
}

/// How clients get in.
enum Door {
    /// There is one, at the other end of standard input and output.
    Streams,
    Http(net::TcpListener, HttpOptions),
}

impl Door {
    fn open(
        address: SocketAddr,
        arguments: &ServeArguments,
        token: Option<OsString>,
    ) -> Result<Self> {
        let token = match &arguments.token_file {
            Some(file) => Some(read_token(file)?),
            None => token_of_variable(token)?,
        };
        if token.is_none() && !address.ip().is_loopback() {
            return Err(Failure::usage(format!(
                "--http {address} can be reached from other machines, so it needs a token: give one with --token-file, or in \
                 {}",
                variable()
            )));
        }
        let cannot_listen = |error| failed(format!("cannot listen at {address}: {error}"));
        let listener = net::TcpListener::bind(address).map_err(cannot_listen)?;
        // As the runtime wants it that takes it over.
        listener.set_nonblocking(true).map_err(cannot_listen)?;
        let options = HttpOptions {
            allowed_hosts: arguments.allowed_hosts.clone(),
            allowed_origins: arguments.allowed_origins.clone(),
            token,
            limits: HttpLimits::default(),
        };
        Ok(Self::Http(listener, options))
    }

    /// Tells the user where it is.
    fn announce(&self) {
        if let Self::Http(listener, _) = self
            && let Ok(address) = listener.local_addr()
        {
            print_note(&format!("webmcp: listening at http://{address}/mcp"));
        }
    }

    /// Lets clients in until there are none left and none to come, or until `stopped`.
    async fn keep(self, server: Server<ServedPage>, stopped: oneshot::Receiver<()>) -> Result<()> {
        let served = match self {
            Self::Streams => {
                let output = File::from_std(results()?);
                serve_stdio(server, stdin(), output).await
            }
            Self::Http(listener, options) => {
                let stopped = async {
                    // Whoever drops the other end means the same.
                    let _ = stopped.await;
                };
                match TcpListener::from_std(listener) {
                    Ok(listener) => serve_http(server, listener, options, stopped).await,
                    Err(error) => Err(error.into()),
                }
            }
        };
        served.map_err(|error| failed(format!("serving: {error}")))
    }
}

/// The thread that speaks to the clients.
struct Clients {
    end: Arc<OnceLock<Result<()>>>,
    ended: Receiver<()>,
    stop: oneshot::Sender<()>,
}

impl Clients {
    fn admit(
        runtime: Runtime,
        door: Door,
        server: Server<ServedPage>,
        notice: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        let (stop, stopped) = oneshot::channel();
        let (sender, ended) = mpsc::channel();
        let end = Arc::new(OnceLock::new());
        let announcement = Announcement {
            end: end.clone(),
            notice,
            _ended: sender,
        };
        thread::Builder::new()
            .name("Clients".to_owned())
            .spawn(move || {
                let announcement = announcement;
                let result = runtime.block_on(door.keep(server, stopped));
                // A thread of it may be reading standard input, which cannot be cut short.
                runtime.shutdown_background();
                announcement.end.get_or_init(|| result);
            })
            .map_err(|error| failed(format!("cannot start to serve: {error}")))?;
        Ok(Self { end, ended, stop })
    }

    /// Whether there are none left, and none to come.
    fn are_gone(&self) -> bool {
        self.end.get().is_some()
    }

    /// How that came about.
    fn end(&self) -> Result<()> {
        self.end.get().cloned().unwrap_or(Ok(()))
    }

    /// Lets no more in, and gives those who are there a moment to get their answers.
    fn send_away(self) {
        drop(self.stop);
        // It is an error both when the thread has ended and when the time is up.
        let _ = self.ended.recv_timeout(FAREWELL_TIME);
    }
}

/// Says that the thread of the clients has ended, in whatever way, when it is dropped.
struct Announcement<Notice: Fn()> {
    end: Arc<OnceLock<Result<()>>>,
    notice: Notice,
    _ended: Sender<()>,
}

impl<Notice: Fn()> Drop for Announcement<Notice> {
    fn drop(&mut self) {
        self.end
            .get_or_init(|| Err(failed("serving: the server broke down")));
        (self.notice)();
    }
}

/// The token in a file. Line ends after it do not belong to it.
fn read_token(file: &Path) -> Result<String> {
    let shown = file.display();
    let token = fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("cannot read the token in {shown}: {error}")))?;
    check_token(token.trim_end_matches(['\r', '\n']), &shown.to_string())
}

/// The token that was in the variable, if it was set.
fn token_of_variable(token: Option<OsString>) -> Result<Option<String>> {
    token
        .map(|token| check_token(&token.to_string_lossy(), &variable()))
        .transpose()
}

/// The variable, as it is called in messages.
fn variable() -> String {
    format!("the variable {}", TOKEN_VARIABLE.to_string_lossy())
}

/// Lets nothing pass but what can be sent in a header.
fn check_token(token: &str, place: &str) -> Result<String> {
    if token.is_empty() {
        return Err(Failure::usage(format!("the token in {place} is empty")));
    }
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Failure::usage(format!(
            "the token in {place} holds something other than ASCII letters, digits and punctuation"
        )));
    }
    Ok(token.to_owned())
}

/// The log of calls, at the end of a file if there is one to be kept.
fn open_log(file: Option<&Path>) -> Result<CallLog> {
    let Some(file) = file else {
        return Ok(CallLog::default());
    };
    let shown = file.display().to_string();
    let opened = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .map_err(|error| failed(format!("cannot write the log {shown}: {error}")))?;
    Ok(CallLog::with_writer(opened, move |error| {
        print_note(&format!("webmcp: cannot write the log {shown}: {error}"));
    }))
}

fn failed(message: impl Into<String>) -> Failure {
    Failure::new(Status::Failed, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_of_a_file_is_its_line() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = folder.path().join("token");
        fs::write(&file, "s3cret-token\r\n").expect("a file can be written");
        assert_eq!(read_token(&file), Ok("s3cret-token".to_owned()));
    }

    #[test]
    fn a_token_that_cannot_be_sent_is_refused_with_its_place() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = folder.path().join("token");
        for (text, part) in [
            ("", "is empty"),
            ("\n", "is empty"),
            ("two words", "something other than"),
            ("two\nlines", "something other than"),
            ("t\u{f6}ken", "something other than"),
        ] {
            fs::write(&file, text).expect("a file can be written");
            let failure = read_token(&file).expect_err("it must be refused");
            assert_eq!(failure.status, Status::Usage);
            assert!(failure.message.contains(part), "{}", failure.message);
            assert!(
                failure.message.contains(&file.display().to_string()),
                "{}",
                failure.message
            );
        }
        let failure = read_token(&folder.path().join("none")).expect_err("it is not there");
        assert_eq!(failure.status, Status::Usage);
    }

    #[test]
    fn the_variable_gives_the_token_if_it_is_set() {
        assert_eq!(
            token_of_variable(Some("abc".into())),
            Ok(Some("abc".to_owned()))
        );
        assert_eq!(token_of_variable(None), Ok(None));
        for wrong in ["", "a b", "t\u{f6}ken"] {
            let failure = token_of_variable(Some(wrong.into())).expect_err("it must be refused");
            assert_eq!(failure.status, Status::Usage);
            assert!(failure.message.contains("the variable WEBMCP_TOKEN"));
        }
    }
}
