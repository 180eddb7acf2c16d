/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use super::*;
use crate::testing::ORIGIN_PARTS;

const A: &str = "https://a";
const B: &str = "https://b";
const C: &str = "https://c";

/// A document: its origin and its policy.
struct Page {
    origin: String,
    policy: PermissionsPolicy<String>,
}

impl Page {
    fn top(origin: &str, header: Option<&str>) -> Page {
        let origin = origin.to_owned();
        Page {
            policy: PermissionsPolicy::for_top_level(header, &origin, &ORIGIN_PARTS),
            origin,
        }
    }

    /// A document of `origin` in a frame whose `src` and `allow` are as given.
    fn frame(&self, src: &str, allow: Option<&str>, origin: &str, header: Option<&str>) -> Page {
        self.frame_with(&container(src, allow), origin, header)
    }

    fn frame_with(
        &self,
        container: &ContainerInputs<String>,
        origin: &str,
        header: Option<&str>,
    ) -> Page {
        let origin = origin.to_owned();
        let policy = PermissionsPolicy::for_nested(
            container,
            &self.policy,
            &self.origin,
            &origin,
            header,
            &ORIGIN_PARTS,
        );
        Page { policy, origin }
    }

    fn has(&self, feature: Feature) -> bool {
        self.policy.allows(feature, &self.origin)
    }

    fn has_tools(&self) -> bool {
        self.has(Feature::Tools)
    }
}

fn container(src: &str, allow: Option<&str>) -> ContainerInputs<String> {
    ContainerInputs {
        allow: allow.map(str::to_owned),
        allowfullscreen: false,
        declared_origin: src.to_owned(),
    }
}

#[test]
fn a_top_level_document_has_every_feature() {
    let page = Page::top(A, None);
    for &feature in Feature::ALL {
        assert!(page.has(feature), "{feature:?}");
    }
}

