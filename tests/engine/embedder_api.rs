/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What `WebView` and its delegate offer to the embedder: the tools of a page, calls of them, and evaluated scripts.

use std::cell::RefCell;
use std::rc::Rc;

use engine_tests::{Browser, ExecutionStep, Page, Site, Suite, tests};
use serde_json::json;
use servo::{ScriptOutcome, ToolAnnotations, ToolFailureKind, ToolId, ToolOutcome};

pub fn add_to(suite: &mut Suite) {
    suite.add_in_every_mode(tests![
        the_tools_of_all_frames_are_listed_with_what_is_known_of_them,
        the_embedder_runs_tools_that_are_exposed_to_nobody,
        the_embedder_cancels_a_call,
        changes_of_the_tools_are_told,
        a_tool_with_consequences_runs_only_if_it_is_allowed,
    ]);
    suite.add(tests![
        a_page_without_tools_lists_none,
        a_tool_without_details_has_none,
        a_result_is_the_text_that_a_page_would_get,
        the_failure_of_a_tool_has_its_own_words,
        input_that_is_no_object_is_invalid,
        an_identity_is_that_of_one_registration,
        a_cancellation_after_the_end_does_nothing,
        a_late_result_of_a_cancelled_call_is_ignored,
        calls_of_the_embedder_are_independent,
        a_call_of_the_embedder_is_none_of_the_pages,
        a_callback_may_call_back,
        a_request_tells_what_is_to_run,
        a_request_that_is_dropped_is_denied,
        a_request_is_about_one_registration,
        a_call_that_waits_to_be_allowed_can_be_cancelled,
        a_page_needs_nobody_s_leave,
        every_execution_is_told_of,
        documents_have_their_own_ids,
        pages_do_not_see_each_other,
        a_tool_of_another_page_is_not_run,
        a_script_is_evaluated_and_awaited,
        a_script_that_fails_gives_the_text_of_its_failure,
        a_script_ends_with_its_document,
        tools_come_and_go_with_the_documents,
    ]);
}

fn failure(outcome: ToolOutcome) -> ToolFailureKind {
    match outcome {
        Ok(result) => panic!("The call gave {result:?}"),
        Err(failure) => failure.kind,
    }
}

fn text(text: &str) -> ToolOutcome {
    Ok(Some(text.to_owned()))
}

fn the_tools_of_all_frames_are_listed_with_what_is_known_of_them(browser: &Browser) {
    browser.serve(Site::default().page("https://b.test/frame", "<title>Frame</title>"));
    let page = browser.open("https://a.test/?top");
    page.run(
        "await addFrame({ src: '/?first', allow: 'tools' });
         await addFrame({ src: 'https://b.test/frame', allow: 'tools' });",
    );
    page.frame(&[1])
        .run("await addFrame({ src: 'https://c.test/', allow: 'tools' })");
    // The order of the registrations is not that of the tree.
    page.frame(&[1, 0]).run(
        "await register('innermost', () => {}, {
             title: 'Innermost', description: 'Is within a frame.', exposedTo: ['https://d.test'],
             inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
             annotations: { consequentialHint: true, untrustedContentHint: true },
         })",
    );
    page.frame(&[1])
        .run("await register('z'); await register('a')");
    page.frame(&[0]).run("await register('ofFirst')");
    page.run("await register('ofTop')");

    let tools = page.tools();
    let summary: Vec<_> = tools
        .iter()
        .map(|tool| {
            (
                tool.name.as_str(),
                tool.frame.as_slice(),
                tool.origin.as_str(),
                tool.url.as_str(),
            )
        })
        .collect();
    assert_eq!(
        summary,
        [
            ("ofTop", &[][..], "https://a.test", "https://a.test/?top"),
            (
                "ofFirst",
                &[0][..],
                "https://a.test",
                "https://a.test/?first"
            ),
            ("z", &[1][..], "https://b.test", "https://b.test/frame"),
            ("a", &[1][..], "https://b.test", "https://b.test/frame"),
            (
                "innermost",
                &[1, 0][..],
                "https://c.test",
                "https://c.test/"
            ),
        ]
    );
    let innermost = &tools[4];
    assert_eq!(innermost.title, "Innermost");
    assert_eq!(innermost.description, "Is within a frame.");
    assert_eq!(
        innermost.input_schema.as_deref(),
        Some(r#"{"type":"object","properties":{"n":{"type":"number"}}}"#)
    );
    assert_eq!(
        innermost.annotations,
        Some(ToolAnnotations {
            read_only_hint: false,
            untrusted_content_hint: true,
            consequential_hint: true,
            debugging: false,
        })
    );
}

