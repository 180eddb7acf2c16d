/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What a client gets of what a tool gave.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use modelcontext::{ToolFailure, ToolFailureKind};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, ResourceContents};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use crate::text::cut;

/// How many bytes an item of content counts at least, so that empty ones are not free.
const ITEM: usize = 64;

/// For how many bytes of the limit there may be one item. Each is a message of its own to a model, whatever is in it.
const SHARE: usize = 1024;

/// How many items there may be under any limit.
const FEWEST: usize = 16;

/// The result of a tool of a document of `origin` that gave this text: that of a string, the JSON text of another
/// value, or none because the tool navigated.
///
/// - A value in the shape of an MCP result passes through: an object whose `content` is a list of valid items. It has
///   no other members than such a result has if the list is empty; otherwise these are lost. Hints for the client
///   itself (`_meta`, `annotations`, `icons`) do not pass: the page has none to give.
/// - Other objects and lists are given as they are, as text and as structured content. Clients of before 2026-07-28
///   cannot take lists there; the protocol library leaves them out for these.
/// - Everything else is only text. A string that reads `5` is not told from the number, and the text says all there is.
///   For the same reason a string that is the JSON text of an object counts as the object.
///
/// Texts, and pictures and the like, take up no more than `limit` bytes together, and the structured content no more
/// than that again. There are no more items than [`most_items`] says. Texts are cut, other things left out, and both is
/// said in the place.
pub(crate) fn tool_result(text: Option<&str>, origin: &str, limit: usize) -> CallToolResult {
    let Some(text) = text else {
        return CallToolResult::success(vec![ContentBlock::text(
            "The tool navigated the page instead of giving a result. The tools of the new page may be others: list \
             them again before you call one.",
        )])
        .with_meta(Some(meta(origin)));
    };
    let value = structured(text);
    let result = match value {
        Some(Value::Object(value)) => match passed_through(&value, limit) {
            Some(result) => result,
            None => as_text(text, Some(Value::Object(value)), limit),
        },
        value => as_text(text, value, limit),
    };
    result.with_meta(Some(meta(origin)))
}

/// The result of a call that failed in a document of `origin`. What the tool itself says stays under `limit` bytes.
pub(crate) fn tool_failure(failure: &ToolFailure, origin: &str, limit: usize) -> CallToolResult {
    let message = cut(failure.message.clone(), limit);
    let (what, next) = match failure.kind {
        ToolFailureKind::CallbackThrew => ("The tool failed.", ""),
        ToolFailureKind::ResultNotSerializable => (
            "The tool ran, but what it gave cannot be passed on.",
            "Look at the page before you call it again.",
        ),
        ToolFailureKind::NoSuchTool => (
            "The page has no such tool any more. It was not run.",
            "List the tools again.",
        ),
        ToolFailureKind::NotExposed => {
            ("The page does not offer the tool here. It was not run.", "")
        }
        ToolFailureKind::DifferentTraversable => (
            "The tool is of another page. It was not run.",
            "List the tools again.",
        ),
        ToolFailureKind::OriginMismatch => (
            "The document that offered the tool has been replaced by one of another site. It was not run.",
            "List the tools again.",
        ),
        ToolFailureKind::InvalidInput => (
            "The page does not take the arguments. The tool was not run.",
            "Correct them by the tool's schema.",
        ),
        ToolFailureKind::TargetGone => (
            "The frame of the tool was removed, or went to another address, before the tool had finished, so the outcome \
             is unknown: it may have done its work or not.",
            "List the tools again.",
        ),
        ToolFailureKind::NotAllowed => ("The tool may not be run. It was not.", ""),
        ToolFailureKind::Refused => ("The user did not allow the tool to run. It was not.", ""),
        ToolFailureKind::Cancelled => (
            "The call was cancelled. The tool may have done a part of its work.",
            "",
        ),
        _ => ("The tool could not be run.", ""),
    };
    let text = [what, &message, next]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(meta(origin)))
}

/// Says that the page wrote the content, and which one.
fn meta(origin: &str) -> MetaObject {
    let mut meta = Map::new();
    meta.insert("webmcp/pageProvided".to_owned(), json!(true));
    meta.insert("webmcp/origin".to_owned(), json!(origin));
    MetaObject(meta)
}

/// The object or list whose JSON text this is.
fn structured(text: &str) -> Option<Value> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(text).ok()
}

