/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Running a tool: what happens in the document that offers it.

use ::modelcontext::{ExecutionId, ToolFailure, ToolFailureKind, ToolId, ToolName, ToolOutcome};
use js::context::JSContext;
use js::jsval::UndefinedValue;
use js::realm::CurrentRealm;
use js::rust::HandleValue;
use script_bindings::callback::ExceptionHandling;
use script_bindings::inheritance::Castable;
use servo_config::pref;
use servo_constellation_traits::ScriptToModelContextMessage;

use crate::dom::abortcontroller::AbortController;
use crate::dom::bindings::codegen::Bindings::ModelContextBinding::{
    ToolExecuteCallback, ToolExecuteCallbackOptions,
};
use crate::dom::bindings::reflector::DomGlobal;
use crate::dom::bindings::root::Dom;
use crate::dom::bindings::str::DOMString;
use crate::dom::console::Console;
use crate::dom::event::Event;
use crate::dom::eventtarget::EventTarget;
use crate::dom::modelcontext::ModelContext;
use crate::dom::modelcontext::modelcontext::LocalExecution;
use crate::dom::modelcontext::values::{
    exception_text, parse_json, serialize_to_json, string_text,
};
use crate::dom::promise::Promise;
use crate::dom::promisenativehandler::{Callback, PromiseNativeHandler};
use crate::dom::toolactivatedevent::ToolActivatedEvent;
use crate::dom::toolcancelevent::ToolCancelEvent;
use crate::realms::enter_auto_realm;

impl ModelContext {
    /// <https://webmachinelearning.github.io/webmcp/#tool-execution-steps>
    pub(super) fn execute_tool(
        &self,
        cx: &mut JSContext,
        execution: ExecutionId,
        tool_name: &ToolName,
        registration: Option<ToolId>,
        input_arguments: &str,
    ) {
        // Step 1. These steps run on the event loop of the target document: this is its task.
        // Step 2. The tool map is this object's own.
        // Step 3. Without the tool, run the completion steps with null and false.
        // Step 4. Let tool be the entry. A caller that means one registration does not get a later one of that name.
        let Some(callback) = self.callback(cx, tool_name, registration) else {
            return self.complete(
                execution,
                Err(ToolFailure::new(
                    ToolFailureKind::NoSuchTool,
                    format!("The tool \"{tool_name}\" was unregistered before it could run."),
                )),
            );
        };
        // Step 5. Run the execute steps of the tool, which here are always the imperative ones.
        self.imperative_execute_steps(cx, execution, tool_name, &callback, input_arguments)
    }

    /// <https://webmachinelearning.github.io/webmcp/#imperative-execute-steps>
    fn imperative_execute_steps(
        &self,
        cx: &mut JSContext,
        execution: ExecutionId,
        tool_name: &ToolName,
        callback: &ToolExecuteCallback,
        input_arguments: &str,
    ) {
        let global = self.global();
        let mut realm = enter_auto_realm(cx, self);
        let mut realm = realm.current_realm();
        let cx = &mut realm;

        // Step 1. These steps run on the event loop of the target document.
        // Step 2. Parse the input in the realm of the target document.
        rooted!(&in(cx) let mut input = UndefinedValue());
        if let Err(error) = parse_json(cx, input_arguments, input.handle_mut()) {
            return self.complete(
                execution,
                Err(ToolFailure::new(
                    ToolFailureKind::InvalidInput,
                    format!("The input is not JSON: {error}"),
                )),
            );
        }
        // Step 3. The input has to be an object.
        if !input.is_object() {
            return self.complete(
                execution,
                Err(ToolFailure::new(
                    ToolFailureKind::InvalidInput,
                    "The input is not a JSON object.",
                )),
            );
        }
        // The draft's note here, on "toolactivated", is step 8's companion below.

        // Step 4. Let controller be a new AbortController in the realm of the target document.
        let controller = AbortController::new_with_proto(cx, &global, None);

        // Steps 5 and 6. Put the execution into the local map.
        self.insert_local_execution(
            execution,
            LocalExecution {
                controller: Dom::from_ref(&*controller),
                tool_name: DOMString::from(tool_name.as_str()),
            },
        );

        // Step 7. Let options hold the signal of controller.
        let options = ToolExecuteCallbackOptions {
            signal: controller.signal(),
        };

        // Step 8. Invoke the callback. What it returns is made a promise, what it throws a rejected one.
        rooted!(&in(cx) let mut returned = UndefinedValue());
        let invoked = callback.Call__(
            cx,
            input.handle(),
            &options,
            returned.handle_mut(),
            ExceptionHandling::Rethrow,
        );
        let promise = match invoked {
            Ok(()) => Promise::resolve_or_wrap_promise(cx, returned.handle(), &global),
            Err(error) => {
                let promise = Promise::new(cx, &global);
                promise.reject_error(cx, error);
                promise
            }
        };

        // Step 9. React to the promise.
        let handler = PromiseNativeHandler::new(
            cx,
            &global,
            Some(Box::new(ToolFulfilled {
                context: Dom::from_ref(self),
                execution,
            })),
            Some(Box::new(ToolRejected {
                context: Dom::from_ref(self),
                execution,
            })),
        );
        promise.append_native_handler(cx, &handler);

        // The draft has a note in place of this event; it is fired once the callback has been invoked, unless that has
        // detached the document.
        let document = self.document();
        if document.is_fully_active() {
            let event =
                ToolActivatedEvent::new(cx, document.window(), DOMString::from(tool_name.as_str()));
            event
                .upcast::<Event>()
                .fire(cx, self.upcast::<EventTarget>());
        }
    }

