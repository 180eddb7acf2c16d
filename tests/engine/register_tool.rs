/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `registerTool()`: its checks, in their order, and what a signal does to a registration.

use engine_tests::{Browser, Options, Suite, tests};
use serde_json::json;

pub fn add_to(suite: &mut Suite) {
    suite.add(tests![
        a_document_has_one_model_context,
        a_document_without_a_window_has_a_model_context_that_refuses,
        a_registered_tool_is_listed,
        a_rejection_is_never_a_throw,
        registering_a_taken_name_rejects,
        names_of_allowed_characters_are_accepted,
        other_names_are_refused,
        an_empty_description_is_refused,
        a_schema_without_json_text_is_refused,
        what_a_schema_throws_rejects_the_promise,
        a_name_taken_while_the_schema_is_serialised_is_refused,
        an_untrustworthy_origin_is_refused,
        a_trustworthy_origin_is_accepted,
        the_checks_come_in_their_order,
        an_aborted_signal_registers_nothing,
        an_abort_before_the_promise_settles_rejects_it_with_the_reason,
        a_later_abort_unregisters,
        the_abort_of_a_dependent_signal_unregisters,
        a_name_is_free_again_in_the_turn_of_the_abort,
        an_old_signal_does_not_take_down_a_newer_tool,
        the_promise_resolves_after_toolchange,
        what_was_removed_from_the_api_does_not_exist,
    ]);
    suite.add_with(
        Options {
            preferences: |preferences| preferences.expose_servointernals_globally = true,
            ..Options::default()
        },
        tests![a_registration_outlives_its_controller],
    );
    suite.add_with(
        Options {
            preferences: |preferences| {
                preferences.dom_modelcontext_navigator_alias_enabled = true;
            },
            ..Options::default()
        },
        tests![the_navigator_has_the_context_too_if_that_is_preferred],
    );
}

fn a_document_has_one_model_context(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "return [
            document.modelContext instanceof ModelContext,
            document.modelContext instanceof EventTarget,
            document.modelContext === document.modelContext,
            'modelContext' in Document.prototype,
            ModelContext.prototype.registerTool.length,
            ModelContext.prototype.getTools.length,
            ModelContext.prototype.executeTool.length,
        ]",
    );
    assert_eq!(facts, json!([true, true, true, true, 1, 0, 1]));
}

fn a_document_without_a_window_has_a_model_context_that_refuses(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('greet');
         const tool = await findTool('greet');
         const other = document.implementation.createHTMLDocument();
         const context = other.modelContext;
         const facts = [
             context !== document.modelContext,
             context === other.modelContext,
             await ending(context.registerTool({
                 name: 'x', description: 'x', execute() {},
             })),
             await ending(context.getTools()),
             await ending(context.executeTool(tool)),
         ];
         return [...facts, await call('greet')];",
    );
    let refused = "InvalidStateError";
    assert_eq!(
        facts,
        json!([true, true, refused, refused, refused, "done"])
    );
}

fn a_registered_tool_is_listed(browser: &Browser) {
    let page = browser.open("https://a.test/");
    assert_eq!(page.run("return await register('greet')"), json!(null));
    assert_eq!(page.run("return await listed()"), json!(["greet"]));
}

fn a_rejection_is_never_a_throw(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let endings = page.run(
        "const context = document.modelContext;
         const execute = () => {};
         const tools = [
             undefined,
             {},
             { description: 'x', execute },
             { name: 'x', execute },
             { name: 'x', description: 'x' },
             { name: 'x', description: 'x', execute: 'no function' },
             { name: 'x', description: 'x', execute, inputSchema: 'no object' },
             { name: Symbol(), description: 'x', execute },
         ];
         const endings = [];
         for (const tool of tools) {
             endings.push(await ending(context.registerTool(tool)));
         }
         endings.push(await ending(context.registerTool.call({}, {})));
         return endings;",
    );
    assert_eq!(endings, json!(vec!["TypeError"; 9]));
}

fn registering_a_taken_name_rejects(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let endings =
        page.run("return Promise.all([ending(register('greet')), ending(register('greet'))])");
    assert_eq!(endings, json!(["fulfilled", "InvalidStateError"]));
    assert_eq!(
        page.run("return await ending(register('greet'))"),
        json!("InvalidStateError")
    );
    assert_eq!(page.run("return await listed()"), json!(["greet"]));
}

