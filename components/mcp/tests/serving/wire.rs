/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! A client that writes and reads the messages itself, for what depends on their order or is wrong in them.

use std::time::Duration;

use modelcontext_mcp::{ServeError, Server, serve_stdio};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::client::Revision;
use crate::page::FakePage;

pub struct Wire {
    revision: Revision,
    pub input: WriteHalf<DuplexStream>,
    pub output: BufReader<ReadHalf<DuplexStream>>,
    pub serving: JoinHandle<Result<(), ServeError>>,
    next_id: u64,
}

impl Wire {
    pub async fn connect(server: &Server<FakePage>, revision: Revision) -> Wire {
        let mut wire = Wire::open(server, revision);
        if revision == Revision::Handshake {
            let id = wire
                .request(
                    "initialize",
                    json!({
                        "protocolVersion": "2025-11-25",
                        "capabilities": {"elicitation": {}},
                        "clientInfo": {"name": "wire", "version": "1"},
                    }),
                )
                .await;
            assert_eq!(wire.read().await["id"], id);
            wire.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
                .await;
        }
        wire
    }

    /// Without saying anything.
    pub fn open(server: &Server<FakePage>, revision: Revision) -> Wire {
        let (near, far) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(far);
        let serving = tokio::spawn(serve_stdio(server.clone(), input, output));
        let (output, input) = tokio::io::split(near);
        Wire {
            revision,
            input,
            output: BufReader::new(output),
            serving,
            next_id: 0,
        }
    }

    pub async fn write(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes()).await.unwrap();
    }

    /// Sends a request and gives its id.
    pub async fn request(&mut self, method: &str, mut params: Value) -> u64 {
        self.next_id += 1;
        if self.revision == Revision::Stateless {
            let meta = params
                .as_object_mut()
                .expect("an object")
                .entry("_meta")
                .or_insert_with(|| json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "wire", "version": "1"});
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
        }
        self.write(&json!({
            "jsonrpc": "2.0",
            "id": self.next_id,
            "method": method,
            "params": params,
        }))
        .await;
        self.next_id
    }

    pub async fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).expect("a message")
    }

    /// Checks that nothing more comes, whatever timers of the server still run. The clock has to be paused.
    pub async fn assert_silent(&mut self) {
        let bytes = timeout(Duration::from_secs(60), self.output.fill_buf()).await;
        assert!(bytes.is_err(), "{bytes:?}");
    }

    /// Sends a request, and gives its result. Nothing else may come before that.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        let answer = self.read().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }
}
