/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The schemas of the page's tools: what clients get of them, and whether arguments fit them.
//!
//! The page writes a schema as it likes. Three things must not happen because of that: that a client refuses the whole
//! list of tools, that anybody opens an address that the page has chosen, or that the server hangs or dies. A schema
//! that is merely wrong must not keep anybody from calling the tool, which checks its arguments itself.

use std::collections::{HashMap, HashSet};
use std::fmt;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value, json};

use crate::text::cut;

/// The longest schema that a client gets, in bytes. Lists of tools go into the context of models.
const LENGTH: usize = 128 * 1024;

/// How many levels of schemas within schemas a client gets. What is deeper may be anything.
const DEPTH: usize = 32;

/// How many problems of arguments are told at once, and how many bytes of each.
const PROBLEMS: usize = 5;
const PROBLEM: usize = 300;

/// How many alternatives of `anyOf` or `oneOf` a problem names.
const ALTERNATIVES: usize = 4;

/// How many steps checking arguments may take, and how many within each other. See [`Effort`].
const STEPS: u64 = 400_000;
const NESTING: usize = 128;

/// How many patterns are compiled for a check, and how much memory each of them may take, and the tables for matching
/// it, in bytes.
const PATTERNS: usize = 100;
const PATTERN: usize = 1024 * 1024;

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

/// What the value of a keyword is.
enum Holds {
    /// A schema.
    Schema,
    /// A list of schemas.
    List,
    /// A schema, or a list of them.
    SchemaOrList,
    /// An object whose members are schemas.
    Members,
    /// An object whose members are schemas or lists of names.
    MembersOrNames,
    /// A reference to a schema.
    Reference,
    /// A value that arguments are compared with, or that is an example of them.
    Data,
    /// Anything else.
    Other,
}

fn holds(keyword: &str) -> Holds {
    match keyword {
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "items" => Holds::SchemaOrList,
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties" => {
            Holds::Members
        }
        "dependencies" => Holds::MembersOrNames,
        "$dynamicRef" | "$recursiveRef" | "$ref" => Holds::Reference,
        "const" | "default" | "enum" | "examples" => Holds::Data,
        _ => Holds::Other,
    }
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

/// Why arguments do not fit a schema, in words from which a model can correct them.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct InvalidArguments {
    /// Where and what, the first few of them.
    problems: Vec<String>,
    /// Whether there are more.
    more: bool,
}

impl fmt::Display for InvalidArguments {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("What is wrong:")?;
        for problem in &self.problems {
            write!(formatter, "\n- {problem}")?;
        }
        if self.more {
            formatter.write_str("\n- and more")?;
        }
        Ok(())
    }
}

/// Checks `arguments` against a schema as [`input_schema`] gives it.
///
/// Arguments pass unchecked if the schema is broken, if it has more than 100 patterns or both references and
/// `unevaluated…`, or if checking could take too long (see [`Effort`]). Patterns are matched in linear time; if one has
/// what such an engine does not know, such as a look-around, no `pattern` is checked, but all else is. Nothing is ever
/// fetched.
pub(crate) fn validate(
    schema: &Map<String, Value>,
    arguments: &Map<String, Value>,
) -> Result<(), InvalidArguments> {
    let schema = Value::Object(schema.clone());
    let arguments = Value::Object(arguments.clone());
    if Expensive::is_too_much(&schema) || Effort::of(&schema, &arguments).is_none() {
        return Ok(());
    }
    let Some(validator) = validator(schema) else {
        return Ok(());
    };
    let mut errors = validator
        .iter_errors(&arguments)
        .filter(|error| !is_fault_of_schema(error));
    let problems = errors
        .by_ref()
        .take(PROBLEMS)
        .map(|error| problem(&error))
        .collect::<Vec<_>>();
    if problems.is_empty() {
        return Ok(());
    }
    let more = errors.next().is_some();
    Err(InvalidArguments { problems, more })
}

fn validator(mut schema: Value) -> Option<Validator> {
    let patterns = PatternOptions::regex()
        .size_limit(PATTERN)
        .dfa_size_limit(PATTERN);
    let options = jsonschema::options()
        .with_pattern_options(patterns)
        .offline();
    options.build(&schema).ok().or_else(|| {
        remove_patterns(&mut schema);
        options.build(&schema).ok()
    })
}

/// What makes a schema expensive to prepare for checking, how often at most: a part of a value may look the same.
#[derive(Default)]
struct Expensive {
    patterns: usize,
    references: usize,
    unevaluated: usize,
}

impl Expensive {
    /// Whether preparing the schema could take too long. What is left for `unevaluated…` is worked out for every way
    /// through the references, and there can be more of these than anybody waits for.
    fn is_too_much(schema: &Value) -> bool {
        let mut found = Expensive::default();
        found.count(schema);
        found.patterns > PATTERNS || (found.references > 0 && found.unevaluated > 0)
    }

