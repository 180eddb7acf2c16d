/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Pages with frameworks and WebMCP packages, which come from npm as they are.

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::{Value, json};

use super::npm::Project;
use super::{json, stdout, webmcp};

const PROJECT: Project = Project {
    source: "fixtures/frameworks",
    name: "frameworks",
    steps: &[&["ci"], &["run", "build"]],
    is_built_from: |_| true,
};

/// Helpers for scripts: `names()` of the page's tools, `until(condition on the names)`, `call(name, input)`.
const HELPERS: &str = "
const context = document.modelContext;
const names = async () => (await context.getTools()).map(tool => tool.name);
const until = condition => new Promise(resolve => {
    const look = async () => {
        if (condition(await names())) {
            context.removeEventListener('toolchange', look);
            resolve();
        }
    };
    context.addEventListener('toolchange', look);
    look();
});
const call = async (name, input) => {
    const tool = (await context.getTools()).find(tool => tool.name === name);
    return JSON.parse(await context.executeTool(tool, input)).content[0].text;
};
";

/// Builds the pages unless they are there already, and gives the path of the one called `name`.
fn page(name: &str) -> String {
    PROJECT
        .prepare()
        .join(name)
        .into_os_string()
        .into_string()
        .expect("the target folder has a Unicode path")
}

/// Runs `steps` in the page, with the helpers, and gives what they return. No promise may be left rejected.
#[track_caller]
fn run(page: &str, steps: &str) -> Value {
    let script = format!(
        "(async () => {{ {HELPERS} const result = await (async () => {{ {steps} }})(); \
        return {{ result, rejections: window.rejections }}; }})()"
    );
    let value = json(&webmcp(&["eval", page, &script]).assert().success());
    assert_eq!(value["rejections"], json!([]));
    value["result"].clone()
}

