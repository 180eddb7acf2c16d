/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp completions`

use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArguments};
use crate::exit::Result;
use crate::output::print_text;

pub fn run(arguments: &CompletionsArguments) -> Result<()> {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    print_text(&script)
}
