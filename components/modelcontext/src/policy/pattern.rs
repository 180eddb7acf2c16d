/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Texts in a `Permissions-Policy` header that stand for many origins.

use serde::{Deserialize, Serialize};

/// <https://html.spec.whatwg.org/multipage/browsers.html#concept-origin-tuple>
///
/// The parts of an origin that is not opaque, as they are serialised: in lower case, a domain in
/// Punycode.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TupleOrigin {
    /// The scheme, without a colon.
    pub scheme: String,
    /// The host.
    pub host: String,
    /// The port, also where it is the scheme's own.
    pub port: u16,
}

/// The origins that a text with a wildcard, or of a scheme alone, stands for.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum OriginPattern {
    /// `https:`: every origin of the scheme, whatever its port.
    Scheme(String),
    /// `https://*.example.com:*`: the origins of the scheme whose host and port match.
    Origins {
        /// The scheme, in lower case. It is compared exactly.
        scheme: String,
        /// The hosts.
        host: HostPattern,
        /// The port; `None` is `*`, any port.
        port: Option<u16>,
    },
}

/// The hosts that an [`OriginPattern`] stands for.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum HostPattern {
    /// `*`
    Any,
    /// `*.example.com`: what ends with `.example.com`, at any depth, and not `example.com`.
    SubdomainsOf(String),
    /// `example.com`, beside any port.
    Exactly(String),
}

impl OriginPattern {
    /// Reads a text of a header as a pattern. `None` for what is none: an origin that is written
    /// out, and what is malformed.
    pub fn parse(text: &str) -> Option<OriginPattern> {
        let (scheme, rest) = text.split_once(':')?;
        if !is_scheme(scheme) {
            return None;
        }
        let scheme = scheme.to_ascii_lowercase();
        if rest.is_empty() {
            return Some(OriginPattern::Scheme(scheme));
        }

        // A path does not matter; a query or a fragment makes the text malformed.
        let rest = rest.strip_prefix("//")?;
        if rest.contains(['?', '#']) {
            return None;
        }
        let (authority, _path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        };
        let host = HostPattern::parse(host)?;
        let port = match port {
            Some("*") => None,
            Some(port) => Some(parse_port(port)?),
            None => Some(default_port(&scheme)?),
        };
        // Without a wildcard it is an origin.
        if port.is_some() && matches!(host, HostPattern::Exactly(_)) {
            return None;
        }
        Some(OriginPattern::Origins { scheme, host, port })
    }

    /// Whether the pattern stands for `origin`.
    pub fn matches(&self, origin: &TupleOrigin) -> bool {
        match self {
            OriginPattern::Scheme(scheme) => is_scheme_or_its_secure_form(scheme, &origin.scheme),
            OriginPattern::Origins { scheme, host, port } => {
                *scheme == origin.scheme
                    && host.matches(&origin.host)
                    && port.is_none_or(|port| port == origin.port)
            }
        }
    }
}

impl HostPattern {
    fn parse(text: &str) -> Option<HostPattern> {
        if text == "*" {
            return Some(HostPattern::Any);
        }
        let (domain, is_wildcard) = match text.strip_prefix("*.") {
            Some(domain) => (domain, true),
            None => (text, false),
        };
        // The dot of a fully qualified name is part of it, here and in origins.
        let labels = domain.strip_suffix('.').unwrap_or(domain);
        if !labels.split('.').all(is_label) {
            return None;
        }
        let domain = domain.to_ascii_lowercase();
        Some(if is_wildcard {
            HostPattern::SubdomainsOf(domain)
        } else {
            HostPattern::Exactly(domain)
        })
    }

    fn matches(&self, host: &str) -> bool {
        match self {
            HostPattern::Any => true,
            HostPattern::SubdomainsOf(domain) => host
                .strip_suffix(domain.as_str())
                .and_then(|rest| rest.strip_suffix('.'))
                .is_some_and(|subdomain| !subdomain.is_empty()),
            HostPattern::Exactly(domain) => host == domain,
        }
    }
}

