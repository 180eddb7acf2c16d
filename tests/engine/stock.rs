/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! With the preference off, which is Servo's own default, the engine is as if WebMCP were not there.

use engine_tests::{Browser, Options, Page, Resource, Site, Suite, tests};
use servo::JSValue;

pub fn add_to(suite: &mut Suite) {
    suite.add_with(
        Options {
            preferences: |preferences| {
                preferences.dom_modelcontext_enabled = false;
                preferences.dom_geolocation_enabled = true;
            },
            ..Options::default()
        },
        tests![
            the_preference_is_off_unless_it_is_set,
            there_is_no_model_context,
            there_is_no_allow_attribute_of_the_idl,
            a_domain_relaxes,
            a_policy_denies_nothing,
            a_page_has_no_tools_for_the_embedder,
        ],
    );
}

fn open<'browser>(
    browser: &'browser Browser,
    headers: &[(&'static str, &'static str)],
) -> Page<'browser> {
    let page = headers.iter().fold(
        Resource::new(
            "text/html",
            "<!DOCTYPE html><body><iframe src='https://b.test/'></iframe>",
        ),
        |page, (name, value)| page.header(name, value),
    );
    browser.serve(Site::default().resource("https://www.a.test/page", page));
    browser.open("https://www.a.test/page")
}

#[track_caller]
fn check(page: &Page<'_>, expression: &str, expected: JSValue) {
    assert_eq!(page.evaluate(expression), Ok(expected), "{expression}");
}

fn the_preference_is_off_unless_it_is_set(_browser: &Browser) {
    assert!(!servo::Preferences::default().dom_modelcontext_enabled);
}

fn there_is_no_model_context(browser: &Browser) {
    let page = open(browser, &[]);
    for absent in [
        "'modelContext' in document",
        "'modelContext' in navigator",
        "'originAgentCluster' in window",
        "'ModelContext' in window",
        "'ToolActivatedEvent' in window",
        "'ToolCancelEvent' in window",
    ] {
        check(&page, absent, JSValue::Boolean(false));
    }
}

fn there_is_no_allow_attribute_of_the_idl(browser: &Browser) {
    let page = open(browser, &[]);
    check(
        &page,
        "'allow' in HTMLIFrameElement.prototype",
        JSValue::Boolean(false),
    );
    check(
        &page,
        "const frame = document.createElement('iframe');
         frame.allow = 'tools';
         frame.hasAttribute('allow')",
        JSValue::Boolean(false),
    );
}

fn a_domain_relaxes(browser: &Browser) {
    for headers in [&[][..], &[("origin-agent-cluster", "?1")][..]] {
        let page = open(browser, headers);
        check(
            &page,
            "document.domain = 'a.test'; document.domain",
            JSValue::String("a.test".into()),
        );
    }
}

fn a_policy_denies_nothing(browser: &Browser) {
    let page = open(
        browser,
        &[("permissions-policy", "geolocation=(), tools=()")],
    );
    check(
        &page,
        "let how = 'not denied';
         navigator.geolocation.getCurrentPosition(() => {}, error => { how = error.code; });
         how",
        JSValue::String("not denied".into()),
    );
}

fn a_page_has_no_tools_for_the_embedder(browser: &Browser) {
    let page = open(browser, &[]);
    assert!(page.tools().is_empty());
    assert_eq!(page.console(), [""; 0]);
}
