/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::cell::Cell;
use std::hash::Hash;

use ::modelcontext::{
    ExecutionId, InvalidToolName, ToolDefinition, ToolFailureKind, ToolId, ToolName,
};
use dom_struct::dom_struct;
use js::context::JSContext;
use js::jsval::{NullValue, UndefinedValue};
use js::realm::CurrentRealm;
use js::rust::HandleValue;
use script_bindings::callback::{RootedCallback, TracedCallback};
use script_bindings::cell::DomRefCell;
use script_bindings::inheritance::Castable;
use script_bindings::reflector::reflect_dom_object;
use servo_config::pref;
use servo_constellation_traits::{CollectedTools, ScriptToModelContextMessage, ToolListRequestId};
use servo_url::{ImmutableOrigin, ServoUrl};
use stylo_atoms::Atom;

use crate::DomTypeHolder;
use crate::conversions::Convert;
use crate::dom::abort::abortsignal::AbortAlgorithm;
use crate::dom::abortcontroller::AbortController;
use crate::dom::bindings::codegen::Bindings::AbortSignalBinding::AbortSignalMethods;
use crate::dom::bindings::codegen::Bindings::ModelContextBinding::{
    ModelContextExecuteToolOptions, ModelContextGetToolOptions, ModelContextMethods,
    ModelContextRegisterToolOptions, ModelContextTool, RegisteredTool, ToolExecuteCallback,
};
use crate::dom::bindings::error::Error;
use crate::dom::bindings::reflector::DomGlobal;
use crate::dom::bindings::root::{Dom, DomRoot};
use crate::dom::bindings::str::{DOMString, USVString};
use crate::dom::bindings::trace::HashMapTracedValues;
use crate::dom::document::Document;
use crate::dom::eventtarget::EventTarget;
use crate::dom::modelcontext::abortalgorithm::ModelContextAbortAlgorithm;
use crate::dom::modelcontext::documentmodelcontext::send_to_constellation;
use crate::dom::modelcontext::registeredtool::{create_registered_tools, window_proxy_from_value};
use crate::dom::modelcontext::values::{json_text, reject_with_unknown_error};
use crate::dom::promise::{Promise, RootedPromise, TracedPromise};
use crate::event_loop::script_thread::ScriptThread;
use crate::realms::enter_auto_realm;

/// <https://webmachinelearning.github.io/webmcp/#model-context-container>
#[dom_struct]
pub(crate) struct ModelContext {
    eventtarget: EventTarget,

    /// The document that this object belongs to, which need not be the one of its global's window.
    document: Dom<Document>,

    /// The part of the tool map that only this event loop may touch, by name. The definitions are in the constellation.
    ///
    /// <https://webmachinelearning.github.io/webmcp/#model-context-tool-map>
    #[ignore_malloc_size_of = "Keys are defined in modelcontext"]
    tools: DomRefCell<HashMapTracedValues<ToolName, LocalTool>>,

    /// The promises of registrations that the constellation has not yet confirmed.
    #[ignore_malloc_size_of = "Keys are defined in modelcontext"]
    registrations: DomRefCell<HashMapTracedValues<ToolId, TracedPromise>>,

    /// The promises of `getTools()` calls that the constellation has not yet answered.
    #[ignore_malloc_size_of = "Keys are defined in servo_constellation_traits"]
    lists: DomRefCell<HashMapTracedValues<ToolListRequestId, TracedPromise>>,

    /// The number of `getTools()` calls so far.
    list_count: Cell<u64>,

    /// The promises of `executeTool()` calls that have not come to their end.
    #[ignore_malloc_size_of = "Keys are defined in modelcontext"]
    calls: DomRefCell<HashMapTracedValues<ExecutionId, TracedPromise>>,

    /// <https://webmachinelearning.github.io/webmcp/#model-context-local-pending-tool-executions-map>
    #[ignore_malloc_size_of = "Keys are defined in modelcontext"]
    local_executions: DomRefCell<HashMapTracedValues<ExecutionId, LocalExecution>>,
}