/// Whether a wildcard stands where the host or the port of a URL does. Such a text is a pattern or
/// malformed, even where a URL parser takes the star for a letter of the host.
pub(super) fn has_wildcard(text: &str) -> bool {
    let after_scheme = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = after_scheme.split(['/', '?', '#', '\\']).next();
    authority.unwrap_or_default().contains('*')
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn is_label(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn parse_port(text: &str) -> Option<u16> {
    // The parser of the standard library takes a sign as well.
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let port = text.parse().ok().filter(|_| is_number)?;
    (port != 0).then_some(port)
}

/// <https://url.spec.whatwg.org/#default-port>
fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}

fn is_scheme_or_its_secure_form(pattern: &str, scheme: &str) -> bool {
    pattern == scheme || matches!((pattern, scheme), ("http", "https") | ("ws", "wss"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(scheme: &str, host: &str, port: u16) -> TupleOrigin {
        TupleOrigin {
            scheme: scheme.to_owned(),
            host: host.to_owned(),
            port,
        }
    }

    #[track_caller]
    fn check(text: &str, expected: bool, (scheme, host, port): (&str, &str, u16)) {
        let pattern = OriginPattern::parse(text).unwrap();
        let actual = pattern.matches(&origin(scheme, host, port));
        assert_eq!(actual, expected, "{text} and {scheme}://{host}:{port}");
    }

    #[test]
    fn a_subdomain_wildcard_matches_subdomains_at_any_depth() {
        for text in [
            "https://*.example.com",
            "HTTPS://*.Example.COM",
            "https://*.example.com/",
            "https://*.example.com/path;%zz",
            "https://*.example.com:443",
            "https://*.example.com:00443",
        ] {
            check(text, true, ("https", "www.example.com", 443));
            check(text, true, ("https", "a.b.example.com", 443));
            check(text, false, ("https", "example.com", 443));
            check(text, false, ("https", ".example.com", 443));
            check(text, false, ("https", "evilexample.com", 443));
            check(text, false, ("https", "www.example.com.evil.org", 443));
            check(text, false, ("https", "www.example.com.", 443));
            check(text, false, ("http", "www.example.com", 443));
            check(text, false, ("https", "www.example.com", 8443));
        }
    }

    #[test]
    fn the_dot_of_a_full_name_is_compared() {
        check(
            "https://*.example.com.",
            true,
            ("https", "www.example.com.", 443),
        );
        check(
            "https://*.example.com.",
            false,
            ("https", "www.example.com", 443),
        );
    }

    #[test]
    fn a_scheme_in_front_of_a_host_is_compared_exactly() {
        for text in ["http://*:*", "http://*:443", "http://*.example.com:*"] {
            check(text, true, ("http", "www.example.com", 443));
            check(text, false, ("https", "www.example.com", 443));
        }
    }

    #[test]
    fn a_port_is_the_one_named_or_that_of_the_scheme_or_any() {
        check(
            "https://*.example.com:8443",
            true,
            ("https", "a.example.com", 8443),
        );
        check(
            "https://*.example.com:8443",
            false,
            ("https", "a.example.com", 443),
        );
        check(
            "https://*.example.com:*",
            true,
            ("https", "a.example.com", 1),
        );
        check(
            "https://example.com:*",
            true,
            ("https", "example.com", 8443),
        );
        check(
            "https://example.com:*",
            false,
            ("https", "www.example.com", 443),
        );
        check("https://*", true, ("https", "[::1]", 443));
        check("https://*", false, ("https", "example.com", 8443));
        check("http://*.example.com", true, ("http", "a.example.com", 80));
        check("wss://*.example.com", true, ("wss", "a.example.com", 443));
        check("ftp://*.example.com", true, ("ftp", "a.example.com", 21));
    }

    #[test]
    fn a_scheme_alone_matches_every_port_and_its_secure_form() {
        check("https:", true, ("https", "example.com", 8443));
        check("HTTPS:", true, ("https", "example.com", 443));
        check("https:", false, ("http", "example.com", 443));
        check("http:", true, ("https", "example.com", 443));
        check("ws:", true, ("wss", "example.com", 443));
        check("ws:", false, ("https", "example.com", 443));
    }

    #[test]
    fn the_text_of_an_address_is_compared_as_a_name_is() {
        check("https://*.0.0.1", true, ("https", "127.0.0.1", 443));
        check("https://*.0.0.1", false, ("https", "10.0.1", 443));
    }

    #[test]
    fn other_texts_are_no_patterns() {
        for text in [
            "",
            "*",
            "self",
            "example.com",
            "*.example.com",
            "https://",
            "https:/",
            "https:x",
            "https:*.example.com",
            "https://example.com",
            "https://example.com:443",
            "https://example.*",
            "https://www.*.com",
            "https://*.*.example.com",
            "https://*.*",
            "https://*.",
            "https://a*.example.com",
            "https://*example.com",
            "https://*..example.com",
            "https://*.example.com..",
            "https://*.exa_mple.com",
            "https://*.bücher.com",
            "https://%2A.example.com",
            "https://u@*.example.com",
            "https://*.[::1]",
            "https://[::1]:*",
            "https://*.example.com:",
            "https://*.example.com:0",
            "https://*.example.com:+443",
            "https://*.example.com:65536",
            "https://*.example.com:*:*",
            "https://*.example.com?q",
            "https://*.example.com#f",
            "https://*.example.com\\x",
            "x://*.example.com",
            "file://*.example.com",
            "+://*.example.com",
            "1:",
        ] {
            assert_eq!(OriginPattern::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_star_in_a_path_is_no_wildcard() {
        assert!(has_wildcard("https://example.*/"));
        assert!(has_wildcard("*.example.com"));
        assert!(!has_wildcard("https://example.com/*"));
        assert!(!has_wildcard("https://example.com?*"));
    }
}
