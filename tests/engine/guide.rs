/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Chrome's guide to the imperative API: each of its examples is a page, and behaves as the guide says.
//!
//! <https://developer.chrome.com/docs/ai/webmcp/imperative-api>

use engine_tests::streaming::StreamedText;
use engine_tests::{Browser, Page, Site, Suite, tests};
use serde_json::json;
use servo::ToolAnnotations;

pub fn add_to(suite: &mut Suite) {
    suite.add(tests![
        a_tool_changes_the_page,
        a_tool_looks_something_up,
        annotations_tell_what_a_tool_does,
        a_signal_unregisters_a_tool,
        an_unregistration_does_not_interrupt_a_running_tool,
        a_listed_tool_has_the_members_that_the_guide_shows,
        a_listed_tool_is_executed,
        a_call_is_cancelled_with_a_signal,
        a_change_of_the_tools_is_told,
        a_stream_is_read_to_its_end,
        a_stream_is_cancelled_with_its_call,
        a_stream_is_cancelled_by_the_embedder,
    ]);
    suite.add_in_every_mode(tests![
        tools_of_another_origin_are_delegated_exposed_and_asked_for
    ]);
}

fn open<'browser>(browser: &'browser Browser, html: &str) -> Page<'browser> {
    browser.serve(Site::default().page("https://example.com/", html));
    browser.open("https://example.com/")
}

fn a_tool_changes_the_page(browser: &Browser) {
    let page = open(browser, include_str!("guide/pizza.html"));
    let layers = "return document.getElementById('pizza').textContent";
    for (input, result, pizza) in [
        (
            json!({ "layer": "sauce-layer", "action": "add" }),
            "Did add sauce-layer",
            "CheeseSauce",
        ),
        (
            json!({ "layer": "cheese-layer" }),
            "Did toggle cheese-layer",
            "Sauce",
        ),
        (
            json!({ "layer": "sauce-layer", "action": "remove" }),
            "Did remove sauce-layer",
            "",
        ),
    ] {
        assert_eq!(
            page.run(&format!("return await call('toggle_layer', {input})")),
            json!(result)
        );
        assert_eq!(page.run(layers), json!(pizza));
    }
    // The embedder's agent does the same.
    assert_eq!(
        page.call("toggle_layer", r#"{"layer": "sauce-layer"}"#),
        Ok(Some("Did toggle sauce-layer".into()))
    );
    assert_eq!(page.run(layers), json!("Sauce"));
}

fn a_tool_looks_something_up(browser: &Browser) {
    let page = open(browser, include_str!("guide/orders.html"));
    let facts = page.run(
        "const { inputSchema } = await findTool('get_order_status');
         const { timeframe } = inputSchema.properties;
         return [
             timeframe.enum.length, timeframe.oneOf[2], inputSchema.required,
             await call('get_order_status', { timeframe: 'yesterday' }),
             await call('get_order_status', { timeframe: 'last_7_days' }),
         ];",
    );
    assert_eq!(
        facts,
        json!([
            5,
            { "type": "string", "const": "last_7_days", "title": "The last 7 days" },
            ["timeframe"],
            "1000: on its way, Osaka",
            "1001: packed, Kyoto\n1000: on its way, Osaka",
        ])
    );
}

fn annotations_tell_what_a_tool_does(browser: &Browser) {
    let page = open(browser, include_str!("guide/flights.html"));
    let facts = page.run(
        "return [
             (await findTool('book_flight')).annotations,
             await call('book_flight', { flightId: 'NH 7', passengers: 2 }),
         ]",
    );
    assert_eq!(
        facts,
        json!([
            {
                "readOnlyHint": false,
                "untrustedContentHint": false,
                "consequentialHint": true,
                "debugging": false,
            },
            "2 on NH 7: booked.",
        ])
    );
    assert_eq!(
        page.tool("book_flight").annotations,
        Some(ToolAnnotations {
            consequential_hint: true,
            ..ToolAnnotations::default()
        })
    );
}

const TASKS: &str = include_str!("guide/tasks.html");

