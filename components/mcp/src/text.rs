/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Texts of the page, in a size that clients can take.

/// The `text`, or as much of its beginning as fits into `limit` bytes, with a note that says how much is missing.
pub(crate) fn cut(mut text: String, limit: usize) -> String {
    if text.len() <= limit {
        return text;
    }
    let end = boundary(&text, limit);
    let missing = text.len() - end;
    text.truncate(end);
    text.push_str(&format!("\n[Cut here: {missing} more bytes]"));
    text
}

/// The same for what stands in a sentence.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let (start, missing) = text.split_at(boundary(text, limit));
    format!("{start}… ({} more bytes)", missing.len())
}

/// The last place up to `limit` where the text can be cut.
fn boundary(text: &str, limit: usize) -> usize {
    (0..=limit)
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_stays_as_it_is() {
        assert_eq!(cut("abc".to_owned(), 3), "abc");
    }

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        assert_eq!(cut("aé".to_owned(), 2), "a\n[Cut here: 2 more bytes]");
        assert_eq!(cut("é".to_owned(), 0), "\n[Cut here: 2 more bytes]");
    }

    #[test]
    fn a_long_text_in_a_sentence_is_cut_between_characters_and_says_so() {
        assert_eq!(shorten("aé", 3), "aé");
        assert_eq!(shorten("aé", 2), "a… (2 more bytes)");
    }
}
