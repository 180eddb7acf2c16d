/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The tools of a page, for embedders: <https://webmachinelearning.github.io/webmcp/>.
//!
//! An embedder that puts an agent into a browser lists the tools of a [`WebView`]'s page with [`WebView::page_tools`],
//! runs one with [`WebView::execute_tool`] and hears of changes through
//! [`WebViewDelegate::notify_page_tools_changed`][crate::WebViewDelegate::notify_page_tools_changed]. It acts for the
//! user: it sees and runs the tools of every frame, whatever origins they are exposed to.
//!
//! A tool that says it has consequences runs only if
//! [`WebViewDelegate::request_tool_execution`][crate::WebViewDelegate::request_tool_execution] allows it. Of every
//! execution the delegate hears when it starts and when it finishes.
//!
//! ```no_run
//! use std::rc::Rc;
//!
//! use servo::{ToolExecutionRequest, ToolOutcome, WebView, WebViewDelegate};
//!
//! struct Shopper;
//!
//! impl WebViewDelegate for Shopper {
//!     /// Runs the first tool that finds something, as soon as the page has one.
//!     fn notify_page_tools_changed(&self, webview: WebView) {
//!         let view = webview.clone();
//!         webview.page_tools(move |tools| {
//!             let Some(tool) = tools.iter().find(|tool| tool.name.starts_with("search")) else {
//!                 return;
//!             };
//!             let input = r#"{"query": "tea"}"#.to_owned();
//!             view.execute_tool(tool.id, input, |outcome: ToolOutcome| match outcome {
//!                 Ok(Some(result)) => println!("{result}"),
//!                 Ok(None) => println!("The tool has navigated the page."),
//!                 Err(failure) => eprintln!("{}: {failure}", failure.kind.as_str()),
//!             });
//!         });
//!     }
//!
//!     /// Nobody is asked here, so nothing with consequences may run.
//!     fn request_tool_execution(&self, _webview: WebView, request: ToolExecutionRequest) {
//!         eprintln!("Not without asking: {} of {}", request.tool().name, request.tool().origin);
//!         request.deny();
//!     }
//! }
//!
//! fn delegate() -> Rc<dyn WebViewDelegate> {
//!     Rc::new(Shopper)
//! }
//! ```
//!
//! Nothing works, and requests fail, while the preference `dom_modelcontext_enabled` is off.
//!
//! All methods are called on the thread of the [`Servo`][crate::Servo] instance, and all callbacks run there, from
//! within [`Servo::spin_event_loop`][crate::Servo::spin_event_loop]. A callback whose [`WebView`] is dropped first is
//! dropped without being called.

use std::collections::HashMap;

use modelcontext::{DocumentId, ExecutionId, ToolAnnotations, ToolId, ToolOutcome};
use servo_constellation_traits::{
    EmbedderToConstellationMessage, EmbedderToModelContextMessage, ExecutionPermission,
    ModelContextToEmbedderMessage, ScriptOutcome, ToolOfPage,
};
use url::Url;
use uuid::Uuid;

use super::WebView;
use crate::Servo;
use crate::proxies::ConstellationProxy;

/// A tool that a document of a page has registered.
#[derive(Clone, Debug)]
pub struct PageTool {
    /// The identity of the registration. A tool that is registered again under the same name has another one.
    pub id: ToolId,
    /// 1 to 128 ASCII letters, digits, `_`, `-` and `.`; unique within its document only.
    pub name: String,
    /// Empty if the page gave none.
    pub title: String,
    /// Never empty.
    pub description: String,
    /// The JSON text of the JSON Schema of the input, if the page gave one.
    pub input_schema: Option<String>,
    /// The hints of the page, if it gave any. They are claims of the page, not facts.
    pub annotations: Option<ToolAnnotations>,
    /// The document. Two documents never have the same id, also not one after the other in the same frame.
    pub document: DocumentId,
    /// The serialisation of the document's origin; `null` for an opaque one.
    pub origin: String,
    /// The address of the document.
    pub url: Url,
    /// Where the document is in the frame tree: the index of each frame on the way down from the top. Empty for the
    /// top-level document.
    pub frame: Vec<usize>,
}

impl From<ToolOfPage> for PageTool {
    fn from(tool: ToolOfPage) -> Self {
        let definition = tool.definition;
        PageTool {
            id: definition.id,
            name: definition.name.as_str().to_owned(),
            title: definition.title.clone(),
            description: definition.description.clone(),
            input_schema: definition.input_schema.clone(),
            annotations: definition.annotations,
            document: tool.document,
            origin: tool.origin.ascii_serialization().into_owned(),
            url: tool.url.into_url(),
            frame: tool.frame,
        }
    }
}

