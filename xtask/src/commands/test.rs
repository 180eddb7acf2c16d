/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask test`: the tests of both workspaces.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};

use super::prepare::{self, LocalEdits};
use crate::util::cargo::cargo;
use crate::util::progress::duration;
use crate::util::project::Project;
use crate::util::{self};

/// How nextest ends when no test matches.
const NEXTEST_NO_TESTS: i32 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    NothingMatched,
}

/// `filter` is part of the names of the tests to run.
pub fn run(project: &Project, filter: Option<&str>) -> Result<()> {
    let mut parts = Vec::new();
    let mut part = |name: &'static str, folder: &Path| -> Result<()> {
        util::say(format_args!("\nTests of {name}"));
        let started = Instant::now();
        let outcome = tests_in(folder, filter)?;
        parts.push((name, outcome, started.elapsed()));
        Ok(())
    };
    part("the core and the build tool", &project.root)?;
    prepare::everything(project, LocalEdits::Keep)?;
    part("the engine and the browser", &project.ports())?;

    util::say("");
    for (name, outcome, time) in &parts {
        let word = match outcome {
            Outcome::Passed => "passed",
            Outcome::Failed => "FAILED",
            Outcome::NothingMatched => "no test with such a name",
        };
        util::say(format_args!("{name}: {word} ({})", duration(*time)));
    }
    if parts
        .iter()
        .any(|(_, outcome, _)| *outcome == Outcome::Failed)
    {
        bail!("there are failed tests; run one alone with `cargo xtask test NAME`");
    }
    match filter {
        Some(filter)
            if parts
                .iter()
                .all(|(_, outcome, _)| *outcome == Outcome::NothingMatched) =>
        {
            bail!("no test has `{filter}` in its name")
        }
        _ => Ok(()),
    }
}

fn tests_in(folder: &Path, filter: Option<&str>) -> Result<Outcome> {
    if which::which("cargo-nextest").is_err() {
        let status = cargo(folder)
            .args(["test", "--workspace", "--no-fail-fast"])
            .args(filter)
            .status()?;
        return Ok(if status.success() {
            Outcome::Passed
        } else {
            Outcome::Failed
        });
    }
    let status = cargo(folder)
        .args(["nextest", "run", "--workspace", "--no-fail-fast"])
        .args(filter)
        .status()?;
    if status.code() == Some(NEXTEST_NO_TESTS) {
        return Ok(Outcome::NothingMatched);
    }
    // nextest leaves out the examples in the documentation.
    let has_passed = status.success() && (filter.is_some() || doc_tests(folder)?);
    Ok(if has_passed {
        Outcome::Passed
    } else {
        Outcome::Failed
    })
}

fn doc_tests(folder: &Path) -> Result<bool> {
    Ok(cargo(folder)
        .args(["test", "--workspace", "--doc", "--quiet"])
        .status()?
        .success())
}
