/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Chromium, driven over WebDriver: one session, so one browser with a profile of its own, a test.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};
use fantoccini::error::{CmdError, ErrorStatus};
use fantoccini::wd::{Capabilities, TimeoutConfiguration};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime;
use tokio::time::timeout;
use xtask::toolchain::system;

use super::{GRACE, limit, results};
use crate::version;
use crate::wpt::manifest::{Kind, Test};
use crate::wpt::results::{Outcome, Status};
use crate::wpt::server::HOSTS;

/// What the driver prints before the port that it listens on.
const STARTED: &str = "started successfully on port ";

pub struct Chromium {
    driver: Child,
    /// Where the driver listens.
    address: String,
    program: PathBuf,
    version: String,
}

impl Chromium {
    pub fn start() -> Result<Self> {
        system::install_programs(&[
            ("chromium", "chromium"),
            ("chromedriver", "chromium-driver"),
        ])?;
        let program = which::which("chromium").context("chromium is not found")?;
        let version = version::of(&program)?;
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start chromedriver")?;
        let output = driver.stdout.take().context("chromedriver has no output")?;
        let mut lines = BufReader::new(output).lines();
        let port = loop {
            let Some(line) = lines.next() else {
                bail!("chromedriver did not start")
            };
            if let Some(port) = port(&line?) {
                break port;
            }
        };
        // It would block if nobody read the rest.
        thread::spawn(move || lines.for_each(drop));
        Ok(Self {
            driver,
            address: format!("http://127.0.0.1:{port}"),
            program,
            version,
        })
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    pub fn run(&self, test: &Test, url: &str) -> Result<Outcome> {
        runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(self.session(test, url))
    }

    async fn session(&self, test: &Test, url: &str) -> Result<Outcome> {
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(self.capabilities())
            .connect(&self.address)
            .await
            .context("chromedriver does not start a browser")?;
        let result = timeout(limit(test) + GRACE, load(&client, test, url)).await;
        // A browser that has crashed cannot be closed in an orderly way.
        let closed = timeout(GRACE, client.close()).await;
        let outcome = match result {
            Err(_) => Outcome::without_report(Status::Timeout, "the browser does not answer"),
            Ok(Err(error)) => failure(&error),
            Ok(Ok(report)) => match test.kind {
                Kind::Crash => Outcome {
                    status: Status::Pass,
                    message: None,
                    subtests: Vec::new(),
                },
                Kind::Harness => Outcome::from_harness(report)?,
            },
        };
        match closed {
            Ok(Err(error)) if outcome.status.is_good() && is_crash(&error) => Ok(failure(&error)),
            _ => Ok(outcome),
        }
    }

    fn capabilities(&self) -> Capabilities {
        let map = HOSTS
            .all_names()
            .iter()
            .map(|name| format!("MAP {name} 127.0.0.1"))
            .collect::<Vec<_>>()
            .join(", ");
        let options = json!({
            "binary": self.program,
            "args": [
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--ignore-certificate-errors",
                "--enable-features=WebMCP",
                format!("--host-resolver-rules={map}"),
            ],
        });
        let pairs = [
            ("goog:chromeOptions", options),
            ("pageLoadStrategy", json!("eager")),
        ];
        pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // The sessions are closed; there is nothing left to save.
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

async fn load(client: &Client, test: &Test, url: &str) -> Result<Value, CmdError> {
    let limit = limit(test);
    client
        .update_timeouts(TimeoutConfiguration::new(Some(limit), Some(limit), None))
        .await?;
    client.goto(url).await?;
    let script = format!(
        "const done = arguments[0]; Promise.resolve({}).then(done);",
        results(test.kind)
    );
    client.execute_async(&script, Vec::new()).await
}

fn failure(error: &CmdError) -> Outcome {
    let status = match error {
        CmdError::Standard(error)
            if matches!(
                error.error,
                ErrorStatus::ScriptTimeout | ErrorStatus::Timeout
            ) =>
        {
            Status::Timeout
        }
        error if is_crash(error) => Status::Crash,
        _ => Status::Error,
    };
    Outcome::without_report(status, error.to_string())
}

/// The driver has no word of its own for it.
fn is_crash(error: &CmdError) -> bool {
    let text = error.to_string();
    [
        "tab crashed",
        "session deleted",
        "disconnected",
        "not connected to DevTools",
    ]
    .iter()
    .any(|words| text.contains(words))
}

fn port(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once(STARTED)?;
    rest.trim().trim_end_matches('.').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_read_from_what_the_driver_prints() {
        assert_eq!(
            port("ChromeDriver was started successfully on port 41234."),
            Some(41234)
        );
        assert_eq!(port("Starting ChromeDriver 156 on port 0"), None);
    }
}