/// A tool that says it has consequences ([`ToolAnnotations::consequential_hint`]) is about to run, and the user should
/// be asked. Until there is an answer it does not run. Dropping the request denies it.
#[must_use = "dropping the request denies it"]
pub struct ToolExecutionRequest {
    execution: ExecutionId,
    tool: PageTool,
    input_json: String,
    constellation_proxy: ConstellationProxy,
    answered: bool,
}

impl ToolExecutionRequest {
    /// The execution, as [`WebView::execute_tool`] has returned it.
    pub fn execution(&self) -> ExecutionId {
        self.execution
    }

    /// The tool that is to run.
    pub fn tool(&self) -> &PageTool {
        &self.tool
    }

    /// The JSON text of the tool's input.
    pub fn input_json(&self) -> &str {
        &self.input_json
    }

    /// Let the tool run. If its registration is gone by now, the execution fails with
    /// [`ToolFailureKind::NoSuchTool`][crate::ToolFailureKind::NoSuchTool].
    pub fn allow(mut self) {
        self.answer(ExecutionPermission::Granted);
    }

    /// Do not let the tool run: the execution fails with
    /// [`ToolFailureKind::Refused`][crate::ToolFailureKind::Refused].
    pub fn deny(mut self) {
        self.answer(ExecutionPermission::Denied);
    }

    fn answer(&mut self, permission: ExecutionPermission) {
        self.answered = true;
        self.constellation_proxy
            .send(EmbedderToConstellationMessage::ModelContext(
                EmbedderToModelContextMessage::AnswerExecutionRequest(self.execution, permission),
            ));
    }
}

impl Drop for ToolExecutionRequest {
    fn drop(&mut self) {
        if !self.answered {
            self.answer(ExecutionPermission::Denied);
        }
    }
}

/// The requests of a [`WebView`] that have not been answered.
#[derive(Default)]
pub(crate) struct PageToolRequests {
    lists: HashMap<Uuid, Box<dyn FnOnce(Vec<PageTool>)>>,
    executions: HashMap<ExecutionId, Box<dyn FnOnce(ToolOutcome)>>,
    evaluations: HashMap<Uuid, Box<dyn FnOnce(ScriptOutcome)>>,
}

impl WebView {
    /// List the tools of all fully active documents of the page: in tree order, and those of one document in the order
    /// of their registration.
    pub fn page_tools(&self, callback: impl FnOnce(Vec<PageTool>) + 'static) {
        let request = Uuid::new_v4();
        let id = self.id();
        self.inner_mut()
            .page_tool_requests
            .lists
            .insert(request, Box::new(callback));
        self.send_model_context_message(EmbedderToModelContextMessage::ListTools(id, request));
    }

    /// Run a tool, with a JSON object (or array) as its input. A tool that says it has consequences runs only if
    /// [`WebViewDelegate::request_tool_execution`][crate::WebViewDelegate::request_tool_execution] allows it. The callback
    /// is called once:
    ///
    /// - with `Ok(Some(text))`, the text that the page's own caller would get: a string as it is, other values as JSON;
    /// - with `Ok(None)` if the call has navigated the document instead;
    /// - with `Err(failure)`: the kind says what failed, the message is the tool's own if its callback did.
    pub fn execute_tool(
        &self,
        tool: ToolId,
        input_json: String,
        callback: impl FnOnce(ToolOutcome) + 'static,
    ) -> ExecutionId {
        let execution = ExecutionId::new();
        let webview_id = self.id();
        self.inner_mut()
            .page_tool_requests
            .executions
            .insert(execution, Box::new(callback));
        self.send_model_context_message(EmbedderToModelContextMessage::ExecuteTool {
            webview_id,
            execution,
            tool,
            input_arguments: input_json,
        });
        execution
    }

    /// Cancel a call that [`WebView::execute_tool`] has begun: the signal of the tool's callback is aborted, and the
    /// call ends with [`ToolFailureKind::Cancelled`][crate::ToolFailureKind::Cancelled] unless it has ended already.
    pub fn cancel_tool_execution(&self, execution: ExecutionId) {
        let id = self.id();
        self.send_model_context_message(EmbedderToModelContextMessage::CancelExecution(
            id, execution,
        ));
    }

