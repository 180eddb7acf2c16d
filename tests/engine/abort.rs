/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Cancelling calls with signals, in one document.

use engine_tests::{Browser, Suite, tests};
use serde_json::json;

pub fn add_to(suite: &mut Suite) {
    suite.add(tests![
        a_signal_that_is_aborted_already_rejects_and_runs_nothing,
        an_abort_does_its_things_in_order,
        the_caller_gets_its_own_reason_and_the_callback_an_abort_error,
        an_abort_in_the_turn_of_the_call_still_runs_the_callback,
        the_promise_rejects_in_the_turn_of_the_abort,
        what_a_cancelled_tool_returns_is_ignored,
        a_tool_can_abort_its_own_call,
        an_abort_after_the_end_does_nothing,
        one_signal_ends_all_its_calls_and_no_other,
        a_dependent_signal_ends_a_call,
        a_timeout_ends_a_call,
        a_forwarded_signal_ends_the_inner_call_too,
        an_abort_while_another_call_is_pending_leaves_that_one,
        aborts_that_cause_aborts_end_every_call_once,
        a_cancelled_tool_can_be_called_again,
    ]);
}

/// A tool that never finishes: logs that it has started, and the abort of its signal. `started` is a promise of the
/// event that follows the start.
const WAITING_TOOL: &str = "
    let reasonOfCallback;
    register('wait', (input, { signal }) => {
        log.push('started');
        signal.addEventListener('abort', () => {
            reasonOfCallback = signal.reason;
            log.push('aborted');
        });
        return never();
    });
    watch('toolactivated');
    const started = nextEvent(document.modelContext, 'toolactivated');
    const tool = toolOf(window, 'wait');
";

fn a_signal_that_is_aborted_already_rejects_and_runs_nothing(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('greet', ({ n }) => { log.push(n); return 'done'; });
         const endings = [
             await ending(call('greet', { n: 1 }, { signal: AbortSignal.abort() })),
             await ending(call('greet', { n: 2 }, { signal: AbortSignal.abort('reason') })),
         ];
         await call('greet', { n: 3 });
         return [endings, log];",
    );
    assert_eq!(facts, json!([["AbortError", "reason"], [3]]));
}

fn an_abort_does_its_things_in_order(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let log = page.run(&format!(
        "{WAITING_TOOL}
         const cancelled = nextEvent(document.modelContext, 'toolcancel').then(() => log.push('toolcancel'));
         const controller = new AbortController();
         const rejected = document.modelContext.executeTool(tool, {{}}, {{ signal: controller.signal }})
             .catch(() => log.push('rejected'));
         await started;
         controller.abort();
         await rejected;
         await cancelled;
         return log;"
    ));
    assert_eq!(
        log,
        json!([
            "started",
            "toolactivated",
            "rejected",
            "aborted",
            "toolcancel"
        ])
    );
}

fn the_caller_gets_its_own_reason_and_the_callback_an_abort_error(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(&format!(
        "{WAITING_TOOL}
         const reason = {{ its: 'own' }};
         const cancelled = nextEvent(document.modelContext, 'toolcancel');
         const controller = new AbortController();
         const promise = document.modelContext.executeTool(tool, {{}}, {{ signal: controller.signal }});
         await started;
         controller.abort(reason);
         const caught = await promise.catch(error => error);
         await cancelled;
         return [
             caught === reason, reasonOfCallback instanceof DOMException, reasonOfCallback.name,
         ];"
    ));
    assert_eq!(facts, json!([true, true, "AbortError"]));
}

fn an_abort_in_the_turn_of_the_call_still_runs_the_callback(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(&format!(
        "{WAITING_TOOL}
         const cancelled = nextEvent(document.modelContext, 'toolcancel').then(() => log.push('toolcancel'));
         const controller = new AbortController();
         const promise = document.modelContext.executeTool(tool, {{}}, {{ signal: controller.signal }});
         controller.abort();
         const how = await ending(promise);
         log.push('rejected');
         await cancelled;
         return [how, log];"
    ));
    assert_eq!(
        facts,
        json!([
            "AbortError",
            [
                "rejected",
                "started",
                "toolactivated",
                "aborted",
                "toolcancel"
            ]
        ])
    );
}

fn the_promise_rejects_in_the_turn_of_the_abort(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(&format!(
        "{WAITING_TOOL}
         const controller = new AbortController();
         document.modelContext.executeTool(tool, {{}}, {{ signal: controller.signal }})
             .catch(() => log.push('rejected'));
         await started;
         controller.abort();
         await null;
         await null;
         return log;"
    ));
    assert_eq!(facts, json!(["started", "toolactivated", "rejected"]));
}

fn what_a_cancelled_tool_returns_is_ignored(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let endings = page.run(
        "let settle;
         await register('wait', ({ how }) => new Promise((resolve, reject) => {
             settle = () => how === 'resolve' ? resolve('late') : reject(new Error('late'));
         }));
         const tool = await findTool('wait');
         const endings = [];
         for (const how of ['resolve', 'reject']) {
             for (const turn of ['same turn', 'later turn']) {
                 const controller = new AbortController();
                 const promise = document.modelContext.executeTool(
                     tool, { how }, { signal: controller.signal });
                 await listed();
                 controller.abort();
                 if (turn === 'later turn') {
                     await listed();
                 }
                 settle();
                 await listed();
                 endings.push(await ending(promise));
             }
         }
         return endings;",
    );
    assert_eq!(endings, json!(vec!["AbortError"; 4]));
}

fn a_tool_can_abort_its_own_call(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const controller = new AbortController();
         let signalOfCall;
         await register('giveUp', (input, { signal }) => {
             signalOfCall = signal;
             controller.abort('by the tool');
             log.push(signal.aborted);
             return never();
         });
         const cancelled = nextEvent(document.modelContext, 'toolcancel');
         log.push(await ending(call('giveUp', {}, { signal: controller.signal })));
         await cancelled;
         return [...log, signalOfCall.aborted];",
    );
    assert_eq!(facts, json!([false, "by the tool", true]));
}

