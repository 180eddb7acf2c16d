/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Controls for the tests.

use super::control::{Control, ControlKind, NumberAttributes, SelectOption};

/// A control of that name and kind, with nothing else about it.
pub(super) fn control(name: &str, kind: ControlKind) -> Control {
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

/// A text input.
pub(super) fn text(name: &str) -> Control {
    control(name, ControlKind::Text { pattern: None })
}

/// A hidden input.
pub(super) fn hidden(name: &str) -> Control {
    control(name, ControlKind::Hidden { pattern: None })
}

/// A checkbox.
pub(super) fn checkbox(name: &str, value: &str) -> Control {
    let value = value.to_owned();
    control(name, ControlKind::Checkbox { value })
}

/// A radio button.
pub(super) fn radio(name: &str, value: &str) -> Control {
    let value = value.to_owned();
    control(name, ControlKind::Radio { value })
}

/// A number input.
pub(super) fn number(name: &str, bounds: NumberAttributes) -> Control {
    control(
        name,
        ControlKind::Number {
            bounds,
            pattern: None,
        },
    )
}

/// A `select` of one or several options, which are pairs of value and text.
pub(super) fn select(name: &str, is_multiple: bool, options: &[(&str, &str)]) -> Control {
    let option = |&(value, text): &(&str, &str)| SelectOption {
        value: value.to_owned(),
        text: text.to_owned(),
    };
    let options = options.iter().map(option).collect();
    control(
        name,
        ControlKind::Select {
            is_multiple,
            options,
        },
    )
}

/// The attributes of a number; an empty text stands for an attribute that is not there.
pub(super) fn bounds(min: &str, max: &str, step: &str, value: &str) -> NumberAttributes {
    let attribute = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    NumberAttributes {
        min: attribute(min),
        max: attribute(max),
        step: attribute(step),
        value: attribute(value),
    }
}

/// What can be said of a control besides its name and kind.
impl Control {
    /// Makes it required.
    pub(super) fn required(self) -> Control {
        Control {
            is_required: true,
            ..self
        }
    }

    /// Makes it disabled.
    pub(super) fn disabled(self) -> Control {
        Control {
            is_disabled: true,
            ..self
        }
    }

    /// Makes it read-only.
    pub(super) fn read_only(self) -> Control {
        Control {
            is_read_only: true,
            ..self
        }
    }

    /// Gives it a `toolparamdescription`.
    pub(super) fn described(self, description: &str) -> Control {
        Control {
            parameter_description: description.to_owned(),
            ..self
        }
    }

    /// Gives it an `aria-description`.
    pub(super) fn aria_described(self, description: &str) -> Control {
        Control {
            aria_description: description.to_owned(),
            ..self
        }
    }

    /// Gives it labels.
    pub(super) fn labelled(self, labels: &[&str]) -> Control {
        Control {
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            ..self
        }
    }
}
