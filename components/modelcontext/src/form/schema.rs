/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The schema of the input of a form's tool.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::value::RawValue;

use super::control::{Control, ControlKind, NumberAttributes, SelectOption};
use super::decimal::{self, Decimal};
use super::parameter::{self, Choice, Field, parameters};

/// What every date's description says.
const DATE_NOTE: &str = "Dates MUST be provided in 'YYYY-MM-DD' format.";

/// The JSON text of the input schema of a form with these controls, its listed elements in tree order.
pub fn synthesize(controls: &[Control]) -> String {
    let parameters = parameters(controls);
    let required = parameters
        .iter()
        .filter(|parameter| parameter.is_required)
        .map(|parameter| parameter.name)
        .collect();
    let schema = Schema {
        kind: "object",
        properties: parameters
            .iter()
            .map(|parameter| (parameter.name, property(&parameter.field)))
            .collect(),
        required,
    };
    serde_json::to_string(&schema)
        .expect("a schema has keys that are strings, and nothing fails to serialise")
}

/// The schema of an input. The keys are in the order in which they are written, here and below.
#[derive(Serialize)]
struct Schema<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    properties: IndexMap<&'a str, Property<'a>>,
    required: Vec<&'a str>,
}

/// The schema of a parameter.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Property<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multiple_of: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<&'a str>,
    #[serde(flatten)]
    offered: Offered<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Items<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unique_items: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<Cow<'a, str>>,
}

/// The schema of one of several values that may be chosen together.
#[derive(Serialize)]
struct Items<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    offered: Offered<'a>,
}

/// The values that can be chosen. Without any, neither key is written: `anyOf` must not be empty.
#[derive(Default, Serialize)]
struct Offered<'a> {
    #[serde(rename = "anyOf", skip_serializing_if = "Vec::is_empty")]
    any_of: Vec<Value<'a>>,
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    values: Vec<&'a str>,
}

/// A value that can be chosen.
#[derive(Serialize)]
struct Value<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "const")]
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
}

fn property<'a>(field: &Field<'a>) -> Property<'a> {
    match field {
        Field::Single { control, .. } => Property {
            description: description(control),
            ..control_property(control)
        },
        Field::Checkboxes(choices) => several_of(offered(choices.iter().map(choice_value))),
        Field::Radios(choices) => Property {
            description: match choices.as_slice() {
                [choice] => described_by(choice.control),
                _ => None,
            },
            ..one_of(offered(choices.iter().map(choice_value)))
        },
    }
}

/// The schema of a single control, but for its description.
fn control_property(control: &Control) -> Property<'_> {
    match &control.kind {
        ControlKind::Text { pattern } | ControlKind::Hidden { pattern } => Property {
            pattern: pattern.as_deref(),
            ..of_type("string")
        },
        ControlKind::Number { bounds, pattern } => Property {
            pattern: pattern.as_deref(),
            ..number(bounds)
        },
        ControlKind::Range(bounds) => range(bounds),
        ControlKind::Date => formatted("date".to_owned()),
        ControlKind::Time { step } => formatted(format!("^{}$", time_format(step.as_deref()))),
        ControlKind::DateTimeLocal { step } => formatted(format!(
            "^[0-9]{{4}}-(0[1-9]|1[0-2])-[0-9]{{2}}T{}$",
            time_format(step.as_deref())
        )),
        ControlKind::Month => formatted("^[0-9]{4}-(0[1-9]|1[0-2])$".to_owned()),
        ControlKind::Week => formatted("^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$".to_owned()),
        ControlKind::Color => formatted("^#[0-9a-zA-Z]{6}$".to_owned()),
        ControlKind::Checkbox { .. } => of_type("boolean"),
        ControlKind::Select {
            is_multiple,
            options,
        } => {
            let offered = offered(options.iter().map(option_value));
            if *is_multiple {
                several_of(offered)
            } else {
                one_of(offered)
            }
        }
        // Radio buttons are groups, and the others are no parameters.
        ControlKind::TextArea | ControlKind::Radio { .. } | ControlKind::Other => of_type("string"),
    }
}

fn of_type<'a>(kind: &'static str) -> Property<'a> {
    Property {
        kind,
        ..Property::default()
    }
}

fn formatted<'a>(format: String) -> Property<'a> {
    Property {
        format: Some(format),
        ..of_type("string")
    }
}

fn one_of(offered: Offered) -> Property {
    Property {
        offered,
        ..of_type("string")
    }
}

