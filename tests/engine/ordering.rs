/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! In which order things are heard of, over documents, threads and processes.

use engine_tests::{Browser, Suite, tests};
use serde_json::json;

pub fn add_to(suite: &mut Suite) {
    suite.add_in_every_mode(tests![
        toolchange_comes_to_parents_before_children_and_before_the_promise,
        toolchange_in_another_event_loop_precedes_what_follows_the_registration,
        a_message_sent_after_a_registration_finds_the_tool,
        a_message_sent_after_an_unregistration_does_not_find_the_tool,
        registrations_settle_in_their_order,
        toolchange_comes_once_for_each_change,
        calls_from_another_event_loop_begin_in_their_order,
        an_abort_in_the_turn_of_the_call_comes_after_the_callback,
        calls_registrations_and_lists_keep_their_order,
        results_come_in_the_order_of_the_completions,
    ]);
}

fn toolchange_comes_to_parents_before_children_and_before_the_promise(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let log = page.run(
        "// Two frames and one within the second; all of one origin and so of one event loop.
         await addFrame({ src: '/frame' });
         await addFrame({ src: '/frame' });
         const second = frameAt(1).contentWindow;
         await second.addFrame({ src: '/frame?inner' });
         const windows = {
             top: window, first: frameAt(0).contentWindow, second, inner: second.frameAt(0).contentWindow,
         };
         for (const [name, { document }] of Object.entries(windows)) {
             document.modelContext.ontoolchange = () => log.push(name);
         }
         await register('ofTop');
         log.push('registered');
         await windows.inner.register('ofInner');
         log.push('registered');
         return log;",
    );
    let changes = ["top", "first", "second", "inner", "registered"];
    assert_eq!(log, json!(changes.repeat(2)));
}

fn toolchange_in_another_event_loop_precedes_what_follows_the_registration(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: 'https://b.test/', allow: 'tools' })");
    page.frame(&[0]).run("watch('toolchange')");
    // The call is made when the registration has settled: its task is behind that of the event.
    page.frame(&[0])
        .run("await register('look', () => log, { exposedTo: ['https://a.test'] })");
    let log = page.run(
        "for (let n = 0; n < 10; ++n) {
             await register(`tool${n}`, () => {}, { exposedTo: ['https://b.test'] });
             const seen = JSON.parse(await call('look', {}, { fromOrigins: ['https://b.test'] }));
             log.push(seen.length);
         }
         return log;",
    );
    // The first change is that of the frame itself.
    assert_eq!(log, json!([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
}

/// A frame of another event loop lists the tools for every message that it gets, and sends back what it has found.
const LIST_ON_MESSAGE: &str = "
    addEventListener('message', async ({ data }) => {
        if (data === 'list') {
            parent.postMessage({ listed: await listed({ fromOrigins: ['https://a.test'] }) }, '*');
        }
    });
";

/// Sends the message and gives the answer.
const ASK_FOR_LIST: &str = "
    const ask = async () => {
        const answer = new Promise(resolve => {
            addEventListener('message', ({ data }) => data.listed && resolve(data.listed));
        });
        frameAt(0).contentWindow.postMessage('list', '*');
        return answer;
    };
";

fn a_message_sent_after_a_registration_finds_the_tool(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: 'https://b.test/', allow: 'tools' })");
    page.frame(&[0]).run(LIST_ON_MESSAGE);
    let facts = page.run(&format!(
        "{ASK_FOR_LIST}
         const counts = [];
         for (let n = 0; n < 20; ++n) {{
             // Nothing is waited for.
             register(`tool${{n}}`, () => {{}}, {{ exposedTo: ['https://b.test'] }});
             counts.push((await ask()).length);
         }}
         return JSON.stringify(counts) === JSON.stringify(Array.from({{ length: 20 }}, (_, n) => n + 1));"
    ));
    assert_eq!(facts, json!(true));
}

fn a_message_sent_after_an_unregistration_does_not_find_the_tool(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: 'https://b.test/', allow: 'tools' })");
    page.frame(&[0]).run(LIST_ON_MESSAGE);
    let lists = page.run(&format!(
        "{ASK_FOR_LIST}
         const lists = [];
         for (let n = 0; n < 20; ++n) {{
             const controller = new AbortController();
             const {{ signal }} = controller;
             await register(`tool${{n}}`, () => {{}}, {{ signal, exposedTo: ['https://b.test'] }});
             controller.abort();
             lists.push(...await ask());
         }}
         return lists;"
    ));
    assert_eq!(lists, json!([]));
}

