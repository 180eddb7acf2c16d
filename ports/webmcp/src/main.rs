/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp`: a headless browser that lists and runs the tools a web page offers through WebMCP.
//!
//! [`cli`] is what can be asked, [`commands`] carries it out, [`browser`] is the engine with one page, [`source`] finds out
//! what a URL argument means, [`server`], [`folder`] and [`demos`] serve what is on this machine, [`output`],
//! [`listing`] and [`exit`] are what the user gets, [`escape`] makes text of a page harmless there, [`process`] and
//! [`content_process`] are what the system knows of this program.

#![deny(unsafe_code)]

mod browser;
mod cli;
mod commands;
mod content_process;
mod demos;
mod escape;
mod exit;
mod folder;
mod listing;
mod output;
mod process;
mod progress;
mod server;
mod source;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    process::hide_displays();
    let token = process::take_secret(commands::TOKEN_VARIABLE);
    rustls::crypto::aws_lc_rs::default_provider()
        .install_default()
        .expect("nothing has installed a provider before main began");
    if let Some(parent) = content_process::token(std::env::args_os()) {
        content_process::run(parent);
        return ExitCode::SUCCESS;
    }
    let cli = cli::Cli::parse();
    if !cli.options.verbose {
        process::hide_engine_log();
    }
    commands::run(cli, token)
}