    fn count(&mut self, schema: &Value) {
        match schema {
            Value::Array(items) => items.iter().for_each(|item| self.count(item)),
            Value::Object(members) => {
                for (name, value) in members {
                    match name.as_str() {
                        "pattern" => self.patterns += 1,
                        "patternProperties" => {
                            self.patterns += value.as_object().map_or(0, Map::len);
                        }
                        "unevaluatedItems" | "unevaluatedProperties" => self.unevaluated += 1,
                        name if matches!(holds(name), Holds::Reference) => self.references += 1,
                        _ => {}
                    }
                    self.count(value);
                }
            }
            _ => {}
        }
    }
}

fn remove_patterns(schema: &mut Value) {
    let Value::Object(schema) = schema else {
        return;
    };
    schema.remove("pattern");
    for (keyword, value) in schema {
        match (holds(keyword), value) {
            (Holds::List | Holds::SchemaOrList, Value::Array(schemas)) => {
                schemas.iter_mut().for_each(remove_patterns);
            }
            (Holds::Members | Holds::MembersOrNames, Value::Object(members)) => {
                members.values_mut().for_each(remove_patterns);
            }
            (Holds::Schema | Holds::SchemaOrList, schema) => remove_patterns(schema),
            _ => {}
        }
    }
}

fn is_fault_of_schema(error: &ValidationError<'_>) -> bool {
    matches!(
        error.kind(),
        ValidationErrorKind::BacktrackLimitExceeded { .. }
            | ValidationErrorKind::RegexEngineFailure { .. }
            | ValidationErrorKind::Referencing(_)
    )
}

fn problem(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().as_str();
    let place = if path.is_empty() {
        "the arguments".to_owned()
    } else {
        cut(path.to_owned(), PROBLEM)
    };
    format!("{place}: {}", reason(error))
}

fn reason(error: &ValidationError<'_>) -> String {
    let text = match error.kind() {
        ValidationErrorKind::Enum { options } => format!("must be one of {options}"),
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let mut text = "fits none of the alternatives".to_owned();
            let alternatives = context.iter().filter_map(|errors| errors.first());
            for (index, error) in alternatives.take(ALTERNATIVES).enumerate() {
                let path = error.instance_path();
                let short = error.masked_with("the value");
                text.push_str(&format!("; ({}) {path} {short}", index + 1));
            }
            text
        }
        _ => {
            let text = error.to_string();
            if text.len() > PROBLEM {
                error.masked_with("the value").to_string()
            } else {
                text
            }
        }
    };
    cut(text, PROBLEM)
}

/// How much work it is to check a value against a schema.
///
/// References make it possible to write a short schema whose check takes longer than anybody waits, or more stack than
/// there is. This counts beforehand how often a schema is applied to a value, at most, and how deep within each other.
/// It takes no longer than what it permits. It does not follow references other than `#` and `#/…` or into schemas
/// with an address (`$id`) of their own; these, and those that go round in circles, count as too much.
struct Effort<'a> {
    root: &'a Value,
    /// What is known of schemas that are referred to. Those that are being looked at count as too much.
    known: HashMap<(*const Value, *const Value), Option<Steps>>,
    /// How many steps the counting itself has taken.
    counted: u64,
}

/// The steps of a check.
#[derive(Clone, Copy)]
struct Steps {
    count: u64,
    nesting: usize,
}

impl Steps {
    fn add(&mut self, within: Option<Steps>) -> Option<()> {
        let within = within?;
        self.count = self.count.saturating_add(within.count);
        self.nesting = self.nesting.max(within.nesting + 1);
        (self.count <= STEPS && self.nesting <= NESTING).then_some(())
    }
}

impl<'a> Effort<'a> {
    /// The steps of checking `value`, or nothing if they are too many.
    fn of(schema: &'a Value, value: &'a Value) -> Option<Steps> {
        let mut effort = Effort {
            root: schema,
            known: HashMap::new(),
            counted: 0,
        };
        effort.schema(schema, value, 0)
    }

    fn schema(&mut self, schema: &'a Value, value: &'a Value, depth: usize) -> Option<Steps> {
        self.counted += 1;
        if depth > NESTING || self.counted > STEPS {
            return None;
        }
        let mut steps = Steps {
            count: 1,
            nesting: 1,
        };
        let Value::Object(keywords) = schema else {
            return Some(steps);
        };
        let has_address = keywords.get("$id").or(keywords.get("id"));
        if depth > 0 && has_address.is_some_and(Value::is_string) {
            return None;
        }
        let is_in_two = keywords.contains_key("unevaluatedItems")
            || keywords.contains_key("unevaluatedProperties");
        for (keyword, held) in keywords {
            self.keyword(keyword, held, value, depth + 1, &mut steps)?;
        }
        if is_in_two {
            // The other keywords are looked at again for what they leave to these.
            steps.add(Some(steps))?;
        }
        Some(steps)
    }

