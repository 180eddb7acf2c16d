/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The commands, one module each.

mod call;
mod completions;
mod eval;
mod man;
mod screenshot;
mod serve;
mod tools;
mod wpt_run;

use std::cell::OnceCell;
use std::ffi::{CStr, OsString};
use std::io::{self, Read};
use std::process::ExitCode;

use crate::browser::{Browser, Environment};
use crate::cli::{Cli, Command, GlobalOptions};
use crate::exit::{Failure, Result, Status};
use crate::output::keep_stdout_for_results;
use crate::source::Source;

/// The variable that can hold the token which clients of `serve` must send.
pub const TOKEN_VARIABLE: &CStr = c"WEBMCP_TOKEN";

/// Carries out the command line, and reports on standard error how it failed if it did. `token` is what was in the
/// [variable](TOKEN_VARIABLE).
pub fn run(cli: Cli, token: Option<OsString>) -> ExitCode {
    if let Err(failure) = keep_stdout_for_results() {
        failure.report();
        return ExitCode::from(failure.status as u8);
    }
    let opener = Opener {
        options: cli.options,
        browser: OnceCell::new(),
    };
    let result = match &cli.command {
        Command::Tools(arguments) => tools::run(arguments, &opener),
        Command::Call(arguments) => call::run(arguments, &opener),
        Command::Eval(arguments) => eval::run(arguments, &opener),
        Command::Screenshot(arguments) => screenshot::run(arguments, &opener),
        Command::Serve(arguments) => serve::run(arguments, token, &opener),
        Command::Completions(arguments) => completions::run(arguments),
        Command::Man(arguments) => man::run(arguments),
        Command::WptRun(arguments) => wpt_run::run(arguments, &opener),
    };
    let browser = opener.browser.into_inner();
    if let Some(browser) = &browser {
        browser.finish_progress();
    }
    let status = match result {
        Ok(()) => 0,
        Err(failure) => {
            failure.report();
            failure.status as u8
        }
    };
    // Everything has been said by now: a shutdown that hangs can be cut short.
    if let Some(browser) = browser {
        browser.close(status);
    }
    ExitCode::from(status)
}

/// Opens the page of a command. The browser outlives the command, so that the command's end can be reported first.
struct Opener {
    options: GlobalOptions,
    browser: OnceCell<Browser>,
}

impl Opener {
    /// Loads what `url` means. To be called once.
    fn load(&self, url: &str) -> Result<&Browser> {
        self.load_in(url, Environment::default())
    }

    /// Like [`Self::load`], in an environment that is not the usual one.
    fn load_in(&self, url: &str, environment: Environment) -> Result<&Browser> {
        let opened = Browser::open(
            Source::parse(url, &self.options.files)?,
            &self.options,
            environment,
        )?;
        let browser = self.browser.get_or_init(|| opened);
        browser.wait_for_load()?;
        Ok(browser)
    }
}

/// `argument`, or all of standard input when it is a hyphen.
fn argument_or_stdin(argument: &str) -> Result<String> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut text = String::new();
    io::stdin()
        .lock()
        .read_to_string(&mut text)
        .map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => Failure::usage("standard input is not UTF-8"),
            _ => Failure::new(
                Status::Failed,
                format!("cannot read standard input: {error}"),
            ),
        })?;
    Ok(text)
}
