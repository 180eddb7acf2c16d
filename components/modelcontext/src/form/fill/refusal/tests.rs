/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use serde_json::json;

use super::*;
use crate::form::testing::{checkbox, control, radio, select, text};
use crate::form::{NumberAttributes, fill};

/// The words of a failure.
fn words(controls: &[Control], input: Value) -> String {
    let failure = fill(controls, true, &input.to_string()).unwrap_err();
    assert_eq!(failure.kind, ToolFailureKind::InvalidInput);
    failure.message
}

#[test]
fn a_form_that_cannot_be_submitted_is_refused_before_all_else() {
    for input in ["{}", "not JSON", r#"{"z":1}"#] {
        let failure = fill(&[text("a")], false, input).unwrap_err();
        assert_eq!(failure.kind, ToolFailureKind::InvalidInput);
        assert_eq!(
            failure.message,
            "the form cannot be submitted: it needs the attribute toolautosubmit or an enabled submit button"
        );
    }
}

#[test]
fn a_refusal_names_the_parameter_that_is_not_there() {
    let controls = [text("a"), checkbox("b", "")];
    let message = r#"there is no parameter "z\n": the form now has "a", "b""#;
    assert_eq!(words(&controls, json!({"z\n": 1})), message);
    assert_eq!(
        words(&[], json!({"z": 1})),
        r#"there is no parameter "z": the form has none now"#
    );
    let many: Vec<_> = (0..25).map(|number| text(&format!("p{number}"))).collect();
    assert!(words(&many, json!({"z": 1})).ends_with(r#""p18", "p19" and 5 more"#));
}

#[test]
fn a_refusal_names_the_parameter_the_value_and_what_is_taken() {
    let of_kind =
        |kind: ControlKind, value: Value| words(&[control("a", kind)], json!({"a": value}));
    let cases = [
        (ControlKind::TextArea, json!(null), "null: give a string"),
        (
            ControlKind::Number {
                bounds: NumberAttributes::default(),
                pattern: None,
            },
            json!("x"),
            r#""x": give a number, or a string with nothing but one"#,
        ),
        (
            ControlKind::Range(NumberAttributes::default()),
            json!(""),
            r#""": give a number"#,
        ),
        (
            ControlKind::Date,
            json!(5),
            r#"5: give a date of the calendar as "2026-02-28", or """#,
        ),
        (
            ControlKind::Time { step: None },
            json!("1:30"),
            r#""1:30": give a time as "23:59", or """#,
        ),
        (
            ControlKind::DateTimeLocal { step: None },
            json!("x"),
            r#""x": give a date and time as "2026-02-28T23:59", or """#,
        ),
        (
            ControlKind::Month,
            json!(true),
            r#"true: give a month as "2026-02", or """#,
        ),
        (
            ControlKind::Week,
            json!("2026-"),
            r#""2026-": give a week of the calendar as "2026-W09", or """#,
        ),
        (
            ControlKind::Color,
            json!({"r": 1}),
            r##"{"r":1}: give a colour as "#0080ff""##,
        ),
        (
            ControlKind::Checkbox {
                value: "v".to_owned(),
            },
            json!("v"),
            r#""v": give true or false"#,
        ),
    ];
    for (kind, value, rest) in cases {
        assert_eq!(
            of_kind(kind, value),
            format!(r#"the parameter "a" does not take {rest}"#)
        );
    }
}

#[test]
fn a_refusal_lists_what_can_be_chosen() {
    let options = [("x", "Ex"), ("y", "Why")];
    assert_eq!(
        words(&[select("a", false, &options)], json!({"a": "Ex"})),
        r#"the parameter "a" does not take "Ex": give one of "x", "y""#
    );
    assert_eq!(
        words(&[select("a", true, &options)], json!({"a": ["x", "z"]})),
        r#"the parameter "a" does not take "z": give a list of some of these, each once: "x", "y""#
    );
    assert_eq!(
        words(
            &[checkbox("a", "x"), checkbox("a", "y")],
            json!({"a": ["x", "x"]})
        ),
        r#"the parameter "a" does not take "x": give a list of some of these, each once: "x", "y""#
    );
    assert_eq!(
        words(&[radio("a", "x")], json!({"a": ["x"]})),
        r#"the parameter "a" does not take ["x"]: give one of "x""#
    );
    for is_multiple in [false, true] {
        assert_eq!(
            words(&[select("a", is_multiple, &[])], json!({"a": "x"})),
            r#"the parameter "a" does not take "x": it has no values to choose from now"#
        );
    }
}

#[test]
fn a_refusal_is_short_whatever_is_given() {
    let long = "é".repeat(1_000_000);
    let options: Vec<_> = (0..1_000)
        .map(|_| (long.get(..2_000).unwrap(), ""))
        .collect();
    let controls = [select("a", false, &options), text("b")];
    for input in [
        json!({"a": long}),
        json!({"b": [long]}),
        json!({long.as_str(): 1}),
    ] {
        assert!(words(&controls, input).chars().count() < 2_500);
    }
    assert!(words(&controls, json!({"b": [long]})).contains('…'));
}
