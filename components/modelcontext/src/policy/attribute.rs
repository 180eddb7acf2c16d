/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The policy that a frame's element puts on the documents in the frame.

use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use super::pattern::has_wildcard;
use super::{Allowlist, Feature, PolicyDirective};

/// <https://html.spec.whatwg.org/multipage/iframe-embed-object.html#attr-iframe-allow>
///
/// What an `iframe` element says about the documents in its frame, as it stands when one of them is
/// created.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct ContainerInputs<O> {
    /// The value of the `allow` attribute, or `None` without one.
    pub allow: Option<String>,
    /// Whether there is an `allowfullscreen` attribute.
    pub allowfullscreen: bool,
    /// <https://w3c.github.io/webappsec-permissions-policy/#declared-origin>
    ///
    /// Where the element's own attributes say that its content is from: for a sandbox without
    /// `allow-same-origin` an opaque origin that nothing else has, otherwise the origin of `src`,
    /// and without a usable `src`, or with `srcdoc`, that of the element's document.
    pub declared_origin: O,
}

/// <https://w3c.github.io/webappsec-permissions-policy/#algo-process-policy-attributes>
///
/// "Process permissions policy attributes": the container policy, that is what the attributes in
/// `container` say. `container_origin` is the origin of the element's document.
pub fn process_permissions_policy_attributes<O: Clone + PartialEq>(
    container: &ContainerInputs<O>,
    container_origin: &O,
    parse_origin: &dyn Fn(&str) -> Option<O>,
) -> PolicyDirective<O> {
    // Step 1. Read the `allow` attribute.
    let mut policy = parse_policy_directive(
        container.allow.as_deref().unwrap_or_default(),
        container_origin,
        Some(&container.declared_origin),
        parse_origin,
    );

    // Step 2. `allowfullscreen` means `fullscreen *`, unless `allow` speaks of that feature itself.
    if container.allowfullscreen {
        policy
            .entry(Feature::Fullscreen)
            .or_insert(Allowlist::Everything);
    }

    // Step 3. That is the container policy.
    policy
}

/// <https://w3c.github.io/webappsec-permissions-policy/#algo-parse-policy-directive>
///
/// "Parse policy directive": reads a serialised policy as it stands in an `allow` attribute:
/// directives separated by `;`, each a feature and then the values `*`, `'self'`, `'src'`, `'none'`
/// and origins, separated by whitespace.
///
/// `container_origin` is what `'self'` stands for, `target_origin` what `'src'`, and a directive
/// without values, stands for. Features and values that are not understood are passed over; nothing
/// is an error.
pub fn parse_policy_directive<O: Clone + PartialEq>(
    value: &str,
    container_origin: &O,
    target_origin: Option<&O>,
    parse_origin: &dyn Fn(&str) -> Option<O>,
) -> PolicyDirective<O> {
    // Step 1. Start with a directive that says nothing.
    let mut directive = PolicyDirective::new();

    // Step 2. Go through the declarations.
    for declaration in value.split(';') {
        // Step 2.1. Split it into words.
        let mut tokens = declaration.split_ascii_whitespace();

        // Steps 2.2 to 2.5. Pass over declarations that are empty or of a feature that is not
        // known.
        let Some(feature) = tokens.next().and_then(Feature::from_name) else {
            continue;
        };

        // AD-HOC: step 2.10 puts a later declaration of a feature in the place of an earlier one. As Chromium does
        // (<https://chromium.googlesource.com/chromium/src/+/main/third_party/blink/renderer/core/permissions_policy/permissions_policy_parser.cc>),
        // the first one counts here.
        let Entry::Vacant(entry) = directive.entry(feature) else {
            continue;
        };

        // Step 2.6. The rest are the values.
        // Steps 2.7 to 2.9. Make an allowlist of them.
        let allowlist = parse_allowlist(
            tokens.collect(),
            container_origin,
            target_origin,
            parse_origin,
        );

        // Step 2.10. That is what the text says about the feature.
        entry.insert(allowlist);
    }

    // Step 3. That is what the text says.
    directive
}

