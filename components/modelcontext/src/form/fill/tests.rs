/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use serde_json::json;

use super::*;
use crate::ToolFailureKind;
use crate::form::NumberAttributes;
use crate::form::testing::{
    bounds, checkbox, control, hidden, number, radio, select, text as text_input,
};

/// What fills these controls with `{"a": value}`.
fn fill_all(controls: &[Control], value: Value) -> Option<Assignment> {
    let assignments = fill(controls, true, &json!({"a": value}).to_string());
    let failed = |failure: &ToolFailure| assert_eq!(failure.kind, ToolFailureKind::InvalidInput);
    let mut assignments = assignments.inspect_err(failed).ok()?;
    assert_eq!(assignments.len(), 1);
    assignments.pop()
}

/// The text that a control gets for `value`.
fn text_for(control: &Control, value: Value) -> Option<String> {
    match fill_all(std::slice::from_ref(control), value)? {
        Assignment::Text { control: 0, text } => Some(text),
        other => panic!("not a text: {other:?}"),
    }
}

/// Checks that a control gets these texts for these values, and refuses those.
fn takes(control: &Control, taken: &[(Value, &str)], refused: &[Value]) {
    for (value, text) in taken {
        assert_eq!(
            text_for(control, value.clone()).as_deref(),
            Some(*text),
            "{value}"
        );
    }
    let never = [
        json!(null),
        json!([]),
        json!(["x"]),
        json!([1]),
        json!({}),
        json!({"b": 1}),
    ];
    for value in refused.iter().chain(&never) {
        assert_eq!(text_for(control, value.clone()), None, "{value}");
    }
}

/// The same for a control that takes "" and strings only.
fn takes_strings(kind: ControlKind, taken: &[&str], refused: &[&str]) {
    let control = control("a", kind);
    let taken: Vec<_> = taken.iter().map(|&text| (json!(text), text)).collect();
    takes(&control, &taken, &[]);
    takes(
        &control,
        &[(json!(""), "")],
        &[json!(5), json!(2026), json!(true), json!(false)],
    );
    takes(
        &control,
        &[],
        &refused.iter().map(|&text| json!(text)).collect::<Vec<_>>(),
    );
}

#[test]
fn texts_take_anything_that_has_a_text() {
    let controls = [
        text_input("a"),
        control("a", ControlKind::TextArea),
        hidden("a").described("d"),
    ];
    for control in controls {
        let taken = [
            (json!(""), ""),
            (json!(" x\r\ny "), " x\r\ny "),
            (json!("é😀"), "é😀"),
            (json!(12), "12"),
            (json!(-1.5), "-1.5"),
            (json!(true), "true"),
            (json!(false), "false"),
        ];
        takes(&control, &taken, &[]);
    }
}

#[test]
fn the_text_of_a_number_is_the_one_of_javascript() {
    let taken = [
        (json!(1234567.89), "1234567.89"),
        (json!(2_147_483_648_u64), "2147483648"),
        (json!(-2_147_483_649_i64), "-2147483649"),
        (json!(9_007_199_254_740_993_u64), "9007199254740992"),
        (json!(1e21), "1e+21"),
        (json!(1e-7), "1e-7"),
        (
            json!(123_456_789_012_345_680_000.0),
            "123456789012345680000",
        ),
        (json!(33.333_333_333_333_336), "33.333333333333336"),
        (json!(1.0), "1"),
        (json!(-0.0), "0"),
    ];
    takes(&text_input("a"), &taken, &[]);
}

#[test]
fn numbers_take_what_is_one_and_keep_its_text() {
    let taken = [
        (json!("12"), "12"),
        (json!("007"), "007"),
        (json!("1e2"), "1e2"),
        (json!("-0"), "-0"),
        (json!(".5"), ".5"),
        (json!(-1.5), "-1.5"),
        (json!(1e-7), "1e-7"),
        (json!(1e308), "1e+308"),
        (json!(99), "99"),
    ];
    let refused = [
        json!(""),
        json!("x"),
        json!(" 5"),
        json!("+5"),
        json!("5."),
        json!("1,5"),
        json!("NaN"),
        json!("Infinity"),
        json!("1e999"),
        json!("a\nb"),
        json!(true),
        json!(false),
    ];
    takes(&number("a", bounds("2", "8", "1", "7")), &taken, &refused);
}

#[test]
fn ranges_take_any_text_but_the_empty_one() {
    let range = control("a", ControlKind::Range(NumberAttributes::default()));
    let taken = [
        (json!(101), "101"),
        (json!(75.5), "75.5"),
        (json!("1e1"), "1e1"),
        (json!("x"), "x"),
        (json!(true), "true"),
        (json!(false), "false"),
    ];
    takes(&range, &taken, &[json!("")]);
}

