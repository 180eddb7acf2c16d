/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! WebMCP in the constellation: everything that the draft runs "in parallel".
//!
//! The constellation holds the truth: the tools of every document, the permissions policy of every document, and the
//! pending executions of every traversable. Script holds only what its event loop may touch (callbacks, promises, abort
//! controllers). The rules themselves are in the `modelcontext` crate; this module finds the documents they speak of
//! and sends the messages that follow from them.
//!
//! This is a child module of `constellation.rs`, so that it reads the state it needs without widening any visibility.

#[path = "model_context/embedder.rs"]
mod embedder;
#[path = "model_context/executions.rs"]
mod executions;

use std::sync::Arc;

use layout_api::ScriptThreadFactory;
use log::{debug, warn};
use modelcontext::policy::{ContainerInputs, Feature, PermissionsPolicy};
use modelcontext::{
    Caller, DocumentId, ExecutionId, PendingExecutions, ToolDefinition, ToolId, ToolMap, ToolOwner,
    collect_tools, documents_to_notify,
};
use paint_api::PipelineExitSource;
use rustc_hash::{FxHashMap, FxHashSet};
use script_traits::DocumentActivity;
use servo_base::generic_channel::{GenericCallback, GenericSender};
use servo_base::id::{BrowsingContextId, PipelineId, ScriptEventLoopId, WebViewId};
use servo_constellation_traits::{
    CollectedToolOwner, CollectedTools, ModelContextTask, ModelContextTaskKind,
    ModelContextToEmbedderMessage, ORIGIN_PARTS, ScriptToModelContextMessage,
    ServiceWorkerManagerFactory, ToolListRequestId,
};
use servo_url::ImmutableOrigin;
use uuid::Uuid;

use self::embedder::ExecutionRequest;
use super::Constellation;
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

    /// The origins that documents from the network have had in each event loop.
    origins: FxHashMap<ScriptEventLoopId, FxHashSet<ImmutableOrigin>>,

    /// Every document that script has told of and that has not been closed.
    documents: FxHashMap<PipelineId, ToolDocument>,

    /// The identities of all tools of these documents. The embedder knows a tool by nothing else, so none is taken
    /// twice.
    tool_ids: FxHashSet<ToolId>,

    /// <https://webmachinelearning.github.io/webmcp/#traversable-navigable-pending-tool-executions-map>
    executions: FxHashMap<WebViewId, Executions>,

    /// The executions that the embedder wants and has yet to allow.
    requests: FxHashMap<ExecutionId, ExecutionRequest>,

    /// The scripts that the embedder has asked for, and the documents that evaluate them.
    evaluations: FxHashMap<Uuid, (WebViewId, PipelineId)>,

    /// What the embedder has asked of a webview that has no document yet. Its messages and those of script come on
    /// different channels, so it can speak of a document before that has been heard of.
    unasked: FxHashMap<WebViewId, Vec<(Uuid, ModelContextTaskKind)>>,
}

/// What WebMCP knows of a document.
struct ToolDocument {
    id: DocumentId,
    origin: ImmutableOrigin,
    policy: PermissionsPolicy<ImmutableOrigin>,
    tools: ToolMap<ImmutableOrigin>,

    /// The frames of the document in tree order. `Pipeline::children` has them in the order of their creation.
    frames: Vec<BrowsingContextId>,

    /// What the document says of the permissions of its frames, or of what it takes for them: it speaks before the
    /// constellation knows the browsing context.
    containers: FxHashMap<BrowsingContextId, ContainerInputs<ImmutableOrigin>>,
}

impl ToolDocument {
    /// Whether the document is allowed to use the "tools" feature. Only asked of fully active documents.
    fn is_allowed_to_use_tools(&self) -> bool {
        self.policy.allows(Feature::Tools, &self.origin)
    }
}

/// An active document in the frame tree of a traversable.
struct DocumentInTree {
    pipeline: PipelineId,
    /// The index of each frame on the way down from the top.
    frame: Vec<usize>,
}

