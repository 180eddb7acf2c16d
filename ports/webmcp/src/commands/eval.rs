/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp eval`

use super::{Opener, argument_or_stdin};
use crate::cli::EvalArguments;
use crate::exit::{Failure, Result, Status};
use crate::output::{print_note, print_result};

pub fn run(arguments: &EvalArguments, opener: &Opener) -> Result<()> {
    let script = argument_or_stdin(&arguments.script)?;
    let browser = opener.load(&arguments.url)?;
    let activity = "running the script";
    browser.stage(activity);
    let outcome = browser
        .evaluate(script)
        .map_err(|ended| browser.failure(ended, activity))?;
    browser.finish_progress();
    match outcome {
        Ok(Some(json)) => {
            if json == "{}" {
                print_note(
                    "webmcp: JSON holds nothing of the value: if it is more than an empty object, such as an element or a \
                     Map, ask for parts of it",
                );
            }
            print_result(&json)
        }
        Ok(None) => {
            print_note("webmcp: the value is undefined, for which there is no JSON");
            Ok(())
        }
        Err(exception) => Err(Failure::new(Status::Failed, exception)),
    }
}
