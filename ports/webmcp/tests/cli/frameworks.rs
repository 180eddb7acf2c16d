/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Pages that are built with frameworks and their own WebMCP packages, which come from npm as they are.
//!
//! The pages are built once, with what the lock file says, in the folder for temporary files of tests.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use predicates::prelude::*;
use predicates::str::contains;
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use super::{fixture, json, stdout, webmcp};

/// What a build is made from.
const SOURCES: [&str; 7] = [
    ".npmrc",
    "package.json",
    "package-lock.json",
    "react.html",
    "react.jsx",
    "vue.html",
    "vue.js",
];

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
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("frameworks");
    fs::create_dir_all(&folder).expect("a folder can be made");
    // Tests run at the same time, in processes of their own.
    let lock = File::create(folder.join("lock")).expect("a file can be made");
    flock(&lock, FlockOperation::LockExclusive).expect("it can be locked");
    if !is_built(&folder) {
        build(&folder);
    }
    folder
        .join(name)
        .into_os_string()
        .into_string()
        .expect("the target folder has a Unicode path")
}

fn source(name: &str) -> PathBuf {
    PathBuf::from(fixture("frameworks")).join(name)
}

/// Whether the last build came to its end and was made from the same sources.
fn is_built(folder: &Path) -> bool {
    let is_same = |name: &str| {
        fs::read(source(name)).is_ok_and(|text| Some(text) == fs::read(folder.join(name)).ok())
    };
    folder.join("built").exists() && SOURCES.iter().all(|name| is_same(name))
}

fn build(folder: &Path) {
    // Its absence may only mean that there was no build yet.
    let _ = fs::remove_file(folder.join("built"));
    for name in SOURCES {
        fs::copy(source(name), folder.join(name)).expect("a fixture can be copied");
    }
    npm(folder, &["ci"]);
    npm(folder, &["run", "build"]);
    fs::write(folder.join("built"), "").expect("a file can be written");
}

fn npm(folder: &Path, arguments: &[&str]) {
    let output = Command::new("npm")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("npm is needed to build pages with frameworks: {error}"));
    assert!(
        output.status.success(),
        "npm {arguments:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
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
