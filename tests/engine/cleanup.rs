/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What becomes of calls when one of their documents goes away. Every call that has begun ends once.

use std::cell::Cell;
use std::rc::Rc;

use engine_tests::{Browser, Page, Site, Suite, tests};
use serde_json::json;
use servo::{ToolFailureKind, ToolOutcome};

pub fn add_to(suite: &mut Suite) {
    suite.add_in_every_mode(tests![
        a_call_fails_when_the_frame_of_the_tool_is_removed,
        a_call_fails_when_the_frame_of_the_tool_is_navigated,
        a_call_fails_when_a_frame_above_the_tool_is_removed,
        a_call_is_cancelled_when_the_frame_of_the_caller_is_removed,
        a_call_is_cancelled_when_the_frame_of_the_caller_is_navigated,
        a_call_is_cancelled_when_a_frame_above_the_caller_is_removed,
        a_call_within_one_frame_ends_silently_with_it,
        a_call_that_a_frame_has_begun_and_left_does_not_disturb_its_next_document,
        all_calls_of_a_frame_end_with_it_and_no_other,
        a_call_of_the_embedder_fails_when_the_page_navigates,
        a_page_that_is_closed_takes_its_calls_with_it,
        a_page_that_is_left_ends_its_calls_and_lists_its_tools_again_on_return,
        a_page_that_is_left_is_told_that_its_frames_tool_went_away,
    ]);
    suite.add(tests![
        a_call_of_a_tool_in_a_removed_frame_is_refused,
        a_tool_that_removes_its_own_frame_fails_its_call_and_is_not_activated,
        a_listener_that_removes_the_frame_keeps_toolcancel_from_it,
        an_inner_call_that_fails_fails_the_outer_one,
        a_frame_that_is_moved_loses_its_tools,
        the_tools_of_a_removed_frame_are_gone,
        a_frame_that_calls_itself_and_navigates_does_no_harm,
        a_call_of_the_embedder_fails_when_the_page_is_reloaded,
        a_call_outlives_a_navigation_within_the_document,
        a_fragment_navigation_of_the_tools_frame_ends_nothing,
        document_open_ends_nothing,
    ]);
}

const FRAMES: [&str; 3] = [
    "https://a.test/frame",
    "https://www.a.test/",
    "https://b.test/",
];