fn registrations_settle_in_their_order(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await addFrame({ src: '/frame' });
         await addFrame({ src: 'https://b.test/', allow: 'tools' });
         // Of two documents of one event loop, by turns.
         const expected = [];
         const promises = [];
         for (let n = 0; n < 50; ++n) {
             const owner = n % 2 ? window : frameAt(0).contentWindow;
             expected.push(n);
             promises.push(owner.register(`tool${n}`, () => {}, { exposedTo: ['https://b.test'] })
                 .then(() => log.push(n)));
         }
         await Promise.all(promises);
         return JSON.stringify(log) === JSON.stringify(expected);",
    );
    assert_eq!(facts, json!(true));
}

fn toolchange_comes_once_for_each_change(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: 'https://b.test/', allow: 'tools' })");
    page.frame(&[0]).run("watch('toolchange')");
    page.run(
        "watch('toolchange');
         const controller = new AbortController();
         const { signal } = controller;
         await Promise.all(Array.from({ length: 25 }, (_, n) =>
             register(`tool${n}`, () => {}, { signal, exposedTo: ['https://b.test'] })));
         controller.abort();",
    );
    let count = "await listed(); return log.length";
    assert_eq!(page.run(count), json!(50));
    assert_eq!(page.frame(&[0]).run(count), json!(50));
}

fn calls_from_another_event_loop_begin_in_their_order(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: 'https://b.test/', allow: 'tools' })");
    page.frame(&[0]).run(
        "await register('note', ({ n }) => { log.push(n); return ''; }, { exposedTo: ['https://a.test'] })",
    );
    page.run(
        "const tool = await findTool('note', { fromOrigins: ['https://b.test'] });
         const calls = Array.from({ length: 50 }, (_, n) => document.modelContext.executeTool(tool, { n }));
         await Promise.all(calls);",
    );
    let expected: Vec<u32> = (0..50).collect();
    assert_eq!(page.frame(&[0]).run("return log"), json!(expected));
}

fn an_abort_in_the_turn_of_the_call_comes_after_the_callback(browser: &Browser) {
    for url in [
        "https://a.test/frame",
        "https://www.a.test/",
        "https://b.test/",
    ] {
        let page = browser.open("https://a.test/");
        page.run(&format!(
            "await addFrame({{ src: '{url}', allow: 'tools' }})"
        ));
        let frame = page.frame(&[0]);
        frame.run(
            "watch('toolactivated', 'toolcancel');
             globalThis.cancelled = nextEvent(document.modelContext, 'toolcancel');
             await register('wait', (input, { signal }) => {
                 log.push(`started, aborted: ${signal.aborted}`);
                 signal.addEventListener('abort', () => log.push('aborted'));
                 return never();
             }, { exposedTo: ['https://a.test'] });",
        );
        let how = page.run(&format!(
            "const tool = await findTool('wait', {{ fromOrigins: [new URL('{url}').origin] }});
             const controller = new AbortController();
             const promise = document.modelContext.executeTool(tool, {{}}, {{ signal: controller.signal }});
             controller.abort();
             return await ending(promise);"
        ));
        assert_eq!(how, json!("AbortError"), "{url}");
        assert_eq!(
            frame.run("await cancelled; return log"),
            json!([
                "started, aborted: false",
                "toolactivated",
                "aborted",
                "toolcancel"
            ]),
            "{url}"
        );
    }
}

fn calls_registrations_and_lists_keep_their_order(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "document.modelContext.ontoolchange = () => log.push('toolchange');
         document.modelContext.ontoolactivated = ({ toolName }) => log.push(`activated ${toolName}`);
         register('a').then(() => log.push('registered a'));
         listed().then(names => log.push(`listed ${names}`));
         document.modelContext.executeTool(toolOf(window, 'a'));
         register('b').then(() => log.push('registered b'));
         await listed().then(names => log.push(`listed ${names}`));
         return log;",
    );
    assert_eq!(
        facts,
        json!([
            "toolchange",
            "registered a",
            "listed a",
            "activated a",
            "toolchange",
            "registered b",
            "listed a,b",
        ])
    );
}

fn results_come_in_the_order_of_the_completions(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: 'https://b.test/', allow: 'tools' })");
    page.frame(&[0]).run(
        "const waiting = [];
         await register('wait', ({ n }) => new Promise(resolve => {
             waiting.push(() => resolve(n));
             // The last call ends all of them, the last one first.
             if (waiting.length === 10) {
                 setTimeout(() => waiting.reverse().forEach(finish => finish()));
             }
         }), { exposedTo: ['https://a.test'] });",
    );
    let order = page.run(
        "const tool = await findTool('wait', { fromOrigins: ['https://b.test'] });
         const calls = Array.from({ length: 10 }, (_, n) =>
             document.modelContext.executeTool(tool, { n }).then(text => log.push(Number(text))));
         await Promise.all(calls);
         return log;",
    );
    assert_eq!(order, json!([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]));
}
