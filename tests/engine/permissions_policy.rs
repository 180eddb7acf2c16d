/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The permissions policy: the `Permissions-Policy` header, the `allow` attribute, and what hangs on them.

use engine_tests::{Browser, Options, Page, Site, Suite, tests};
use serde_json::{Value, json};

use crate::all_methods::{ALL_METHODS, allowed, rejected};

pub fn add_to(suite: &mut Suite) {
    suite.add(tests![
        a_header_takes_the_feature_from_its_document,
        a_header_that_leaves_the_feature_takes_nothing,
        the_lines_of_a_header_count_together,
        a_header_takes_the_feature_from_the_frames_too,
        a_header_limits_to_whom_its_document_may_hand_on,
        a_frame_can_give_up_the_feature_with_its_header,
        allow_decides_for_a_frame_of_another_origin,
        allow_can_take_the_feature_from_a_frame_of_the_same_origin,
        allow_reflects_its_attribute,
        a_change_of_allow_counts_from_the_next_navigation_on,
        a_frame_that_goes_elsewhere_loses_what_its_src_was_given,
        every_document_on_the_way_must_hand_on,
        a_srcdoc_frame_inherits,
        a_policy_does_not_fall_with_a_reload,
        a_document_without_the_feature_hears_and_shows_nothing,
        fullscreen_hangs_on_the_policy_too,
    ]);
    suite.add_in_every_mode(tests![a_policy_holds_in_the_frame_wherever_it_runs]);
    suite.add_with(
        Options {
            preferences: |preferences| {
                preferences.dom_geolocation_enabled = true;
                preferences.dom_permissions_enabled = true;
            },
            ..Options::default()
        },
        tests![
            geolocation_hangs_on_the_policy_too,
            a_permission_that_the_policy_denies_is_denied,
        ],
    );
}

fn denied() -> Value {
    rejected("NotAllowedError")
}

/// Opens a page of `https://a.test` that is served with a header.
fn open_with_header<'browser>(browser: &'browser Browser, header: &'static str) -> Page<'browser> {
    browser.serve(Site::default().page_with_headers(
        "https://a.test/page",
        &[("permissions-policy", header)],
        "",
    ));
    browser.open("https://a.test/page")
}

/// Adds a frame with an `allow` attribute, and says how the methods end in it.
fn methods_in_frame(page: &Page<'_>, url: &str, allow: Option<&str>) -> Value {
    let attributes = match allow {
        Some(allow) => json!({ "src": url, "allow": allow }),
        None => json!({ "src": url }),
    };
    page.run("document.querySelector('iframe')?.remove()");
    page.run(&format!("await addFrame({attributes})"));
    page.frame(&[0]).run(ALL_METHODS)
}

fn a_header_takes_the_feature_from_its_document(browser: &Browser) {
    for header in [
        "tools=()",
        "tools=(\"https://b.test\")",
        "geolocation=*, tools=()",
    ] {
        let page = open_with_header(browser, header);
        assert_eq!(page.run(ALL_METHODS), denied(), "{header}");
    }
}

fn a_header_that_leaves_the_feature_takes_nothing(browser: &Browser) {
    for header in [
        "tools=self",
        "tools=(self)",
        "tools=*",
        "tools=(\"https://a.test\")",
        "geolocation=()",
        "unknown-feature=()",
        "tools=(",
        "tools 'none'",
    ] {
        let page = open_with_header(browser, header);
        assert_eq!(page.run(ALL_METHODS), allowed(), "{header}");
    }
}

fn the_lines_of_a_header_count_together(browser: &Browser) {
    browser.serve(Site::default().page_with_headers(
        "https://a.test/page",
        &[
            ("permissions-policy", "geolocation=()"),
            ("permissions-policy", "tools=()"),
        ],
        "",
    ));
    let page = browser.open("https://a.test/page");
    assert_eq!(page.run(ALL_METHODS), denied());
}

