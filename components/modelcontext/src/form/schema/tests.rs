/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use super::*;
use crate::form::testing::{bounds, checkbox, control, hidden, number, radio, select, text};

/// The schema of the only parameter, which has the name `a`.
fn only(controls: &[Control]) -> String {
    let schema = synthesize(controls);
    let property = schema.strip_prefix(r#"{"type":"object","properties":{"a":"#);
    let property = property.and_then(|property| property.strip_suffix(r#"},"required":[]}"#));
    property
        .unwrap_or_else(|| panic!("one optional parameter: {schema}"))
        .to_owned()
}

/// The same for one control of a kind.
fn of_kind(kind: ControlKind) -> String {
    only(&[control("a", kind)])
}

#[test]
fn a_form_without_controls_takes_an_empty_object() {
    assert_eq!(
        synthesize(&[]),
        r#"{"type":"object","properties":{},"required":[]}"#
    );
}

#[test]
fn required_parameters_are_listed_in_order() {
    let controls = [
        text("z").required(),
        text("x"),
        radio("y", "1"),
        control("w", ControlKind::TextArea).required(),
        radio("y", "2").required(),
        checkbox("2", "").required(),
        text("").required(),
    ];
    let schema = synthesize(&controls);
    assert!(
        schema.ends_with(r#""required":["z","y","w","2",""]}"#),
        "{schema}"
    );
}

#[test]
fn keys_are_written_as_json_strings() {
    let controls = [
        text("q\"u\\o<"),
        text("__proto__"),
        text("\u{1}\u{2028}é😀"),
    ];
    let properties = r#""q\"u\\o<":{"type":"string"},"__proto__":{"type":"string"}"#;
    let special = "\"\\u0001\u{2028}é😀\":{\"type\":\"string\"}";
    assert_eq!(
        synthesize(&controls),
        format!(r#"{{"type":"object","properties":{{{properties},{special}}},"required":[]}}"#)
    );
}

#[test]
fn texts_have_their_pattern() {
    let pattern = Some(r#"\d+/\p{L}""#.to_owned());
    let with_pattern = r#"{"type":"string","pattern":"\\d+/\\p{L}\""}"#;
    assert_eq!(
        of_kind(ControlKind::Text {
            pattern: pattern.clone()
        }),
        with_pattern
    );
    assert_eq!(
        of_kind(ControlKind::Text { pattern: None }),
        r#"{"type":"string"}"#
    );
    assert_eq!(
        of_kind(ControlKind::Text {
            pattern: Some(String::new())
        }),
        r#"{"type":"string","pattern":""}"#
    );
    assert_eq!(of_kind(ControlKind::TextArea), r#"{"type":"string"}"#);
    let described = control(
        "a",
        ControlKind::Hidden {
            pattern: Some("[a-z]+".to_owned()),
        },
    )
    .described("h");
    assert_eq!(
        only(&[described]),
        r#"{"type":"string","pattern":"[a-z]+","description":"h"}"#
    );
    assert_eq!(
        only(&[hidden("a").described("pd")]),
        r#"{"type":"string","description":"pd"}"#
    );
}

#[test]
fn numbers_have_their_bounds_and_step() {
    let cases = [
        (bounds("", "", "", ""), r#","multipleOf":1"#),
        (bounds("3", "", "", ""), r#","minimum":3,"multipleOf":1"#),
        (bounds("", "3", "", ""), r#","maximum":3,"multipleOf":1"#),
        (bounds("0", "1", "ANY", ""), r#","minimum":0,"maximum":1"#),
        (bounds("", "", "0.5", ""), r#","multipleOf":0.5"#),
        (
            bounds("0.05", "", "0.01", ""),
            r#","minimum":0.05,"multipleOf":0.01"#,
        ),
        (
            bounds("0.3", "", "0.1", ""),
            r#","minimum":0.3,"multipleOf":0.1"#,
        ),
        (
            bounds("0.9", "", "0.3", ""),
            r#","minimum":0.9,"multipleOf":0.3"#,
        ),
        (bounds("1", "", "0.3", ""), r#","minimum":1"#),
        (bounds("", "", "5", "3"), ""),
        (bounds("", "", "", "0.5"), ""),
        (bounds("0", "", "5", "3"), r#","minimum":0,"multipleOf":5"#),
        (bounds("x", "y", "abc", "z"), r#","multipleOf":1"#),
        (bounds("x", "", "5", "3"), ""),
        (bounds("", "", "-2", ""), r#","multipleOf":1"#),
        (bounds("", "", "0", ""), r#","multipleOf":1"#),
        (bounds("", "", "1e-400", ""), r#","multipleOf":1"#),
        (bounds("", "", " 2", ""), r#","multipleOf":1"#),
        (bounds("", "", "1000000", ""), r#","multipleOf":1000000"#),
        (
            bounds("10", "1", "", ""),
            r#","minimum":10,"maximum":1,"multipleOf":1"#,
        ),
        (
            bounds("-0", "0", "", ""),
            r#","minimum":0,"maximum":0,"multipleOf":1"#,
        ),
        (bounds(".5", "5.", "", ""), r#","minimum":0.5"#),
        (bounds("+5", " 1", "", ""), r#","multipleOf":1"#),
        (bounds("-1e400", "1e400", "", ""), r#","multipleOf":1"#),
        (
            bounds("1.50", "100.000", "0.50", ""),
            r#","minimum":1.5,"maximum":100,"multipleOf":0.5"#,
        ),
        (
            bounds("-9007199254740993", "9007199254740993", "", ""),
            r#","minimum":-9007199254740992,"maximum":9007199254740992,"multipleOf":1"#,
        ),
        (
            bounds("", "1e21", "1e-7", ""),
            r#","maximum":1e+21,"multipleOf":1e-7"#,
        ),
    ];
    for (bounds, keys) in cases {
        let message = format!("{bounds:?}");
        assert_eq!(
            only(&[number("a", bounds)]),
            format!("{{\"type\":\"number\"{keys}}}"),
            "{message}"
        );
    }
}

#[test]
fn an_empty_attribute_is_no_number() {
    let empty = NumberAttributes {
        min: Some(String::new()),
        max: Some(String::new()),
        step: Some(String::new()),
        value: Some(String::new()),
    };
    assert_eq!(
        only(&[number("a", empty)]),
        r#"{"type":"number","multipleOf":1}"#
    );
}

#[test]
fn a_number_has_its_pattern_behind_its_step() {
    let kind = ControlKind::Number {
        bounds: bounds("1", "9", "1", ""),
        pattern: Some("[a-z]+".to_owned()),
    };
    assert_eq!(
        only(&[control("a", kind).described("pd")]),
        r#"{"type":"number","minimum":1,"maximum":9,"multipleOf":1,"pattern":"[a-z]+","description":"pd"}"#
    );
}

#[test]
fn ranges_always_have_bounds() {
    let cases = [
        (
            bounds("", "", "", ""),
            r#""minimum":0,"maximum":100,"multipleOf":1"#,
        ),
        (
            bounds("-5", "5", "", ""),
            r#""minimum":-5,"maximum":5,"multipleOf":1"#,
        ),
        (
            bounds("", "", "any", ""),
            r#""minimum":0,"maximum":100,"multipleOf":1"#,
        ),
        (
            bounds("0.5", "2", "any", ""),
            r#""minimum":0.5,"maximum":2"#,
        ),
        (
            bounds("50", "10", "", ""),
            r#""minimum":50,"maximum":50,"multipleOf":1"#,
        ),
        (
            bounds("150", "", "", ""),
            r#""minimum":150,"maximum":150,"multipleOf":1"#,
        ),
        (
            bounds("", "-5", "", ""),
            r#""minimum":0,"maximum":0,"multipleOf":1"#,
        ),
        (bounds("1", "9", "2", ""), r#""minimum":1,"maximum":9"#),
        (bounds("", "", "5", "7"), r#""minimum":0,"maximum":100"#),
    ];
    for (bounds, keys) in cases {
        let message = format!("{bounds:?}");
        assert_eq!(
            of_kind(ControlKind::Range(bounds)),
            format!("{{\"type\":\"number\",{keys}}}"),
            "{message}"
        );
    }
}

#[test]
fn dates_say_how_they_are_written() {
    let date = || control("a", ControlKind::Date);
    let of = |description: &str| {
        format!(r#"{{"type":"string","format":"date","description":"{description}"}}"#)
    };
    let note = "Dates MUST be provided in 'YYYY-MM-DD' format.";
    assert_eq!(only(&[date()]), of(note));
    assert_eq!(only(&[date().labelled(&[""])]), of(note));
    assert_eq!(
        only(&[date().labelled(&["From"])]),
        of(&format!("From ({note})"))
    );
    assert_eq!(
        only(&[date().described(" When. ")]),
        of(&format!(" When.  ({note})"))
    );
}

#[test]
fn times_are_as_fine_as_their_step() {
    let minutes = "([01][0-9]|2[0-3]):[0-5][0-9]";
    let seconds = "([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?";
    let milliseconds = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,3})?)?";
    let cases = [
        (None, minutes),
        (Some("1"), seconds),
        (Some("30"), seconds),
        (Some("1.5"), seconds),
        (Some(".001"), milliseconds),
        (Some("60"), minutes),
        (Some("90"), minutes),
        (Some("any"), minutes),
        (Some("0"), minutes),
        (Some("-1"), minutes),
        (Some("x"), minutes),
    ];
    for (step, time) in cases {
        let step = step.map(str::to_owned);
        assert_eq!(
            of_kind(ControlKind::Time { step: step.clone() }),
            format!(r#"{{"type":"string","format":"^{time}$"}}"#)
        );
        assert_eq!(
            of_kind(ControlKind::DateTimeLocal { step }),
            format!(
                r#"{{"type":"string","format":"^[0-9]{{4}}-(0[1-9]|1[0-2])-[0-9]{{2}}T{time}$"}}"#
            )
        );
    }
}

#[test]
fn other_formats_are_fixed() {
    let month = r#"{"type":"string","format":"^[0-9]{4}-(0[1-9]|1[0-2])$"}"#;
    assert_eq!(of_kind(ControlKind::Month), month);
    let week = r#"{"type":"string","format":"^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$"}"#;
    assert_eq!(of_kind(ControlKind::Week), week);
    assert_eq!(
        of_kind(ControlKind::Color),
        r##"{"type":"string","format":"^#[0-9a-zA-Z]{6}$"}"##
    );
}

#[test]
fn one_checkbox_is_a_boolean_and_two_are_a_list() {
    assert_eq!(
        only(&[checkbox("a", "x").labelled(&[" Agree "])]),
        r#"{"type":"boolean","description":"Agree"}"#
    );
    let controls = [
        checkbox("a", "x")
            .labelled(&["One", " Two "])
            .described("pd"),
        checkbox("a", "").labelled(&[" "]).aria_described("ad"),
        checkbox("a", "x"),
    ];
    assert_eq!(
        only(&controls),
        concat!(
            r#"{"type":"array","items":{"type":"string","anyOf":[{"type":"string","const":"x","title":"One; Two"},"#,
            r#"{"type":"string","const":""},{"type":"string","const":"x"}],"enum":["x","","x"]},"uniqueItems":true}"#,
        )
    );
}

#[test]
fn radio_buttons_are_described_when_alone() {
    let one = [radio("a", "x").labelled(&["Ex"]).described("pd")];
    assert_eq!(
        only(&one),
        r#"{"type":"string","anyOf":[{"type":"string","const":"x","title":"Ex"}],"enum":["x"],"description":"pd"}"#
    );
    let two = [
        radio("a", "x").described("pd"),
        radio("a", "y").labelled(&["Why"]),
    ];
    assert_eq!(
        only(&two),
        concat!(
            r#"{"type":"string","anyOf":[{"type":"string","const":"x"},"#,
            r#"{"type":"string","const":"y","title":"Why"}],"enum":["x","y"]}"#,
        )
    );
}

#[test]
fn options_have_their_text_as_it_stands() {
    let options = [(" x ", "  Ex \n"), ("x", ""), ("x", "Again")];
    let offered = concat!(
        r#""anyOf":[{"type":"string","const":" x ","title":"  Ex \n"},{"type":"string","const":"x","title":""},"#,
        r#"{"type":"string","const":"x","title":"Again"}],"enum":[" x ","x","x"]"#,
    );
    assert_eq!(
        only(&[select("a", false, &options).labelled(&["Pick"])]),
        format!(r#"{{"type":"string",{offered},"description":"Pick"}}"#)
    );
    assert_eq!(
        only(&[select("a", true, &options).described("pd")]),
        format!(
            r#"{{"type":"array","items":{{"type":"string",{offered}}},"uniqueItems":true,"description":"pd"}}"#
        )
    );
}

#[test]
fn a_select_without_options_leaves_the_lists_out() {
    assert_eq!(only(&[select("a", false, &[])]), r#"{"type":"string"}"#);
    assert_eq!(
        only(&[select("a", true, &[])]),
        r#"{"type":"array","items":{"type":"string"},"uniqueItems":true}"#
    );
}

#[test]
fn descriptions_come_from_the_first_place_that_has_one() {
    let described = |control: Control| described_by(&control).map(Cow::into_owned);
    let all = text("a")
        .described("  ")
        .labelled(&["L"])
        .aria_described("ad");
    assert_eq!(described(all).as_deref(), Some("  "));
    assert_eq!(
        described(text("a").labelled(&["L"]).aria_described("ad")).as_deref(),
        Some("L")
    );
    assert_eq!(
        described(text("a").labelled(&["  "]).aria_described("ad")).as_deref(),
        Some("ad")
    );
    assert_eq!(described(text("a").labelled(&["  "])), None);
    assert_eq!(described(text("a")), None);
}

#[test]
fn labels_are_trimmed_and_joined() {
    let label = |labels: &[&str]| label_text(&text("a").labelled(labels));
    assert_eq!(
        label(&["First", " Second\n"]).as_deref(),
        Some("First; Second")
    );
    assert_eq!(label(&["", "Full"]).as_deref(), Some("; Full"));
    assert_eq!(
        label(&["Your \n\t  name"]).as_deref(),
        Some("Your \n\t  name")
    );
    assert_eq!(label(&["\u{a0}x"]).as_deref(), Some("\u{a0}x"));
    assert_eq!(label(&[]), None);
}
