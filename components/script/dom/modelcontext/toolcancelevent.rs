/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use dom_struct::dom_struct;
use js::context::JSContext;
use js::rust::HandleObject;
use script_bindings::reflector::reflect_dom_object_with_proto;
use stylo_atoms::Atom;

use crate::dom::bindings::codegen::Bindings::EventBinding::EventMethods;
use crate::dom::bindings::codegen::Bindings::ToolCancelEventBinding::{
    ToolCancelEventInit, ToolCancelEventMethods,
};
use crate::dom::bindings::inheritance::Castable;
use crate::dom::bindings::root::DomRoot;
use crate::dom::bindings::str::DOMString;
use crate::dom::event::Event;
use crate::dom::window::Window;

/// <https://webmachinelearning.github.io/webmcp/#toolcancelevent>
#[dom_struct]
pub(crate) struct ToolCancelEvent {
    event: Event,
    tool_name: DOMString,
}

impl ToolCancelEvent {
    fn new_inherited(tool_name: DOMString) -> ToolCancelEvent {
        ToolCancelEvent {
            event: Event::new_inherited(),
            tool_name,
        }
    }

    /// The event that tells that the tool of the given name has been cancelled. It neither bubbles nor can be
    /// cancelled.
    pub(crate) fn new(
        cx: &mut JSContext,
        window: &Window,
        tool_name: DOMString,
    ) -> DomRoot<ToolCancelEvent> {
        let event = Self::new_with_proto(cx, window, None, tool_name);
        event
            .upcast::<Event>()
            .init_event(Atom::from("toolcancel"), false, false);
        event
    }

    fn new_with_proto(
        cx: &mut JSContext,
        window: &Window,
        proto: Option<HandleObject>,
        tool_name: DOMString,
    ) -> DomRoot<ToolCancelEvent> {
        reflect_dom_object_with_proto(
            cx,
            Box::new(ToolCancelEvent::new_inherited(tool_name)),
            window,
            proto,
        )
    }
}

impl ToolCancelEventMethods<crate::DomTypeHolder> for ToolCancelEvent {
    /// <https://webmachinelearning.github.io/webmcp/#toolcancelevent>
    fn Constructor(
        cx: &mut JSContext,
        window: &Window,
        proto: Option<HandleObject>,
        type_: DOMString,
        init: &ToolCancelEventInit,
    ) -> DomRoot<ToolCancelEvent> {
        let event = Self::new_with_proto(cx, window, proto, init.toolName.clone());
        {
            let event = event.upcast::<Event>();
            event.init_event(
                Atom::from(type_),
                init.parent.bubbles,
                init.parent.cancelable,
            );
            event.set_composed(init.parent.composed);
        }
        event
    }

    /// <https://webmachinelearning.github.io/webmcp/#dom-toolcancelevent-toolname>
    fn ToolName(&self) -> DOMString {
        self.tool_name.clone()
    }

    /// <https://dom.spec.whatwg.org/#dom-event-istrusted>
    fn IsTrusted(&self) -> bool {
        self.event.IsTrusted()
    }
}