fn an_abort_after_the_end_does_nothing(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "let signalOfCall;
         await register('greet', (input, { signal }) => { signalOfCall = signal; return 'hello'; });
         watch('toolcancel');
         const controller = new AbortController();
         const promise = call('greet', {}, { signal: controller.signal });
         const result = await promise;
         controller.abort();
         await listed();
         return [result, await promise, signalOfCall.aborted, log];",
    );
    assert_eq!(facts, json!(["hello", "hello", false, []]));
}

fn one_signal_ends_all_its_calls_and_no_other(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const finish = {};
         await register('wait', ({ id }, { signal }) => new Promise(resolve => {
             finish[id] = resolve;
             signal.addEventListener('abort', () => log.push(id));
         }));
         const tool = await findTool('wait');
         const execute = (id, signal) => document.modelContext.executeTool(tool, { id }, { signal });
         const controller = new AbortController();
         const promises = [
             execute('a', controller.signal), execute('b'), execute('c', controller.signal),
             execute('d', new AbortController().signal),
         ];
         await listed();
         controller.abort();
         await listed();
         finish.b('b is done');
         finish.d('d is done');
         const endings = [await ending(promises[0]), await ending(promises[2])];
         return [endings, log, await promises[1], await promises[3]];",
    );
    assert_eq!(
        facts,
        json!([
            ["AbortError", "AbortError"],
            ["a", "c"],
            "b is done",
            "d is done"
        ])
    );
}

fn a_dependent_signal_ends_a_call(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(&format!(
        "{WAITING_TOOL}
         const controller = new AbortController();
         const signal = AbortSignal.any([new AbortController().signal, controller.signal]);
         const cancelled = nextEvent(document.modelContext, 'toolcancel');
         const promise = document.modelContext.executeTool(tool, {{}}, {{ signal }});
         await started;
         controller.abort('reason');
         const how = await ending(promise);
         await cancelled;
         return [how, log];"
    ));
    assert_eq!(
        facts,
        json!(["reason", ["started", "toolactivated", "aborted"]])
    );
}

fn a_timeout_ends_a_call(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let how = page.run(
        "await register('wait', never);
         return await ending(call('wait', {}, { signal: AbortSignal.timeout(1) }));",
    );
    assert_eq!(how, json!("TimeoutError"));
}

fn a_forwarded_signal_ends_the_inner_call_too(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "let startedInner;
         const started = new Promise(resolve => { startedInner = resolve; });
         await register('inner', (input, { signal }) => {
             signal.addEventListener('abort', () => log.push('inner aborted'));
             startedInner();
             return never();
         });
         let inner;
         await register('outer', async (input, { signal }) => {
             inner = call('inner', {}, { signal });
             inner.catch(error => log.push(`inner rejected: ${error.name}`));
             return inner;
         });
         const twoCancelled = new Promise(resolve => {
             const names = [];
             document.modelContext.addEventListener('toolcancel', ({ toolName }) => {
                 names.push(toolName);
                 if (names.length === 2) {
                     resolve(names);
                 }
             });
         });
         const controller = new AbortController();
         const outer = call('outer', {}, { signal: controller.signal });
         await started;
         controller.abort('reason');
         return [await ending(outer), await twoCancelled, log];",
    );
    assert_eq!(
        facts,
        json!([
            "reason",
            ["outer", "inner"],
            ["inner rejected: AbortError", "inner aborted"]
        ])
    );
}

fn an_abort_while_another_call_is_pending_leaves_that_one(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "let finish;
         await register('a', never);
         await register('b', () => new Promise(resolve => { finish = resolve; }));
         const controller = new AbortController();
         const a = document.modelContext.executeTool(toolOf(window, 'a'), {}, { signal: controller.signal });
         const b = document.modelContext.executeTool(toolOf(window, 'b'));
         await listed();
         controller.abort();
         const how = await ending(a);
         finish('b is done');
         return [how, await b];",
    );
    assert_eq!(facts, json!(["AbortError", "b is done"]));
}

fn aborts_that_cause_aborts_end_every_call_once(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "// The callback of each call aborts the next one when it is aborted itself.
         const controllers = Array.from({ length: 10 }, () => new AbortController());
         await register('wait', ({ n }, { signal }) => {
             signal.addEventListener('abort', () => {
                 log.push(n);
                 controllers[n + 1]?.abort();
                 controllers[n].abort();
             });
             return never();
         });
         const tool = await findTool('wait');
         const promises = controllers.map(
             ({ signal }, n) => ending(document.modelContext.executeTool(tool, { n }, { signal })));
         await listed();
         const last = new Promise(resolve => {
             let count = 0;
             document.modelContext.addEventListener('toolcancel', () => ++count === 10 && resolve());
         });
         controllers[0].abort();
         await last;
         await listed();
         return [new Set(await Promise.all(promises)).size, log];",
    );
    assert_eq!(facts, json!([1, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]));
}

fn a_cancelled_tool_can_be_called_again(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('wait', ({ long }) => long ? never() : 'done');
         const tool = await findTool('wait');
         const endings = [];
         for (let round = 0; round < 5; ++round) {
             const controller = new AbortController();
             const promise = document.modelContext.executeTool(
                 tool, { long: true }, { signal: controller.signal });
             await listed();
             controller.abort();
             endings.push(await ending(promise));
             endings.push(await document.modelContext.executeTool(tool, { long: false }));
         }
         return endings;",
    );
    assert_eq!(facts, json!(["AbortError", "done"].repeat(5)));
}
