/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! WebMCP in the constellation: everything that the draft runs "in parallel".
//!
//! The constellation holds the truth: the tools of every document, the permissions policy of every document, and the
//! pending executions of every traversable. Script holds only what its event loop may touch (callbacks, promises, abort
//! controllers). The rules themselves are in the `modelcontext` crate; this module finds the documents they speak of and
//! sends the messages that follow from them.
//!
//! This is a child module of `constellation.rs`, so that it reads the state it needs without widening any visibility.

use std::sync::Arc;

use layout_api::ScriptThreadFactory;
use log::{debug, warn};
use modelcontext::policy::{ContainerInputs, Feature, PermissionsPolicy};
use modelcontext::{
    Caller, Ended, ExecutionId, PendingExecution, PendingExecutions, ToolDefinition, ToolFailure,
    ToolFailureKind, ToolId, ToolMap, ToolOutcome, ToolOwner, collect_tools, documents_to_notify,
    resolve_target,
};
use paint_api::PipelineExitSource;
use rustc_hash::FxHashMap;
use servo_base::generic_channel::{GenericCallback, GenericSender};
use servo_base::id::{BrowsingContextId, PipelineId, ScriptEventLoopId, WebViewId};
use servo_config::pref;
use servo_constellation_traits::{
    CollectedToolOwner, CollectedTools, EmbedderToModelContextMessage, ModelContextTask,
    ModelContextTaskKind, ModelContextToEmbedderMessage, ScriptToModelContextMessage,
    ServiceWorkerManagerFactory, ToolListRequestId, ToolOfPage,
};
use servo_url::{ImmutableOrigin, ServoUrl};
use uuid::Uuid;

use super::Constellation;
use crate::embedder::ConstellationToEmbedderMsg;
use crate::pipeline::Pipeline;

/// The browser's agent, as the caller of an execution.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct BrowserAgent;

type Executions = PendingExecutions<PipelineId, BrowserAgent>;
type ToolCaller = Caller<PipelineId, BrowserAgent>;

/// The state of WebMCP in the constellation.
#[derive(Default)]
pub(super) struct ModelContextState {
    /// The way to each event loop. See [`ModelContextTask`].
    routes: FxHashMap<ScriptEventLoopId, GenericCallback<ModelContextTask>>,

    /// Every document that script has told of and that has not been closed.
    documents: FxHashMap<PipelineId, ToolDocument>,

    /// What each container document says of its frames. Entries are made before the constellation knows the browsing
    /// context, so they are not part of it.
    containers: FxHashMap<BrowsingContextId, Container>,

    /// <https://webmachinelearning.github.io/webmcp/#traversable-navigable-pending-tool-executions-map>
    executions: FxHashMap<WebViewId, Executions>,

    /// The scripts that the embedder has asked for, and the documents that evaluate them.
    evaluations: FxHashMap<Uuid, (WebViewId, PipelineId)>,

    /// What the embedder has asked of a webview that has no document yet. Its messages and those of script come on
    /// different channels, so it can speak of a document before that has been heard of.
    unasked: FxHashMap<WebViewId, Vec<(Uuid, ModelContextTaskKind)>>,
}

/// What WebMCP knows of a document.
struct ToolDocument {
    origin: ImmutableOrigin,
    policy: PermissionsPolicy<ImmutableOrigin>,
    tools: ToolMap<ImmutableOrigin>,

    /// The frames of the document in tree order. `Pipeline::children` has them in the order of their creation.
    frames: Vec<BrowsingContextId>,
}

impl ToolDocument {
    /// Whether the document is allowed to use the "tools" feature. Only asked of fully active documents.
    fn is_allowed_to_use_tools(&self) -> bool {
        self.policy.allows(Feature::Tools, &self.origin)
    }
}

/// What a container document says of one of its frames.
struct Container {
    document: PipelineId,
    inputs: ContainerInputs<ImmutableOrigin>,
}

/// An active document in the frame tree of a traversable.
struct DocumentInTree {
    pipeline: PipelineId,
    /// The index of each frame on the way down from the top.
    frame: Vec<usize>,
}

