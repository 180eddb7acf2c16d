/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Tool names, parsed once into a type that cannot hold an invalid one.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The longest tool name, in code units.
const MAX_LENGTH: usize = 128;

/// <https://webmachinelearning.github.io/webmcp/#tool-definition-name>
///
/// The name of a tool: 1 to 128 characters, each an ASCII letter or digit, `_`, `-` or `.`.
///
/// Ordering is by code unit, which is the order in which `getTools()` lists tools. Serialises as a
/// string; deserialising checks the rule again, so a name from the wire is as trustworthy as a
/// parsed one.
#[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(try_from = "String")]
pub struct ToolName(Box<str>);

impl ToolName {
    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-registertool>
    ///
    /// Checks `name` against the rule of step 11 of `registerTool()` and keeps a copy of it.
    ///
    /// # Errors
    ///
    /// The first rule that `name` breaks, in the order of the step: empty, too long, forbidden
    /// character.
    pub fn parse(name: &str) -> Result<ToolName, InvalidToolName> {
        check(name)?;
        Ok(ToolName(name.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl AsRef<str> for ToolName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Lets maps that are keyed by name be searched by any text.
impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl FromStr for ToolName {
    type Err = InvalidToolName;

    fn from_str(name: &str) -> Result<ToolName, InvalidToolName> {
        ToolName::parse(name)
    }
}

impl TryFrom<String> for ToolName {
    type Error = InvalidToolName;

    fn try_from(name: String) -> Result<ToolName, InvalidToolName> {
        check(&name)?;
        Ok(ToolName(name.into_boxed_str()))
    }
}

/// Why a text is not a tool name. All reasons are an `InvalidStateError` for `registerTool()`.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum InvalidToolName {
    /// There is no character at all.
    #[error("a tool name must not be empty")]
    Empty,

    /// There are more than 128 code units.
    #[error("a tool name has at most {MAX_LENGTH} characters, this one has {length}")]
    TooLong {
        /// How many UTF-16 code units the text has.
        length: usize,
    },

    /// There is a character other than an ASCII letter or digit, `_`, `-` or `.`.
    #[error(
        "a tool name consists of ASCII letters, digits, '_', '-' and '.', but has {character:?} at index {index}"
    )]
    ForbiddenCharacter {
        /// The first such character.
        character: char,
        /// How many characters stand before it.
        index: usize,
    },
}

fn check(name: &str) -> Result<(), InvalidToolName> {
    if name.is_empty() {
        return Err(InvalidToolName::Empty);
    }
    let length = name.encode_utf16().count();
    if length > MAX_LENGTH {
        return Err(InvalidToolName::TooLong { length });
    }
    match name
        .chars()
        .enumerate()
        .find(|&(_, character)| !is_allowed(character))
    {
        Some((index, character)) => Err(InvalidToolName::ForbiddenCharacter { character, index }),
        None => Ok(()),
    }
}

fn is_allowed(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.')
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[track_caller]
    fn refused(name: &str) -> InvalidToolName {
        ToolName::parse(name).expect_err("the name is invalid")
    }

    #[test]
    fn letters_digits_and_three_marks_make_a_name() {
        for name in ["a", "Z", "0", "-", ".", "_", "add-to_cart.v2", "..."] {
            assert_eq!(ToolName::parse(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn an_empty_name_is_refused() {
        assert_eq!(refused(""), InvalidToolName::Empty);
    }

    #[test]
    fn a_name_has_at_most_128_characters() {
        assert!(ToolName::parse(&"n".repeat(128)).is_ok());
        assert_eq!(
            refused(&"n".repeat(129)),
            InvalidToolName::TooLong { length: 129 }
        );
    }

    #[test]
    fn length_is_told_in_code_units_and_before_characters() {
        assert_eq!(
            refused(&"😀".repeat(65)),
            InvalidToolName::TooLong { length: 130 }
        );
        assert_eq!(
            refused(&"😀".repeat(64)),
            InvalidToolName::ForbiddenCharacter {
                character: '😀',
                index: 0
            }
        );
    }

    #[test]
    fn the_first_forbidden_character_is_told() {
        assert_eq!(
            refused("ab c!"),
            InvalidToolName::ForbiddenCharacter {
                character: ' ',
                index: 2
            }
        );
        assert_eq!(
            refused("né"),
            InvalidToolName::ForbiddenCharacter {
                character: 'é',
                index: 1
            }
        );
        assert_eq!(
            refused("a\0"),
            InvalidToolName::ForbiddenCharacter {
                character: '\0',
                index: 1
            }
        );
    }

    #[test]
    fn all_other_ascii_punctuation_is_refused() {
        for character in (0..=127u8).map(char::from) {
            let valid = character.is_ascii_alphanumeric() || "_-.".contains(character);
            assert_eq!(
                ToolName::parse(&format!("a{character}")).is_ok(),
                valid,
                "{character:?}"
            );
        }
    }

    #[test]
    fn messages_name_the_reason() {
        assert_eq!(refused("").to_string(), "a tool name must not be empty");
        assert_eq!(
            refused(&"n".repeat(200)).to_string(),
            "a tool name has at most 128 characters, this one has 200"
        );
        assert_eq!(
            refused("a b").to_string(),
            "a tool name consists of ASCII letters, digits, '_', '-' and '.', but has ' ' at index 1"
        );
    }

    #[test]
    fn names_are_ordered_by_code_unit() {
        let mut names =
            ["b", "a.b", "a", "B", "a_b", "a-b", "1"].map(|name| ToolName::parse(name).unwrap());
        names.sort();
        assert_eq!(
            names.map(|name| name.to_string()),
            ["1", "B", "a", "a-b", "a.b", "a_b", "b"]
        );
    }

    #[test]
    fn a_set_of_names_is_searched_by_text() {
        let names = HashSet::from([ToolName::parse("search").unwrap()]);
        assert!(names.contains("search"));
        assert!(!names.contains("not a name"));
    }

    #[test]
    fn a_name_is_a_string_on_the_wire() {
        let name: ToolName = "search".parse().unwrap();
        let text = serde_json::to_string(&name).unwrap();
        assert_eq!(text, r#""search""#);
        assert_eq!(serde_json::from_str::<ToolName>(&text).unwrap(), name);
    }

    #[test]
    fn an_invalid_name_does_not_come_in_from_the_wire() {
        let error = serde_json::from_str::<ToolName>(r#""no spaces""#).unwrap_err();
        assert!(error.to_string().contains("has ' ' at index 2"), "{error}");
        assert!(serde_json::from_str::<ToolName>("7").is_err());
    }
}
