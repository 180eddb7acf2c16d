/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What clients get of the schemas that pages give.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::keywords::{Holds, holds};

/// The longest schema that a client gets, in bytes. Lists of tools go into the context of models.
const LENGTH: usize = 128 * 1024;

/// How many levels of schemas within schemas a client gets. What is deeper may be anything.
pub(super) const DEPTH: usize = 32;

/// Asks a client over HTTP to repeat an argument in a header of its request.
const HEADER_KEYWORD: &str = "x-mcp-header";

/// The schema of a tool for clients, from the text that the page gave.
///
/// It is an object schema whatever the page gave, because arguments are objects. No text, and a text that is too long,
/// too deep or not a JSON object, give one that takes any object; so does one for values that are not objects, which
/// no call could satisfy. The description says so where something is lost. Otherwise the schema stays as it is, except
/// for what makes clients refuse it or is a danger to them, wherever it is a keyword of a schema and not the name of a
/// property or part of a value:
///
/// - `x-mcp-header` is removed: it copies arguments into headers, or makes clients drop the tool;
/// - references other than to a part of the same schema (`#…`) are removed, as is a `$schema` that is not one of
///   <https://json-schema.org>: nobody shall open an address because a page names it. What is left takes more values;
/// - keywords whose value is of the wrong kind, such as an unknown `type`, are removed;
/// - properties with the schemas `true` and `false` get the equivalent objects, for clients that know only these.
pub(crate) fn input_schema(page: Option<&str>) -> Map<String, Value> {
    let Some(text) = page else {
        return any_object(None);
    };
    if text.len() > LENGTH {
        return any_object(Some("The schema that the page gives is too long."));
    }
    let Ok(Value::Object(schema)) = serde_json::from_str(text) else {
        return any_object(Some(
            "The schema that the page gives is too deep, or not a JSON object.",
        ));
    };
    let mut schema = repaired_object(schema, 0);
    let takes_objects = match schema.get("type") {
        None => true,
        Some(Value::Array(types)) => types.iter().any(|name| name == "object"),
        Some(name) => name == "object",
    };
    if !takes_objects {
        return any_object(Some(
            "The schema that the page gives is for values that are not objects.",
        ));
    }
    schema.insert("type".to_owned(), json!("object"));
    schema
}

fn any_object(description: Option<&str>) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    if let Some(description) = description {
        schema.insert("description".to_owned(), json!(description));
    }
    schema
}

/// What clients get of a value in the place of a schema.
fn repaired(schema: Value, depth: usize) -> Value {
    match schema {
        Value::Object(schema) if depth < DEPTH => Value::Object(repaired_object(schema, depth)),
        Value::Bool(_) => schema,
        _ => json!({}),
    }
}

fn repaired_object(schema: Map<String, Value>, depth: usize) -> Map<String, Value> {
    schema
        .into_iter()
        .filter_map(|(keyword, value)| {
            let value = repaired_value(&keyword, value, depth + 1)?;
            Some((keyword, value))
        })
        .collect()
}

/// What clients get of the value of a keyword, if they get it.
fn repaired_value(keyword: &str, value: Value, depth: usize) -> Option<Value> {
    let list = |schemas: Vec<Value>| {
        let schemas = schemas.into_iter().map(|schema| repaired(schema, depth));
        Value::Array(schemas.collect())
    };
    match (holds(keyword), value) {
        (Holds::List | Holds::SchemaOrList, Value::Array(schemas)) => {
            (!schemas.is_empty()).then(|| list(schemas))
        }
        (Holds::Schema | Holds::SchemaOrList, value) => Some(repaired(value, depth)),
        (Holds::Members, Value::Object(members)) => {
            let members = members.into_iter().map(|(name, schema)| {
                let schema = match repaired(schema, depth) {
                    Value::Bool(true) if keyword == "properties" => json!({}),
                    Value::Bool(false) if keyword == "properties" => json!({ "not": {} }),
                    schema => schema,
                };
                (name, schema)
            });
            Some(Value::Object(members.collect()))
        }
        (Holds::MembersOrNames, Value::Object(members)) => {
            let members = members.into_iter().map(|(name, value)| match value {
                Value::Array(names) => (name, Value::Array(unique_names(names))),
                schema => (name, repaired(schema, depth)),
            });
            Some(Value::Object(members.collect()))
        }
        (Holds::Reference, Value::String(reference)) => reference
            .starts_with('#')
            .then_some(Value::String(reference)),
        (Holds::List | Holds::Members | Holds::MembersOrNames | Holds::Reference, _) => None,
        (Holds::Data, value) => (keyword != "enum" || value.is_array()).then_some(value),
        (Holds::Other, value) => repaired_other(keyword, value),
    }
}

fn repaired_other(keyword: &str, value: Value) -> Option<Value> {
    if is_header_keyword(keyword) {
        return None;
    }
    match (keyword, value) {
        ("type", Value::String(name)) => is_type(&name).then_some(Value::String(name)),
        ("type", Value::Array(names)) => {
            let names = unique_names(names)
                .into_iter()
                .filter(|name| name.as_str().is_some_and(is_type))
                .collect::<Vec<_>>();
            (!names.is_empty()).then_some(Value::Array(names))
        }
        ("required", Value::Array(names)) => Some(Value::Array(unique_names(names))),
        ("$schema", Value::String(address)) => {
            let known = ["http://json-schema.org/", "https://json-schema.org/"];
            known
                .iter()
                .any(|start| address.starts_with(start))
                .then_some(Value::String(address))
        }
        (
            "$anchor" | "$comment" | "$dynamicAnchor" | "$id" | "description" | "format"
            | "pattern" | "title",
            Value::String(text),
        ) => Some(Value::String(text)),
        (
            "$anchor" | "$comment" | "$dynamicAnchor" | "$id" | "$schema" | "description"
            | "format" | "pattern" | "required" | "title" | "type",
            _,
        ) => None,
        (_, mut value) => {
            // A reference can make a schema of it.
            remove_header_keyword(&mut value);
            Some(value)
        }
    }
}

fn is_header_keyword(keyword: &str) -> bool {
    keyword.eq_ignore_ascii_case(HEADER_KEYWORD)
}

fn remove_header_keyword(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(remove_header_keyword),
        Value::Object(members) => {
            members.retain(|name, _| !is_header_keyword(name));
            members.values_mut().for_each(remove_header_keyword);
        }
        _ => {}
    }
}

fn is_type(name: &str) -> bool {
    matches!(
        name,
        "array" | "boolean" | "integer" | "null" | "number" | "object" | "string"
    )
}

/// The strings of a list, each once.
fn unique_names(names: Vec<Value>) -> Vec<Value> {
    let mut seen = HashSet::new();
    names
        .into_iter()
        .filter(|name| {
            name.as_str()
                .is_some_and(|name| seen.insert(name.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests;
