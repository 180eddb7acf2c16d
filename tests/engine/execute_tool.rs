/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `executeTool()` in one document: its arguments, which tool it runs, and what an unregistration does to a call.

use engine_tests::{Browser, Suite, tests};
use serde_json::json;

pub fn add_to(suite: &mut Suite) {
    suite.add(tests![
        a_tool_gets_the_input_and_its_result_is_returned,
        input_that_is_left_out_is_an_empty_object,
        an_array_is_input,
        a_primitive_is_no_input,
        input_without_json_text_is_refused,
        what_the_input_throws_rejects_the_promise,
        the_input_is_a_copy,
        a_tool_object_that_is_incomplete_is_refused,
        a_window_that_is_none_is_refused,
        a_tool_object_made_by_hand_is_good,
        an_origin_may_have_a_path,
        an_opaque_or_unparsable_origin_is_not_supported,
        a_foreign_origin_is_an_unknown_error,
        an_unknown_name_is_an_unknown_error,
        the_checks_come_in_their_order,
        the_callback_gets_a_signal,
        a_callback_that_fails_is_an_unknown_error,
        a_failing_callback_is_not_reported_to_the_window,
        a_failing_callback_is_told_to_the_console,
        the_caller_learns_nothing_of_the_words_of_the_tool,
        concurrent_calls_are_independent,
        a_tool_can_call_a_tool,
        a_tool_can_call_itself,
        calls_begin_in_their_order,
        an_unregistration_does_not_end_a_running_call,
        a_tool_can_unregister_itself,
        a_call_of_a_tool_that_is_unregistered_in_the_same_turn_fails,
        a_call_by_name_runs_the_latest_registration,
        a_megabyte_goes_in_and_out,
    ]);
}

fn a_tool_gets_the_input_and_its_result_is_returned(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('greet', function ({ name }) {
             log.push(arguments.length);
             return `Hello ${name}`;
         });
         const result = await call('greet', { name: 'Ümlaut 😀' });
         return [result, log];",
    );
    assert_eq!(facts, json!(["Hello Ümlaut 😀", [2]]));
}

fn input_that_is_left_out_is_an_empty_object(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let results = page.run(
        "await register('echo', input => input);
         const tool = await findTool('echo');
         return [
             await document.modelContext.executeTool(tool),
             await document.modelContext.executeTool(tool, undefined),
             await document.modelContext.executeTool(tool, undefined, {}),
         ];",
    );
    assert_eq!(results, json!(["{}", "{}", "{}"]));
}

fn an_array_is_input(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('echo', input => ({ isArray: Array.isArray(input), input }));
         return JSON.parse(await call('echo', [1, ['two'], null]));",
    );
    assert_eq!(
        facts,
        json!({ "isArray": true, "input": [1, ["two"], null] })
    );
}

fn a_primitive_is_no_input(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('echo', input => { log.push(input); return 'ran'; });
         const tool = await findTool('echo');
         const endings = new Set();
         for (const input of [null, '', '{}', 0, 7, true, false, 7n, Symbol()]) {
             endings.add(await ending(document.modelContext.executeTool(tool, input)));
         }
         await call('echo', { last: true });
         return [[...endings], log];",
    );
    assert_eq!(facts, json!([["TypeError"], [{ "last": true }]]));
}

fn input_without_json_text_is_refused(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let endings = page.run(
        "await register('echo');
         const tool = await findTool('echo');
         const circular = [];
         circular.push(circular);
         const inputs = [{ toJSON() {} }, circular, { big: 1n }, () => {}];
         return Promise.all(
             inputs.map(input => ending(document.modelContext.executeTool(tool, input))));",
    );
    assert_eq!(endings, json!(vec!["TypeError"; 4]));
}

fn what_the_input_throws_rejects_the_promise(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('echo');
         const thrown = { its: 'own' };
         try {
             await call('echo', { get a() { throw thrown; } });
         } catch (error) {
             return error === thrown;
         }",
    );
    assert_eq!(facts, json!(true));
}

