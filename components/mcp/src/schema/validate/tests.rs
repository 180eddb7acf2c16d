/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What is said of arguments.

use serde_json::json;

use super::*;
use crate::schema::input_schema;
use crate::schema::tests::{arguments, check_fits, check_said, said};

#[test]
fn any_arguments_fit_no_schema() {
    let schema = input_schema(None);
    for value in [json!({}), json!({ "a": [1] })] {
        assert_eq!(validate(&schema, &arguments(value)), Ok(()));
    }
}

#[test]
fn a_problem_says_where_and_why() {
    let schema = json!({
        "properties": {
            "items": { "type": "array", "items": { "properties": { "count": { "type": "integer" } } } },
            "color": { "enum": ["red", "blue"] },
            "a/b": { "minimum": 5 },
        },
        "required": ["color"],
        "additionalProperties": false,
    });
    check_fits(
        &schema,
        json!({ "color": "red", "items": [{ "count": 1 }], "a/b": 5 }),
    );
    check_said(
        &schema,
        json!({ "color": "red", "items": [{ "count": 1 }, { "count": "two" }] }),
        &["/items/1/count: \"two\" is not of type \"integer\""],
    );
    check_said(
        &schema,
        json!({}),
        &["the arguments: \"color\" is a required property"],
    );
    check_said(
        &schema,
        json!({ "color": "red", "colour": 1 }),
        &["the arguments: Additional properties are not allowed ('colour' was unexpected)"],
    );
    check_said(
        &schema,
        json!({ "color": "green", "a/b": 4 }),
        &[
            "/a~1b: 4 is less than the minimum of 5",
            "/color: must be one of [\"red\",\"blue\"]",
        ],
    );
}

#[test]
fn of_alternatives_each_says_why_it_does_not_fit() {
    for keyword in ["anyOf", "oneOf"] {
        let schema = json!({ "properties": { "to": { keyword: [
            { "type": "string" },
            { "type": "object", "properties": { "id": { "type": "integer" } } },
        ] } } });
        check_fits(&schema, json!({ "to": "me" }));
        check_said(
            &schema,
            json!({ "to": { "id": "me" } }),
            &[
                "/to: fits none of the alternatives; (1) /to the value is not of type \"string\"; (2) /to/id the \
                 value is not of type \"integer\"",
            ],
        );
    }
}

#[test]
fn the_first_problems_are_told() {
    let names = ["a", "b", "c", "d", "e", "f"];
    let schema = json!({ "additionalProperties": { "type": "string" } });
    let wrong = |count| {
        let members = names.iter().take(count);
        Value::Object(members.map(|name| ((*name).to_owned(), json!(1))).collect())
    };
    let problems = names.map(|name| format!("/{name}: 1 is not of type \"string\""));
    let mut expected = problems
        .iter()
        .map(String::as_str)
        .take(5)
        .collect::<Vec<_>>();
    check_said(&schema, wrong(5), &expected);
    expected.push("and more");
    check_said(&schema, wrong(6), &expected);
}

#[test]
fn a_problem_does_not_repeat_a_long_value() {
    let schema = json!({ "properties": { "a": { "type": "integer" } } });
    check_said(
        &schema,
        json!({ "a": "b".repeat(100_000) }),
        &["/a: the value is not of type \"integer\""],
    );
    let name = "n".repeat(100_000);
    let schema = json!({ "additionalProperties": { "enum": vec!["c".repeat(1000); 100] } });
    let text = said(&schema, json!({ name: "b" })).unwrap();
    assert!(
        text.len() < 2 * (PROBLEM + 40) + 20,
        "{} bytes: {text}",
        text.len()
    );
}

#[test]
fn references_within_the_schema_are_followed() {
    let schema = json!({
        "properties": { "tree": { "$ref": "#/$defs/tree" }, "again": { "$ref": "#" } },
        "$defs": { "tree": { "properties": {
            "leaf": { "type": "string" },
            "left": { "$ref": "#/$defs/tree" },
            "right": { "$ref": "#/$defs/tree" },
        } } },
    });
    check_fits(
        &schema,
        json!({ "tree": { "left": { "right": { "leaf": "a" } } } }),
    );
    check_said(
        &schema,
        json!({ "again": { "tree": { "left": { "right": { "leaf": 1 } } } } }),
        &["/again/tree/left/right/leaf: 1 is not of type \"string\""],
    );
}

