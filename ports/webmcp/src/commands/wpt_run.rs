/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp wpt-run`: one page of web-platform-tests, for `cargo xtask wpt`.
//!
//! Prints the JSON of what the promise of the results gives. A page that crashed is told by the exit status
//! [`Status::OutcomeUnknown`], one that reports nothing in time by [`Status::TimedOut`].

use super::Opener;
use crate::browser::{Ended, Environment, PageEnd};
use crate::cli::WptRunArguments;
use crate::exit::{Failure, Result, Status};
use crate::output::print_result;

pub fn run(arguments: &WptRunArguments, opener: &Opener) -> Result<()> {
    let environment = Environment {
        certificate: arguments.certificate.clone(),
        host_file: arguments.host_file.clone(),
        for_tests: true,
    };
    let browser = opener.load_in(&arguments.url, environment)?;
    let activity = "waiting for the results";
    browser.stage(activity);
    let outcome = browser
        .evaluate(arguments.results.clone())
        .map_err(|ended| {
            let crashed = matches!(
                ended,
                Ended::EngineGone | Ended::PageGone(PageEnd::Crashed(_))
            );
            let failure = browser.failure(ended, activity);
            if crashed {
                Failure::new(Status::OutcomeUnknown, failure.message)
            } else {
                failure
            }
        })?;
    browser.finish_progress();
    match outcome {
        Ok(json) => print_result(json.as_deref().unwrap_or("null")),
        Err(exception) => Err(Failure::new(Status::Failed, exception)),
    }
}
