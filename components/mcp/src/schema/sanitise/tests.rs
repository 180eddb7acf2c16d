/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What becomes of the schemas of pages.

use super::*;

#[track_caller]
fn check_schema(page: &str, expected: Value) {
    assert_eq!(Value::Object(input_schema(Some(page))), expected);
}

/// The schema of a page that has something wrong in the schema of its one property.
#[track_caller]
fn check_property(page: Value, expected: Value) {
    let within = |schema| json!({ "type": "object", "properties": { "a": schema } });
    check_schema(&within(page).to_string(), within(expected));
}

#[track_caller]
fn check_stays(schema: Value) {
    check_schema(&schema.to_string(), schema);
}

#[test]
fn a_tool_without_a_schema_takes_any_object() {
    assert_eq!(
        Value::Object(input_schema(None)),
        json!({ "type": "object" })
    );
}

#[test]
fn an_ordinary_schema_stays_as_it_is() {
    check_stays(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://shop.example/search",
        "title": "Search",
        "description": "Finds pots",
        "type": "object",
        "properties": {
            "query": { "type": "string", "minLength": 1, "pattern": "^[a-z]+$", "default": "pot" },
            "color": { "enum": ["red", 1, null], "examples": [{ "type": 5 }] },
            "size": { "type": ["integer", "null"], "minimum": 1, "multipleOf": 2 },
            "tags": { "type": "array", "items": { "type": "string" }, "uniqueItems": true },
            "pair": { "prefixItems": [{ "type": "number" }, true], "items": false },
            "any": {},
            "ref": { "$ref": "#/$defs/ref" },
        },
        "required": ["query"],
        "additionalProperties": false,
        "patternProperties": { "^x-": true },
        "dependentRequired": { "color": ["size"] },
        "dependencies": { "color": ["size"], "size": { "required": ["tags"] } },
        "allOf": [{ "if": { "required": ["tags"] }, "then": { "maxProperties": 5 }, "else": true }],
        "$defs": { "ref": { "not": { "const": "x" }, "$comment": "not x" } },
        "x-vendor": { "a": [1, { "b": null }] },
    }));
}

#[test]
fn a_type_is_added() {
    check_schema(
        r#"{"properties":{"a":{"type":"string"}}}"#,
        json!({ "type": "object", "properties": { "a": { "type": "string" } } }),
    );
    check_schema("{}", json!({ "type": "object" }));
    for unknown in [r#"{"type":"Object"}"#, r#"{"type":5}"#, r#"{"type":[]}"#] {
        check_schema(unknown, json!({ "type": "object" }));
    }
}

#[test]
fn of_several_types_objects_remain() {
    check_schema(
        r#"{"type":["null","object"],"minProperties":1}"#,
        json!({ "type": "object", "minProperties": 1 }),
    );
}

#[track_caller]
fn check_replaced(page: &str, reason: &str) {
    let mut schema = input_schema(Some(page));
    let description = schema.remove("description").unwrap();
    assert!(
        description.as_str().unwrap().contains(reason),
        "{description}"
    );
    assert_eq!(Value::Object(schema), json!({ "type": "object" }));
}

#[test]
fn a_schema_that_no_arguments_can_fit_is_replaced() {
    for page in [
        r#"{"type":"string"}"#,
        r#"{"type":"array","items":{}}"#,
        r#"{"type":["string","null"]}"#,
    ] {
        check_replaced(page, "not objects");
    }
}

#[test]
fn what_is_no_schema_is_replaced() {
    let deep = format!(
        "{}{}",
        "{\"not\":".repeat(500),
        "{}".to_owned() + &"}".repeat(500)
    );
    for page in ["", "[]", "5", "true", "{", "{} {}", &deep] {
        check_replaced(page, "not a JSON object");
    }
}

#[test]
fn a_schema_that_is_too_long_is_replaced() {
    let schema = |length| {
        let rest = r#"{"title":"","type":"object"}"#.len();
        json!({ "title": "a".repeat(length - rest), "type": "object" }).to_string()
    };
    assert!(input_schema(Some(&schema(LENGTH))).contains_key("title"));
    check_replaced(&schema(LENGTH + 1), "too long");
}

