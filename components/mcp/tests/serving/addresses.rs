/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What clients see of addresses, and of what they sent themselves: no passwords, and not all of what is long.

use modelcontext_mcp::{CallLog, Options, PageErrorKind, PageTool};
use rmcp::model::ReadResourceRequestParams;
use serde_json::json;

use crate::client::{Client, Revision};
use crate::page::{Setup, options, tool};

const ADDRESS: &str = "https://ada:secret@shop.example/";

#[track_caller]
fn check_hidden(shown: &str) {
    assert!(shown.contains("shop.example"), "{shown}");
    for part in ["ada", "secret"] {
        assert!(!shown.contains(part), "{shown}");
    }
}

#[tokio::test]
async fn passwords_in_addresses_are_not_shown() {
    let log = CallLog::default();
    let setup = Setup::with(Options {
        call_log: log.clone(),
        ..options()
    });
    setup
        .page
        .set(|content| content.location.url = ADDRESS.parse().unwrap());
    setup.page.register(PageTool {
        url: ADDRESS.parse().unwrap(),
        ..tool("search")
    });
    let client = Client::connect(&setup.server, Revision::Handshake).await;
    check_hidden(&json!(client.tools().await).to_string());
    for (name, arguments) in [
        ("browser_list_page_tools", json!({})),
        ("browser_read_text", json!({})),
        ("browser_navigate", json!({"url": ADDRESS})),
        ("browser_reload", json!({})),
    ] {
        let result = client.call(name, arguments).await.unwrap();
        check_hidden(&json!(result).to_string());
    }
    let resource = ReadResourceRequestParams::new("page://current/tools");
    let tools = client.service.read_resource(resource).await.unwrap();
    assert!(!json!(tools).to_string().contains("secret"));

    // The page has been left, and the answer says where the tool was.
    let result = client.call("search", json!({})).await.unwrap();
    check_hidden(&json!(result).to_string());
    setup
        .page
        .break_with(PageErrorKind::NotLoaded, &format!("{ADDRESS} did not load"));
    let result = client.call("search", json!({})).await.unwrap();
    check_hidden(&json!(result).to_string());
    let result = client.call("browser_reload", json!({})).await.unwrap();
    check_hidden(&json!(result).to_string());
    check_hidden(&log.lines());
}

#[tokio::test]
async fn what_is_long_is_not_sent_back_whole() {
    let setup = Setup::new();
    let client = Client::connect(&setup.server, Revision::Handshake).await;
    let long = "a".repeat(1_000_000);
    let calls = [
        ("browser_navigate", json!({"url": long})),
        (
            "browser_navigate",
            json!({"url": "https://shop.example/", &long: 1}),
        ),
        ("browser_navigate", json!({"url": {&long: 1}})),
        ("browser_call_page_tool", json!({"name": long})),
        (long.as_str(), json!({})),
    ];
    for (name, arguments) in calls {
        let answer = match client.call(name, arguments).await {
            Ok(result) => json!(result).to_string(),
            Err(error) => error.to_string(),
        };
        assert!(answer.len() < 10_000, "{} bytes", answer.len());
    }
    let resource = ReadResourceRequestParams::new(long);
    let error = client.service.read_resource(resource).await.unwrap_err();
    assert!(error.to_string().len() < 10_000);
}
