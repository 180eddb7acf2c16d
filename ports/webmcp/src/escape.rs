/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! How text of a page is made harmless: one way for terminals, one for JSON.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` for a terminal, in as many lines as it has. What would command the terminal, reorder text or hide in it is
/// written as `\u{…}`. Line ends and tabs stay.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    let acts = |character| acts_unseen(character) && !matches!(character, '\n' | '\t');
    escape(text, acts, |safe, character| {
        safe.extend(character.escape_unicode());
    })
}

/// `text` for a place that has one line, such as a row of a list: line ends and tabs are written out too.
pub fn in_row(text: &str) -> Cow<'_, str> {
    escape(text, acts_unseen, |safe, character| match character {
        '\n' | '\t' => safe.extend(character.escape_debug()),
        _ => safe.extend(character.escape_unicode()),
    })
}

/// `text` for a message of this program. Lines after the first are indented, so that none can pass for another message.
pub fn in_message(text: &str) -> Cow<'_, str> {
    let text = for_terminal(text);
    if text.contains('\n') {
        Cow::Owned(text.replace('\n', "\n    "))
    } else {
        text
    }
}

/// JSON that means the same as `json`, in which nothing commands a terminal, reorders text or hides in it.
pub fn for_json(json: &str) -> Cow<'_, str> {
    // Outside of strings, JSON has none of them but white space; and in strings there is no raw white space but the
    // blank.
    let acts = |character| acts_unseen(character) && !matches!(character, '\n' | '\t' | '\r');
    escape(json, acts, |safe, character| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(safe, "\\u{unit:04x}");
        }
    })
}

/// Whether a reader does not see the character, but perhaps what it does: it is a control character, separates lines,
/// reorders text or has no width.
fn acts_unseen(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}' | '\u{1160}'
                | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                // The two that follow these choose between the pictures and the letters of a character.
                | '\u{fe00}'..='\u{fe0d}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

fn escape(
    text: &str,
    is_meant: impl Fn(char) -> bool,
    write: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    if !text.contains(&is_meant) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_meant(character) {
            write(&mut safe, character);
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// One of each kind: C0, delete, C1, separators, bidi marks and overrides, without width, tags.
    const UNSEEN: &str = "\u{1b}\u{7}\r\u{7f}\u{85}\u{9b}\u{2028}\u{2029}\u{200e}\u{202e}\u{2066}\u{61c}\u{200b}\u{200d}\
                          \u{2060}\u{feff}\u{ad}\u{3164}\u{e0041}\u{e0101}";

    #[test]
    fn a_terminal_gets_no_command() {
        assert_eq!(
            for_terminal("a\u{1b}[2Jb\rc\u{9b}d"),
            r"a\u{1b}[2Jb\u{d}c\u{9b}d"
        );
        assert_eq!(for_terminal("left\u{202e}right"), r"left\u{202e}right");
        for character in UNSEEN.chars() {
            let text = character.to_string();
            let escaped = character.escape_unicode().to_string();
            assert_eq!(for_terminal(&text), escaped);
            assert_eq!(in_row(&text), escaped);
        }
    }

    #[test]
    fn what_can_be_seen_stays_as_it_is() {
        for text in [
            "plain\n\ttext, ünïcode",
            "日本語 العربية 👍 ❤\u{fe0f}",
            r"a\u{1b}",
        ] {
            assert!(matches!(for_terminal(text), Cow::Borrowed(same) if same == text));
            assert!(matches!(for_json(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn a_row_stays_one_line() {
        assert_eq!(in_row("a\n  origin\tb"), r"a\n  origin\tb");
        assert!(matches!(in_row("one line"), Cow::Borrowed(_)));
    }

    #[test]
    fn no_line_of_a_message_passes_for_another_message() {
        assert_eq!(
            in_message("it said: a\nwebmcp: \u{1b}b"),
            "it said: a\n    webmcp: \\u{1b}b"
        );
        assert!(matches!(in_message("one line"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_means_the_same_afterwards() {
        let value = json!({ UNSEEN: [UNSEEN, "a\nb\t\"ü\"👍"] });
        for text in [value.to_string(), format!("{value:#}")] {
            let safe = for_json(&text);
            assert_eq!(
                serde_json::from_str::<Value>(&safe).expect("it is JSON"),
                value
            );
            assert!(!safe.contains(|character| acts_unseen(character) && character != '\n'));
        }
        assert_eq!(
            for_json("\"\u{9b}\u{202e}\u{e0041}\""),
            r#""\u009b\u202e\udb40\udc41""#
        );
    }
}
