/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! How an input fills a form.

mod input;
mod refusal;

use std::borrow::Cow;
use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::Value;

use super::control::{Control, ControlKind, SelectOption};
use super::decimal::{self, Decimal};
use super::microsyntax;
use super::parameter::{Choice, Field, parameters};
use crate::ToolFailure;

/// What is to be done to a control, or to a group of them.
///
/// Controls are named by their index among those of the form, and options by their index among those
/// of the `select`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Assignment {
    /// Set the value. What a control makes of it (lines joined, a number clamped, a colour resolved)
    /// is left to its setter.
    Text {
        /// The control.
        control: usize,
        /// The value.
        text: String,
    },
    /// Check a checkbox or uncheck it.
    Checked {
        /// The checkbox.
        control: usize,
        /// Whether it is to be checked.
        checked: bool,
    },
    /// Check and uncheck the checkboxes of a group.
    CheckedSet {
        /// All checkboxes of the group in tree order, and whether each is to be checked.
        controls: Vec<(usize, bool)>,
    },
    /// Check radio buttons, one after the other.
    Radios {
        /// The buttons that have the value, in tree order.
        controls: Vec<usize>,
    },
    /// Select this option alone.
    Option {
        /// The `select`.
        control: usize,
        /// The option.
        option: usize,
    },
    /// Select exactly these options.
    Options {
        /// The `select`.
        control: usize,
        /// The options, in tree order.
        selected: Vec<usize>,
    },
}

/// What fills a form with `input`, a JSON text: one assignment for each of its members, in the order
/// in which a page sees them. If anything in it is wrong, nothing is to be done at all.
///
/// `controls` are the listed elements of the form in tree order. `can_be_submitted` says whether the
/// form has a `toolautosubmit` attribute or an enabled submit button.
pub fn fill(
    controls: &[Control],
    can_be_submitted: bool,
    input: &str,
) -> Result<Vec<Assignment>, ToolFailure> {
    if !can_be_submitted {
        return Err(refusal::no_way_to_submit());
    }
    let fields: IndexMap<_, _> = parameters(controls)
        .into_iter()
        .map(|parameter| (parameter.name, parameter.field))
        .collect();
    let assign = |(name, value): &(String, Value)| {
        let names = || fields.keys().copied();
        let field = fields
            .get(name.as_str())
            .ok_or_else(|| refusal::no_such_parameter(name, names()))?;
        assignment(field, value).map_err(|wrong| refusal::invalid_value(name, wrong, field))
    };
    input::members(input)?.iter().map(assign).collect()
}

/// What gives `field` that value, or what is wrong: the value, or a part of it.
fn assignment<'a>(field: &Field, value: &'a Value) -> Result<Assignment, &'a Value> {
    match field {
        Field::Single { index, control } => control_assignment(*index, &control.kind, value),
        Field::Checkboxes(choices) => {
            let wanted = several_of(value, choices.iter().map(|choice| choice.value))?;
            let controls = choices
                .iter()
                .map(|choice| (choice.index, wanted.contains(choice.value)))
                .collect();
            Ok(Assignment::CheckedSet { controls })
        }
        Field::Radios(choices) => radios(choices, value).ok_or(value),
    }
}

fn control_assignment<'a>(
    control: usize,
    kind: &ControlKind,
    value: &'a Value,
) -> Result<Assignment, &'a Value> {
    match kind {
        ControlKind::Checkbox { .. } => {
            let checked = boolean(value).ok_or(value)?;
            Ok(Assignment::Checked { control, checked })
        }
        ControlKind::Select {
            is_multiple: false,
            options,
        } => {
            let text = text(value).ok_or(value)?;
            let option = options
                .iter()
                .position(|option| option.value == text)
                .ok_or(value)?;
            Ok(Assignment::Option { control, option })
        }
        ControlKind::Select {
            is_multiple: true,
            options,
        } => {
            let wanted = several_of(value, options.iter().map(|option| option.value.as_str()))?;
            let is_wanted = |option: &SelectOption| wanted.contains(option.value.as_str());
            let selected = (0..)
                .zip(options)
                .filter(|(_, option)| is_wanted(option))
                .map(|(index, _)| index);
            Ok(Assignment::Options {
                control,
                selected: selected.collect(),
            })
        }
        _ => {
            let text = accepted_text(kind, text(value).ok_or(value)?)
                .ok_or(value)?
                .into_owned();
            Ok(Assignment::Text { control, text })
        }
    }
}

/// What a control of that kind, which holds a text, is to be set to if an input gives it `text`.
fn accepted_text<'a>(kind: &ControlKind, text: Cow<'a, str>) -> Option<Cow<'a, str>> {
    let is_accepted = match kind {
        ControlKind::Text { .. }
        | ControlKind::Hidden { .. }
        | ControlKind::TextArea
        | ControlKind::Color => true,
        ControlKind::Number { .. } => Decimal::parse(&text).is_some(),
        ControlKind::Range(_) => !text.is_empty(),
        ControlKind::Date => text.is_empty() || microsyntax::is_date(&text),
        ControlKind::Time { .. } => text.is_empty() || microsyntax::is_time(&text),
        ControlKind::Month => text.is_empty() || microsyntax::is_month(&text),
        ControlKind::Week => text.is_empty() || microsyntax::is_week(&text),
        ControlKind::DateTimeLocal { .. } if text.is_empty() => true,
        ControlKind::DateTimeLocal { .. } => {
            return microsyntax::normalize_local_date_and_time(&text).map(Cow::Owned);
        }
        ControlKind::Checkbox { .. }
        | ControlKind::Radio { .. }
        | ControlKind::Select { .. }
        | ControlKind::Other => false,
    };
    is_accepted.then_some(text)
}

/// The text of a value, if it has one.
fn text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(number) => Some(Cow::Owned(decimal::text(number.as_f64()?))),
        Value::Bool(boolean) => Some(Cow::Borrowed(if *boolean { "true" } else { "false" })),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// What a value says about a single checkbox.
fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(boolean) => Some(*boolean),
        Value::Number(number) => {
            let number = number.as_f64()?;
            let is_integer = number == f64::from(number as i32);
            is_integer.then_some(number != 0.0)
        }
        Value::String(text) if text == "1" || text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text == "0" || text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

fn radios(choices: &[Choice], value: &Value) -> Option<Assignment> {
    let text = text(value)?;
    let of_value = choices.iter().filter(|choice| choice.value == text);
    let controls: Vec<_> = of_value.map(|choice| choice.index).collect();
    (!controls.is_empty()).then_some(Assignment::Radios { controls })
}

/// The texts in `value`, a list of texts that are all offered and none given twice.
fn several_of<'a, 'b>(
    value: &'a Value,
    offered: impl Iterator<Item = &'b str>,
) -> Result<HashSet<Cow<'a, str>>, &'a Value> {
    let Value::Array(items) = value else {
        return Err(value);
    };
    let offered: HashSet<_> = offered.collect();
    let mut wanted = HashSet::new();
    for item in items {
        let text = text(item)
            .filter(|text| offered.contains(text.as_ref()))
            .ok_or(item)?;
        if !wanted.insert(text) {
            return Err(item);
        }
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests;
