/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Many clients over HTTP, on a real socket.

use std::time::Duration;

use modelcontext_mcp::{HttpLimits, HttpOptions, ServeError, Server, serve_http};
use reqwest::StatusCode;
use rmcp::model::{ElicitationAction, ServerNotification, SubscriptionFilter};
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientServiceExt, RoleClient};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::client::{Event, Revision, User, assert_fails, assert_says, params};
use crate::page::{FakePage, Setup, consequential_tool, tool};

/// A server on a port of its own.
struct Served {
    url: String,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Result<(), ServeError>>,
}

impl Served {
    async fn new(server: &Server<FakePage>, options: HttpOptions) -> Served {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(serve_http(server.clone(), listener, options, async {
            let _ = stopped.await;
        }));
        Served { url, stop, serving }
    }

    async fn connect(
        &self,
        revision: Revision,
        answer: Option<ElicitationAction>,
    ) -> (
        RunningService<RoleClient, User>,
        mpsc::UnboundedReceiver<Event>,
    ) {
        let (user, events) = User::new(revision, answer);
        let transport = StreamableHttpClientTransport::with_client(
            reqwest::Client::new(),
            StreamableHttpClientTransportConfig::with_uri(self.url.clone()),
        );
        let client = user
            .serve_with_lifecycle(transport, revision.lifecycle())
            .await
            .expect("the server is there");
        (client, events)
    }

    /// A connection on which nothing has been said.
    async fn open(&self) -> TcpStream {
        let address = self.url.trim_start_matches("http://");
        let address = address.trim_end_matches("/mcp");
        TcpStream::connect(address).await.unwrap()
    }

    /// A request as it is sent without a library, with these headers beside those that it needs.
    async fn post(&self, headers: &[(&str, &str)], body: &Value) -> reqwest::Response {
        let mut request = reqwest::Client::new()
            .post(&self.url)
            .header("Accept", "application/json, text/event-stream")
            .header("Content-Type", "application/json")
            .body(body.to_string());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    async fn status(&self, headers: &[(&str, &str)]) -> StatusCode {
        self.post(headers, &initialize()).await.status()
    }
}

fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bare", "version": "1"},
        },
    })
}

/// A call in 2026-07-28.
fn stateless_call(name: &str) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": name,
            "arguments": {},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "bare", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    })
}

#[tokio::test]
async fn clients_of_both_revisions_share_the_page() {
    let mut setup = Setup::new();
    setup.page.register(tool("search"));
    let served = Served::new(&setup.server, HttpOptions::default()).await;
    let (old, _) = served.connect(Revision::Handshake, None).await;
    let (new, _) = served.connect(Revision::Stateless, None).await;
    for client in [&old, &new] {
        assert_eq!(client.list_all_tools().await.unwrap().len(), 8);
    }
    let calls = [&old, &new].map(|client| {
        let peer = client.peer().clone();
        tokio::spawn(async move { peer.call_tool(params("search", json!({}))).await })
    });
    let executions = [setup.execution().await, setup.execution().await];
    for execution in executions {
        execution.returns("\"found\"");
    }
    for call in calls {
        assert_says(&call.await.unwrap().unwrap(), "found");
    }
}

#[tokio::test]
async fn a_client_that_disconnects_cancels_its_call() {
    let mut setup = Setup::new();
    setup.page.register(tool("wait"));
    let served = Served::new(&setup.server, HttpOptions::default()).await;
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "wait"),
    ];
    let call = async { served.post(&headers, &stateless_call("wait")).await };
    let execution = tokio::select! {
        answer = call => panic!("{answer:?}"),
        execution = setup.execution() => execution,
    };
    // The request is dropped, and with it the connection.
    execution.cancelled().await;
}

#[tokio::test]
async fn a_client_that_cancels_cancels_its_call() {
    for revision in Revision::BOTH {
        let mut setup = Setup::new();
        setup.page.register(tool("wait"));
        let served = Served::new(&setup.server, HttpOptions::default()).await;
        let (client, _) = served.connect(revision, None).await;
        let peer = client.peer().clone();
        let call = tokio::spawn(async move { peer.call_tool(params("wait", json!({}))).await });
        let execution = setup.execution().await;
        call.abort();
        execution.cancelled().await;
    }
}

#[tokio::test]
async fn clients_are_told_of_changes() {
    let setup = Setup::new();
    let served = Served::new(&setup.server, HttpOptions::default()).await;
    let (old, mut events) = served.connect(Revision::Handshake, None).await;
    old.list_all_tools().await.unwrap();
    let (new, _) = served.connect(Revision::Stateless, None).await;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = new.peer().listen(filter).await.unwrap();
    setup.page.register(tool("search"));
    assert!(matches!(events.recv().await, Some(Event::ToolsChanged)));
    assert!(matches!(
        subscription.next().await.unwrap(),
        Some(ServerNotification::ToolListChangedNotification(_))
    ));
}

