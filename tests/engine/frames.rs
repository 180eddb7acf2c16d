/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Tools over frames: who sees which, who runs which, and what is heard where.

use engine_tests::{Browser, Page, Site, Suite, tests};
use serde_json::{Value, json};

pub fn add_to(suite: &mut Suite) {
    suite.add_in_every_mode(tests![
        a_parent_lists_and_runs_a_tool_of_a_frame,
        a_frame_lists_and_runs_a_tool_of_its_parent,
        a_frame_lists_and_runs_a_tool_of_its_sibling,
        a_tool_is_hidden_from_origins_it_is_not_exposed_to,
        a_nested_frame_is_reached_from_every_ancestor,
        a_frame_of_ones_own_origin_is_reached_through_a_foreign_one,
        a_parent_cancels_a_call_in_a_frame,
        a_frame_cancels_a_call_in_its_parent,
        toolchange_reaches_those_who_may_see_the_tool,
        the_tool_events_are_fired_in_the_document_of_the_tool_only,
        a_frame_that_has_moved_on_does_not_run_the_tool_of_its_former_document,
        a_failure_in_a_frame_is_an_unknown_error_of_the_caller,
        a_call_goes_back_and_forth_between_frames,
        a_megabyte_goes_between_frames,
    ]);
    suite.add(tests![
        tools_of_other_origins_are_left_out_unless_asked_for,
        tools_of_equal_names_are_all_listed_and_each_runs,
        a_frame_without_allow_may_do_nothing,
        a_sandboxed_frame_has_tools_that_only_it_sees,
        a_sandboxed_frame_that_keeps_its_origin_is_like_any_other,
        a_srcdoc_frame_has_tools_of_its_parents_origin,
        a_page_that_script_has_opened_is_another_traversable,
        the_tools_of_the_initial_document_do_not_survive_it,
        the_model_context_of_a_removed_frame_refuses,
        objects_belong_to_the_realm_of_their_reader,
        a_tool_can_be_registered_through_the_context_of_a_frame,
    ]);
}

/// The address of a frame in a page of `https://a.test`, and its origin.
struct FrameKind {
    url: &'static str,
    origin: &'static str,
}

const SAME_ORIGIN: FrameKind = FrameKind {
    url: "https://a.test/frame",
    origin: "https://a.test",
};
/// In the same event loop.
const SAME_SITE: FrameKind = FrameKind {
    url: "https://www.a.test/",
    origin: "https://www.a.test",
};
/// In an event loop of its own, and in a process of its own where there are several.
const CROSS_SITE: FrameKind = FrameKind {
    url: "https://b.test/",
    origin: "https://b.test",
};

/// Runs a check with a page of `https://a.test` that has one frame, for each kind.
fn with_each<const N: usize>(
    browser: &Browser,
    kinds: [FrameKind; N],
    check: impl Fn(&Page<'_>, &FrameKind),
) {
    for kind in kinds {
        // Shown when the test fails.
        eprintln!("With a frame of {}:", kind.origin);
        let page = browser.open("https://a.test/");
        add_frame(&page, kind.url);
        check(&page, &kind);
    }
}

/// Adds a frame that may use tools.
fn add_frame(page: &Page<'_>, url: &str) {
    page.run(&format!(
        "await addFrame({{ src: '{url}', allow: 'tools' }})"
    ));
}

fn a_parent_lists_and_runs_a_tool_of_a_frame(browser: &Browser) {
    with_each(
        browser,
        [SAME_ORIGIN, SAME_SITE, CROSS_SITE],
        |page, kind| {
            page.frame(&[0]).run(
                "await register('greet', ({ name }) => `Hello ${name}, this is ${origin}`, {
                     exposedTo: ['https://a.test'], inputSchema: { type: 'object' }, title: 'Greet',
                     annotations: { readOnlyHint: true },
                 });",
            );
            let facts = page.run(&format!(
                "const fromOrigins = ['{}'];
                 const {{ window: itsWindow, ...tool }} = await findTool('greet', {{ fromOrigins }});
                 const facts = [
                     itsWindow === frameAt(0).contentWindow, itsWindow.parent === window, itsWindow.top === window,
                     tool.inputSchema instanceof Object, tool,
                 ];
                 return [...facts, await call('greet', {{ name: 'parent' }}, {{ fromOrigins }})];",
                kind.origin
            ));
            assert_eq!(
                facts,
                json!([
                    true,
                    true,
                    true,
                    true,
                    {
                        "name": "greet",
                        "title": "Greet",
                        "description": "What greet does.",
                        "inputSchema": { "type": "object" },
                        "annotations": {
                            "readOnlyHint": true,
                            "untrustedContentHint": false,
                            "consequentialHint": false,
                            "debugging": false,
                        },
                        "origin": kind.origin,
                    },
                    format!("Hello parent, this is {}", kind.origin),
                ])
            );
        },
    );
}

