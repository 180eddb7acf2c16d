/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The input of a form's tool.

use indexmap::IndexMap;
use serde_json::Value;
use serde_json::error::Category;

use super::refusal;
use crate::ToolFailure;

/// The members of `input`, which must be the text of a JSON object, in the order in which a page sees
/// them: those that look like indices of an array come first.
pub(super) fn members(input: &str) -> Result<Vec<(String, Value)>, ToolFailure> {
    let json = replace_lone_surrogates(input);
    let members: IndexMap<String, Value> =
        serde_json::from_slice(&json).map_err(|error| match error.classify() {
            Category::Data => refusal::not_an_object(),
            Category::Io | Category::Syntax | Category::Eof => refusal::not_json(&error),
        })?;
    let mut members: Vec<_> = members.into_iter().collect();
    // Sorting leaves all others in their order, since their position is the same.
    members.sort_by_key(|(name, _)| position(name));
    Ok(members)
}

/// The number that `name` is the text of, if it is an index of an array, else one that is larger than
/// all indices.
///
/// <https://tc39.es/ecma262/#array-index>
fn position(name: &str) -> u32 {
    let index = name
        .parse()
        .ok()
        .filter(|index: &u32| index.to_string() == name);
    index.unwrap_or(u32::MAX)
}

/// `json` with U+FFFD for every lone surrogate. `JSON.stringify()` writes such, as escapes, and here
/// no text can hold them.
fn replace_lone_surrogates(json: &str) -> Vec<u8> {
    const REPLACEMENT: &[u8; 6] = br"\ufffd";
    let mut json = json.as_bytes().to_vec();
    let mut start = 0;
    while let Some(escape) = next_escape(&json, start) {
        let second = escape + REPLACEMENT.len();
        start = match code_unit(&json, escape) {
            Some(0xd800..=0xdbff) if matches!(code_unit(&json, second), Some(0xdc00..=0xdfff)) => {
                second + REPLACEMENT.len()
            }
            Some(0xd800..=0xdfff) => {
                json[escape..second].copy_from_slice(REPLACEMENT);
                second
            }
            // What is escaped may be a backslash.
            _ => escape + 2,
        };
    }
    json
}

/// Where the next backslash is.
fn next_escape(json: &[u8], start: usize) -> Option<usize> {
    let rest = json.get(start..)?;
    Some(start + rest.iter().position(|&byte| byte == b'\\')?)
}

/// The code unit whose escape starts at `start`.
fn code_unit(json: &[u8], start: usize) -> Option<u16> {
    let digits = json.get(start..start + 6)?.strip_prefix(br"\u")?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolFailureKind;

    /// The names of the members of an object.
    fn names(input: &str) -> Vec<String> {
        let members = members(input).expect("an object");
        members.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn members_are_in_the_order_of_javascript() {
        assert_eq!(
            names(r#"{"b":0,"2":0,"a":0,"10":0,"1":0}"#),
            ["1", "2", "10", "b", "a"]
        );
        assert_eq!(
            names(r#"{"b":0,"01":0,"+1":0,"-1":0,"1.0":0,"":0,"0":0}"#),
            ["0", "b", "01", "+1", "-1", "1.0", ""]
        );
        assert_eq!(
            names(r#"{"a":0,"4294967296":0,"4294967295":0,"4294967294":0}"#),
            ["4294967294", "a", "4294967296", "4294967295"]
        );
    }

    #[test]
    fn the_last_member_of_a_name_counts_at_the_place_of_the_first() {
        let members = members(r#"{"a":1,"b":2,"a":3}"#).unwrap();
        assert_eq!(
            members,
            [
                ("a".to_owned(), Value::from(3)),
                ("b".to_owned(), Value::from(2))
            ]
        );
    }

    #[test]
    fn lone_surrogates_are_replaced() {
        let cases = [
            (r"\ud800", "\u{fffd}"),
            (r"\uDFFFx", "\u{fffd}x"),
            (r"\ud83d\ude00", "😀"),
            (r"\ude00\ud83d", "\u{fffd}\u{fffd}"),
            (r"\ud83d\ud83d\ude00", "\u{fffd}😀"),
            (r"\\ud800", r"\ud800"),
            (r"\\\ud800", "\\\u{fffd}"),
            (r"\n\u0041é", "\nAé"),
        ];
        for (escaped, text) in cases {
            let members = members(&format!(r#"{{"{escaped}":"{escaped}"}}"#)).unwrap();
            assert_eq!(members, [(text.to_owned(), Value::from(text))], "{escaped}");
        }
    }

    #[test]
    fn numbers_keep_all_digits() {
        let value = &members(r#"{"a":33.333333333333336}"#).unwrap()[0].1;
        assert_eq!(value.as_f64(), Some(33.333333333333336));
        let value = &members(r#"{"a":5.0000000000000006e-5}"#).unwrap()[0].1;
        assert_eq!(
            value.as_f64(),
            Some("5.0000000000000006e-5".parse().unwrap())
        );
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for input in ["[]", r#"["x"]"#, r#""x""#, "5", "true", "null"] {
            let failure = members(input).unwrap_err();
            assert_eq!(failure.kind, ToolFailureKind::InvalidInput);
            assert!(
                failure.message.contains("not an object"),
                "{input}: {failure}"
            );
        }
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let deep = format!("{{\"a\":{}", "[".repeat(100_000));
        let inputs = [
            "",
            "{",
            "x",
            r#"{"a":}"#,
            r#"{"a":"\"#,
            r#"{"a":"\ud8"#,
            r#"{"a":"\é"}"#,
            r#"{"a":"\u+d80"}"#,
            "{} {}",
            r#"{"a":1e999}"#,
            "undefined",
            &deep,
        ];
        for input in inputs {
            let failure = members(input).unwrap_err();
            assert_eq!(failure.kind, ToolFailureKind::InvalidInput);
            assert!(failure.message.contains("as JSON"), "{failure}");
        }
    }
}
