/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The list of tools, as text for people and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};
use servo::{PageTool, ToolAnnotations};

use crate::cli::frame_name;
use crate::escape::{for_terminal, in_row};

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
    let mut text = in_row(&tool.name).into_owned();
    if !tool.title.is_empty() {
        let _ = write!(text, " - {}", in_row(&tool.title));
    }
    for line in tool.description.lines() {
        let _ = write!(text, "\n    {}", for_terminal(line));
    }
    let mut row = |name: &str, value: &str| {
        let _ = write!(text, "\n  {name:<8}{value}");
    };
    row("origin", &in_row(&tool.origin));
    if !tool.frame.is_empty() {
        row(
            "frame",
            &format!(
                "{} ({})",
                frame_name(&tool.frame),
                in_row(tool.url.as_str())
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
                let Parameter {
                    name,
                    kind,
                    description,
                } = parameter;
                let line = format!("{name:<name_width$}  {kind:<kind_width$}  {description}");
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

/// A member of the input, in texts that fit into a row.
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
                let description = schema.get("description").and_then(Value::as_str);
                Parameter {
                    name: in_row(name).into_owned(),
                    kind: in_row(&kind).into_owned(),
                    description: in_row(&description.unwrap_or_default().replace('\n', " "))
                        .into_owned(),
                }
            })
            .collect(),
    )
}

/// The type that a schema asks for, in a word or two, and the form of a string.
fn kind(schema: &Value) -> String {
    let mut kind = type_of(schema);
    let forms: Vec<String> = ["format", "pattern"]
        .into_iter()
        .filter_map(|keyword| Some(format!("{keyword} {}", schema.get(keyword)?.as_str()?)))
        .collect();
    if !forms.is_empty() {
        let _ = write!(kind, " ({})", forms.join(", "));
    }
    kind
}

fn type_of(schema: &Value) -> String {
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

#[cfg(test)]
pub mod tests {
    use servo::{DocumentId, ToolId};

    use super::*;

    /// A tool of the top document about which little is known.
    pub fn tool(name: &str) -> PageTool {
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
    fn the_form_of_a_string_is_shown() {
        let tool = PageTool {
            input_schema: Some(
                r#"{"properties":{
                    "day":{"type":"string","format":"date"},
                    "code":{"type":"array","items":{"type":"string","pattern":"^[A-Z]+$"}},
                    "odd":{"type":"string","format":7}}}"#
                    .to_owned(),
            ),
            ..tool("book")
        };
        assert!(tools_as_text(&[tool]).ends_with(
            "\n  input   day   string (format date)\n\
             \x20         code  array of string (pattern ^[A-Z]+$)\n\
             \x20         odd   string"
        ));
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
        let tool = PageTool {
            description: "\u{1b}]0;title\u{7}".to_owned(),
            ..tool("bad\u{1b}name")
        };
        assert!(!tools_as_text(&[tool]).contains(['\u{1b}', '\u{7}']));
    }

    #[test]
    fn a_page_cannot_forge_a_row() {
        let forged = "x\n  origin  https://bank.example\r\n\npay - Send money\n    d\u{2028}e";
        let tool = PageTool {
            title: forged.to_owned(),
            origin: forged.to_owned(),
            input_schema: Some(
                json!({
                    "required": [forged],
                    "properties": {
                        forged: { "type": forged, "description": forged },
                        "several": { "type": ["string", forged] },
                        "list": { "type": "array", "items": { "type": forged } },
                        "choice": { "enum": [forged] },
                    },
                })
                .to_string(),
            ),
            ..tool(forged)
        };
        let text = tools_as_text(&[tool]);
        let rows: Vec<&str> = text.split(['\n', '\r', '\u{2028}']).collect();
        assert_eq!(rows.len(), 7, "{text}");
        assert!(rows[0].starts_with(r"x\n  origin  https"), "{text}");
        assert_eq!(rows[1], "    Does it.");
        assert!(
            rows[2].starts_with(r"  origin  x\n  origin  https"),
            "{text}"
        );
        assert!(rows[3].starts_with(r"  input   x\n"), "{text}");
        assert!(
            rows[4..].iter().all(|row| row.starts_with("          ")),
            "{text}"
        );
    }
}