fn the_input_is_a_copy(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "let seen;
         await register('keep', input => { seen = input; input.list.push('by the tool'); return 'kept'; });
         const input = { list: [1], when: new Date(0), nothing: undefined };
         const promise = call('keep', input);
         input.list.push('by the caller');
         await promise;
         // The call was made after a turn, in which the caller had changed its input already.
         return [seen !== input, seen, input.list];",
    );
    assert_eq!(
        facts,
        json!([
            true,
            {
                "list": [1, "by the caller", "by the tool"],
                "when": "1970-01-01T00:00:00.000Z",
            },
            [1, "by the caller"],
        ])
    );
}

fn a_tool_object_that_is_incomplete_is_refused(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let endings = page.run(
        "await register('greet');
         const whole = await findTool('greet');
         const without = name => { const tool = { ...whole }; delete tool[name]; return tool; };
         const tools = [
             without('name'), without('description'), without('window'), without('origin'), {}, null, 7,
         ];
         const context = document.modelContext;
         const endings = await Promise.all(tools.map(tool => ending(context.executeTool(tool, {}))));
         endings.push(await ending(context.executeTool()));
         return [...endings, await ending(context.executeTool(without('title'), {}))];",
    );
    let mut expected = vec!["TypeError"; 8];
    expected.push("fulfilled");
    assert_eq!(endings, json!(expected));
}

fn a_window_that_is_none_is_refused(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let endings = page.run(
        "await register('greet');
         const tool = await findTool('greet');
         const windows = [{}, null, 7, 'window', document, document.modelContext, new Proxy(window, {})];
         return Promise.all(windows.map(
             window => ending(document.modelContext.executeTool({ ...tool, window }, {}))));",
    );
    assert_eq!(endings, json!(vec!["TypeError"; 7]));
}

fn a_tool_object_made_by_hand_is_good(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let result = page.run(
        "await register('greet', () => 'hello');
         return await document.modelContext.executeTool(toolOf(window, 'greet'));",
    );
    assert_eq!(result, json!("hello"));
}

fn an_origin_may_have_a_path(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let results = page.run(
        "await register('greet', () => 'hello');
         const origins = [
             'https://a.test/', 'https://a.test/a/path?query#fragment', 'HTTPS://A.TEST:443',
             'https://user@a.test', 'blob:https://a.test/0',
         ];
         return Promise.all(origins.map(
             origin => document.modelContext.executeTool(toolOf(window, 'greet', origin))));",
    );
    assert_eq!(results, json!(vec!["hello"; 5]));
}

fn an_opaque_or_unparsable_origin_is_not_supported(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let endings = page.run(
        "await register('greet');
         const origins = ['', 'null', 'a.test', '//a.test', 'about:blank', 'data:,x', 'https://a b'];
         return Promise.all(origins.map(
             origin => ending(document.modelContext.executeTool(toolOf(window, 'greet', origin)))));",
    );
    assert_eq!(endings, json!(vec!["NotSupportedError"; 7]));
}

fn a_foreign_origin_is_an_unknown_error(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('greet', () => log.push('ran'));
         const origins = ['https://b.test', 'http://a.test', 'https://a.test:444', 'https://www.a.test'];
         const endings = await Promise.all(origins.map(
             origin => ending(document.modelContext.executeTool(toolOf(window, 'greet', origin)))));
         return [...endings, log];",
    );
    let refused = "UnknownError";
    assert_eq!(facts, json!([refused, refused, refused, refused, []]));
}

fn an_unknown_name_is_an_unknown_error(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let endings = page.run(
        r"await register('greet');
         const names = ['great', 'Greet', '', 'greet ', 'toString', '__proto__', '\ud800', 'a'.repeat(1000)];
         return Promise.all(names.map(
             name => ending(document.modelContext.executeTool(toolOf(window, name)))));",
    );
    assert_eq!(endings, json!(vec!["UnknownError"; 8]));
}