/// Runs a check with a page of `https://a.test` that has one frame, of each kind.
fn with_each_frame(browser: &Browser, check: impl Fn(&Page<'_>)) {
    for url in FRAMES {
        // Shown when the test fails.
        eprintln!("With a frame of {url}:");
        let page = browser.open("https://a.test/");
        page.run(&format!(
            "await addFrame({{ src: '{url}', allow: 'tools' }})"
        ));
        check(&page);
    }
}

/// Registers a tool that never finishes, exposed to everyone in these tests. Its start and the abort of its signal are
/// logged; `activated` and `cancelled` are promises of the events.
const REGISTER_WAITING_TOOL: &str = "
    watch('toolactivated', 'toolcancel');
    globalThis.activated = nextEvent(document.modelContext, 'toolactivated');
    globalThis.cancelled = nextEvent(document.modelContext, 'toolcancel');
    await register('wait', (input, { signal }) => {
        signal.addEventListener('abort', () => log.push(signal.reason.name));
        return never();
    }, { exposedTo: ['https://a.test', 'https://www.a.test', 'https://b.test', 'https://c.test'] });
";

/// Begins a call of that tool, wherever it is. `how` is a promise of how it ends.
const BEGIN_CALL: &str = "
    const fromOrigins = ['https://a.test', 'https://www.a.test', 'https://b.test', 'https://c.test'];
    globalThis.how = ending(document.modelContext.executeTool(await findTool('wait', { fromOrigins })));
";

const CALL_WAS_CANCELLED: &str = "await cancelled; return log;";

fn a_call_fails_when_the_frame_of_the_tool_is_removed(browser: &Browser) {
    with_each_frame(browser, |page| {
        page.frame(&[0]).run(REGISTER_WAITING_TOOL);
        page.run(BEGIN_CALL);
        page.frame(&[0]).run("await activated");
        let how = page.run("frameAt(0).remove(); return await how;");
        assert_eq!(how, json!("UnknownError"));
    });
}

fn a_call_fails_when_the_frame_of_the_tool_is_navigated(browser: &Browser) {
    with_each_frame(browser, |page| {
        for next in ["about:blank", "https://a.test/?next", "https://c.test/"] {
            page.run(&format!(
                "globalThis.first ??= frameAt(0).src;
                 await navigateFrame(0, `${{first}}?before={next}`);"
            ));
            page.frame(&[0]).run(REGISTER_WAITING_TOOL);
            page.run(BEGIN_CALL);
            page.frame(&[0]).run("await activated");
            let how = page.run(&format!(
                "const loaded = nextEvent(frameAt(0), 'load');
                 frameAt(0).src = '{next}';
                 const result = await how;
                 await loaded;
                 return result;"
            ));
            assert_eq!(how, json!("UnknownError"), "{next}");
        }
    });
}

fn a_call_fails_when_a_frame_above_the_tool_is_removed(browser: &Browser) {
    with_each_frame(browser, |page| {
        page.frame(&[0])
            .run("await addFrame({ src: 'https://c.test/', allow: 'tools' })");
        page.frame(&[0, 0]).run(REGISTER_WAITING_TOOL);
        page.run(BEGIN_CALL);
        page.frame(&[0, 0]).run("await activated");
        let how = page.run("frameAt(0).remove(); return await how;");
        assert_eq!(how, json!("UnknownError"));
    });
}

fn a_call_is_cancelled_when_the_frame_of_the_caller_is_removed(browser: &Browser) {
    with_each_frame(browser, |page| {
        page.run(REGISTER_WAITING_TOOL);
        page.frame(&[0]).run(BEGIN_CALL);
        page.run("await activated; frameAt(0).remove();");
        assert_eq!(
            page.run(CALL_WAS_CANCELLED),
            json!(["toolactivated", "AbortError", "toolcancel"])
        );
    });
}

fn a_call_is_cancelled_when_the_frame_of_the_caller_is_navigated(browser: &Browser) {
    with_each_frame(browser, |page| {
        page.run(REGISTER_WAITING_TOOL);
        page.frame(&[0]).run(BEGIN_CALL);
        page.run("await activated");
        page.frame(&[0])
            .run("setTimeout(() => { location.href = 'about:blank'; })");
        assert_eq!(
            page.run(CALL_WAS_CANCELLED),
            json!(["toolactivated", "AbortError", "toolcancel"])
        );
    });
}

fn a_call_is_cancelled_when_a_frame_above_the_caller_is_removed(browser: &Browser) {
    with_each_frame(browser, |page| {
        page.frame(&[0])
            .run("await addFrame({ src: 'https://c.test/', allow: 'tools' })");
        page.run(REGISTER_WAITING_TOOL);
        page.frame(&[0, 0]).run(BEGIN_CALL);
        page.run("await activated; frameAt(0).remove();");
        assert_eq!(
            page.run(CALL_WAS_CANCELLED),
            json!(["toolactivated", "AbortError", "toolcancel"])
        );
    });
}

fn a_call_within_one_frame_ends_silently_with_it(browser: &Browser) {
    with_each_frame(browser, |page| {
        page.frame(&[0]).run(REGISTER_WAITING_TOOL);
        page.frame(&[0]).run(
            "const how = document.modelContext.executeTool(await findTool('wait'));
             const tell = () => parent.postMessage('settled', '*');
             how.then(tell, tell);
             await activated;",
        );
        let facts = page.run(
            "addEventListener('message', ({ data }) => log.push(data));
             frameAt(0).remove();
             // Everything works on.
             await register('greet', () => 'hello');
             const result = await call('greet');
             await addFrame({ src: 'https://b.test/', allow: 'tools' });
             await runInFrame([0], 'await listed()');
             return [result, log.filter(entry => entry === 'settled')];",
        );
        assert_eq!(facts, json!(["hello", []]));
    });
}

fn a_call_that_a_frame_has_begun_and_left_does_not_disturb_its_next_document(browser: &Browser) {
    with_each_frame(browser, |page| {
        page.run(
            "globalThis.finish = [];
             await register('wait', () => new Promise(resolve => finish.push(resolve)), {
                 exposedTo: ['https://www.a.test', 'https://b.test'],
             });",
        );
        let begin = "globalThis.result = document.modelContext.executeTool(
             await findTool('wait', { fromOrigins: ['https://a.test'] }));
             await listed();";
        page.frame(&[0]).run(begin);
        page.run("await navigateFrame(0, `${frameAt(0).src}?next`)");
        page.frame(&[0]).run(begin);
        let count = page
            .run("finish[0]('for the first'); finish[1]('for the next'); return finish.length;");
        assert_eq!(count, json!(2));
        assert_eq!(
            page.frame(&[0]).run("return await result"),
            json!("for the next")
        );
    });
}