/// A registered tool, as far as only this event loop may touch it.
#[derive(JSTraceable, MallocSizeOf)]
#[cfg_attr(crown, crown::unrooted_must_root_lint::must_root)]
struct LocalTool {
    #[no_trace]
    #[ignore_malloc_size_of = "Defined in modelcontext"]
    id: ToolId,
    execute: TracedCallback<ToolExecuteCallback>,
}

/// <https://webmachinelearning.github.io/webmcp/#local-pending-tool-execution>
#[derive(JSTraceable, MallocSizeOf)]
#[cfg_attr(crown, crown::unrooted_must_root_lint::must_root)]
pub(super) struct LocalExecution {
    pub(super) controller: Dom<AbortController>,
    pub(super) tool_name: DOMString,
}

impl ModelContext {
    fn new_inherited(document: &Document) -> ModelContext {
        ModelContext {
            eventtarget: EventTarget::new_inherited(),
            document: Dom::from_ref(document),
            tools: Default::default(),
            registrations: Default::default(),
            lists: Default::default(),
            list_count: Default::default(),
            calls: Default::default(),
            local_executions: Default::default(),
        }
    }

    pub(crate) fn new(cx: &mut JSContext, document: &Document) -> DomRoot<ModelContext> {
        reflect_dom_object(
            cx,
            Box::new(ModelContext::new_inherited(document)),
            document.window(),
        )
    }

    pub(super) fn document(&self) -> DomRoot<Document> {
        self.document.as_rooted()
    }

    /// Send a message to the constellation in the name of this object's document.
    pub(super) fn send(&self, message: ScriptToModelContextMessage) {
        send_to_constellation(&self.document, message);
    }

    /// The checks that all three methods begin with.
    fn check_document(&self, method: &str) -> Result<(), Error> {
        let failed = |why: &str| Some(failure_text(method, why));
        let document = &self.document;
        let state = document.model_context();

        // Step 3 (2 in executeTool). The document has to be fully active.
        if !document.is_fully_active() {
            return Err(Error::InvalidState(failed(
                "The document is not fully active.",
            )));
        }

        // Step 4 (3 in executeTool). The agent cluster has to be origin-keyed, or the scheme "file".
        if pref!(dom_modelcontext_origin_keyed_gate_enabled)
            && !state.is_origin_keyed()
            && !document.origin().immutable().is_file_origin()
        {
            return Err(Error::Security(failed(
                "The document is not in an origin-keyed agent cluster.",
            )));
        }

        // Step 5 (4 in executeTool). The document has to be allowed to use the "tools" feature.
        if !state.is_feature_enabled(document, ::modelcontext::policy::Feature::Tools) {
            return Err(Error::NotAllowed(failed(
                "The permissions policy does not allow the document to use the feature \"tools\".",
            )));
        }
        Ok(())
    }

    /// A promise of this object's realm, rejected with an error.
    fn rejected_promise(&self, cx: &mut JSContext, error: Error) -> RootedPromise {
        let promise = Promise::new(cx, &self.global());
        promise.reject_error(cx, error);
        promise
    }

    fn has_tool(&self, name: &str) -> bool {
        self.tools.borrow().get(name).is_some()
    }

    /// Fire the `toolchange` event.
    ///
    /// <https://webmachinelearning.github.io/webmcp/#notify-documents-of-a-tool-change>
    pub(super) fn fire_tool_change(&self, cx: &mut JSContext) {
        // Step 3.3. Fire the event at this object.
        self.upcast::<EventTarget>()
            .fire_event(cx, Atom::from("toolchange"));
    }

    /// The task of step 21.2 of `registerTool()`.
    pub(super) fn tool_registration_finished(&self, cx: &mut JSContext, tool: ToolId) {
        if let Some(promise) = take_promise(cx, &self.registrations, &tool) {
            promise.resolve_native(cx, &());
        }
    }

