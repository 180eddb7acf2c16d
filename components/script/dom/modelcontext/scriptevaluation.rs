/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the embedder asks of a document: scripts that it wants evaluated and whose promise it wants awaited, and the
//! HTTP status.
//!
//! AD-HOC: the engine's own evaluation does not await promises, and it keeps the status to itself.

use embedder_traits::JavaScriptEvaluationError;
use js::context::JSContext;
use js::jsval::UndefinedValue;
use js::realm::CurrentRealm;
use js::rust::HandleValue;
use servo_constellation_traits::{ScriptOutcome, ScriptToModelContextMessage};
use uuid::Uuid;

use crate::dom::bindings::root::Dom;
use crate::dom::document::Document;
use crate::dom::modelcontext::documentmodelcontext::send_to_constellation;
use crate::dom::modelcontext::values::{exception_text, serialize_to_json};
use crate::dom::promise::Promise;
use crate::dom::promisenativehandler::{Callback, PromiseNativeHandler};
use crate::realms::enter_auto_realm;

/// Evaluate a script and report what it gives, or what the promise it gives settles with.
pub(super) fn evaluate(cx: &mut JSContext, document: &Document, evaluation: Uuid, script: String) {
    let global = document.window().as_global_scope();
    let mut realm = enter_auto_realm(cx, global);
    let mut realm = realm.current_realm();
    let cx = &mut realm;

    rooted!(&in(cx) let mut value = UndefinedValue());
    if let Err(error) =
        global.evaluate_js_on_global(cx, script.into(), "", None, Some(value.handle_mut()))
    {
        return report(document, evaluation, Err(evaluation_error_text(error)));
    }
    let promise = Promise::resolve_or_wrap_promise(cx, value.handle(), global);
    let handler = PromiseNativeHandler::new(
        cx,
        global,
        Some(Box::new(ScriptFulfilled {
            document: Dom::from_ref(document),
            evaluation,
        })),
        Some(Box::new(ScriptRejected {
            document: Dom::from_ref(document),
            evaluation,
        })),
    );
    promise.append_native_handler(cx, &handler);
}

/// Report the HTTP status of the response that a document was made from, as the value of a script.
pub(super) fn report_http_status(document: &Document, evaluation: Uuid) {
    let status = document.status_code().map(|status| status.to_string());
    report(document, evaluation, Ok(status));
}

fn report(document: &Document, evaluation: Uuid, outcome: ScriptOutcome) {
    send_to_constellation(
        document,
        ScriptToModelContextMessage::ScriptEvaluated(evaluation, outcome),
    );
}

fn evaluation_error_text(error: JavaScriptEvaluationError) -> String {
    match error {
        JavaScriptEvaluationError::EvaluationFailure(Some(info)) => info.message,
        JavaScriptEvaluationError::EvaluationFailure(None) => "The script was stopped.".into(),
        JavaScriptEvaluationError::CompilationFailure => "The script has a syntax error.".into(),
        error => format!("The script could not be evaluated: {error:?}"),
    }
}

/// The reaction to a script's promise that is fulfilled.
#[derive(JSTraceable, MallocSizeOf)]
#[cfg_attr(crown, crown::unrooted_must_root_lint::must_root)]
struct ScriptFulfilled {
    document: Dom<Document>,
    #[no_trace]
    evaluation: Uuid,
}

impl Callback for ScriptFulfilled {
    fn callback(&self, cx: &mut CurrentRealm, value: HandleValue) {
        let outcome = if value.is_undefined() {
            Ok(None)
        } else {
            serialize_to_json(cx, value).map(Some)
        };
        report(&self.document.as_rooted(), self.evaluation, outcome)
    }
}

/// The reaction to a script's promise that is rejected.
#[derive(JSTraceable, MallocSizeOf)]
#[cfg_attr(crown, crown::unrooted_must_root_lint::must_root)]
struct ScriptRejected {
    document: Dom<Document>,
    #[no_trace]
    evaluation: Uuid,
}

impl Callback for ScriptRejected {
    fn callback(&self, cx: &mut CurrentRealm, reason: HandleValue) {
        let text = exception_text(cx, reason);
        report(&self.document.as_rooted(), self.evaluation, Err(text))
    }
}
