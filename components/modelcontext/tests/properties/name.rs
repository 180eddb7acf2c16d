/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use modelcontext::{InvalidToolName, ToolName};
use proptest::prelude::*;

/// Texts near the border of what a name is, besides any text at all.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-zA-Z0-9_.-]{0,130}",
        "[a-zA-Z0-9_.-]{126,130}",
        "[a-z._-]{0,5}[ -~]{0,2}[a-z._-]{0,5}",
        "[a-z]{120,127}[é😀]{0,6}",
    ]
}

/// The rule in its plainest words.
fn is_name(text: &str) -> bool {
    const ALLOWED: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    (1..=128).contains(&text.len()) && text.chars().all(|character| ALLOWED.contains(character))
}

proptest! {
    #[test]
    fn parsing_agrees_with_the_rule(text in text()) {
        prop_assert_eq!(ToolName::parse(&text).is_ok(), is_name(&text));
    }

    #[test]
    fn a_name_is_the_text_it_was_parsed_from(text in "[a-zA-Z0-9_.-]{1,128}") {
        let name = ToolName::parse(&text)?;
        prop_assert_eq!(name.as_str(), &text);
        prop_assert_eq!(name.to_string(), text);
    }

    #[test]
    fn the_reason_given_is_true_of_the_text(text in text()) {
        match ToolName::parse(&text) {
            Ok(_) => {},
            Err(InvalidToolName::Empty) => prop_assert_eq!(text, ""),
            Err(InvalidToolName::TooLong { length }) => {
                prop_assert_eq!(length, text.encode_utf16().count());
                prop_assert!(length > 128);
            },
            Err(InvalidToolName::ForbiddenCharacter { character, index }) => {
                prop_assert_eq!(text.chars().nth(index), Some(character));
                prop_assert!(!is_name(&character.to_string()));
                prop_assert!(text.chars().take(index).all(|before| is_name(&before.to_string())));
            },
            Err(other) => prop_assert!(false, "unknown reason {other:?}"),
        }
    }

    #[test]
    fn the_wire_lets_in_what_parsing_lets_in(text in text()) {
        let json = serde_json::to_string(&text)?;
        prop_assert_eq!(serde_json::from_str::<ToolName>(&json).ok(), ToolName::parse(&text).ok());
    }

    #[test]
    fn names_are_ordered_as_their_code_units(
        a in "[a-zA-Z0-9_.-]{1,4}",
        b in "[a-zA-Z0-9_.-]{1,4}",
    ) {
        let by_code_unit = a.encode_utf16().cmp(b.encode_utf16());
        prop_assert_eq!(ToolName::parse(&a)?.cmp(&ToolName::parse(&b)?), by_code_unit);
    }
}