#[tokio::test]
async fn a_stateless_client_is_bound_to_the_list_it_got_in_another_request() {
    let mut setup = Setup::new();
    setup.page.register(tool("search"));
    let served = Served::new(&setup.server, HttpOptions::default()).await;
    let (client, _) = served.connect(Revision::Stateless, None).await;
    client.list_all_tools().await.unwrap();
    let mut other = tool("search");
    other.description = "Deletes everything".to_owned();
    setup.page.register(other);
    let result = client.call_tool(params("search", json!({}))).await.unwrap();
    assert_fails(&result, "has changed");
    assert!(!setup.ran());
}

#[tokio::test]
async fn users_are_asked_over_http_too() {
    for revision in Revision::BOTH {
        for (answer, runs) in [
            (ElicitationAction::Accept, true),
            (ElicitationAction::Decline, false),
        ] {
            let mut setup = Setup::new();
            setup.page.register(consequential_tool("pay"));
            let served = Served::new(&setup.server, HttpOptions::default()).await;
            let (client, _) = served.connect(revision, Some(answer)).await;
            let call =
                tokio::spawn(async move { client.call_tool(params("pay", json!({}))).await });
            if runs {
                setup.execution().await.returns("1");
                assert_ne!(call.await.unwrap().unwrap().is_error, Some(true));
            } else {
                assert_fails(&call.await.unwrap().unwrap(), "said no");
                assert!(!setup.ran());
            }
        }
    }
}

#[tokio::test]
async fn other_hosts_and_origins_are_refused() {
    let setup = Setup::new();
    let served = Served::new(
        &setup.server,
        HttpOptions {
            allowed_origins: vec!["http://localhost:6274".to_owned()],
            ..HttpOptions::default()
        },
    )
    .await;
    for (header, value, status) in [
        ("Host", "localhost:1234", StatusCode::OK),
        ("Host", "[::1]", StatusCode::OK),
        ("Host", "evil.example", StatusCode::FORBIDDEN),
        ("Host", "localhost.evil.example", StatusCode::FORBIDDEN),
        ("Origin", "http://localhost:6274", StatusCode::OK),
        ("Origin", "http://localhost:6275", StatusCode::FORBIDDEN),
        ("Origin", "https://evil.example", StatusCode::FORBIDDEN),
        ("Origin", "null", StatusCode::FORBIDDEN),
    ] {
        assert_eq!(served.status(&[(header, value)]).await, status, "{value}");
    }
}

#[tokio::test]
async fn no_origin_is_allowed_that_was_not_named() {
    let setup = Setup::new();
    let served = Served::new(&setup.server, HttpOptions::default()).await;
    assert_eq!(served.status(&[]).await, StatusCode::OK);
    for origin in ["http://localhost", "http://127.0.0.1", "null"] {
        assert_eq!(
            served.status(&[("Origin", origin)]).await,
            StatusCode::FORBIDDEN
        );
    }
}

#[tokio::test]
async fn browsers_are_told_which_pages_may_read_the_answers() {
    let setup = Setup::new();
    let served = Served::new(
        &setup.server,
        HttpOptions {
            allowed_origins: vec!["http://localhost:*".to_owned()],
            token: Some("secret".to_owned()),
            ..HttpOptions::default()
        },
    )
    .await;
    for (origin, allowed) in [
        ("http://localhost:6274", true),
        ("https://evil.example", false),
    ] {
        // What a browser asks before it sends a request with a token.
        let answer = reqwest::Client::new()
            .request(reqwest::Method::OPTIONS, &served.url)
            .header("Origin", origin)
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", "authorization")
            .send()
            .await
            .unwrap();
        let header = answer.headers().get("Access-Control-Allow-Origin");
        assert_eq!(header.is_some(), allowed, "{origin}");
        let answer = served
            .post(
                &[("Origin", origin), ("Authorization", "Bearer secret")],
                &initialize(),
            )
            .await;
        assert_eq!(answer.status().is_success(), allowed, "{origin}");
        let header = answer.headers().get("Access-Control-Allow-Origin");
        assert_eq!(header.is_some(), allowed, "{origin}");
    }
}

