/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What WebMCP keeps with each `Document`, and what a document tells the constellation of itself and of its frames.

use std::cell::{Cell, RefCell};

use ::modelcontext::policy::{ContainerInputs, Feature, PermissionsPolicy};
use ::modelcontext::{AgentClusterKeys, origin_agent_cluster_header};
use html5ever::{LocalName, local_name};
use http::HeaderMap;
use js::context::JSContext;
use log::warn;
use script_bindings::cell::DomRefCell;
use servo_base::generic_channel;
use servo_config::pref;
use servo_constellation_traits::{
    ORIGIN_PARTS, ScriptToConstellationMessage, ScriptToModelContextMessage,
};
use servo_url::ImmutableOrigin;

use crate::dom::bindings::codegen::Bindings::PermissionStatusBinding::PermissionName;
use crate::dom::bindings::inheritance::Castable;
use crate::dom::bindings::root::{DomRoot, MutNullableDom};
use crate::dom::document::Document;
use crate::dom::element::Element;
use crate::dom::html::htmliframeelement::HTMLIFrameElement;
use crate::dom::modelcontext::ModelContext;
use crate::dom::modelcontext::route::open_route;
use crate::dom::node::node::NodeTraits;

thread_local! {
    /// The historical agent cluster key map. An event loop belongs to one browsing context group, so one map for each
    /// event loop stands in for the one of the group.
    ///
    /// <https://html.spec.whatwg.org/multipage/#historical-agent-cluster-key-map>
    static AGENT_CLUSTER_KEYS: RefCell<AgentClusterKeys<ImmutableOrigin>> = RefCell::default();
}

/// What WebMCP keeps with a `Document`.
#[derive(Default, JSTraceable, MallocSizeOf)]
#[cfg_attr(crown, crown::unrooted_must_root_lint::must_root)]
pub(crate) struct DocumentModelContext {
    /// <https://webmachinelearning.github.io/webmcp/#dom-document-modelcontext>
    model_context: MutNullableDom<ModelContext>,

    /// The document's permissions policy. Without one, which is so for documents without a browsing context and when
    /// the preference is off, nothing is denied.
    ///
    /// <https://html.spec.whatwg.org/multipage/#concept-document-permissions-policy>
    #[no_trace]
    #[ignore_malloc_size_of = "Defined in modelcontext"]
    permissions_policy: DomRefCell<Option<PermissionsPolicy<ImmutableOrigin>>>,

    /// <https://html.spec.whatwg.org/multipage/#is-origin-keyed>
    is_origin_keyed: Cell<bool>,
}

impl DocumentModelContext {
    /// The document's `ModelContext`, made when it is first asked for.
    pub(crate) fn get_or_create(
        &self,
        cx: &mut JSContext,
        document: &Document,
    ) -> DomRoot<ModelContext> {
        self.model_context
            .or_init(|| ModelContext::new(cx, document))
    }

    /// Whether there is a permissions policy that decides what the document may do.
    pub(crate) fn has_permissions_policy(&self) -> bool {
        self.permissions_policy.borrow().is_some()
    }

    /// Step 3 of "allowed to use", for a document that is fully active.
    ///
    /// <https://html.spec.whatwg.org/multipage/#allowed-to-use>
    pub(crate) fn is_feature_enabled(&self, document: &Document, feature: Feature) -> bool {
        self.permissions_policy
            .borrow()
            .as_ref()
            .is_none_or(|policy| policy.allows(feature, document.origin().immutable()))
    }

    /// As [`Self::is_feature_enabled`], for a feature that the engine knows by the name of its permission. A permission
    /// that no policy controls is always enabled.
    pub(crate) fn is_permission_enabled(
        &self,
        document: &Document,
        permission: PermissionName,
    ) -> bool {
        Feature::from_name(permission.as_str())
            .is_none_or(|feature| self.is_feature_enabled(document, feature))
    }

    /// Whether the agent cluster of the document is origin-keyed.
    pub(crate) fn is_origin_keyed(&self) -> bool {
        self.is_origin_keyed.get()
    }

    /// Settle what depends on how the document was loaded, and make it known to the constellation. Called when the
    /// document has its window and its browsing context and before it becomes active.
    pub(crate) fn document_created(
        &self,
        document: &Document,
        headers: Option<&HeaderMap>,
        is_nested: bool,
    ) {
        if !pref!(dom_modelcontext_enabled) {
            return;
        }
        open_route(document);

        let origin = document.origin().immutable().clone();
        self.is_origin_keyed
            .set(obtain_agent_cluster_keying(document, &origin, headers));

        let permissions_policy_header = combined_header(headers, "permissions-policy");
        let policy = if is_nested {
            // The policy depends on the container, and the constellation knows that.
            ask_for_policy(document, origin, permissions_policy_header)
        } else {
            let policy = PermissionsPolicy::for_top_level(
                permissions_policy_header.as_deref(),
                &origin,
                &ORIGIN_PARTS,
            );
            send_to_constellation(
                document,
                ScriptToModelContextMessage::DocumentCreated {
                    origin,
                    permissions_policy_header,
                    policy_sender: None,
                },
            );
            policy
        };
        *self.permissions_policy.borrow_mut() = Some(policy);
    }
}