fn a_signal_unregisters_a_tool(browser: &Browser) {
    let page = open(browser, TASKS);
    let lists = page.run(
        "const before = await listed();
         document.getElementById('close').click();
         return [before, await listed()];",
    );
    assert_eq!(lists, json!([["addTodo"], []]));
}

fn an_unregistration_does_not_interrupt_a_running_tool(browser: &Browser) {
    let page = open(browser, TASKS);
    let facts = page.run(
        "let permit;
         window.permission = new Promise(resolve => { permit = resolve; });
         const activated = nextEvent(document.modelContext, 'toolactivated');
         const result = call('addTodo', { text: 'Buy milk' });
         await activated;
         document.getElementById('close').click();
         const list = await listed();
         permit();
         return [list, await result, document.getElementById('tasks').textContent];",
    );
    assert_eq!(facts, json!([[], "Added to-do: Buy milk", "Buy milk"]));
}

fn a_listed_tool_has_the_members_that_the_guide_shows(browser: &Browser) {
    let page = open(browser, TASKS);
    let facts = page.run(
        "const [tool] = await document.modelContext.getTools();
         const { window: itsWindow, ...others } = tool;
         return { ...others, isWindow: itsWindow === window };",
    );
    assert_eq!(
        facts,
        json!({
            "annotations": {
                "consequentialHint": false,
                "debugging": false,
                "readOnlyHint": false,
                "untrustedContentHint": true,
            },
            "description": "Adds a task to the list.",
            "inputSchema": { "type": "object", "properties": { "text": { "type": "string" } } },
            "name": "addTodo",
            "origin": "https://example.com",
            "title": "",
            "isWindow": true,
        })
    );
}

fn a_listed_tool_is_executed(browser: &Browser) {
    let page = open(browser, TASKS);
    let facts = page.run(
        "const [tool] = await document.modelContext.getTools();
         const result = await document.modelContext.executeTool(tool, { text: 'Buy milk' });
         return [result, document.getElementById('tasks').textContent];",
    );
    assert_eq!(facts, json!(["Added to-do: Buy milk", "Buy milk"]));
}

fn a_call_is_cancelled_with_a_signal(browser: &Browser) {
    let page = open(browser, TASKS);
    let how = page.run(
        "window.permission = never();
         const [tool] = await document.modelContext.getTools();
         const controller = new AbortController();
         const promise = document.modelContext.executeTool(
             tool, { text: 'Buy milk' }, { signal: controller.signal });
         await nextEvent(document.modelContext, 'toolactivated');
         controller.abort();
         return [await ending(promise), document.getElementById('tasks').textContent];",
    );
    assert_eq!(how, json!(["AbortError", ""]));
}

fn a_change_of_the_tools_is_told(browser: &Browser) {
    let page = open(browser, TASKS);
    let facts = page.run(
        "const changed = new Promise(resolve => {
             document.modelContext.addEventListener('toolchange', event => resolve(event.type));
         });
         document.getElementById('close').click();
         return await changed;",
    );
    assert_eq!(facts, json!("toolchange"));
}

/// What `webmcp` gives to every document, since the engine's streams have no async iteration yet.
const STREAM_ITERATION: &str =
    include_str!("../../ports/webmcp/src/browser/platform/stream_iteration.js");

/// Opens the page that reads a stream, at the origin of a server that sends one.
fn open_reader<'browser>(browser: &'browser Browser, text: &StreamedText) -> Page<'browser> {
    let url = format!("{}/reader", text.origin());
    browser.add_user_script(STREAM_ITERATION);
    browser.serve(
        Site::default()
            .page(&url, include_str!("guide/reader.html"))
            .reachable(&text.url()),
    );
    let page = browser.open(&url);
    page.run(
        "const pre = document.querySelector('pre');
         globalThis.shown = text => new Promise(resolve => {
             const look = () => pre.textContent === text && resolve();
             new MutationObserver(look).observe(pre, { childList: true, characterData: true, subtree: true });
             look();
         });
         globalThis.failed = nextEvent(window, 'readingfailed');",
    );
    page
}