fn a_frame_lists_and_runs_a_tool_of_its_parent(browser: &Browser) {
    with_each(
        browser,
        [SAME_ORIGIN, SAME_SITE, CROSS_SITE],
        |page, kind| {
            page.run(&format!(
                "await register('greet', ({{ name }}) => `Hello ${{name}}`, {{ exposedTo: ['{}'] }})",
                kind.origin
            ));
            let facts = page.frame(&[0]).run(
                "const fromOrigins = ['https://a.test'];
                 const tool = await findTool('greet', { fromOrigins });
                 return [
                     tool.window === parent, tool.window === top, tool.origin,
                     await document.modelContext.executeTool(tool, { name: 'child' }),
                 ];",
            );
            assert_eq!(facts, json!([true, true, "https://a.test", "Hello child"]));
        },
    );
}

fn a_frame_lists_and_runs_a_tool_of_its_sibling(browser: &Browser) {
    with_each(
        browser,
        [SAME_ORIGIN, SAME_SITE, CROSS_SITE],
        |page, kind| {
            add_frame(page, "https://c.test/");
            page.frame(&[0]).run(
                "await register('greet', ({ name }) => `Hello ${name}`, { exposedTo: ['https://c.test'] })",
            );
            let facts = page.frame(&[1]).run(&format!(
                "const fromOrigins = ['{}'];
                 const tool = await findTool('greet', {{ fromOrigins }});
                 return [
                     tool.window !== window, tool.window !== parent, tool.window.parent === parent, tool.origin,
                     await document.modelContext.executeTool(tool, {{ name: 'sibling' }}),
                 ];",
                kind.origin
            ));
            assert_eq!(
                facts,
                json!([true, true, true, kind.origin, "Hello sibling"])
            );
        },
    );
}

fn a_tool_is_hidden_from_origins_it_is_not_exposed_to(browser: &Browser) {
    with_each(browser, [SAME_SITE, CROSS_SITE], |page, kind| {
        let frame = page.frame(&[0]);
        frame.run(
            "await register('toNobody', () => log.push('toNobody'));
             await register('toNobodyAtAll', () => log.push('toNobodyAtAll'), { exposedTo: [] });
             await register('toOthers', () => log.push('toOthers'), {
                 exposedTo: ['https://c.test', 'http://localhost', 'https://a.test:444'],
             });",
        );
        let facts = page.run(&format!(
            "const endings = [];
             for (const name of ['toNobody', 'toNobodyAtAll', 'toOthers']) {{
                 const tool = toolOf(frameAt(0).contentWindow, name, '{0}');
                 endings.push(await ending(document.modelContext.executeTool(tool)));
             }}
             return [await listed({{ fromOrigins: ['{0}'] }}), endings];",
            kind.origin
        ));
        assert_eq!(
            facts,
            json!([[], ["UnknownError", "UnknownError", "UnknownError"]])
        );
        // And the other way round.
        page.run("await register('ofParent', () => log.push('ofParent'))");
        let facts = frame.run(
            "const tool = toolOf(parent, 'ofParent', 'https://a.test');
             return [
                 await listed({ fromOrigins: ['https://a.test'] }),
                 await ending(document.modelContext.executeTool(tool)), log,
             ];",
        );
        assert_eq!(
            facts,
            json!([
                ["toNobody", "toNobodyAtAll", "toOthers"],
                "UnknownError",
                []
            ])
        );
        assert_eq!(page.run("return log"), json!([]));
    });
}