fn names_of_allowed_characters_are_accepted(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let refused = page.run(
        "const characters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.';
         const names = [...characters, characters, '..', '-1', 'a'.repeat(128)];
         const refused = [];
         for (const name of names) {
             if (await ending(register(name)) !== 'fulfilled') {
                 refused.push(name);
             }
         }
         return refused;",
    );
    assert_eq!(refused, json!([]));
}

fn other_names_are_refused(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let endings = page.run(
        r"const names = ['', 'a'.repeat(129), 'é', 'a\u0300', '\ud800', 'ａ', '😀', 'a b', 'a\n'];
         for (let code = 0; code < 128; ++code) {
             const character = String.fromCharCode(code);
             if (!/[A-Za-z0-9_.-]/.test(character)) {
                 names.push(character, `a${character}b`);
             }
         }
         const endings = new Set();
         for (const name of names) {
             endings.add(await ending(register(name)));
         }
         return [...endings, ...await listed()];",
    );
    assert_eq!(endings, json!(["InvalidStateError"]));
}

fn an_empty_description_is_refused(browser: &Browser) {
    let page = browser.open("https://a.test/");
    assert_eq!(
        page.run("return await ending(register('greet', () => {}, { description: '' }))"),
        json!("InvalidStateError")
    );
}

fn a_schema_without_json_text_is_refused(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let endings = page.run(
        "const circular = {};
         circular.self = circular;
         const schemas = [
             { toJSON() {} },
             { toJSON: () => () => {} },
             { toJSON: () => Symbol() },
             circular,
             { big: 1n },
             () => {},
         ];
         const endings = [];
         for (const inputSchema of schemas) {
             endings.push(await ending(register('greet', () => {}, { inputSchema })));
         }
         return [...endings, ...await listed()];",
    );
    assert_eq!(endings, json!(vec!["TypeError"; 6]));
}

fn what_a_schema_throws_rejects_the_promise(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const thrown = { its: 'own' };
         const inputSchema = { get type() { throw thrown; } };
         try {
             await register('greet', () => {}, { inputSchema });
         } catch (error) {
             return [error === thrown, await listed()];
         }",
    );
    assert_eq!(facts, json!([true, []]));
}

fn a_name_taken_while_the_schema_is_serialised_is_refused(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "let inner;
         const inputSchema = {
             toJSON() {
                 inner = register('greet', () => 'inner');
                 return {};
             },
         };
         const outer = register('greet', () => 'outer', { inputSchema });
         return [await ending(outer), await ending(inner), await call('greet')];",
    );
    assert_eq!(facts, json!(["InvalidStateError", "fulfilled", "inner"]));
}

fn an_untrustworthy_origin_is_refused(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let endings = page.run(
        r"const origins = [
             '', '/', '*', 'b.test', 'https://b.test:99999', 'https://\ud800', 'http://example.com',
             'ftp://example.com', 'chrome-extension://example', 'about:blank', 'about:srcdoc',
             'data:text/html,x', 'null',
         ];
         const endings = new Set();
         for (const origin of origins) {
             const exposedTo = ['https://b.test', origin];
             endings.add(await ending(register('greet', () => {}, { exposedTo })));
             endings.add(await ending(document.modelContext.getTools({ fromOrigins: exposedTo })));
         }
         return [...endings, ...await listed()];",
    );
    assert_eq!(endings, json!(["SecurityError"]));
}

fn a_trustworthy_origin_is_accepted(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let endings = page.run(
        "const origins = [
             'https://b.test', 'https://b.test:8443', 'https://b.test/a/path?query', 'wss://b.test',
             'http://localhost:3000', 'http://127.0.0.1', 'http://sub.localhost',
         ];
         const endings = new Set();
         for (const [index, origin] of origins.entries()) {
             endings.add(await ending(register(`tool${index}`, () => {}, { exposedTo: [origin] })));
             endings.add(await ending(document.modelContext.getTools({ fromOrigins: [origin] })));
         }
         return [...endings];",
    );
    assert_eq!(endings, json!(["fulfilled"]));
}

