/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::collections::HashSet;

use modelcontext::form::{Control, ControlKind, NumberAttributes, SelectOption, synthesize};
use proptest::prelude::*;
use serde_json::Value;

use super::{controls, named, schema};

/// The schema of a number with these attributes.
fn of_number(min: String, step: String) -> Value {
    let bounds = NumberAttributes {
        min: Some(min),
        step: Some(step),
        ..NumberAttributes::default()
    };
    let mut schema = schema(&[named(
        "a",
        ControlKind::Number {
            bounds,
            pattern: None,
        },
    )]);
    schema["properties"]["a"].take()
}

/// `integer` with so many digits behind the point.
fn with_fraction(integer: u64, digits: usize) -> String {
    let text = format!("{integer:0width$}", width = digits + 1);
    let (whole, fraction) = text.split_at(text.len() - digits);
    if digits == 0 {
        text
    } else {
        format!("{whole}.{fraction}")
    }
}

/// That many controls of one kind, with names of equal length.
fn many(count: usize, kind: &ControlKind) -> Vec<Control> {
    (0..count)
        .map(|number| named(&format!("{number:05}"), kind.clone()))
        .collect()
}

proptest! {
    #[test]
    fn a_schema_is_one_of_2020_12(controls in controls()) {
        let schema = schema(&controls);
        prop_assert!(jsonschema::draft202012::meta::validate(&schema).is_ok(), "{schema}");
        prop_assert!(jsonschema::draft202012::new(&schema).is_ok(), "{schema}");
    }

    #[test]
    fn required_parameters_are_parameters_and_each_stands_once(controls in controls()) {
        let schema = schema(&controls);
        let required: Vec<_> = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        prop_assert_eq!(required.iter().collect::<HashSet<_>>().len(), required.len());
        for name in required {
            prop_assert!(schema["properties"].get(name).is_some());
        }
    }

    #[test]
    fn disabled_controls_change_nothing(controls in controls()) {
        let enabled: Vec<_> = controls.iter().filter(|control| !control.is_disabled).cloned().collect();
        prop_assert_eq!(synthesize(&controls), synthesize(&enabled));
    }

    #[test]
    fn a_step_divides_exactly_what_it_divides(
        divisor in 1_u64..100_000,
        factor in 0_u64..100_000,
        remainder in any::<u64>(),
        digits in 0_usize..8,
    ) {
        let step = with_fraction(divisor, digits);
        let schema = of_number(with_fraction(divisor * factor, digits), step.clone());
        prop_assert_eq!(schema["multipleOf"].as_f64(), Some(step.parse().unwrap()));
        let remainder = remainder % divisor;
        let schema = of_number(with_fraction(divisor * factor + remainder, digits), step);
        prop_assert_eq!(schema.get("multipleOf").is_some(), remainder == 0);
    }

    #[test]
    fn bounds_are_the_nearest_numbers(min in any::<f64>().prop_filter("finite", |min| min.is_finite())) {
        let schema = of_number(format!("{min:e}"), "any".to_owned());
        prop_assert_eq!(schema["minimum"].as_f64(), Some(min));
    }
}

#[test]
fn a_schema_grows_with_the_form() {
    let option = |value: usize| SelectOption {
        value: format!("{value:05}"),
        text: "x".to_owned(),
    };
    let options = (0..10).map(option).collect();
    let kinds = [
        ControlKind::Date,
        ControlKind::Radio {
            value: "x".to_owned(),
        },
        ControlKind::Select {
            is_multiple: true,
            options,
        },
    ];
    for kind in kinds {
        let sizes = [1_000, 10_000].map(|count| synthesize(&many(count, &kind)).len());
        assert!(sizes[1] <= 10 * sizes[0], "{sizes:?} for {kind:?}");
    }
}

#[test]
fn a_group_grows_with_its_members() {
    let group = |count: usize| -> Vec<_> {
        let checkbox = |value: usize| ControlKind::Checkbox {
            value: format!("{value:05}"),
        };
        (0..count)
            .map(|value| named("a", checkbox(value)))
            .collect()
    };
    let sizes = [1_000, 10_000].map(|count| synthesize(&group(count)).len());
    assert!(sizes[1] <= 10 * sizes[0], "{sizes:?}");
}
