/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the embedder, and the agent that it acts for, may ask and is told: the tools of a page, executions of them, and
//! scripts.

use std::sync::Arc;

use layout_api::ScriptThreadFactory;
use log::debug;
use modelcontext::{
    Caller, ExecutionId, PendingExecution, ToolDefinition, ToolFailure, ToolFailureKind, ToolId,
};
use servo_base::id::{BrowsingContextId, PipelineId, WebViewId};
use servo_config::pref;
use servo_constellation_traits::{
    EmbedderToModelContextMessage, ExecutionPermission, ModelContextTaskKind,
    ModelContextToEmbedderMessage, ServiceWorkerManagerFactory, ToolOfPage,
};
use servo_url::ImmutableOrigin;
use uuid::Uuid;

use super::executions::target_gone;
use super::{BrowserAgent, Constellation, DocumentInTree, ToolDocument};
use crate::embedder::ConstellationToEmbedderMsg;

impl<STF: ScriptThreadFactory, SWF: ServiceWorkerManagerFactory> Constellation<STF, SWF> {
    /// Handle a message of the embedder.
    pub(in crate::constellation) fn handle_model_context_message_from_embedder(
        &mut self,
        message: EmbedderToModelContextMessage,
    ) {
        match message {
            EmbedderToModelContextMessage::ListTools(webview_id, request) => {
                let tools = self.observe_tools(webview_id);
                self.tell_embedder(ModelContextToEmbedderMessage::ToolsListed(
                    webview_id, request, tools,
                ));
            }
            EmbedderToModelContextMessage::ExecuteTool {
                webview_id,
                execution,
                tool,
                input_arguments,
            } => self.execute_tool_for_agent(webview_id, execution, tool, input_arguments),
            EmbedderToModelContextMessage::CancelExecution(webview_id, execution) => {
                self.cancel_tool_execution_for_agent(webview_id, execution)
            }
            EmbedderToModelContextMessage::AnswerExecutionRequest(execution, permission) => {
                self.execution_request_answered(execution, permission)
            }
            EmbedderToModelContextMessage::EvaluateScript(webview_id, evaluation, script) => self
                .ask_top_level_document(
                    webview_id,
                    evaluation,
                    ModelContextTaskKind::EvaluateScript(evaluation, script),
                ),
            EmbedderToModelContextMessage::ReportHttpStatus(webview_id, evaluation) => self
                .ask_top_level_document(
                    webview_id,
                    evaluation,
                    ModelContextTaskKind::ReportHttpStatus(evaluation),
                ),
        }
    }

    /// Have the top-level document do something for the embedder, and answer as for a script.
    fn ask_top_level_document(
        &mut self,
        webview_id: WebViewId,
        evaluation: Uuid,
        task: ModelContextTaskKind,
    ) {
        if !pref!(dom_modelcontext_enabled) {
            return self.tell_embedder(ModelContextToEmbedderMessage::ScriptEvaluated(
                webview_id,
                evaluation,
                Err("The preference dom_modelcontext_enabled is off.".into()),
            ));
        }
        let document = self
            .browsing_contexts
            .get(&BrowsingContextId::from(webview_id))
            .map(|browsing_context| browsing_context.pipeline_id)
            .filter(|document| self.model_context.documents.contains_key(document));
        let Some(document) = document else {
            let unasked = self.model_context.unasked.entry(webview_id).or_default();
            return unasked.push((evaluation, task));
        };
        self.model_context
            .evaluations
            .insert(evaluation, (webview_id, document));
        if !self.send_model_context_task(document, task) {
            self.end_script_evaluations(document);
        }
    }

