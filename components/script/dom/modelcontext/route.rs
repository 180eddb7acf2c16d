/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The way from the constellation to the documents of this event loop.

use std::cell::Cell;

use js::context::JSContext;
use log::warn;
use servo_base::generic_channel::GenericCallback;
use servo_constellation_traits::{
    ModelContextTask, ModelContextTaskKind, ScriptToModelContextMessage,
};

use crate::dom::bindings::codegen::Bindings::DocumentBinding::DocumentMethods;
use crate::dom::document::Document;
use crate::event_loop::script_thread::ScriptThread;
use crate::tasks::task_source::{SendableTaskSource, TaskSourceName};

thread_local! {
    /// Whether the constellation has the callback of this event loop.
    static ROUTE_IS_OPEN: Cell<bool> = const { Cell::new(false) };
}

/// Give the constellation the one callback of this event loop, unless it has it already. All tasks of the event loop
/// go through it, which is what keeps them in order.
pub(super) fn open_route(document: &Document) {
    if ROUTE_IS_OPEN.replace(true) {
        return;
    }
    let sender = document.window().event_loop_sender();
    // The callback may run on a thread of the constellation or of the channels between processes: it only queues.
    let callback = GenericCallback::new(move |message: Result<ModelContextTask, _>| {
        let task = match message {
            Ok(task) => task,
            Err(error) => return warn!("Could not receive a model context task: {error:?}"),
        };
        // A task of a document that is not fully active is held back until the document is active again. No canceller:
        // tasks for documents that have gone are dropped below.
        let task_source = SendableTaskSource {
            sender: sender.clone(),
            pipeline_id: task.document,
            name: TaskSourceName::WebMCP,
            canceller: Default::default(),
        };
        task_source.queue_unconditionally(task!(model_context_task: move |cx| {
            run_task(cx, task)
        }));
    });
    match callback {
        Ok(callback) => super::documentmodelcontext::send_to_constellation(
            document,
            ScriptToModelContextMessage::EventLoopCreated(callback),
        ),
        Err(error) => warn!("Could not create the model context callback: {error:?}"),
    }
}

/// Run a task of the webmcp task source.
fn run_task(cx: &mut JSContext, task: ModelContextTask) {
    let Some(document) = ScriptThread::find_document(task.document) else {
        return;
    };
    let context = document.ModelContext(cx);
    match task.kind {
        ModelContextTaskKind::FireToolChange => context.fire_tool_change(cx),
        ModelContextTaskKind::ToolRegistrationFinished(tool) => {
            context.tool_registration_finished(cx, tool)
        }
        ModelContextTaskKind::ToolsCollected(request, tools) => {
            context.tools_collected(cx, request, tools)
        }
        ModelContextTaskKind::ExecuteTool {
            execution,
            tool_name,
            registration,
            input_arguments,
        } => context.execute_tool(cx, execution, &tool_name, registration, &input_arguments),
        ModelContextTaskKind::ExecutionFinished(execution, outcome) => {
            context.call_finished(cx, execution, outcome)
        }
        ModelContextTaskKind::CancelExecution(execution) => context.cancel_execution(cx, execution),
        ModelContextTaskKind::EvaluateScript(evaluation, script) => {
            super::scriptevaluation::evaluate(cx, &document, evaluation, script)
        }
        ModelContextTaskKind::ReportHttpStatus(evaluation) => {
            super::scriptevaluation::report_http_status(&document, evaluation)
        }
        ModelContextTaskKind::Probe => {}
    }
}