fn all_calls_of_a_frame_end_with_it_and_no_other(browser: &Browser) {
    with_each_frame(browser, |page| {
        page.run("await addFrame({ src: 'https://c.test/', allow: 'tools' })");
        let register = "await register('wait', () => new Promise(resolve => { globalThis.finish = resolve; }), {
                            exposedTo: ['https://a.test'],
                        })";
        page.frame(&[0]).run(register);
        page.frame(&[1]).run(register);
        page.run(
            "const fromOrigins = ['https://www.a.test', 'https://b.test', 'https://c.test'];
             const tools = await document.modelContext.getTools({ fromOrigins });
             const execute = index => document.modelContext.executeTool(
                 tools.find(tool => tool.window === frameAt(index).contentWindow));
             globalThis.going = Array.from({ length: 20 }, () => ending(execute(0)));
             globalThis.staying = execute(1);",
        );
        // When the frames answer they have begun, since the calls came before.
        page.frame(&[0]).run("await listed()");
        page.frame(&[1]).run("await listed()");
        let endings =
            page.run("frameAt(0).remove(); return [...new Set(await Promise.all(going))];");
        assert_eq!(endings, json!(["UnknownError"]));
        page.frame(&[0]).run("finish('stayed')");
        assert_eq!(page.run("return await staying"), json!("stayed"));
    });
}

/// The kind of failure of a call.
fn failure(outcome: ToolOutcome) -> Option<ToolFailureKind> {
    outcome.err().map(|failure| failure.kind)
}

fn a_call_of_the_embedder_fails_when_the_page_navigates(browser: &Browser) {
    let page = browser.open("https://a.test/");
    for next in ["https://a.test/?next", "https://b.test/", "about:blank"] {
        page.load("https://a.test/?before");
        page.run(REGISTER_WAITING_TOOL);
        let call = page.start(page.tool("wait").id, "{}");
        page.run("await activated");
        page.load(next);
        assert_eq!(
            failure(call.outcome()),
            Some(ToolFailureKind::TargetGone),
            "{next}"
        );
    }
}

fn a_page_that_is_closed_takes_its_calls_with_it(browser: &Browser) {
    let other = browser.open("https://b.test/");
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: 'https://b.test/', allow: 'tools' })");
    page.frame(&[0]).run(REGISTER_WAITING_TOOL);
    page.run(REGISTER_WAITING_TOOL);
    page.run("globalThis.how = document.modelContext.executeTool(toolOf(window, 'wait'))");

    // Dropped with the page, without being called.
    let is_called = Rc::new(Cell::new(false));
    let setter = is_called.clone();
    let tool = page.tools().remove(0).id;
    page.webview()
        .execute_tool(tool, "{}".into(), move |_| setter.set(true));
    page.frame(&[0]).run("await listed()");
    drop(page);
    browser.wait_until("the callback is dropped", || {
        Rc::strong_count(&is_called) == 1
    });

    // Everything works on.
    other.run("await register('greet', () => 'hello')");
    assert_eq!(other.call("greet", "{}"), Ok(Some("hello".into())));
    assert!(!is_called.get());
}