    /// Run a tool for the browser's agent, which is not bound by exposure: it acts for the user, not for an origin. A
    /// tool that says it has consequences waits until the embedder has allowed it.
    fn execute_tool_for_agent(
        &mut self,
        webview_id: WebViewId,
        execution: ExecutionId,
        tool: ToolId,
        input_arguments: String,
    ) {
        let Some((document, tool_of_page)) = self.find_tool(webview_id, tool) else {
            return self.execution_failed(webview_id, execution, no_such_tool(tool));
        };
        let has_consequences = tool_of_page
            .definition
            .annotations
            .is_some_and(|annotations| annotations.consequential_hint);
        if !has_consequences {
            return self.begin_tool_execution_for_agent(
                webview_id,
                execution,
                document,
                tool_of_page,
                input_arguments,
            );
        }
        self.model_context.requests.insert(
            execution,
            ExecutionRequest {
                webview_id,
                tool,
                input_arguments: input_arguments.clone(),
            },
        );
        self.tell_embedder(ModelContextToEmbedderMessage::ExecutionRequested(
            webview_id,
            execution,
            Box::new(tool_of_page),
            input_arguments,
        ));
    }

    /// The embedder has said whether an execution may begin. The tool can have gone away meanwhile.
    fn execution_request_answered(
        &mut self,
        execution: ExecutionId,
        permission: ExecutionPermission,
    ) {
        let Some(request) = self.model_context.requests.remove(&execution) else {
            return debug!("{execution}: Nobody waits for the answer (any more)");
        };
        let webview_id = request.webview_id;
        if permission == ExecutionPermission::Denied {
            let failure = ToolFailure::new(
                ToolFailureKind::Refused,
                "The tool says that it has consequences, and it was not allowed to run.",
            );
            return self.execution_failed(webview_id, execution, failure);
        }
        match self.find_tool(webview_id, request.tool) {
            Some((document, tool_of_page)) => self.begin_tool_execution_for_agent(
                webview_id,
                execution,
                document,
                tool_of_page,
                request.input_arguments,
            ),
            None => self.execution_failed(webview_id, execution, no_such_tool(request.tool)),
        }
    }

    fn begin_tool_execution_for_agent(
        &mut self,
        webview_id: WebViewId,
        execution: ExecutionId,
        target: PipelineId,
        tool_of_page: ToolOfPage,
        input_arguments: String,
    ) {
        let pending = PendingExecution {
            caller: Caller::Agent(BrowserAgent),
            target,
            tool_name: tool_of_page.definition.name.clone(),
        };
        let registration = Some(tool_of_page.definition.id);
        match self.begin_tool_execution(
            webview_id,
            execution,
            pending,
            registration,
            input_arguments,
        ) {
            Ok(()) => self.tell_embedder(ModelContextToEmbedderMessage::ExecutionStarted(
                webview_id,
                execution,
                Box::new(tool_of_page),
            )),
            Err(_) => self.execution_failed(webview_id, execution, target_gone()),
        }
    }

    /// The embedder does not want the result of an execution any more, whether it runs or waits to be allowed.
    fn cancel_tool_execution_for_agent(&mut self, webview_id: WebViewId, execution: ExecutionId) {
        let waited = self.model_context.requests.remove(&execution).is_some();
        let caller = Caller::Agent(BrowserAgent);
        if waited || self.cancel_a_pending_tool_execution(webview_id, execution, &caller) {
            let failure = ToolFailure::new(ToolFailureKind::Cancelled, "The call was cancelled.");
            self.execution_failed(webview_id, execution, failure);
        }
    }

    fn execution_failed(
        &self,
        webview_id: WebViewId,
        execution: ExecutionId,
        failure: ToolFailure,
    ) {
        self.tell_embedder(ModelContextToEmbedderMessage::ExecutionFinished(
            webview_id,
            execution,
            Err(failure),
        ));
    }

    pub(super) fn notify_embedder_of_a_tool_change(&self, webview_id: WebViewId) {
        // Without the preference there are no tools, and the embedder is left in peace.
        if !pref!(dom_modelcontext_enabled) {
            return;
        }
        self.tell_embedder(ModelContextToEmbedderMessage::ToolsChanged(webview_id));
    }

