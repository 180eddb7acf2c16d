/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use super::*;
use crate::form::testing::{checkbox, control, hidden, number, radio, select, text};
use crate::form::{ControlKind, NumberAttributes};

/// The names of the parameters, with the indices of the controls of each.
fn names(controls: &[Control]) -> Vec<(String, Vec<usize>)> {
    let indices = |field: &Field| match field {
        Field::Single { index, .. } => vec![*index],
        Field::Checkboxes(choices) | Field::Radios(choices) => {
            choices.iter().map(|choice| choice.index).collect()
        }
    };
    parameters(controls)
        .iter()
        .map(|parameter| (parameter.name.to_owned(), indices(&parameter.field)))
        .collect()
}

/// Every kind of control, all of the same name.
fn all_kinds(name: &str) -> Vec<Control> {
    let kinds = [
        ControlKind::TextArea,
        ControlKind::Range(NumberAttributes::default()),
        ControlKind::Date,
        ControlKind::Time { step: None },
        ControlKind::DateTimeLocal { step: None },
        ControlKind::Month,
        ControlKind::Week,
        ControlKind::Color,
        ControlKind::Other,
    ];
    let mut controls: Vec<_> = kinds.into_iter().map(|kind| control(name, kind)).collect();
    controls.extend([
        text(name),
        hidden(name),
        number(name, NumberAttributes::default()),
        checkbox(name, "x"),
        radio(name, "x"),
        select(name, false, &[("x", "x")]),
    ]);
    controls
}

#[test]
fn parameters_are_in_tree_order() {
    let controls = [
        text("z"),
        checkbox("2", "x"),
        text("1"),
        checkbox("2", "y"),
        text("a"),
    ];
    assert_eq!(
        names(&controls),
        [
            ("z".to_owned(), vec![0]),
            ("2".to_owned(), vec![1, 3]),
            ("1".to_owned(), vec![2]),
            ("a".to_owned(), vec![4])
        ]
    );
}

#[test]
fn names_are_trimmed_of_ascii_white_space() {
    let controls = [
        text(" \t\n\u{c}\ra b \r"),
        text("\u{a0}c\u{a0}"),
        text("\u{b}"),
        text(" "),
    ];
    let names: Vec<_> = names(&controls).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a b", "\u{a0}c\u{a0}", "\u{b}", ""]);
}

#[test]
fn a_control_without_name_has_the_empty_one() {
    assert_eq!(names(&[text("")]), [(String::new(), vec![0])]);
    assert_eq!(names(&[text(""), control("", ControlKind::Other)]), []);
    assert_eq!(names(&[text(""), text(" ")]), []);
    assert_eq!(
        names(&[radio("", "x"), radio("", "y")]),
        [(String::new(), vec![0, 1])]
    );
}

#[test]
fn a_name_that_two_controls_have_is_left_out() {
    for first in all_kinds("a") {
        for second in all_kinds("a ") {
            let is_group = matches!(
                (&first.kind, &second.kind),
                (ControlKind::Checkbox { .. }, ControlKind::Checkbox { .. })
                    | (ControlKind::Radio { .. }, ControlKind::Radio { .. })
            );
            let controls = [first.clone(), second, text("b")];
            assert_eq!(
                names(&controls).len(),
                if is_group { 2 } else { 1 },
                "{controls:?}"
            );
        }
    }
}

#[test]
fn names_differ_in_case() {
    assert_eq!(names(&[checkbox("a", "x"), checkbox("A", "y")]).len(), 2);
}

#[test]
fn disabled_controls_neither_are_parameters_nor_take_names() {
    for control in all_kinds("a") {
        let controls = [control.disabled(), text("a")];
        assert_eq!(
            names(&controls),
            [("a".to_owned(), vec![1])],
            "{controls:?}"
        );
    }
}

#[test]
fn read_only_controls_are_skipped_where_that_applies() {
    for control in all_kinds("a") {
        let is_skipped = read_only_applies(&control.kind);
        let controls = [control.read_only(), text("a")];
        assert_eq!(
            names(&controls).len(),
            usize::from(is_skipped),
            "{controls:?}"
        );
    }
    let applies = all_kinds("")
        .into_iter()
        .filter(|control| read_only_applies(&control.kind));
    assert_eq!(applies.count(), 8);
}

#[test]
fn hidden_controls_are_parameters_if_they_are_described() {
    assert_eq!(names(&[hidden("a")]), []);
    assert_eq!(
        names(&[hidden("a").labelled(&["L"]).aria_described("D")]),
        []
    );
    assert_eq!(names(&[hidden("a").described("D")]).len(), 1);
}

#[test]
fn what_is_no_parameter_takes_its_name_all_the_same() {
    assert_eq!(names(&[hidden("a"), checkbox("a", "1")]), []);
    assert_eq!(names(&[control("a", ControlKind::Other), text("a")]), []);
    assert_eq!(names(&[control("a", ControlKind::Other)]), []);
}

#[test]
fn a_group_of_which_one_is_enabled_is_that_one() {
    let boxes = [checkbox("a", "x"), checkbox("a", "y").disabled()];
    assert!(matches!(
        parameters(&boxes)[0].field,
        Field::Single { index: 0, .. }
    ));
    let buttons = [radio("a", "x").disabled(), radio("a", "y")];
    assert!(matches!(&parameters(&buttons)[0].field, Field::Radios(choices) if choices.len() == 1));
}

#[test]
fn a_group_is_required_if_any_of_it_is() {
    let is_required = |controls: &[Control]| parameters(controls)[0].is_required;
    assert!(is_required(&[text("a").required()]));
    assert!(!is_required(&[text("a")]));
    assert!(is_required(&[
        checkbox("a", "x"),
        checkbox("a", "y").required()
    ]));
    assert!(is_required(&[radio("a", "x"), radio("a", "y").required()]));
    assert!(!is_required(&[
        radio("a", "x"),
        radio("a", "y"),
        radio("a", "z").required().disabled()
    ]));
}
