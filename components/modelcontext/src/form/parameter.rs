/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Which parameters the controls of a form make.

use indexmap::IndexMap;

use super::control::{Control, ControlKind};

/// A parameter of a form's tool.
#[derive(Clone, Debug)]
pub(super) struct Parameter<'a> {
    /// Its name, which no other parameter of the form has.
    pub(super) name: &'a str,
    /// Whether any of its controls is required.
    pub(super) is_required: bool,
    /// The controls that it fills.
    pub(super) field: Field<'a>,
}

/// The controls that a parameter fills.
#[derive(Clone, Debug)]
pub(super) enum Field<'a> {
    /// One control, which is no radio button.
    Single {
        /// Its index among the form's controls.
        index: usize,
        /// The control.
        control: &'a Control,
    },
    /// Two checkboxes or more.
    Checkboxes(Vec<Choice<'a>>),
    /// Radio buttons, or one alone.
    Radios(Vec<Choice<'a>>),
}

/// A checkbox or radio button of a group.
#[derive(Clone, Debug)]
pub(super) struct Choice<'a> {
    /// Its index among the form's controls.
    pub(super) index: usize,
    /// The control.
    pub(super) control: &'a Control,
    /// What it stands for.
    pub(super) value: &'a str,
}

/// The parameters that `controls`, the listed elements of a form in tree order, make.
pub(super) fn parameters(controls: &[Control]) -> Vec<Parameter<'_>> {
    let mut by_name = IndexMap::<&str, Vec<(usize, &Control)>>::new();
    for (index, control) in controls.iter().enumerate() {
        if takes_its_name(control) {
            by_name
                .entry(trim(&control.name))
                .or_default()
                .push((index, control));
        }
    }
    by_name
        .into_iter()
        .filter_map(|(name, members)| parameter(name, &members))
        .collect()
}

/// The parameter that the controls of one name make, if they make one.
fn parameter<'a>(name: &'a str, members: &[(usize, &'a Control)]) -> Option<Parameter<'a>> {
    Some(Parameter {
        name,
        is_required: members.iter().any(|(_, control)| control.is_required),
        field: field(members)?,
    })
}

/// `text` without ASCII white space at its ends.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_ascii_whitespace())
}

/// Whether no other control of the form can have this one's name, unless they make a group.
fn takes_its_name(control: &Control) -> bool {
    let is_read_only = control.is_read_only && read_only_applies(&control.kind);
    !control.is_disabled && !is_read_only
}

/// Whether the `readonly` attribute means anything for a control of that kind.
///
/// <https://html.spec.whatwg.org/multipage/#the-readonly-attribute>
fn read_only_applies(kind: &ControlKind) -> bool {
    match kind {
        ControlKind::Text { .. }
        | ControlKind::TextArea
        | ControlKind::Number { .. }
        | ControlKind::Date
        | ControlKind::Time { .. }
        | ControlKind::DateTimeLocal { .. }
        | ControlKind::Month
        | ControlKind::Week => true,
        ControlKind::Hidden { .. }
        | ControlKind::Range(_)
        | ControlKind::Color
        | ControlKind::Checkbox { .. }
        | ControlKind::Radio { .. }
        | ControlKind::Select { .. }
        | ControlKind::Other => false,
    }
}

/// What the controls that share a name are to a parameter, if they make one.
fn field<'a>(members: &[(usize, &'a Control)]) -> Option<Field<'a>> {
    match *members {
        [(index, control)] if !matches!(control.kind, ControlKind::Radio { .. }) => {
            can_be_filled(control).then_some(Field::Single { index, control })
        }
        _ => checkboxes(members).or_else(|| radios(members)),
    }
}

/// Whether an agent can fill a control: a hidden one only if the page describes it.
fn can_be_filled(control: &Control) -> bool {
    match control.kind {
        ControlKind::Hidden { .. } => !control.parameter_description.is_empty(),
        ControlKind::Other => false,
        _ => true,
    }
}

/// A group of checkboxes, if all `members` are some.
fn checkboxes<'a>(members: &[(usize, &'a Control)]) -> Option<Field<'a>> {
    let choice = |&(index, control): &(usize, &'a Control)| match &control.kind {
        ControlKind::Checkbox { value } => Some(Choice {
            index,
            control,
            value,
        }),
        _ => None,
    };
    members
        .iter()
        .map(choice)
        .collect::<Option<_>>()
        .map(Field::Checkboxes)
}

/// A group of radio buttons, if all `members` are some.
fn radios<'a>(members: &[(usize, &'a Control)]) -> Option<Field<'a>> {
    let choice = |&(index, control): &(usize, &'a Control)| match &control.kind {
        ControlKind::Radio { value } => Some(Choice {
            index,
            control,
            value,
        }),
        _ => None,
    };
    members
        .iter()
        .map(choice)
        .collect::<Option<_>>()
        .map(Field::Radios)
}

#[cfg(test)]
mod tests;
