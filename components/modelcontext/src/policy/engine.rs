/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The policy of a document.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    Allowlist, ContainerInputs, DefaultAllowlist, Feature, PolicyDirective, TupleOrigin,
    parse_permissions_policy_header, process_permissions_policy_attributes,
};

/// <https://w3c.github.io/webappsec-permissions-policy/#permissions-policies>
///
/// A document's permissions policy: what it inherits from where it stands, and what its response
/// declares.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct PermissionsPolicy<O> {
    /// The features whose inherited policy is "Enabled"; it is "Disabled" for all others.
    inherited: BTreeSet<Feature>,
    /// The declared policy. Has no entry for a feature whose inherited policy is "Disabled".
    declared: PolicyDirective<O>,
}

/// How to make an origin of a text, and how to take one apart.
pub struct OriginParts<'a, O> {
    /// The origin of an absolute URL, and `None` for every other text.
    pub parse: &'a dyn Fn(&str) -> Option<O>,
    /// The parts of an origin; `None` for an opaque one.
    pub tuple: &'a dyn Fn(&O) -> Option<TupleOrigin>,
}

/// A document with a container: the container, and the document that the container is in.
struct Container<'a, O> {
    inputs: &'a ContainerInputs<O>,
    document_policy: &'a PermissionsPolicy<O>,
    document_origin: &'a O,
}

impl<O: Clone + PartialEq> PermissionsPolicy<O> {
    /// The policy of a document of `origin` at the top of its traversable.
    ///
    /// `header` is the combined value of the response's `Permissions-Policy` header, the lines
    /// joined by a comma, or `None` without one.
    pub fn for_top_level(
        header: Option<&str>,
        origin: &O,
        parts: &OriginParts<'_, O>,
    ) -> PermissionsPolicy<O> {
        create_a_permissions_policy_for_a_navigable_from_response(None, origin, header, parts)
    }

    /// The policy of a document of `origin` in a frame, where `container` is what the frame's
    /// element says, and `parent_policy` and `parent_origin` belong to the element's document.
    ///
    /// `header` is the combined value of the response's `Permissions-Policy` header, the lines
    /// joined by a comma, or `None` without one.
    pub fn for_nested(
        container: &ContainerInputs<O>,
        parent_policy: &PermissionsPolicy<O>,
        parent_origin: &O,
        origin: &O,
        header: Option<&str>,
        parts: &OriginParts<'_, O>,
    ) -> PermissionsPolicy<O> {
        let container = Container {
            inputs: container,
            document_policy: parent_policy,
            document_origin: parent_origin,
        };
        create_a_permissions_policy_for_a_navigable_from_response(
            Some(&container),
            origin,
            header,
            parts,
        )
    }

    /// The policy of a document in a frame of which nothing is known: it allows nothing. No algorithm asks for it; it
    /// is what remains when the one who knows the frame does not answer.
    pub fn nothing() -> PermissionsPolicy<O> {
        PermissionsPolicy {
            inherited: BTreeSet::new(),
            declared: PolicyDirective::new(),
        }
    }

    /// <https://html.spec.whatwg.org/multipage/iframe-embed-object.html#allowed-to-use>
    ///
    /// Whether the document, which is of `document_origin`, may use `feature` itself: step 3 of
    /// "allowed to use". That the document is fully active (steps 1 and 2) is for the caller to see
    /// to.
    pub fn allows(&self, feature: Feature, document_origin: &O) -> bool {
        self.is_enabled(feature, document_origin, document_origin, |allowlist| {
            allowlist.names(document_origin)
        })
    }

    /// <https://w3c.github.io/webappsec-permissions-policy/#algo-is-feature-enabled>
    ///
    /// "Is feature enabled in document for origin": whether the document, which is of
    /// `document_origin`, has `feature` on for content of `asked_origin`.
    pub fn is_enabled_for_origin(
        &self,
        feature: Feature,
        document_origin: &O,
        asked_origin: &O,
        tuple_of: &dyn Fn(&O) -> Option<TupleOrigin>,
    ) -> bool {
        self.is_enabled(feature, document_origin, asked_origin, |allowlist| {
            allowlist.matches(asked_origin, tuple_of)
        })
    }

    fn is_enabled(
        &self,
        feature: Feature,
        document_origin: &O,
        asked_origin: &O,
        matches: impl FnOnce(&Allowlist<O>) -> bool,
    ) -> bool {
        // Steps 1 and 2. What is not inherited is off.
        if !self.inherited.contains(&feature) {
            return false;
        }

        // Step 3. What is declared decides.
        if let Some(allowlist) = self.declared.get(&feature) {
            return matches(allowlist);
        }

        // Steps 4 to 6. Otherwise the default does.
        matches_default_allowlist(feature, asked_origin, document_origin)
    }

