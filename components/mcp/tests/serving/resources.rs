/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The page as resources, and the log.

use modelcontext::ToolFailureKind;
use modelcontext_mcp::{Consequential, Options, PageErrorKind, PageTool};
use rmcp::model::{
    ReadResourceRequestParams, ResourceContents, ServerNotification, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use serde_json::{Value, json};

use crate::client::{Client, Event, Revision};
use crate::page::{Setup, consequential_tool, options, tool};

async fn read(client: &Client, uri: &str) -> String {
    let result = client
        .service
        .read_resource(ReadResourceRequestParams::new(uri))
        .await
        .expect("it is there");
    match result.contents.as_slice() {
        [ResourceContents::TextResourceContents { text, .. }] => text.clone(),
        [ResourceContents::BlobResourceContents { blob, .. }] => blob.clone(),
        other => panic!("{other:?}"),
    }
}

/// The last calls, the oldest first.
async fn log(client: &Client) -> Vec<Value> {
    read(client, "page://current/log")
        .await
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[tokio::test]
async fn the_page_can_be_read() {
    for revision in Revision::BOTH {
        let setup = Setup::new();
        setup.page.register(tool("search"));
        let client = Client::connect(&setup.server, revision).await;
        let resources = client.service.list_all_resources().await.unwrap();
        let uris = resources.iter().map(|resource| resource.uri.as_str());
        assert_eq!(
            uris.collect::<Vec<_>>(),
            [
                "page://current/text",
                "page://current/html",
                "page://current/screenshot",
                "page://current/tools",
                "page://current/log"
            ]
        );
        assert_eq!(read(&client, "page://current/text").await, "Welcome");
        assert_eq!(read(&client, "page://current/html").await, "<p>Welcome</p>");
        assert_eq!(read(&client, "page://current/screenshot").await, "iVBORw==");
        let tools = read(&client, "page://current/tools").await;
        let tools: Value = serde_json::from_str(&tools).unwrap();
        assert_eq!(tools["tools"][0]["name"], "search");
        assert_eq!(read(&client, "page://current/log").await, "");
    }
}

#[tokio::test]
async fn what_is_not_there_is_an_error_that_says_what_is() {
    for revision in Revision::BOTH {
        let setup = Setup::new();
        let client = Client::connect(&setup.server, revision).await;
        let params = ReadResourceRequestParams::new("page://current/cookies");
        let error = client.service.read_resource(params).await.unwrap_err();
        assert!(error.to_string().contains("page://current/text"), "{error}");
    }
}

#[tokio::test]
async fn a_page_that_is_broken_is_an_error_that_says_why() {
    let setup = Setup::new();
    setup.page.break_with(PageErrorKind::Crashed, "It crashed");
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let params = ReadResourceRequestParams::new("page://current/text");
    let error = client.service.read_resource(params).await.unwrap_err();
    assert!(error.to_string().contains("It crashed"), "{error}");
}

#[tokio::test(start_paused = true)]
#[expect(deprecated, reason = "it is how clients with a handshake subscribe")]
async fn a_client_with_a_handshake_is_told_of_what_it_subscribed_to() {
    let setup = Setup::new();
    let mut client = Client::connect(&setup.server, Revision::Handshake).await;
    client.tools().await;
    let uri = "page://current/text";
    client
        .service
        .subscribe(SubscribeRequestParams::new(uri))
        .await
        .unwrap();
    setup.page.leave();
    let mut seen = Vec::new();
    for _ in 0..2 {
        seen.push(match client.event().await {
            Event::Updated(uri) => uri,
            Event::ToolsChanged => "tools".to_owned(),
            other => panic!("{other:?}"),
        });
    }
    // The library hands each to a task of its own.
    seen.sort();
    assert_eq!(seen, [uri, "tools"]);

    client
        .service
        .unsubscribe(UnsubscribeRequestParams::new(uri))
        .await
        .unwrap();
    setup.page.leave();
    assert!(matches!(client.event().await, Event::ToolsChanged));
    client.assert_silent().await;
}

#[tokio::test(start_paused = true)]
async fn a_stateless_client_is_told_of_what_it_listens_for() {
    let mut setup = Setup::new();
    setup.page.register(tool("search"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let filter = SubscriptionFilter::builder()
        .resource_subscriptions([
            "page://current/html",
            "page://current/tools",
            "page://current/log",
            "page://current/cookies",
        ])
        .build();
    let mut subscription = client.service.peer().listen(filter).await.unwrap();
    let accepted = subscription.acknowledged().resource_subscriptions.clone();
    assert_eq!(accepted.unwrap().len(), 3);

    setup.page.register(tool("buy"));
    assert_eq!(updated(&mut subscription).await, "page://current/tools");
    setup.page.leave();
    assert_eq!(updated(&mut subscription).await, "page://current/html");
    assert_eq!(updated(&mut subscription).await, "page://current/tools");
    setup.page.register(tool("search"));
    assert_eq!(updated(&mut subscription).await, "page://current/tools");
    let call = client.start("search", json!({}));
    setup.execution().await.returns("1");
    call.await.unwrap();
    assert_eq!(updated(&mut subscription).await, "page://current/log");
}

async fn updated(subscription: &mut rmcp::service::Subscription) -> String {
    match subscription.next().await.unwrap() {
        Some(ServerNotification::ResourceUpdatedNotification(updated)) => updated.params.uri,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_call_is_in_the_log_however_it_ended() {
    let mut setup = Setup::with(Options {
        consequential: Consequential::Deny,
        ..options()
    });
    setup.page.register(PageTool {
        input_schema: Some(r#"{"properties":{"for":{"type":"string"}}}"#.to_owned()),
        ..tool("search")
    });
    setup.page.register(consequential_tool("pay"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;

    let call = client.start("search", json!({"for": "shoes"}));
    setup.execution().await.returns("1");
    call.await.unwrap();
    let call = client.start("search", json!({}));
    let execution = setup.execution().await;
    execution.fails(ToolFailureKind::CallbackThrew, "oh");
    call.await.unwrap();
    client.call("search", json!({"for": 1})).await.unwrap();
    client.call("pay", json!({})).await.unwrap();
    client.call("fly", json!({})).await.unwrap_err();

    let log = log(&client).await;
    assert_eq!(log.len(), 5);
    let first = &log[0];
    assert_eq!(first["client"], "tester 1");
    assert_eq!(first["origin"], "https://shop.example");
    assert_eq!(first["tool"], "search");
    assert_eq!(first["frame"], json!([]));
    assert_eq!(first["arguments"], json!({"for": "shoes"}));
    assert_eq!(first["error"], Value::Null);
    let outcomes = log.iter().map(|entry| entry["outcome"].as_str().unwrap());
    assert_eq!(
        outcomes.collect::<Vec<_>>(),
        ["done", "callback-threw", "invalid", "refused", "gone"]
    );
    for (entry, reason) in [(1, "oh"), (2, "/for"), (3, "deny"), (4, "\"fly\"")] {
        let error = log[entry]["error"].as_str().unwrap();
        assert!(error.contains(reason), "{error}");
    }
    assert_eq!(log[4]["origin"], Value::Null);
}

#[tokio::test]
async fn a_call_that_the_client_cancels_is_in_the_log_too() {
    let mut setup = Setup::new();
    setup.page.register(tool("wait"));
    let client = Client::connect(&setup.server, Revision::Handshake).await;
    let filter = SubscriptionFilter::builder().resource_subscription("page://current/log");
    let other = Client::connect(&setup.server, Revision::Stateless).await;
    let mut subscription = other.service.peer().listen(filter.build()).await.unwrap();
    let call = client.start("wait", json!({}));
    let execution = setup.execution().await;
    call.abort();
    execution.cancelled().await;
    assert_eq!(updated(&mut subscription).await, "page://current/log");
    let log = log(&client).await;
    assert_eq!(log.len(), 1);
    assert_eq!(log[0]["outcome"], "cancelled");
    assert_eq!(log[0]["origin"], "https://shop.example");
}
