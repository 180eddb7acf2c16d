/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp call`

use std::collections::BTreeSet;

use serde_json::Value;
use servo::{PageTool, ToolFailure, ToolFailureKind, ToolId};

use super::tools::why_there_are_none;
use super::{Opener, argument_or_stdin};
use crate::browser::{Browser, Ended, Watched};
use crate::cli::{CallArguments, FramePath, frame_name};
use crate::exit::{Failure, Result, Status};
use crate::output::{CallReport, print_line, print_note, print_result};

pub fn run(arguments: &CallArguments, opener: &Opener) -> Result<()> {
    let outcome = call(arguments, opener);
    if let Some(browser) = opener.browser.get() {
        browser.finish_progress();
    }
    if arguments.json {
        let report = match &outcome {
            Ok(result) => CallReport::done(result.as_deref()),
            Err(failure) => CallReport::failed(failure),
        };
        print_line(&report.to_line())?;
        return outcome.map(drop);
    }
    match outcome? {
        Some(result) => print_result(&result),
        None => {
            print_note("webmcp: the tool navigated the page away, so there is no result");
            Ok(())
        }
    }
}

/// The result of the call, which is none when the tool navigated.
fn call(arguments: &CallArguments, opener: &Opener) -> Result<Option<String>> {
    let input = argument_or_stdin(&arguments.json_input)?;
    check_input(&input)?;
    let name = arguments.tool.as_str();
    let browser = opener.load(&arguments.url)?;
    loop {
        let tool = find(browser, name, arguments.frame.as_ref())?;
        if tool.consequential && !arguments.yes {
            return Err(Failure::new(
                Status::Refused,
                format!("`{name}` says that it has consequences, so it runs only with --yes"),
            ));
        }
        match run_once(browser, name, tool.id, &input) {
            // It was taken back before it began to run. Frameworks do that only to register it anew at once, and if it
            // is not there any more, the next look will tell.
            Err(failure) if failure.kind == ToolFailureKind::NoSuchTool.as_str() => {}
            outcome => return outcome,
        }
    }
}

fn run_once(browser: &Browser, name: &str, tool: ToolId, input: &str) -> Result<Option<String>> {
    let activity = format!("running `{name}`");
    browser.stage(activity.clone());
    match browser.call(tool, input.to_owned()) {
        Ok(outcome) => outcome.map_err(tool_failure),
        // The call has begun, so that the page is gone does not say that nothing was done.
        Err(ended @ (Ended::PageGone(_) | Ended::EngineGone)) => Err(Failure::new(
            Status::OutcomeUnknown,
            browser.failure(ended, &activity).message,
        )),
        Err(ended) => Err(browser.failure(ended, &activity)),
    }
}

/// What input looks like, for those who have to write it. Shells take the quotes away that are not quoted themselves.
const EXAMPLE: &str = "write it as '{\"query\": \"tea\", \"limit\": 5}', with both kinds of quotes";

/// Lets nothing pass but a JSON object, or an array, which the page API takes as one.
fn check_input(input: &str) -> Result<()> {
    let kind = match serde_json::from_str(input) {
        Ok(Value::Object(_) | Value::Array(_)) => return Ok(()),
        Ok(Value::String(_)) => "a string",
        Ok(Value::Number(_)) => "a number",
        Ok(Value::Bool(_)) => "a boolean",
        Ok(Value::Null) => "null",
        Err(error) => {
            return Err(Failure::usage(format!(
                "the input is not JSON: {error}; {EXAMPLE}"
            )));
        }
    };
    Err(Failure::usage(format!(
        "the input must be a JSON object, not {kind}; {EXAMPLE}"
    )))
}

/// The tool that is to run.
struct Chosen {
    id: ToolId,
    consequential: bool,
}

/// Waits for a tool of that name. A tool that is not there once the list has settled does not exist, and before that
/// nobody can know that a name means one tool only, unless the user has said of which frame it is.
fn find(browser: &Browser, name: &str, frame: Option<&FramePath>) -> Result<Chosen> {
    let activity = format!("looking for `{name}`");
    browser.stage(activity.clone());
    let pick = |tools: &[PageTool]| frame.and_then(|_| choose(tools, name, frame));
    match browser.watch_tools(pick) {
        Ok(Watched::Picked(chosen)) => chosen,
        Ok(Watched::Settled(tools)) => choose(&tools, name, frame).unwrap_or_else(|| {
            let reason = if tools.is_empty() {
                why_there_are_none(browser).to_owned()
            } else {
                missing(&tools, name, frame)
            };
            Err(Failure::new(Status::NoSuchTool, reason))
        }),
        Err(ended) => Err(browser.failure(ended, &activity)),
    }
}

/// The tool of that name. Fails if several frames have one and the user has not said which frame is meant.
fn choose(tools: &[PageTool], name: &str, frame: Option<&FramePath>) -> Option<Result<Chosen>> {
    let candidates: Vec<&PageTool> = tools
        .iter()
        .filter(|tool| tool.name == name && frame.is_none_or(|frame| frame.0 == tool.frame))
        .collect();
    match candidates.as_slice() {
        [] => None,
        [tool] => Some(Ok(Chosen {
            id: tool.id,
            consequential: tool
                .annotations
                .is_some_and(|hints| hints.consequential_hint),
        })),
        several => {
            let frames: Vec<String> = several
                .iter()
                .map(|tool| format!("--frame {} ({})", frame_name(&tool.frame), tool.url))
                .collect();
            Some(Err(Failure::usage(format!(
                "several frames offer `{name}`; say which is meant: {}",
                frames.join(", ")
            ))))
        }
    }
}

/// What to tell about a name that no tool has.
fn missing(tools: &[PageTool], name: &str, frame: Option<&FramePath>) -> String {
    let in_frame = |tool: &&PageTool| frame.is_none_or(|frame| frame.0 == tool.frame);
    let names: BTreeSet<&str> = tools
        .iter()
        .filter(in_frame)
        .map(|tool| tool.name.as_str())
        .collect();
    let place = match frame {
        Some(frame) => format!("frame {}", frame_name(&frame.0)),
        None => "the page".to_owned(),
    };
    if names.is_empty() {
        return format!("{place} offers no tools");
    }
    let offered = names.iter().copied().collect::<Vec<_>>().join(", ");
    let hint = similar(&names, name)
        .map(|similar| format!("; did you mean `{similar}`?"))
        .unwrap_or_default();
    format!("{place} offers no tool `{name}`, but {offered}{hint}")
}

/// The name that is most like `name`, if one is much like it.
fn similar<'a>(names: &BTreeSet<&'a str>, name: &str) -> Option<&'a str> {
    let farthest = (name.chars().count() / 3).max(1);
    names
        .iter()
        .map(|candidate| {
            let distance =
                strsim::damerau_levenshtein(&candidate.to_lowercase(), &name.to_lowercase());
            (distance, *candidate)
        })
        .filter(|(distance, _)| *distance <= farthest)
        .min()
        .map(|(_, candidate)| candidate)
}

fn tool_failure(failure: ToolFailure) -> Failure {
    let status = match failure.kind {
        ToolFailureKind::NoSuchTool => Status::NoSuchTool,
        ToolFailureKind::NotAllowed | ToolFailureKind::Refused => Status::Refused,
        ToolFailureKind::TargetGone => Status::OutcomeUnknown,
        _ => Status::Failed,
    };
    Failure {
        status,
        kind: failure.kind.as_str(),
        message: failure.message,
    }
}

#[cfg(test)]
mod tests {
    use servo::ToolAnnotations;

    use super::*;
    use crate::listing;

    fn tool(name: &str, frame: &[usize]) -> PageTool {
        PageTool {
            frame: frame.to_vec(),
            ..listing::tests::tool(name)
        }
    }

    #[test]
    fn objects_and_arrays_are_input() {
        for input in ["{}", " {\"a\": [1]} \n", "[1]"] {
            assert_eq!(check_input(input), Ok(()), "{input}");
        }
    }

    #[test]
    fn other_input_is_refused_with_the_reason() {
        for (input, part) in [
            ("7", "not a number"),
            ("\"x\"", "not a string"),
            ("true", "not a boolean"),
            ("null", "not null"),
            ("", "line 1 column 0"),
            ("{\"a\": }", "line 1 column 7"),
            ("{\n\"a\": 1,\n}", "line 3 column 1"),
            ("{} {}", "line 1 column 4"),
        ] {
            let failure = check_input(input).expect_err("it must be refused");
            assert_eq!(failure.status, Status::Usage);
            assert!(
                failure.message.contains(part) && failure.message.contains(r#"'{"query": "tea""#),
                "{input}: {}",
                failure.message
            );
        }
    }

    #[test]
    fn input_that_is_nested_too_deep_is_refused_and_does_no_harm() {
        let input = "[".repeat(1_000_000);
        assert_eq!(
            check_input(&input).map_err(|failure| failure.status),
            Err(Status::Usage)
        );
    }

    #[test]
    fn the_only_tool_of_a_name_is_chosen_wherever_it_is() {
        let tools = [tool("a", &[]), tool("b", &[0, 1])];
        let chosen = choose(&tools, "b", None)
            .expect("it is there")
            .expect("it is the only one");
        assert_eq!(chosen.id, tools[1].id);
        assert!(!chosen.consequential);
        assert!(choose(&tools, "c", None).is_none());
    }

    #[test]
    fn a_tool_says_whether_it_has_consequences() {
        let tools = [PageTool {
            annotations: Some(ToolAnnotations {
                consequential_hint: true,
                ..ToolAnnotations::default()
            }),
            ..tool("buy", &[])
        }];
        let chosen = choose(&tools, "buy", None)
            .expect("it is there")
            .expect("it is the only one");
        assert!(chosen.consequential);
    }

    #[test]
    fn a_name_in_several_frames_needs_the_frame() {
        let tools = [tool("a", &[]), tool("a", &[0])];
        let failure = match choose(&tools, "a", None) {
            Some(Err(failure)) => failure,
            _ => panic!("it must be ambiguous"),
        };
        assert_eq!(failure.status, Status::Usage);
        assert!(
            failure.message.contains("--frame top"),
            "{}",
            failure.message
        );
        assert!(
            failure.message.contains("--frame 0 "),
            "{}",
            failure.message
        );
        let chosen = choose(&tools, "a", Some(&FramePath(vec![0])))
            .expect("it is there")
            .expect("it is the only one");
        assert_eq!(chosen.id, tools[1].id);
    }

    #[test]
    fn a_missing_tool_is_answered_with_what_is_there() {
        let tools = [tool("search", &[]), tool("add", &[]), tool("ask", &[0])];
        assert_eq!(
            missing(&tools, "saerch", None),
            "the page offers no tool `saerch`, but add, ask, search; did you mean `search`?"
        );
        assert_eq!(
            missing(&tools, "buy", Some(&FramePath(vec![0]))),
            "frame 0 offers no tool `buy`, but ask"
        );
        assert_eq!(
            missing(&tools, "buy", Some(&FramePath(vec![7]))),
            "frame 7 offers no tools"
        );
    }

    #[test]
    fn the_engine_s_reasons_have_their_statuses() {
        for (kind, status) in [
            (ToolFailureKind::CallbackThrew, Status::Failed),
            (ToolFailureKind::ResultNotSerializable, Status::Failed),
            (ToolFailureKind::NoSuchTool, Status::NoSuchTool),
            (ToolFailureKind::NotAllowed, Status::Refused),
            (ToolFailureKind::Refused, Status::Refused),
            (ToolFailureKind::TargetGone, Status::OutcomeUnknown),
        ] {
            let failure = tool_failure(ToolFailure::new(kind, "why"));
            assert_eq!(failure.status, status);
            assert_eq!(failure.kind, kind.as_str());
            assert_eq!(failure.message, "why");
        }
    }
}