    /// The scripts that a document was to evaluate for the embedder end with it.
    pub(super) fn end_script_evaluations(&mut self, document: PipelineId) {
        let ended: Vec<_> = self
            .model_context
            .evaluations
            .extract_if(|_, (_, evaluator)| *evaluator == document)
            .collect();
        for (evaluation, (webview_id, _)) in ended {
            self.tell_embedder(ModelContextToEmbedderMessage::ScriptEvaluated(
                webview_id,
                evaluation,
                Err("The document went away before the script finished.".into()),
            ));
        }
    }

    /// The frame tree of a webview has changed, and with it perhaps the set of its tools.
    pub(in crate::constellation) fn model_context_frame_tree_changed(
        &mut self,
        webview_id: WebViewId,
    ) {
        self.notify_embedder_of_a_tool_change(webview_id);
        let unasked = self.model_context.unasked.remove(&webview_id);
        for (evaluation, task) in unasked.unwrap_or_default() {
            self.ask_top_level_document(webview_id, evaluation, task);
        }
    }

    /// A load has been given up before it made a document. Frames load and fail on their own, and are not told of.
    pub(in crate::constellation) fn notify_embedder_of_an_abandoned_load(
        &self,
        webview_id: WebViewId,
        pipeline: PipelineId,
    ) {
        let is_top_level = self
            .pipelines
            .get(&pipeline)
            .is_some_and(|pipeline| pipeline.browsing_context_id == webview_id);
        if is_top_level {
            self.tell_embedder(ModelContextToEmbedderMessage::LoadAbandoned(webview_id));
        }
    }

    /// The observation of a traversable's tools for the browser's agent.
    ///
    /// <https://webmachinelearning.github.io/webmcp/#observations>
    fn observe_tools(&self, webview_id: WebViewId) -> Vec<ToolOfPage> {
        let mut tools = Vec::new();
        for document in self.documents_in_tree_order(webview_id) {
            if let Some(state) = self.model_context.documents.get(&document.pipeline) {
                tools.extend(state.tools.iter().filter_map(|definition| {
                    self.tool_of_page(&document, state, Arc::clone(definition))
                }));
            }
        }
        tools
    }

    /// A tool of a webview's page, and the document that has registered it.
    fn find_tool(&self, webview_id: WebViewId, tool: ToolId) -> Option<(PipelineId, ToolOfPage)> {
        self.documents_in_tree_order(webview_id)
            .iter()
            .find_map(|document| {
                let state = self.model_context.documents.get(&document.pipeline)?;
                let definition = state
                    .tools
                    .iter()
                    .find(|definition| definition.id == tool)?;
                let tool_of_page = self.tool_of_page(document, state, Arc::clone(definition))?;
                Some((document.pipeline, tool_of_page))
            })
    }

    fn tool_of_page(
        &self,
        document: &DocumentInTree,
        state: &ToolDocument,
        definition: Arc<ToolDefinition<ImmutableOrigin>>,
    ) -> Option<ToolOfPage> {
        Some(ToolOfPage {
            definition,
            document: state.id,
            origin: state.origin.clone(),
            url: self.pipelines.get(&document.pipeline)?.url.clone(),
            frame: document.frame.clone(),
        })
    }

    pub(super) fn tell_embedder(&self, message: ModelContextToEmbedderMessage) {
        self.constellation_to_embedder_proxy
            .send(ConstellationToEmbedderMsg::ModelContext(message));
    }
}

/// What the embedder has to allow before it begins.
pub(super) struct ExecutionRequest {
    pub(super) webview_id: WebViewId,
    tool: ToolId,
    input_arguments: String,
}

/// The failure of an execution whose tool is not there.
fn no_such_tool(tool: ToolId) -> ToolFailure {
    ToolFailure::new(
        ToolFailureKind::NoSuchTool,
        format!("The page has no tool with the id {tool} (any more)."),
    )
}
