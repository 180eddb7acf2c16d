/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! One client over a pair of streams: how it comes and goes.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::client::{Client, Revision};
use crate::page::{Setup, tool};
use crate::wire::Wire;

#[tokio::test]
async fn the_server_returns_when_the_client_leaves() {
    for revision in Revision::BOTH {
        let setup = Setup::new();
        let client = Client::connect(&setup.server, revision).await;
        client.tools().await;
        client.service.cancel().await.unwrap();
        client.serving.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn the_server_returns_when_a_client_leaves_that_never_said_anything() {
    let setup = Setup::new();
    let Wire {
        serving,
        input,
        output,
        ..
    } = Wire::open(&setup.server, Revision::Handshake);
    drop((input, output));
    serving.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn calls_are_cancelled_at_once_when_the_client_leaves() {
    for revision in Revision::BOTH {
        let mut setup = Setup::new();
        setup.page.register(tool("wait"));
        let mut wire = Wire::connect(&setup.server, revision).await;
        wire.request("tools/call", json!({"name": "wait", "arguments": {}}))
            .await;
        let execution = setup.execution().await;
        let started = Instant::now();
        let Wire {
            serving,
            input,
            output,
            ..
        } = wire;
        drop((input, output));
        execution.cancelled().await;
        serving.await.unwrap().unwrap();
        assert_eq!(started.elapsed(), Duration::ZERO);
    }
}

#[tokio::test]
async fn a_client_that_closes_only_its_output_still_gets_nothing_wrong() {
    // As a shell does: `printf ... | webmcp serve`.
    let mut setup = Setup::new();
    setup.page.register(tool("wait"));
    let mut wire = Wire::connect(&setup.server, Revision::Stateless).await;
    wire.request("tools/call", json!({"name": "wait", "arguments": {}}))
        .await;
    let execution = setup.execution().await;
    tokio::io::AsyncWriteExt::shutdown(&mut wire.input)
        .await
        .unwrap();
    execution.cancelled().await;
    wire.serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_line_that_is_no_message_harms_nothing() {
    for revision in Revision::BOTH {
        let setup = Setup::new();
        let mut wire = Wire::connect(&setup.server, revision).await;
        tokio::io::AsyncWriteExt::write_all(&mut wire.input, b"{oops\n\n[]\n")
            .await
            .unwrap();
        let id = wire.request("tools/list", json!({})).await;
        loop {
            let answer = wire.read().await;
            if answer["id"] == id {
                assert!(answer["result"]["tools"].is_array());
                break;
            }
            assert!(answer["error"].is_object(), "{answer}");
        }
    }
}

#[tokio::test]
async fn older_revisions_are_spoken_too() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let setup = Setup::new();
        let mut wire = Wire::open(&setup.server, Revision::Handshake);
        let answer = wire
            .ask(
                "initialize",
                json!({
                    "protocolVersion": version,
                    "capabilities": {},
                    "clientInfo": {"name": "old", "version": "1"},
                }),
            )
            .await;
        assert_eq!(answer["result"]["protocolVersion"], version);
        let answer = wire.ask("tools/list", json!({})).await;
        assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 7);
        assert!(answer["result"].get("resultType").is_none());
    }
}
