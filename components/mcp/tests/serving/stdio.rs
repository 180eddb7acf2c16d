/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! One client over a pair of streams: how it comes and goes.

use std::time::Duration;

use modelcontext_mcp::serve_stdio;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

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

#[tokio::test(start_paused = true)]
async fn the_server_returns_when_a_client_leaves_that_does_not_read() {
    let mut setup = Setup::new();
    setup.page.register(tool("write"));
    let mut wire = Wire::connect(&setup.server, Revision::Stateless).await;
    wire.request("tools/call", json!({"name": "write", "arguments": {}}))
        .await;
    // More than the stream holds.
    let text = json!("x".repeat(200_000)).to_string();
    setup.execution().await.returns(&text);
    let Wire {
        serving,
        mut input,
        output,
        ..
    } = wire;
    tokio::io::AsyncWriteExt::shutdown(&mut input)
        .await
        .unwrap();
    timeout(Duration::from_secs(60), serving)
        .await
        .expect("nothing is waited for")
        .unwrap()
        .unwrap();
    drop(output);
}

#[tokio::test]
async fn the_server_returns_when_nobody_reads_any_more() {
    let mut setup = Setup::new();
    setup.page.register(tool("wait"));
    let (mut input, far_input) = tokio::io::duplex(64 * 1024);
    let (output, far_output) = tokio::io::duplex(64 * 1024);
    let serving = tokio::spawn(serve_stdio(setup.server.clone(), far_input, far_output));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "deaf", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut send = async |id: u64, method: &str, mut params: Value| {
        params["_meta"] = meta.clone();
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let line = format!("{request}\n");
        tokio::io::AsyncWriteExt::write_all(&mut input, line.as_bytes())
            .await
            .unwrap();
    };
    send(1, "tools/call", json!({"name": "wait", "arguments": {}})).await;
    let execution = setup.execution().await;
    drop(output);
    send(2, "tools/list", json!({})).await;
    execution.cancelled().await;
    serving.await.unwrap().unwrap();
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
async fn parameters_that_do_not_fit_the_method_are_told_from_an_unknown_method() {
    for revision in Revision::BOTH {
        let setup = Setup::new();
        let mut wire = Wire::connect(&setup.server, revision).await;
        for (method, params, code, part) in [
            ("tools/call", json!({"name": 5}), -32602, "invalid type"),
            ("tools/call", json!({}), -32602, "`name`"),
            (
                "tools/call",
                json!({"name": "search", "arguments": [1]}),
                -32602,
                "invalid type",
            ),
            ("resources/read", json!({}), -32602, "`uri`"),
            ("tools/fry", json!({}), -32601, "\"tools/fry\""),
        ] {
            let answer = wire.ask(method, params).await;
            assert_eq!(answer["error"]["code"], code, "{answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains(method), "{message}");
            assert!(message.contains(part), "{message}");
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
