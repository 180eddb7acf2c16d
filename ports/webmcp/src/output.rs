/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What goes to standard output, and how text of a page is made fit for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Write};
use std::sync::OnceLock;

use image::{ImageFormat, ImageResult, RgbaImage};
use serde::Serialize;
use serde_json::{Value, json};
use servo::{PageTool, ToolAnnotations};

use crate::cli::frame_name;
use crate::exit::{Failure, Result, Status};
use crate::process;

/// Standard output, once nothing else in this process can write to it.
static RESULTS: OnceLock<File> = OnceLock::new();

/// Keeps standard output for what [`print_line`] prints. To be called before the engine starts.
pub fn keep_stdout_for_results() -> Result<()> {
    let file = process::take_stdout().map_err(|error| {
        Failure::new(
            Status::Failed,
            format!("cannot use standard output: {error}"),
        )
    })?;
    RESULTS.get_or_init(|| file);
    Ok(())
}

/// Standard output, for somebody who writes there all the time. Nobody else may.
pub fn results() -> Result<File> {
    RESULTS
        .get()
        .map_or_else(process::take_stdout, File::try_clone)
        .map_err(|error| {
            Failure::new(
                Status::Failed,
                format!("cannot use standard output: {error}"),
            )
        })
}

/// A picture in the PNG format.
pub fn as_png(picture: &RgbaImage) -> ImageResult<Vec<u8>> {
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, ImageFormat::Png)?;
    Ok(png.into_inner())
}

/// Prints `text` and a line end. A reader that went away (as `head` does) is no failure.
pub fn print_line(text: &str) -> Result<()> {
    let line = format!("{text}\n");
    let written = match RESULTS.get() {
        Some(mut file) => file.write_all(line.as_bytes()),
        None => io::stdout().write_all(line.as_bytes()),
    };
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::new(
            Status::Failed,
            format!("cannot write to standard output: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Prints a line to standard error, where everything goes that is not a result. It may hold text that comes from a
/// page.
///
/// Nobody can be told when this fails, and the exit status says enough.
pub fn print_note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(text));
}

/// `text` with its control characters written out, so that a page cannot command the terminal. Line ends and tabs stay.
///
/// Besides the control characters proper these are the ones that reorder text.
pub fn printable(text: &str) -> Cow<'_, str> {
    let commands = |character: char| match character {
        '\n' | '\t' => false,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => character.is_control(),
    };
    if !text.contains(commands) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if commands(character) {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

/// The tools as `tools --json` prints them.
pub fn tools_as_json(tools: &[PageTool]) -> Value {
    tools.iter().map(tool_as_json).collect()
}

fn tool_as_json(tool: &PageTool) -> Value {
    json!({
        "id": tool.id.to_string(),
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": input_schema(tool),
        "annotations": tool.annotations,
        "origin": tool.origin,
        "frame": tool.frame,
        "url": tool.url.as_str(),
    })
}

/// The tools as `tools` prints them: a paragraph each.
pub fn tools_as_text(tools: &[PageTool]) -> String {
    let paragraphs: Vec<String> = tools.iter().map(tool_as_text).collect();
    paragraphs.join("\n\n")
}

fn tool_as_text(tool: &PageTool) -> String {
    let mut text = printable(&tool.name).into_owned();
    if !tool.title.is_empty() {
        let _ = write!(text, " - {}", printable(&tool.title));
    }
    for line in printable(&tool.description).lines() {
        let _ = write!(text, "\n    {line}");
    }
    let mut row = |name: &str, value: &str| {
        let _ = write!(text, "\n  {name:<8}{value}");
    };
    row("origin", &printable(&tool.origin));
    if !tool.frame.is_empty() {
        row(
            "frame",
            &format!(
                "{} ({})",
                frame_name(&tool.frame),
                printable(tool.url.as_str())
            ),
        );
    }
    if let Some(hints) = tool
        .annotations
        .map(hints)
        .filter(|hints| !hints.is_empty())
    {
        row("hints", &hints.join(", "));
    }
    match parameters(input_schema(tool)) {
        Parameters::Unknown => {}
        Parameters::None => row("input", "none"),
        Parameters::Named(parameters) => {
            let widest = |width: fn(&Parameter) -> usize| {
                parameters.iter().map(width).max().unwrap_or(0).min(24)
            };
            let name_width = widest(|parameter| parameter.name.chars().count());
            let kind_width = widest(|parameter| parameter.kind.chars().count());
            for (index, parameter) in parameters.iter().enumerate() {
                let line = format!(
                    "{:<name_width$}  {:<kind_width$}  {}",
                    printable(&parameter.name),
                    printable(&parameter.kind),
                    printable(&parameter.description.replace('\n', " ")),
                );
                row(if index == 0 { "input" } else { "" }, line.trim_end());
            }
        }
    }
    text
}

/// The hints that are set, in words.
fn hints(annotations: ToolAnnotations) -> Vec<&'static str> {
    [
        (annotations.read_only_hint, "read-only"),
        (
            annotations.consequential_hint,
            "consequential (needs --yes)",
        ),
        (
            annotations.untrusted_content_hint,
            "returns untrusted content",
        ),
        (annotations.debugging, "for debugging"),
    ]
    .into_iter()
    .filter_map(|(set, words)| set.then_some(words))
    .collect()
}

/// The input schema of a tool. `null` for a tool without one.
fn input_schema(tool: &PageTool) -> Value {
    tool.input_schema
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or(Value::Null)
}

/// What a schema says about the members of the input.
enum Parameters {
    /// There is no schema, or none that names members.
    Unknown,
    /// An object without members.
    None,
    Named(Vec<Parameter>),
}

struct Parameter {
    name: String,
    /// The type, with `required` when it is.
    kind: String,
    description: String,
}

fn parameters(schema: Value) -> Parameters {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Parameters::Unknown;
    };
    if properties.is_empty() {
        return Parameters::None;
    }
    let is_required = |name: &str| {
        schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|required| required.iter().any(|entry| entry == name))
    };
    Parameters::Named(
        properties
            .iter()
            .map(|(name, schema)| {
                let mut kind = kind(schema);
                if is_required(name) {
                    kind.push_str(", required");
                }
                Parameter {
                    name: name.clone(),
                    kind,
                    description: schema
                        .get("description")
                        .and_then(Value::as_str)
                        .unwrap_or_default()
                        .to_owned(),
                }
            })
            .collect(),
    )
}

