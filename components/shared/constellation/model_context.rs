/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The vocabulary of WebMCP: every message between script, the constellation and the embedder.
//!
//! Script sends [`ScriptToModelContextMessage`]s, in order, each in the name of the document (pipeline) that stands in
//! its envelope. The constellation answers with [`ModelContextTask`]s through the one callback that each event loop has
//! registered with [`ScriptToModelContextMessage::EventLoopCreated`]; one callback for all documents of an event loop
//! is what keeps the tasks of an event loop in order. The embedder has a channel of its own in each direction.

use std::sync::Arc;

use modelcontext::policy::{ContainerInputs, OriginParts, PermissionsPolicy, TupleOrigin};
use modelcontext::{
    DocumentId, ExecutionId, ToolDefinition, ToolFailureKind, ToolId, ToolName, ToolOutcome,
};
use serde::{Deserialize, Serialize};
use servo_base::generic_channel::{GenericCallback, GenericSender};
use servo_base::id::{BrowsingContextId, PipelineId, WebViewId};
use servo_url::{ImmutableOrigin, ServoUrl};
use uuid::Uuid;

/// The JSON text of what a script evaluated to (`None` for a value without one, such as `undefined`), or the text of
/// the exception that ended it.
pub type ScriptOutcome = Result<Option<String>, String>;

/// How a permissions policy reads an origin, and takes one apart.
pub const ORIGIN_PARTS: OriginParts<'static, ImmutableOrigin> = OriginParts {
    parse: &|text| ServoUrl::parse(text).ok().map(|url| url.origin()),
    tuple: &|origin| {
        Some(TupleOrigin {
            scheme: origin.scheme()?.to_owned(),
            host: origin.host()?.to_string(),
            port: origin.port()?,
        })
    },
};

/// Identifies one call of `getTools()` within its document.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct ToolListRequestId(pub u64);

/// From script to the constellation. The envelope names the document that speaks.
#[derive(Deserialize, Serialize)]
pub enum ScriptToModelContextMessage {
    /// The event loop of the sender offers the callback through which all tasks for its documents go.
    EventLoopCreated(GenericCallback<ModelContextTask>),
    /// A document has been created and is about to become active.
    DocumentCreated {
        origin: ImmutableOrigin,
        /// The combined value of its `Permissions-Policy` headers.
        permissions_policy_header: Option<String>,
        /// Where the document waits for its policy. A top-level document computes it itself and does not wait.
        policy_sender: Option<GenericSender<PermissionsPolicy<ImmutableOrigin>>>,
    },
    /// What the sender, as the container document, says of the permissions of one of its frames.
    ContainerPolicyChanged(BrowsingContextId, ContainerInputs<ImmutableOrigin>),
    /// The frames of the sender, in tree order. Sent for each that is new.
    FramesOrdered(Vec<BrowsingContextId>),
    /// The sender has put a tool into its tool map.
    ToolRegistered(ToolDefinition<ImmutableOrigin>),
    /// The sender has taken a tool out of its tool map.
    ToolUnregistered(ToolId),
    /// The sender asks for the tools that it may see.
    GetTools {
        request: ToolListRequestId,
        from_origins: Vec<ImmutableOrigin>,
    },
    /// The sender calls a tool of the active document of `target`.
    ExecuteTool {
        execution: ExecutionId,
        target: BrowsingContextId,
        expected_target_origin: ImmutableOrigin,
        tool_name: String,
        /// JSON text.
        input_arguments: String,
    },
    /// The sender, as the target of an execution, has come to its end.
    CompleteExecution(ExecutionId, ToolOutcome),
    /// The sender, as the caller of an execution, no longer wants it.
    CancelExecution(ExecutionId),
    /// A script that the embedder asked for has come to its end.
    ScriptEvaluated(Uuid, ScriptOutcome),
}

/// A task for one document, to be queued on the webmcp task source of its event loop.
#[derive(Deserialize, Serialize)]
pub struct ModelContextTask {
    pub document: PipelineId,
    pub kind: ModelContextTaskKind,
}

