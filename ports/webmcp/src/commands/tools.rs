/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp tools`

use std::convert::Infallible;

use servo::PageTool;

use super::Opener;
use crate::browser::{Browser, Ended, Watched};
use crate::cli::{ToolsArguments, ToolsWanted};
use crate::exit::{Failure, Result};
use crate::listing::{tools_as_json, tools_as_text};
use crate::output::{print_json, print_line, print_note};

/// Gives the reason for which the page can have no tools, if it is one of those that are known.
const REASON: &str = r#"
(async () => {
  if (!isSecureContext) return "insecure";
  if (!document.modelContext) return "absent";
  try {
    await document.modelContext.getTools();
  } catch (error) {
    if (error.name === "NotAllowedError") return "policy";
  }
  if (document.querySelector("form[toolname]")) return "forms";
  const isShutOut = (frame) =>
    new URL(frame.src, location).origin !== origin && !/(^|;)\s*tools\b/.test(frame.allow);
  return Array.from(document.querySelectorAll("iframe[src]")).some(isShutOut) ? "frames" : "unknown";
})()
"#;

pub fn run(arguments: &ToolsArguments, opener: &Opener) -> Result<()> {
    let browser = opener.load(&arguments.url)?;
    let tools = if arguments.wait_for.is_empty() {
        settled(browser)?
    } else {
        wait_for(browser, &arguments.wait_for)?
    };
    let reason = tools.is_empty().then(|| why_there_are_none(browser));
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

fn settled(browser: &Browser) -> Result<Vec<PageTool>> {
    let activity = "looking for tools";
    browser.stage(activity);
    match browser.watch_tools(|_| None::<Infallible>) {
        Ok(Watched::Settled(tools)) => Ok(tools),
        Ok(Watched::Picked(never)) => match never {},
        Err(ended) => Err(browser.failure(ended, activity)),
    }
}

/// The tools, as soon as all that is `wanted` is among them.
fn wait_for(browser: &Browser, wanted: &[ToolsWanted]) -> Result<Vec<PageTool>> {
    let shown: Vec<String> = wanted.iter().map(ToString::to_string).collect();
    let activity = format!("waiting for {}", shown.join(" and "));
    browser.stage(activity.clone());
    // When the time is up, there is none to ask.
    let reason = why_there_are_none(browser);
    let mut seen = Vec::new();
    let found = browser.wait_for_tools(|tools| {
        if wanted.iter().all(|wanted| is_there(wanted, &tools)) {
            return Some(tools);
        }
        seen = tools.into_iter().map(|tool| tool.name).collect();
        None
    });
    found.map_err(|ended| {
        let is_late = matches!(ended, Ended::TimedOut);
        let failure = browser.failure(ended, &activity);
        if !is_late {
            return failure;
        }
        let offered = if seen.is_empty() {
            reason.to_owned()
        } else {
            format!("the page offers {}", seen.join(", "))
        };
        Failure {
            message: format!("{}; {offered}", failure.message),
            ..failure
        }
    })
}

fn is_there(wanted: &ToolsWanted, tools: &[PageTool]) -> bool {
    match wanted {
        ToolsWanted::Named(name) => tools.iter().any(|tool| tool.name == *name),
        ToolsWanted::Many(count) => tools.len() >= *count,
    }
}

/// What to tell about a page without tools. The page is asked itself, so it is a hint and no more.
pub fn why_there_are_none(browser: &Browser) -> &'static str {
    let reason = browser.evaluate_briefly(REASON);
    match reason
        .ok()
        .and_then(|reason| reason.ok())
        .flatten()
        .as_deref()
    {
        Some("\"insecure\"") => {
            "the page offers no tools: it is not a secure context, and only those have the API (use https:)"
        }
        Some("\"absent\"") => "the page offers no tools: it has no document.modelContext",
        Some("\"policy\"") => {
            "the page offers no tools: its permissions policy (`tools`) does not let it"
        }
        Some("\"forms\"") => {
            "the page offers no tools: it has forms with `toolname`, and forms are not tools here yet"
        }
        Some("\"frames\"") => {
            "the page offers no tools; a frame of another origin needs allow=\"tools\" to offer any"
        }
        _ => "the page offers no tools",
    }
}