    /// The abort steps that `registerTool()` adds (step 18.3).
    pub(super) fn registration_aborted(
        &self,
        cx: &mut CurrentRealm,
        tool: ToolId,
        name: &ToolName,
        reason: HandleValue,
    ) {
        // Step 18.3.1. Unregister the tool.
        self.unregister_a_tool(tool, name);
        // Step 18.3.2. Reject the promise, which does nothing if it has been settled.
        if let Some(promise) = take_promise(cx, &self.registrations, &tool) {
            promise.reject(cx, reason);
        }
    }

    /// Unregister the registration `tool`; keyed by identity, so that an old registration never takes down a newer tool
    /// of the same name.
    ///
    /// <https://webmachinelearning.github.io/webmcp/#unregister-a-tool>
    fn unregister_a_tool(&self, tool: ToolId, name: &ToolName) {
        // Step 1. These steps run on this object's event loop.
        // Steps 2, 3 and 5. Remove the entry, if it is there.
        let is_registered = self
            .tools
            .borrow()
            .get(name)
            .is_some_and(|registered| registered.id == tool);
        if !is_registered {
            return;
        }
        self.tools.borrow_mut().remove(name);
        // Step 4. The exposed origins are in the constellation's part of the tool map.
        // Step 6. The document is this object's own.
        // Step 7. In parallel, notify documents of a tool change.
        self.send(ScriptToModelContextMessage::ToolUnregistered(tool));
    }

    /// The task of step 9.5 of `getTools()`.
    pub(super) fn tools_collected(
        &self,
        cx: &mut JSContext,
        request: ToolListRequestId,
        collected: CollectedTools,
    ) {
        let Some(promise) = take_promise(cx, &self.lists, &request) else {
            return;
        };
        let global = self.global();
        let Some(webview_id) = global.webview_id() else {
            return;
        };
        let mut realm = enter_auto_realm(cx, &*promise);
        let mut realm = realm.current_realm();
        let cx = &mut realm;
        let mut tools = create_registered_tools(cx, &global, webview_id, collected);
        promise.resolve_native(cx, &tools);
        // The set of roots is searched from its end when one is removed: from the front, that takes quadratic time.
        while tools.pop().is_some() {}
    }

    /// The tasks of step 15 of `executeTool()` that settle its promise.
    pub(super) fn call_finished(
        &self,
        cx: &mut JSContext,
        execution: ExecutionId,
        outcome: Result<Option<String>, ToolFailureKind>,
    ) {
        let Some(promise) = take_promise(cx, &self.calls, &execution) else {
            return;
        };
        match outcome {
            Ok(Some(text)) => promise.resolve_native(cx, &DOMString::from(text)),
            Ok(None) => promise.resolve_native(cx, &NullValue()),
            Err(kind) => {
                reject_with_unknown_error(cx, &promise, call_failure_message(kind));
            }
        }
    }

    /// The abort steps that `executeTool()` adds (step 14.4).
    pub(super) fn call_aborted(
        &self,
        cx: &mut CurrentRealm,
        execution: ExecutionId,
        reason: HandleValue,
    ) {
        let Some(promise) = take_promise(cx, &self.calls, &execution) else {
            return;
        };
        // Step 14.4.1. Reject the promise with the signal's reason.
        promise.reject(cx, reason);
        // Step 14.4.2. In parallel, cancel the execution.
        self.send(ScriptToModelContextMessage::CancelExecution(execution));
    }

    /// The callback of the tool of a name; only that of `registration` will do if that is given.
    pub(super) fn callback(
        &self,
        cx: &JSContext,
        name: &ToolName,
        registration: Option<ToolId>,
    ) -> Option<RootedCallback<ToolExecuteCallback>> {
        let tools = self.tools.borrow();
        let tool = tools.get(name)?;
        registration
            .is_none_or(|registration| registration == tool.id)
            .then(|| tool.execute.root(cx))
    }

    pub(super) fn insert_local_execution(&self, execution: ExecutionId, local: LocalExecution) {
        self.local_executions.borrow_mut().insert(execution, local);
    }