#[test]
fn a_header_can_take_a_feature_from_its_own_document() {
    assert!(!Page::top(A, Some("tools=()")).has_tools());
    assert!(!Page::top(A, Some(r#"tools=("https://b")"#)).has_tools());
    assert!(Page::top(A, Some("tools=self")).has_tools());
    assert!(Page::top(A, Some("tools=*")).has_tools());
    assert!(Page::top(A, Some("geolocation=()")).has_tools());
}

#[test]
fn a_header_that_cannot_be_read_takes_nothing() {
    assert!(Page::top(A, Some("tools=(")).has_tools());
}

#[test]
fn a_frame_of_the_same_origin_has_what_its_parent_has() {
    let page = Page::top(A, None);
    for &feature in Feature::ALL {
        assert!(page.frame(A, None, A, None).has(feature), "{feature:?}");
    }
    assert!(
        !Page::top(A, Some("tools=()"))
            .frame(A, None, A, None)
            .has_tools()
    );
}

#[test]
fn a_frame_of_another_origin_has_only_what_is_on_everywhere() {
    let frame = Page::top(A, None).frame(B, None, B, None);
    assert!(!frame.has_tools());
    assert!(frame.has(Feature::SyncXhr));
}

#[test]
fn allow_hands_a_feature_to_the_frame() {
    let page = Page::top(A, None);
    for allow in ["tools", "tools *", "tools 'src'", "tools https://b"] {
        assert!(page.frame(B, Some(allow), B, None).has_tools(), "{allow}");
    }
}

#[test]
fn allow_for_others_hands_nothing_to_the_frame() {
    let page = Page::top(A, None);
    for allow in [
        "tools 'none'",
        "tools 'self'",
        "tools https://c",
        "geolocation",
    ] {
        assert!(!page.frame(B, Some(allow), B, None).has_tools(), "{allow}");
    }
}

#[test]
fn allow_can_take_a_feature_from_a_frame_of_the_same_origin() {
    let page = Page::top(A, None);
    assert!(!page.frame(A, Some("tools 'none'"), A, None).has_tools());
    assert!(page.frame(A, Some("tools 'self'"), A, None).has_tools());
    assert!(
        !page
            .frame(A, Some("sync-xhr 'none'"), A, None)
            .has(Feature::SyncXhr)
    );
}

#[test]
fn a_frame_that_is_navigated_elsewhere_loses_what_src_was_given() {
    let page = Page::top(A, None);
    assert!(!page.frame(B, Some("tools"), C, None).has_tools());
    assert!(page.frame(B, Some("tools *"), C, None).has_tools());
    assert!(!page.frame(B, Some("tools"), A, None).has_tools());
}

#[test]
fn a_parent_cannot_hand_on_what_it_has_not() {
    let page = Page::top(A, Some("tools=()"));
    assert!(!page.frame(B, Some("tools *"), B, None).has_tools());
    assert!(!page.frame(A, Some("tools *"), A, None).has_tools());
}

#[test]
fn a_header_limits_to_whom_its_document_hands_on() {
    let page = Page::top(A, Some(r#"tools=(self "https://b")"#));
    assert!(page.frame(B, Some("tools"), B, None).has_tools());
    assert!(!page.frame(C, Some("tools"), C, None).has_tools());
    assert!(!page.frame(B, None, B, None).has_tools());
}

#[test]
fn a_header_that_leaves_out_its_own_document_hands_on_to_nobody() {
    let page = Page::top(A, Some(r#"tools=("https://b")"#));
    assert!(!page.frame(B, Some("tools"), B, None).has_tools());
}

#[test]
fn a_frame_can_give_up_a_feature_but_not_take_one() {
    let page = Page::top(A, None);
    assert!(
        !page
            .frame(B, Some("tools"), B, Some("tools=()"))
            .has_tools()
    );
    assert!(!page.frame(B, None, B, Some("tools=*")).has_tools());
}

#[test]
fn a_policy_does_not_keep_declarations_of_what_it_does_not_inherit() {
    let page = Page::top(A, None);
    let silent = page.frame(B, None, B, None);
    let declaring = page.frame(B, None, B, Some("tools=*"));
    assert_eq!(declaring.policy, silent.policy);
}

#[test]
fn every_document_on_the_way_must_hand_on() {
    let page = Page::top(A, None);
    let with = page.frame(B, Some("tools"), B, None);
    assert!(with.frame(C, Some("tools"), C, None).has_tools());
    assert!(!with.frame(C, None, C, None).has_tools());
    assert!(with.frame(B, None, B, None).has_tools());
    let without = page.frame(B, None, B, None);
    assert!(!without.frame(A, Some("tools *"), A, None).has_tools());
}

#[test]
fn a_frame_inside_a_foreign_frame_is_foreign_to_the_top_again() {
    let page = Page::top(A, None);
    let foreign = page.frame(B, Some("tools"), B, None);
    assert!(!foreign.frame(A, None, A, None).has_tools());
}

#[test]
fn a_sandboxed_frame_of_an_opaque_origin_needs_a_star() {
    let page = Page::top(A, None);
    for allow in [
        None,
        Some("tools"),
        Some("tools 'src'"),
        Some("tools 'self'"),
        Some("tools https://a"),
    ] {
        assert!(
            !page.frame("opaque 1", allow, "opaque 2", None).has_tools(),
            "{allow:?}"
        );
    }
    assert!(
        page.frame("opaque 1", Some("tools *"), "opaque 2", None)
            .has_tools()
    );
}

#[test]
fn self_in_the_header_of_an_opaque_document_is_itself() {
    assert!(Page::top("opaque 1", Some("tools=self")).has_tools());
}

#[test]
fn allowfullscreen_hands_fullscreen_to_the_frame() {
    let page = Page::top(A, None);
    let allowing = ContainerInputs {
        allowfullscreen: true,
        ..container(B, None)
    };
    assert!(page.frame_with(&allowing, B, None).has(Feature::Fullscreen));
    assert!(page.frame_with(&allowing, C, None).has(Feature::Fullscreen));
    assert!(
        !page
            .frame_with(&container(B, None), B, None)
            .has(Feature::Fullscreen)
    );
    assert!(
        !Page::top(A, Some("fullscreen=()"))
            .frame_with(&allowing, B, None)
            .has(Feature::Fullscreen)
    );
}

#[test]
fn a_declared_feature_is_on_for_the_origins_that_it_names() {
    let page = Page::top(A, Some(r#"tools=(self "https://b")"#));
    let is_on = |origin: &str| {
        page.policy.is_enabled_for_origin(
            Feature::Tools,
            &page.origin,
            &origin.to_owned(),
            ORIGIN_PARTS.tuple,
        )
    };
    assert!(is_on(A));
    assert!(is_on(B));
    assert!(!is_on(C));
}

#[test]
fn an_undeclared_feature_is_on_for_the_origins_of_its_default() {
    let page = Page::top(A, None);
    let is_on = |feature, origin: &str| {
        page.policy.is_enabled_for_origin(
            feature,
            &page.origin,
            &origin.to_owned(),
            ORIGIN_PARTS.tuple,
        )
    };
    assert!(is_on(Feature::Tools, A));
    assert!(!is_on(Feature::Tools, B));
    assert!(is_on(Feature::SyncXhr, B));
}

#[test]
fn a_policy_survives_the_wire() {
    let page = Page::top(
        A,
        Some(r#"tools=(self "https://b"), geolocation=*, midi=()"#),
    );
    let frame = page.frame(B, Some("tools"), B, Some("tools=*"));
    for policy in [page.policy, frame.policy] {
        let text = serde_json::to_string(&policy).unwrap();
        assert_eq!(
            serde_json::from_str::<PermissionsPolicy<String>>(&text).unwrap(),
            policy
        );
    }
}

#[test]
fn a_document_of_which_nothing_is_known_may_do_nothing() {
    let policy = PermissionsPolicy::<String>::nothing();
    for feature in Feature::ALL {
        assert!(!policy.allows(*feature, &A.to_owned()), "{feature:?}");
    }
}

#[test]
fn a_wildcard_of_a_header_hands_on_to_subdomains_alone() {
    let page = Page::top(
        "https://example.com",
        Some(r#"tools=(self "https://example.*" "https://*.example.com" "https://b")"#),
    );
    let has_tools = |origin: &str, allow| page.frame(origin, allow, origin, None).has_tools();
    for origin in ["https://a.example.com", "https://a.b.example.com", B] {
        assert!(has_tools(origin, Some("tools")), "{origin}");
        assert!(!has_tools(origin, None), "{origin}");
    }
    for origin in ["https://evilexample.com", "https://example.org", C, "null"] {
        assert!(!has_tools(origin, Some("tools *")), "{origin}");
    }
}

#[test]
fn a_wildcard_of_a_header_does_not_stand_for_the_bare_domain() {
    let header = Some(r#"tools=("https://*.example.com")"#);
    assert!(!Page::top("https://example.com", header).has_tools());
    assert!(Page::top("https://www.example.com", header).has_tools());
}

#[test]
fn a_scheme_alone_in_a_header_stands_for_its_origins() {
    let page = Page::top(A, Some(r#"tools=("https:")"#));
    assert!(page.has_tools());
    assert!(page.frame(B, Some("tools"), B, None).has_tools());
    assert!(
        !page
            .frame("null", Some("tools *"), "null", None)
            .has_tools()
    );
}

#[test]
fn a_wildcard_of_the_attribute_stands_for_nothing() {
    let page = Page::top(A, None);
    let frame = |allow| page.frame("https://x.a", Some(allow), "https://x.a", None);
    assert!(!frame("tools https://*.a https:").has_tools());
    assert!(frame("tools https://*.a https://x.a").has_tools());
}
