/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! A client, as the protocol library makes it.

use std::time::Duration;

use modelcontext_mcp::{ServeError, Server, serve_stdio};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams,
    ElicitResult, ElicitationAction, Implementation, JsonObject, ProgressNotificationParam,
    ProtocolVersion, ResourceUpdatedNotificationParam, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService, ServiceError};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::page::FakePage;

/// Which kind of revision a client speaks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Revision {
    /// With a handshake: 2025-11-25.
    Handshake,
    /// Without: 2026-07-28.
    Stateless,
}

impl Revision {
    pub const BOTH: [Revision; 2] = [Revision::Handshake, Revision::Stateless];

    pub fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Revision::Handshake => ClientLifecycleMode::Initialize,
            Revision::Stateless => ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
        }
    }
}

/// What happens at a client without its doing.
#[derive(Debug)]
pub enum Event {
    ToolsChanged,
    Updated(String),
    Progress(ProgressNotificationParam),
    /// The user is asked.
    Asked(String),
}

/// The client's own part: tells the test what happens, and answers for the user.
pub struct User {
    revision: Revision,
    /// What the user says to all questions. If nothing, the client cannot ask.
    answer: Option<ElicitationAction>,
    events: mpsc::UnboundedSender<Event>,
}

impl User {
    pub fn new(
        revision: Revision,
        answer: Option<ElicitationAction>,
    ) -> (User, mpsc::UnboundedReceiver<Event>) {
        let (events, receiver) = mpsc::unbounded_channel();
        let user = User {
            revision,
            answer,
            events,
        };
        (user, receiver)
    }

    fn happened(&self, event: Event) {
        // The test may have ended.
        let _ = self.events.send(event);
    }
}

impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder();
        let capabilities = match self.answer {
            Some(_) => capabilities.enable_elicitation().build(),
            None => capabilities.build(),
        };
        let mut config = ClientConfig::new(capabilities, Implementation::new("tester", "1"));
        config.protocol_version = match self.revision {
            Revision::Handshake => ProtocolVersion::V_2025_11_25,
            Revision::Stateless => ProtocolVersion::V_2026_07_28,
        };
        config
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if let ElicitRequestParams::FormElicitationParams { message, .. } = request {
            self.happened(Event::Asked(message));
        }
        let answer = self.answer.clone();
        Ok(ElicitResult::new(
            answer.expect("asked without a capability"),
        ))
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.happened(Event::ToolsChanged);
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.happened(Event::Updated(params.uri));
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.happened(Event::Progress(params));
    }
}

/// A client that is connected through a pair of streams.
pub struct Client {
    pub service: RunningService<RoleClient, User>,
    pub events: mpsc::UnboundedReceiver<Event>,
    pub serving: JoinHandle<Result<(), ServeError>>,
}

impl Client {
    pub async fn connect(server: &Server<FakePage>, revision: Revision) -> Client {
        Client::with_user(server, revision, None).await
    }

    pub async fn with_user(
        server: &Server<FakePage>,
        revision: Revision,
        answer: Option<ElicitationAction>,
    ) -> Client {
        let (near, far) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(far);
        let serving = tokio::spawn(serve_stdio(server.clone(), input, output));
        let (user, events) = User::new(revision, answer);
        let service = user
            .serve_with_lifecycle(near, revision.lifecycle())
            .await
            .expect("the server is there");
        Client {
            service,
            events,
            serving,
        }
    }

    pub async fn tools(&self) -> Vec<Tool> {
        self.service.list_all_tools().await.expect("a list")
    }

    /// The tools of the page only.
    pub async fn page_tools(&self) -> Vec<Tool> {
        let mut tools = self.tools().await;
        tools.retain(|tool| !tool.name.starts_with("browser_"));
        tools
    }

    pub async fn tool(&self, name: &str) -> Tool {
        let tools = self.tools().await;
        tools
            .into_iter()
            .find(|tool| tool.name == name)
            .expect("it is listed")
    }

    pub async fn call(&self, name: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        self.service.call_tool(params(name, arguments)).await
    }

    /// A call that runs beside the test.
    pub fn start(&self, name: &str, arguments: Value) -> JoinHandle<CallToolResult> {
        let (peer, params) = (self.service.peer().clone(), params(name, arguments));
        tokio::spawn(async move { peer.call_tool(params).await.expect("a result") })
    }

    pub async fn event(&mut self) -> Event {
        self.events.recv().await.expect("the client is there")
    }

    /// Checks that nothing more happens, whatever timers of the server still run. The clock has to be paused.
    pub async fn assert_silent(&mut self) {
        let event = timeout(Duration::from_secs(60), self.events.recv()).await;
        assert!(event.is_err(), "{event:?}");
    }
}

pub fn params(name: &str, arguments: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(name.to_owned()).with_arguments(object(arguments))
}

pub fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

/// All text of a result.
pub fn text(result: &CallToolResult) -> String {
    let blocks = result.content.iter().filter_map(|block| block.as_text());
    blocks
        .map(|text| text.text.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

#[track_caller]
pub fn assert_says(result: &CallToolResult, part: &str) {
    let text = text(result);
    assert!(text.contains(part), "\"{text}\" does not say \"{part}\"");
}

#[track_caller]
pub fn assert_fails(result: &CallToolResult, part: &str) {
    assert_eq!(result.is_error, Some(true), "it did not fail");
    assert_says(result, part);
}