    /// Take an execution out of the local map: its controller and the name of its tool.
    pub(super) fn remove_local_execution(
        &self,
        execution: ExecutionId,
    ) -> Option<(DomRoot<AbortController>, DOMString)> {
        self.local_executions
            .borrow_mut()
            .remove(&execution)
            .map(|local| (local.controller.as_rooted(), local.tool_name))
    }
}

impl ModelContextMethods<DomTypeHolder> for ModelContext {
    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-registertool>
    fn RegisterTool(
        &self,
        cx: &mut JSContext,
        tool: &ModelContextTool,
        options: &ModelContextRegisterToolOptions,
    ) -> RootedPromise {
        let failed = |why: &str| Some(failure_text("registerTool", why));

        // Steps 1 and 2. The tool owner is this object's document.
        // Steps 3 to 5. Check it.
        if let Err(error) = self.check_document("registerTool") {
            return self.rejected_promise(cx, error);
        }

        // Steps 6 to 8. The tool map is this object's own; the name and title are below.
        // Step 9. A name that is taken is refused.
        let name = tool.name.to_string();
        let name_is_taken = || {
            Error::InvalidState(failed(&format!(
                "A tool with the name \"{name}\" is already registered."
            )))
        };
        if self.has_tool(&name) {
            return self.rejected_promise(cx, name_is_taken());
        }

        // Step 10. An empty name or description is refused.
        // Step 11. So is a name that is too long or has a forbidden character.
        let tool_name = match ToolName::parse(&name) {
            Ok(tool_name) => tool_name,
            Err(error) => {
                return self
                    .rejected_promise(cx, Error::InvalidState(failed(&name_error_text(error))));
            }
        };
        if tool.description.is_empty() {
            return self.rejected_promise(
                cx,
                Error::InvalidState(failed("The tool's description is empty.")),
            );
        }

        // Steps 12 and 13. Serialise the schema; what that throws rejects the promise.
        let input_schema = match &tool.inputSchema {
            Some(schema) => {
                rooted!(&in(cx) let schema = js::jsval::ObjectValue(schema.get()));
                match json_text(cx, schema.handle()) {
                    Ok(text) => Some(text),
                    Err(error) => return self.rejected_promise(cx, error),
                }
            }
            None => None,
        };

        // AD-HOC: serialising runs script, which may have registered a tool of this name. The draft would replace that
        // tool and leave its promise as it is; a name that is taken is refused, as in step 9.
        if self.has_tool(&name) {
            return self.rejected_promise(cx, name_is_taken());
        }

        // Step 14. A signal that is aborted already rejects the promise with its reason.
        if let Some(signal) = options.signal.as_ref().filter(|signal| signal.aborted()) {
            return self.promise_rejected_by_signal(cx, signal);
        }

        // Steps 15 and 16. Parse the origins that the tool is exposed to.
        let exposed_origins = options.exposedTo.as_deref();
        let exposed_origins = match parse_origins("registerTool", "exposedTo", exposed_origins) {
            Ok(origins) => origins,
            Err(error) => return self.rejected_promise(cx, error),
        };

        // Step 17. Let promise be a new promise in this object's realm.
        let promise = Promise::new(cx, &self.global());
        let id = ToolId::new();

        // Step 18. With a signal:
        if let Some(signal) = &options.signal {
            // Step 18.2. No script has run since step 14: the signal is not aborted.
            // Step 18.3. Add the abort steps.
            signal.add(&AbortAlgorithm::ModelContext(
                ModelContextAbortAlgorithm::Unregister(Dom::from_ref(self), id, tool_name.clone()),
            ));
        }

        // Step 19. Let tool definition be a new tool definition.
        let definition = ToolDefinition {
            id,
            name: tool_name.clone(),
            title: tool
                .title
                .as_ref()
                .map(|title| title.to_string())
                .unwrap_or_default(),
            description: tool.description.to_string(),
            input_schema,
            annotations: tool.annotations.as_ref().map(Convert::convert),
            exposed_origins,
        };

        // Step 20. Put it into the tool map.
        self.tools.borrow_mut().insert(
            tool_name,
            LocalTool {
                id,
                execute: tool.execute.clone(),
            },
        );

        // Step 21. In parallel, notify documents of a tool change and then resolve the promise.
        self.registrations
            .borrow_mut()
            .insert(id, promise.to_traced());
        self.send(ScriptToModelContextMessage::ToolRegistered(definition));

        // Step 22. Return promise.
        promise
    }

    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-gettools>
    fn GetTools(&self, cx: &mut JSContext, options: &ModelContextGetToolOptions) -> RootedPromise {
        // Steps 1 and 2. The tool requestor is this object's document.
        // Steps 3 to 5. Check it.
        if let Err(error) = self.check_document("getTools") {
            return self.rejected_promise(cx, error);
        }

        // Steps 6 and 7. Parse the origins.
        let from_origins = options.fromOrigins.as_deref();
        let from_origins = match parse_origins("getTools", "fromOrigins", from_origins) {
            Ok(origins) => origins,
            Err(error) => return self.rejected_promise(cx, error),
        };

        // Step 8. Let promise be a new promise in this object's realm.
        let promise = Promise::new(cx, &self.global());

        // Step 9. In parallel, collect the tools.
        let request = ToolListRequestId(self.list_count.get());
        self.list_count.set(self.list_count.get() + 1);
        self.lists.borrow_mut().insert(request, promise.to_traced());
        self.send(ScriptToModelContextMessage::GetTools {
            request,
            from_origins,
        });

        // Step 10. Return promise.
        promise
    }

    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-executetool>
    fn ExecuteTool(
        &self,
        cx: &mut JSContext,
        tool: &RegisteredTool,
        input_object: HandleValue,
        options: &ModelContextExecuteToolOptions,
    ) -> RootedPromise {
        let failed = |why: &str| failure_text("executeTool", why);

        // What the IDL asks of the arguments and the bindings generator cannot check: see the IDL file.
        let Some(target) = window_proxy_from_value(tool.window.handle()) else {
            return self.rejected_promise(
                cx,
                type_error(failed("The tool's 'window' is not a Window.")),
            );
        };
        if !input_object.is_undefined() && !input_object.is_object() {
            return self.rejected_promise(cx, type_error(failed("The input is not an object.")));
        }

        // Step 1. The caller document is this object's document.
        // Steps 2 to 4. Check it.
        if let Err(error) = self.check_document("executeTool") {
            return self.rejected_promise(cx, error);
        }

        // Steps 5 to 8. Parse the tool's origin, which cannot be opaque.
        let expected_target_origin = ServoUrl::parse(&tool.origin.0)
            .ok()
            .map(|url| url.origin())
            .filter(ImmutableOrigin::is_tuple);
        let Some(expected_target_origin) = expected_target_origin else {
            return self.rejected_promise(
                cx,
                Error::NotSupported(Some(failed(&format!(
                    "The tool's origin \"{}\" is opaque or no URL.",
                    tool.origin.0
                )))),
            );
        };

        // Step 9. Serialise the input; what that throws rejects the promise. No input is an empty object.
        let input_arguments = if input_object.is_undefined() {
            String::from("{}")
        } else {
            match json_text(cx, input_object) {
                Ok(text) => text,
                Err(error) => return self.rejected_promise(cx, error),
            }
        };

        // Step 10. Let promise be a new promise in this object's realm.
        // Steps 11 and 12. The target is the document that is active in the target window when the constellation gets
        // to it. One whose frame has been removed already has no traversable to look in.
        if target.is_browsing_context_discarded()
            || ScriptThread::window_proxies()
                .find_window_proxy(target.browsing_context_id())
                .is_none()
        {
            return self.rejected_promise(
                cx,
                Error::InvalidState(Some(failed("The tool's frame has been removed."))),
            );
        }

        // Step 13. Let uuid be a new unique internal value.
        let execution = ExecutionId::new();

        // Step 14. With a signal:
        if let Some(signal) = &options.signal {
            // Step 14.2. One that is aborted already rejects the promise with its reason.
            if signal.aborted() {
                return self.promise_rejected_by_signal(cx, signal);
            }
            // Step 14.3. The traversable is the target's, which the constellation knows by the execution.
            // Step 14.4. Add the abort steps.
            signal.add(&AbortAlgorithm::ModelContext(
                ModelContextAbortAlgorithm::Cancel(Dom::from_ref(self), execution),
            ));
        }

        // Step 15. In parallel, find the tool and run it.
        let promise = Promise::new(cx, &self.global());
        self.calls
            .borrow_mut()
            .insert(execution, promise.to_traced());
        self.send(ScriptToModelContextMessage::ExecuteTool {
            execution,
            target: target.browsing_context_id(),
            expected_target_origin,
            tool_name: tool.name.to_string(),
            input_arguments,
        });

        // Step 16. Return promise.
        promise
    }

