/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `toolchange`, `toolactivated` and `toolcancel`, in one document.

use engine_tests::{Browser, Suite, tests};
use serde_json::json;

pub fn add_to(suite: &mut Suite) {
    suite.add(tests![
        the_tool_events_have_constructors,
        a_synthetic_event_reaches_its_handler,
        the_handler_attributes_reflect_what_they_are_given,
        a_handler_that_was_taken_back_is_not_called,
        toolactivated_comes_once_and_to_the_model_context,
        toolactivated_follows_the_start_of_the_callback,
        toolactivated_names_the_tool_of_each_call,
        a_call_that_does_not_run_fires_no_toolactivated,
        toolcancel_comes_once_and_to_the_model_context,
        toolcancel_follows_the_rejection,
        a_call_that_ends_by_itself_fires_no_toolcancel,
        toolchange_comes_for_registrations_and_unregistrations,
        a_registration_that_fails_fires_no_toolchange,
        nothing_is_fired_at_the_window,
    ]);
}

fn the_tool_events_have_constructors(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const facts = [];
         for (const [Constructor, type] of [[ToolActivatedEvent, 'toolactivated'], [ToolCancelEvent, 'toolcancel']]) {
             const members = event => [
                 event instanceof Event, event.type, event.toolName, event.bubbles, event.cancelable,
                 event.composed, event.isTrusted,
             ];
             facts.push(
                 members(new Constructor(type)),
                 members(new Constructor('x', { toolName: 'greet', bubbles: true, cancelable: true, composed: true })),
                 members(new Constructor(type, { toolName: undefined })),
                 members(new Constructor(type, { toolName: null })),
             );
             try { new Constructor(); } catch (error) { facts.push(error.name); }
             try { Constructor(type); } catch (error) { facts.push(error.name); }
         }
         return facts;",
    );
    let of_type = |event_type: &str| {
        vec![
            json!([true, event_type, "", false, false, false, false]),
            json!([true, "x", "greet", true, true, true, false]),
            json!([true, event_type, "", false, false, false, false]),
            json!([true, event_type, "null", false, false, false, false]),
            json!("TypeError"),
            json!("TypeError"),
        ]
    };
    let expected = [of_type("toolactivated"), of_type("toolcancel")].concat();
    assert_eq!(facts, json!(expected));
}

fn a_synthetic_event_reaches_its_handler(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const context = document.modelContext;
         for (const type of ['toolactivated', 'toolcancel', 'toolchange']) {
             context[`on${type}`] = function (event) {
                 log.push([this === context, event.target === context, event.toolName ?? 'none']);
             };
         }
         context.dispatchEvent(new ToolActivatedEvent('toolactivated', { toolName: 'a' }));
         context.dispatchEvent(new ToolCancelEvent('toolcancel', { toolName: 'b' }));
         context.dispatchEvent(new Event('toolchange'));
         return log;",
    );
    assert_eq!(
        facts,
        json!([[true, true, "a"], [true, true, "b"], [true, true, "none"]])
    );
}

fn the_handler_attributes_reflect_what_they_are_given(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const context = document.modelContext;
         const facts = [];
         for (const name of ['ontoolchange', 'ontoolactivated', 'ontoolcancel']) {
             const handler = () => {};
             const before = context[name];
             context[name] = handler;
             const during = context[name] === handler;
             context[name] = 'no function';
             const odd = context[name];
             context[name] = handler;
             context[name] = null;
             facts.push([before, during, odd, context[name]]);
         }
         return facts;",
    );
    assert_eq!(facts, json!(vec![json!([null, true, null, null]); 3]));
}

fn a_handler_that_was_taken_back_is_not_called(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const context = document.modelContext;
         await register('greet', ({ long }) => long ? never() : 'done');
         const tool = await findTool('greet');
         const handled = ['ontoolchange', 'ontoolactivated', 'ontoolcancel'];
         for (const name of handled) {
             context[name] = event => log.push([event.type, event.constructor.name, event.toolName ?? 'none']);
         }
         const round = async () => {
             const signal = new AbortController();
             await register(`tool${log.length}`);
             const cancelled = nextEvent(context, 'toolcancel');
             const call = ending(context.executeTool(tool, { long: true }, { signal: signal.signal }));
             signal.abort();
             await call;
             await cancelled;
         };
         await round();
         for (const name of handled) {
             context[name] = null;
         }
         await round();
         return log;",
    );
    assert_eq!(
        facts,
        json!([
            ["toolchange", "Event", "none"],
            ["toolactivated", "ToolActivatedEvent", "greet"],
            ["toolcancel", "ToolCancelEvent", "greet"],
        ])
    );
}

fn toolactivated_comes_once_and_to_the_model_context(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const context = document.modelContext;
         await register('greet');
         context.addEventListener('toolactivated', event => log.push([
             event instanceof ToolActivatedEvent, event.toolName, event.target === context,
             event.currentTarget === context, event.isTrusted, event.bubbles, event.cancelable, event.composed,
             event.eventPhase === Event.AT_TARGET, event.composedPath().length,
         ]));
         await call('greet');
         await listed();
         return log;",
    );
    assert_eq!(
        facts,
        json!([[
            true, "greet", true, true, true, false, false, false, true, 1
        ]])
    );
}

