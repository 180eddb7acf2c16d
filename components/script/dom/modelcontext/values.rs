/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! JSON and exceptions, as WebMCP needs them.

use std::ffi::c_void;
use std::slice;

use encoding_rs::mem::{convert_str_to_utf16, convert_utf16_to_str_partial};
use js::context::JSContext;
use js::conversions::{ConversionResult, FromJSValConvertible};
use js::jsval::UndefinedValue;
use js::rust::wrappers2::{
    JS_ClearPendingException, JS_GetPendingException, JS_ParseJSON, JS_ParseJSON2, ToJSON,
};
use js::rust::{HandleObject, HandleValue, MutableHandleValue};
use script_bindings::reflector::reflect_dom_object;

use crate::dom::bindings::error::{Error, Fallible};
use crate::dom::bindings::reflector::DomGlobal;
use crate::dom::bindings::root::DomRoot;
use crate::dom::bindings::str::{DOMString, USVString};
use crate::dom::domexception::DOMException;
use crate::dom::globalscope::GlobalScope;
use crate::dom::promise::Promise;

/// Parse JSON text in the current realm. The error is the text of the exception; none is left pending.
///
/// <https://infra.spec.whatwg.org/#parse-a-json-string-to-a-javascript-value>
#[expect(unsafe_code)]
pub(super) fn parse_json(
    cx: &mut JSContext,
    text: &str,
    rval: MutableHandleValue,
) -> Result<(), String> {
    let too_long = |_| "The JSON text is too long.".to_owned();
    let parsed = if text.is_ascii() {
        // Nearly all texts are, and the engine takes them as they are.
        let length = u32::try_from(text.len()).map_err(too_long)?;
        // SAFETY: the pointer and the length are those of a live string, whose bytes are characters of Latin-1.
        unsafe { JS_ParseJSON2(cx, text.as_ptr(), length, rval) }
    } else {
        let mut units = vec![0; text.len()];
        let length = convert_str_to_utf16(text, &mut units);
        units.truncate(length);
        let length = u32::try_from(units.len()).map_err(too_long)?;
        // SAFETY: the pointer and the length are those of a live vector.
        unsafe { JS_ParseJSON(cx, units.as_ptr(), length, rval) }
    };
    if parsed {
        return Ok(());
    }
    Err(take_pending_exception(cx))
}

/// The JSON text of a value. An error is what the script that this runs has thrown, which is pending then, or a
/// `TypeError` for a value that has no JSON text.
///
/// The engine's own function for this is two thirds slower with large texts: it goes through them character by
/// character.
///
/// <https://infra.spec.whatwg.org/#serialize-a-javascript-value-to-a-json-string>
#[expect(unsafe_code)]
pub(super) fn json_text(cx: &mut JSContext, value: HandleValue) -> Fallible<String> {
    /// Called with parts of the text, or not at all if there is none.
    unsafe extern "C" fn append(units: *const u16, length: u32, text: *mut c_void) -> bool {
        // SAFETY: `text` is what `ToJSON` below was given, which borrows it until it returns.
        let text = unsafe { &mut *text.cast::<Option<String>>() };
        // SAFETY: the engine gives the pointer and the length of a buffer of its own.
        let units = unsafe { slice::from_raw_parts(units, length as usize) };
        push_utf16(text.get_or_insert_default(), units);
        true
    }

    let mut text: Option<String> = None;
    // SAFETY: `value` is rooted, and `text` outlives the call.
    let done = unsafe {
        ToJSON(
            cx,
            value,
            HandleObject::null(),
            HandleValue::null(),
            Some(append),
            (&raw mut text).cast(),
        )
    };
    if !done {
        return Err(Error::JSFailed);
    }
    text.ok_or_else(|| Error::Type(c"The value has no JSON text.".to_owned()))
}

/// Append what JSON text consists of; what is no Unicode becomes U+FFFD.
fn push_utf16(text: &mut String, mut units: &[u16]) {
    while !units.is_empty() {
        // Enough for ASCII, and for one character of any kind.
        let mut room = "\0".repeat(units.len() + 3);
        let (read, written) = convert_utf16_to_str_partial(units, &mut room);
        text.push_str(&room[..written]);
        units = &units[read..];
    }
}

/// The JSON text of a value. The error is the text of the exception; none is left pending.
pub(super) fn serialize_to_json(cx: &mut JSContext, value: HandleValue) -> Result<String, String> {
    match json_text(cx, value) {
        Ok(text) => Ok(text),
        Err(Error::JSFailed) => Err(take_pending_exception(cx)),
        Err(Error::Type(message)) => Err(message.to_string_lossy().into_owned()),
        Err(_) => Err("The value has no JSON text.".into()),
    }
}

/// The text of a string value.
pub(super) fn string_text(cx: &mut JSContext, value: HandleValue) -> String {
    text(cx, value).unwrap_or_default()
}

/// The text of an exception, for a message: what converting it to a string gives, such as "TypeError: x is undefined".
/// That may run script, and may itself throw, for which there is a text too.
pub(super) fn exception_text(cx: &mut JSContext, exception: HandleValue) -> String {
    text(cx, exception).unwrap_or_else(|| "An exception that cannot be converted to text.".into())
}

/// A value converted to a string, or `None` if that throws. No exception is left pending.
fn text(cx: &mut JSContext, value: HandleValue) -> Option<String> {
    match USVString::from_jsval(cx, value, ()) {
        Ok(ConversionResult::Success(USVString(text))) => Some(text),
        _ => {
            clear_pending_exception(cx);
            None
        }
    }
}

/// Take the pending exception, if there is one, and give its text.
#[expect(unsafe_code)]
fn take_pending_exception(cx: &mut JSContext) -> String {
    rooted!(&in(cx) let mut exception = UndefinedValue());
    // SAFETY: `exception` is rooted.
    let taken = unsafe { JS_GetPendingException(cx, exception.handle_mut()) };
    clear_pending_exception(cx);
    if taken {
        exception_text(cx, exception.handle())
    } else {
        "The script was stopped.".into()
    }
}

#[expect(unsafe_code)]
fn clear_pending_exception(cx: &mut JSContext) {
    // SAFETY: only touches the context.
    unsafe { JS_ClearPendingException(cx) };
}

/// Reject a promise with an "UnknownError" `DOMException`, which the engine's own list of errors does not have.
///
/// <https://webidl.spec.whatwg.org/#unknownerror>
pub(super) fn reject_with_unknown_error(cx: &mut JSContext, promise: &Promise, message: &str) {
    let exception = unknown_error(cx, &promise.global(), message);
    promise.reject_native(cx, &exception);
}

fn unknown_error(cx: &mut JSContext, global: &GlobalScope, message: &str) -> DomRoot<DOMException> {
    reflect_dom_object(
        cx,
        Box::new(DOMException::new_inherited(
            DOMString::from(message),
            DOMString::from_static("UnknownError"),
        )),
        global,
    )
}