fn tools_of_other_origins_are_left_out_unless_asked_for(browser: &Browser) {
    let page = browser.open("https://a.test/");
    for (url, name) in [
        ("https://a.test/frame", "same"),
        ("https://b.test/", "b"),
        ("https://c.test/", "c"),
    ] {
        add_frame(&page, url);
        let index = page.run("return document.querySelectorAll('iframe').length - 1");
        let index = usize::try_from(index.as_u64().unwrap()).unwrap();
        page.frame(&[index]).run(&format!(
            "await register('{name}', () => {{}}, {{ exposedTo: ['https://a.test'] }})"
        ));
    }
    let lists = page.run(
        "await register('own');
         return Promise.all([
             listed(), listed({ fromOrigins: [] }), listed({ fromOrigins: ['https://b.test'] }),
             listed({ fromOrigins: ['https://c.test/path', 'https://b.test'] }),
             listed({ fromOrigins: ['https://d.test'] }),
         ]);",
    );
    assert_eq!(
        lists,
        json!([
            ["own", "same"],
            ["own", "same"],
            ["b", "own", "same"],
            ["b", "c", "own", "same"],
            ["own", "same"],
        ])
    );
}

fn tools_of_equal_names_are_all_listed_and_each_runs(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let own = "await register('greet', () => `greetings of ${location.search}`);
               await register('other');";
    // The order of the registrations is not that of the frames.
    for index in [0, 1] {
        add_frame(&page, &format!("https://a.test/?{index}"));
    }
    page.frame(&[1]).run(own);
    page.frame(&[0]).run(own);
    page.run(own);
    let results = page.run(
        "const tools = await document.modelContext.getTools();
         const greet = tools.filter(tool => tool.name === 'greet');
         return [
             tools.map(tool => tool.name),
             await Promise.all(greet.map(tool => document.modelContext.executeTool(tool))),
         ];",
    );
    assert_eq!(
        results,
        json!([
            ["greet", "greet", "greet", "other", "other", "other"],
            ["greetings of ", "greetings of ?0", "greetings of ?1"],
        ])
    );
}

fn a_nested_frame_is_reached_from_every_ancestor(browser: &Browser) {
    let page = browser.open("https://a.test/");
    add_frame(&page, "https://b.test/");
    let middle = page.frame(&[0]);
    middle.run("await addFrame({ src: 'https://c.test/', allow: 'tools' })");
    let inner = page.frame(&[0, 0]);
    inner.run(
        "await register('greet', ({ name }) => `Hello ${name}`, {
             exposedTo: ['https://a.test', 'https://b.test'],
         })",
    );
    let facts = page.run(
        "const tool = await findTool('greet', { fromOrigins: ['https://c.test'] });
         return [
             tool.window.parent === frameAt(0).contentWindow, tool.window.top === window,
             await document.modelContext.executeTool(tool, { name: 'top' }),
         ];",
    );
    assert_eq!(facts, json!([true, true, "Hello top"]));
    let facts = middle.run(
        "const tool = await findTool('greet', { fromOrigins: ['https://c.test'] });
         return [
             tool.window === frameAt(0).contentWindow,
             await document.modelContext.executeTool(tool, { name: 'middle' }),
         ];",
    );
    assert_eq!(facts, json!([true, "Hello middle"]));
    // And down again.
    page.run("await register('ofTop', () => 'from the top', { exposedTo: ['https://c.test'] })");
    let facts = inner.run(
        "const tool = await findTool('ofTop', { fromOrigins: ['https://a.test'] });
         return [tool.window === top, await document.modelContext.executeTool(tool)];",
    );
    assert_eq!(facts, json!([true, "from the top"]));
}

