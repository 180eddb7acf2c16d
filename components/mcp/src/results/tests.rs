/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What clients get, by what the tool gave.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

const ORIGIN: &str = "https://shop.example";
const LIMIT: usize = 1000;

/// What goes over the wire, apart from what is the same for all results.
fn wire(text: Option<&str>, limit: usize) -> Value {
    let result = tool_result(text, ORIGIN, limit);
    let Value::Object(mut result) = serde_json::to_value(result).unwrap() else {
        panic!("a result is an object");
    };
    assert_eq!(
        result.remove("_meta"),
        Some(json!({ "webmcp/pageProvided": true, "webmcp/origin": ORIGIN }))
    );
    assert_eq!(result.remove("resultType"), Some(json!("complete")));
    Value::Object(result)
}

#[track_caller]
fn check(text: &str, expected: Value) {
    assert_eq!(wire(Some(text), LIMIT), expected);
}

#[track_caller]
fn check_only_text(text: &str) {
    check(
        text,
        json!({ "content": [{ "type": "text", "text": text }], "isError": false }),
    );
}

#[track_caller]
fn check_structured(text: &str) {
    let value: Value = serde_json::from_str(text).unwrap();
    check(
        text,
        json!({
            "content": [{ "type": "text", "text": text }],
            "structuredContent": value,
            "isError": false,
        }),
    );
}

#[track_caller]
fn check_passes(value: Value) {
    check(&value.to_string(), value);
}

#[test]
fn a_string_is_only_text() {
    for text in [
        "",
        "done",
        "{not json",
        "[1, 2",
        "\"quoted\"",
        " - a list\n - of two",
    ] {
        check_only_text(text);
    }
}

#[test]
fn a_single_value_is_only_text() {
    for text in ["5", "-1.5e3", "true", "null"] {
        check_only_text(text);
    }
}

#[test]
fn an_object_or_a_list_is_structured_too() {
    for text in [
        "{}",
        "[]",
        r#"{"total":5}"#,
        r#"[{"name":"pot"}]"#,
        "\n {\"a\": 1}",
    ] {
        check_structured(text);
    }
}

#[test]
fn json_that_is_too_deep_is_only_text() {
    check_only_text(&"[".repeat(400));
    check_only_text(&format!("{}{}", "[".repeat(400), "]".repeat(400)));
}

