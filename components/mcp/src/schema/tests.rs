/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the tests of this module share, and what holds for all schemas.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::{input_schema, validate};

pub(super) fn arguments(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(arguments) => arguments,
        other => panic!("{other} is not an object"),
    }
}

/// What is said of arguments, by a client that got the schema from the server.
pub(super) fn said(schema: &Value, value: Value) -> Option<String> {
    let schema = input_schema(Some(&schema.to_string()));
    let outcome = validate(&schema, &arguments(value));
    outcome.err().map(|error| error.to_string())
}

#[track_caller]
pub(super) fn check_fits(schema: &Value, value: Value) {
    assert_eq!(said(schema, value), None);
}

#[track_caller]
pub(super) fn check_said(schema: &Value, value: Value, problems: &[&str]) {
    let expected = format!("What is wrong:\n- {}", problems.join("\n- "));
    assert_eq!(said(schema, value), Some(expected));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i8>().prop_map(Value::from),
        prop::sample::select(vec![
            "object",
            "string",
            "#",
            "#/$defs/a",
            "#a",
            "https://a.example",
            "a",
            "(",
            "x-mcp-header",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 4, |inner| {
        let name = prop::sample::select(vec![
            "$defs",
            "$dynamicRef",
            "$id",
            "$ref",
            "$schema",
            "a",
            "additionalProperties",
            "allOf",
            "anyOf",
            "const",
            "definitions",
            "dependencies",
            "enum",
            "if",
            "items",
            "maxLength",
            "minimum",
            "not",
            "oneOf",
            "pattern",
            "patternProperties",
            "prefixItems",
            "properties",
            "propertyNames",
            "required",
            "type",
            "unevaluatedProperties",
            "x-mcp-header",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..5).prop_map(|members| {
                Value::Object(
                    members
                        .into_iter()
                        .map(|(name, value)| (name.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

/// Whether a client that follows properties finds what it refuses.
fn is_refused(schema: &Map<String, Value>) -> bool {
    let properties = match schema.get("properties") {
        None => return schema.contains_key("x-mcp-header"),
        Some(Value::Object(properties)) => properties,
        Some(_) => return true,
    };
    schema.contains_key("x-mcp-header")
        || properties
            .values()
            .any(|schema| schema.as_object().is_none_or(is_refused))
}

proptest! {
    #[test]
    fn clients_take_whatever_a_page_gives(page in any_json(), value in any_json()) {
        let schema = input_schema(Some(&page.to_string()));
        prop_assert_eq!(&schema["type"], "object");
        prop_assert!(!is_refused(&schema));
        if let Some(required) = schema.get("required") {
            let names = required.as_array().unwrap();
            prop_assert!(names.iter().all(Value::is_string));
        }
        // What it is made to stays as it is.
        let text = Value::Object(schema.clone()).to_string();
        prop_assert_eq!(&input_schema(Some(&text)), &schema);

        let mut arguments = Map::new();
        arguments.insert("a".to_owned(), value);
        let _ = validate(&schema, &arguments);
    }
}
