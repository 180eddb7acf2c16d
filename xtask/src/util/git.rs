/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The few uses of git.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context, Result, bail};

use super::command::Command;

/// Git in one repository, deaf to what surrounds it.
pub struct Git {
    root: PathBuf,
}

impl Git {
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    pub fn run<const N: usize>(&self, args: [&str; N]) -> Result<()> {
        self.command(&args).output().map(drop)
    }

    pub fn output<const N: usize>(&self, args: [&str; N]) -> Result<Vec<u8>> {
        self.command(&args).output()
    }

    pub fn text<const N: usize>(&self, args: [&str; N]) -> Result<String> {
        String::from_utf8(self.output(args)?).context("git printed what is not UTF-8")
    }

    pub fn feed<const N: usize>(&self, args: [&str; N], input: &[u8]) -> Result<()> {
        self.command(&args).output_with_input(input).map(drop)
    }

    /// The full name of an object, if there is such an object.
    pub fn resolve(&self, name: &str) -> Result<Option<String>> {
        let result = self
            .command(&["rev-parse", "--quiet", "--verify", name])
            .output();
        let Ok(output) = result else { return Ok(None) };
        Ok(Some(String::from_utf8(output)?.trim_end().to_owned()))
    }

    fn command(&self, args: &[&str]) -> Command {
        // A hook or an alias of git may have started us: its repository is not the one meant here.
        let command = Command::new("git").arg("-C").arg(&self.root).args(args);
        ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"]
            .into_iter()
            .fold(command, Command::env_remove)
    }
}

/// Merges the changes from `base` to `theirs` into `ours`. Nothing if they touch the same lines.
pub fn merge(ours: &[u8], base: &[u8], theirs: &[u8]) -> Result<Option<Vec<u8>>> {
    if base == theirs || ours == theirs {
        return Ok(Some(ours.to_vec()));
    }
    if base == ours {
        return Ok(Some(theirs.to_vec()));
    }
    let folder = tempfile::tempdir()?;
    let mut command = process::Command::new("git");
    command
        .current_dir(folder.path())
        .args(["merge-file", "-p", "-q"]);
    for (name, bytes) in [("ours", ours), ("base", base), ("theirs", theirs)] {
        fs::write(folder.path().join(name), bytes)?;
        command.arg(name);
    }
    let output = command.output().context("cannot start git")?;
    match output.status.code() {
        Some(0) => Ok(Some(output.stdout)),
        // The number of conflicts; failures are 128 and above.
        Some(1..128) => Ok(None),
        _ => bail!(
            "git merge-file failed: {}",
            String::from_utf8_lossy(&output.stderr).trim_end()
        ),
    }
}
