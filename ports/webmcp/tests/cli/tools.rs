/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp tools`

use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use serde_json::{Value, json};

use super::loading::{HTML, server_of};
use super::{check_failure, fixture, json, stdout, webmcp};

/// The names of the tools that `tools --json` lists, with their frames.
fn names(list: &Value) -> Vec<(&str, &Value)> {
    let tools = list.as_array().expect("it is an array");
    tools
        .iter()
        .map(|tool| {
            (
                tool["name"].as_str().expect("it has a name"),
                &tool["frame"],
            )
        })
        .collect()
}

#[test]
fn tools_of_all_frames_are_listed_with_what_they_say_of_themselves() {
    let assert = webmcp(&["tools", "demo:shop"])
        .assert()
        .success()
        .stderr("");
    let text = stdout(&assert);
    for part in [
        "search_products - Search the shop\n    Find products by words",
        "\n  origin  http://localhost:",
        "\n  hints   read-only\n",
        "\n  hints   consequential (needs --yes)\n",
        "\n  hints   read-only, returns untrusted content\n",
        "maxPrice",
        "string, required",
        "\n\nask_support - Ask the shop\n",
        "\n  frame   0 (http://localhost:",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn the_json_list_holds_everything_about_a_tool() {
    let assert = webmcp(&["tools", "demo:shop", "--json"])
        .assert()
        .success()
        .stderr("");
    let list = json(&assert);
    let tool = |name| {
        list.as_array()
            .expect("it is an array")
            .iter()
            .find(|tool| tool["name"] == name)
            .unwrap_or_else(|| panic!("{name} is missing in {list}"))
    };
    let checkout = tool("checkout");
    assert_eq!(checkout["title"], "Buy");
    assert_eq!(checkout["annotations"]["consequentialHint"], true);
    assert_eq!(checkout["annotations"]["readOnlyHint"], false);
    assert_eq!(checkout["inputSchema"]["required"], json!(["name"]));
    assert_eq!(checkout["frame"], json!([]));
    let origin = checkout["origin"].as_str().expect("it is text");
    assert_eq!(checkout["url"], format!("{origin}/demo/shop/"));
    let support = tool("ask_support");
    assert_eq!(support["frame"], json!([0]));
    assert_eq!(support["origin"], origin);
    assert_eq!(support["url"], format!("{origin}/demo/shop/chat.html"));
    assert_eq!(support["annotations"], Value::Null);
    assert_ne!(support["id"], checkout["id"]);
}

#[test]
fn a_page_without_tools_has_an_empty_list() {
    let page = fixture("plain.html");
    webmcp(&["tools", &page])
        .assert()
        .success()
        .stdout("")
        .stderr("webmcp: the page offers no tools\n");
    webmcp(&["tools", &page, "--json"])
        .assert()
        .success()
        .stdout("[]\n");
}

#[test]
fn why_a_list_is_empty_is_told_if_it_can_be_seen() {
    let policy = server_of(
        "200 OK",
        &[HTML, "Permissions-Policy: tools=()"],
        "<!doctype html><script>document.modelContext.registerTool({ name: 'a', description: 'b', \
         execute() {} }).catch(() => {})</script>",
    );
    let form = server_of(
        "200 OK",
        &[HTML],
        "<!doctype html><form toolname=search tooldescription=Search></form>",
    );
    let frame = server_of(
        "200 OK",
        &[HTML],
        "<!doctype html><iframe src='data:text/html,hi'></iframe>",
    );
    for (port, reason) in [
        (policy, "permissions policy"),
        (form, "forms"),
        (frame, "allow=\"tools\""),
    ] {
        let url = format!("http://127.0.0.1:{port}/");
        webmcp(&["tools", &url])
            .assert()
            .success()
            .stdout("")
            .stderr(starts_with("webmcp: the page offers no tools").and(contains(reason)));
        let arguments = ["tools", &url, "--wait-for", "1", "--timeout", "5"];
        check_failure(&arguments, 6, &["waiting for a tool", reason]);
    }
}

#[test]
fn tools_can_be_waited_for_by_name_and_number() {
    // The list would count as settled long before these tools come.
    let page = server_of(
        "200 OK",
        &[HTML],
        "<!doctype html><script>addEventListener('load', () => setTimeout(() => ['a', 'b', 'c'].forEach(name => \
         document.modelContext.registerTool({ name, description: 'd', execute() {} })), 3000))</script>",
    );
    let url = format!("http://127.0.0.1:{page}/");
    for wanted in ["c", "3"] {
        let assert = webmcp(&["tools", &url, "--json", "--wait-for", wanted])
            .assert()
            .success();
        assert_eq!(names(&json(&assert)).len(), 3);
    }
}

#[test]
fn tools_that_never_come_are_waited_for_until_the_time_is_up() {
    let page = fixture("well-behaved.html");
    let arguments = ["tools", &page, "--wait-for", "99", "--wait-for", "nothing"];
    check_failure(
        &[&arguments[..], &["--wait-for", "never", "--timeout", "5"]].concat(),
        6,
        &[
            "waiting for 99 tools and `nothing` and `never`",
            "not done within 5 s",
            "the page offers say, echo",
        ],
    );
}

#[test]
fn the_list_waits_for_tools_that_come_after_the_load() {
    let assert = webmcp(&["tools", &fixture("late.html"), "--json"])
        .assert()
        .success();
    let list = json(&assert);
    assert_eq!(
        names(&list),
        [
            ("first", &json!([])),
            ("second", &json!([])),
            ("third", &json!([]))
        ]
    );
}

#[test]
fn a_list_that_never_settles_is_given_as_it_is() {
    let assert = webmcp(&["tools", &fixture("restless.html"), "--json"])
        .assert()
        .success();
    let list = json(&assert);
    assert!(names(&list).contains(&("steady", &json!([]))));
}

#[test]
fn tools_that_went_before_the_list_settled_are_not_in_it() {
    let assert = webmcp(&["tools", &fixture("withdrawn.html"), "--json"])
        .assert()
        .success();
    assert_eq!(names(&json(&assert)), [("stays", &json!([]))]);
}

#[test]
fn frames_are_named_by_their_paths() {
    let assert = webmcp(&["tools", &fixture("frames.html"), "--json"])
        .assert()
        .success();
    assert_eq!(
        names(&json(&assert)),
        [
            ("greet", &json!([])),
            ("greet", &json!([0])),
            ("greet", &json!([1])),
            ("leaf", &json!([1, 0])),
        ]
    );
}

#[test]
fn a_page_cannot_command_the_terminal() {
    webmcp(&["tools", &fixture("escapes.html")])
        .assert()
        .success()
        .stdout(contains(r"\u{1b}]0;gotcha\u{7}").and(contains("\u{1b}").not()));
}

#[test]
fn a_page_cannot_forge_a_row() {
    let assert = webmcp(&["tools", &fixture("forging.html")])
        .assert()
        .success();
    let text = stdout(&assert);
    for row in text.lines() {
        assert!(!row.starts_with("  origin  https://bank"), "{text}");
        assert!(!row.starts_with("pay"), "{text}");
    }
}

#[test]
fn json_holds_no_raw_control_character() {
    let page = fixture("forging.html");
    let assert = webmcp(&["call", &page, "tool", "--json"])
        .assert()
        .success()
        .stdout(contains(r"\u001b]0;pwned\u0007\u009b31m\u202e\nsaid"));
    assert_eq!(
        json(&assert)["result"],
        "\u{1b}]0;pwned\u{7}\u{9b}31m\u{202e}\nsaid"
    );
}

#[test]
fn the_console_of_the_page_is_shown_when_asked_for() {
    let page = fixture("chatty.html");
    webmcp(&["tools", &page, "--verbose"])
        .assert()
        .success()
        .stderr(
            contains("console.log: hello from the page")
                .and(contains("console.error: something is wrong"))
                .and(contains("dismissed a dialog of the page: anybody there?")),
        );
    webmcp(&["tools", &page])
        .assert()
        .success()
        .stderr(contains("hello from the page").not());
}

#[test]
fn each_site_can_run_in_a_process_of_its_own() {
    let assert = webmcp(&["tools", "demo:guide", "--json", "--multiprocess"])
        .assert()
        .success();
    let list = json(&assert);
    let names = names(&list);
    assert!(names.contains(&("addTodo", &json!([]))), "{list}");
    assert!(names.contains(&("my_shared_tool", &json!([0]))), "{list}");
}