#[test]
fn a_schema_that_is_too_deep_takes_anything_further_down() {
    let mut page = json!({ "type": "string" });
    let mut expected = json!({});
    for _ in 0..DEPTH {
        page = json!({ "type": "object", "properties": { "a": page } });
        expected = json!({ "type": "object", "properties": { "a": expected } });
    }
    check_schema(&page.to_string(), expected);
}

#[test]
fn headers_are_removed_wherever_a_schema_can_be() {
    let header = json!({ "type": "string", "x-mcp-header": "Cookie" });
    let clean = json!({ "type": "string" });
    for keyword in [
        "additionalProperties",
        "contains",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
        "x-unknown",
    ] {
        check_property(json!({ keyword: header }), json!({ keyword: clean }));
    }
    for keyword in [
        "allOf",
        "anyOf",
        "items",
        "oneOf",
        "prefixItems",
        "x-unknown",
    ] {
        check_property(
            json!({ keyword: [header, header] }),
            json!({ keyword: [clean, clean] }),
        );
    }
    for keyword in [
        "$defs",
        "definitions",
        "dependencies",
        "dependentSchemas",
        "patternProperties",
        "properties",
        "x-unknown",
    ] {
        check_property(
            json!({ keyword: { "b": { "items": header } } }),
            json!({ keyword: { "b": { "items": clean } } }),
        );
    }
    check_schema(
        r#"{"X-Mcp-Header":5,"x-mcp-header":{"type":"string"}}"#,
        json!({ "type": "object" }),
    );
}

#[test]
fn a_property_may_have_the_name_of_a_hostile_keyword() {
    check_stays(json!({
        "type": "object",
        "properties": { "x-mcp-header": { "type": "string" }, "$ref": { "type": "string" } },
        "required": ["x-mcp-header"],
        "$defs": { "x-mcp-header": {} },
    }));
}

#[test]
fn values_stay_as_they_are() {
    check_stays(json!({
        "type": "object",
        "const": { "x-mcp-header": 1, "$ref": "https://a.example" },
        "default": { "x-mcp-header": 1 },
        "enum": [{ "x-mcp-header": 1, "type": "nothing" }],
        "examples": [{ "x-mcp-header": 1 }],
    }));
}

#[test]
fn addresses_are_not_passed_on() {
    for keyword in ["$dynamicRef", "$recursiveRef", "$ref"] {
        for address in [
            "https://a.example/s",
            "//a.example",
            "other.json",
            "file:///etc/passwd",
            "",
        ] {
            check_property(
                json!({ keyword: address, "title": "A" }),
                json!({ "title": "A" }),
            );
        }
        check_property(json!({ keyword: { "a": 1 } }), json!({}));
    }
    check_schema(
        r#"{"$schema":"https://a.example/s"}"#,
        json!({ "type": "object" }),
    );
    check_schema(r#"{"$schema":5}"#, json!({ "type": "object" }));
}

#[test]
fn what_clients_refuse_is_mended() {
    for (page, expected) in [
        (json!(true), json!({})),
        (json!(false), json!({ "not": {} })),
        (json!("string"), json!({})),
        (json!(null), json!({})),
        (json!([]), json!({})),
        (json!({ "type": "float" }), json!({})),
        (
            json!({ "type": ["float", "null", "null"] }),
            json!({ "type": ["null"] }),
        ),
        (json!({ "type": ["float"] }), json!({})),
        (json!({ "required": true }), json!({})),
        (
            json!({ "required": ["a", 5, "a"] }),
            json!({ "required": ["a"] }),
        ),
        (json!({ "properties": ["a"] }), json!({})),
        (json!({ "anyOf": [] }), json!({})),
        (json!({ "anyOf": {} }), json!({})),
        (json!({ "items": "string" }), json!({ "items": {} })),
        (json!({ "enum": "a" }), json!({})),
        (
            json!({ "title": 5, "description": null, "pattern": {} }),
            json!({}),
        ),
        (
            json!({ "dependencies": { "a": ["b", "b"], "c": 5 } }),
            json!({ "dependencies": { "a": ["b"], "c": {} } }),
        ),
    ] {
        check_property(page, expected);
    }
}