/// The type that a schema asks for, in a word or two.
fn kind(schema: &Value) -> String {
    let options = schema.get("enum").and_then(Value::as_array);
    if let Some(options) = options.filter(|options| !options.is_empty()) {
        let options: Vec<String> = options.iter().map(Value::to_string).collect();
        return options.join(" | ");
    }
    match schema.get("type") {
        Some(Value::String(kind)) if kind == "array" => match schema.get("items") {
            Some(items) => format!("array of {}", self::kind(items)),
            None => kind.clone(),
        },
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join(" | ")
        }
        _ => "any".to_owned(),
    }
}

/// What `call --json` prints.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum CallReport<'a> {
    Done { ok: bool, result: Option<&'a str> },
    Failed { ok: bool, error: CallError<'a> },
}

#[derive(Debug, Serialize)]
pub struct CallError<'a> {
    kind: &'a str,
    message: &'a str,
}

impl<'a> CallReport<'a> {
    /// The tool gave `result`, or navigated its page away.
    pub fn done(result: Option<&'a str>) -> Self {
        Self::Done { ok: true, result }
    }

    /// The call failed.
    pub fn failed(failure: &'a Failure) -> Self {
        Self::Failed {
            ok: false,
            error: CallError {
                kind: failure.kind,
                message: &failure.message,
            },
        }
    }

    /// The report as one line of JSON.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("strings, booleans and null always serialise")
    }
}

#[cfg(test)]
mod tests {
    use servo::{DocumentId, ToolId};

    use super::*;

    fn tool(name: &str) -> PageTool {
        PageTool {
            id: ToolId::new(),
            name: name.to_owned(),
            title: String::new(),
            description: "Does it.".to_owned(),
            input_schema: None,
            annotations: None,
            document: DocumentId::new(),
            origin: "https://a.example".to_owned(),
            url: "https://a.example/page".parse().expect("it is a URL"),
            frame: Vec::new(),
        }
    }

