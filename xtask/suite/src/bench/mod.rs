/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask bench`: the browser beside Chromium.
//!
//! [`page`] measures what the methods of `document.modelContext` cost inside a page, [`start`] how long it takes from
//! nothing to the first tool, and how much memory; [`mcp`] what a client of `webmcp serve` waits for, beside other MCP
//! servers. [`browsers`] starts the browsers, [`server`] serves the pages, which are in `xtask/suite/bench/`.

mod browsers;
mod figures;
mod mcp;
mod memory;
mod page;
mod server;
mod start;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde::Serialize;
use tokio::runtime;
use xtask::util::{self, project::Project};

use self::browsers::Contestants;

#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// The methods of document.modelContext, inside a page.
    Page(Options),
    /// From the start of the process to the first tool, and the memory that this takes.
    Start(Options),
    /// The tools of a page for an MCP client, beside other servers.
    ///
    /// Runs `webmcp serve`, and with Chromium chrome-devtools-mcp, @playwright/mcp and agent-browser, in turns, with
    /// the same page, calls and client: the time from the start of the process until the tool of the page is listed,
    /// the time of a call, and the memory of all processes. The others are installed from npm, in fixed versions, into
    /// the user's folder for caches. One that cannot be installed, or fails, is named and left out.
    Mcp(McpOptions),
}

/// What `bench mcp` takes besides.
#[derive(Args, Clone, Debug)]
pub struct McpOptions {
    #[command(flatten)]
    options: Options,
    /// How many calls of each server are timed in each round.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..))]
    calls: u16,
}

/// What is measured, and where the figures go.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// How many rounds are measured: 9 for `page`, 15 for `start` and 5 for `mcp` unless it is given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Write all figures to a file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Take this program as the browser instead of the release build.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

pub fn run(project: &Project, command: &Command) -> Result<()> {
    let (Command::Page(options)
    | Command::Start(options)
    | Command::Mcp(McpOptions { options, .. })) = command;
    let contestants = Contestants::find(project, options.binary.as_deref())?;
    util::say(format_args!(
        "webmcp {} beside Chromium {}",
        contestants.webmcp_version, contestants.chromium_version
    ));
    warn_if_busy();
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    match command {
        Command::Page(_) => {
            let figures =
                runtime.block_on(page::measure(&contestants, options.rounds.unwrap_or(9)))?;
            print!("{}", page::report(&figures));
            write(options, &contestants, &figures)
        }
        Command::Start(_) => {
            let figures =
                runtime.block_on(start::measure(&contestants, options.rounds.unwrap_or(15)))?;
            print!("{}", start::report(&figures));
            write(options, &contestants, &figures)
        }
        Command::Mcp(McpOptions { calls, .. }) => {
            let rounds = options.rounds.unwrap_or(5);
            let figures = runtime.block_on(mcp::measure(&contestants, rounds, *calls))?;
            print!("{}", mcp::report(&figures));
            write(options, &contestants, &figures)?;
            mcp::ensure_measured(&figures)
        }
    }
}

/// All that was measured, for programs.
#[derive(Serialize)]
struct Record<'a, T> {
    webmcp: &'a str,
    chromium: &'a str,
    processors: usize,
    figures: &'a T,
}

fn write(options: &Options, contestants: &Contestants, figures: &impl Serialize) -> Result<()> {
    let Some(path) = &options.json else {
        return Ok(());
    };
    let record = Record {
        webmcp: &contestants.webmcp_version,
        chromium: &contestants.chromium_version,
        processors: processors(),
        figures,
    };
    fs::write(path, serde_json::to_vec_pretty(&record)?)
        .with_context(|| format!("cannot write {}", path.display()))
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(target_os = "linux")]
fn warn_if_busy() {
    use procfs::Current as _;

    /// From how much work a processor on, on average over a minute, figures are no good.
    const BUSY: f32 = 0.5;
    let Ok(load) = procfs::LoadAverage::current() else {
        return;
    };
    let processors = processors();
    if load.one > BUSY * processors as f32 {
        util::say(format_args!(
            "warning: this machine is busy (a load of {:.1} on {processors} processors); the figures will be bad",
            load.one
        ));
    }
}

#[cfg(not(target_os = "linux"))]
fn warn_if_busy() {}

/// What is compared, in the order of a round, so that none is always the one before or after another.
fn in_round<T: Clone, const N: usize>(all: [T; N], round: u16) -> impl Iterator<Item = T> {
    all.into_iter().cycle().skip(usize::from(round) % N).take(N)
}