#[tokio::test]
async fn hosts_that_are_named_replace_those_of_the_own_machine() {
    let setup = Setup::new();
    let served = Served::new(
        &setup.server,
        HttpOptions {
            allowed_hosts: vec!["agent.example".to_owned()],
            ..HttpOptions::default()
        },
    )
    .await;
    assert_eq!(
        served.status(&[("Host", "agent.example")]).await,
        StatusCode::OK
    );
    assert_eq!(served.status(&[]).await, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn only_those_who_know_the_token_get_in() {
    let setup = Setup::new();
    let served = Served::new(
        &setup.server,
        HttpOptions {
            token: Some("secret".to_owned()),
            ..HttpOptions::default()
        },
    )
    .await;
    let authorized = [("Authorization", "Bearer secret")];
    assert_eq!(served.status(&authorized).await, StatusCode::OK);
    for headers in [
        &[][..],
        &[("Authorization", "Bearer secre")],
        &[("Authorization", "Bearer secrets")],
        &[("Authorization", "Basic secret")],
        &[("Authorization", "secret")],
        &[
            ("Authorization", "Bearer secret"),
            ("Authorization", "Bearer other"),
        ],
    ] {
        let answer = served.post(headers, &initialize()).await;
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{headers:?}");
        let challenge = answer.headers()["WWW-Authenticate"].to_str().unwrap();
        assert!(challenge.starts_with("Bearer "), "{challenge}");
    }
}

#[tokio::test]
async fn an_empty_token_is_none() {
    let setup = Setup::new();
    let served = Served::new(
        &setup.server,
        HttpOptions {
            token: Some(String::new()),
            ..HttpOptions::default()
        },
    )
    .await;
    assert!(matches!(
        served.serving.await.unwrap(),
        Err(ServeError::EmptyToken)
    ));
}

#[tokio::test]
async fn the_server_stops_when_it_is_told_to_and_cancels_what_runs() {
    for revision in Revision::BOTH {
        let mut setup = Setup::new();
        setup.page.register(tool("wait"));
        let served = Served::new(&setup.server, HttpOptions::default()).await;
        let (client, _) = served.connect(revision, None).await;
        let peer = client.peer().clone();
        let call = tokio::spawn(async move { peer.call_tool(params("wait", json!({}))).await });
        let execution = setup.execution().await;
        served.stop.send(()).unwrap();
        execution.cancelled().await;
        served.serving.await.unwrap().unwrap();
        call.abort();
    }
}

fn with_limits(limits: HttpLimits) -> HttpOptions {
    HttpOptions {
        limits,
        ..HttpOptions::default()
    }
}

#[tokio::test]
async fn one_session_too_many_is_refused_until_another_ends() {
    let setup = Setup::new();
    let options = with_limits(HttpLimits {
        sessions: 2,
        ..HttpLimits::default()
    });
    let served = Served::new(&setup.server, options).await;
    let first = served.post(&[], &initialize()).await;
    let session = first.headers()["Mcp-Session-Id"].clone();
    assert_eq!(served.status(&[]).await, StatusCode::OK);
    let refused = served.post(&[], &initialize()).await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    let reason = refused.text().await.unwrap();
    assert!(reason.contains("as many sessions as it takes"), "{reason}");

    // Clients that need no session get in.
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "browser_read_text"),
    ];
    let answer = served
        .post(&headers, &stateless_call("browser_read_text"))
        .await;
    assert_eq!(answer.status(), StatusCode::OK);

    let ended = reqwest::Client::new()
        .delete(&served.url)
        .header("Mcp-Session-Id", session)
        .header("MCP-Protocol-Version", "2025-11-25")
        .send()
        .await
        .unwrap();
    assert!(ended.status().is_success(), "{ended:?}");
    assert_eq!(served.status(&[]).await, StatusCode::OK);
}

#[tokio::test]
async fn one_connection_too_many_is_refused() {
    let setup = Setup::new();
    let options = with_limits(HttpLimits {
        connections: 1,
        ..HttpLimits::default()
    });
    let served = Served::new(&setup.server, options).await;
    let mut first = served.open().await;
    let request = "GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n";
    first.write_all(request.as_bytes()).await.unwrap();
    // It is answered, so it has been accepted.
    first.read_u8().await.unwrap();
    let answer = served.post(&[], &initialize()).await;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    let reason = answer.text().await.unwrap();
    assert!(
        reason.contains("as many connections as it takes"),
        "{reason}"
    );
}

#[tokio::test]
async fn a_request_that_does_not_go_on_is_not_waited_for() {
    let setup = Setup::new();
    let options = with_limits(HttpLimits {
        patience: Duration::from_millis(50),
        ..HttpLimits::default()
    });
    let served = Served::new(&setup.server, options).await;
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
        Accept: application/json, text/event-stream\r\nContent-Length: 1000\r\n";
    for part in [head.to_owned(), format!("{head}\r\n{{")] {
        let mut connection = served.open().await;
        connection.write_all(part.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // Ends when the server has closed the connection.
        let closed = timeout(Duration::from_secs(60), connection.read_to_end(&mut answer));
        closed.await.expect("it is closed").unwrap();
    }
}
