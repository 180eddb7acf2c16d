/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask run`: the browser, or without arguments a first look at what it does.

use std::ffi::OsString;
use std::path::Path;
use std::process::{self, ExitCode};

use anyhow::{Context, Result};

use super::build::{self, Profile};
use crate::util::command::exit_code;
use crate::util::project::Project;
use crate::util::{self};

/// What is shown to somebody who runs this for the first time: the tools of a page that is built in,
/// and a call of one of them.
const FIRST_LOOK: [&[&str]; 2] = [
    &["tools", "demo:shop"],
    &["call", "demo:shop", "search_products", r#"{"query":"tea"}"#],
];

/// Ends as the browser ends.
pub fn run(project: &Project, profile: Profile, args: &[OsString]) -> Result<ExitCode> {
    let program = build::browser(project, profile)?;
    if !args.is_empty() {
        return start(&program, args);
    }
    for args in FIRST_LOOK {
        let words = args.iter().map(|word| {
            if word.contains('"') {
                format!("'{word}'")
            } else {
                (*word).to_owned()
            }
        });
        util::say(format_args!(
            "\n$ webmcp {}",
            words.collect::<Vec<_>>().join(" ")
        ));
        let code = start(&program, args)?;
        if code != ExitCode::SUCCESS {
            return Ok(code);
        }
    }
    util::say(format_args!(
        "\nThe browser is {}. `cargo xtask run -- --help` shows what else it does",
        program.display()
    ));
    Ok(ExitCode::SUCCESS)
}

fn start(program: &Path, args: &[impl AsRef<std::ffi::OsStr>]) -> Result<ExitCode> {
    let status = process::Command::new(program).args(args).status();
    let status = status.with_context(|| format!("cannot start {}", program.display()))?;
    Ok(exit_code(status))
}
