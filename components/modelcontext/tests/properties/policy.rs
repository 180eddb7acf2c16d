/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use modelcontext::policy::{
    ContainerInputs, DefaultAllowlist, Feature, OriginParts, OriginPattern, PermissionsPolicy,
    TupleOrigin,
};
use proptest::prelude::*;

/// The origins in play; the last one is in no policy that is written here, as an opaque one is.
const ORIGINS: [&str; 4] = ["https://a", "https://b", "https://c", "null"];

fn parse_origin(text: &str) -> Option<String> {
    text.starts_with("https://").then(|| text.to_owned())
}

fn origin_tuple(origin: &str) -> Option<TupleOrigin> {
    origin.strip_prefix("https://").map(tuple)
}

fn tuple(host: &str) -> TupleOrigin {
    TupleOrigin {
        scheme: "https".to_owned(),
        host: host.to_owned(),
        port: 443,
    }
}

const PARTS: OriginParts<'static, String> = OriginParts {
    parse: &parse_origin,
    tuple: &|origin| origin_tuple(origin),
};

/// Hosts of few letters, so that one often ends with another.
const HOST: &str = "[ab]{1,2}(\\.[ab]{1,2}){0,3}";

fn origin() -> impl Strategy<Value = String> {
    prop::sample::select(ORIGINS.as_slice()).prop_map(str::to_owned)
}

fn two_origins() -> impl Strategy<Value = [String; 2]> {
    Just(ORIGINS)
        .prop_shuffle()
        .prop_map(|[first, second, ..]| [first, second].map(str::to_owned))
}

fn feature_name() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        3 => prop::sample::select(Feature::ALL).prop_map(Feature::name),
        3 => Just("tools"),
        1 => Just("teleport"),
    ]
}

/// Values of a header, most of them sensible.
fn header() -> impl Strategy<Value = Option<String>> {
    let value = prop::sample::select(vec![
        "*",
        "self",
        "()",
        "(self)",
        "(*)",
        r#"(self "https://a")"#,
        r#"("https://a" "https://b")"#,
        r#"(self "https://b" "https://c")"#,
        r#"("https://*")"#,
        r#"("https://a:*" "https://*.b")"#,
        r#"(self "https:")"#,
        "1",
    ]);
    let member = (feature_name(), value).prop_map(|(feature, value)| format!("{feature}={value}"));
    let members = prop::collection::vec(member, 0..4).prop_map(|members| members.join(", "));
    prop::option::of(prop_oneof![8 => members, 1 => any::<String>()])
}

/// Values of an `allow` attribute, most of them sensible.
fn allow() -> impl Strategy<Value = Option<String>> {
    let value = prop::sample::select(vec![
        "*",
        "'self'",
        "'src'",
        "'none'",
        "https://a",
        "https://b",
        "https://c",
        "nonsense",
    ]);
    let directive = (feature_name(), prop::collection::vec(value, 0..3))
        .prop_map(|(feature, values)| format!("{feature} {}", values.join(" ")));
    let directives =
        prop::collection::vec(directive, 0..4).prop_map(|directives| directives.join(";"));
    prop::option::of(prop_oneof![8 => directives, 1 => any::<String>()])
}

/// What a document in a frame is made of: its container, its origin and its header.
type Frame = (ContainerInputs<String>, String, Option<String>);

fn frame() -> impl Strategy<Value = Frame> {
    let container =
        (allow(), any::<bool>(), origin()).prop_map(|(allow, allowfullscreen, declared_origin)| {
            ContainerInputs {
                allow,
                allowfullscreen,
                declared_origin,
            }
        });
    (container, origin(), header())
}

/// A chain of documents, the top-level one first, each in a frame of the one before it.
#[derive(Debug)]
struct Chain(Vec<(String, PermissionsPolicy<String>)>);

fn chain() -> impl Strategy<Value = Chain> {
    (origin(), header(), prop::collection::vec(frame(), 1..4)).prop_map(
        |(origin, header, frames)| {
            let policy = top_level(header.as_deref(), &origin);
            let mut chain = vec![(origin, policy)];
            for frame in frames {
                let (parent_origin, parent_policy) =
                    chain.last().expect("it has the top-level document");
                let nested = nested(&frame, parent_policy, parent_origin);
                chain.push((frame.1, nested));
            }
            Chain(chain)
        },
    )
}

