/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What is particular to several processes: that there are several, and that one can crash. Everything else that other
//! modules say holds in this mode too; see [`Suite::add_in_every_mode`].

use std::collections::HashSet;

use engine_tests::process::{content_processes, kill};
use engine_tests::{Browser, Mode, Options, Suite, tests};
use serde_json::json;
use servo::{ToolFailureKind, ToolOutcome};

pub fn add_to(suite: &mut Suite) {
    let options = Options {
        mode: Mode::Multiprocess,
        ..Options::default()
    };
    suite.add_with(
        options,
        tests![
            frames_of_other_sites_have_processes_of_their_own,
            preferences_hold_in_content_processes,
        ],
    );
    suite.add_with(
        Options {
            hard_fail: false,
            ..options
        },
        tests![
            a_call_of_the_embedder_ends_when_the_process_of_the_tool_is_killed,
            a_call_of_a_page_ends_when_the_process_of_the_tool_is_killed,
            a_page_works_again_after_a_crash,
            another_page_is_not_disturbed_by_a_crash,
        ],
    );
}

const REGISTER_WAITING_TOOL: &str = "
    globalThis.activated = nextEvent(document.modelContext, 'toolactivated');
    await register('wait', never, { exposedTo: ['https://a.test'] });
";

fn failure(outcome: ToolOutcome) -> Option<ToolFailureKind> {
    outcome.err().map(|failure| failure.kind)
}

fn frames_of_other_sites_have_processes_of_their_own(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let of_page = content_processes();
    assert!(!of_page.is_empty());

    page.run("await addFrame({ src: 'https://www.a.test/', allow: 'tools' })");
    assert_eq!(content_processes(), of_page);
    page.run("await addFrame({ src: 'https://b.test/', allow: 'tools' })");
    assert_eq!(content_processes().len(), of_page.len() + 1);

    page.frame(&[1]).run(
        "await register('greet', ({ name }) => `Hello ${name}`, { exposedTo: ['https://a.test'] })",
    );
    let result = page.run(
        "return await call('greet', { name: 'process' }, { fromOrigins: ['https://b.test'] })",
    );
    assert_eq!(result, json!("Hello process"));
    assert_eq!(
        page.call("greet", r#"{"name": "browser"}"#),
        Ok(Some("Hello browser".into()))
    );
}

fn preferences_hold_in_content_processes(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run("await addFrame({ src: 'https://b.test/', allow: 'tools' })");
    let script = "return ['modelContext' in document, 'ModelContext' in window]";
    assert_eq!(page.run(script), json!([true, true]));
    assert_eq!(page.frame(&[0]).run(script), json!([true, true]));
}

fn a_call_of_the_embedder_ends_when_the_process_of_the_tool_is_killed(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run(REGISTER_WAITING_TOOL);
    let call = page.start(page.tool("wait").id, "{}");
    page.run("await activated");
    assert!(!call.is_finished());
    for pid in content_processes() {
        kill(pid);
    }
    assert_eq!(failure(call.outcome()), Some(ToolFailureKind::TargetGone));
    browser.wait_until("the crash is told", || page.crashes() == 1);
}

fn a_call_of_a_page_ends_when_the_process_of_the_tool_is_killed(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let before = content_processes();
    page.run("await addFrame({ src: 'https://b.test/', allow: 'tools' })");
    let of_frame: HashSet<_> = &content_processes() - &before;
    assert_eq!(of_frame.len(), 1);
    page.frame(&[0]).run(REGISTER_WAITING_TOOL);
    page.run(
        "const tool = await findTool('wait', { fromOrigins: ['https://b.test'] });
         globalThis.how = ending(document.modelContext.executeTool(tool));",
    );
    page.frame(&[0]).run("await activated");
    for pid in of_frame {
        kill(pid);
    }
    assert_eq!(page.run("return await how"), json!("UnknownError"));

    // The page has only lost a frame.
    let facts = page.run(
        "await register('greet', () => 'hello');
         return [await listed({ fromOrigins: ['https://b.test'] }), await call('greet')];",
    );
    assert_eq!(facts, json!([["greet"], "hello"]));
    assert_eq!(page.tool_names(), ["greet"]);
    assert_eq!(page.crashes(), 0);
}

fn a_page_works_again_after_a_crash(browser: &Browser) {
    let page = browser.open("https://a.test/");
    page.run(REGISTER_WAITING_TOOL);
    let call = page.start(page.tool("wait").id, "{}");
    page.run("await activated");
    let loads_before = page.completed_loads();
    for pid in content_processes() {
        kill(pid);
    }
    assert_eq!(failure(call.outcome()), Some(ToolFailureKind::TargetGone));
    browser.wait_until("the crash is told", || page.crashes() == 1);
    // The engine takes no other address before it shows its own page about the crash.
    browser.wait_until("the page about the crash has loaded", || {
        page.completed_loads() > loads_before
    });

    page.load("https://a.test/?again");
    assert_eq!(page.tool_names(), [""; 0]);
    page.run("await register('greet', () => 'hello')");
    assert_eq!(page.run("return await call('greet')"), json!("hello"));
    assert_eq!(page.call("greet", "{}"), Ok(Some("hello".into())));
}

fn another_page_is_not_disturbed_by_a_crash(browser: &Browser) {
    let bystander = browser.open("https://b.test/");
    bystander.run("await register('greet', () => 'hello')");
    let before = content_processes();
    let page = browser.open("https://a.test/");
    let of_page: HashSet<_> = &content_processes() - &before;
    page.run(REGISTER_WAITING_TOOL);
    let call = page.start(page.tool("wait").id, "{}");
    page.run("await activated");
    for pid in of_page {
        kill(pid);
    }
    assert_eq!(failure(call.outcome()), Some(ToolFailureKind::TargetGone));
    assert_eq!(bystander.run("return await call('greet')"), json!("hello"));
    assert_eq!(bystander.call("greet", "{}"), Ok(Some("hello".into())));
    assert_eq!(bystander.crashes(), 0);
}