/// The failure of an execution whose target has gone away.
fn target_gone() -> ToolFailure {
    ToolFailure {
        kind: ToolFailureKind::TargetGone,
        message: "The document that offers the tool went away before the tool finished.".into(),
    }
}

impl<STF: ScriptThreadFactory, SWF: ServiceWorkerManagerFactory> Constellation<STF, SWF> {
    /// Handle a message of the document `source`.
    pub(super) fn handle_model_context_message_from_script(
        &mut self,
        webview_id: WebViewId,
        source: PipelineId,
        message: ScriptToModelContextMessage,
    ) {
        match message {
            ScriptToModelContextMessage::EventLoopCreated(route) => {
                if let Some(pipeline) = self.pipelines.get(&source) {
                    let event_loop = pipeline.event_loop.id();
                    self.model_context.routes.insert(event_loop, route);
                }
            }
            ScriptToModelContextMessage::DocumentCreated {
                origin,
                permissions_policy_header,
                policy_sender,
            } => self.model_context_document_created(
                source,
                origin,
                permissions_policy_header.as_deref(),
                policy_sender,
            ),
            ScriptToModelContextMessage::ContainerPolicyChanged(browsing_context_id, inputs) => {
                self.container_policy_changed(source, browsing_context_id, inputs)
            }
            ScriptToModelContextMessage::FramesOrdered(frames) => {
                if let Some(document) = self.model_context.documents.get_mut(&source) {
                    document.frames = frames;
                }
            }
            ScriptToModelContextMessage::ToolRegistered(definition) => {
                self.finish_registering_a_tool(source, definition)
            }
            ScriptToModelContextMessage::ToolUnregistered(tool) => {
                self.finish_unregistering_a_tool(source, tool)
            }
            ScriptToModelContextMessage::GetTools {
                request,
                from_origins,
            } => self.get_tools(source, request, &from_origins),
            ScriptToModelContextMessage::ExecuteTool {
                execution,
                target,
                expected_target_origin,
                tool_name,
                input_arguments,
            } => {
                if let Err(kind) = self.execute_tool_for_document(
                    webview_id,
                    source,
                    execution,
                    target,
                    &expected_target_origin,
                    &tool_name,
                    input_arguments,
                ) {
                    self.send_model_context_task(
                        source,
                        ModelContextTaskKind::ExecutionFinished(execution, Err(kind)),
                    );
                }
            }
            ScriptToModelContextMessage::CompleteExecution(execution, outcome) => {
                self.complete_tool_execution(webview_id, source, execution, outcome)
            }
            ScriptToModelContextMessage::CancelExecution(execution) => {
                self.cancel_a_pending_tool_execution(
                    webview_id,
                    execution,
                    &Caller::Document(source),
                );
            }
            ScriptToModelContextMessage::ScriptEvaluated(evaluation, outcome) => {
                // Believed only from the document that was asked.
                let asked = self.model_context.evaluations.get(&evaluation);
                if asked.is_some_and(|(_, document)| *document == source) {
                    self.model_context.evaluations.remove(&evaluation);
                    self.tell_embedder(ModelContextToEmbedderMessage::ScriptEvaluated(
                        webview_id, evaluation, outcome,
                    ));
                }
            }
        }
    }