/// Steps 2.7 to 2.9 of "parse policy directive".
fn parse_allowlist<O: Clone + PartialEq>(
    targets: Vec<&str>,
    container_origin: &O,
    target_origin: Option<&O>,
    parse_origin: &dyn Fn(&str) -> Option<O>,
) -> Allowlist<O> {
    // Step 2.7. Start with an empty list.
    let mut self_origin = None;
    let mut src_origin = None;
    let mut origins = Vec::new();

    // Step 2.8. One `*` makes it match everything.
    if targets.contains(&"*") {
        return Allowlist::Everything;
    }

    // Step 2.9.1. Without values, `'src'` is meant.
    if targets.is_empty() {
        src_origin = target_origin.cloned();
    }

    // Step 2.9.2. Go through the values.
    for target in targets {
        if target.eq_ignore_ascii_case("'self'") {
            // Step 2.9.2.1. `'self'` is the origin of the container.
            self_origin = Some(container_origin.clone());
        } else if target.eq_ignore_ascii_case("'src'") {
            // Step 2.9.2.2. `'src'` is the declared origin, where there is one.
            src_origin = target_origin.cloned();
        } else if !has_wildcard(target) {
            // Step 2.9.2.3. An origin is taken as it is. (`'none'` is no origin, and so adds
            // nothing.)
            //
            // AD-HOC: patterns of origins, which a header may have, add nothing here, as in Chromium.
            origins.extend(parse_origin(target));
        }
    }

    Allowlist::Origins {
        self_origin,
        src_origin,
        origins,
        patterns: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::parse_origin;

    const CONTAINER: &str = "https://container";
    const SRC: &str = "https://src";

    fn parse(value: &str) -> PolicyDirective<String> {
        parse_policy_directive(
            value,
            &CONTAINER.to_owned(),
            Some(&SRC.to_owned()),
            &parse_origin,
        )
    }

    /// The one allowlist of `value`, as the origins in it: "self", "src", or as they are written.
    #[track_caller]
    fn check(value: &str, expected: &[&str]) {
        let directive = parse(value);
        assert_eq!(directive.len(), 1, "{directive:?}");
        let Allowlist::Origins {
            self_origin,
            src_origin,
            origins,
            ..
        } = &directive[&Feature::Tools]
        else {
            panic!("{directive:?} matches everything");
        };
        assert!(
            self_origin
                .as_ref()
                .is_none_or(|origin| origin == CONTAINER)
        );
        assert!(src_origin.as_ref().is_none_or(|origin| origin == SRC));
        let mut actual = Vec::new();
        actual.extend(self_origin.as_ref().map(|_| "self"));
        actual.extend(src_origin.as_ref().map(|_| "src"));
        actual.extend(origins.iter().map(String::as_str));
        assert_eq!(actual, expected, "{value}");
    }

    #[test]
    fn a_feature_without_values_is_for_the_declared_origin() {
        check("tools", &["src"]);
        check("  tools  ", &["src"]);
    }

    #[test]
    fn keywords_are_in_quotes_and_in_any_letter_case() {
        check("tools 'self'", &["self"]);
        check("tools 'src'", &["src"]);
        check("tools 'SELF' 'Src'", &["self", "src"]);
        check("tools 'none'", &[]);
        check("tools self src none", &[]);
    }

    #[test]
    fn origins_are_taken_in_their_order() {
        check("tools https://b https://a", &["https://b", "https://a"]);
        check("tools 'self' https://a", &["self", "https://a"]);
    }

    #[test]
    fn a_star_among_the_values_matches_everything() {
        for value in ["tools *", "tools 'none' *", "tools * https://a"] {
            assert_eq!(
                parse(value),
                PolicyDirective::from([(Feature::Tools, Allowlist::Everything)])
            );
        }
    }

    #[test]
    fn values_that_are_not_understood_match_nothing() {
        check("tools nonsense 'nonce-1' ** (https://a)", &[]);
        check("tools http://b https://a", &["https://a"]);
        check(
            "tools https://*.a https://* https: https://a:* https://a",
            &["https://a"],
        );
    }

    #[test]
    fn none_beside_other_values_has_no_effect() {
        check("tools 'none' https://a", &["https://a"]);
    }

    #[test]
    fn directives_are_separated_by_semicolons_and_words_by_any_white_space() {
        let directive = parse(" ;;\ttools\n*\u{c};fullscreen\r'self'; ;");
        assert_eq!(
            directive.keys().copied().collect::<Vec<_>>(),
            [Feature::Fullscreen, Feature::Tools]
        );
        assert_eq!(directive[&Feature::Tools], Allowlist::Everything);
    }

    #[test]
    fn unknown_features_are_passed_over() {
        check("teleport *; tools https://a; Tools *", &["https://a"]);
        assert!(parse("teleport; 'self'; *").is_empty());
        assert!(parse("").is_empty());
    }

    #[test]
    fn a_comma_does_not_separate_directives() {
        assert!(parse("tools, fullscreen").is_empty());
    }

    #[test]
    fn the_first_declaration_of_a_feature_counts() {
        check("tools https://a; tools *; tools 'none'", &["https://a"]);
        check("tools 'none'; tools *", &[]);
    }

    #[test]
    fn without_a_declared_origin_src_means_nothing() {
        for value in ["tools", "tools 'src'"] {
            let directive =
                parse_policy_directive(value, &CONTAINER.to_owned(), None, &parse_origin);
            assert_eq!(
                directive,
                PolicyDirective::from([(Feature::Tools, Allowlist::nothing())])
            );
        }
    }

    fn attributes(allow: Option<&str>, allowfullscreen: bool) -> PolicyDirective<String> {
        let container = ContainerInputs {
            allow: allow.map(str::to_owned),
            allowfullscreen,
            declared_origin: SRC.to_owned(),
        };
        process_permissions_policy_attributes(&container, &CONTAINER.to_owned(), &parse_origin)
    }

    #[test]
    fn a_container_without_attributes_says_nothing() {
        assert!(attributes(None, false).is_empty());
        assert!(attributes(Some(""), false).is_empty());
    }

    #[test]
    fn allowfullscreen_is_fullscreen_for_everything() {
        let expected = PolicyDirective::from([(Feature::Fullscreen, Allowlist::Everything)]);
        assert_eq!(attributes(None, true), expected);
    }

    #[test]
    fn allow_speaks_louder_than_allowfullscreen() {
        let expected = PolicyDirective::from([(Feature::Fullscreen, Allowlist::nothing())]);
        assert_eq!(attributes(Some("fullscreen 'none'"), true), expected);
    }

    #[test]
    fn both_attributes_count() {
        let features: Vec<_> = attributes(Some("tools"), true).into_keys().collect();
        assert_eq!(features, [Feature::Fullscreen, Feature::Tools]);
    }
}