fn top_level(header: Option<&str>, origin: &String) -> PermissionsPolicy<String> {
    PermissionsPolicy::for_top_level(header, origin, &PARTS)
}

fn nested(
    (container, origin, header): &Frame,
    parent_policy: &PermissionsPolicy<String>,
    parent_origin: &String,
) -> PermissionsPolicy<String> {
    PermissionsPolicy::for_nested(
        container,
        parent_policy,
        parent_origin,
        origin,
        header.as_deref(),
        &PARTS,
    )
}

proptest! {
    #[test]
    fn a_nested_document_never_has_what_its_parent_has_not(chain in chain()) {
        for pair in chain.0.windows(2) {
            let [(parent_origin, parent), (origin, nested)] = pair else {
                unreachable!("windows of two");
            };
            for &feature in Feature::ALL {
                prop_assert!(
                    parent.allows(feature, parent_origin) || !nested.allows(feature, origin),
                    "{:?}", feature
                );
            }
        }
    }

    #[test]
    fn a_nested_document_of_another_origin_has_nothing_that_its_parent_does_not_name(
        [parent_origin, origin] in two_origins(),
        (container, _, header) in frame(),
    ) {
        let parent = top_level(None, &parent_origin);
        let silent = ContainerInputs { allow: None, allowfullscreen: false, ..container };
        let nested = nested(&(silent, origin.clone(), header), &parent, &parent_origin);
        for &feature in Feature::ALL {
            if feature.default_allowlist() == DefaultAllowlist::SelfOrigin {
                prop_assert!(!nested.allows(feature, &origin), "{:?}", feature);
            }
        }
    }

    #[test]
    fn a_header_never_gives_a_document_anything(
        parent_header in header(),
        parent_origin in origin(),
        (container, origin, header) in frame(),
    ) {
        let parent = top_level(parent_header.as_deref(), &parent_origin);
        let without = nested(&(container.clone(), origin.clone(), None), &parent, &parent_origin);
        let with = nested(&(container, origin.clone(), header), &parent, &parent_origin);
        for &feature in Feature::ALL {
            let [without, with] = [&without, &with].map(|policy| policy.allows(feature, &origin));
            prop_assert!(without || !with, "{:?}", feature);
        }
    }

    #[test]
    fn a_parents_header_never_gives_its_frames_anything(
        parent_header in header(),
        parent_origin in origin(),
        frame in frame(),
    ) {
        let with = top_level(parent_header.as_deref(), &parent_origin);
        let without = top_level(None, &parent_origin);
        for &feature in Feature::ALL {
            let allowed = |parent| nested(&frame, parent, &parent_origin).allows(feature, &frame.1);
            prop_assert!(allowed(&without) || !allowed(&with), "{:?}", feature);
        }
    }

    #[test]
    fn a_subdomain_wildcard_is_the_suffix_behind_a_dot_and_no_wider(
        domain in HOST,
        host in HOST,
    ) {
        let pattern = OriginPattern::parse(&format!("https://*.{domain}")).expect("a pattern");
        prop_assert_eq!(pattern.matches(&tuple(&host)), host.ends_with(&format!(".{domain}")));
        let below = format!("{host}.{domain}");
        prop_assert!(pattern.matches(&tuple(&below)));
        let glued = format!("{host}{domain}");
        prop_assert_eq!(pattern.matches(&tuple(&glued)), glued.ends_with(&format!(".{domain}")));
    }

    #[test]
    fn what_is_no_pattern_leaves_the_rest_of_the_list(text in "[ -!#-\\[\\]-~]{0,12}", host in HOST) {
        prop_assume!(OriginPattern::parse(&text).is_none());
        let origin = format!("https://{host}");
        let header = format!(r#"tools=("{text}" "{origin}")"#);
        prop_assert!(top_level(Some(&header), &origin).allows(Feature::Tools, &origin));
    }

    #[test]
    fn reading_a_pattern_never_panics_and_needs_a_scheme(text in any::<String>()) {
        prop_assert!(OriginPattern::parse(&text).is_none() || text.contains(':'));
    }

    #[test]
    fn a_policy_survives_the_wire(chain in chain()) {
        for (_, policy) in &chain.0 {
            let text = serde_json::to_string(policy)?;
            prop_assert_eq!(&serde_json::from_str::<PermissionsPolicy<String>>(&text)?, policy);
        }
    }
}
