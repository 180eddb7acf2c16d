/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! While a tool of the page runs: cancelling it, and telling how far it is.

use std::time::Duration;

use modelcontext_mcp::Options;
use rmcp::model::{CancelledNotificationParam, ClientNotification};
use serde_json::json;

use crate::client::{Client, Event, Revision, assert_fails};
use crate::page::{Setup, options, tool};
use crate::wire::Wire;

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_cancelled() {
    let mut setup = Setup::with(Options {
        timeout: Duration::from_secs(3),
        ..options()
    });
    setup.page.register(tool("wait"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let call = client.start("wait", json!({}));
    setup.execution().await.cancelled().await;
    assert_fails(&call.await.unwrap(), "timed out");
}

#[tokio::test]
async fn a_client_that_cancels_cancels_the_tool() {
    for revision in Revision::BOTH {
        let mut setup = Setup::new();
        setup.page.register(tool("wait"));
        let mut wire = Wire::connect(&setup.server, revision).await;
        let id = wire
            .request("tools/call", json!({"name": "wait", "arguments": {}}))
            .await;
        let execution = setup.execution().await;
        wire.write(&json!({
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": id},
        }))
        .await;
        execution.cancelled().await;
        // What comes next is not the result of the cancelled call.
        wire.ask("resources/list", json!({})).await;
    }
}

#[tokio::test]
async fn a_call_that_the_client_library_drops_is_cancelled() {
    let mut setup = Setup::new();
    setup.page.register(tool("wait"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let call = client.start("wait", json!({}));
    let execution = setup.execution().await;
    call.abort();
    execution.cancelled().await;
    // To cancel what is over does no harm.
    let cancelled = CancelledNotificationParam::new(None, None);
    let notification = rmcp::model::CancelledNotification::new(cancelled);
    client
        .service
        .send_notification(ClientNotification::CancelledNotification(notification))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_wants_progress_gets_it() {
    for revision in Revision::BOTH {
        let mut setup = Setup::new();
        setup.page.register(tool("wait"));
        let mut wire = Wire::connect(&setup.server, revision).await;
        let id = wire
            .request(
                "tools/call",
                json!({"name": "wait", "arguments": {}, "_meta": {"progressToken": "t"}}),
            )
            .await;
        let execution = setup.execution().await;
        let mut last = 0.0;
        for _ in 0..3 {
            let beat = wire.read().await;
            assert_eq!(beat["method"], "notifications/progress");
            assert_eq!(beat["params"]["progressToken"], "t");
            let progress = beat["params"]["progress"].as_f64().unwrap();
            assert!(progress > last);
            last = progress;
        }
        execution.returns("1");
        assert_eq!(wire.read().await["id"], id);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_reaches_the_handler_of_a_client() {
    let mut setup = Setup::new();
    setup.page.register(tool("wait"));
    let mut client = Client::connect(&setup.server, Revision::Handshake).await;
    // The library sends a token with each request.
    let call = client.start("wait", json!({}));
    let execution = setup.execution().await;
    match client.event().await {
        Event::Progress(progress) => assert_eq!(progress.progress, 2.0),
        other => panic!("{other:?}"),
    }
    execution.returns("1");
    call.await.unwrap();
}
