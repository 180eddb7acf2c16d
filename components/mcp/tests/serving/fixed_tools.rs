/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The tools of the browser itself.

use modelcontext_mcp::{Options, PageErrorKind};
use serde_json::json;

use crate::client::{Client, Revision, assert_fails, assert_says, text};
use crate::page::{Setup, options, tool};

#[tokio::test]
async fn navigating_loads_another_page_and_drops_the_tools() {
    for revision in Revision::BOTH {
        let setup = Setup::new();
        setup.page.register(tool("search"));
        let client = Client::connect(&setup.server, revision).await;
        client.tools().await;
        let result = client
            .call("browser_navigate", json!({"url": "https://other.example/"}))
            .await
            .unwrap();
        assert_eq!(
            result.structured_content,
            Some(json!({"url": "https://other.example/", "title": "Elsewhere"}))
        );
        assert!(client.page_tools().await.is_empty());
    }
}

#[tokio::test]
async fn a_page_cannot_flood_a_client_with_its_address_or_title() {
    let setup = Setup::new();
    setup.page.set(|content| {
        content.location.title = "T".repeat(1_000_000);
        let path = "a".repeat(1_000_000);
        content.location.url = content.location.url.join(&path).unwrap();
    });
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    for name in ["browser_reload", "browser_read_text"] {
        let result = client.call(name, json!({})).await.unwrap();
        assert_says(&result, "more bytes]");
        let length = serde_json::to_string(&result).unwrap().len();
        assert!(length < 64 * 1024, "{name}: {length}");
    }
}

#[tokio::test]
async fn what_goes_wrong_in_the_browser_is_told() {
    let setup = Setup::new();
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let result = client
        .call("browser_navigate", json!({"url": "nowhere"}))
        .await
        .unwrap();
    assert_fails(&result, "\"nowhere\" is not an address");
    let result = client.call("browser_go_back", json!({})).await.unwrap();
    assert_fails(&result, "no page to go back to");
    setup.page.break_with(PageErrorKind::Crashed, "It crashed");
    for name in [
        "browser_read_text",
        "browser_screenshot",
        "browser_list_page_tools",
        "browser_reload",
    ] {
        let result = client.call(name, json!({})).await.unwrap();
        assert_fails(&result, "It crashed");
    }
}

#[tokio::test]
async fn arguments_of_the_browsers_tools_are_checked() {
    let setup = Setup::new();
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    for (name, arguments) in [
        ("browser_navigate", json!({})),
        ("browser_navigate", json!({"url": 1})),
        ("browser_reload", json!({"hard": true})),
        (
            "browser_call_page_tool",
            json!({"name": "a", "arguments": []}),
        ),
    ] {
        let result = client.call(name, arguments).await.unwrap();
        assert_fails(&result, name);
    }
}

#[tokio::test]
async fn the_pages_tools_can_be_listed_and_called_without_a_list_of_ones_own() {
    let mut setup = Setup::new();
    let id = setup.page.register(tool("search"));
    let client = Client::connect(&setup.server, Revision::Handshake).await;
    let result = client
        .call("browser_list_page_tools", json!({}))
        .await
        .unwrap();
    let listed = &result.structured_content.unwrap()["tools"][0];
    assert_eq!(listed["name"], "search");
    assert_eq!(listed["id"], id.to_string());
    assert_eq!(listed["origin"], "https://shop.example");
    assert_eq!(listed["inputSchema"]["type"], "object");

    let call = client.start(
        "browser_call_page_tool",
        json!({"name": "search", "arguments": {"for": "shoes"}}),
    );
    let execution = setup.execution().await;
    assert_eq!(execution.tool, id);
    assert_eq!(execution.input, r#"{"for":"shoes"}"#);
    execution.returns("\"found\"");
    assert_says(&call.await.unwrap(), "found");
}

#[tokio::test]
async fn a_call_by_name_is_bound_to_what_was_listed_too() {
    let mut setup = Setup::new();
    setup.page.register(tool("search"));
    let client = Client::connect(&setup.server, Revision::Handshake).await;
    client
        .call("browser_list_page_tools", json!({}))
        .await
        .unwrap();
    let mut other = tool("search");
    other.description = "Deletes everything".to_owned();
    setup.page.register(other);
    let result = client
        .call("browser_call_page_tool", json!({"name": "search"}))
        .await
        .unwrap();
    assert_fails(&result, "has changed");
    assert!(!setup.ran());
}

#[tokio::test]
async fn a_tool_of_the_browser_cannot_be_called_as_one_of_the_page() {
    let setup = Setup::new();
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    client
        .call(
            "browser_call_page_tool",
            json!({"name": "browser_call_page_tool"}),
        )
        .await
        .expect_err("there is no such tool of the page");
}

#[tokio::test]
async fn the_text_of_the_page_is_read_and_marked_as_the_pages() {
    let setup = Setup::with(Options {
        result_limit: 10,
        ..options()
    });
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let result = client.call("browser_read_text", json!({})).await.unwrap();
    assert_says(&result, "https://shop.example/");
    assert_says(&result, "Welcome");
    setup.page.set(|content| content.text = "a".repeat(50));
    let result = client.call("browser_read_text", json!({})).await.unwrap();
    assert!(text(&result).ends_with("aaaaaaaaaa\n[Cut here: 40 more bytes]"));
}

#[tokio::test]
async fn a_screenshot_is_an_image() {
    let setup = Setup::new();
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let result = client.call("browser_screenshot", json!({})).await.unwrap();
    let image = result.content[0].as_image().expect("an image");
    assert_eq!(image.mime_type, "image/png");
    assert_eq!(image.data, "iVBORw==");
}
