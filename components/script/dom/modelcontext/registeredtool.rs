/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The `RegisteredTool` dictionary: <https://webmachinelearning.github.io/webmcp/#dictdef-registeredtool>.

use ::modelcontext::{ToolAnnotations as CoreAnnotations, ToolDefinition};
use js::context::JSContext;
use js::glue::GetProxyReservedSlot;
use js::jsapi::{Heap, IsWindowProxy};
use js::jsval::{JSVal, ObjectValue, UndefinedValue};
use js::rust::HandleValue;
use script_bindings::reflector::DomObject;
use script_bindings::trace::RootedTraceableBox;
use servo_base::id::{BrowsingContextId, WebViewId};
use servo_constellation_traits::CollectedTools;
use servo_url::ImmutableOrigin;

use crate::conversions::Convert;
use crate::dom::bindings::codegen::Bindings::ModelContextBinding::{
    RegisteredTool, ToolAnnotations,
};
use crate::dom::bindings::root::DomRoot;
use crate::dom::bindings::str::USVString;
use crate::dom::globalscope::GlobalScope;
use crate::dom::modelcontext::values::parse_json;
use crate::dom::windowproxy::{CreatorBrowsingContextInfo, WindowProxy};
use crate::event_loop::script_thread::ScriptThread;

type RootedTool = RootedTraceableBox<RegisteredTool>;

impl Convert<ToolAnnotations> for CoreAnnotations {
    fn convert(self) -> ToolAnnotations {
        ToolAnnotations {
            readOnlyHint: self.read_only_hint,
            untrustedContentHint: self.untrusted_content_hint,
            consequentialHint: self.consequential_hint,
            debugging: self.debugging,
        }
    }
}

impl Convert<CoreAnnotations> for &ToolAnnotations {
    fn convert(self) -> CoreAnnotations {
        CoreAnnotations {
            read_only_hint: self.readOnlyHint,
            untrusted_content_hint: self.untrustedContentHint,
            consequential_hint: self.consequentialHint,
            debugging: self.debugging,
        }
    }
}

/// Make the dictionaries that `getTools()` resolves with, in the current realm.
///
/// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-gettools>
pub(super) fn create_registered_tools(
    cx: &mut JSContext,
    global: &GlobalScope,
    webview_id: WebViewId,
    collected: CollectedTools,
) -> Vec<RootedTool> {
    let owners: Vec<_> = collected
        .owners
        .into_iter()
        .map(|owner| {
            let window = window_proxy_of(cx, global, webview_id, &owner.ancestry);
            (window, USVString(owner.origin))
        })
        .collect();
    collected
        .tools
        .into_iter()
        .filter_map(|(owner, definition)| {
            let (window, origin) = owners.get(owner)?;
            let window = window.as_ref()?;
            Some(create_registered_tool(
                cx,
                window,
                origin.clone(),
                &definition,
            ))
        })
        .collect()
}

/// Step 9.3.8.2 of `getTools()`.
fn create_registered_tool(
    cx: &mut JSContext,
    window: &WindowProxy,
    origin: USVString,
    definition: &ToolDefinition<ImmutableOrigin>,
) -> RootedTool {
    // A schema whose JSON text is not that of an object is left out, since the member is an object.
    let input_schema = definition.input_schema.as_ref().and_then(|schema| {
        rooted!(&in(cx) let mut value = UndefinedValue());
        parse_json(cx, schema, value.handle_mut()).ok()?;
        value
            .is_object()
            .then(|| RootedTraceableBox::from_box(Heap::boxed(value.to_object())))
    });
    rooted!(&in(cx) let window: JSVal = ObjectValue(window.reflector().get_jsobject().get()));
    RootedTraceableBox::new(RegisteredTool {
        name: definition.name.as_str().into(),
        title: Some(definition.title.as_str().into()),
        description: definition.description.as_str().into(),
        inputSchema: input_schema,
        window: RootedTraceableBox::from_box(Heap::boxed(window.get())),
        origin,
        annotations: definition.annotations.map(Convert::convert),
    })
}

/// The `WindowProxy` of the first browsing context of `ancestry`, which goes on with its ancestors up to the top. Those
/// of documents in other event loops are made here if script has not met them yet.
fn window_proxy_of(
    cx: &mut JSContext,
    global: &GlobalScope,
    webview_id: WebViewId,
    ancestry: &[BrowsingContextId],
) -> Option<DomRoot<WindowProxy>> {
    let window_proxies = ScriptThread::window_proxies();
    let mut current: Option<DomRoot<WindowProxy>> = None;
    for browsing_context_id in ancestry.iter().rev() {
        let window_proxy = match window_proxies.find_window_proxy(*browsing_context_id) {
            Some(window_proxy) => window_proxy,
            None => {
                let window_proxy = WindowProxy::new_dissimilar_origin(
                    cx,
                    global,
                    *browsing_context_id,
                    webview_id,
                    current.as_deref(),
                    None,
                    CreatorBrowsingContextInfo::from(current.as_deref(), None),
                );
                window_proxies.insert(*browsing_context_id, &window_proxy);
                window_proxy
            }
        };
        current = Some(window_proxy);
    }
    current
}

/// The `WindowProxy` that a value is, or `None` if it is none.
#[expect(unsafe_code)]
pub(super) fn window_proxy_from_value(value: HandleValue) -> Option<DomRoot<WindowProxy>> {
    if !value.is_object() {
        return None;
    }
    let object = value.to_object();
    // SAFETY: `object` is a live object, since `value` is rooted, and no collection can happen in here.
    if !unsafe { IsWindowProxy(object) } {
        return None;
    }
    let mut slot = UndefinedValue();
    // SAFETY: the first slot of every WindowProxy of this engine holds the `WindowProxy` that owns it, which lives as
    // long as the object does.
    unsafe {
        GetProxyReservedSlot(object, 0, &mut slot);
        let window_proxy = slot.to_private() as *const WindowProxy;
        window_proxy.as_ref().map(DomRoot::from_ref)
    }
}