    #[test]
    fn a_tool_is_a_paragraph_of_what_is_known_about_it() {
        let bare = tool("bare");
        let full = PageTool {
            title: "Search".to_owned(),
            description: "Finds things.\nQuickly.".to_owned(),
            input_schema: Some(
                r#"{"type":"object","properties":{
                    "query":{"type":"string","description":"What to look for"},
                    "kinds":{"type":"array","items":{"enum":["tea","cup"]}}},
                    "required":["query"]}"#
                    .to_owned(),
            ),
            annotations: Some(ToolAnnotations {
                read_only_hint: true,
                debugging: true,
                ..ToolAnnotations::default()
            }),
            frame: vec![1, 0],
            ..tool("search")
        };
        assert_eq!(
            tools_as_text(&[bare, full]),
            "bare\n    Does it.\n  origin  https://a.example\n\n\
             search - Search\n    Finds things.\n    Quickly.\n  origin  https://a.example\n\
             \x20 frame   1.0 (https://a.example/page)\n\
             \x20 hints   read-only, for debugging\n\
             \x20 input   query  string, required        What to look for\n\
             \x20         kinds  array of \"tea\" | \"cup\""
        );
    }

    #[test]
    fn a_schema_without_members_says_that_there_is_no_input() {
        let tool = PageTool {
            input_schema: Some(r#"{"type":"object","properties":{}}"#.to_owned()),
            ..tool("plain")
        };
        assert!(tools_as_text(&[tool]).ends_with("\n  input   none"));
    }

    #[test]
    fn strange_schemas_do_no_harm() {
        for schema in [
            "7",
            "[]",
            "not json",
            r#"{"properties":7}"#,
            r#"{"properties":{"a":7,"b":{"type":7},"c":{"type":["string",7]},"d":{"enum":[]}},"required":7}"#,
        ] {
            let tool = PageTool {
                input_schema: Some(schema.to_owned()),
                ..tool("strange")
            };
            assert!(tools_as_text(&[tool]).starts_with("strange\n"), "{schema}");
        }
    }

    #[test]
    fn the_json_of_a_tool_has_every_member_of_the_contract() {
        let tool = PageTool {
            input_schema: Some(r#"{"type":"object"}"#.to_owned()),
            annotations: Some(ToolAnnotations {
                consequential_hint: true,
                ..ToolAnnotations::default()
            }),
            frame: vec![2],
            ..tool("buy")
        };
        assert_eq!(
            tools_as_json(std::slice::from_ref(&tool)),
            json!([{
                "id": tool.id.to_string(),
                "name": "buy",
                "title": "",
                "description": "Does it.",
                "inputSchema": {"type": "object"},
                "annotations": {
                    "readOnlyHint": false,
                    "untrustedContentHint": false,
                    "consequentialHint": true,
                    "debugging": false,
                },
                "origin": "https://a.example",
                "frame": [2],
                "url": "https://a.example/page",
            }])
        );
    }

    #[test]
    fn what_is_absent_from_a_tool_is_null_in_its_json() {
        let tools = tools_as_json(&[tool("bare")]);
        assert_eq!(tools[0]["inputSchema"], Value::Null);
        assert_eq!(tools[0]["annotations"], Value::Null);
    }

    #[test]
    fn a_page_cannot_command_the_terminal() {
        assert_eq!(
            printable("a\u{1b}[2Jb\rc\u{9b}d"),
            r"a\u{1b}[2Jb\u{d}c\u{9b}d"
        );
        assert_eq!(printable("left\u{202e}right"), r"left\u{202e}right");
        assert!(matches!(
            printable("plain\n\ttext, ünïcode"),
            Cow::Borrowed(_)
        ));
        let tool = PageTool {
            description: "\u{1b}]0;title\u{7}".to_owned(),
            ..tool("bad\u{1b}name")
        };
        assert!(!tools_as_text(&[tool]).contains(['\u{1b}', '\u{7}']));
    }

    #[test]
    fn a_call_is_reported_in_the_two_forms_of_the_contract() {
        assert_eq!(
            CallReport::done(Some("5 items")).to_line(),
            r#"{"ok":true,"result":"5 items"}"#
        );
        assert_eq!(
            CallReport::done(None).to_line(),
            r#"{"ok":true,"result":null}"#
        );
        let failure = Failure::new(Status::Refused, "not without --yes");
        assert_eq!(
            CallReport::failed(&failure).to_line(),
            r#"{"ok":false,"error":{"kind":"refused","message":"not without --yes"}}"#
        );
    }
}