fn a_stream_is_read_to_its_end(browser: &Browser) {
    let text = StreamedText::offer();
    let page = open_reader(browser, &text);
    page.run("globalThis.result = call('fetch_tool', { url: '/text', priority: 'high' })");
    text.send("First. ");
    page.run("await shown('First. ')");
    text.send("Zweitens ü. ");
    page.run("await shown('First. Zweitens ü. ')");
    drop(text);
    assert_eq!(page.run("return await result"), json!("Success"));
}

fn a_stream_is_cancelled_with_its_call(browser: &Browser) {
    let text = StreamedText::offer();
    let page = open_reader(browser, &text);
    page.run(
        "globalThis.controller = new AbortController();
         globalThis.how = ending(call('fetch_tool', { url: '/text' }, { signal: controller.signal }));
         globalThis.cancelled = nextEvent(document.modelContext, 'toolcancel');",
    );
    text.send("First. ");
    let facts = page.run(
        "await shown('First. ');
         controller.abort();
         const result = await how;
         await cancelled;
         return result;",
    );
    assert_eq!(facts, json!("AbortError"));
    // The tool saw its request fail, and nothing more is shown.
    text.send("Second. ");
    let facts =
        page.run("return [(await failed).detail, document.querySelector('pre').textContent]");
    assert_eq!(facts, json!(["AbortError", "First. "]));
}

fn a_stream_is_cancelled_by_the_embedder(browser: &Browser) {
    let text = StreamedText::offer();
    let page = open_reader(browser, &text);
    page.run("globalThis.cancelled = nextEvent(document.modelContext, 'toolcancel')");
    let call = page.start(page.tool("fetch_tool").id, r#"{"url": "/text"}"#);
    text.send("First. ");
    page.run("await shown('First. ')");
    page.webview().cancel_tool_execution(call.id);
    assert_eq!(
        call.outcome().map_err(|failure| failure.kind),
        Err(servo::ToolFailureKind::Cancelled)
    );
    page.run("await cancelled");
    let facts =
        page.run("return [(await failed).detail, document.querySelector('pre').textContent]");
    assert_eq!(facts, json!(["AbortError", "First. "]));
}

fn tools_of_another_origin_are_delegated_exposed_and_asked_for(browser: &Browser) {
    browser.serve(
        Site::default()
            .page("https://partner.org/", include_str!("guide/partner.html"))
            .page(
                "https://example.com/",
                "<iframe src='https://partner.org/' allow='tools'></iframe>",
            )
            .page(
                "https://example.com/without-allow",
                "<iframe src='https://partner.org/'></iframe>",
            )
            .page(
                "https://stranger.net/",
                "<iframe src='https://partner.org/' allow='tools'></iframe>",
            ),
    );
    let lists = "return [
        await listed(), await listed({ fromOrigins: ['https://partner.org'] }),
    ]";
    let page = browser.open("https://example.com/");
    page.frame(&[0]).run(WAIT_FOR_OWN_TOOL);
    assert_eq!(page.run(lists), json!([[], ["my_shared_tool"]]));
    let result = page.run(
        "const [tool] = await document.modelContext.getTools({ fromOrigins: ['https://partner.org'] });
         return await document.modelContext.executeTool(tool);",
    );
    assert_eq!(result, json!("Shared"));

    let page = browser.open("https://stranger.net/");
    page.frame(&[0]).run(WAIT_FOR_OWN_TOOL);
    assert_eq!(page.run(lists), json!([[], []]));

    let page = browser.open("https://example.com/without-allow");
    let how = page
        .frame(&[0])
        .run("return await ending(document.modelContext.getTools())");
    assert_eq!(how, json!("NotAllowedError"));
    assert_eq!(page.run(lists), json!([[], []]));
}

/// The last tool of a partner's page is there.
const WAIT_FOR_OWN_TOOL: &str = "
    while (!(await listed()).includes('my_own_tool')) {
        await nextEvent(document.modelContext, 'toolchange');
    }
";