#[test]
fn a_tool_that_navigated_says_so() {
    let result = wire(None, LIMIT);
    assert_eq!(result["isError"], false);
    assert!(
        result["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("navigated")
    );
}

#[test]
fn a_value_shaped_like_a_result_passes_through() {
    check_passes(json!({ "content": [{ "type": "text", "text": "5 pots" }], "isError": false }));
    check_passes(json!({ "content": [{ "type": "text", "text": "no pots" }], "isError": true }));
    check_passes(json!({ "content": [], "isError": false }));
    check_passes(json!({
        "content": [
            { "type": "text", "text": "a pot" },
            { "type": "image", "data": "iVBORw==", "mimeType": "image/png" },
            { "type": "audio", "data": "", "mimeType": "audio/wav" },
            { "type": "resource", "resource": { "uri": "a:b", "mimeType": "text/plain", "text": "t" } },
            { "type": "resource", "resource": { "uri": "a:b", "blob": "iVBORw==" } },
            { "type": "resource_link", "uri": "https://shop.example/pot", "name": "pot" },
        ],
        "structuredContent": { "pots": [1] },
        "isError": false,
    }));
    check_passes(json!({ "content": [], "structuredContent": [1], "isError": true }));
}

#[test]
fn a_result_without_is_error_is_none() {
    check(
        r#"{"content":[{"type":"text","text":"5 pots"}],"structuredContent":null}"#,
        json!({ "content": [{ "type": "text", "text": "5 pots" }], "isError": false }),
    );
}

#[test]
fn what_only_resembles_a_result_is_a_value() {
    for text in [
        r#"{"content":"text"}"#,
        r#"{"content":[5]}"#,
        r#"{"content":[{"type":"text"}]}"#,
        r#"{"content":[{"type":"text","text":5}]}"#,
        r#"{"content":[{"type":"video","data":"","mimeType":"video/webm"}]}"#,
        r#"{"content":[{"type":"image","data":"iVBORw=="}]}"#,
        r#"{"content":[{"type":"image","data":"data:image/png;base64,iVBORw==","mimeType":"image/png"}]}"#,
        r#"{"content":[{"type":"audio","data":"%","mimeType":"audio/wav"}]}"#,
        r#"{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"%"}}]}"#,
        r#"{"content":[{"type":"resource","resource":{"uri":"a:b"}}]}"#,
        r#"{"content":[{"type":"text","text":"a"},{"type":"text"}]}"#,
        r#"{"content":[{"type":"text","text":"a"}],"isError":"no"}"#,
        r#"{"content":[],"title":"An empty page"}"#,
        r#"{"structuredContent":{}}"#,
        r#"[{"type":"text","text":"a"}]"#,
    ] {
        check_structured(text);
    }
}

#[test]
fn the_page_gives_the_client_no_hints() {
    let hints = json!({ "audience": ["assistant"], "priority": 1.0 });
    let icons = json!([{ "src": "https://tracker.example/" }]);
    let value = json!({
        "content": [
            { "type": "text", "text": "a", "_meta": { "a": 1 }, "annotations": hints },
            { "type": "image", "data": "", "mimeType": "a/b", "_meta": { "a": 1 }, "annotations": hints },
            { "type": "audio", "data": "", "mimeType": "a/b", "_meta": { "a": 1 }, "annotations": hints },
            {
                "type": "resource",
                "resource": { "uri": "a:b", "text": "t", "_meta": { "a": 1 } },
                "_meta": { "a": 1 },
                "annotations": hints,
            },
            {
                "type": "resource",
                "resource": { "uri": "a:b", "blob": "", "_meta": { "a": 1 } },
            },
            {
                "type": "resource_link",
                "uri": "a:b",
                "name": "n",
                "icons": icons,
                "_meta": { "a": 1 },
                "annotations": hints,
            },
        ],
        "_meta": { "webmcp/origin": "https://bank.example", "ui": 1 },
    });
    check(
        &value.to_string(),
        json!({
            "content": [
                { "type": "text", "text": "a" },
                { "type": "image", "data": "", "mimeType": "a/b" },
                { "type": "audio", "data": "", "mimeType": "a/b" },
                { "type": "resource", "resource": { "uri": "a:b", "text": "t" } },
                { "type": "resource", "resource": { "uri": "a:b", "blob": "" } },
                { "type": "resource_link", "uri": "a:b", "name": "n" },
            ],
            "isError": false,
        }),
    );
}

#[test]
fn a_long_text_is_cut() {
    assert_eq!(
        wire(Some("aééé"), 4),
        json!({
            "content": [{ "type": "text", "text": "aé\n[Cut here: 4 more bytes]" }],
            "isError": false,
        })
    );
}

#[test]
fn a_long_value_is_cut_and_not_structured() {
    let text = r#"{"name":"pot"}"#;
    assert_eq!(
        wire(Some(text), text.len())["structuredContent"],
        json!({ "name": "pot" })
    );
    assert_eq!(
        wire(Some(text), text.len() - 1),
        json!({
            "content": [{ "type": "text", "text": "{\"name\":\"pot\"\n[Cut here: 1 more bytes]" }],
            "isError": false,
        })
    );
}

#[test]
fn a_long_result_keeps_its_shape() {
    let value = json!({
        "content": [
            { "type": "text", "text": "a".repeat(100) },
            { "type": "image", "data": "AAAA".repeat(100), "mimeType": "image/png" },
            { "type": "text", "text": "b" },
            { "type": "text", "text": "c" },
        ],
        "structuredContent": { "text": "d".repeat(600) },
        "isError": true,
    });
    let result = wire(Some(&value.to_string()), 600);
    let Value::Array(content) = &result["content"] else {
        panic!("{result}");
    };
    assert_eq!(content[0], value["content"][0]);
    assert_eq!(content[1], value["content"][1]);
    assert_eq!(content[2], value["content"][2]);
    assert_eq!(content.len(), 4 + 1);
    assert_eq!(
        content[4]["text"],
        "[Left out here: the structured content, 611 bytes]"
    );
    assert_eq!(result.get("structuredContent"), None);
    assert_eq!(result["isError"], true);

    let result = wire(Some(&value.to_string()), 100 + 2 * ITEM);
    assert_eq!(
        result["content"],
        json!([
            { "type": "text", "text": "a".repeat(100) },
            { "type": "text", "text": "[Left out here: an image, 449 bytes]" },
            { "type": "text", "text": "b" },
            { "type": "text", "text": "[Left out here: 1 more items]" },
            { "type": "text", "text": "[Left out here: the structured content, 611 bytes]" },
        ])
    );

    let result = wire(Some(&value.to_string()), 99);
    assert_eq!(
        result["content"][0]["text"],
        format!("{}\n[Cut here: 1 more bytes]", "a".repeat(99))
    );
}

#[test]
fn left_out_things_are_named() {
    for (item, name) in [
        (
            json!({ "type": "audio", "data": "", "mimeType": "a/b" }),
            "a sound",
        ),
        (
            json!({ "type": "resource", "resource": { "uri": "a:b", "text": "" } }),
            "a resource",
        ),
        (
            json!({ "type": "resource_link", "uri": "a:b", "name": "" }),
            "a link to a resource",
        ),
    ] {
        let length = item.to_string().len();
        let result = wire(Some(&json!({ "content": [item] }).to_string()), 10);
        assert_eq!(
            result["content"][0]["text"],
            format!("[Left out here: {name}, {length} bytes]")
        );
    }
}

#[test]
fn empty_items_are_not_free() {
    let items = vec![json!({ "type": "text", "text": "" }); 1000];
    let result = wire(Some(&json!({ "content": items }).to_string()), 10 * ITEM);
    let Value::Array(content) = &result["content"] else {
        panic!("{result}");
    };
    assert_eq!(content.len(), 11);
    assert_eq!(content[10]["text"], "[Left out here: 990 more items]");
}

#[test]
fn so_many_items_are_too_many_however_large_the_limit() {
    let items = vec![json!({ "type": "text", "text": "a" }); 200_000];
    let text = json!({ "content": items }).to_string();
    for (limit, most) in [(1 << 20, 1024), (16 << 10, 16), (4 << 10, 16)] {
        let result = wire(Some(&text), limit);
        let content = result["content"].as_array().unwrap();
        assert_eq!(content.len(), most + 1);
        assert_eq!(content[most - 1], items[0]);
        let note = content[most]["text"].as_str().unwrap();
        assert!(
            note.contains(&format!("{} more items", 200_000 - most)),
            "{note}"
        );
        assert!(note.contains(&format!("the first {most} ")), "{note}");
    }
}

#[test]
fn nobody_looks_at_items_that_are_left_out() {
    let mut items = vec![json!({ "type": "text", "text": "a" }); FEWEST];
    items.push(json!("no item"));
    let text = json!({ "content": items }).to_string();
    let result = wire(Some(&text), LIMIT * 10);
    assert_eq!(result["content"].as_array().unwrap().len(), FEWEST + 1);
    assert_eq!(result.get("structuredContent"), None);
}

const KINDS: [ToolFailureKind; 11] = [
    ToolFailureKind::NoSuchTool,
    ToolFailureKind::NotExposed,
    ToolFailureKind::DifferentTraversable,
    ToolFailureKind::OriginMismatch,
    ToolFailureKind::InvalidInput,
    ToolFailureKind::CallbackThrew,
    ToolFailureKind::ResultNotSerializable,
    ToolFailureKind::TargetGone,
    ToolFailureKind::NotAllowed,
    ToolFailureKind::Refused,
    ToolFailureKind::Cancelled,
];

fn failure_text(kind: ToolFailureKind, message: &str, limit: usize) -> String {
    let result = tool_failure(&ToolFailure::new(kind, message), ORIGIN, limit);
    assert_eq!(result.is_error, Some(true));
    assert_eq!(result.meta, Some(meta(ORIGIN)));
    assert_eq!(result.content.len(), 1);
    result.content[0].as_text().unwrap().text.clone()
}

#[test]
fn every_failure_has_a_text_of_its_own_and_the_message() {
    let texts = KINDS
        .iter()
        .map(|kind| failure_text(*kind, "out of stock", LIMIT))
        .collect::<HashSet<_>>();
    assert_eq!(texts.len(), KINDS.len());
    assert!(texts.iter().all(|text| text.contains("out of stock")));
    assert!(!texts.iter().any(|text| text.contains("could not be run")));
}

#[test]
fn a_tool_that_throws_is_quoted() {
    assert_eq!(
        failure_text(ToolFailureKind::CallbackThrew, "Error: out of stock", LIMIT),
        "The tool failed. Error: out of stock"
    );
    assert_eq!(
        failure_text(ToolFailureKind::CallbackThrew, "", LIMIT),
        "The tool failed."
    );
}

#[test]
fn a_long_message_is_cut() {
    assert_eq!(
        failure_text(ToolFailureKind::CallbackThrew, &"a".repeat(20), 10),
        format!(
            "The tool failed. {}\n[Cut here: 10 more bytes]",
            "a".repeat(10)
        )
    );
}

proptest! {
    #[test]
    fn no_text_is_too_much(text in any::<String>(), limit in 0_usize..64) {
        let result = tool_result(Some(&text), ORIGIN, limit);
        let given = &result.content[0].as_text().unwrap().text;
        prop_assert!(given.len() <= limit + "\n[Cut here: 18446744073709551615 more bytes]".len());
        prop_assert!(text.len() > limit || *given == text);
    }
}