fn toolactivated_follows_the_start_of_the_callback(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "watch('toolactivated');
         await register('throws', () => { log.push('throws'); throw new Error(); });
         await register('waits', async () => { log.push('waits'); await listed(); log.push('waited'); return ''; });
         await ending(call('throws'));
         await call('waits');
         return log;",
    );
    assert_eq!(
        facts,
        json!([
            "throws",
            "toolactivated",
            "waits",
            "toolactivated",
            "waited"
        ])
    );
}

fn toolactivated_names_the_tool_of_each_call(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "document.modelContext.addEventListener('toolactivated', ({ toolName }) => log.push(toolName));
         await register('a');
         await register('b');
         const names = ['a', 'b', 'b', 'a'];
         await Promise.all(names.map(name => document.modelContext.executeTool(toolOf(window, name))));
         return log;",
    );
    assert_eq!(facts, json!(["a", "b", "b", "a"]));
}

fn a_call_that_does_not_run_fires_no_toolactivated(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "watch('toolactivated', 'toolcancel');
         const controller = new AbortController();
         await register('greet', () => 'done', { signal: controller.signal });
         const tool = await findTool('greet');
         const context = document.modelContext;
         const endings = [
             await ending(context.executeTool(tool, null)),
             await ending(context.executeTool({ ...tool, name: 'x' })),
             await ending(context.executeTool({ ...tool, origin: 'https://b.test' })),
             await ending(context.executeTool(tool, {}, { signal: AbortSignal.abort() })),
         ];
         const called = ending(context.executeTool(tool));
         controller.abort();
         endings.push(await called);
         return [endings, log];",
    );
    assert_eq!(
        facts,
        json!([
            [
                "TypeError",
                "UnknownError",
                "UnknownError",
                "AbortError",
                "UnknownError"
            ],
            []
        ])
    );
}

fn toolcancel_comes_once_and_to_the_model_context(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const context = document.modelContext;
         await register('wait', never);
         context.addEventListener('toolcancel', event => log.push([
             event instanceof ToolCancelEvent, event.toolName, event.target === context,
             event.currentTarget === context, event.isTrusted, event.bubbles, event.cancelable, event.composed,
         ]));
         const controller = new AbortController();
         const how = ending(call('wait', {}, { signal: controller.signal }));
         await nextEvent(context, 'toolactivated');
         controller.abort();
         controller.abort();
         await how;
         await listed();
         return log;",
    );
    assert_eq!(
        facts,
        json!([[true, "wait", true, true, true, false, false, false]])
    );
}

fn toolcancel_follows_the_rejection(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "watch('toolcancel');
         await register('wait', never);
         const tool = await findTool('wait');
         const controller = new AbortController();
         const promise = document.modelContext.executeTool(tool, {}, { signal: controller.signal });
         controller.abort();
         log.push(await ending(promise));
         await listed();
         return log;",
    );
    assert_eq!(facts, json!(["AbortError", "toolcancel"]));
}

fn a_call_that_ends_by_itself_fires_no_toolcancel(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "watch('toolcancel');
         await register('greet');
         await register('fail', () => { throw new Error(); });
         const { signal } = new AbortController();
         const endings = [await ending(call('greet', {}, { signal })), await ending(call('fail', {}, { signal }))];
         await listed();
         return [endings, log];",
    );
    assert_eq!(facts, json!([["fulfilled", "UnknownError"], []]));
}

fn toolchange_comes_for_registrations_and_unregistrations(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const context = document.modelContext;
         context.addEventListener('toolchange', event => log.push([
             event.constructor === Event, event.target === context, event.isTrusted, event.bubbles, event.cancelable,
         ]));
         const controller = new AbortController();
         await register('a', () => {}, { signal: controller.signal });
         await register('b', () => {}, { signal: controller.signal });
         const registered = log.length;
         controller.abort();
         await listed();
         return [registered, log];",
    );
    let event = json!([true, true, true, false, false]);
    assert_eq!(facts, json!([2, vec![event; 4]]));
}

fn a_registration_that_fails_fires_no_toolchange(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('taken');
         watch('toolchange');
         await ending(register('taken'));
         await ending(register('no good'));
         await ending(register('free', () => {}, { exposedTo: ['/'] }));
         await ending(register('free', () => {}, { signal: AbortSignal.abort() }));
         await listed();
         return log;",
    );
    assert_eq!(facts, json!([]));
}

fn nothing_is_fired_at_the_window(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "for (const type of ['toolchange', 'toolactivated', 'toolcancel', 'toolcanceled']) {
             addEventListener(type, () => log.push(type), { capture: true });
             document.addEventListener(type, () => log.push(type), { capture: true });
         }
         const cancelled = nextEvent(document.modelContext, 'toolcancel');
         await register('wait', never);
         const controller = new AbortController();
         const how = ending(call('wait', {}, { signal: controller.signal }));
         await nextEvent(document.modelContext, 'toolactivated');
         controller.abort();
         await how;
         await cancelled;
         return log;",
    );
    assert_eq!(facts, json!([]));
}