fn a_header_takes_the_feature_from_the_frames_too(browser: &Browser) {
    let page = open_with_header(browser, "tools=()");
    for url in ["https://a.test/frame", "https://b.test/"] {
        assert_eq!(
            methods_in_frame(&page, url, Some("tools *")),
            denied(),
            "{url}"
        );
    }
}

fn a_header_limits_to_whom_its_document_may_hand_on(browser: &Browser) {
    let page = open_with_header(browser, "tools=(self \"https://b.test\")");
    assert_eq!(page.run(ALL_METHODS), allowed());
    for (url, allow, expected) in [
        ("https://b.test/", Some("tools"), allowed()),
        ("https://b.test/", None, denied()),
        ("https://c.test/", Some("tools"), denied()),
        ("https://c.test/", Some("tools *"), denied()),
        ("https://a.test/frame", None, allowed()),
    ] {
        assert_eq!(
            methods_in_frame(&page, url, allow),
            expected,
            "{url} with {allow:?}"
        );
    }
}

fn a_frame_can_give_up_the_feature_with_its_header(browser: &Browser) {
    browser.serve(
        Site::default()
            .page_with_headers(
                "https://b.test/gives-up",
                &[("permissions-policy", "tools=()")],
                "",
            )
            .page_with_headers(
                "https://b.test/wants",
                &[("permissions-policy", "tools=*")],
                "",
            ),
    );
    let page = browser.open("https://a.test/");
    assert_eq!(
        methods_in_frame(&page, "https://b.test/gives-up", Some("tools")),
        denied()
    );
    assert_eq!(
        methods_in_frame(&page, "https://b.test/wants", None),
        denied()
    );
    assert_eq!(
        methods_in_frame(&page, "https://b.test/wants", Some("tools")),
        allowed()
    );
}

fn allow_decides_for_a_frame_of_another_origin(browser: &Browser) {
    let page = browser.open("https://a.test/");
    for url in ["https://www.a.test/", "https://b.test/"] {
        let origin = url.trim_end_matches('/');
        for (allow, expected) in [
            (None, denied()),
            (Some(""), denied()),
            (Some("geolocation"), denied()),
            (Some("tools"), allowed()),
            (Some("tools *"), allowed()),
            (Some("tools 'src'"), allowed()),
            (Some("tools 'self'"), denied()),
            (Some("tools 'none'"), denied()),
            (Some(&*format!("tools {origin}")), allowed()),
            (Some("tools https://c.test"), denied()),
            (Some(&*format!("tools https://c.test {origin}")), allowed()),
            (Some("geolocation; tools"), allowed()),
            (Some(" tools ;; "), allowed()),
        ] {
            assert_eq!(
                methods_in_frame(&page, url, allow),
                expected,
                "{url} with {allow:?}"
            );
        }
    }
}

fn allow_can_take_the_feature_from_a_frame_of_the_same_origin(browser: &Browser) {
    let page = browser.open("https://a.test/");
    for (allow, expected) in [
        (None, allowed()),
        (Some("tools 'self'"), allowed()),
        (Some("tools 'none'"), denied()),
        (Some("tools https://b.test"), denied()),
    ] {
        assert_eq!(
            methods_in_frame(&page, "https://a.test/frame", allow),
            expected,
            "{allow:?}"
        );
    }
}

fn allow_reflects_its_attribute(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const frame = document.createElement('iframe');
         const before = frame.allow;
         frame.setAttribute('allow', 'tools *');
         const reflected = frame.allow;
         frame.allow = 'tools; x';
         const set = frame.getAttribute('allow');
         frame.removeAttribute('allow');
         return ['allow' in HTMLIFrameElement.prototype, before, reflected, set, frame.allow];",
    );
    assert_eq!(facts, json!([true, "", "tools *", "tools; x", ""]));
}