    /// Handle a message of the embedder.
    pub(super) fn handle_model_context_message_from_embedder(
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
                if self.cancel_a_pending_tool_execution(
                    webview_id,
                    execution,
                    &Caller::Agent(BrowserAgent),
                ) {
                    let failure = ToolFailure {
                        kind: ToolFailureKind::Cancelled,
                        message: "The call was cancelled.".into(),
                    };
                    self.tell_embedder(ModelContextToEmbedderMessage::ExecutionFinished(
                        webview_id,
                        execution,
                        Err(failure),
                    ));
                }
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

    /// Take note of what a container document says of one of its frames. Believed only from the document that the frame
    /// is in, and, before the constellation knows of the frame, only from the first that speaks of it.
    fn container_policy_changed(
        &mut self,
        document: PipelineId,
        browsing_context_id: BrowsingContextId,
        inputs: ContainerInputs<ImmutableOrigin>,
    ) {
        let expected = match self.browsing_contexts.get(&browsing_context_id) {
            Some(browsing_context) => browsing_context.parent_pipeline_id,
            None => self
                .model_context
                .containers
                .get(&browsing_context_id)
                .map_or(Some(document), |container| Some(container.document)),
        };
        if expected != Some(document) {
            return warn!("{document}: Spoke of {browsing_context_id}, which is not its frame");
        }
        self.model_context
            .containers
            .insert(browsing_context_id, Container { document, inputs });
    }

    /// Take note of a document that is about to become active, and compute its permissions policy: here, because a
    /// policy that a content process computed for itself could not be believed.
    ///
    /// <https://w3c.github.io/webappsec-permissions-policy/#algo-create-from-response>
    fn model_context_document_created(
        &mut self,
        document: PipelineId,
        origin: ImmutableOrigin,
        header: Option<&str>,
        policy_sender: Option<GenericSender<PermissionsPolicy<ImmutableOrigin>>>,
    ) {
        let Some(pipeline) = self.pipelines.get(&document) else {
            return debug!("{document}: Created after closure");
        };
        let container = self
            .model_context
            .containers
            .get(&pipeline.browsing_context_id)
            .and_then(|container| {
                let parent = self.model_context.documents.get(&container.document)?;
                Some((container, parent))
            });
        let is_top_level = pipeline.browsing_context_id == pipeline.webview_id;
        // A document from the network has the origin of its address, or an opaque one if it is sandboxed.
        let origin = if origin.is_tuple()
            && matches!(pipeline.url.scheme(), "http" | "https")
            && pipeline.url.origin() != origin
        {
            warn!("{document}: Claims an origin that is not the one of its address");
            ImmutableOrigin::new_opaque()
        } else {
            origin
        };
        let policy = match container {
            _ if is_top_level => PermissionsPolicy::for_top_level(header, &origin, &parse_origin),
            Some((container, parent)) => {
                let mut inputs = container.inputs.clone();
                // The opaque origin of a sandboxed frame cannot be foretold: it is what its container declared.
                if !inputs.declared_origin.is_tuple() && !origin.is_tuple() {
                    inputs.declared_origin = origin.clone();
                }
                PermissionsPolicy::for_nested(
                    &inputs,
                    &parent.policy,
                    &parent.origin,
                    &origin,
                    header,
                    &parse_origin,
                )
            }
            None => PermissionsPolicy::nothing(),
        };
        if let Some(policy_sender) = policy_sender
            && policy_sender.send(policy.clone()).is_err()
        {
            debug!("{document}: Went away before it heard its permissions policy");
        }
        let tool_document = ToolDocument {
            origin,
            policy,
            tools: ToolMap::default(),
            frames: Vec::new(),
        };
        self.model_context.documents.insert(document, tool_document);
    }

    /// The part of `registerTool()` that runs in parallel.
    ///
    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-registertool>
    fn finish_registering_a_tool(
        &mut self,
        tool_owner: PipelineId,
        definition: ToolDefinition<ImmutableOrigin>,
    ) {
        let Some(document) = self.model_context.documents.get_mut(&tool_owner) else {
            return debug!("{tool_owner}: Registered a tool after closure");
        };
        if !document.is_allowed_to_use_tools() {
            return warn!("{tool_owner}: Registered a tool without being allowed to");
        }
        let tool = definition.id;
        let exposed_origins = definition.exposed_origins.clone();

        // Step 20, for the parallel side. Script has checked that the name is free; one that has not is not believed.
        if let Err(error) = document.tools.insert(definition) {
            return warn!("{tool_owner}: {error}");
        }

        // Step 21.1. Notify documents of a tool change.
        self.notify_documents_of_a_tool_change(tool_owner, &exposed_origins);

        // Step 21.2. Queue the task that resolves the promise.
        self.send_model_context_task(
            tool_owner,
            ModelContextTaskKind::ToolRegistrationFinished(tool),
        );
    }

    /// The part of "unregister a tool" that runs in parallel.
    ///
    /// <https://webmachinelearning.github.io/webmcp/#unregister-a-tool>
    fn finish_unregistering_a_tool(&mut self, tool_owner: PipelineId, tool: ToolId) {
        let Some(document) = self.model_context.documents.get_mut(&tool_owner) else {
            return debug!("{tool_owner}: Unregistered a tool after closure");
        };
        // Steps 3 to 5, for the parallel side.
        let Some(definition) = document.tools.remove_by_id(tool) else {
            return debug!("{tool_owner}: Unregistered an unknown tool");
        };
        // Step 7. Notify documents of a tool change.
        self.notify_documents_of_a_tool_change(tool_owner, &definition.exposed_origins);
    }

    /// <https://webmachinelearning.github.io/webmcp/#notify-documents-of-a-tool-change>
    fn notify_documents_of_a_tool_change(
        &mut self,
        tool_owner: PipelineId,
        exposed_origins: &[ImmutableOrigin],
    ) {
        // Step 1. These steps run in parallel: the constellation is that.
        let (Some(owner), Some(pipeline)) = (
            self.model_context.documents.get(&tool_owner),
            self.pipelines.get(&tool_owner),
        ) else {
            return;
        };
        let webview_id = pipeline.webview_id;

        // Step 2. Walk the documents of the owner's traversable.
        let documents = self.documents_in_tree_order(webview_id);
        let candidates = documents.iter().filter_map(|document| {
            let state = self.model_context.documents.get(&document.pipeline)?;
            Some((
                document.pipeline,
                &state.origin,
                state.is_allowed_to_use_tools(),
            ))
        });

        // Step 3. Notify those that are allowed to use the feature and that the tool is exposed to.
        for document in documents_to_notify(candidates, &owner.origin, exposed_origins) {
            self.send_model_context_task(document, ModelContextTaskKind::FireToolChange);
        }

        self.notify_embedder_of_a_tool_change(webview_id);
    }

    /// The part of `getTools()` that runs in parallel.
    ///
    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-gettools>
    fn get_tools(
        &self,
        tool_requestor: PipelineId,
        request: ToolListRequestId,
        from_origins: &[ImmutableOrigin],
    ) {
        let (Some(caller), Some(pipeline)) = (
            self.model_context.documents.get(&tool_requestor),
            self.pipelines.get(&tool_requestor),
        ) else {
            return debug!("{tool_requestor}: Asked for tools after closure");
        };
        if !caller.is_allowed_to_use_tools() {
            return warn!("{tool_requestor}: Asked for tools without being allowed to");
        }

        // Step 9.2. The documents of the requestor's traversable.
        let documents = self.documents_in_tree_order(pipeline.webview_id);
        let owners = documents.iter().filter_map(|document| {
            let state = self.model_context.documents.get(&document.pipeline)?;
            Some(ToolOwner {
                document: document.pipeline,
                origin: &state.origin,
                allowed: state.is_allowed_to_use_tools(),
                tools: &state.tools,
            })
        });

        // Steps 9.3 and 9.4. Collect and sort.
        let collected = collect_tools(owners, &caller.origin, from_origins);

        // Step 9.5. Queue the task that resolves the promise.
        let mut owner_indices: FxHashMap<PipelineId, usize> = FxHashMap::default();
        let mut owners = Vec::new();
        let mut tools = Vec::with_capacity(collected.len());
        for (document, definition) in collected {
            let index = *owner_indices.entry(document).or_insert_with(|| {
                owners.push(self.collected_tool_owner(document));
                owners.len() - 1
            });
            tools.push((index, Arc::clone(definition)));
        }
        self.send_model_context_task(
            tool_requestor,
            ModelContextTaskKind::ToolsCollected(request, CollectedTools { owners, tools }),
        );
    }

    /// What a caller needs to know of a document that owns a listed tool.
    fn collected_tool_owner(&self, document: PipelineId) -> CollectedToolOwner {
        let mut ancestry = Vec::new();
        let mut current = Some(document);
        while let Some(pipeline) = current.and_then(|id| self.pipelines.get(&id)) {
            ancestry.push(pipeline.browsing_context_id);
            current = self
                .browsing_contexts
                .get(&pipeline.browsing_context_id)
                .and_then(|browsing_context| browsing_context.parent_pipeline_id);
        }
        let origin = self
            .model_context
            .documents
            .get(&document)
            .map(|state| state.origin.ascii_serialization().into_owned())
            .unwrap_or_default();
        CollectedToolOwner { ancestry, origin }
    }

    /// The part of `executeTool()` that runs in parallel. An error is what the caller's promise is rejected for.
    ///
    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-executetool>
    #[expect(clippy::too_many_arguments)]
    fn execute_tool_for_document(
        &mut self,
        webview_id: WebViewId,
        caller: PipelineId,
        execution: ExecutionId,
        target: BrowsingContextId,
        expected_target_origin: &ImmutableOrigin,
        tool_name: &str,
        input_arguments: String,
    ) -> Result<(), ToolFailureKind> {
        // Script has checked that the caller may use the feature; one that has not is not believed.
        let caller_document = self
            .model_context
            .documents
            .get(&caller)
            .filter(|document| document.is_allowed_to_use_tools())
            .ok_or(ToolFailureKind::NotAllowed)?;

        // Step 15.1. The target has to be in the caller's traversable.
        let target_context = self
            .browsing_contexts
            .get(&target)
            .filter(|browsing_context| browsing_context.webview_id == webview_id)
            .ok_or(ToolFailureKind::DifferentTraversable)?;
        let target_pipeline = target_context.pipeline_id;
        let target_document = self
            .model_context
            .documents
            .get(&target_pipeline)
            .ok_or(ToolFailureKind::TargetGone)?;

        // Steps 15.2 to 15.9. Origin, existence and exposure.
        let definition = resolve_target(
            &target_document.origin,
            expected_target_origin,
            &caller_document.origin,
            &target_document.tools,
            tool_name,
        )?;
        let tool_name = definition.name.clone();

        // Step 15.10. The completion steps are `complete_tool_execution`.
        // Steps 15.11 to 15.13.
        self.begin_tool_execution(
            webview_id,
            execution,
            PendingExecution {
                caller: Caller::Document(caller),
                target: target_pipeline,
                tool_name,
            },
            None,
            input_arguments,
        )
    }

    /// Run a tool for the browser's agent, which is not bound by exposure: it acts for the user, not for an origin.
    fn execute_tool_for_agent(
        &mut self,
        webview_id: WebViewId,
        execution: ExecutionId,
        tool: ToolId,
        input_arguments: String,
    ) {
        let found = self
            .documents_in_tree_order(webview_id)
            .into_iter()
            .find_map(|document| {
                let state = self.model_context.documents.get(&document.pipeline)?;
                let definition = state
                    .tools
                    .iter()
                    .find(|definition| definition.id == tool)?;
                Some((document.pipeline, definition.name.clone()))
            });
        let begun = match found {
            Some((target, tool_name)) => self.begin_tool_execution(
                webview_id,
                execution,
                PendingExecution {
                    caller: Caller::Agent(BrowserAgent),
                    target,
                    tool_name,
                },
                Some(tool),
                input_arguments,
            ),
            None => Err(ToolFailureKind::NoSuchTool),
        };
        if let Err(kind) = begun {
            let failure = ToolFailure {
                kind,
                message: match kind {
                    ToolFailureKind::NoSuchTool => {
                        format!("The page has no tool with the id {tool} (any more).")
                    }
                    _ => target_gone().message,
                },
            };
            self.tell_embedder(ModelContextToEmbedderMessage::ExecutionFinished(
                webview_id,
                execution,
                Err(failure),
            ));
        }
    }

    /// Steps 15.11 to 15.13 of `executeTool()`, for any caller.
    fn begin_tool_execution(
        &mut self,
        webview_id: WebViewId,
        execution: ExecutionId,
        pending: PendingExecution<PipelineId, BrowserAgent>,
        registration: Option<ToolId>,
        input_arguments: String,
    ) -> Result<(), ToolFailureKind> {
        let target = pending.target;
        let caller = pending.caller.clone();
        let tool_name = pending.tool_name.clone();
        let executions = self.model_context.executions.entry(webview_id).or_default();

        // Steps 15.11 and 15.12. Put the execution into the map. A taken identifier can only come from a content
        // process that does not play by the rules; the execution that holds it is not disturbed.
        if let Err(error) = executions.begin(execution, pending) {
            warn!("{target}: {error}");
            return Ok(());
        }

        // Step 15.13. Queue the task that runs the tool in the target document.
        let sent = self.send_model_context_task(
            target,
            ModelContextTaskKind::ExecuteTool {
                execution,
                tool_name,
                registration,
                input_arguments,
            },
        );
        if sent {
            return Ok(());
        }
        if let Some(executions) = self.model_context.executions.get_mut(&webview_id) {
            let cancelled = executions.cancel(execution, &caller);
            debug_assert!(cancelled.is_ok(), "the execution has just begun");
        }
        Err(ToolFailureKind::TargetGone)
    }

    /// The completion steps of an execution (step 15.10 of `executeTool()`), run for its target.
    ///
    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-executetool>
    fn complete_tool_execution(
        &mut self,
        webview_id: WebViewId,
        target: PipelineId,
        execution: ExecutionId,
        outcome: ToolOutcome,
    ) {
        let Some(executions) = self.model_context.executions.get_mut(&webview_id) else {
            return;
        };
        // Steps 15.10.2 and 15.10.3. Only a pending execution can be completed, and only by its target.
        match executions.complete(execution, &target) {
            // Steps 15.10.4 and 15.10.5.
            Ok(caller) => self.tell_caller(webview_id, execution, caller, outcome),
            Err(error) => debug!("{target}: {error}"),
        }
    }

    /// <https://webmachinelearning.github.io/webmcp/#cancel-a-pending-tool-execution>
    ///
    /// Returns whether there was such an execution.
    fn cancel_a_pending_tool_execution(
        &mut self,
        webview_id: WebViewId,
        execution: ExecutionId,
        caller: &ToolCaller,
    ) -> bool {
        // Step 1. These steps run in parallel: the constellation is that.
        // Steps 2 to 4. Only a pending execution can be cancelled, and only by its caller.
        let Some(executions) = self.model_context.executions.get_mut(&webview_id) else {
            return false;
        };
        match executions.cancel(execution, caller) {
            // Steps 5 and 6. Queue the task that aborts the callback's signal.
            Ok(cancelled) => {
                self.send_model_context_task(
                    cancelled.target,
                    ModelContextTaskKind::CancelExecution(execution),
                );
                true
            }
            Err(error) => {
                debug!("{execution}: {error}");
                false
            }
        }
    }

    /// Tell the caller of an execution how it ended.
    fn tell_caller(
        &self,
        webview_id: WebViewId,
        execution: ExecutionId,
        caller: ToolCaller,
        outcome: ToolOutcome,
    ) {
        match caller {
            // A page learns that the tool failed and at which step, but nothing of the tool's own words.
            Caller::Document(document) => {
                self.send_model_context_task(
                    document,
                    ModelContextTaskKind::ExecutionFinished(
                        execution,
                        outcome.map_err(|failure| failure.kind),
                    ),
                );
            }
            Caller::Agent(BrowserAgent) => self.tell_embedder(
                ModelContextToEmbedderMessage::ExecutionFinished(webview_id, execution, outcome),
            ),
        }
    }

    /// The clean-up steps for a document that is unloaded or destroyed. They end every execution that the document
    /// calls or runs, here and in the documents of its frames, which are no longer fully active either.
    ///
    /// <https://webmachinelearning.github.io/webmcp/#supporting-concepts>
    pub(super) fn model_context_document_unloaded(&mut self, document: PipelineId) {
        let Some(pipeline) = self.pipelines.get(&document) else {
            return;
        };
        let webview_id = pipeline.webview_id;
        self.end_executions_of(webview_id, document);
        self.notify_embedder_of_a_tool_change(webview_id);
    }

    /// Step 2 of the clean-up steps, for a document and the documents of its frames.
    fn end_executions_of(&mut self, webview_id: WebViewId, document: PipelineId) {
        // Steps 2.1 to 2.3.
        let ended = self
            .model_context
            .executions
            .get_mut(&webview_id)
            .map(|executions| executions.document_gone(&document))
            .unwrap_or_default();
        for ended in ended {
            match ended {
                // Step 2.3.2. The target is gone: the completion steps with null and false.
                Ended::TargetGone { id, caller } => {
                    self.tell_caller(webview_id, id, caller, Err(target_gone()))
                }
                // Step 2.3.3. The caller is gone: cancel.
                Ended::CallerGone { id, target } => {
                    self.send_model_context_task(target, ModelContextTaskKind::CancelExecution(id));
                }
                // Step 2.3.4. Both are the same document: nobody is left to be told.
                Ended::BothGone { .. } => {}
            }
        }
        self.end_script_evaluations(document);

        let frames = self
            .pipelines
            .get(&document)
            .map(|pipeline| pipeline.children.clone())
            .unwrap_or_default();
        for frame in frames {
            if let Some(browsing_context) = self.browsing_contexts.get(&frame) {
                self.end_executions_of(webview_id, browsing_context.pipeline_id);
            }
        }
    }

    /// A document will never run again: forget it, after the clean-up steps.
    pub(super) fn model_context_document_destroyed(&mut self, document: PipelineId) {
        self.model_context_document_unloaded(document);
        self.model_context.documents.remove(&document);
        self.model_context
            .containers
            .retain(|_, container| container.document != document);
    }

    /// A pipeline has exited: forget the route to its event loop if it was the last one there.
    ///
    /// Called when the pipeline is no longer among the constellation's own.
    pub(super) fn model_context_pipeline_exited(&mut self, event_loop: ScriptEventLoopId) {
        let in_use = self
            .pipelines
            .values()
            .any(|pipeline| pipeline.event_loop.id() == event_loop);
        if !in_use {
            self.model_context.routes.remove(&event_loop);
        }
    }

    /// A content process has exited. If it did so without having been asked to, the documents of its event loops are
    /// gone, and nobody else tells: end what they called or ran. A page whose top-level document is among them has
    /// crashed; one that has lost a frame lives on.
    pub(super) fn model_context_process_exited(&mut self) {
        let mut lost: Vec<_> = self
            .pipelines
            .values()
            .filter(|pipeline| {
                let route = self.model_context.routes.get(&pipeline.event_loop.id());
                route.is_some_and(|route| {
                    let probe = ModelContextTask {
                        document: pipeline.id,
                        kind: ModelContextTaskKind::Probe,
                    };
                    route.send(probe).is_err()
                })
            })
            .map(|pipeline| pipeline.id)
            .collect();
        lost.sort_unstable();

        for document in &lost {
            self.model_context_document_destroyed(*document);
        }
        for document in &lost {
            let crashed = self.webviews.iter().find_map(|(webview_id, webview)| {
                (webview.active_top_level_pipeline_id == Some(*document)).then_some(*webview_id)
            });
            if let Some(webview_id) = crashed {
                let reason = "The content process has exited.".to_owned();
                self.handle_panic_in_webview(webview_id, &reason, &None);
            }
        }
        // They will not say themselves that they have exited, and while they are here, so is their event loop: new
        // documents of their site would be sent to it, and the constellation would wait for them when it shuts down.
        for document in lost {
            self.handle_pipeline_exited(document, PipelineExitSource::all());
        }
    }

    /// A browsing context is closed: forget what its container said of it and, if it was a top-level one, the
    /// executions of its traversable, all of which have ended with its documents.
    pub(super) fn model_context_browsing_context_closed(
        &mut self,
        browsing_context_id: BrowsingContextId,
        webview_id: WebViewId,
    ) {
        self.model_context.containers.remove(&browsing_context_id);
        if browsing_context_id == webview_id {
            self.model_context.executions.remove(&webview_id);
            self.model_context.unasked.remove(&webview_id);
        }
    }

    /// The frame tree of a webview has changed, and with it perhaps the set of its tools.
    pub(super) fn model_context_frame_tree_changed(&mut self, webview_id: WebViewId) {
        self.notify_embedder_of_a_tool_change(webview_id);
        let unasked = self.model_context.unasked.remove(&webview_id);
        for (evaluation, task) in unasked.unwrap_or_default() {
            self.ask_top_level_document(webview_id, evaluation, task);
        }
    }

    fn notify_embedder_of_a_tool_change(&self, webview_id: WebViewId) {
        // Without the preference there are no tools, and the embedder is left in peace.
        if !pref!(dom_modelcontext_enabled) {
            return;
        }
        self.tell_embedder(ModelContextToEmbedderMessage::ToolsChanged(webview_id));
    }

    /// The scripts that a document was to evaluate for the embedder end with it.
    fn end_script_evaluations(&mut self, document: PipelineId) {
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

    /// The observation of a traversable's tools for the browser's agent.
    ///
    /// <https://webmachinelearning.github.io/webmcp/#observations>
    fn observe_tools(&self, webview_id: WebViewId) -> Vec<ToolOfPage> {
        self.documents_in_tree_order(webview_id)
            .into_iter()
            .filter_map(|document| {
                let state = self.model_context.documents.get(&document.pipeline)?;
                let pipeline = self.pipelines.get(&document.pipeline)?;
                Some((document.frame, state, pipeline.url.clone()))
            })
            .flat_map(|(frame, state, url)| {
                state.tools.iter().map(move |definition| ToolOfPage {
                    definition: Arc::clone(definition),
                    origin: state.origin.clone(),
                    url: url.clone(),
                    frame: frame.clone(),
                })
            })
            .collect()
    }

    /// The active documents of a webview's inclusive descendant navigables, parents before children.
    ///
    /// <https://html.spec.whatwg.org/multipage/#inclusive-descendant-navigables>
    fn documents_in_tree_order(&self, webview_id: WebViewId) -> Vec<DocumentInTree> {
        let mut documents = Vec::new();
        let mut to_visit = vec![(BrowsingContextId::from(webview_id), Vec::new())];
        while let Some((browsing_context_id, frame)) = to_visit.pop() {
            let Some(pipeline) = self
                .browsing_contexts
                .get(&browsing_context_id)
                .and_then(|browsing_context| self.pipelines.get(&browsing_context.pipeline_id))
            else {
                continue;
            };
            let first_child = to_visit.len();
            for (index, child) in self.frames_in_tree_order(pipeline).enumerate() {
                let mut child_frame = frame.clone();
                child_frame.push(index);
                to_visit.push((child, child_frame));
            }
            // The last one pushed is the next one visited.
            to_visit[first_child..].reverse();
            documents.push(DocumentInTree {
                pipeline: pipeline.id,
                frame,
            });
        }
        documents
    }

    /// The frames of a document in tree order.
    fn frames_in_tree_order<'a>(
        &'a self,
        pipeline: &'a Pipeline,
    ) -> impl Iterator<Item = BrowsingContextId> + use<'a, STF, SWF> {
        let ordered = self
            .model_context
            .documents
            .get(&pipeline.id)
            .map_or(&[][..], |document| &document.frames);
        let known = |frame: &&BrowsingContextId| pipeline.children.contains(frame);
        let unordered = |frame: &&BrowsingContextId| !ordered.contains(frame);
        ordered
            .iter()
            .filter(known)
            .chain(pipeline.children.iter().filter(unordered))
            .copied()
    }

    /// Send a task to the event loop of a document. Returns whether it is on its way.
    fn send_model_context_task(&self, document: PipelineId, kind: ModelContextTaskKind) -> bool {
        let route = self
            .model_context
            .documents
            .contains_key(&document)
            .then(|| self.pipelines.get(&document))
            .flatten()
            .and_then(|pipeline| self.model_context.routes.get(&pipeline.event_loop.id()));
        let Some(route) = route else {
            debug!("{document}: Model context task after closure");
            return false;
        };
        route
            .send(ModelContextTask { document, kind })
            .inspect_err(|error| warn!("{document}: Could not send a model context task: {error}"))
            .is_ok()
    }

    fn tell_embedder(&self, message: ModelContextToEmbedderMessage) {
        self.constellation_to_embedder_proxy
            .send(ConstellationToEmbedderMsg::ModelContext(message));
    }
}

/// The origin that a policy names, if it can be parsed.
fn parse_origin(text: &str) -> Option<ImmutableOrigin> {
    ServoUrl::parse(text).ok().map(|url| url.origin())
}
