/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The browsers that are measured.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use serde::Serialize;
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use xtask::commands::build::{self, Profile};
use xtask::toolchain::system;
use xtask::util::project::Project;

use super::in_round;
use crate::version;

/// The program behind Debian's start script, which takes time of its own.
const DEBIAN_CHROMIUM: &str = "/usr/lib/chromium/chromium";

/// How long a browser may take for one page.
pub const LIMIT: Duration = Duration::from_secs(300);

/// A browser, and how it is run.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Ours, with all pages in one process.
    Webmcp,
    /// Ours, with a process for each site.
    Multiprocess,
    Chromium,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Webmcp, Self::Multiprocess, Self::Chromium];
    pub const OURS: [Self; 2] = [Self::Webmcp, Self::Multiprocess];

    pub fn text(self) -> &'static str {
        match self {
            Self::Webmcp => "webmcp",
            Self::Multiprocess => "webmcp --multiprocess",
            Self::Chromium => "chromium",
        }
    }

    /// The browsers in the order of a round.
    pub fn in_round(round: u16) -> impl Iterator<Item = Self> {
        in_round(Self::ALL, round)
    }
}

/// Where the browsers are.
pub struct Contestants {
    pub webmcp: PathBuf,
    pub webmcp_version: String,
    pub chromium: PathBuf,
    pub chromium_version: String,
}

impl Contestants {
    /// `binary` stands for the release build.
    pub fn find(project: &Project, binary: Option<&Path>) -> Result<Self> {
        let webmcp = match binary {
            Some(binary) => binary.to_owned(),
            None => build::program(project, Profile::Release)?,
        };
        ensure!(
            webmcp.is_file(),
            "there is no {}: build it with `cargo xtask build --release`",
            webmcp.display()
        );
        system::install_programs(&[("chromium", "chromium")])?;
        let chromium = match Path::new(DEBIAN_CHROMIUM) {
            program if program.is_file() => program.to_owned(),
            _ => which::which("chromium").context("chromium is not found")?,
        };
        Ok(Self {
            webmcp_version: version::of(&webmcp)?,
            webmcp,
            chromium_version: version::of(&chromium)?,
            chromium,
        })
    }

    /// Starts `webmcp` with a command and its arguments.
    pub fn start_webmcp(&self, kind: Kind, args: &[&str]) -> Result<Running> {
        let mut command = CommandWrap::with_new(&self.webmcp, |command| {
            command
                .arg("--timeout")
                .arg(LIMIT.as_secs().to_string())
                .args((kind == Kind::Multiprocess).then_some("--multiprocess"))
                .args(args);
        });
        Running::start(&mut command, None)
    }

    /// Starts Chromium with a page.
    pub fn start_chromium(&self, args: &[&str]) -> Result<Running> {
        let profile = tempfile::tempdir()?;
        let mut folder = OsString::from("--user-data-dir=");
        folder.push(profile.path());
        let mut command = CommandWrap::with_new(&self.chromium, |command| {
            command
                .args([
                    "--headless",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--no-first-run",
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--disable-extensions",
                    "--disable-sync",
                    "--enable-features=WebMCP",
                ])
                .arg(folder)
                .args(args);
        });
        Running::start(&mut command, Some(profile))
    }
}

/// A browser that runs. It ends when this is dropped, with all that it started.
pub struct Running {
    child: Box<dyn ChildWrapper>,
    started: Instant,
    _profile: Option<TempDir>,
}

/// A browser that has ended by itself.
pub struct Ended {
    /// How long that took.
    pub time: Duration,
    /// What it printed.
    pub text: String,
    /// How long it took until that held what was looked for.
    pub found: Option<Duration>,
}

impl Running {
    fn start(command: &mut CommandWrap, profile: Option<TempDir>) -> Result<Self> {
        command
            .command_mut()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            // What goes wrong is told where somebody can see it, but not what Chromium misses in a machine without a
            // screen.
            .stderr(if profile.is_some() {
                Stdio::null()
            } else {
                Stdio::inherit()
            });
        command.wrap(KillOnDrop);
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        let started = Instant::now();
        let child = command.spawn().with_context(|| {
            format!(
                "cannot start {}",
                command.command().as_std().get_program().display()
            )
        })?;
        Ok(Self {
            child,
            started,
            _profile: profile,
        })
    }

    pub fn started(&self) -> Instant {
        self.started
    }

    /// The process that was started; nothing if it has ended.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until it ends, and notes when `wanted` stood on its standard output.
    pub async fn end(&mut self, wanted: &str) -> Result<Ended> {
        let mut output = self.child.stdout().take().context("there is no output")?;
        let mut bytes = Vec::new();
        let mut found = None;
        while output.read_buf(&mut bytes).await? > 0 {
            if found.is_none() && String::from_utf8_lossy(&bytes).contains(wanted) {
                found = Some(self.started.elapsed());
            }
        }
        let status = self.child.wait().await?;
        let time = self.started.elapsed();
        ensure!(status.success(), "the browser failed ({status})");
        Ok(Ended {
            time,
            text: String::from_utf8_lossy(&bytes).into_owned(),
            found,
        })
    }

    /// Ends it now, with all that it started.
    pub async fn kill(mut self) -> Result<()> {
        Box::into_pin(self.child.kill())
            .await
            .context("cannot end the browser")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_has_each_browser_once() {
        for round in 0..4 {
            let mut browsers: Vec<Kind> = Kind::in_round(round).collect();
            browsers.sort();
            assert_eq!(browsers, Kind::ALL);
        }
        assert_ne!(Kind::in_round(0).next(), Kind::in_round(1).next());
    }

    #[cfg(unix)]
    async fn run(script: &str, wanted: &str) -> Result<Ended> {
        let mut command = CommandWrap::with_new("sh", |command| {
            command.args(["-c", script]);
        });
        Running::start(&mut command, None)?.end(wanted).await
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn the_text_is_found_in_what_a_browser_prints() {
        let ended = run("echo one; echo two", "two").await.unwrap();
        assert_eq!(ended.text, "one\ntwo\n");
        assert!(ended.found.unwrap() <= ended.time);
        assert_eq!(run("echo one", "two").await.unwrap().found, None);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_browser_that_fails_is_an_error() {
        assert!(run("echo two; exit 3", "two").await.is_err());
    }
}