    // <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-ontoolchange>
    event_handler!(toolchange, GetOntoolchange, SetOntoolchange);

    // <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-ontoolactivated>
    event_handler!(toolactivated, GetOntoolactivated, SetOntoolactivated);

    // <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-ontoolcancel>
    event_handler!(toolcancel, GetOntoolcancel, SetOntoolcancel);
}

impl ModelContext {
    /// A promise of this object's realm, rejected with the reason of an aborted signal.
    fn promise_rejected_by_signal(
        &self,
        cx: &mut JSContext,
        signal: &crate::dom::abortsignal::AbortSignal,
    ) -> RootedPromise {
        let promise = Promise::new(cx, &self.global());
        rooted!(&in(cx) let mut reason = UndefinedValue());
        signal.Reason(reason.handle_mut());
        promise.reject(cx, reason.handle());
        promise
    }
}

/// Take the promise of a request out of its table, if it is still there.
fn take_promise<Key: Eq + Hash>(
    cx: &JSContext,
    promises: &DomRefCell<HashMapTracedValues<Key, TracedPromise>>,
    key: &Key,
) -> Option<RootedPromise> {
    promises
        .borrow_mut()
        .remove(key)
        .map(|promise| promise.root(cx))
}

/// The origins of the list of URLs that is the `member` of the options of `method`. All have to be potentially
/// trustworthy; the error names the first that is not.
fn parse_origins(
    method: &str,
    member: &str,
    urls: Option<&[USVString]>,
) -> Result<Vec<ImmutableOrigin>, Error> {
    urls.unwrap_or_default()
        .iter()
        .map(|url| {
            ServoUrl::parse(&url.0)
                .ok()
                .map(|parsed| parsed.origin())
                .filter(ImmutableOrigin::is_potentially_trustworthy)
                .ok_or_else(|| {
                    let why = format!(
                        "\"{}\" in '{member}' is not the URL of a potentially trustworthy origin.",
                        url.0
                    );
                    Error::Security(Some(failure_text(method, &why)))
                })
        })
        .collect()
}

/// The message of an error of a method.
fn failure_text(method: &str, why: &str) -> String {
    format!("Failed to execute '{method}' on 'ModelContext': {why}")
}

fn type_error(message: String) -> Error {
    Error::Type(std::ffi::CString::new(message).unwrap_or_default())
}

fn name_error_text(error: InvalidToolName) -> String {
    format!("The tool's name is not valid: {error}")
}

/// What a caller is told when its call fails. Nothing in it comes from the tool's document.
fn call_failure_message(kind: ToolFailureKind) -> &'static str {
    match kind {
        ToolFailureKind::DifferentTraversable => "The tool's frame is not in this page.",
        ToolFailureKind::OriginMismatch => {
            "The tool's frame has another origin than the tool says."
        }
        ToolFailureKind::NoSuchTool => "The tool's document has no tool of that name.",
        ToolFailureKind::NotExposed => "The tool is not exposed to this origin.",
        ToolFailureKind::InvalidInput => "The tool's document could not read the input.",
        ToolFailureKind::CallbackThrew => "The tool failed.",
        ToolFailureKind::ResultNotSerializable => "The tool's result has no JSON text.",
        ToolFailureKind::TargetGone => "The tool's document went away.",
        _ => "The tool could not be run.",
    }
}