/// What a [`ModelContextTask`] is about.
#[derive(Deserialize, Serialize)]
pub enum ModelContextTaskKind {
    /// The tools that the document may see have changed.
    FireToolChange,
    /// Every document of the sender's event loop that had to hear of the registration has heard of it.
    ToolRegistrationFinished(ToolId),
    /// The answer to `GetTools`.
    ToolsCollected(ToolListRequestId, CollectedTools),
    /// The document is to run one of its tools.
    ExecuteTool {
        execution: ExecutionId,
        tool_name: ToolName,
        /// When given, only this registration of the name will do.
        registration: Option<ToolId>,
        /// JSON text.
        input_arguments: String,
    },
    /// A call that the document made has come to its end.
    ExecutionFinished(ExecutionId, Result<Option<String>, ToolFailureKind>),
    /// An execution that the document runs is no longer wanted.
    CancelExecution(ExecutionId),
    /// The embedder wants a script evaluated and its result awaited.
    EvaluateScript(Uuid, String),
    /// The embedder wants to know the HTTP status of the document. It is answered as a script is.
    ReportHttpStatus(Uuid),
    /// Nothing. Whether it can be sent tells whether the event loop is there.
    Probe,
}

/// Tools in the order in which `getTools()` lists them, and the documents that own them.
#[derive(Deserialize, Serialize)]
pub struct CollectedTools {
    pub owners: Vec<CollectedToolOwner>,
    /// Each tool with the index of its owner.
    pub tools: Vec<(usize, Arc<ToolDefinition<ImmutableOrigin>>)>,
}

/// A document that owns listed tools.
#[derive(Deserialize, Serialize)]
pub struct CollectedToolOwner {
    /// The browsing context of the document, then its ancestors up to the top-level one.
    pub ancestry: Vec<BrowsingContextId>,
    /// The serialisation of the document's origin.
    pub origin: String,
}

/// From the embedder to the constellation, about one `WebView`.
pub enum EmbedderToModelContextMessage {
    /// List the tools of all fully active documents.
    ListTools(WebViewId, Uuid),
    /// Run a tool.
    ExecuteTool {
        webview_id: WebViewId,
        execution: ExecutionId,
        tool: ToolId,
        /// JSON text.
        input_arguments: String,
    },
    /// Cancel an execution that the embedder has begun.
    CancelExecution(WebViewId, ExecutionId),
    /// The answer to an `ExecutionRequested`.
    AnswerExecutionRequest(ExecutionId, ExecutionPermission),
    /// Evaluate a script in the top-level document and await what it gives.
    EvaluateScript(WebViewId, Uuid, String),
    /// Report the HTTP status of the top-level document, as the value of a script.
    ReportHttpStatus(WebViewId, Uuid),
}

/// Whether the embedder lets an execution begin.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ExecutionPermission {
    Granted,
    Denied,
}

/// From the constellation to the embedder, about one `WebView`.
pub enum ModelContextToEmbedderMessage {
    /// The set of tools of the fully active documents has changed, or may have.
    ToolsChanged(WebViewId),
    /// The answer to `ListTools`.
    ToolsListed(WebViewId, Uuid, Vec<ToolOfPage>),
    /// An execution of the embedder waits for an `AnswerExecutionRequest`: the tool has consequences. With it comes the
    /// JSON text of its input.
    ExecutionRequested(WebViewId, ExecutionId, Box<ToolOfPage>, String),
    /// An execution of the embedder is on its way to the tool.
    ExecutionStarted(WebViewId, ExecutionId, Box<ToolOfPage>),
    /// An execution that the embedder began has come to its end.
    ExecutionFinished(WebViewId, ExecutionId, ToolOutcome),
    /// A script that the embedder asked for has come to its end.
    ScriptEvaluated(WebViewId, Uuid, ScriptOutcome),
    /// A load of the top-level document has ended without a document.
    LoadAbandoned(WebViewId),
}

/// A tool of a fully active document, as the embedder sees it.
pub struct ToolOfPage {
    pub definition: Arc<ToolDefinition<ImmutableOrigin>>,
    pub document: DocumentId,
    /// The origin of the document.
    pub origin: ImmutableOrigin,
    /// The address of the document.
    pub url: ServoUrl,
    /// Where the document is in the frame tree: the index of each frame on the way down from the top.
    pub frame: Vec<usize>,
}
