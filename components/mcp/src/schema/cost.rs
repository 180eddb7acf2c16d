/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What it costs to check arguments against a schema.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::keywords::{Holds, holds};

/// How many steps checking arguments may take, and how many within each other. See [`Effort`].
const STEPS: u64 = 400_000;
const NESTING: usize = 128;

/// How many patterns are compiled for a check.
const PATTERNS: usize = 100;

/// Whether it could take too long to check `arguments` against `schema`: because of how many steps that takes and how
/// deep within each other (see [`Effort`]), or because the schema has more than 100 patterns, or both references and
/// `unevaluated…`.
pub(super) fn is_too_much(schema: &Value, arguments: &Value) -> bool {
    Expensive::is_too_much(schema) || Effort::of(schema, arguments).is_none()
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

/// How much work it is to check a value against a schema.
///
/// References make it possible to write a short schema whose check takes longer than anybody waits, or more stack than
/// there is; and lists of names or values are gone through for each value, and each name that is missing is a problem
/// of its own. This counts beforehand how often a schema is applied to a value, at most, and how deep within each
/// other, and what is in such lists. It takes no longer than what it permits. It does not follow references other than
/// `#` and `#/…` or into schemas with an address (`$id`) of their own; these, and those that go round in circles, count
/// as too much.
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
        if let Value::Object(keywords) = schema {
            self.counted = self.counted.saturating_add(keywords.len() as u64);
        }
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
            ("enum" | "required", Value::Array(listed)) => self.list(listed.len(), steps)?,
            ("dependentRequired", Value::Object(lists)) => {
                for listed in lists.values() {
                    self.list(1 + listed.as_array().map_or(0, Vec::len), steps)?;
                }
            }
            ("properties", Value::Object(schemas)) => {
                self.list(schemas.len(), steps)?;
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
                    for held in schemas.values() {
                        match held {
                            Value::Array(listed) => self.list(1 + listed.len(), steps)?,
                            schema => steps.add(self.schema(schema, value, depth))?,
                        }
                    }
                }
                _ => {}
            },
        }
        Some(())
    }

    /// Adds the steps of going through a list.
    fn list(&mut self, length: usize, steps: &mut Steps) -> Option<()> {
        let length = length as u64;
        self.counted = self.counted.saturating_add(length);
        steps.count = steps.count.saturating_add(length);
        (self.counted <= STEPS && steps.count <= STEPS).then_some(())
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
mod tests;
