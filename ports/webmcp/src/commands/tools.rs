/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp tools`

use std::convert::Infallible;

use super::Opener;
use crate::browser::{Browser, Watched};
use crate::cli::{Size, ToolsArguments};
use crate::exit::Result;
use crate::listing::{tools_as_json, tools_as_text};
use crate::output::{print_json, print_line, print_note};

pub fn run(arguments: &ToolsArguments, opener: &Opener) -> Result<()> {
    let browser = opener.load(&arguments.url, Size::default())?;
    let activity = "looking for tools";
    browser.stage(activity);
    let tools = match browser.watch_tools(|_| None::<Infallible>) {
        Ok(Watched::Settled(tools)) => tools,
        Ok(Watched::Picked(never)) => match never {},
        Err(ended) => return Err(browser.failure(ended, activity)),
    };
    let reason = if tools.is_empty() {
        Some(why_there_are_none(browser))
    } else {
        None
    };
    browser.finish_progress();
    if let Some(reason) = reason {
        print_note(&format!("webmcp: {reason}"));
    }
    if arguments.json {
        print_json(&tools_as_json(&tools))
    } else if tools.is_empty() {
        Ok(())
    } else {
        print_line(&tools_as_text(&tools))
    }
}

/// What to tell about a page without tools.
pub fn why_there_are_none(browser: &Browser) -> &'static str {
    match browser.evaluate("isSecureContext".to_owned()) {
        Ok(Ok(Some(secure))) if secure == "false" => {
            "the page offers no tools: it is not a secure context, and only those have the API (use https:)"
        }
        _ => "the page offers no tools",
    }
}