fn a_page_that_is_left_ends_its_calls_and_lists_its_tools_again_on_return(browser: &Browser) {
    browser.serve(Site::default().page("https://a.test/next", ""));
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: 'https://b.test/', allow: 'tools' })");
    page.frame(&[0]).run(
        "await register('ofFrame', () => 'hello from the frame', { exposedTo: ['https://a.test'] })",
    );
    page.run(REGISTER_WAITING_TOOL);
    page.run("await register('greet', () => 'hello')");
    let call = page.start(page.tool("wait").id, "{}");
    page.run("await activated");

    page.load("https://a.test/next");
    assert_eq!(failure(call.outcome()), Some(ToolFailureKind::TargetGone));
    assert_eq!(page.tool_names(), [""; 0]);
    assert_eq!(page.run("return await listed()"), json!([]));
    page.run("await register('ofNext')");
    assert_eq!(page.tool_names(), ["ofNext"]);

    page.go_back();
    assert_eq!(page.run("return location.pathname"), json!("/"));
    assert_eq!(page.tool_names(), ["wait", "greet", "ofFrame"]);
    let facts = page.run(
        "const fromOrigins = ['https://b.test'];
         return [
             await listed({ fromOrigins }), await call('greet'), await call('ofFrame', {}, { fromOrigins }),
         ];",
    );
    assert_eq!(
        facts,
        json!([
            ["greet", "ofFrame", "wait"],
            "hello",
            "hello from the frame"
        ])
    );
    assert_eq!(page.call("greet", "{}"), Ok(Some("hello".into())));
}

fn a_page_that_is_left_is_told_that_its_frames_tool_went_away(browser: &Browser) {
    with_each_frame(browser, |page| {
        page.frame(&[0]).run(REGISTER_WAITING_TOOL);
        page.run(BEGIN_CALL);
        page.frame(&[0]).run("await activated");

        page.load("https://a.test/next");
        page.go_back();
        assert_eq!(page.run("return location.pathname"), json!("/"));
        // The frame is unloaded first, so it is the target that goes away and not the caller.
        assert_eq!(page.run("return await how"), json!("UnknownError"));
        let of_frame = page.frame(&[0]).run(
            "await register('later');
             return log;",
        );
        assert_eq!(of_frame, json!(["toolactivated"]));
    });
}

fn a_call_of_a_tool_in_a_removed_frame_is_refused(browser: &Browser) {
    with_each_frame(browser, |page| {
        page.frame(&[0])
            .run("await register('greet', () => 'hello', { exposedTo: ['https://a.test'] })");
        let how = page.run(
            "const fromOrigins = ['https://www.a.test', 'https://b.test'];
             const tool = await findTool('greet', { fromOrigins });
             frameAt(0).remove();
             return await ending(document.modelContext.executeTool(tool));",
        );
        assert_eq!(how, json!("InvalidStateError"));
    });
}

fn a_tool_that_removes_its_own_frame_fails_its_call_and_is_not_activated(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const frame = await addFrame({ src: '/frame' });
         const context = frame.contentDocument.modelContext;
         context.addEventListener('toolactivated', () => log.push('toolactivated'));
         await context.registerTool({
             name: 'vanish', description: 'Removes its frame.',
             execute() { log.push('ran'); frame.remove(); return 'done'; },
         });
         return [await ending(call('vanish')), log];",
    );
    assert_eq!(facts, json!(["UnknownError", ["ran"]]));
}

fn a_listener_that_removes_the_frame_keeps_toolcancel_from_it(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const frame = await addFrame({ src: '/frame' });
         const context = frame.contentDocument.modelContext;
         context.addEventListener('toolcancel', () => log.push('toolcancel'));
         const removed = new Promise(resolve => {
             context.registerTool({
                 name: 'wait', description: 'Removes its frame when it is cancelled.',
                 execute(input, { signal }) {
                     signal.addEventListener('abort', () => { frame.remove(); resolve(); });
                     return never();
                 },
             });
         });
         const controller = new AbortController();
         const how = ending(call('wait', {}, { signal: controller.signal }));
         await nextEvent(context, 'toolactivated');
         controller.abort();
         log.push(await how);
         await removed;
         await listed();
         return log;",
    );
    assert_eq!(facts, json!(["AbortError"]));
}

