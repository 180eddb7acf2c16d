/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The browser of this project: one process a test.

use std::path::PathBuf;
use std::process::{ExitStatus, Output, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use tokio::runtime;
use tokio::time::timeout;

use super::{GRACE, limit, results};
use crate::version;
use crate::wpt::certificate::Certificates;
use crate::wpt::manifest::{Kind, Test};
use crate::wpt::results::{Outcome, Status};
use crate::wpt::server;

/// What `webmcp` ends with when its time is up.
const TIMED_OUT: i32 = 6;

/// What it ends with when the page, or the process that ran it, is gone.
const PAGE_GONE: i32 = 7;

/// How much of what it says on standard error goes into a report.
const SAID: usize = 4000;

/// Which browser is run, and how.
#[derive(Clone, Debug)]
pub struct Options {
    pub program: PathBuf,
    pub multiprocess: bool,
    /// Preferences of the engine, each `name=value`.
    pub preferences: Vec<String>,
}

pub struct Webmcp {
    options: Options,
    certificates: Certificates,
    hosts_file: PathBuf,
    version: String,
    _folder: TempDir,
}

impl Webmcp {
    pub fn new(options: Options, certificates: Certificates) -> Result<Self> {
        let program = &options.program;
        ensure!(
            program.is_file(),
            "the browser is not built: there is no {}. Run `cargo xtask build`",
            program.display()
        );
        let version = version::of(program)?;
        let folder = tempfile::tempdir()?;
        let hosts_file = folder.path().join("hosts");
        std::fs::write(&hosts_file, server::hosts_file())?;
        Ok(Self {
            options,
            certificates,
            hosts_file,
            version,
            _folder: folder,
        })
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    pub fn run(&self, test: &Test, url: &str) -> Result<Outcome> {
        let mut command = tokio::process::Command::new(&self.options.program);
        command
            .kill_on_drop(true)
            .stdin(Stdio::null())
            .args(["wpt-run", url, "--results", results(test.kind)])
            .arg("--certificate")
            .arg(&self.certificates.authority)
            .arg("--host-file")
            .arg(&self.hosts_file)
            .arg("--timeout")
            .arg(limit(test).as_secs().to_string());
        if self.options.multiprocess {
            command.arg("--multiprocess");
        }
        for preference in &self.options.preferences {
            command.arg("--pref").arg(preference);
        }
        // It ends by itself in time, unless it is stuck.
        let ended = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(async { timeout(limit(test) + GRACE, command.output()).await });
        let Ok(output) = ended else {
            return Ok(Outcome::without_report(
                Status::Timeout,
                "the browser is stuck",
            ));
        };
        let output =
            output.with_context(|| format!("cannot start {}", self.options.program.display()))?;
        outcome(test.kind, limit(test), &output)
    }
}

/// What the end of the browser says of the test.
fn outcome(kind: Kind, limit: Duration, output: &Output) -> Result<Outcome> {
    let said = said(&output.stderr);
    match output.status.code() {
        Some(0) => {}
        Some(TIMED_OUT) => {
            return Ok(Outcome::without_report(
                Status::Timeout,
                format!("no results within {} s\n{said}", limit.as_secs()),
            ));
        }
        Some(PAGE_GONE) => return Ok(Outcome::without_report(Status::Crash, said)),
        Some(code) => {
            return Ok(Outcome::without_report(
                Status::Error,
                format!("the browser ended with {code}\n{said}"),
            ));
        }
        None => {
            return Ok(Outcome::without_report(
                Status::Crash,
                format!("{}\n{said}", killed(output.status)),
            ));
        }
    }
    match kind {
        Kind::Crash => Ok(Outcome {
            status: Status::Pass,
            message: None,
            subtests: Vec::new(),
        }),
        Kind::Harness => match serde_json::from_slice(&output.stdout) {
            Ok(report) => Outcome::from_harness(report),
            Err(error) => Ok(Outcome::without_report(
                Status::Error,
                format!("the browser printed no results: {error}\n{said}"),
            )),
        },
    }
}

#[cfg(unix)]
fn killed(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match status.signal() {
        Some(signal) => format!("the browser was ended by signal {signal}"),
        None => "the browser was ended".to_owned(),
    }
}

#[cfg(not(unix))]
fn killed(_status: ExitStatus) -> String {
    "the browser was ended".to_owned()
}

/// The end of what the browser said.
fn said(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    let start = text.len().saturating_sub(SAID);
    let start = (start..=text.len())
        .find(|index| text.is_char_boundary(*index))
        .unwrap_or(text.len());
    text.get(start..).unwrap_or_default().to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    fn ended(status: i32, stdout: &str) -> Outcome {
        let output = Output {
            status: ExitStatus::from_raw(status),
            stdout: stdout.as_bytes().to_vec(),
            stderr: b"said this\n".to_vec(),
        };
        outcome(Kind::Harness, Duration::from_secs(30), &output).unwrap()
    }

    #[test]
    fn the_end_of_the_process_decides() {
        let report =
            r#"{"status":0,"message":null,"tests":[{"name":"a","status":0,"message":null}]}"#;
        assert_eq!(ended(0, report).status, Status::Ok);
        assert_eq!(ended(6 << 8, "").status, Status::Timeout);
        assert_eq!(ended(7 << 8, "").status, Status::Crash);
        assert_eq!(ended(1 << 8, "").status, Status::Error);
        let crashed = ended(11, "");
        assert_eq!(crashed.status, Status::Crash);
        assert_eq!(
            crashed.message.as_deref(),
            Some("the browser was ended by signal 11\nsaid this")
        );
        assert_eq!(ended(0, "nonsense").status, Status::Error);
    }

    #[test]
    fn only_the_end_of_a_long_message_is_kept() {
        let text = format!("{}ü{}", "a".repeat(20), "b".repeat(SAID - 1));
        assert_eq!(said(text.as_bytes()), "b".repeat(SAID - 1));
    }
}