    /// Step 9 of the imperative execute steps, for a fulfilled promise.
    fn tool_fulfilled(&self, cx: &mut CurrentRealm, execution: ExecutionId, value: HandleValue) {
        // Steps 9.1.1 to 9.1.3. An execution that has been cancelled is no longer in the local map.
        if self.remove_local_execution(execution).is_none() {
            return;
        }
        // Step 9.1.4. Serialise the value. Failure runs the completion steps with null and false.
        // Step 9.1.5. Run the completion steps.
        let outcome = result_text(cx, value).map(Some).map_err(|error| {
            ToolFailure::new(
                ToolFailureKind::ResultNotSerializable,
                format!("The tool's result has no JSON text: {error}"),
            )
        });
        self.complete(execution, outcome)
    }

    /// Step 9 of the imperative execute steps, for a rejected promise.
    fn tool_rejected(&self, cx: &mut CurrentRealm, execution: ExecutionId, reason: HandleValue) {
        // Step 9.2.1. Tell the console.
        let text = exception_text(cx, reason);
        Console::internal_warn(cx, &self.global(), format!("A WebMCP tool failed: {text}"));

        // Steps 9.2.2 to 9.2.4. An execution that has been cancelled is no longer in the local map.
        if self.remove_local_execution(execution).is_none() {
            return;
        }
        // Step 9.2.5. Run the completion steps with null and false.
        self.complete(
            execution,
            Err(ToolFailure::new(ToolFailureKind::CallbackThrew, text)),
        )
    }

    /// The task of "cancel a pending tool execution".
    ///
    /// <https://webmachinelearning.github.io/webmcp/#cancel-a-pending-tool-execution>
    pub(super) fn cancel_execution(&self, cx: &mut JSContext, execution: ExecutionId) {
        // Steps 6.1 to 6.4.
        let Some((controller, tool_name)) = self.remove_local_execution(execution) else {
            return;
        };
        let mut realm = enter_auto_realm(cx, self);
        let mut realm = realm.current_realm();
        let cx = &mut realm;

        // Step 6.5. Signal abort. The reason is a new "AbortError", not the caller's own.
        controller.signal_abort(cx, HandleValue::undefined());

        // Step 6.5's event, by its later name and at this object. Not if a listener has detached the document.
        let document = self.document();
        if document.is_fully_active() {
            let event = ToolCancelEvent::new(cx, document.window(), tool_name);
            event
                .upcast::<Event>()
                .fire(cx, self.upcast::<EventTarget>());
        }
    }

    /// Hand the end of an execution to the constellation, which runs the completion steps.
    fn complete(&self, execution: ExecutionId, outcome: ToolOutcome) {
        self.send(ScriptToModelContextMessage::CompleteExecution(
            execution, outcome,
        ));
    }
}

/// The text that the caller gets for what the callback gave. A string is its own text, which departs from the letter of
/// the draft; see `docs/spec-status.md`.
fn result_text(cx: &mut JSContext, value: HandleValue) -> Result<String, String> {
    if value.is_string() && !pref!(dom_modelcontext_json_string_results_enabled) {
        return Ok(string_text(cx, value));
    }
    serialize_to_json(cx, value)
}

/// The reaction to a callback's promise that is fulfilled.
#[derive(JSTraceable, MallocSizeOf)]
#[cfg_attr(crown, crown::unrooted_must_root_lint::must_root)]
struct ToolFulfilled {
    context: Dom<ModelContext>,
    #[no_trace]
    #[ignore_malloc_size_of = "Defined in modelcontext"]
    execution: ExecutionId,
}

impl Callback for ToolFulfilled {
    fn callback(&self, cx: &mut CurrentRealm, value: HandleValue) {
        self.context
            .as_rooted()
            .tool_fulfilled(cx, self.execution, value)
    }
}

/// The reaction to a callback's promise that is rejected.
#[derive(JSTraceable, MallocSizeOf)]
#[cfg_attr(crown, crown::unrooted_must_root_lint::must_root)]
struct ToolRejected {
    context: Dom<ModelContext>,
    #[no_trace]
    #[ignore_malloc_size_of = "Defined in modelcontext"]
    execution: ExecutionId,
}

impl Callback for ToolRejected {
    fn callback(&self, cx: &mut CurrentRealm, reason: HandleValue) {
        self.context
            .as_rooted()
            .tool_rejected(cx, self.execution, reason)
    }
}
