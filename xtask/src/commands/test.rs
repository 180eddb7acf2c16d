/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask test`: the tests of both workspaces, and the conformance suite.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use super::build::{self, Profile};
use super::prepare::{self, LocalEdits};
use super::suite;
use crate::toolchain::system;
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
        let mut outcome = tests_in(folder, filter)?;
        // nextest leaves out the examples in the documentation. The engine workspace has none.
        if outcome == Outcome::Passed && filter.is_none() && folder == project.root && has_nextest()
        {
            outcome = examples_in(folder)?;
        }
        parts.push((name, outcome, started.elapsed()));
        Ok(())
    };
    part("the core and the build tool", &project.root)?;
    prepare::everything(project, LocalEdits::Keep)?;
    // Pages of React and Vue are among what the browser is tested with.
    system::install_programs(&[("node", "nodejs"), ("npm", "npm")])?;
    part("the engine and the browser", &project.ports())?;
    // Its tests are files, which `cargo xtask wpt` takes by their paths.
    if filter.is_none() {
        let name = "the conformance suite";
        util::say(format_args!("\nTests of {name}"));
        let started = Instant::now();
        parts.push((name, conformance(project)?, started.elapsed()));
    }

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

/// Runs the suite in the browser that the tests before it have built.
fn conformance(project: &Project) -> Result<Outcome> {
    let browser = build::program(project, Profile::Dev)?;
    let status = suite::run(project, "wpt", &["--binary".into(), browser.into()])?;
    Ok(if status == ExitCode::SUCCESS {
        Outcome::Passed
    } else {
        Outcome::Failed
    })
}

fn has_nextest() -> bool {
    which::which("cargo-nextest").is_ok()
}

fn tests_in(folder: &Path, filter: Option<&str>) -> Result<Outcome> {
    let words: &[&str] = if has_nextest() {
        &["nextest", "run"]
    } else {
        &["test"]
    };
    let command = cargo(folder)
        .args(words)
        .args(["--workspace", "--no-fail-fast"]);
    let status = command.args(filter).status()?;
    Ok(if status.success() {
        Outcome::Passed
    } else if has_nextest() && status.code() == Some(NEXTEST_NO_TESTS) {
        Outcome::NothingMatched
    } else {
        Outcome::Failed
    })
}

fn examples_in(folder: &Path) -> Result<Outcome> {
    let status = cargo(folder)
        .args(["test", "--workspace", "--doc", "--quiet"])
        .status()?;
    Ok(if status.success() {
        Outcome::Passed
    } else {
        Outcome::Failed
    })
}