fn a_frame_of_ones_own_origin_is_reached_through_a_foreign_one(browser: &Browser) {
    let page = browser.open("https://a.test/");
    add_frame(&page, "https://b.test/");
    page.frame(&[0])
        .run("await addFrame({ src: 'https://a.test/frame', allow: 'tools' })");
    let inner = page.frame(&[0, 0]);
    inner.run("await register('inner', () => 'from within')");
    page.run("await register('outer', () => 'from without')");
    let script = |name: &str| {
        format!(
            "const tool = await findTool('{name}');
             return [await listed(), tool.window !== window, await document.modelContext.executeTool(tool)];"
        )
    };
    assert_eq!(
        page.run(&script("inner")),
        json!([["inner", "outer"], true, "from within"])
    );
    assert_eq!(
        inner.run(&script("outer")),
        json!([["inner", "outer"], true, "from without"])
    );
}

/// A tool that waits, and says how it went.
fn register_waiting_tool(exposed_to: &str) -> String {
    format!(
        "watch('toolactivated', 'toolcancel');
         globalThis.cancelled = nextEvent(document.modelContext, 'toolcancel');
         globalThis.activated = nextEvent(document.modelContext, 'toolactivated');
         await register('wait', (input, {{ signal }}) => {{
             signal.addEventListener('abort', () => log.push(signal.reason.name));
             return never();
         }}, {{ exposedTo: ['{exposed_to}'] }});"
    )
}

/// Begins a call that is cancelled later with a reason of the caller's own.
fn begin_call(from_origin: &str) -> String {
    format!(
        "watch('toolactivated', 'toolcancel');
         globalThis.controller = new AbortController();
         const tool = await findTool('wait', {{ fromOrigins: ['{from_origin}'] }});
         globalThis.how = ending(document.modelContext.executeTool(tool, {{}}, {{ signal: controller.signal }}));"
    )
}

const CANCEL_CALL: &str = "controller.abort('its own reason'); return [await how, log];";
const WHAT_THE_TOOL_SAW: &str = "await cancelled; return log;";

fn a_parent_cancels_a_call_in_a_frame(browser: &Browser) {
    with_each(
        browser,
        [SAME_ORIGIN, SAME_SITE, CROSS_SITE],
        |page, kind| {
            let frame = page.frame(&[0]);
            frame.run(&register_waiting_tool("https://a.test"));
            page.run(&begin_call(kind.origin));
            frame.run("await activated");
            assert_eq!(page.run(CANCEL_CALL), json!(["its own reason", []]));
            assert_eq!(
                frame.run(WHAT_THE_TOOL_SAW),
                json!(["toolactivated", "AbortError", "toolcancel"])
            );
        },
    );
}

fn a_frame_cancels_a_call_in_its_parent(browser: &Browser) {
    with_each(
        browser,
        [SAME_ORIGIN, SAME_SITE, CROSS_SITE],
        |page, kind| {
            let frame = page.frame(&[0]);
            page.run(&register_waiting_tool(kind.origin));
            frame.run(&begin_call("https://a.test"));
            page.run("await activated");
            assert_eq!(frame.run(CANCEL_CALL), json!(["its own reason", []]));
            assert_eq!(
                page.run(WHAT_THE_TOOL_SAW),
                json!(["toolactivated", "AbortError", "toolcancel"])
            );
        },
    );
}

fn toolchange_reaches_those_who_may_see_the_tool(browser: &Browser) {
    with_each(
        browser,
        [SAME_ORIGIN, SAME_SITE, CROSS_SITE],
        |page, kind| {
            add_frame(page, "https://c.test/");
            add_frame(page, "https://d.test/");
            let watch = "watch('toolchange')";
            page.run(watch);
            for index in 0..3 {
                page.frame(&[index]).run(watch);
            }
            page.frame(&[0]).run(
                "globalThis.controller = new AbortController();
                 await register('greet', () => {}, {
                     signal: controller.signal, exposedTo: ['https://c.test'],
                 })",
            );
            // The answer to `getTools()` comes the way of the events: what was to come has come before it.
            let changes = |of: &dyn Fn(&str) -> Value| of("await listed(); return log.length");
            let check = |count: usize| {
                let same_origin = kind.origin == SAME_ORIGIN.origin;
                assert_eq!(
                    changes(&|script| page.run(script)),
                    json!(if same_origin { count } else { 0 })
                );
                for (index, expected) in [count, count, 0].into_iter().enumerate() {
                    assert_eq!(
                        changes(&|script| page.frame(&[index]).run(script)),
                        json!(expected),
                        "in frame {index}"
                    );
                }
            };
            check(1);
            page.frame(&[0]).run("controller.abort()");
            check(2);
        },
    );
}

