/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The pending executions: beginning, completing, cancelling, and what happens to them when a document goes away.

use layout_api::ScriptThreadFactory;
use log::{debug, warn};
use modelcontext::{
    Caller, Ended, ExecutionId, PendingExecution, ToolFailure, ToolFailureKind, ToolId,
    ToolOutcome, resolve_target,
};
use script_traits::DocumentActivity;
use servo_base::id::{BrowsingContextId, PipelineId, WebViewId};
use servo_constellation_traits::{
    ModelContextTaskKind, ModelContextToEmbedderMessage, ServiceWorkerManagerFactory,
};
use servo_url::ImmutableOrigin;

use super::{BrowserAgent, Constellation, ToolCaller};

/// The failure of an execution whose target has gone away.
pub(super) fn target_gone() -> ToolFailure {
    ToolFailure {
        kind: ToolFailureKind::TargetGone,
        message: "The document that offers the tool went away before the tool finished.".into(),
    }
}

impl<STF: ScriptThreadFactory, SWF: ServiceWorkerManagerFactory> Constellation<STF, SWF> {
    /// The part of `executeTool()` that runs in parallel. An error is what the caller's promise is rejected for.
    ///
    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-executetool>
    #[expect(
        clippy::too_many_arguments,
        reason = "the steps of the draft name that many things"
    )]
    pub(super) fn execute_tool_for_document(
        &mut self,
        webview_id: WebViewId,
        caller: PipelineId,
        execution: ExecutionId,
        target: BrowsingContextId,
        expected_target_origin: &ImmutableOrigin,
        tool_name: &str,
        input_arguments: String,
    ) -> Result<(), ToolFailureKind> {
        // Script has checked that the caller is fully active and may use the feature; one that has not is not believed.
        let caller_document = self
            .model_context
            .documents
            .get(&caller)
            .filter(|document| document.is_allowed_to_use_tools())
            .filter(|_| self.get_activity(caller) == DocumentActivity::FullyActive)
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

    /// Steps 15.11 to 15.13 of `executeTool()`, for any caller.
    pub(super) fn begin_tool_execution(
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
    pub(super) fn complete_tool_execution(
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
    pub(super) fn cancel_a_pending_tool_execution(
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
    pub(in crate::constellation) fn model_context_document_unloaded(
        &mut self,
        document: PipelineId,
    ) {
        let Some(pipeline) = self.pipelines.get(&document) else {
            return;
        };
        let webview_id = pipeline.webview_id;
        self.end_executions_of(webview_id, document);
        self.notify_embedder_of_a_tool_change(webview_id);
    }

    /// Step 2 of the clean-up steps, for the documents of a document's frames and then for itself: HTML unloads the
    /// descendants first. So a call between a document and its frame ends as the frame sees it.
    ///
    /// <https://html.spec.whatwg.org/multipage/#unload-a-document-and-its-descendants>
    fn end_executions_of(&mut self, webview_id: WebViewId, document: PipelineId) {
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
    }
}
