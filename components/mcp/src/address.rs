/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Addresses as they are shown: without a password, and not longer than somebody reads.

use std::borrow::Cow;

use url::Url;

use crate::text::{cut, shorten};

/// How many bytes of an address stand in a sentence.
const IN_SENTENCE: usize = 200;

/// How many bytes of an address are given as a value of its own. A page may write what it likes there.
const AS_VALUE: usize = 4 * 1024;

/// An address that was typed or sent by somebody, for a sentence. It need not be one.
///
/// User name and password are left out, as browsers do it; what is long is cut, and says so.
pub fn shown_address(address: impl AsRef<str>) -> String {
    shorten(&masked(address.as_ref()), IN_SENTENCE)
}

/// The address of a document or a page, as a value of its own.
pub(crate) fn as_value(url: &Url) -> String {
    cut(masked(url.as_str()).into_owned(), AS_VALUE)
}

/// A text that may hold addresses, without what stands before the hosts in them.
pub(crate) fn without_credentials(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(colon) = rest.find("://") {
        let (before, authority) = rest.split_at(colon + "://".len());
        shown.push_str(before);
        rest = without_user(authority, |character| {
            ends_authority(character) || ends_address(character)
        });
    }
    if shown.len() + rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// An address without user name and password.
fn masked(address: &str) -> Cow<'_, str> {
    if !address.contains('@') {
        return Cow::Borrowed(address);
    }
    match Url::parse(address) {
        Ok(mut url) if url.has_authority() => {
            if url.username().is_empty() && url.password().is_none() {
                return Cow::Borrowed(address);
            }
            // These fail for addresses without a host only, which have no user either.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            Cow::Owned(url.into())
        }
        // A scheme that is none, as in `user:password@host`, or one without a host.
        Ok(_) => match without_credentials(address) {
            Cow::Borrowed(address) => Cow::Borrowed(without_user(address, ends_authority)),
            shown => shown,
        },
        Err(_) => broken(address),
    }
}

/// What is no address, without all that could have been meant for a password.
fn broken(address: &str) -> Cow<'_, str> {
    match address.rsplit_once('@') {
        Some((before, host)) if before.contains(':') => {
            // Scheme and slashes are kept if there are slashes: without them the "scheme" may be the user.
            let after_scheme = before.trim_start_matches(|character: char| {
                character.is_ascii_alphanumeric() || "+-.".contains(character)
            });
            let authority = after_scheme
                .strip_prefix(':')
                .unwrap_or(after_scheme)
                .trim_start_matches(['/', '\\']);
            let scheme = before.strip_suffix(authority).unwrap_or_default();
            if scheme.ends_with(['/', '\\']) {
                Cow::Owned(format!("{scheme}{host}"))
            } else {
                Cow::Borrowed(host)
            }
        }
        _ => Cow::Borrowed(address),
    }
}

/// Whether the authority of an address ends here.
fn ends_authority(character: char) -> bool {
    matches!(character, '/' | '\\' | '?' | '#')
}

/// Whether an address that stands in a text ends here. As browsers write them, they hold none of these.
fn ends_address(character: char) -> bool {
    matches!(character, '"' | '<' | '>' | '`') || character.is_whitespace()
}

/// What begins with an authority, from the host on.
fn without_user(authority: &str, ends: impl Fn(char) -> bool) -> &str {
    let end = authority.find(ends).unwrap_or(authority.len());
    match authority.get(..end).and_then(|part| part.rfind('@')) {
        Some(at) => authority.get(at + 1..).unwrap_or_default(),
        None => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(address: &str, shown: &str) {
        assert_eq!(shown_address(address), shown);
    }

    #[test]
    fn an_address_without_credentials_stays_as_it_was_written() {
        for address in [
            "HTTPS://EXAMPLE.COM/a@b",
            "https://example.com/?q=a@b#c@d",
            "./folder/a@b.html",
            "data:text/html,a@b",
            "nowhere",
            "",
        ] {
            check(address, address);
        }
    }

    #[test]
    fn user_and_password_are_not_shown() {
        for address in [
            "https://user:pw@host/",
            "https://user@host/",
            "https://:pw@host/",
            "https://user:p@w@host/",
            "HTTPS:\\\\user:pw@host/",
            "https:user:pw@host",
            "ht\ntps://us\ter:pw@host",
            " https://user:pw@host/",
        ] {
            check(address, "https://host/");
        }
        check("ws://user:pw@host/a?b#c", "ws://host/a?b#c");
        check("blob:https://user:pw@host/1", "blob:https://host/1");
    }

    #[test]
    fn what_is_no_address_shows_no_password_either() {
        check("https://user:pw@ho st/", "https://ho st/");
        check("https://us er:p/w@ho st/", "https://ho st/");
        check("HTTPS:\\\\user:pw@ho st/", "HTTPS:\\\\ho st/");
        check("https:user:pw@ho st/", "ho st/");
        check("//user:pw@host/", "//host/");
        check("user:pw@host/path", "host/path");
        check("user:pw@host:8080", "host:8080");
        check("user:p w\"@host/", "host/");
        check("https://user:pw@host:99999/", "https://host:99999/");
        check("https://user:pw@", "https://");
    }

    #[test]
    fn a_long_address_is_cut() {
        let shown = shown_address(format!("https://host/{}", "a".repeat(1_000_000)));
        assert!(shown.starts_with("https://host/aaa"), "{shown}");
        assert!(shown.ends_with("… (999813 more bytes)"), "{shown}");
        let url = Url::parse(&format!("https://host/{}", "a".repeat(1_000_000))).unwrap();
        assert!(shown_address(&url).len() < 300);
        assert!(as_value(&url).len() < 5000);
    }

    #[test]
    fn addresses_in_a_text_show_no_password() {
        for (text, shown) in [
            ("nothing: //a@b", "nothing: //a@b"),
            ("a://b and c@d", "a://b and c@d"),
            (
                "\"http://u:p@a/\" leads to http://u:p'@q@b/x@y",
                "\"http://a/\" leads to http://b/x@y",
            ),
            ("://:@://@", "://://"),
            ("é://é@é", "é://é"),
        ] {
            assert_eq!(without_credentials(text), shown, "{text}");
        }
    }
}