#[test]
fn dates_and_times_take_valid_texts() {
    takes_strings(
        ControlKind::Date,
        &["2026-02-03", "0001-01-01"],
        &["2026-02-30", " 2026-02-03", "02/03/2026"],
    );
    takes_strings(
        ControlKind::Month,
        &["2026-02"],
        &["2026-13", "2026-02-03", "February 2026"],
    );
    takes_strings(
        ControlKind::Week,
        &["2026-W05", "2026-W53"],
        &["2026-W54", "2025-W53", "2026-05", "2026-"],
    );
    let times = ["11:30", "11:30:00", "11:30:15.5"];
    takes_strings(
        ControlKind::Time { step: None },
        &times,
        &["1:30", "24:00", "11:30Z"],
    );
    let refused = ["2026-02-03", "x", "2026-02-03T10:00Z"];
    takes_strings(
        ControlKind::DateTimeLocal { step: None },
        &["2026-02-03T10:00"],
        &refused,
    );
}

#[test]
fn dates_with_times_are_normalised() {
    let control = control("a", ControlKind::DateTimeLocal { step: None });
    let normal = "2026-02-03T10:00";
    let taken = [
        (json!("2026-02-03 10:00"), normal),
        (json!("2026-02-03T10:00:00.000"), normal),
    ];
    takes(&control, &taken, &[]);
}

#[test]
fn colours_take_anything_that_has_a_text() {
    let taken = [
        (json!("#FF0000"), "#FF0000"),
        (json!("red"), "red"),
        (json!(""), ""),
        (json!("#gggggg"), "#gggggg"),
        (json!(5), "5"),
        (json!(true), "true"),
    ];
    takes(&control("a", ControlKind::Color), &taken, &[]);
}

#[test]
fn a_checkbox_takes_what_says_yes_or_no() {
    let checked = |value: Value| {
        let assignment = fill_all(&[checkbox("a", "v")], value)?;
        let Assignment::Checked {
            control: 0,
            checked,
        } = assignment
        else {
            panic!("not a checkbox: {assignment:?}");
        };
        Some(checked)
    };
    let yes = [
        json!(true),
        json!("true"),
        json!("TRUE"),
        json!("1"),
        json!(1),
        json!(2),
        json!(-1),
        json!(1.0),
        json!(2_147_483_647),
        json!(-2_147_483_648),
    ];
    for value in yes {
        assert_eq!(checked(value.clone()), Some(true), "{value}");
    }
    for value in [
        json!(false),
        json!("False"),
        json!("0"),
        json!(0),
        json!(-0.0),
    ] {
        assert_eq!(checked(value.clone()), Some(false), "{value}");
    }
    let neither = [
        json!(""),
        json!("yes"),
        json!("v"),
        json!("2"),
        json!(" true"),
        json!(1.5),
        json!(1e-10),
        json!(null),
        json!(2_147_483_648_u64),
        json!(-2_147_483_649_i64),
        json!(1e300),
        json!([true]),
        json!(["v"]),
        json!({}),
    ];
    for value in neither {
        assert_eq!(checked(value.clone()), None, "{value}");
    }
}

#[test]
fn checkboxes_take_a_list_of_their_values() {
    let controls = [
        checkbox("a", "x"),
        text_input("b"),
        checkbox("a", "1"),
        checkbox("a", "true"),
        checkbox("a", "x"),
    ];
    let checked = |value: Value| match fill_all(&controls, value)? {
        Assignment::CheckedSet { controls } => Some(controls),
        other => panic!("not a group: {other:?}"),
    };
    let set = |checked: [bool; 4]| Some([0, 2, 3, 4].into_iter().zip(checked).collect::<Vec<_>>());
    assert_eq!(checked(json!([])), set([false, false, false, false]));
    assert_eq!(checked(json!(["x"])), set([true, false, false, true]));
    assert_eq!(checked(json!([true, 1])), set([false, true, true, false]));
    assert_eq!(checked(json!(["1", "x"])), set([true, true, false, true]));
    let refused = [
        json!(["z"]),
        json!(["x", "z"]),
        json!(["X"]),
        json!([["x"]]),
        json!([{}]),
        json!([null]),
        json!(["x", "x"]),
        json!(["1", 1]),
        json!(""),
        json!("x"),
        json!(true),
        json!({}),
        json!(null),
    ];
    for value in refused {
        assert_eq!(checked(value.clone()), None, "{value}");
    }
}

#[test]
fn radio_buttons_of_equal_value_get_their_turn_each() {
    let controls = [
        radio("a", "x"),
        radio("a", "1"),
        radio("a", "x"),
        radio("a", "true"),
        radio("a", ""),
        radio("a", "d").disabled(),
    ];
    let checked = |value: Value| match fill_all(&controls, value)? {
        Assignment::Radios { controls } => Some(controls),
        other => panic!("not radio buttons: {other:?}"),
    };
    assert_eq!(checked(json!("x")), Some(vec![0, 2]));
    assert_eq!(checked(json!(1)), Some(vec![1]));
    assert_eq!(checked(json!(true)), Some(vec![3]));
    assert_eq!(checked(json!("")), Some(vec![4]));
    for value in [
        json!("X"),
        json!("d"),
        json!(false),
        json!(["x"]),
        json!({}),
        json!(null),
    ] {
        assert_eq!(checked(value.clone()), None, "{value}");
    }
    assert_eq!(fill_all(&[radio("a", "x")], json!("")), None);
    let one = Assignment::Radios { controls: vec![0] };
    assert_eq!(fill_all(&[radio("a", "x")], json!("x")), Some(one));
}