fn a_change_of_allow_counts_from_the_next_navigation_on(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: 'https://b.test/' })");
    page.run("frameAt(0).allow = 'tools'");
    assert_eq!(page.frame(&[0]).run(ALL_METHODS), denied());
    page.run("await navigateFrame(0, 'https://b.test/?second')");
    assert_eq!(page.frame(&[0]).run(ALL_METHODS), allowed());
    page.run("frameAt(0).removeAttribute('allow')");
    // The feature is still there; only the name of the tool is taken by now.
    assert_eq!(
        page.frame(&[0]).run(ALL_METHODS),
        json!(["InvalidStateError", "fulfilled", "UnknownError"])
    );
    page.run("await navigateFrame(0, 'https://b.test/?third')");
    assert_eq!(page.frame(&[0]).run(ALL_METHODS), denied());
}

fn a_frame_that_goes_elsewhere_loses_what_its_src_was_given(browser: &Browser) {
    let page = browser.open("https://a.test/");
    for (allow, expected) in [("tools", denied()), ("tools *", allowed())] {
        page.run("document.querySelector('iframe')?.remove()");
        page.run(&format!(
            "await addFrame({{ src: 'https://b.test/', allow: '{allow}' }})"
        ));
        page.run("globalThis.loaded = nextEvent(frameAt(0), 'load')");
        page.frame(&[0])
            .run("setTimeout(() => { location.href = 'https://c.test/'; })");
        page.run("await loaded");
        let frame = page.frame(&[0]);
        assert_eq!(frame.run("return origin"), json!("https://c.test"));
        assert_eq!(frame.run(ALL_METHODS), expected, "{allow}");
    }
}

fn every_document_on_the_way_must_hand_on(browser: &Browser) {
    for (outer, inner, expected) in [
        (Some("tools"), Some("tools"), allowed()),
        (Some("tools"), None, denied()),
        (None, Some("tools *"), denied()),
    ] {
        let page = browser.open("https://a.test/");
        let attributes = |src: &str, allow: Option<&str>| match allow {
            Some(allow) => json!({ "src": src, "allow": allow }),
            None => json!({ "src": src }),
        };
        let outer_attributes = attributes("https://b.test/", outer);
        page.run(&format!("await addFrame({outer_attributes})"));
        for src in ["https://c.test/", "https://a.test/frame"] {
            let inner_attributes = attributes(src, inner);
            page.frame(&[0]).run("frameAt(0)?.remove()");
            page.frame(&[0])
                .run(&format!("await addFrame({inner_attributes})"));
            assert_eq!(
                page.frame(&[0, 0]).run(ALL_METHODS),
                expected,
                "{outer:?}, then {inner:?} for {src}"
            );
        }
    }
}

fn a_srcdoc_frame_inherits(browser: &Browser) {
    let add = "await addFrame({ srcdoc: '<script src=/harness.js></script>' })";
    let page = browser.open("https://a.test/");
    page.run(add);
    assert_eq!(page.frame(&[0]).run(ALL_METHODS), allowed());
    let page = open_with_header(browser, "tools=()");
    page.run(add);
    assert_eq!(page.frame(&[0]).run(ALL_METHODS), denied());
}

fn a_policy_does_not_fall_with_a_reload(browser: &Browser) {
    let page = open_with_header(browser, "tools=()");
    page.reload();
    assert_eq!(page.run(ALL_METHODS), denied());

    let page = browser.open("https://a.test/");
    assert_eq!(methods_in_frame(&page, "https://b.test/", None), denied());
    page.run("globalThis.loaded = nextEvent(frameAt(0), 'load')");
    page.frame(&[0]).run("setTimeout(() => location.reload())");
    page.run("await loaded");
    assert_eq!(page.frame(&[0]).run(ALL_METHODS), denied());
}

