/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Programs that are started, with their failures put into words.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::Path;
use std::process::{self, ExitCode, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

/// How to end when a program that was run for somebody has ended like this.
pub fn exit_code(status: ExitStatus) -> ExitCode {
    // A program that was killed has no code of its own.
    status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .map_or(ExitCode::FAILURE, ExitCode::from)
}

/// A program to be run to its end.
pub struct Command {
    inner: process::Command,
}

impl Command {
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            inner: process::Command::new(program),
        }
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.inner.arg(arg);
        self
    }

    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.inner.args(args);
        self
    }

    pub fn current_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.inner.current_dir(folder);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.inner.env(name, value);
        self
    }

    pub fn env_remove(mut self, name: &str) -> Self {
        self.inner.env_remove(name);
        self
    }

    pub fn stdout(mut self, stdio: Stdio) -> Self {
        self.inner.stdout(stdio);
        self
    }

    pub fn stderr(mut self, stdio: Stdio) -> Self {
        self.inner.stderr(stdio);
        self
    }

    /// Runs it and returns how it ended, which is no failure of ours.
    pub fn status(mut self) -> Result<ExitStatus> {
        self.inner
            .status()
            .with_context(|| format!("cannot start {}", self.shown()))
    }

    /// Runs it with our own standard streams.
    pub fn run(mut self) -> Result<()> {
        let status = self
            .inner
            .status()
            .with_context(|| format!("cannot start {}", self.shown()))?;
        if !status.success() {
            bail!("{} failed ({status})", self.shown());
        }
        Ok(())
    }

    /// Runs it and returns what it printed; on failure its standard error is part of the message.
    pub fn output(mut self) -> Result<Vec<u8>> {
        self.inner.stdin(Stdio::null());
        let output = self
            .inner
            .output()
            .with_context(|| format!("cannot start {}", self.shown()))?;
        self.checked(output)
    }

    /// Like [`Self::output`], with `input` on its standard input.
    pub fn output_with_input(mut self, input: &[u8]) -> Result<Vec<u8>> {
        self.inner
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self
            .inner
            .spawn()
            .with_context(|| format!("cannot start {}", self.shown()))?;
        let mut stdin = child.stdin.take().context("no standard input")?;
        let input = input.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output()?;
        // A program that fails stops reading: its own message says more than the broken pipe.
        let written = writer.join().ok().context("the writing thread failed")?;
        let output = self.checked(output)?;
        written?;
        Ok(output)
    }

    fn checked(&self, output: process::Output) -> Result<Vec<u8>> {
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            bail!(
                "{} failed ({}): {}",
                self.shown(),
                output.status,
                error.trim_end()
            );
        }
        Ok(output.stdout)
    }

    /// The command line, as it would be typed.
    pub fn shown(&self) -> String {
        let words = std::iter::once(self.inner.get_program()).chain(self.inner.get_args());
        let quoted = |word: &OsStr| {
            let word = OsString::from(word).to_string_lossy().into_owned();
            let plain = !word.is_empty()
                && word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_=./:+,@%^".contains(c));
            if plain {
                word
            } else {
                format!("'{}'", word.replace('\'', "'\\''"))
            }
        };
        words.map(quoted).collect::<Vec<_>>().join(" ")
    }
}
