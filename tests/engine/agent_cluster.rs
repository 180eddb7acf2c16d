/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Origin-keyed agent clusters, the gate that hangs on them, and `file:` documents, which pass it.

use engine_tests::{Browser, Options, Page, Site, Suite, tests};
use serde_json::{Value, json};

use crate::all_methods::{ALL_METHODS, allowed, rejected};

pub fn add_to(suite: &mut Suite) {
    suite.add(tests![
        a_document_is_origin_keyed_unless_it_refuses,
        a_document_that_refuses_may_not_use_tools,
        a_value_that_is_no_boolean_refuses_nothing,
        an_origin_keyed_document_keeps_its_domain,
        a_site_keyed_document_relaxes_its_domain,
        the_first_document_of_an_origin_decides,
        an_opaque_origin_is_keyed_by_itself,
        origin_agent_cluster_tells_the_keying,
        a_file_document_passes_the_gate,
        a_tool_of_a_file_document_is_run_by_the_embedder_only,
    ]);
    suite.add_with(
        Options {
            preferences: |preferences| {
                preferences.dom_modelcontext_origin_keyed_gate_enabled = false;
            },
            ..Options::default()
        },
        tests![a_site_keyed_document_may_use_tools_where_the_gate_is_off],
    );
}

fn refused() -> Value {
    rejected("SecurityError")
}

fn open_with_header<'browser>(browser: &'browser Browser, header: &'static str) -> Page<'browser> {
    browser.serve(Site::default().page_with_headers(
        "https://www.a.test/page",
        &[("origin-agent-cluster", header)],
        "",
    ));
    browser.open("https://www.a.test/page")
}

fn a_document_is_origin_keyed_unless_it_refuses(browser: &Browser) {
    assert_eq!(browser.open("https://a.test/").run(ALL_METHODS), allowed());
    assert_eq!(open_with_header(browser, "?1").run(ALL_METHODS), allowed());
}

fn a_document_that_refuses_may_not_use_tools(browser: &Browser) {
    for header in ["?0", "?0;parameter=1"] {
        assert_eq!(
            open_with_header(browser, header).run(ALL_METHODS),
            refused(),
            "{header}"
        );
    }
}

fn a_value_that_is_no_boolean_refuses_nothing(browser: &Browser) {
    for header in ["0", "false", "\"?0\"", "(?0)", "?0, ?0", ""] {
        assert_eq!(
            open_with_header(browser, header).run(ALL_METHODS),
            allowed(),
            "{header}"
        );
    }
}

const SET_DOMAIN: &str = "document.domain = 'a.test'; return document.domain;";

fn an_origin_keyed_document_keeps_its_domain(browser: &Browser) {
    let page = browser.open("https://www.a.test/");
    assert_eq!(page.run(SET_DOMAIN), json!("www.a.test"));
    // What is no suffix is still an error.
    let how = page.run("return await ending((async () => { document.domain = 'b.test'; })())");
    assert_eq!(how, json!("SecurityError"));
}

fn a_site_keyed_document_relaxes_its_domain(browser: &Browser) {
    let page = open_with_header(browser, "?0");
    assert_eq!(page.run(SET_DOMAIN), json!("a.test"));
}

fn the_first_document_of_an_origin_decides(browser: &Browser) {
    browser.serve(
        Site::default()
            .page_with_headers(
                "https://a.test/site-keyed",
                &[("origin-agent-cluster", "?0")],
                "",
            )
            .page_with_headers(
                "https://a.test/origin-keyed",
                &[("origin-agent-cluster", "?1")],
                "",
            ),
    );
    let page = browser.open("https://a.test/site-keyed");
    page.run("await addFrame({ src: '/origin-keyed' })");
    assert_eq!(page.frame(&[0]).run(ALL_METHODS), refused());

    // Another page is another browsing context group.
    let page = browser.open("https://a.test/origin-keyed");
    page.run("await addFrame({ src: '/site-keyed' })");
    assert_eq!(page.frame(&[0]).run(ALL_METHODS), allowed());
}

fn an_opaque_origin_is_keyed_by_itself(browser: &Browser) {
    browser.serve(Site::default().page_with_headers(
        "https://a.test/sandboxed",
        &[
            ("origin-agent-cluster", "?0"),
            ("content-security-policy", "sandbox allow-scripts"),
        ],
        "",
    ));
    let page = browser.open("https://a.test/sandboxed");
    let facts = page.run(
        "await register('greet');
         const tool = await findTool('greet');
         return [origin, tool.origin, await ending(document.modelContext.executeTool(tool))];",
    );
    assert_eq!(facts, json!(["null", "null", "NotSupportedError"]));
}

fn origin_agent_cluster_tells_the_keying(browser: &Browser) {
    let ask = "return window.originAgentCluster";
    assert_eq!(browser.open("https://b.test/").run(ask), json!(true));
    assert_eq!(open_with_header(browser, "?1").run(ask), json!(true));
    assert_eq!(open_with_header(browser, "?0").run(ask), json!(false));
}

/// A page of the file system. `load_web_resource` is asked for these too, so that no file has to be written.
fn open_file(browser: &Browser) -> Page<'_> {
    browser.serve(Site::default().page("file:///page.html", ""));
    browser.open("file:///page.html")
}

fn a_file_document_passes_the_gate(browser: &Browser) {
    let page = open_file(browser);
    let facts = page.run(
        "await register('greet');
         const tool = await findTool('greet');
         return [location.protocol, tool.window === window, tool.origin];",
    );
    assert_eq!(facts, json!(["file:", true, "null"]));
}

fn a_tool_of_a_file_document_is_run_by_the_embedder_only(browser: &Browser) {
    let page = open_file(browser);
    let how = page.run(
        "await register('greet', ({ name }) => `Hello ${name}`);
         return await ending(call('greet'));",
    );
    // Its origin has no serialisation by which the tool could be called.
    assert_eq!(how, json!("NotSupportedError"));
    let tool = page.tool("greet");
    assert_eq!(
        (tool.origin.as_str(), tool.url.as_str()),
        ("null", "file:///page.html")
    );
    assert_eq!(
        page.call("greet", r#"{"name": "embedder"}"#),
        Ok(Some("Hello embedder".into()))
    );
}

fn a_site_keyed_document_may_use_tools_where_the_gate_is_off(browser: &Browser) {
    let page = open_with_header(browser, "?0");
    assert_eq!(page.run(ALL_METHODS), allowed());
    // The keying itself is as it was.
    assert_eq!(page.run(SET_DOMAIN), json!("a.test"));
}