    /// Evaluate a script in the top-level document, and await the promise if it gives one. The callback is called once:
    /// with the JSON text of the value (`None` for `undefined`), or with the text of the exception, of a syntax error,
    /// or of what kept the value from having JSON text.
    pub fn evaluate_and_await(
        &self,
        script: String,
        callback: impl FnOnce(ScriptOutcome) + 'static,
    ) {
        let evaluation = Uuid::new_v4();
        let id = self.id();
        self.inner_mut()
            .page_tool_requests
            .evaluations
            .insert(evaluation, Box::new(callback));
        self.send_model_context_message(EmbedderToModelContextMessage::EvaluateScript(
            id, evaluation, script,
        ));
    }

    /// Ask for the HTTP status of the response that the top-level document was made from. The callback is called once,
    /// with `None` for a document that did not come over HTTP or has no status (yet).
    pub fn http_status(&self, callback: impl FnOnce(Option<u16>) + 'static) {
        let request = Uuid::new_v4();
        let id = self.id();
        let callback = |outcome: ScriptOutcome| {
            callback(
                outcome
                    .ok()
                    .flatten()
                    .and_then(|status| status.parse().ok()),
            )
        };
        self.inner_mut()
            .page_tool_requests
            .evaluations
            .insert(request, Box::new(callback));
        self.send_model_context_message(EmbedderToModelContextMessage::ReportHttpStatus(
            id, request,
        ));
    }

    fn send_model_context_message(&self, message: EmbedderToModelContextMessage) {
        self.servo()
            .constellation_proxy()
            .send(EmbedderToConstellationMessage::ModelContext(message));
    }
}

impl Servo {
    /// Handle what the constellation says of the tools of a [`WebView`]. Messages for one that is gone are dropped.
    pub(crate) fn handle_model_context_message(
        webview: impl FnOnce(servo_base::id::WebViewId) -> Option<WebView>,
        message: ModelContextToEmbedderMessage,
    ) {
        // A callback may call back into the WebView: it is taken out of its table first.
        match message {
            ModelContextToEmbedderMessage::ToolsChanged(id) => {
                if let Some(webview) = webview(id) {
                    webview.delegate().notify_page_tools_changed(webview);
                }
            }
            ModelContextToEmbedderMessage::ToolsListed(id, request, tools) => {
                if let Some(callback) =
                    take(webview(id), |requests| requests.lists.remove(&request))
                {
                    callback(tools.into_iter().map(Into::into).collect());
                }
            }
            ModelContextToEmbedderMessage::ExecutionRequested(id, execution, tool, input_json) => {
                if let Some(webview) = webview(id) {
                    let request = ToolExecutionRequest {
                        execution,
                        tool: (*tool).into(),
                        input_json,
                        constellation_proxy: webview.servo().constellation_proxy().clone(),
                        answered: false,
                    };
                    webview.delegate().request_tool_execution(webview, request);
                }
            }
            ModelContextToEmbedderMessage::ExecutionStarted(id, execution, tool) => {
                if let Some(webview) = webview(id) {
                    let delegate = webview.delegate();
                    delegate.notify_tool_execution_started(webview, execution, (*tool).into());
                }
            }
            ModelContextToEmbedderMessage::ExecutionFinished(id, execution, outcome) => {
                if let Some(webview) = webview(id) {
                    let delegate = webview.delegate();
                    delegate.notify_tool_execution_finished(webview.clone(), execution, &outcome);
                    if let Some(callback) = take(Some(webview), |requests| {
                        requests.executions.remove(&execution)
                    }) {
                        callback(outcome);
                    }
                }
            }
            ModelContextToEmbedderMessage::ScriptEvaluated(id, evaluation, outcome) => {
                if let Some(callback) = take(webview(id), |requests| {
                    requests.evaluations.remove(&evaluation)
                }) {
                    callback(outcome);
                }
            }
            ModelContextToEmbedderMessage::LoadAbandoned(id) => {
                if let Some(webview) = webview(id) {
                    webview.delegate().notify_load_abandoned(webview);
                }
            }
        }
    }
}

/// Take a callback out of the table of a `WebView` that is still there.
fn take<Callback>(
    webview: Option<WebView>,
    from: impl FnOnce(&mut PageToolRequests) -> Option<Callback>,
) -> Option<Callback> {
    from(&mut webview?.inner_mut().page_tool_requests)
}
