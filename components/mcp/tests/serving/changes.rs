/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What clients are told, and when.

use std::time::Duration;

use rmcp::model::{ServerNotification, SubscriptionFilter};
use serde_json::json;
use tokio::time::Instant;

use crate::client::{Client, Event, Revision};
use crate::page::{Setup, tool};
use crate::wire::Wire;

/// Begins to listen, if the client has to say so.
async fn listen(wire: &mut Wire, revision: Revision) {
    if revision == Revision::Stateless {
        wire.request(
            "subscriptions/listen",
            json!({"notifications": {"toolsListChanged": true}}),
        )
        .await;
        let acknowledged = wire.read().await;
        assert_eq!(
            acknowledged["method"],
            "notifications/subscriptions/acknowledged"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn changes_that_come_together_are_told_once() {
    let setup = Setup::new();
    let mut client = Client::connect(&setup.server, Revision::Handshake).await;
    // When the list has come, the server watches for this client.
    client.tools().await;
    let started = Instant::now();
    for n in 0..100 {
        setup.page.register(tool(&format!("tool{n}")));
    }
    assert!(matches!(client.event().await, Event::ToolsChanged));
    assert!(started.elapsed() >= Duration::from_millis(100));
    client.assert_silent().await;

    setup.page.register(tool("later"));
    assert!(matches!(client.event().await, Event::ToolsChanged));
}

#[tokio::test(start_paused = true)]
async fn a_stateless_client_hears_what_it_listens_for() {
    let setup = Setup::new();
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = client.service.peer().listen(filter).await.unwrap();
    setup.page.register(tool("search"));
    let notification = subscription.next().await.unwrap().unwrap();
    assert!(matches!(
        notification,
        ServerNotification::ToolListChangedNotification(_)
    ));
    subscription.cancel().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stateless_client_that_does_not_listen_hears_nothing() {
    let setup = Setup::new();
    let mut wire = Wire::connect(&setup.server, Revision::Stateless).await;
    wire.ask("tools/list", json!({})).await;
    setup.page.register(tool("search"));
    wire.assert_silent().await;
    wire.ask("tools/list", json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn a_change_that_a_call_made_is_told_before_its_result() {
    for revision in Revision::BOTH {
        let mut setup = Setup::new();
        setup.page.register(tool("open"));
        let mut wire = Wire::connect(&setup.server, revision).await;
        wire.ask("tools/list", json!({})).await;
        listen(&mut wire, revision).await;
        let started = Instant::now();
        let id = wire
            .request("tools/call", json!({"name": "open", "arguments": {}}))
            .await;
        let execution = setup.execution().await;
        setup.page.register(tool("close"));
        execution.returns("1");
        let first = wire.read().await;
        assert_eq!(first["method"], "notifications/tools/list_changed");
        assert_eq!(wire.read().await["id"], id);
        // It was not the one that comes by itself later, and that one does not come again.
        assert!(started.elapsed() < Duration::from_millis(100));
        wire.assert_silent().await;
        wire.ask("resources/list", json!({})).await;
    }
}

#[tokio::test(start_paused = true)]
async fn all_clients_are_told_before_the_result_of_one() {
    let mut setup = Setup::new();
    setup.page.register(tool("open"));
    let mut other = Wire::connect(&setup.server, Revision::Stateless).await;
    listen(&mut other, Revision::Stateless).await;
    let client = Client::connect(&setup.server, Revision::Handshake).await;
    let started = Instant::now();
    let call = client.start("open", json!({}));
    let execution = setup.execution().await;
    setup.page.register(tool("close"));
    execution.returns("1");
    call.await.unwrap();
    let told = other.read().await;
    assert_eq!(told["method"], "notifications/tools/list_changed");
    assert!(started.elapsed() < Duration::from_millis(100));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_holds_up_the_others_once() {
    let mut setup = Setup::new();
    setup.page.register(tool("open"));
    let mut deaf = Wire::connect(&setup.server, Revision::Stateless).await;
    listen(&mut deaf, Revision::Stateless).await;
    // Its stream is full of a list that it asked for.
    for n in 0..500 {
        setup.page.register(tool(&format!("tool{n}")));
    }
    deaf.request("tools/list", json!({})).await;
    let client = Client::connect(&setup.server, Revision::Handshake).await;
    client.tools().await;
    for (n, longest) in [(0, 5000), (1, 100), (2, 100)] {
        let started = Instant::now();
        let call = client.start("open", json!({}));
        let execution = setup.execution().await;
        setup.page.register(tool(&format!("more{n}")));
        execution.returns("1");
        call.await.unwrap();
        assert!(
            started.elapsed() < Duration::from_millis(longest),
            "call {n}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_tool_of_the_browser_changes_is_told_before_its_result() {
    let setup = Setup::new();
    setup.page.register(tool("open"));
    let mut wire = Wire::connect(&setup.server, Revision::Handshake).await;
    wire.ask("tools/list", json!({})).await;
    let id = wire
        .request(
            "tools/call",
            json!({"name": "browser_navigate", "arguments": {"url": "https://other.example/"}}),
        )
        .await;
    let first = wire.read().await;
    assert_eq!(first["method"], "notifications/tools/list_changed");
    assert_eq!(wire.read().await["id"], id);
}