fn the_tool_events_are_fired_in_the_document_of_the_tool_only(browser: &Browser) {
    with_each(
        browser,
        [SAME_ORIGIN, SAME_SITE, CROSS_SITE],
        |page, kind| {
            let frame = page.frame(&[0]);
            page.run("watch('toolactivated', 'toolcancel')");
            frame.run(
                "watch('toolactivated', 'toolcancel');
                 await register('greet', () => 'hello', { exposedTo: ['https://a.test'] });",
            );
            let result = page.run(&format!(
                "return [await call('greet', {{}}, {{ fromOrigins: ['{}'] }}), await listed()]",
                kind.origin
            ));
            assert_eq!(result[0], json!("hello"));
            assert_eq!(page.run("return log"), json!([]));
            assert_eq!(
                frame.run("await listed(); return log"),
                json!(["toolactivated"])
            );
        },
    );
}

fn a_frame_that_has_moved_on_does_not_run_the_tool_of_its_former_document(browser: &Browser) {
    with_each(
        browser,
        [SAME_ORIGIN, SAME_SITE, CROSS_SITE],
        |page, kind| {
            let register =
                "await register('greet', () => location.search, { exposedTo: ['https://a.test'] })";
            page.frame(&[0]).run(register);
            page.run(&format!(
                "globalThis.tool = await findTool('greet', {{ fromOrigins: ['{}'] }})",
                kind.origin
            ));
            let execute =
                "return await document.modelContext.executeTool(tool).catch(error => error.name)";
            assert_eq!(page.run(execute), json!(""));

            // A document of the same origin, without and then with a tool of that name.
            page.run(&format!("await navigateFrame(0, '{}?second')", kind.url));
            assert_eq!(page.run(execute), json!("UnknownError"));
            page.frame(&[0]).run(register);
            assert_eq!(page.run(execute), json!("?second"));

            // A document of another origin, with a tool of that name.
            page.run("await navigateFrame(0, 'https://c.test/')");
            page.frame(&[0]).run(register);
            assert_eq!(page.run(execute), json!("UnknownError"));
        },
    );
}

fn a_failure_in_a_frame_is_an_unknown_error_of_the_caller(browser: &Browser) {
    with_each(
        browser,
        [SAME_ORIGIN, SAME_SITE, CROSS_SITE],
        |page, kind| {
            page.frame(&[0]).run(
                "const exposedTo = ['https://a.test'];
                 await register('throws', () => { throw new Error('secret'); }, { exposedTo });
                 await register('unserialisable', () => 1n, { exposedTo });",
            );
            let facts = page.run(&format!(
                "const facts = [];
                 for (const name of ['throws', 'unserialisable']) {{
                     const error = await call(name, {{}}, {{ fromOrigins: ['{}'] }}).catch(error => error);
                     facts.push(error instanceof DOMException, error.name, error.message.includes('secret'));
                 }}
                 return facts;",
                kind.origin
            ));
            assert_eq!(
                facts,
                json!([true, "UnknownError", false, true, "UnknownError", false])
            );
        },
    );
}

fn a_call_goes_back_and_forth_between_frames(browser: &Browser) {
    with_each(
        browser,
        [SAME_ORIGIN, SAME_SITE, CROSS_SITE],
        |page, kind| {
            // Each side counts down with the other's tool.
            let register = |name: &str, other: &str, origin: &str| {
                format!(
                    "await register('{name}', async ({{ n }}) => n === 0
                         ? '{name}'
                         : `{name} ${{await call('{other}', {{ n: n - 1 }}, {{ fromOrigins: ['{origin}'] }})}}`,
                         {{ exposedTo: ['{origin}'] }})"
                )
            };
            page.run(&register("top", "frame", kind.origin));
            page.frame(&[0])
                .run(&register("frame", "top", "https://a.test"));
            let result = page.run("return await call('top', { n: 5 })");
            assert_eq!(result, json!("top frame top frame top frame"));
        },
    );
}