/// Tell the constellation of a nested document and wait for the policy that it computes. Without an answer, which is so
/// for a document whose frame has been removed meanwhile, nothing is allowed.
fn ask_for_policy(
    document: &Document,
    origin: ImmutableOrigin,
    permissions_policy_header: Option<String>,
) -> PermissionsPolicy<ImmutableOrigin> {
    let Some((policy_sender, policy_receiver)) = generic_channel::channel() else {
        return PermissionsPolicy::nothing();
    };
    send_to_constellation(
        document,
        ScriptToModelContextMessage::DocumentCreated {
            origin,
            permissions_policy_header,
            policy_sender: Some(policy_sender),
        },
    );
    policy_receiver
        .recv()
        .unwrap_or_else(|_| PermissionsPolicy::nothing())
}

/// The part of "obtain similar-origin window agent" that decides on keying. Documents are origin-keyed unless they ask
/// not to be; the first document of an origin decides for the later ones.
///
/// <https://html.spec.whatwg.org/multipage/#obtain-similar-origin-window-agent>
fn obtain_agent_cluster_keying(
    document: &Document,
    origin: &ImmutableOrigin,
    headers: Option<&HeaderMap>,
) -> bool {
    if !origin.is_tuple() {
        // An agent cluster of an opaque origin is keyed by that origin.
        return true;
    }
    let requested = document
        .window()
        .as_global_scope()
        .is_secure_context()
        .then(|| {
            origin_agent_cluster_header(combined_header(headers, "origin-agent-cluster").as_deref())
        })
        .flatten();
    AGENT_CLUSTER_KEYS.with_borrow_mut(|keys| keys.keying(origin, requested))
}

/// The combined value of a header that may stand in several lines, or `None` if it is absent or not text.
///
/// <https://fetch.spec.whatwg.org/#concept-header-list-get>
fn combined_header(headers: Option<&HeaderMap>, name: &str) -> Option<String> {
    let values = headers?
        .get_all(name)
        .iter()
        .map(|value| value.to_str())
        .collect::<Result<Vec<_>, _>>()
        .ok()?;
    (!values.is_empty()).then(|| values.join(", "))
}

/// An attribute of a frame's element is about to take effect: tell the constellation if it bears on what the next
/// document of the frame may do.
pub(crate) fn container_attribute_mutated(iframe: &HTMLIFrameElement, name: &LocalName) {
    let bears_on_policy = matches!(
        *name,
        local_name!("allow")
            | local_name!("allowfullscreen")
            | local_name!("sandbox")
            | local_name!("src")
            | local_name!("srcdoc")
    );
    if bears_on_policy && pref!(dom_modelcontext_enabled) {
        container_policy_changed(iframe);
    }
}

/// A frame has been given its browsing context, and nothing of it has been loaded yet: tell the constellation where it
/// stands and what its first document may do.
pub(crate) fn frame_created(iframe: &HTMLIFrameElement) {
    if !pref!(dom_modelcontext_enabled) {
        return;
    }
    let document = iframe.owner_document();
    let frames = document
        .iframes()
        .iter()
        .filter_map(|frame| frame.browsing_context_id())
        .collect();
    send_to_constellation(
        &document,
        ScriptToModelContextMessage::FramesOrdered(frames),
    );
    container_policy_changed(iframe);
}

/// Tell the constellation what the next document of a frame may do, before it is loaded.
///
/// <https://w3c.github.io/webappsec-permissions-policy/#algo-process-policy-attributes>
fn container_policy_changed(iframe: &HTMLIFrameElement) {
    let Some(browsing_context_id) = iframe.browsing_context_id() else {
        return;
    };
    let element = iframe.upcast::<Element>();
    let inputs = ContainerInputs {
        allow: element
            .get_attribute_string_value(&local_name!("allow"))
            .map(|value| value.to_string()),
        allowfullscreen: element.has_attribute(&local_name!("allowfullscreen")),
        declared_origin: declared_origin(iframe, element),
    };
    send_to_constellation(
        &iframe.owner_document(),
        ScriptToModelContextMessage::ContainerPolicyChanged(browsing_context_id, inputs),
    );
}

/// <https://w3c.github.io/webappsec-permissions-policy/#declared-origin>
fn declared_origin(iframe: &HTMLIFrameElement, element: &Element) -> ImmutableOrigin {
    let document = iframe.owner_document();
    // A sandboxed frame has an origin of its own, unless it may keep the one of its address. The attribute is read, not
    // the flag set, which follows only after this.
    let is_sandboxed = element
        .get_attribute_string_value(&local_name!("sandbox"))
        .is_some_and(|tokens| {
            !tokens
                .split_ascii_whitespace()
                .any(|token| token.eq_ignore_ascii_case("allow-same-origin"))
        });
    if is_sandboxed {
        return ImmutableOrigin::new_opaque();
    }
    // A `srcdoc` document has the origin of its container.
    if element.has_attribute(&local_name!("srcdoc")) {
        return document.origin().immutable().clone();
    }
    // The origin of the address; the container's own where there is none.
    let url = element
        .get_attribute_string_value(&local_name!("src"))
        .filter(|src| !src.is_empty())
        .and_then(|src| document.encoding_parse_a_url(&src).ok());
    match url {
        Some(url) if url.scheme() != "about" => url.origin(),
        _ => document.origin().immutable().clone(),
    }
}

/// Send a message in the name of a document. The window's own way to the constellation does not do: it can still be in
/// the name of the initial document that the window was made for.
pub(super) fn send_to_constellation(document: &Document, message: ScriptToModelContextMessage) {
    let channel = document
        .window()
        .as_global_scope()
        .script_to_constellation_chan();
    let message = (
        channel.webview_id,
        document.pipeline_id(),
        ScriptToConstellationMessage::ModelContext(message),
    );
    if let Err(error) = channel.sender.send(message) {
        warn!("Could not send a model context message: {error:?}");
    }
}