fn several_of(offered: Offered) -> Property {
    Property {
        items: Some(Items {
            kind: "string",
            offered,
        }),
        unique_items: Some(true),
        ..of_type("array")
    }
}

fn offered<'a>(values: impl Iterator<Item = Value<'a>>) -> Offered<'a> {
    let any_of: Vec<_> = values.collect();
    Offered {
        values: any_of.iter().map(|value| value.value).collect(),
        any_of,
    }
}

fn choice_value<'a>(choice: &Choice<'a>) -> Value<'a> {
    Value {
        kind: "string",
        value: choice.value,
        title: label_text(choice.control).map(Cow::Owned),
    }
}

fn option_value(option: &SelectOption) -> Value<'_> {
    Value {
        kind: "string",
        value: &option.value,
        title: Some(Cow::Borrowed(&option.text)),
    }
}

fn number<'a>(attributes: &NumberAttributes) -> Property<'a> {
    let step = match attributes.step.as_deref() {
        Some(step) if step.eq_ignore_ascii_case("any") => None,
        step => Some(positive(step).unwrap_or(Decimal::ONE)),
    };
    Property {
        minimum: decimal(&attributes.min).map(|minimum| literal(minimum.value())),
        maximum: decimal(&attributes.max).map(|maximum| literal(maximum.value())),
        multiple_of: multiple_of(step, attributes),
        ..of_type("number")
    }
}

/// A range always has bounds and a step, and never a maximum below its minimum.
fn range<'a>(attributes: &NumberAttributes) -> Property<'a> {
    let minimum = decimal(&attributes.min).map_or(0.0, |minimum| minimum.value());
    let maximum = decimal(&attributes.max).map_or(100.0, |maximum| maximum.value());
    let step = positive(attributes.step.as_deref()).unwrap_or(Decimal::ONE);
    Property {
        minimum: Some(literal(minimum)),
        maximum: Some(literal(maximum.max(minimum))),
        multiple_of: multiple_of(Some(step), attributes),
        ..of_type("number")
    }
}

/// The step, if the numbers that it leads to are its multiples.
fn multiple_of(step: Option<Decimal>, attributes: &NumberAttributes) -> Option<Box<RawValue>> {
    let step = step?;
    let base = decimal(&attributes.min).or_else(|| decimal(&attributes.value));
    let leads_to_multiples = base.is_none_or(|base| base.is_multiple_of(&step));
    leads_to_multiples.then(|| literal(step.value()))
}

fn decimal(attribute: &Option<String>) -> Option<Decimal<'_>> {
    Decimal::parse(attribute.as_deref()?)
}

/// The number of a `step` attribute.
fn positive(attribute: Option<&str>) -> Option<Decimal<'_>> {
    Decimal::parse(attribute?).filter(|step| step.value() > 0.0)
}

fn literal(number: f64) -> Box<RawValue> {
    RawValue::from_string(decimal::text(number)).expect("the text of a finite number is JSON")
}

/// What a time looks like, with as many digits as the step, in seconds, calls for.
fn time_format(step: Option<&str>) -> String {
    let step = positive(step).map_or(60.0, |step| step.value());
    let seconds = if step < 1.0 {
        r"(:[0-5][0-9](\.[0-9]{1,3})?)?"
    } else if step < 60.0 {
        "(:[0-5][0-9])?"
    } else {
        ""
    };
    format!("([01][0-9]|2[0-3]):[0-5][0-9]{seconds}")
}

/// The description of a single control.
fn description(control: &Control) -> Option<Cow<'_, str>> {
    let text = described_by(control);
    if control.kind != ControlKind::Date {
        return text;
    }
    Some(match text {
        Some(text) => format!("{text} ({DATE_NOTE})").into(),
        None => DATE_NOTE.into(),
    })
}

/// What the page says about a control: in words for agents, else in its labels, else in words for
/// assistive technologies.
fn described_by(control: &Control) -> Option<Cow<'_, str>> {
    if !control.parameter_description.is_empty() {
        return Some(Cow::Borrowed(&control.parameter_description));
    }
    let aria = || {
        (!control.aria_description.is_empty())
            .then_some(Cow::Borrowed(control.aria_description.as_str()))
    };
    label_text(control).map(Cow::Owned).or_else(aria)
}

/// The texts of a control's labels together.
fn label_text(control: &Control) -> Option<String> {
    let texts: Vec<_> = control
        .labels
        .iter()
        .map(|label| parameter::trim(label))
        .collect();
    Some(texts.join("; ")).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