fn the_checks_come_in_their_order(browser: &Browser) {
    let page = browser.open("https://a.test/");
    // Each call fails two checks, and is told of the earlier one.
    let endings = page.run(
        "const throwing = { get a() { throw new RangeError(); } };
         const signal = AbortSignal.abort(new EvalError());
         const execute = (tool, ...rest) => ending(document.modelContext.executeTool(tool, ...rest));
         const frame = await addFrame();
         const gone = frame.contentWindow;
         frame.remove();
         return Promise.all([
             execute(toolOf(window, 'x', 'null'), throwing),
             execute(toolOf(window, 'x'), throwing, { signal }),
             execute(toolOf(window, 'x'), {}, { signal }),
             execute(toolOf(gone, 'x'), {}, { signal }),
         ]);",
    );
    assert_eq!(
        endings,
        json!([
            "NotSupportedError",
            "RangeError",
            "EvalError",
            "InvalidStateError"
        ])
    );
}

fn the_callback_gets_a_signal(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const signals = [];
         await register('look', (input, { signal, ...others }) => {
             signals.push(signal);
             return [signal instanceof AbortSignal, signal.aborted, Object.keys(others)];
         });
         const result = JSON.parse(await call('look'));
         const controller = new AbortController();
         await call('look', {}, { signal: controller.signal });
         controller.abort();
         return [
             result, signals.length, signals[0] !== signals[1], signals[1] !== controller.signal,
             // The calls had come to their ends.
             signals.map(signal => signal.aborted),
         ];",
    );
    assert_eq!(
        facts,
        json!([[true, false, []], 2, true, true, [false, false]])
    );
}

fn a_callback_that_fails_is_an_unknown_error(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('throws', () => { throw new RangeError('thrown'); });
         await register('throwsNothing', () => { throw undefined; });
         await register('rejects', () => Promise.reject(new RangeError('rejected')));
         await register('rejectsLater', async () => {
             await listed();
             throw new RangeError('rejected later');
         });
         await register('throwsHorror', () => { throw { get name() { throw 1; }, toString() { throw 2; } }; });
         await register('thenable', () => ({ then(_, reject) { reject(1); } }));
         const facts = [];
         for (const name of await listed()) {
             try {
                 await call(name);
             } catch (error) {
                 facts.push([error instanceof DOMException, error.name, error.code]);
             }
         }
         return facts;",
    );
    let refused = json!([true, "UnknownError", 0]);
    assert_eq!(facts, json!(vec![refused; 6]));
}

fn a_failing_callback_is_not_reported_to_the_window(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "for (const type of ['error', 'unhandledrejection']) {
             addEventListener(type, () => log.push(type));
         }
         await register('throws', () => { throw new Error('thrown'); });
         await register('rejects', async () => { throw new Error('rejected'); });
         const endings = [await ending(call('throws')), await ending(call('rejects'))];
         // Rejections that nobody handles are reported at the end of the turn; let turns go by.
         await listed();
         await addFrame();
         return [endings, log];",
    );
    assert_eq!(facts, json!([["UnknownError", "UnknownError"], []]));
}

fn a_failing_callback_is_told_to_the_console(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run(
        "await register('fail', () => { throw new Error('out of stock'); });
         await ending(call('fail'));",
    );
    browser.wait_until("the failure is on the console", || {
        page.console()
            .iter()
            .any(|line| line.contains("out of stock"))
    });
}

fn the_caller_learns_nothing_of_the_words_of_the_tool(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let told = page.run(
        "await register('fail', () => { throw new Error('secret'); });
         const error = await call('fail').catch(error => error);
         return JSON.stringify([error.name, error.message, String(error)]).includes('secret');",
    );
    assert_eq!(told, json!(false));
}

fn concurrent_calls_are_independent(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const waiting = [];
         await register('wait', ({ id }) => new Promise((resolve, reject) => {
             waiting.push({ id, resolve, reject });
         }));
         const tool = await findTool('wait');
         const promises = ['a', 'b', 'c'].map(async id => {
             const how = await document.modelContext.executeTool(tool, { id }).catch(error => error.name);
             log.push(id);
             return how;
         });
         await listed();
         const order = waiting.map(({ id }) => id);
         waiting[2].resolve('third');
         await promises[2];
         waiting[0].reject(new Error());
         await promises[0];
         waiting[1].resolve('second');
         return [order, await Promise.all(promises), log];",
    );
    assert_eq!(
        facts,
        json!([
            ["a", "b", "c"],
            ["UnknownError", "second", "third"],
            ["c", "a", "b"]
        ])
    );
}