fn a_megabyte_goes_between_frames(browser: &Browser) {
    with_each(browser, [SAME_ORIGIN, CROSS_SITE], |page, kind| {
        page.frame(&[0])
            .run("await register('echo', ({ text }) => text, { exposedTo: ['https://a.test'] })");
        let facts = page.run(&format!(
            "const text = 'ä😀x'.repeat(1 << 18);
             const result = await call('echo', {{ text }}, {{ fromOrigins: ['{}'] }});
             return [result.length, result === text];",
            kind.origin
        ));
        assert_eq!(facts, json!([1 << 20, true]));
    });
}

fn a_frame_without_allow_may_do_nothing(browser: &Browser) {
    for kind in [SAME_SITE, CROSS_SITE] {
        let page = browser.open("https://a.test/");
        page.run(&format!("await addFrame({{ src: '{}' }})", kind.url));
        page.run(&format!(
            "watch('toolchange');
             await register('ofParent', () => log.push('ran'), {{ exposedTo: ['{}'] }})",
            kind.origin
        ));
        let facts = page.frame(&[0]).run(
            "watch('toolchange');
             return [
                 await ending(register('greet')), await ending(listed()),
                 await ending(document.modelContext.executeTool(toolOf(parent, 'ofParent', 'https://a.test'))),
                 log,
             ];",
        );
        let refused = "NotAllowedError";
        assert_eq!(facts, json!([refused, refused, refused, []]));
        // Only its own registration was heard of in the parent.
        assert_eq!(
            page.run("await listed(); return log"),
            json!(["toolchange"])
        );
    }
}

fn a_sandboxed_frame_has_tools_that_only_it_sees(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run(
        "await register('ofParent');
         await addFrame({ src: 'https://a.test/frame', sandbox: 'allow-scripts', allow: 'tools *' });
         await addFrame({ src: 'https://a.test/frame', sandbox: 'allow-scripts' });",
    );
    let facts = page.frame(&[0]).run(
        "await register('hidden', () => 'done', { exposedTo: ['https://a.test'] });
         const tool = await findTool('hidden');
         return [
             origin, tool.origin, tool.window === window, await listed({ fromOrigins: ['https://a.test'] }),
             await ending(document.modelContext.executeTool(tool)),
         ];",
    );
    // Its origin has no serialisation by which a tool could be called.
    assert_eq!(
        facts,
        json!(["null", "null", true, ["hidden"], "NotSupportedError"])
    );
    // Nor one that a caller could ask for.
    let facts =
        page.run("return [await listed(), await ending(listed({ fromOrigins: ['null'] }))]");
    assert_eq!(facts, json!([["ofParent"], "SecurityError"]));
    // What is not allowed for the opaque origin is not allowed.
    assert_eq!(
        page.frame(&[1]).run("return await ending(register('x'))"),
        json!("NotAllowedError")
    );
}

fn a_sandboxed_frame_that_keeps_its_origin_is_like_any_other(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: 'https://a.test/frame', sandbox: 'allow-scripts allow-same-origin' })");
    page.frame(&[0])
        .run("await register('greet', () => 'hello')");
    assert_eq!(page.run("return await call('greet')"), json!("hello"));
}

fn a_srcdoc_frame_has_tools_of_its_parents_origin(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await addFrame({ srcdoc: '<script src=/harness.js></script>' });
         await runInFrame([0], `await register('greet', () => 'hello')`);
         return [(await findTool('greet')).origin, await call('greet')];",
    );
    assert_eq!(facts, json!(["https://a.test", "hello"]));
}

