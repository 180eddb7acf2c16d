/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The policy that a response declares for its document.

use sfv::{BareItem, Dictionary, Item, ListEntry, Parser};

use super::pattern::has_wildcard;
use super::{Allowlist, Feature, OriginPattern, PolicyDirective};

/// <https://w3c.github.io/webappsec-permissions-policy/#algo-process-response-policy>
///
/// "Process response policy": what a `Permissions-Policy` header says about a document of
/// `self_origin`.
///
/// `value` is the combined field value, the lines joined by a comma. A value that is not a
/// dictionary of structured fields says nothing at all; of a dictionary, members that name no known
/// feature say nothing.
pub fn parse_permissions_policy_header<O: Clone + PartialEq>(
    value: &str,
    self_origin: &O,
    parse_origin: &dyn Fn(&str) -> Option<O>,
) -> PolicyDirective<O> {
    // Step 1. Read the header as a dictionary of structured fields.
    // Step 2. One that cannot be read so is ignored whole.
    let Ok(dictionary) = Parser::new(value).parse::<Dictionary>() else {
        return PolicyDirective::new();
    };

    // Steps 3 and 4. Make a policy of it.
    construct_policy_from_dictionary_and_origin(&dictionary, self_origin, parse_origin)
}

/// <https://w3c.github.io/webappsec-permissions-policy/#algo-construct-policy>
///
/// "Construct policy from dictionary and origin".
fn construct_policy_from_dictionary_and_origin<O: Clone + PartialEq>(
    dictionary: &Dictionary,
    self_origin: &O,
    parse_origin: &dyn Fn(&str) -> Option<O>,
) -> PolicyDirective<O> {
    // Step 1. Start with a policy that says nothing.
    let mut policy = PolicyDirective::new();

    // Step 2. Go through the members.
    for (name, value) in dictionary {
        // Steps 2.1 and 2.2. Pass over features that are not known.
        let Some(feature) = Feature::from_name(name.as_str()) else {
            continue;
        };

        // Steps 2.3 to 2.6. Make an allowlist of the value.
        policy.insert(feature, allowlist(value, self_origin, parse_origin));
    }

    // Step 3. That is the policy.
    policy
}

/// Steps 2.3 to 2.5 of "construct policy from dictionary and origin".
fn allowlist<O: Clone + PartialEq>(
    value: &ListEntry,
    self_origin: &O,
    parse_origin: &dyn Fn(&str) -> Option<O>,
) -> Allowlist<O> {
    let items = match value {
        ListEntry::Item(item) => std::slice::from_ref(item),
        ListEntry::InnerList(list) => list.items.as_slice(),
    };

    // Step 2.4. The token `*`, alone or in a list, makes the list match everything.
    if items.iter().any(|item| is_token(item, "*")) {
        return Allowlist::Everything;
    }

    // Steps 2.5.1 and 2.5.2.1. The token `self`, alone or in a list, is the origin of the document.
    let self_origin = items
        .iter()
        .any(|item| is_token(item, "self"))
        .then(|| self_origin.clone());

    // Step 2.5.2.2. Strings in a list are origins, or patterns of origins. A string that stands alone
    // is neither: the step asks for a list.
    let mut origins = Vec::new();
    let mut patterns = Vec::new();
    if let ListEntry::InnerList(list) = value {
        let strings = list
            .items
            .iter()
            .filter_map(|item| item.bare_item.as_string());
        for string in strings {
            let text = string.as_str();
            if let Some(pattern) = OriginPattern::parse(text) {
                patterns.push(pattern);
            } else if !has_wildcard(text) {
                origins.extend(parse_origin(text));
            }
        }
    }

    Allowlist::Origins {
        self_origin,
        src_origin: None,
        origins,
        patterns,
    }
}

fn is_token(item: &Item, token: &str) -> bool {
    matches!(&item.bare_item, BareItem::Token(text) if text.as_str() == token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::parse_origin;

    const SELF: &str = "https://self";

    fn parse(value: &str) -> PolicyDirective<String> {
        parse_permissions_policy_header(value, &SELF.to_owned(), &parse_origin)
    }

    /// Checks that `value` speaks of "tools" alone and lists `self` or not, and those origins.
    #[track_caller]
    fn check(value: &str, is_self: bool, origins: &[&str]) {
        let expected = Allowlist::Origins {
            self_origin: is_self.then(|| SELF.to_owned()),
            src_origin: None,
            origins: origins.iter().map(|&origin| origin.to_owned()).collect(),
            patterns: Vec::new(),
        };
        assert_eq!(
            parse(value),
            PolicyDirective::from([(Feature::Tools, expected)]),
            "{value}"
        );
    }

    #[test]
    fn an_empty_list_turns_a_feature_off() {
        check("tools=()", false, &[]);
    }

    #[test]
    fn self_stands_alone_or_in_a_list() {
        check("tools=self", true, &[]);
        check("tools=(self)", true, &[]);
    }

    #[test]
    fn a_star_alone_or_in_a_list_matches_everything() {
        for value in ["tools=*", "tools=(*)", r#"tools=(self "https://a" *)"#] {
            assert_eq!(
                parse(value),
                PolicyDirective::from([(Feature::Tools, Allowlist::Everything)])
            );
        }
    }

    #[test]
    fn strings_in_a_list_are_origins() {
        check(
            r#"tools=(self "https://b" "https://a")"#,
            true,
            &["https://b", "https://a"],
        );
        check(r#"tools=("https://a")"#, false, &["https://a"]);
    }

    #[test]
    fn strings_with_wildcards_are_patterns_or_nothing() {
        let directive =
            parse(r#"tools=(self "https://*.a" "https://a.*" "https://b" "https://*.*" "https:")"#);
        let expected = Allowlist::Origins {
            self_origin: Some(SELF.to_owned()),
            src_origin: None,
            origins: vec!["https://b".to_owned()],
            patterns: ["https://*.a", "https:"]
                .map(|text| OriginPattern::parse(text).unwrap())
                .into(),
        };
        assert_eq!(
            directive,
            PolicyDirective::from([(Feature::Tools, expected)])
        );
    }

    #[test]
    fn items_of_other_kinds_match_nothing() {
        check("tools", false, &[]);
        check("tools=1", false, &[]);
        check("tools=src", false, &[]);
        check(r#"tools="https://a""#, false, &[]);
        check(
            r#"tools=(none src "self" "*" "nonsense" 1 ?1 https://a)"#,
            false,
            &[],
        );
    }

    #[test]
    fn parameters_do_not_matter() {
        check("tools=(self;a=1);report-to=endpoint", true, &[]);
    }

    #[test]
    fn unknown_members_are_passed_over() {
        check("teleport=*, tools=self, interest-cohort=()", true, &[]);
    }

    #[test]
    fn the_last_of_several_members_counts() {
        check("tools=*, tools=()", false, &[]);
    }

    #[test]
    fn joined_lines_are_one_header() {
        let features: Vec<_> = parse("tools=(), geolocation=self,fullscreen=*")
            .into_keys()
            .collect();
        assert_eq!(
            features,
            [Feature::Fullscreen, Feature::Geolocation, Feature::Tools]
        );
    }

    #[test]
    fn a_header_that_is_no_dictionary_is_ignored_whole() {
        for value in [
            "tools=(), ,",
            "tools=(), geolocation=(self",
            "tools 'none'",
            "tools=(); fullscreen=()",
            "tools=()é",
        ] {
            assert!(parse(value).is_empty(), "{value}");
        }
    }

    #[test]
    fn an_empty_header_says_nothing() {
        assert!(parse("").is_empty());
    }
}
