/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The command line; see [`xtask::commands`] for what each command does.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use xtask::commands::build::{self, Profile};
use xtask::commands::prepare::{self, LocalEdits};
use xtask::commands::{cargo, check, doctor, export, run, suite, test, tidy};
use xtask::util;
use xtask::util::project::Project;

/// Prepares Servo's crates for this project, and builds, runs and tests it.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Prepare all that a build needs.
    ///
    /// Puts the pinned crates of Servo, with our patches and files, into `.overlay/`; installs missing
    /// system packages where it may; compiles SpiderMonkey once for all checkouts; and writes
    /// `ports/.cargo/config.toml`. The commands that build do this by themselves.
    Prepare {
        /// Throw away edits in `.overlay/` that are in no patch.
        #[arg(long)]
        discard_edits: bool,
        /// Only fill `.overlay/`.
        #[arg(long)]
        overlay_only: bool,
        /// Do none of that, but write the prepared crates to this folder, for an embedder of Servo of your own.
        ///
        /// The folder has to be empty or made by this command before. Prints the lines that make cargo take its
        /// crates; `README.md` in it says the rest.
        #[arg(long, value_name = "DIR", conflicts_with_all = ["discard_edits", "overlay_only"])]
        out: Option<PathBuf>,
    },
    /// Make patches of the edits in `.overlay/`.
    ///
    /// Without `--into`, each edited file goes to the one patch that already changes it.
    Export {
        /// The patch that takes the edits; it is added at the end of the series if it is new.
        #[arg(long, value_name = "NAME")]
        into: Option<String>,
        /// Only the edits in these files of `.overlay/`.
        paths: Vec<String>,
    },
    /// Check that everything compiles.
    Check,
    /// Build the browser, for development unless `--release` is given.
    Build {
        /// As for people who use it: fast to run, slow to compile.
        #[arg(long)]
        release: bool,
    },
    /// Build the browser (release) and run it; without arguments, show what it does.
    Run {
        /// The build for development, which is faster to compile.
        #[arg(long)]
        dev: bool,
        /// What `webmcp` gets.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// Run the tests: those of the core, the MCP server and this tool, those of the engine and the browser, and, without
    /// a filter, the conformance suite.
    Test {
        /// Only tests with this in their names.
        filter: Option<String>,
    },
    /// Run the tests in web-platform-tests form; `cargo xtask wpt --help` shows how.
    #[command(disable_help_flag = true)]
    Wpt {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// Measure the browser beside Chromium; `cargo xtask bench --help` shows what.
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// Check the rules of this project.
    Tidy,
    /// Show what is here, what is missing, and what to do about it.
    Doctor,
    /// Run any cargo command in the engine workspace, after preparing it.
    Cargo {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    execute(Arguments::parse().command).unwrap_or_else(|error| {
        util::say(format_args!("error: {error:#}"));
        ExitCode::FAILURE
    })
}

fn execute(command: Command) -> Result<ExitCode> {
    let project = Project::find()?;
    match command {
        Command::Prepare {
            out: Some(folder), ..
        } => {
            let written = prepare::out::write(&project, &folder)?;
            print!("{}", written.patch);
            util::say(format_args!(
                "{} holds the crates ({} files written, {} removed); README.md in it says how to build with them",
                folder.display(),
                written.written,
                written.removed
            ));
        }
        Command::Prepare {
            discard_edits,
            overlay_only,
            out: None,
        } => {
            let edits = if discard_edits {
                LocalEdits::Discard
            } else {
                LocalEdits::Keep
            };
            if overlay_only {
                prepare::overlay(&project, edits)?
            } else {
                prepare::everything(&project, edits)?
            }
        }
        Command::Export { into, paths } => {
            let changed = export::export(&project, &export::Options { into, paths })?;
            if changed.is_empty() {
                util::say("The patches already say what .overlay/ holds");
            }
            for name in changed {
                util::say(format_args!("Wrote patches/{name}"));
            }
        }
        Command::Check => check::run(&project)?,
        Command::Build { release } => build::run(&project, profile(release))?,
        Command::Run { dev, args } => return run::run(&project, profile(!dev), &args),
        Command::Test { filter } => test::run(&project, filter.as_deref())?,
        Command::Wpt { args } => return suite::run(&project, "wpt", &args),
        Command::Bench { args } => return suite::run(&project, "bench", &args),
        Command::Tidy => tidy::run(&project)?,
        Command::Doctor => doctor::run(&project)?,
        Command::Cargo { args } => cargo::run(&project, &args)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn profile(release: bool) -> Profile {
    if release {
        Profile::Release
    } else {
        Profile::Dev
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_for_others_exclude_what_is_done_to_our_own() {
        let parse = |option| {
            Arguments::try_parse_from(
                ["xtask", "prepare", "--out", "there", option]
                    .iter()
                    .copied(),
            )
        };
        assert!(parse("--discard-edits").is_err());
        assert!(parse("--overlay-only").is_err());
    }

    #[test]
    fn the_suite_gets_its_arguments_as_they_are() {
        let words = ["--browser", "chromium", "a/b", "--help", "--", "-x"];
        let command = |name| [&["xtask", name], words.as_slice()].concat();
        match Arguments::parse_from(command("wpt")).command {
            Command::Wpt { args } => assert_eq!(args, words),
            _ => panic!("another command"),
        }
        match Arguments::parse_from(command("bench")).command {
            Command::Bench { args } => assert_eq!(args, words),
            _ => panic!("another command"),
        }
    }
}