fn as_text(text: &str, value: Option<Value>, limit: usize) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(cut(text.to_owned(), limit))]);
    if text.len() <= limit {
        result.structured_content = value;
    }
    result
}

/// The value as a result, if it has the shape of one.
fn passed_through(value: &Map<String, Value>, limit: usize) -> Option<CallToolResult> {
    let items = value.get("content")?.as_array()?;
    let is_nothing_else = value.keys().all(|name| {
        matches!(
            name.as_str(),
            "_meta" | "content" | "isError" | "structuredContent"
        )
    });
    if items.is_empty() && !is_nothing_else {
        return None;
    }
    let is_error = match value.get("isError") {
        None => false,
        Some(is_error) => is_error.as_bool()?,
    };
    let mut content = limited(items, limit)?;
    let structured = value
        .get("structuredContent")
        .filter(|value| !value.is_null());
    let structured = structured.filter(|value| {
        let length = value.to_string().len();
        if length > limit {
            content.push(ContentBlock::text(format!(
                "[Left out here: the structured content, {length} bytes]"
            )));
        }
        length <= limit
    });
    let mut result = if is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = structured.cloned();
    Some(result)
}

/// An item of content, if it is one that every client takes, without what the page has to say to the client.
fn item(value: &Value) -> Option<ContentBlock> {
    let mut item = ContentBlock::deserialize(value).ok()?;
    match &mut item {
        ContentBlock::Text(text) => {
            text.meta = None;
            text.annotations = None;
        }
        ContentBlock::Image(image) => {
            check_base64(&image.data)?;
            image.meta = None;
            image.annotations = None;
        }
        ContentBlock::Audio(audio) => {
            check_base64(&audio.data)?;
            audio.meta = None;
            audio.annotations = None;
        }
        ContentBlock::Resource(embedded) => {
            embedded.meta = None;
            embedded.annotations = None;
            match &mut embedded.resource {
                ResourceContents::TextResourceContents { meta, .. } => *meta = None,
                ResourceContents::BlobResourceContents { meta, blob, .. } => {
                    check_base64(blob)?;
                    *meta = None;
                }
                _ => return None,
            }
        }
        ContentBlock::ResourceLink(link) => {
            link.meta = None;
            link.annotations = None;
            link.icons = None;
        }
        _ => return None,
    }
    Some(item)
}

/// Clients refuse whole results for a picture that is not valid base64.
fn check_base64(data: &str) -> Option<()> {
    STANDARD.decode(data).is_ok().then_some(())
}

/// As much of the items as fits into `limit` bytes, and no more than [`most_items`] of them, if they are items. Texts
/// are cut; what is left out is named in its place. Nobody looks at what comes after the limit, so it costs nothing.
fn limited(items: &[Value], limit: usize) -> Option<Vec<ContentBlock>> {
    let most = most_items(limit);
    let mut left = limit;
    let mut content = Vec::new();
    for (index, value) in items.iter().enumerate() {
        let missing = items.len() - index;
        if index == most {
            content.push(ContentBlock::text(format!(
                "[Left out here: {missing} more items; the first {most} are given]"
            )));
            break;
        }
        if left == 0 {
            content.push(ContentBlock::text(format!(
                "[Left out here: {missing} more items]"
            )));
            break;
        }
        let item = item(value)?;
        let length = length(&item);
        let (item, taken) = match item {
            item if length <= left => (item, length.max(ITEM)),
            ContentBlock::Text(text) => (ContentBlock::text(cut(text.text, left)), left),
            item => {
                let what = description(&item);
                let note = format!("[Left out here: {what}, {length} bytes]");
                (ContentBlock::text(note), ITEM)
            }
        };
        content.push(item);
        left = left.saturating_sub(taken);
    }
    Some(content)
}

/// How many items a client gets of a result that may have `limit` bytes.
fn most_items(limit: usize) -> usize {
    (limit / SHARE).max(FEWEST)
}

fn length(item: &ContentBlock) -> usize {
    match item {
        ContentBlock::Text(text) => text.text.len(),
        item => serde_json::to_string(item).map_or(usize::MAX, |text| text.len()),
    }
}

fn description(item: &ContentBlock) -> &'static str {
    match item {
        ContentBlock::Image(_) => "an image",
        ContentBlock::Audio(_) => "a sound",
        ContentBlock::Resource(_) => "a resource",
        ContentBlock::ResourceLink(_) => "a link to a resource",
        _ => "an item",
    }
}

#[cfg(test)]
mod tests;
