/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The commands of `cargo xtask` that need servers and other browsers; `cargo xtask` starts this program for them.

mod bench;
mod cache;
mod version;
mod wpt;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use xtask::util;
use xtask::util::project::Project;

/// The commands of `cargo xtask` that need servers and other browsers.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the tests in web-platform-tests form.
    ///
    /// Serves `wpt/` as web-platform-tests is served, runs each file in a browser of its own, and compares with
    /// `wpt/meta/`: a failure that is not listed there, a listed one that passes, and an entry for what does not exist
    /// each fail the run.
    Wpt(wpt::command::Options),
    /// Measure the browser beside Chromium.
    ///
    /// Takes the release build, with one process and with several, and Debian's Chromium, in turns. Says how many times
    /// the time of Chromium each thing takes, and which goals that misses. `mcp` measures `webmcp serve` beside other
    /// MCP servers for page tools.
    #[command(subcommand)]
    Bench(bench::Command),
}

fn main() -> ExitCode {
    match execute(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            util::say(format_args!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn execute(command: Command) -> Result<()> {
    let project = Project::find()?;
    match command {
        Command::Wpt(options) => wpt::command::run(&project, &options),
        Command::Bench(command) => bench::run(&project, &command),
    }
}