#[test]
fn tools_of_react_components_are_listed_and_called() {
    let page = page("react.html");
    let assert = webmcp(&["tools", &page, "--json"]).assert().success();
    let tools = json(&assert);
    assert_eq!(tools.as_array().map(Vec::len), Some(2), "{tools}");
    let tool = |name: &str| {
        let found = tools
            .as_array()
            .and_then(|tools| tools.iter().find(|tool| tool["name"] == name));
        found.unwrap_or_else(|| panic!("{name} is not in {tools}"))
    };
    assert_eq!(
        tool("add_to_count")["inputSchema"]["required"],
        json!(["step"])
    );
    assert_eq!(tool("read_count")["annotations"]["readOnlyHint"], true);
    let assert = webmcp(&["call", &page, "add_to_count", r#"{"step": 3}"#])
        .assert()
        .success();
    let result: Value = serde_json::from_str(stdout(&assert)).expect("the package gives an object");
    assert_eq!(result["structuredContent"], json!({"count": 3}));
}

#[test]
fn tools_of_react_components_come_and_go_with_them() {
    let steps = "
        await until(names => names.includes('read_count'));
        const before = await names();
        await call('add_to_count', { step: 2 });
        await until(names => names.includes('reset_count'));
        const shown = document.getElementById('count').textContent;
        await call('reset_count', {});
        await until(names => !names.includes('reset_count'));
        return { before, shown, after: await names(), count: await call('read_count', {}) };
    ";
    assert_eq!(
        run(&page("react.html"), steps),
        json!({
            "before": ["add_to_count", "read_count"],
            "shown": "2",
            "after": ["add_to_count", "read_count"],
            "count": "0",
        })
    );
}

#[test]
fn tools_of_vue_scopes_are_listed_and_called() {
    let page = page("vue.html");
    webmcp(&["tools", &page]).assert().success().stdout(
        contains("add_item")
            .and(contains("has 0 items"))
            .and(contains("clear_items").not()),
    );
    webmcp(&["call", &page, "add_item", r#"{"text": "one"}"#])
        .assert()
        .success()
        .stdout("{\"content\":[{\"type\":\"text\",\"text\":\"1\"}]}\n");
}

#[test]
fn tools_of_vue_scopes_follow_their_state() {
    let steps = "
        await until(names => names.includes('add_item'));
        await call('add_item', { text: 'one' });
        await until(names => names.includes('clear_items'));
        const description = (await context.getTools()).find(tool => tool.name === 'add_item').description;
        const shown = document.querySelector('li').textContent;
        await call('clear_items', {});
        await until(names => !names.includes('clear_items'));
        return { description, shown, after: await names(), left: document.querySelectorAll('li').length };
    ";
    assert_eq!(
        run(&page("vue.html"), steps),
        json!({
            "description": "Add to the list, which has 1 items.",
            "shown": "one",
            "after": ["add_item"],
            "left": 0,
        })
    );
}

/// Registers, lists, calls and aborts a tool, and registers its name again, through what the page has as
/// `document.modelContext`.
const LIFE_OF_A_TOOL: &str = "
    const register = (description, signal) => context.registerTool({
        name: 'echo',
        description,
        inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
        execute: async ({ text }) => text === undefined ? new Promise(() => {}) : { said: text },
    }, { signal });
    const find = async () => (await context.getTools()).find(tool => tool.name === 'echo');
    const event = type => new Promise(resolve => native.addEventListener(type, resolve, { once: true }));
    const first = new AbortController();
    await register('The first.', first.signal);
    const result = JSON.parse(await context.executeTool(await find(), { text: 'hello' }));

    const caller = new AbortController();
    const [activated, cancelled] = [event('toolactivated'), event('toolcancel')];
    const ending = context.executeTool(await find(), {}, { signal: caller.signal }).catch(reason => reason);
    await activated;
    caller.abort('enough');
    const reason = await ending;
    const { toolName } = await cancelled;

    first.abort();
    const left = await names();
    const second = new AbortController();
    await register('The second.', second.signal);
    second.abort();
    await register('The third.');
    const { description } = await find();
    const facts = { result, reason, toolName, left, description };
";

/// What [`LIFE_OF_A_TOOL`] finds out.
fn facts_of_a_life() -> Value {
    json!({
        "result": { "said": "hello" },
        "reason": "enough",
        "toolName": "echo",
        "left": [],
        "description": "The third.",
    })
}

#[test]
fn the_polyfill_leaves_the_native_object_alone() {
    let steps = format!(
        "{LIFE_OF_A_TOOL}
        return {{
            facts,
            installs: typeof WebMCPPolyfill === 'undefined' ? null : Object.keys(WebMCPPolyfill).length,
            isNative: context === native && context instanceof ModelContext && context.constructor === ModelContext,
            own: ['document', 'navigator'].filter(name => Object.hasOwn(window[name], 'modelContext')),
            others: ['modelContext', 'modelContextTesting'].filter(name => name in navigator),
        }};"
    );
    assert_eq!(
        run(&page("polyfill.html"), &steps),
        json!({ "facts": facts_of_a_life(), "installs": 2, "isNative": true, "own": [], "others": [] })
    );
}

#[test]
fn the_global_of_mcp_b_wraps_the_native_object() {
    let steps = format!(
        "{LIFE_OF_A_TOOL}
        const client = await connect();
        const listed = (await client.listTools()).tools.map(tool => tool.description);
        const answer = await client.callTool({{ name: 'echo', arguments: {{ text: 'over MCP' }} }});
        await client.close();
        return {{
            facts,
            isWrapped: context !== native && native instanceof ModelContext && Object.hasOwn(document, 'modelContext'),
            seenByNative: (await native.getTools()).map(tool => tool.description),
            listed,
            answer: answer.structuredContent,
        }};"
    );
    assert_eq!(
        run(&page("mcp-b.html"), &steps),
        json!({
            "facts": facts_of_a_life(),
            "isWrapped": true,
            "seenByNative": ["The third."],
            "listed": ["The third."],
            "answer": { "said": "over MCP" },
        })
    );
}

#[test]
fn a_tool_behind_the_global_of_mcp_b_is_listed_and_called_from_outside() {
    // The package registers a copy of the tool with the native object, which is what the browser sees.
    let page = page("mcp-b-tool.html");
    webmcp(&["tools", &page])
        .assert()
        .success()
        .stdout(contains("add_up"));
    webmcp(&["call", &page, "add_up", r#"{"numbers": [1, 2, 3]}"#])
        .assert()
        .success()
        .stdout("{\"sum\":6}\n");
}