impl<STF: ScriptThreadFactory, SWF: ServiceWorkerManagerFactory> Constellation<STF, SWF> {
    /// Handle a message of the document `source`.
    pub(super) fn handle_model_context_message_from_script(
        &mut self,
        webview_id: WebViewId,
        source: PipelineId,
        message: ScriptToModelContextMessage,
    ) {
        // The sender writes the envelope. That it is the document cannot be checked, but of which page that is can.
        let pipeline = self.pipelines.get(&source);
        let Some(pipeline) = pipeline.filter(|pipeline| pipeline.webview_id == webview_id) else {
            return debug!("{source}: Is closed, or not of {webview_id}");
        };
        let event_loop = pipeline.event_loop.id();
        match message {
            ScriptToModelContextMessage::EventLoopCreated(route) => {
                self.model_context.routes.insert(event_loop, route);
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
                    // Each frame once, whatever the document says.
                    let mut known = FxHashSet::default();
                    document.frames = frames;
                    document.frames.retain(|frame| known.insert(*frame));
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

    /// Take note of what a container document says of one of its frames. It counts only if the frame is one of that
    /// document.
    fn container_policy_changed(
        &mut self,
        document: PipelineId,
        browsing_context_id: BrowsingContextId,
        inputs: ContainerInputs<ImmutableOrigin>,
    ) {
        if let Some(document) = self.model_context.documents.get_mut(&document) {
            document.containers.insert(browsing_context_id, inputs);
        }
    }

    /// The document that the frame is in, which can have a document before it has its browsing context.
    fn container_document(
        &self,
        webview_id: WebViewId,
        browsing_context_id: BrowsingContextId,
    ) -> Option<PipelineId> {
        if let Some(browsing_context) = self.browsing_contexts.get(&browsing_context_id) {
            return browsing_context.parent_pipeline_id;
        }
        self.webviews
            .get(&webview_id)?
            .pending_changes
            .iter()
            .filter(|change| change.browsing_context_id == browsing_context_id)
            .find_map(|change| change.new_browsing_context_info.as_ref())?
            .parent_pipeline_id
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
            .container_document(pipeline.webview_id, pipeline.browsing_context_id)
            .and_then(|parent| self.model_context.documents.get(&parent))
            .and_then(|parent| {
                let inputs = parent.containers.get(&pipeline.browsing_context_id)?;
                Some((inputs, parent))
            });
        let is_top_level = pipeline.browsing_context_id == pipeline.webview_id;
        // A document has the origin of its address, or an opaque one if it is sandboxed. One that is not from the
        // network can have that of the document that made it, which is or was in the same event loop.
        let is_from_network = matches!(pipeline.url.scheme(), "http" | "https");
        let origins = self
            .model_context
            .origins
            .entry(pipeline.event_loop.id())
            .or_default();
        let may_have_origin = pipeline.url.origin() == origin
            || !origin.is_tuple()
            || !is_from_network && origins.contains(&origin);
        let origin = if may_have_origin {
            origin
        } else {
            warn!("{document}: Claims an origin that is not the one of its address");
            ImmutableOrigin::new_opaque()
        };
        if is_from_network && origin.is_tuple() {
            origins.insert(origin.clone());
        }
        let policy = match container {
            _ if is_top_level => PermissionsPolicy::for_top_level(header, &origin, &ORIGIN_PARTS),
            Some((inputs, parent)) => {
                let mut inputs = inputs.clone();
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
                    &ORIGIN_PARTS,
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
            id: DocumentId::new(),
            origin,
            policy,
            tools: ToolMap::default(),
            frames: Vec::new(),
            containers: FxHashMap::default(),
        };
        let replaced = self.model_context.documents.insert(document, tool_document);
        self.forget_tool_ids(replaced);
    }

    /// The tools of a document are gone with it.
    fn forget_tool_ids(&mut self, document: Option<ToolDocument>) {
        for tool in document.iter().flat_map(|document| document.tools.iter()) {
            self.model_context.tool_ids.remove(&tool.id);
        }
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

        // Step 20, for the parallel side. Script has checked that the name is free and made up the identity; one that
        // has not is not believed.
        if self.model_context.tool_ids.contains(&tool) {
            return warn!("{tool_owner}: Registered a tool under the identity of another");
        }
        if let Err(error) = document.tools.insert(definition) {
            return warn!("{tool_owner}: {error}");
        }
        self.model_context.tool_ids.insert(tool);

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
        self.model_context.tool_ids.remove(&tool);
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
        if !caller.is_allowed_to_use_tools()
            || self.get_activity(tool_requestor) != DocumentActivity::FullyActive
        {
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

    /// A document will never run again: forget it, after the clean-up steps.
    pub(super) fn model_context_document_destroyed(&mut self, document: PipelineId) {
        self.model_context_document_unloaded(document);
        let document = self.model_context.documents.remove(&document);
        self.forget_tool_ids(document);
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
            self.model_context.origins.remove(&event_loop);
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
        for document in self.model_context.documents.values_mut() {
            document.containers.remove(&browsing_context_id);
        }
        if browsing_context_id == webview_id {
            self.model_context.executions.remove(&webview_id);
            self.model_context.unasked.remove(&webview_id);
            self.model_context
                .requests
                .retain(|_, request| request.webview_id != webview_id);
        }
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
}