    /// Adds the steps that a keyword takes.
    fn keyword(
        &mut self,
        keyword: &str,
        held: &'a Value,
        value: &'a Value,
        depth: usize,
        steps: &mut Steps,
    ) -> Option<()> {
        match (keyword, held) {
            // Not applied where they are.
            ("$defs" | "definitions" | "contentSchema", _) => {}
            ("properties", Value::Object(schemas)) => {
                for (name, schema) in schemas {
                    if let Some(value) = value.get(name) {
                        steps.add(self.schema(schema, value, depth))?;
                    }
                }
            }
            ("patternProperties", Value::Object(schemas)) => {
                for schema in schemas.values() {
                    self.members(schema, value, depth, steps)?;
                }
            }
            ("additionalProperties" | "unevaluatedProperties", schema) => {
                self.members(schema, value, depth, steps)?;
            }
            ("propertyNames", schema) => {
                for _ in value.as_object().into_iter().flatten() {
                    steps.add(self.schema(schema, &Value::Null, depth))?;
                }
            }
            ("items" | "prefixItems", Value::Array(schemas)) => {
                for (schema, item) in schemas.iter().zip(value.as_array().into_iter().flatten()) {
                    steps.add(self.schema(schema, item, depth))?;
                }
            }
            ("additionalItems" | "contains" | "items" | "unevaluatedItems", schema) => {
                for item in value.as_array().into_iter().flatten() {
                    steps.add(self.schema(schema, item, depth))?;
                }
            }
            (_, held) => match (holds(keyword), held) {
                (Holds::Reference, Value::String(reference)) => {
                    steps.add(self.reference(reference, value, depth))?;
                }
                (Holds::Schema, schema) => steps.add(self.schema(schema, value, depth))?,
                (Holds::List, Value::Array(schemas)) => {
                    for schema in schemas {
                        steps.add(self.schema(schema, value, depth))?;
                    }
                }
                (Holds::Members | Holds::MembersOrNames, Value::Object(schemas)) => {
                    for schema in schemas.values() {
                        steps.add(self.schema(schema, value, depth))?;
                    }
                }
                _ => {}
            },
        }
        Some(())
    }

    /// Adds the steps of a schema for all members of an object.
    fn members(
        &mut self,
        schema: &'a Value,
        value: &'a Value,
        depth: usize,
        steps: &mut Steps,
    ) -> Option<()> {
        for (_, member) in value.as_object().into_iter().flatten() {
            steps.add(self.schema(schema, member, depth))?;
        }
        Some(())
    }

    fn reference(&mut self, reference: &str, value: &'a Value, depth: usize) -> Option<Steps> {
        let pointer = reference.strip_prefix('#')?;
        if pointer.contains('%') {
            return None;
        }
        let schema = self.root.pointer(pointer)?;
        let key = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        self.known.insert(key, None);
        let steps = self.schema(schema, value, depth);
        self.known.insert(key, steps);
        steps
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    fn arguments(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(arguments) => arguments,
            other => panic!("{other} is not an object"),
        }
    }

    /// What is said of arguments, by a client that got the schema from the server.
    fn said(schema: &Value, value: Value) -> Option<String> {
        let schema = input_schema(Some(&schema.to_string()));
        let outcome = validate(&schema, &arguments(value));
        outcome.err().map(|error| error.to_string())
    }

    #[track_caller]
    fn check_fits(schema: &Value, value: Value) {
        assert_eq!(said(schema, value), None);
    }

    #[track_caller]
    fn check_said(schema: &Value, value: Value, problems: &[&str]) {
        let expected = format!("What is wrong:\n- {}", problems.join("\n- "));
        assert_eq!(said(schema, value), Some(expected));
    }

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
    fn a_pattern_does_not_take_forever() {
        let schema = json!({ "properties": { "a": { "pattern": "^(a+)+$" } } });
        let text = said(&schema, json!({ "a": "a".repeat(10_000) + "b" })).unwrap();
        assert!(text.contains("does not match"), "{text}");
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

    #[test]
    fn arguments_that_would_take_too_long_are_not_checked() {
        let strings = vec![json!({ "type": "string" }); 100];
        let schema = json!({ "properties": { "rows": { "items": { "allOf": strings } } } });
        assert!(said(&schema, json!({ "rows": vec![1; 1000] })).is_some());
        check_fits(&schema, json!({ "rows": vec![1; 100_000] }));
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
}
