/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Forms as tools.

mod fill;
mod schema;

use modelcontext::form::{Control, ControlKind, NumberAttributes, SelectOption, synthesize};
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;

/// Controls whose names meet often.
fn controls() -> impl Strategy<Value = Vec<Control>> {
    prop::collection::vec(control(), 0..8)
}

fn control() -> impl Strategy<Value = Control> {
    let words = || prop_oneof![3 => Just(String::new()), 1 => any::<String>()];
    let rarely = || prop::bool::weighted(0.1);
    let labels = prop::collection::vec(words(), 0..3);
    (
        name(),
        kind(),
        any::<bool>(),
        rarely(),
        rarely(),
        words(),
        words(),
        labels,
    )
        .prop_map(
            |(
                name,
                kind,
                is_required,
                is_disabled,
                is_read_only,
                parameter_description,
                aria_description,
                labels,
            )| {
                Control {
                    name,
                    kind,
                    is_required,
                    is_disabled,
                    is_read_only,
                    parameter_description,
                    aria_description,
                    labels,
                }
            },
        )
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-d]",
        " [ab] ",
        "[0-9]{1,2}",
        Just(String::new()),
        any::<String>()
    ]
}

fn kind() -> impl Strategy<Value = ControlKind> {
    // What an engine takes for a regular expression with the `v` flag, in the words of every dialect.
    let pattern = || {
        option::of(prop_oneof![
            Just("[a-z]+".to_owned()),
            Just(String::new()),
            "[0-9]{1,3}"
        ])
    };
    let options = prop::collection::vec((value(), any::<String>()), 0..5);
    prop_oneof![
        pattern().prop_map(|pattern| ControlKind::Text { pattern }),
        pattern().prop_map(|pattern| ControlKind::Hidden { pattern }),
        Just(ControlKind::TextArea),
        (bounds(), pattern()).prop_map(|(bounds, pattern)| ControlKind::Number { bounds, pattern }),
        bounds().prop_map(ControlKind::Range),
        Just(ControlKind::Date),
        number().prop_map(|step| ControlKind::Time { step }),
        number().prop_map(|step| ControlKind::DateTimeLocal { step }),
        Just(ControlKind::Month),
        Just(ControlKind::Week),
        Just(ControlKind::Color),
        value().prop_map(|value| ControlKind::Checkbox { value }),
        value().prop_map(|value| ControlKind::Radio { value }),
        (any::<bool>(), options).prop_map(|(is_multiple, options)| ControlKind::Select {
            is_multiple,
            options: options
                .into_iter()
                .map(|(value, text)| SelectOption { value, text })
                .collect(),
        }),
        Just(ControlKind::Other),
    ]
}

fn bounds() -> impl Strategy<Value = NumberAttributes> {
    (number(), number(), number(), number()).prop_map(|(min, max, step, value)| NumberAttributes {
        min,
        max,
        step,
        value,
    })
}

/// The text of an attribute that should be a number.
fn number() -> impl Strategy<Value = Option<String>> {
    option::of(prop_oneof![
        4 => "-?[0-9]{1,3}(\\.[0-9]{1,3})?",
        2 => "-?[0-9]{0,25}\\.?[0-9]{0,25}([eE][+-]?[0-9]{1,4})?",
        1 => Just("any".to_owned()),
        1 => any::<String>(),
    ])
}

/// A value of an option, a checkbox or a radio button.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[xy1]", 1 => Just("true".to_owned()), 1 => Just(String::new()), 1 => any::<String>()]
}

/// The schema of these controls, read back.
fn schema(controls: &[Control]) -> Value {
    serde_json::from_str(&synthesize(controls)).expect("a schema is JSON")
}

/// An optional control with nothing else about it.
fn named(name: &str, kind: ControlKind) -> Control {
    Control {
        name: name.to_owned(),
        kind,
        is_required: false,
        is_disabled: false,
        is_read_only: false,
        parameter_description: String::new(),
        aria_description: String::new(),
        labels: Vec::new(),
    }
}
