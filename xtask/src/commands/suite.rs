/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask wpt` and `cargo xtask bench`: what is in the crate `suite`.
//!
//! It needs servers and other browsers, and with them many crates. Nobody who only builds should have to compile those.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;

use crate::util::cargo::cargo;
use crate::util::command::exit_code;
use crate::util::project::Project;
use crate::util::{self};

/// Runs a command of the suite, and ends as it ends.
pub fn run(project: &Project, command: &str, args: &[OsString]) -> Result<ExitCode> {
    // What is measured goes through it, so it has to be fast itself.
    let release = (command == "bench").then_some("--release");
    let profile = if release.is_some() {
        "release"
    } else {
        "debug"
    };
    let program = env::current_exe()?.ancestors().nth(2).map(|target| {
        target
            .join(profile)
            .join(format!("suite{}", env::consts::EXE_SUFFIX))
    });
    if !program.is_some_and(|program| program.exists()) {
        util::say(format_args!(
            "Compiling what `cargo xtask {command}` needs: a minute or two, once"
        ));
    }
    // Paths among the arguments are meant from where we were started.
    let status = cargo(&env::current_dir()?)
        .args(["run", "--quiet", "--package", "suite"])
        .args(release)
        .arg("--manifest-path")
        .arg(project.root.join("Cargo.toml"))
        .args(["--", command])
        .args(args)
        .status()?;
    Ok(exit_code(status))
}
