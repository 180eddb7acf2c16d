/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The controls of a form in plain words, as the engine reads them from the tree.

/// A listed element of a form, or a form-associated custom element.
///
/// `object` elements and images are left out: they have no part in parameters, nor in their names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Control {
    /// The `name` attribute as it stands; empty without one.
    pub name: String,
    /// What kind of control it is.
    pub kind: ControlKind,
    /// Whether it has the `required` attribute.
    pub is_required: bool,
    /// Whether it is disabled, by itself or by a fieldset.
    pub is_disabled: bool,
    /// Whether it has the `readonly` attribute, whether or not that applies to its kind.
    pub is_read_only: bool,
    /// The `toolparamdescription` attribute; empty without one.
    pub parameter_description: String,
    /// The `aria-description` attribute; empty without one.
    pub aria_description: String,
    /// The text of each of its labels, in tree order, as it stands.
    pub labels: Vec<String>,
}

/// What kind of control it is, with the attributes that matter for that kind.
///
/// A `pattern` is `Some` only if it is a regular expression of the engine with the `v` flag.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ControlKind {
    /// An input of type text, search, tel, url, email, password, or of a type that does not exist.
    Text {
        /// The `pattern` attribute.
        pattern: Option<String>,
    },
    /// An input of type hidden.
    Hidden {
        /// The `pattern` attribute.
        pattern: Option<String>,
    },
    /// A `textarea`.
    TextArea,
    /// An input of type number.
    Number {
        /// Its bounds.
        bounds: NumberAttributes,
        /// The `pattern` attribute.
        pattern: Option<String>,
    },
    /// An input of type range.
    Range(NumberAttributes),
    /// An input of type date.
    Date,
    /// An input of type time.
    Time {
        /// The `step` attribute.
        step: Option<String>,
    },
    /// An input of type datetime-local.
    DateTimeLocal {
        /// The `step` attribute.
        step: Option<String>,
    },
    /// An input of type month.
    Month,
    /// An input of type week.
    Week,
    /// An input of type color.
    Color,
    /// An input of type checkbox.
    Checkbox {
        /// What it stands for when checked: its `value` attribute, or "on".
        value: String,
    },
    /// An input of type radio.
    Radio {
        /// What it stands for when checked: its `value` attribute, or "on".
        value: String,
    },
    /// A `select`.
    Select {
        /// Whether it has the `multiple` attribute.
        is_multiple: bool,
        /// Its options, in tree order.
        options: Vec<SelectOption>,
    },
    /// A control that is never a parameter but takes its name: a file input, a button of any sort,
    /// an `output`, a `fieldset`, a form-associated custom element.
    Other,
}

/// The attributes of a number, as they stand.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct NumberAttributes {
    /// The `min` attribute.
    pub min: Option<String>,
    /// The `max` attribute.
    pub max: Option<String>,
    /// The `step` attribute.
    pub step: Option<String>,
    /// The `value` attribute, not the present value.
    pub value: Option<String>,
}

/// An option of a `select`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SelectOption {
    /// Its value: the attribute, else its text.
    pub value: String,
    /// Its `textContent`, as it stands.
    pub text: String,
}