fn a_tool_can_call_a_tool(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('inner', async ({ n }) => n * 2);
         await register('outer', async ({ n }) => `outer ${await call('inner', { n: n + 1 })}`);
         return await call('outer', { n: 20 });",
    );
    assert_eq!(facts, json!("outer 42"));
}

fn a_tool_can_call_itself(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('factorial', async ({ n }) => n < 2 ? 1 : n * await call('factorial', { n: n - 1 }));
         return await call('factorial', { n: 10 });",
    );
    assert_eq!(facts, json!("3628800"));
}

fn calls_begin_in_their_order(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "for (const name of ['a', 'b', 'c']) {
             await register(name, ({ n }) => { log.push(`${name}${n}`); return 'done'; });
         }
         const expected = [];
         const promises = [];
         for (let n = 0; n < 20; ++n) {
             const name = 'abc'[n % 3];
             expected.push(`${name}${n}`);
             promises.push(document.modelContext.executeTool(toolOf(window, name), { n }));
         }
         const synchronous = log.length;
         await Promise.all(promises);
         return [synchronous, JSON.stringify(log) === JSON.stringify(expected)];",
    );
    assert_eq!(facts, json!([0, true]));
}

fn an_unregistration_does_not_end_a_running_call(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const controller = new AbortController();
         let finish, signalOfCall;
         const started = new Promise(resolve => {
             register('wait', (input, { signal }) => {
                 signalOfCall = signal;
                 resolve();
                 return new Promise(resolve => { finish = resolve; });
             }, { signal: controller.signal });
         });
         watch('toolcancel');
         const promise = call('wait');
         await started;
         controller.abort();
         const list = await listed();
         finish('finished');
         return [list, await promise, signalOfCall.aborted, log];",
    );
    assert_eq!(facts, json!([[], "finished", false, []]));
}

fn a_tool_can_unregister_itself(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const before = new AbortController();
         await register('before', () => { before.abort(); return { is: 'done' }; }, { signal: before.signal });
         const after = new AbortController();
         await register('after', () => {
             const result = Promise.resolve('done');
             queueMicrotask(() => after.abort());
             return result;
         }, { signal: after.signal });
         return [await call('before'), await call('after'), await listed()];",
    );
    assert_eq!(facts, json!([r#"{"is":"done"}"#, "done", []]));
}

fn a_call_of_a_tool_that_is_unregistered_in_the_same_turn_fails(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const first = new AbortController();
         const second = new AbortController();
         await register('first', () => log.push('first'), { signal: first.signal });
         await register('second', () => log.push('second'), { signal: second.signal });
         // The unregistration overtakes the call in the document, and is behind it in the constellation.
         const called = ending(document.modelContext.executeTool(toolOf(window, 'first')));
         first.abort();
         second.abort();
         const calledAfter = ending(document.modelContext.executeTool(toolOf(window, 'second')));
         return [await called, await calledAfter, log];",
    );
    assert_eq!(facts, json!(["UnknownError", "UnknownError", []]));
}

fn a_call_by_name_runs_the_latest_registration(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const controller = new AbortController();
         await register('greet', () => 'first', { signal: controller.signal });
         const listedBefore = await findTool('greet');
         controller.abort();
         register('greet', () => 'second');
         return await document.modelContext.executeTool(listedBefore);",
    );
    assert_eq!(facts, json!("second"));
}

fn a_megabyte_goes_in_and_out(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('echo', ({ text }) => text);
         const text = 'ä😀x'.repeat(1 << 18);
         return [text.length, await call('echo', { text }) === text];",
    );
    assert_eq!(facts, json!([1 << 20, true]));
}