#[test]
fn a_select_takes_the_first_option_of_a_value() {
    let options = [
        ("x", "Ex"),
        ("y", "Why"),
        ("y", "Again"),
        ("1", "One"),
        ("true", ""),
        ("1000", ""),
        ("1e3", ""),
    ];
    let selected = |value: Value| match fill_all(&[select("a", false, &options)], value)? {
        Assignment::Option { control: 0, option } => Some(option),
        other => panic!("not an option: {other:?}"),
    };
    assert_eq!(selected(json!("y")), Some(1));
    assert_eq!(selected(json!(1)), Some(3));
    assert_eq!(selected(json!(true)), Some(4));
    assert_eq!(selected(json!(1000)), Some(5));
    for value in [
        json!("Why"),
        json!("X"),
        json!(" y"),
        json!(""),
        json!(null),
        json!(["y"]),
        json!([]),
    ] {
        assert_eq!(selected(value.clone()), None, "{value}");
    }
    assert_eq!(fill_all(&[select("a", false, &[])], json!("")), None);
    let empty = Assignment::Option {
        control: 0,
        option: 0,
    };
    assert_eq!(
        fill_all(&[select("a", false, &[("", "None")])], json!("")),
        Some(empty)
    );
}

#[test]
fn a_select_of_several_takes_a_list_of_values() {
    let options = [("x", "Ex"), ("y", "Why"), ("1", "One"), ("x", "Again")];
    let selected = |value: Value| match fill_all(&[select("a", true, &options)], value)? {
        Assignment::Options {
            control: 0,
            selected,
        } => Some(selected),
        other => panic!("not options: {other:?}"),
    };
    assert_eq!(selected(json!([])), Some(vec![]));
    assert_eq!(selected(json!(["y", "x"])), Some(vec![0, 1, 3]));
    assert_eq!(selected(json!([1])), Some(vec![2]));
    let refused = [
        json!(["x", "x"]),
        json!(["y", "z"]),
        json!([null]),
        json!([["y"]]),
        json!(""),
        json!("x"),
        json!(null),
    ];
    for value in refused {
        assert_eq!(selected(value.clone()), None, "{value}");
    }
    assert_eq!(fill_all(&[select("a", true, &[])], json!(["x"])), None);
}

#[test]
fn assignments_are_in_the_order_of_the_input() {
    let controls = [
        text_input("2"),
        text_input("b"),
        text_input("1"),
        text_input("a"),
    ];
    let assignments = fill(&controls, true, r#"{"b":"x","2":"x","a":"x","1":"x"}"#).unwrap();
    let order: Vec<_> = assignments
        .iter()
        .map(|assignment| match assignment {
            Assignment::Text { control, .. } => *control,
            other => panic!("not a text: {other:?}"),
        })
        .collect();
    assert_eq!(order, [2, 0, 1, 3]);
}

#[test]
fn parameters_that_are_not_given_stay_as_they_are() {
    assert_eq!(fill(&[text_input("a").required()], true, "{}"), Ok(vec![]));
}

#[test]
fn names_are_those_of_the_parameters() {
    let controls = [
        text_input(" p q "),
        text_input(""),
        text_input("__proto__"),
        text_input("r").read_only(),
        text_input("d").disabled(),
        text_input("twice"),
        text_input("twice"),
        hidden("h"),
        control("o", ControlKind::Other),
    ];
    for name in ["p q", "", "__proto__"] {
        assert!(
            fill(&controls, true, &json!({name: "x"}).to_string()).is_ok(),
            "{name}"
        );
    }
    for name in [
        " p q ",
        "P q",
        "p",
        "r",
        "d",
        "twice",
        "h",
        "o",
        "constructor",
    ] {
        assert!(
            fill(&controls, true, &json!({name: "x"}).to_string()).is_err(),
            "{name}"
        );
    }
}

#[test]
fn one_wrong_member_undoes_all() {
    let controls = [text_input("a"), number("b", NumberAttributes::default())];
    assert!(fill(&controls, true, r#"{"a":"x","b":1}"#).is_ok());
    for input in [
        r#"{"a":"x","b":"nope"}"#,
        r#"{"b":"nope","a":"x"}"#,
        r#"{"a":"x","c":1}"#,
    ] {
        assert!(fill(&controls, true, input).is_err(), "{input}");
    }
}
