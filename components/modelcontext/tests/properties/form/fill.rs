/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::collections::HashSet;

use modelcontext::ToolFailureKind;
use modelcontext::form::{Assignment, Control, ControlKind, SelectOption, fill};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{controls, name, named, schema, value};

/// Texts that some kind of control takes, and texts that none does.
const TEXTS: [&str; 22] = [
    "",
    "x",
    "y",
    "1",
    "0",
    "true",
    "False",
    "-1.5",
    "1e2",
    "+5",
    "Infinity",
    "2026-02-03",
    "2026-2-3",
    "2026-02",
    "2026-W05",
    "2026-",
    "10:00",
    "10:00:15.5",
    "2026-02-03T10:00",
    "2026-02-03 10:00",
    "#0080ff",
    "red",
];

/// The input of a form, or what is none.
fn input() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => prop::collection::hash_map(name(), json(), 0..4).prop_map(|members| members.into_iter().collect()),
        1 => json(),
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..3).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        value().prop_map(Value::from),
        prop::sample::select(TEXTS.as_slice()).prop_map(Value::from),
    ];
    scalar.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            1 => prop::collection::hash_map(name(), inner, 0..3).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// JSON with faults, and with escapes of surrogates.
fn text() -> impl Strategy<Value = String> {
    let faulty = prop::collection::vec(
        prop::sample::select(
            [
                "{", "}", "[", "]", "\"", ":", ",", "\\", "\\ud800", "\\udc00", "\\u", "a", "é",
                "1", "e", "null",
            ]
            .as_slice(),
        ),
        0..20,
    );
    let member = prop::collection::vec(
        prop::sample::select(["\\ud83d", "\\ude00", "\\\\", "\\n", "a", "é"].as_slice()),
        0..6,
    );
    prop_oneof![
        any::<String>(),
        faulty.prop_map(|parts| parts.concat()),
        member.prop_map(|parts| format!(r#"{{"a":"{}"}}"#, parts.concat())),
    ]
}

/// The controls that an assignment is for.
fn assigned(assignment: &Assignment) -> Vec<usize> {
    match assignment {
        Assignment::Text { control, .. }
        | Assignment::Checked { control, .. }
        | Assignment::Option { control, .. }
        | Assignment::Options { control, .. } => vec![*control],
        Assignment::CheckedSet { controls } => {
            controls.iter().map(|(control, _)| *control).collect()
        }
        Assignment::Radios { controls } => controls.clone(),
    }
}

/// The options that an assignment is for.
fn assigned_options(assignment: &Assignment) -> Vec<usize> {
    match assignment {
        Assignment::Option { option, .. } => vec![*option],
        Assignment::Options { selected, .. } => selected.clone(),
        _ => Vec::new(),
    }
}

/// A schema that says all that an agent can know of what fills the form: formats are followed, and
/// nothing is chosen where nothing is offered.
fn read_strictly(mut property: Value) -> Value {
    if let Some(format) = property
        .get("format")
        .cloned()
        .filter(|format| format != "date")
    {
        property["pattern"] = format;
    }
    let is_list = property["type"] == "array";
    if is_list && property["items"].get("enum").is_none() {
        property["maxItems"] = json!(0);
    }
    property
}

/// What may be tried for a parameter of that schema.
fn candidates(property: &Value) -> Vec<Value> {
    let offered = [&property["enum"], &property["items"]["enum"]];
    let offered = offered
        .into_iter()
        .filter_map(Value::as_array)
        .flatten()
        .cloned();
    let numbers = [
        &property["minimum"],
        &property["maximum"],
        &property["multipleOf"],
    ];
    let numbers = numbers
        .into_iter()
        .filter(|number| !number.is_null())
        .cloned();
    let mut candidates: Vec<_> = offered.chain(numbers).collect();
    candidates.extend(TEXTS.map(Value::from));
    candidates.extend([
        json!(0),
        json!(1),
        json!(-7.25),
        json!(1e21),
        json!(true),
        json!(false),
        json!(null),
    ]);
    let lists: Vec<_> = candidates.iter().map(|value| json!([value])).collect();
    candidates.extend(lists);
    candidates.extend([json!([]), json!({}), property["items"]["enum"].clone()]);
    candidates
}

/// Whether the parameter is a `select` of one without options, for which any text is in the schema.
fn offers_nothing(controls: &[Control], name: &str) -> bool {
    controls.iter().any(|control| {
        let is_empty =
            matches!(&control.kind, ControlKind::Select { options, .. } if options.is_empty());
        is_empty
            && control
                .name
                .trim_matches(|character: char| character.is_ascii_whitespace())
                == name
    })
}

proptest! {
    #[test]
    fn what_the_schema_allows_fills_the_form(controls in controls()) {
        for (name, property) in schema(&controls)["properties"].as_object().unwrap() {
            if offers_nothing(&controls, name) {
                continue;
            }
            let strict = read_strictly(property.clone());
            let validator = jsonschema::options().should_validate_formats(true).build(&strict)?;
            for value in candidates(&strict).into_iter().filter(|value| validator.is_valid(value)) {
                let input = json!({name.as_str(): value}).to_string();
                prop_assert!(fill(&controls, true, &input).is_ok(), "{input} for {strict}");
            }
        }
    }

    #[test]
    fn an_input_fills_all_or_nothing(controls in controls(), input in input()) {
        let alone = |(name, value): (&String, &Value)| {
            fill(&controls, true, &json!({name.as_str(): value}).to_string())
        };
        match (fill(&controls, true, &input.to_string()), input.as_object()) {
            (Ok(assignments), Some(members)) => {
                prop_assert_eq!(assignments.len(), members.len());
                for member in members {
                    let one = alone(member)?;
                    prop_assert!(assignments.contains(&one[0]));
                }
            },
            (Err(failure), members) => {
                prop_assert_eq!(failure.kind, ToolFailureKind::InvalidInput);
                prop_assert!(members.is_none_or(|members| members.iter().any(|member| alone(member).is_err())));
            },
            (Ok(_), None) => prop_assert!(false, "{input} is no object"),
        }
    }

    #[test]
    fn assignments_are_for_controls_that_are_there_and_enabled(controls in controls(), input in input()) {
        let assignments = fill(&controls, true, &input.to_string()).unwrap_or_default();
        let all: Vec<_> = assignments.iter().flat_map(assigned).collect();
        prop_assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        for assignment in &assignments {
            for control in assigned(assignment) {
                prop_assert!(!controls[control].is_disabled);
                let options = match &controls[control].kind {
                    ControlKind::Select { options, .. } => options.len(),
                    _ => 0,
                };
                prop_assert!(assigned_options(assignment).iter().all(|option| *option < options));
            }
        }
    }

    #[test]
    fn any_text_is_an_input_or_refused(controls in controls(), text in text()) {
        if let Err(failure) = fill(&controls, true, &text) {
            prop_assert_eq!(failure.kind, ToolFailureKind::InvalidInput);
            prop_assert!(failure.message.chars().count() < 4_000);
        }
    }

    #[test]
    fn a_number_keeps_its_value(number in any::<f64>().prop_filter("finite", |number| number.is_finite())) {
        let input = json!({"a": number}).to_string();
        match &fill(&[number_control()], true, &input)?[..] {
            [Assignment::Text { control: 0, text }] => prop_assert_eq!(text.parse::<f64>()?, number),
            other => prop_assert!(false, "not a text: {other:?}"),
        }
    }
}

fn number_control() -> Control {
    let bounds = Default::default();
    named(
        "a",
        ControlKind::Number {
            bounds,
            pattern: None,
        },
    )
}

#[test]
fn ten_thousand_controls_are_filled_by_one_assignment_each() {
    let names: Vec<_> = (0..10_000).map(|number| format!("p{number}")).collect();
    let controls: Vec<_> = names
        .iter()
        .map(|name| named(name, ControlKind::TextArea))
        .collect();
    let input: Map<_, _> = names
        .iter()
        .map(|name| (name.clone(), json!("x")))
        .collect();
    let assignments = fill(&controls, true, &json!(input).to_string()).unwrap();
    assert_eq!(assignments.len(), 10_000);
}

#[test]
fn ten_thousand_values_are_chosen_at_once() {
    let values: Vec<_> = (0..10_000).map(|number| number.to_string()).collect();
    let checkbox = |value: &String| {
        named(
            "a",
            ControlKind::Checkbox {
                value: value.clone(),
            },
        )
    };
    let option = |value: &String| SelectOption {
        value: value.clone(),
        text: String::new(),
    };
    let options = values.iter().map(option).collect();
    let mut controls: Vec<_> = values.iter().map(checkbox).collect();
    controls.push(named(
        "b",
        ControlKind::Select {
            is_multiple: true,
            options,
        },
    ));
    let assignments = fill(
        &controls,
        true,
        &json!({"a": values, "b": values}).to_string(),
    )
    .unwrap();
    let all_controls = (0..10_000).map(|control| (control, true)).collect();
    let all_options = (0..10_000).collect();
    assert_eq!(
        assignments,
        [
            Assignment::CheckedSet {
                controls: all_controls
            },
            Assignment::Options {
                control: 10_000,
                selected: all_options
            },
        ]
    );
}
