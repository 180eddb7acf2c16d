/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Permissions policy: which powerful features a document may use.
//!
//! A document's [`PermissionsPolicy`] is computed once, when the document is created:
//! [`PermissionsPolicy::for_top_level`] for one without a parent, [`PermissionsPolicy::for_nested`]
//! for one in a frame, from the container's attributes ([`ContainerInputs`]) and the parent's own
//! policy. Later changes of the container's attributes count for the next document.
//! [`PermissionsPolicy::allows`] then answers every question.
//!
//! `O` is the type of origins; its equality must be "same origin". The caller's [`OriginParts`]
//! make an origin of a text and take one apart.
//!
//! A header may have an [`OriginPattern`] where it may have an origin: `https://*.example.com`, or a
//! scheme alone (`https:`). Everything else in an allowlist that is neither a keyword nor an origin
//! matches nothing.
//!
//! Norm: <https://w3c.github.io/webappsec-permissions-policy/>

mod allowlist;
mod attribute;
mod engine;
mod feature;
mod header;
mod pattern;

pub use allowlist::{Allowlist, PolicyDirective};
pub use attribute::{
    ContainerInputs, parse_policy_directive, process_permissions_policy_attributes,
};
pub use engine::{OriginParts, PermissionsPolicy};
pub use feature::{DefaultAllowlist, Feature};
pub use header::parse_permissions_policy_header;
pub use pattern::{HostPattern, OriginPattern, TupleOrigin};