fn an_inner_call_that_fails_fails_the_outer_one(browser: &Browser) {
    with_each_frame(browser, |page| {
        page.frame(&[0]).run(REGISTER_WAITING_TOOL);
        page.run(
            "const fromOrigins = ['https://www.a.test', 'https://b.test'];
             await register('outer', () => call('wait', {}, { fromOrigins }));
             globalThis.how = ending(call('outer'));",
        );
        page.frame(&[0]).run("await activated");
        let how = page.run("frameAt(0).remove(); return await how;");
        assert_eq!(how, json!("UnknownError"));
    });
}

fn a_frame_that_is_moved_loses_its_tools(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const frame = await addFrame({ src: '/frame' });
         await frame.contentWindow.register('greet');
         const before = await listed();
         const loaded = nextEvent(frame, 'load');
         // To be moved is to be removed and inserted: the document is a new one.
         const place = document.createElement('div');
         document.body.append(place);
         place.append(frame);
         const between = await listed();
         await loaded;
         await frame.contentWindow.register('again');
         return [before, between, await listed()];",
    );
    assert_eq!(facts, json!([["greet"], [], ["again"]]));
}

fn the_tools_of_a_removed_frame_are_gone(browser: &Browser) {
    with_each_frame(browser, |page| {
        page.frame(&[0])
            .run("await register('greet', () => {}, { exposedTo: ['https://a.test'] })");
        let lists = page.run(
            "const fromOrigins = ['https://www.a.test', 'https://b.test'];
             const before = await listed({ fromOrigins });
             frameAt(0).remove();
             return [before, await listed({ fromOrigins })];",
        );
        assert_eq!(lists, json!([["greet"], []]));
    });
}

fn a_frame_that_calls_itself_and_navigates_does_no_harm(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: '/frame' })");
    page.frame(&[0]).run(REGISTER_WAITING_TOOL);
    page.frame(&[0]).run(BEGIN_CALL);
    page.frame(&[0]).run("await activated");
    page.run("await navigateFrame(0, '/frame?next')");
    page.frame(&[0])
        .run("await register('greet', () => 'hello')");
    assert_eq!(page.run("return await call('greet')"), json!("hello"));
}

fn a_call_of_the_embedder_fails_when_the_page_is_reloaded(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run(REGISTER_WAITING_TOOL);
    let call = page.start(page.tool("wait").id, "{}");
    page.run("await activated");
    page.reload();
    assert_eq!(failure(call.outcome()), Some(ToolFailureKind::TargetGone));
    assert_eq!(page.tool_names(), [""; 0]);
}

/// A call that is begun in a document lives on while `script` runs, and its tool is still listed.
#[track_caller]
fn check_that_nothing_ends(browser: &Browser, script: &str) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: '/frame' })");
    page.frame(&[0]).run(
        "await register('wait', () => new Promise(resolve => { globalThis.finish = resolve; }));",
    );
    page.run("globalThis.how = call('wait'); await listed();");
    page.frame(&[0]).run("await listed()");
    page.run(script);
    let facts = page.run(
        "frameAt(0).contentWindow.finish('finished');
         return [await how, await listed()];",
    );
    assert_eq!(facts, json!(["finished", ["wait"]]));
}

fn a_call_outlives_a_navigation_within_the_document(browser: &Browser) {
    check_that_nothing_ends(
        browser,
        "history.pushState(null, '', '/pushed');
         history.replaceState(null, '', '/replaced');
         location.hash = 'fragment';
         frameAt(0).contentWindow.history.pushState(null, '', '/pushed');",
    );
}

fn a_fragment_navigation_of_the_tools_frame_ends_nothing(browser: &Browser) {
    check_that_nothing_ends(
        browser,
        "const changed = nextEvent(frameAt(0).contentWindow, 'hashchange');
         frameAt(0).contentWindow.location.hash = 'fragment';
         await changed;",
    );
}

fn document_open_ends_nothing(browser: &Browser) {
    check_that_nothing_ends(
        browser,
        "const { contentWindow, contentDocument } = frameAt(0);
         const { finish } = contentWindow;
         contentDocument.open();
         contentDocument.write('<p>Written</p>');
         contentDocument.close();
         contentWindow.finish = finish;",
    );
}