fn the_embedder_runs_tools_that_are_exposed_to_nobody(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run(
        "await addFrame({ src: '/frame', allow: 'tools' });
         await addFrame({ src: 'https://b.test/', allow: 'tools' });
         await addFrame({ src: '/frame', allow: 'tools *', sandbox: 'allow-scripts' });",
    );
    for index in 0..3 {
        page.frame(&[index]).run(&format!(
            "await register('tool{index}', ({{ n }}) => `${{origin}} ${{n + 1}}`)"
        ));
    }
    assert_eq!(page.call("tool0", r#"{"n": 1}"#), text("https://a.test 2"));
    assert_eq!(page.call("tool1", r#"{"n": 2}"#), text("https://b.test 3"));
    assert_eq!(page.call("tool2", r#"{"n": 3}"#), text("null 4"));
    assert_eq!(page.tool("tool2").origin, "null");
}

fn the_embedder_cancels_a_call(browser: &Browser) {
    for url in ["https://a.test/frame", "https://b.test/"] {
        let page = browser.open("https://a.test/");
        page.run(&format!(
            "await addFrame({{ src: '{url}', allow: 'tools' }})"
        ));
        let frame = page.frame(&[0]);
        frame.run(
            "watch('toolactivated', 'toolcancel');
             globalThis.activated = nextEvent(document.modelContext, 'toolactivated');
             globalThis.cancelled = nextEvent(document.modelContext, 'toolcancel');
             await register('wait', (input, { signal }) => {
                 signal.addEventListener('abort', () => log.push(signal.reason.name));
                 return never();
             });",
        );
        let call = page.start(page.tool("wait").id, "{}");
        frame.run("await activated");
        assert!(!call.is_finished());
        page.webview().cancel_tool_execution(call.id);
        assert_eq!(failure(call.outcome()), ToolFailureKind::Cancelled);
        assert_eq!(
            frame.run("await cancelled; return log"),
            json!(["toolactivated", "AbortError", "toolcancel"])
        );
    }
}

const BUY: &str = "globalThis.bought = 0;
    await register('buy', ({ what }) => { bought++; return what; },
                   { annotations: { consequentialHint: true } });";

fn open_shop(browser: &Browser) -> Page<'_> {
    let page = browser.open("https://a.test/");
    page.run(BUY);
    page
}

fn a_tool_with_consequences_runs_only_if_it_is_allowed(browser: &Browser) {
    let page = open_shop(browser);
    let input = r#"{"what": "tea"}"#;
    let call = page.start(page.tool("buy").id, input);
    let request = page.take_execution_request();
    assert_eq!(page.run("return bought"), json!(0));
    assert!(!call.is_finished());
    request.allow();
    assert_eq!(call.outcome(), text("tea"));
    assert_eq!(page.run("return bought"), json!(1));

    let call = page.start(page.tool("buy").id, input);
    page.take_execution_request().deny();
    assert_eq!(failure(call.outcome()), ToolFailureKind::Refused);
    assert_eq!(page.run("return bought"), json!(1));
}

fn a_request_tells_what_is_to_run(browser: &Browser) {
    let page = open_shop(browser);
    let tool = page.tool("buy");
    let call = page.start(tool.id, r#"{"what": "a pot"}"#);
    let request = page.take_execution_request();
    assert_eq!(request.execution(), call.id);
    assert_eq!(request.input_json(), r#"{"what": "a pot"}"#);
    let asked = request.tool();
    assert_eq!(
        (asked.id, asked.name.as_str(), asked.origin.as_str()),
        (tool.id, "buy", "https://a.test")
    );
    assert_eq!(asked.document, tool.document);
}

fn a_request_that_is_dropped_is_denied(browser: &Browser) {
    let page = open_shop(browser);
    let call = page.start(page.tool("buy").id, "{}");
    drop(page.take_execution_request());
    assert_eq!(failure(call.outcome()), ToolFailureKind::Refused);
    assert_eq!(page.run("return bought"), json!(0));
}

fn a_request_is_about_one_registration(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run(
        "globalThis.controller = new AbortController();
         await register('buy', () => 'first',
                        { annotations: { consequentialHint: true }, signal: controller.signal });",
    );
    let call = page.start(page.tool("buy").id, "{}");
    let request = page.take_execution_request();
    page.run("controller.abort()");
    page.run(BUY);
    request.allow();
    assert_eq!(failure(call.outcome()), ToolFailureKind::NoSuchTool);
    assert_eq!(page.run("return bought"), json!(0));
}

fn a_call_that_waits_to_be_allowed_can_be_cancelled(browser: &Browser) {
    let page = open_shop(browser);
    let call = page.start(page.tool("buy").id, "{}");
    let request = page.take_execution_request();
    page.webview().cancel_tool_execution(call.id);
    assert_eq!(failure(call.outcome()), ToolFailureKind::Cancelled);
    // An answer that comes too late changes nothing. The call after it would have been overtaken by it.
    request.allow();
    let next = page.start(page.tool("buy").id, "{}");
    page.take_execution_request().deny();
    assert_eq!(failure(next.outcome()), ToolFailureKind::Refused);
    assert_eq!(page.run("return bought"), json!(0));
}

fn a_page_needs_nobody_s_leave(browser: &Browser) {
    let page = open_shop(browser);
    assert_eq!(
        page.run("return await call('buy', { what: 'tea' })"),
        json!("tea")
    );
}

fn every_execution_is_told_of(browser: &Browser) {
    use ExecutionStep::{Finished, Requested, Started};

    let page = open_shop(browser);
    page.run("await register('greet', () => 'Hello'); await register('wait', () => never())");
    let named = |name: &str| name.to_owned();

    let call = page.start(page.tool("greet").id, "{}");
    let outcome = call.outcome();
    assert_eq!(
        page.execution_steps(call.id),
        [Started(named("greet")), Finished(outcome)]
    );

    let call = page.start(page.tool("wait").id, "{}");
    page.webview().cancel_tool_execution(call.id);
    let outcome = call.outcome();
    assert_eq!(
        page.execution_steps(call.id),
        [Started(named("wait")), Finished(outcome)]
    );

    let call = page.start(page.tool("buy").id, "{}");
    page.take_execution_request().deny();
    let outcome = call.outcome();
    assert_eq!(
        page.execution_steps(call.id),
        [Requested(named("buy")), Finished(outcome)]
    );

    let call = page.start(ToolId::new(), "{}");
    let outcome = call.outcome();
    assert_eq!(page.execution_steps(call.id), [Finished(outcome)]);
}

fn documents_have_their_own_ids(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: '/?frame', allow: 'tools' }); await register('x'); await register('y')");
    page.frame(&[0]).run("await register('z')");
    let (x, y, z) = (page.tool("x"), page.tool("y"), page.tool("z"));
    assert_eq!(x.document, y.document);
    assert_ne!(x.document, z.document);
    page.reload();
    page.run("await register('x')");
    assert_ne!(page.tool("x").document, x.document);
}

fn changes_of_the_tools_are_told(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: 'https://b.test/', allow: 'tools' })");
    let changes = [
        (
            "await runInFrame([0], `
                 globalThis.controller = new AbortController();
                 register('ofFrame', () => {}, { signal: controller.signal })`)",
            vec!["ofFrame"],
        ),
        ("register('ofTop')", vec!["ofTop", "ofFrame"]),
        ("await runInFrame([0], 'controller.abort()')", vec!["ofTop"]),
        (
            "await runInFrame([0], `register('again')`)",
            vec!["ofTop", "again"],
        ),
        ("frameAt(0).remove()", vec!["ofTop"]),
    ];
    for (script, names) in changes {
        let before = page.tool_changes();
        page.run(script);
        page.wait_for_tool_change(before);
        assert_eq!(page.tool_names(), names, "after {script}");
    }
}

fn a_page_without_tools_lists_none(browser: &Browser) {
    let page = browser.open("https://a.test/");
    assert!(page.tools().is_empty());
    page.load("about:blank");
    assert!(page.tools().is_empty());
    page.load("https://a.test/not-found");
    assert!(page.tools().is_empty());
}

fn a_tool_without_details_has_none(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await register('greet', () => {}, { description: 'Greets.' })");
    let tool = page.tool("greet");
    assert_eq!(
        (tool.title.as_str(), tool.description.as_str()),
        ("", "Greets.")
    );
    assert_eq!(tool.input_schema, None);
    assert_eq!(tool.annotations, None);
    assert_eq!(tool.frame, [0; 0]);
}

fn a_result_is_the_text_that_a_page_would_get(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await register('echo', ({ value }) => value)");
    for (value, result) in [
        (r#""text""#, "text"),
        (r#""ü😀""#, "ü😀"),
        (r#""""#, ""),
        ("7", "7"),
        ("null", "null"),
        (r#"{"a": [1, 2]}"#, r#"{"a":[1,2]}"#),
    ] {
        let input = format!(r#"{{"value": {value}}}"#);
        assert_eq!(page.call("echo", &input), text(result), "{value}");
    }
    assert_eq!(
        failure(page.call("echo", "{}")),
        ToolFailureKind::ResultNotSerializable
    );
    let long = "ä😀x".repeat(1 << 18);
    let input = json!({ "value": long }).to_string();
    assert!(page.call("echo", &input) == text(&long));
}

fn the_failure_of_a_tool_has_its_own_words(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run(
        "await register('throws', () => { throw new RangeError('out of stock'); });
         await register('rejects', async () => { throw new DOMException('not at night', 'NotAllowedError'); });
         await register('throwsText', () => { throw 'just text'; });
         await register('throwsHorror', () => { throw { toString() { throw 1; } }; });
         await register('unserialisable', () => 1n);",
    );
    for (name, words) in [
        ("throws", "out of stock"),
        ("rejects", "not at night"),
        ("throwsText", "just text"),
        ("throwsHorror", ""),
    ] {
        let failure = page.call(name, "{}").unwrap_err();
        assert_eq!(failure.kind, ToolFailureKind::CallbackThrew, "{name}");
        assert!(failure.message.contains(words), "{}", failure.message);
    }
    assert_eq!(
        failure(page.call("unserialisable", "{}")),
        ToolFailureKind::ResultNotSerializable
    );
}

fn input_that_is_no_object_is_invalid(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await register('note', input => { log.push(input); return 'done'; })");
    for input in [
        "", "{", "nonsense", "{} {}", "7", "\"text\"", "null", "true", "\u{0}",
    ] {
        assert_eq!(
            failure(page.call("note", input)),
            ToolFailureKind::InvalidInput,
            "{input:?}"
        );
    }
    assert_eq!(page.call("note", "[1]"), text("done"));
    assert_eq!(
        page.call("note", r#" {"__proto__": {"x": 1}} "#),
        text("done")
    );
    assert_eq!(
        page.run("return [log[0], Object.keys(log[1]), log[1].x, log.length]"),
        json!([[1], ["__proto__"], null, 2])
    );
}

fn an_identity_is_that_of_one_registration(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run(
        "globalThis.controller = new AbortController();
         await register('greet', () => 'first', { signal: controller.signal });",
    );
    let first = page.tool("greet").id;
    page.run("controller.abort(); await register('greet', () => 'second');");
    let second = page.tool("greet").id;
    assert_ne!(first, second);
    assert_eq!(
        failure(page.start(first, "{}").outcome()),
        ToolFailureKind::NoSuchTool
    );
    assert_eq!(page.start(second, "{}").outcome(), text("second"));
}

fn a_cancellation_after_the_end_does_nothing(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("watch('toolcancel'); await register('greet', () => 'hello');");
    let call = page.start(page.tool("greet").id, "{}");
    assert_eq!(call.outcome(), text("hello"));
    page.webview().cancel_tool_execution(call.id);
    // A round trip: the outcome would have been told a second time by now, which the call does not put up with.
    assert_eq!(page.call("greet", "{}"), text("hello"));
    assert_eq!(page.run("await listed(); return log"), json!([]));
    assert_eq!(call.outcome(), text("hello"));
}

fn a_late_result_of_a_cancelled_call_is_ignored(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run(
        "globalThis.activated = nextEvent(document.modelContext, 'toolactivated');
         await register('wait', () => new Promise(resolve => { globalThis.finish = resolve; }));
         await register('greet', () => 'hello');",
    );
    let call = page.start(page.tool("wait").id, "{}");
    page.run("await activated");
    page.webview().cancel_tool_execution(call.id);
    page.run("finish('late')");
    assert_eq!(failure(call.outcome()), ToolFailureKind::Cancelled);
    assert_eq!(page.call("greet", "{}"), text("hello"));
    assert_eq!(failure(call.outcome()), ToolFailureKind::Cancelled);
}

fn calls_of_the_embedder_are_independent(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run(
        "globalThis.finish = {};
         globalThis.bothHaveStarted = new Promise(resolve => {
             register('wait', ({ id }) => new Promise(finishOne => {
                 finish[id] = finishOne;
                 if (finish.first && finish.second) {
                     resolve();
                 }
             }));
         });",
    );
    let tool = page.tool("wait").id;
    let first = page.start(tool, r#"{"id": "first"}"#);
    let second = page.start(tool, r#"{"id": "second"}"#);
    page.run("await bothHaveStarted");
    page.run("finish.second('second is done')");
    assert_eq!(second.outcome(), text("second is done"));
    assert!(!first.is_finished());
    page.run("finish.first('first is done')");
    assert_eq!(first.outcome(), text("first is done"));
}

fn a_call_of_the_embedder_is_none_of_the_pages(browser: &Browser) {
    let page = browser.open("https://a.test/");
    // The page's own call of the same tool, at the same time, is told apart.
    page.run(
        "globalThis.activated = nextEvent(document.modelContext, 'toolactivated');
         await register('wait', ({ by }) => by === 'page' ? 'for the page' : never());
         globalThis.controller = new AbortController();",
    );
    let call = page.start(page.tool("wait").id, r#"{"by": "embedder"}"#);
    page.run("await activated");
    let result = page.run(
        "const result = await call('wait', { by: 'page' }, { signal: controller.signal });
         controller.abort();
         await listed();
         return result;",
    );
    assert_eq!(result, json!("for the page"));
    assert!(!call.is_finished());
    page.webview().cancel_tool_execution(call.id);
    assert_eq!(failure(call.outcome()), ToolFailureKind::Cancelled);
}

fn a_callback_may_call_back(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await register('greet', ({ name }) => `Hello ${name}`)");
    let outcomes: Rc<RefCell<Vec<ToolOutcome>>> = Rc::default();
    let (first, second) = (outcomes.clone(), outcomes.clone());
    let webview = page.webview().clone();
    page.webview().page_tools(move |tools| {
        let Some(tool) = tools.first().map(|tool| tool.id) else {
            return;
        };
        let inner = webview.clone();
        webview.execute_tool(tool, r#"{"name": "first"}"#.into(), move |outcome| {
            first.borrow_mut().push(outcome);
            inner.execute_tool(tool, r#"{"name": "second"}"#.into(), move |outcome| {
                second.borrow_mut().push(outcome);
            });
        });
    });
    browser.wait_until("the last callback is called", || {
        outcomes.borrow().len() == 2
    });
    assert_eq!(
        *outcomes.borrow(),
        [text("Hello first"), text("Hello second")]
    );
}

fn pages_do_not_see_each_other(browser: &Browser) {
    let first = browser.open("https://a.test/");
    let second = browser.open("https://a.test/");
    first.run("await register('ofFirst')");
    second.run("await register('ofSecond')");
    assert_eq!(first.tool_names(), ["ofFirst"]);
    assert_eq!(second.tool_names(), ["ofSecond"]);
    assert_eq!(first.run("return await listed()"), json!(["ofFirst"]));
    assert_eq!(second.run("return await listed()"), json!(["ofSecond"]));
}

fn a_tool_of_another_page_is_not_run(browser: &Browser) {
    let first = browser.open("https://a.test/");
    let second = browser.open("https://a.test/");
    first.run("await register('note', () => { log.push('ran'); return 'done'; })");
    let tool = first.tool("note").id;
    assert_eq!(
        failure(second.start(tool, "{}").outcome()),
        ToolFailureKind::NoSuchTool
    );
    assert_eq!(first.run("await listed(); return log"), json!([]));
}

fn a_script_is_evaluated_and_awaited(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let evaluate = |script: &str| {
        browser.wait_for("the script is evaluated", |callback| {
            page.webview()
                .evaluate_and_await(script.to_owned(), callback);
        })
    };
    for (script, json) in [
        ("1 + 1", Some("2")),
        ("'text'", Some("\"text\"")),
        ("null", Some("null")),
        ("undefined", None),
        ("", None),
        ("({ a: [1, undefined] })", Some("{\"a\":[1,null]}")),
        ("Promise.resolve({ b: 1 })", Some("{\"b\":1}")),
        ("Promise.resolve()", None),
        ("listed()", Some("[]")),
        ("let x = 7; x", Some("7")),
        ("x", Some("7")),
        (
            "({ then(resolve) { resolve('thenable'); } })",
            Some("\"thenable\""),
        ),
    ] {
        assert_eq!(evaluate(script), Ok(json.map(str::to_owned)), "{script}");
    }
}

fn a_script_that_fails_gives_the_text_of_its_failure(browser: &Browser) {
    let page = browser.open("https://a.test/");
    for (script, words) in [
        ("throw new Error('out of stock')", "out of stock"),
        ("return await call('unknown')", "unknown"),
        ("throw 'just text'", "just text"),
        ("return 1n", ""),
        ("return Symbol()", ""),
        ("return () => {}", ""),
        ("(", ""),
        ("throw { toString() { throw 1; } }", ""),
    ] {
        let error = page.eval(script).unwrap_err();
        assert!(error.contains(words), "{script} gave {error}");
    }
    // The page is none the worse for it.
    assert_eq!(page.run("return 1"), json!(1));
}

fn a_script_ends_with_its_document(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let ended: Rc<RefCell<Option<ScriptOutcome>>> = Rc::default();
    let setter = ended.clone();
    page.webview()
        .evaluate_and_await("never()".into(), move |outcome| {
            *setter.borrow_mut() = Some(outcome);
        });
    page.run("return 1");
    assert!(ended.borrow().is_none());
    page.load("https://b.test/");
    browser.wait_until("the script has ended", || ended.borrow().is_some());
    assert!(matches!(&*ended.borrow(), Some(Err(_))));
    assert_eq!(page.run("return location.host"), json!("b.test"));
}

fn tools_come_and_go_with_the_documents(browser: &Browser) {
    browser.serve(
        Site::default()
            .page("https://a.test/one", "<script>register('one')</script>")
            .page("https://a.test/two", "<script>register('two')</script>"),
    );
    let page = browser.open("https://a.test/one");
    // The answer comes after what the page has told of its tools, and not the way that the end of the load does.
    page.run("");
    assert_eq!(page.tool_names(), ["one"]);
    let one = page.tool("one").id;
    let before = page.tool_changes();
    page.load("https://a.test/two");
    page.wait_for_tool_change(before);
    page.run("");
    assert_eq!(page.tool_names(), ["two"]);
    assert_eq!(
        failure(page.start(one, "{}").outcome()),
        ToolFailureKind::NoSuchTool
    );
    page.reload();
    page.run("");
    assert_eq!(page.tool_names(), ["two"]);
}
