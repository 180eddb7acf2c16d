/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Every example of Chrome's guide to the imperative API, as `demo:guide` carries it out, does what the guide says.

use serde_json::{Value, json};

use super::{json, webmcp};

/// Runs `script` in the guide's page.
#[track_caller]
fn guide(script: &str) -> Value {
    json(&webmcp(&["eval", "demo:guide", script]).assert().success())
}

#[track_caller]
fn check_call(tool: &str, input: &str, result: &str) {
    webmcp(&["call", "demo:guide", tool, input, "--yes"])
        .assert()
        .success()
        .stderr("")
        .stdout(format!("{result}\n"));
}

#[test]
fn registered_tools_can_be_called() {
    check_call(
        "toggle_layer",
        r#"{"layer": "sauce-layer"}"#,
        "Performed toggle on layer: sauce-layer",
    );
    check_call(
        "toggle_layer",
        r#"{"layer": "cheese-layer", "action": "add"}"#,
        "Performed add on layer: cheese-layer",
    );
    check_call(
        "get_order_status",
        r#"{"timeframe": "last_7_days"}"#,
        "1009: being packed, Warehouse\n1007: shipped, Hamburg",
    );
    check_call(
        "book_flight",
        r#"{"flightId": "LH1", "passengers": 2}"#,
        "Booked 2 passenger(s) on flight LH1.",
    );
    check_call(
        "addTodo",
        r#"{"text": "Buy milk"}"#,
        "Added to-do: Buy milk",
    );
}

#[test]
fn a_call_changes_the_page() {
    let script = "guide.execute('toggle_layer', { layer: 'cheese-layer', action: 'add' }) \
                  .then(() => document.getElementById('cheese-layer').className)";
    assert_eq!(guide(script), "on");
}

#[test]
fn a_discovered_tool_has_the_members_that_the_guide_shows() {
    assert_eq!(
        guide(
            "guide.describe('addTodo').then(({ origin, ...tool }) => ({ ...tool, own: origin === location.origin }))"
        ),
        json!({
            "annotations": {
                "readOnlyHint": false,
                "untrustedContentHint": true,
                "consequentialHint": false,
                "debugging": false,
            },
            "description": "Add an item to the to-do list.",
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
            "name": "addTodo",
            "title": "",
            "ownWindow": true,
            "own": true,
        })
    );
}

#[test]
fn tools_are_discovered_in_alphabetical_order_and_per_origin() {
    assert_eq!(
        guide("guide.discover()"),
        json!({
            "sameOrigin": ["addTodo", "book_flight", "fetch_tool", "get_order_status", "toggle_layer"],
            "withPartner":
                ["addTodo", "book_flight", "fetch_tool", "get_order_status", "my_shared_tool", "toggle_layer"],
        })
    );
}

#[test]
fn a_discovered_tool_can_be_executed() {
    assert_eq!(guide("guide.execute()"), "Added to-do: Buy milk");
    assert_eq!(guide("guide.executeShared()"), "The partner says: hello");
}

#[test]
fn a_tool_streams_what_it_fetches() {
    assert_eq!(
        guide("guide.stream(4)"),
        json!({
            "result": "Success",
            "text": "line 1 of 4\nline 2 of 4\nline 3 of 4\nline 4 of 4\n",
            "state": "complete",
        })
    );
}

#[test]
fn cancelling_a_call_stops_the_stream_of_the_tool() {
    assert_eq!(
        guide("guide.cancel()"),
        json!({"call": "rejected with AbortError", "tool": "stopped by AbortError"})
    );
}

#[test]
fn aborting_the_signal_of_a_registration_takes_the_tool_away_and_is_heard_of() {
    let result = guide("guide.unregister()");
    assert_eq!(
        result,
        json!({
            "before": ["addTodo", "book_flight", "fetch_tool", "get_order_status", "toggle_layer"],
            "after": ["book_flight", "fetch_tool", "get_order_status", "toggle_layer"],
        })
    );
}

#[test]
fn the_guide_holds_with_a_process_for_each_site() {
    let script = "(async () => [await guide.discover(), await guide.executeShared(), await guide.cancel()])()";
    let single = guide(script);
    let multi = json(
        &webmcp(&["eval", "demo:guide", script, "--multiprocess"])
            .assert()
            .success(),
    );
    assert_eq!(single, multi);
}