fn the_checks_come_in_their_order(browser: &Browser) {
    let page = browser.open("https://a.test/");
    // Each registration fails two checks, and is told of the earlier one.
    let endings = page.run(
        "await register('taken');
         const throwing = { get type() { throw new RangeError(); } };
         const reason = new EvalError();
         const aborted = AbortSignal.abort(reason);
         const untrustworthy = ['http://example.com'];
         return Promise.all([
             ending(register('taken', () => {}, { inputSchema: throwing })),
             ending(register('', () => {}, { inputSchema: throwing })),
             ending(register('free', () => {}, { description: '', inputSchema: throwing })),
             ending(register('free', () => {}, { inputSchema: throwing, signal: aborted })),
             ending(register('free', () => {}, { signal: aborted, exposedTo: untrustworthy })),
             ending(register('taken', () => {}, { signal: aborted })),
             ending(register('free', () => {}, { exposedTo: untrustworthy })),
         ]);",
    );
    assert_eq!(
        endings,
        json!([
            "InvalidStateError",
            "InvalidStateError",
            "InvalidStateError",
            "RangeError",
            "EvalError",
            "InvalidStateError",
            "SecurityError",
        ])
    );
}

fn an_aborted_signal_registers_nothing(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "watch('toolchange');
         const endings = [
             await ending(register('greet', () => {}, { signal: AbortSignal.abort() })),
             await ending(register('greet', () => {}, { signal: AbortSignal.abort('reason') })),
         ];
         return [...endings, await listed(), log];",
    );
    assert_eq!(facts, json!(["AbortError", "reason", [], []]));
}

fn an_abort_before_the_promise_settles_rejects_it_with_the_reason(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const reason = { its: 'own' };
         const controller = new AbortController();
         const promise = register('greet', () => {}, { signal: controller.signal });
         controller.abort(reason);
         try {
             await promise;
         } catch (error) {
             return [error === reason, await listed()];
         }",
    );
    assert_eq!(facts, json!([true, []]));
}

fn a_later_abort_unregisters(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const controller = new AbortController();
         const promise = register('greet', () => {}, { signal: controller.signal });
         await promise;
         const before = await listed();
         controller.abort();
         // No turn goes by between the abort and this call.
         const after = await listed();
         return [before, after, await ending(promise)];",
    );
    assert_eq!(facts, json!([["greet"], [], "fulfilled"]));
}

fn the_abort_of_a_dependent_signal_unregisters(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const controller = new AbortController();
         const signal = AbortSignal.any([controller.signal, new AbortController().signal]);
         await register('greet', () => {}, { signal });
         controller.abort();
         return await listed();",
    );
    assert_eq!(facts, json!([]));
}

fn a_name_is_free_again_in_the_turn_of_the_abort(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const controller = new AbortController();
         const first = register('greet', () => 'first', { signal: controller.signal });
         controller.abort();
         const second = register('greet', () => 'second');
         return [await ending(first), await ending(second), await listed(), await call('greet')];",
    );
    assert_eq!(
        facts,
        json!(["AbortError", "fulfilled", ["greet"], "second"])
    );
}

fn an_old_signal_does_not_take_down_a_newer_tool(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const controller = new AbortController();
         let nested;
         // Runs right after the algorithm that unregisters.
         controller.signal.addEventListener('abort', () => {
             nested = register('greet', () => 'second');
         });
         await register('greet', () => 'first', { signal: controller.signal });
         controller.abort();
         controller.abort();
         return [await ending(nested), await call('greet')];",
    );
    assert_eq!(facts, json!(["fulfilled", "second"]));
}

fn the_promise_resolves_after_toolchange(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let log = page.run(
        "watch('toolchange');
         await register('greet');
         log.push('registered');
         return log;",
    );
    assert_eq!(log, json!(["toolchange", "registered"]));
}

fn what_was_removed_from_the_api_does_not_exist(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let present = page.run(
        "return ['unregisterTool', 'provideContext', 'clearContext']
             .filter(name => name in document.modelContext)
             .concat(['modelContext'].filter(name => name in navigator))
             .concat(['ModelContextClient'].filter(name => name in window));",
    );
    assert_eq!(present, json!([]));
}

fn a_registration_outlives_its_controller(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await (async () => {
             const controller = new AbortController();
             await register('greet', () => 'hello', { signal: controller.signal });
         })();
         // The engine has no way to tell that the controller has been collected; each round lets it be.
         for (let round = 0; round < 5; ++round) {
             navigator.servo.garbageCollectAllContexts();
             await addFrame({ src: `/frame?${round}` });
         }
         return [await listed(), await call('greet')];",
    );
    assert_eq!(facts, json!([["greet"], "hello"]));
}

fn the_navigator_has_the_context_too_if_that_is_preferred(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await navigator.modelContext.registerTool({ name: 'greet', description: 'x', execute: () => 'hello' });
         return [navigator.modelContext === document.modelContext, await call('greet')];",
    );
    assert_eq!(facts, json!([true, "hello"]));
}