fn a_page_that_script_has_opened_is_another_traversable(browser: &Browser) {
    browser.serve(Site::default().page(
        "https://a.test/popup",
        "<script>
             register('inPopup', () => log.push('ran')).then(() => opener.postMessage('ready', '*'));
         </script>",
    ));
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('inOpener', () => log.push('ran'));
         const ready = nextEvent(window, 'message');
         globalThis.popup = open('/popup');
         await ready;
         const tool = toolOf(popup, 'inPopup');
         return [
             await listed(), await ending(document.modelContext.executeTool(tool)),
             tool.window === popup, popup.log,
         ];",
    );
    assert_eq!(facts, json!([["inOpener"], "UnknownError", true, []]));
    let facts = browser.popup(0).run(
        "return [
             await listed(), await ending(document.modelContext.executeTool(toolOf(opener, 'inOpener'))),
             await listed({ fromOrigins: ['https://a.test'] }),
         ]",
    );
    assert_eq!(facts, json!([["inPopup"], "UnknownError", ["inPopup"]]));
    assert_eq!(page.run("return log"), json!([]));
}

fn the_tools_of_the_initial_document_do_not_survive_it(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const frame = document.createElement('iframe');
         frame.src = '/frame';
         const loaded = nextEvent(frame, 'load');
         document.body.append(frame);
         const initial = frame.contentDocument.modelContext;
         // The document is soon replaced, and the promise with it.
         initial.registerTool({ name: 'initial', description: 'x', execute() {} });
         const before = await listed();
         await loaded;
         const context = frame.contentDocument.modelContext;
         return [before, await listed(), (await context.getTools()).length, context !== initial];",
    );
    assert_eq!(facts, json!([["initial"], [], 0, true]));
}

fn the_model_context_of_a_removed_frame_refuses(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('greet');
         const tool = await findTool('greet');
         const endings = [];
         for (const touched of [true, false]) {
             const frame = await addFrame({ src: '/frame' });
             const { DOMException } = frame.contentWindow;
             const frameDocument = frame.contentDocument;
             if (touched) {
                 frameDocument.modelContext;
             }
             frame.remove();
             const context = frameDocument.modelContext;
             for (const method of [
                 () => context.registerTool({ name: 'x', description: 'x', execute() {} }),
                 () => context.getTools(),
                 () => context.executeTool(tool),
             ]) {
                 const error = await method().catch(error => error);
                 endings.push([error instanceof DOMException, error.name]);
             }
         }
         return endings;",
    );
    assert_eq!(facts, json!(vec![json!([true, "InvalidStateError"]); 6]));
}

fn objects_belong_to_the_realm_of_their_reader(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: '/frame' })");
    page.frame(&[0]).run(
        "await register('look', (input, { signal }) => [
             input instanceof Object, input.list instanceof Array, signal instanceof AbortSignal,
             parent.AbortSignal !== AbortSignal,
         ], { inputSchema: { list: [] } });",
    );
    let facts = page.run(
        "const tool = await findTool('look');
         const frameTools = await frameAt(0).contentDocument.modelContext.getTools();
         const frame = frameAt(0).contentWindow;
         return [
             JSON.parse(await call('look', { list: [] })),
             tool.inputSchema instanceof Object, tool.inputSchema.list instanceof Array,
             frameTools instanceof frame.Array, frameTools[0].inputSchema instanceof frame.Object,
         ];",
    );
    assert_eq!(
        facts,
        json!([[true, true, true, true], true, true, true, true])
    );
}

fn a_tool_can_be_registered_through_the_context_of_a_frame(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const frame = await addFrame({ src: '/frame' });
         const context = frame.contentDocument.modelContext;
         const promise = context.registerTool({ name: 'greet', description: 'x', execute: () => 'hello' });
         const isOfFrame = promise instanceof frame.contentWindow.Promise;
         await promise;
         const tool = await findTool('greet');
         return [
             isOfFrame, tool.window === frame.contentWindow, await call('greet'),
             await frame.contentWindow.listed(),
         ];",
    );
    assert_eq!(facts, json!([true, true, "hello", ["greet"]]));
}