#[test]
fn references_to_elsewhere_take_anything_and_the_rest_is_checked() {
    let schema = json!({ "properties": {
        "a": { "$ref": "https://a.example/schema#/$defs/a" },
        "b": { "type": "string" },
    } });
    check_fits(&schema, json!({ "a": 1, "b": "b" }));
    check_said(
        &schema,
        json!({ "a": 1, "b": 1 }),
        &["/b: 1 is not of type \"string\""],
    );
}

#[test]
fn references_to_elsewhere_are_not_fetched_even_if_they_were_left() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    for keyword in ["$ref", "$schema", "$dynamicRef"] {
        let schema = arguments(json!({ keyword: format!("http://{address}/schema") }));
        assert_eq!(validate(&schema, &Map::new()), Ok(()));
    }
    let asked = listener.accept();
    assert_eq!(asked.unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn a_broken_schema_keeps_nobody_from_calling() {
    for schema in [
        json!({ "minProperties": "many" }),
        json!({ "$ref": "#/$defs/missing" }),
        json!({ "$ref": "#missing" }),
        json!({ "$id": "::::", "minProperties": 1 }),
        json!({ "$schema": "https://json-schema.org/draft/2099/schema", "minProperties": 1 }),
        json!({ "properties": { "a": { "minimum": "1" } } }),
        json!({ "patternProperties": { "(": false } }),
    ] {
        check_fits(&schema, json!({}));
    }
}

#[test]
fn an_older_schema_says_what_it_means() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": { "a": { "type": "string" } },
        "properties": { "pair": { "items": [{ "$ref": "#/definitions/a" }], "additionalItems": false } },
    });
    check_fits(&schema, json!({ "pair": ["a"] }));
    check_said(
        &schema,
        json!({ "pair": [1] }),
        &["/pair/0: 1 is not of type \"string\""],
    );
}

#[test]
fn patterns_are_checked() {
    let schema = json!({ "properties": { "a": { "pattern": "^\\d{2}$" } } });
    check_fits(&schema, json!({ "a": "12" }));
    check_said(
        &schema,
        json!({ "a": "1" }),
        &["/a: \"1\" does not match \"^\\d{2}$\""],
    );
}

#[test]
fn without_patterns_that_cannot_be_matched_the_rest_is_checked() {
    for pattern in ["(?=a)b", "(a)\\1", "(", "(a{1000}){1000}"] {
        let schema = json!({
            "properties": {
                "pattern": { "type": "string", "pattern": pattern },
                "value": { "const": { "pattern": "x" } },
            },
            "required": ["pattern"],
            "anyOf": [{ "properties": { "pattern": { "pattern": pattern } } }],
        });
        check_fits(
            &schema,
            json!({ "pattern": "c", "value": { "pattern": "x" } }),
        );
        check_said(
            &schema,
            json!({ "pattern": 5 }),
            &["/pattern: 5 is not of type \"string\""],
        );
        check_said(
            &schema,
            json!({}),
            &["the arguments: \"pattern\" is a required property"],
        );
    }
}

#[test]
fn a_pattern_does_not_take_forever() {
    let schema = json!({ "properties": { "a": { "pattern": "^(a+)+$" } } });
    let text = said(&schema, json!({ "a": "a".repeat(10_000) + "b" })).unwrap();
    assert!(text.contains("does not match"), "{text}");
}

#[test]
fn long_arguments_are_checked() {
    let schema = json!({ "properties": { "rows": { "items": {
        "properties": { "id": { "type": "integer" }, "name": { "type": "string" } },
    } } } });
    let mut rows = vec![json!({ "id": 1, "name": "a name that makes it longer" }); 20_000];
    check_fits(&schema, json!({ "rows": rows }));
    rows.push(json!({ "id": "1" }));
    check_said(
        &schema,
        json!({ "rows": rows }),
        &["/rows/20000/id: \"1\" is not of type \"integer\""],
    );
}