    /// <https://w3c.github.io/webappsec-permissions-policy/#algo-get-feature-value>
    ///
    /// "Get feature value for origin": whether the document may hand on `feature` to a frame of
    /// `origin`.
    fn feature_value_for_origin(
        &self,
        feature: Feature,
        origin: &O,
        tuple_of: &dyn Fn(&O) -> Option<TupleOrigin>,
    ) -> bool {
        // Steps 1 and 2. What is not inherited is off.
        // Step 3. What is declared decides.
        // Step 4. Otherwise it is on.
        self.inherited.contains(&feature)
            && self
                .declared
                .get(&feature)
                .is_none_or(|allowlist| allowlist.matches(origin, tuple_of))
    }
}

/// <https://w3c.github.io/webappsec-permissions-policy/#algo-create-from-response>
///
/// "Create a Permissions Policy for a navigable from response".
fn create_a_permissions_policy_for_a_navigable_from_response<O: Clone + PartialEq>(
    container: Option<&Container<'_, O>>,
    origin: &O,
    header: Option<&str>,
    parts: &OriginParts<'_, O>,
) -> PermissionsPolicy<O> {
    // Step 1. What is inherited.
    let inherited = inherited_policy(container, origin, parts);

    // Step 2. What the response declares.
    let mut declared = match header {
        Some(header) => parse_permissions_policy_header(header, origin, parts.parse),
        None => PolicyDirective::new(),
    };

    // Step 3. Declarations count where the feature is inherited.
    declared.retain(|feature, _| inherited.contains(feature));

    // Whether a pattern stands for the document itself is settled here, so that later questions
    // about it need not take its origin apart.
    for allowlist in declared.values_mut() {
        if allowlist.matches(origin, parts.tuple)
            && let Allowlist::Origins { self_origin, .. } = allowlist
        {
            *self_origin = Some(origin.clone());
        }
    }

    // Step 4. Both together are the policy.
    PermissionsPolicy {
        inherited,
        declared,
    }
}

/// <https://w3c.github.io/webappsec-permissions-policy/#algo-create-for-navigable>
///
/// "Create a Permissions Policy for a navigable": the inherited policy for every feature.
fn inherited_policy<O: Clone + PartialEq>(
    container: Option<&Container<'_, O>>,
    origin: &O,
    parts: &OriginParts<'_, O>,
) -> BTreeSet<Feature> {
    // The container policy is the same for all features, so step 4 of "define an inherited policy
    // for feature in container at origin" is done once.
    let container = container.map(|container| {
        let policy = process_permissions_policy_attributes(
            container.inputs,
            container.document_origin,
            parts.parse,
        );
        (container, policy)
    });
    let is_inherited = |feature: &Feature| match &container {
        // Step 1 of "define an inherited policy …". Without a container everything is inherited.
        None => true,
        Some((container, policy)) => {
            define_an_inherited_policy(*feature, container, policy, origin, parts.tuple)
        }
    };
    Feature::ALL.iter().copied().filter(is_inherited).collect()
}

/// <https://w3c.github.io/webappsec-permissions-policy/#algo-define-inherited-policy-in-container>
///
/// "Define an inherited policy for feature in container at origin", for a container that is not
/// null.
fn define_an_inherited_policy<O: Clone + PartialEq>(
    feature: Feature,
    container: &Container<'_, O>,
    container_policy: &PolicyDirective<O>,
    origin: &O,
    tuple_of: &dyn Fn(&O) -> Option<TupleOrigin>,
) -> bool {
    // Step 1. The container is not null.

    // Step 2. The container's document must have the feature itself.
    let Container {
        document_policy,
        document_origin,
        ..
    } = container;
    if !document_policy.feature_value_for_origin(feature, document_origin, tuple_of) {
        return false;
    }

    // Step 3. Its response must not have forbidden to hand it on to the origin.
    if !document_policy.feature_value_for_origin(feature, origin, tuple_of) {
        return false;
    }

    // Steps 4 and 5. What the element says decides.
    if let Some(allowlist) = container_policy.get(&feature) {
        return allowlist.matches(origin, tuple_of);
    }

    // Steps 6 to 8. Otherwise the default does.
    matches_default_allowlist(feature, origin, document_origin)
}

/// Whether the default allowlist of `feature` matches `origin`, where `'self'` is `self_origin`.
fn matches_default_allowlist<O: PartialEq>(feature: Feature, origin: &O, self_origin: &O) -> bool {
    match feature.default_allowlist() {
        DefaultAllowlist::Everything => true,
        DefaultAllowlist::SelfOrigin => origin == self_origin,
    }
}

#[cfg(test)]
mod tests;
