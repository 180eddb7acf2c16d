/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Why a form cannot be filled, in words for agents.

use serde_json::Value;

use crate::form::control::{Control, ControlKind};
use crate::form::parameter::Field;
use crate::{ToolFailure, ToolFailureKind};

/// How many characters of a name or value are shown.
const SHOWN_CHARACTERS: usize = 80;

/// How many names or values of a list are shown.
const SHOWN_ITEMS: usize = 20;

/// For a form that nobody could submit once it is filled.
pub(super) fn no_way_to_submit() -> ToolFailure {
    refusal(
        "the form cannot be submitted: it needs the attribute toolautosubmit or an enabled submit button",
    )
}

/// For an input that is not JSON.
pub(super) fn not_json(error: &serde_json::Error) -> ToolFailure {
    refusal(format!("the input cannot be read as JSON: {error}"))
}

/// For JSON that is not an object.
pub(super) fn not_an_object() -> ToolFailure {
    refusal(r#"the input is not an object: give the parameters as {"name": value}"#)
}

/// For a member that is no parameter of the form, which has those of `names`.
pub(super) fn no_such_parameter<'a>(
    name: &str,
    names: impl ExactSizeIterator<Item = &'a str>,
) -> ToolFailure {
    let name = quote(name);
    refusal(match names.len() {
        0 => format!("there is no parameter {name}: the form has none now"),
        _ => format!(
            "there is no parameter {name}: the form now has {}",
            list(names)
        ),
    })
}

/// For a value that `field`, the parameter of that name, does not take.
pub(super) fn invalid_value(name: &str, value: &Value, field: &Field) -> ToolFailure {
    let (name, value) = (quote(name), show(value));
    refusal(match accepted(field) {
        Some(accepted) => format!("the parameter {name} does not take {value}: give {accepted}"),
        None => format!(
            "the parameter {name} does not take {value}: it has no values to choose from now"
        ),
    })
}

fn refusal(message: impl Into<String>) -> ToolFailure {
    ToolFailure::new(ToolFailureKind::InvalidInput, message)
}

/// What a parameter takes, unless that is nothing.
fn accepted(field: &Field) -> Option<String> {
    match field {
        Field::Single { control, .. } => accepted_by_control(control),
        Field::Checkboxes(choices) => some_of(choices.iter().map(|choice| choice.value)),
        Field::Radios(choices) => one_of(choices.iter().map(|choice| choice.value)),
    }
}

fn accepted_by_control(control: &Control) -> Option<String> {
    let words = match &control.kind {
        ControlKind::Text { .. }
        | ControlKind::Hidden { .. }
        | ControlKind::TextArea
        | ControlKind::Radio { .. }
        | ControlKind::Other => "a string",
        ControlKind::Number { .. } => "a number, or a string with nothing but one",
        ControlKind::Range(_) => "a number",
        ControlKind::Date => r#"a date of the calendar as "2026-02-28", or """#,
        ControlKind::Time { .. } => r#"a time as "23:59", or """#,
        ControlKind::DateTimeLocal { .. } => r#"a date and time as "2026-02-28T23:59", or """#,
        ControlKind::Month => r#"a month as "2026-02", or """#,
        ControlKind::Week => r#"a week of the calendar as "2026-W09", or """#,
        ControlKind::Color => r##"a colour as "#0080ff""##,
        ControlKind::Checkbox { .. } => "true or false",
        ControlKind::Select {
            is_multiple,
            options,
        } => {
            let values = options.iter().map(|option| option.value.as_str());
            return if *is_multiple {
                some_of(values)
            } else {
                one_of(values)
            };
        }
    };
    Some(words.to_owned())
}

fn one_of<'a>(values: impl ExactSizeIterator<Item = &'a str>) -> Option<String> {
    (values.len() > 0).then(|| format!("one of {}", list(values)))
}

fn some_of<'a>(values: impl ExactSizeIterator<Item = &'a str>) -> Option<String> {
    (values.len() > 0).then(|| format!("a list of some of these, each once: {}", list(values)))
}

/// The first of many names or values, and how many more there are.
fn list<'a>(mut items: impl ExactSizeIterator<Item = &'a str>) -> String {
    let shown: Vec<_> = items.by_ref().take(SHOWN_ITEMS).map(quote).collect();
    let shown = shown.join(", ");
    match items.len() {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn quote(text: &str) -> String {
    show(&Value::from(text))
}

/// The text of a value, cut if it is long.
fn show(value: &Value) -> String {
    let json = value.to_string();
    match json.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &json[..end]),
        None => json,
    }
}

#[cfg(test)]
mod tests;
