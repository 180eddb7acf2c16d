/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Whether arguments fit a schema.

use std::fmt;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};

use super::cost;
use super::keywords::{Holds, holds};
use crate::text::cut;

/// How many problems of arguments are told at once, and how many bytes of each.
const PROBLEMS: usize = 5;
const PROBLEM: usize = 300;

/// How many alternatives of `anyOf` or `oneOf` a problem names.
const ALTERNATIVES: usize = 4;

/// How much memory a compiled pattern may take, and the tables for matching it, in bytes.
const PATTERN: usize = 1024 * 1024;

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

/// Checks `arguments` against a schema as [`input_schema`](super::input_schema) gives it.
///
/// Arguments pass unchecked if the schema is broken, or if checking could take too long (see [`cost::is_too_much`]).
/// Patterns are matched in linear time; if one has what such an engine does not know, such as a look-around, no
/// `pattern` is checked, but all else is. Nothing is ever fetched.
pub(crate) fn validate(
    schema: &Map<String, Value>,
    arguments: &Map<String, Value>,
) -> Result<(), InvalidArguments> {
    let schema = Value::Object(schema.clone());
    let arguments = Value::Object(arguments.clone());
    if cost::is_too_much(&schema, &arguments) {
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

#[cfg(test)]
mod tests;
