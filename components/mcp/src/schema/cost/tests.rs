/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What is checked, and what would cost too much.

use serde_json::json;

use super::*;
use crate::schema::sanitise::DEPTH;
use crate::schema::tests::{check_fits, check_said, said};

#[test]
fn a_schema_with_too_many_patterns_is_not_checked() {
    let schema = |first: usize, count: usize| {
        let patterns = (first..count).map(|index| json!({ "pattern": format!("{index}") }));
        let patterns = patterns.collect::<Vec<_>>();
        let members = (0..first).map(|index| (format!("{index}"), json!(true)));
        let members = members.collect::<Map<_, _>>();
        json!({ "required": ["a"], "properties": { "b": {
            "patternProperties": members,
            "anyOf": patterns,
        } } })
    };
    assert!(said(&schema(0, PATTERNS), json!({})).is_some());
    assert!(said(&schema(50, PATTERNS), json!({})).is_some());
    check_fits(&schema(0, PATTERNS + 1), json!({}));
    check_fits(&schema(50, PATTERNS + 1), json!({}));
}

#[test]
fn a_schema_that_doubles_with_each_reference_is_not_checked() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let mut definitions = Map::new();
        for level in 0..200 {
            let next = json!({ "$ref": format!("#/$defs/{}", level + 1) });
            definitions.insert(level.to_string(), json!({ keyword: [next, next] }));
        }
        definitions.insert("200".to_owned(), json!({ "required": ["a"] }));
        check_fits(
            &json!({ "$ref": "#/$defs/0", "$defs": definitions }),
            json!({}),
        );
    }
}

#[test]
fn a_schema_that_doubles_with_each_level_of_the_arguments_is_not_checked() {
    let schema = json!({
        "$defs": { "node": { "type": "object", "properties": { "a": {
            "allOf": [{ "$ref": "#/$defs/node" }, { "$ref": "#/$defs/node" }],
        } } } },
        "$ref": "#/$defs/node",
    });
    let nested = |levels| (0..levels).fold(json!(5), |inner, _| json!({ "a": inner }));
    assert!(said(&schema, nested(3)).is_some());
    check_fits(&schema, nested(60));
}

#[test]
fn a_schema_that_leaves_things_unevaluated_is_checked() {
    let schema =
        json!({ "allOf": [{ "properties": { "a": true } }], "unevaluatedProperties": false });
    check_fits(&schema, json!({ "a": 1 }));
    check_said(
        &schema,
        json!({ "b": 1 }),
        &["the arguments: Unevaluated properties are not allowed ('b' was unexpected)"],
    );
}

#[test]
fn a_schema_that_leaves_things_unevaluated_again_and_again_is_not_checked() {
    let mut inline = (0..8).fold(
        json!({}),
        |inner, _| json!({ "anyOf": [inner], "unevaluatedProperties": { "type": "object" } }),
    );
    inline["required"] = json!(["a"]);
    assert!(said(&inline, json!({})).is_some());
    for _ in 8..DEPTH - 2 {
        inline = json!({ "anyOf": [inline], "unevaluatedProperties": { "type": "object" } });
    }
    check_fits(&inline, json!({}));
}

/// It would take very long only to prepare them, even if the arguments never get there.
#[test]
fn a_schema_that_leaves_things_unevaluated_over_references_is_not_checked() {
    for keyword in ["unevaluatedItems", "unevaluatedProperties"] {
        let mut definitions = Map::new();
        for level in 0..100 {
            let next = json!({ "$ref": format!("#/$defs/{}", level + 1) });
            definitions.insert(
                level.to_string(),
                json!({ "anyOf": [next, next], keyword: next }),
            );
        }
        definitions.insert("100".to_owned(), json!({}));
        let schema = json!({
            "properties": { "absent": { "$ref": "#/$defs/0" } },
            "required": ["a"],
            "$defs": definitions,
        });
        check_fits(&schema, json!({}));
    }
}

#[test]
fn a_schema_that_refers_to_itself_is_not_checked() {
    for schema in [
        json!({ "$ref": "#", "required": ["a"] }),
        json!({ "allOf": [{ "$ref": "#" }], "required": ["a"] }),
        json!({ "not": { "$ref": "#" } }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
    ] {
        check_fits(&schema, json!({}));
    }
}

#[test]
fn a_long_way_of_references_is_not_walked() {
    let chain = |length: usize| {
        let mut definitions = Map::new();
        for level in 1..length {
            let next = format!("#/$defs/{}", level + 1);
            definitions.insert(level.to_string(), json!({ "$ref": next }));
        }
        definitions.insert(length.to_string(), json!({ "required": ["a"] }));
        json!({ "$ref": "#/$defs/1", "$defs": definitions })
    };
    assert!(said(&chain(100), json!({})).is_some());
    check_fits(&chain(2000), json!({}));
}

/// Test threads have the same small stack as those of the server.
#[test]
fn what_is_checked_fits_on_the_stack() {
    let mut schema = json!({ "required": ["b"] });
    for level in 0..DEPTH - 1 {
        schema = match level % 3 {
            0 => json!({ "anyOf": [schema] }),
            1 => json!({ "properties": { "a": schema } }),
            _ => json!({ "allOf": [schema], "unevaluatedProperties": { "type": "object" } }),
        };
    }
    let nested = (0..DEPTH).fold(json!({}), |inner, _| json!({ "a": inner }));
    assert!(said(&schema, nested).is_some());

    // As deep as can be checked: one level of the arguments takes two of nesting.
    let list = json!({
        "$ref": "#/$defs/node",
        "$defs": { "node": { "properties": { "a": { "$ref": "#/$defs/node" } }, "required": ["a"] } },
    });
    let nested = |levels| (0..levels).fold(json!({}), |inner, _| json!({ "a": inner }));
    assert!(said(&list, nested(60)).is_some());
    check_fits(&list, nested(100));
}

#[test]
fn arguments_that_would_take_too_long_are_not_checked() {
    let strings = vec![json!({ "type": "string" }); 100];
    let schema = json!({ "properties": { "rows": { "items": { "allOf": strings } } } });
    assert!(said(&schema, json!({ "rows": vec![1; 1000] })).is_some());
    check_fits(&schema, json!({ "rows": vec![1; 100_000] }));
}

/// For each row all of the list is gone through, or is missing and a problem of its own.
#[test]
fn long_lists_of_names_and_values_count() {
    let names = (0..8000)
        .map(|index| format!("n{index}"))
        .collect::<Vec<_>>();
    let properties = names.iter().map(|name| (name.clone(), json!({})));
    for rows in [
        json!({ "required": names }),
        json!({ "enum": names }),
        json!({ "dependentRequired": { "a": names } }),
        json!({ "dependencies": { "a": names } }),
        json!({ "properties": properties.collect::<Map<_, _>>(), "required": ["b"] }),
    ] {
        let schema = json!({ "properties": { "rows": { "items": rows } } });
        let few = json!({ "rows": vec![json!({ "a": 1 }); 10] });
        let keyword = rows.as_object().and_then(|rows| rows.keys().next());
        assert!(said(&schema, few).is_some(), "{keyword:?}");
        check_fits(&schema, json!({ "rows": vec![json!({ "a": 1 }); 300] }));
    }
}