fn a_document_without_the_feature_hears_and_shows_nothing(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run(
        "await addFrame({ src: '/frame', allow: `tools 'none'` });
         watch('toolchange');",
    );
    page.frame(&[0]).run("watch('toolchange')");
    page.run("await register('greet', () => {}, { exposedTo: ['https://a.test'] })");
    // Its document cannot ask for a list; two round trips stand in for that.
    page.run("await listed()");
    for _ in 0..2 {
        assert_eq!(page.frame(&[0]).run("return log"), json!([]));
    }
    assert_eq!(page.run("return log"), json!(["toolchange"]));
}

fn a_policy_holds_in_the_frame_wherever_it_runs(browser: &Browser) {
    let page = browser.open("https://a.test/");
    for url in [
        "https://a.test/frame",
        "https://www.a.test/",
        "https://b.test/",
    ] {
        assert_eq!(
            methods_in_frame(&page, url, Some("tools")),
            allowed(),
            "{url}"
        );
        assert_eq!(
            methods_in_frame(&page, url, Some("tools 'none'")),
            denied(),
            "{url}"
        );
    }
}

/// Asks for a position. A denial is told at once; there is no device that could answer otherwise.
const ASK_FOR_POSITION: &str = "
    let how = 'not denied';
    navigator.geolocation.getCurrentPosition(() => {}, error => { how = error.code; });
    return how;
";

fn geolocation_hangs_on_the_policy_too(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let not_denied = json!("not denied");
    let permission_denied = json!(1);
    assert_eq!(page.run(ASK_FOR_POSITION), not_denied);
    for (url, allow, expected) in [
        ("https://a.test/frame", "tools", &not_denied),
        (
            "https://a.test/frame",
            "geolocation 'none'",
            &permission_denied,
        ),
        ("https://b.test/", "tools", &permission_denied),
        ("https://b.test/", "geolocation", &not_denied),
    ] {
        page.run("document.querySelector('iframe')?.remove()");
        let attributes = json!({ "src": url, "allow": allow });
        page.run(&format!("await addFrame({attributes})"));
        assert_eq!(
            page.frame(&[0]).run(ASK_FOR_POSITION),
            *expected,
            "{url} with {allow}"
        );
    }
    let page = open_with_header(browser, "geolocation=()");
    assert_eq!(page.run(ASK_FOR_POSITION), permission_denied);
}

fn fullscreen_hangs_on_the_policy_too(browser: &Browser) {
    let ask = "return document.fullscreenEnabled";
    let page = browser.open("https://a.test/");
    assert_eq!(page.run(ask), json!(true));
    for (attributes, expected) in [
        (json!({ "src": "https://a.test/frame" }), true),
        (
            json!({ "src": "https://a.test/frame", "allow": "fullscreen 'none'" }),
            false,
        ),
        (json!({ "src": "https://b.test/" }), false),
        (json!({ "src": "https://b.test/", "allow": "tools" }), false),
        (
            json!({ "src": "https://b.test/", "allow": "fullscreen" }),
            true,
        ),
        (
            json!({ "src": "https://b.test/", "allowfullscreen": "" }),
            true,
        ),
        (
            json!({ "src": "https://b.test/", "allowfullscreen": "", "allow": "fullscreen 'none'" }),
            false,
        ),
    ] {
        page.run("document.querySelector('iframe')?.remove()");
        page.run(&format!("await addFrame({attributes})"));
        assert_eq!(page.frame(&[0]).run(ask), json!(expected), "{attributes}");
    }
    let page = open_with_header(browser, "fullscreen=()");
    assert_eq!(page.run(ask), json!(false));
}

fn a_permission_that_the_policy_denies_is_denied(browser: &Browser) {
    let query = "return (await navigator.permissions.query({ name: 'geolocation' })).state";
    let page = browser.open("https://a.test/");
    assert_ne!(page.run(query), json!("denied"));
    let page = open_with_header(browser, "geolocation=()");
    assert_eq!(page.run(query), json!("denied"));
    // Notifications are no policy-controlled feature.
    let page = open_with_header(browser, "notifications=()");
    assert_ne!(
        page.run(&query.replace("geolocation", "notifications")),
        json!("denied")
    );
}
