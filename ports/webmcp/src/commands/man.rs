/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp man`

use clap::CommandFactory;
use clap_mangen::Man;

use crate::cli::{Cli, ManArguments};
use crate::exit::{Failure, Result, Status};
use crate::output::print_text;

pub fn run(arguments: &ManArguments) -> Result<()> {
    let mut program = Cli::command();
    // Only then do the commands have the options that all of them take, and the name of the program before their own.
    program.build();
    let command = match &arguments.command {
        None => program,
        Some(name) => program
            .get_subcommands()
            .find(|command| command.get_name() == name && !command.is_hide_set())
            .cloned()
            .ok_or_else(|| {
                Failure::usage(format!(
                    "there is no command `{name}`; `webmcp help` lists them"
                ))
            })?,
    };
    let mut page = Vec::new();
    Man::new(command).render(&mut page).map_err(|error| {
        Failure::new(
            Status::Failed,
            format!("the manual page cannot be made: {error}"),
        )
    })?;
    print_text(&page)
}
