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
//! `O` is the type of origins; its equality must be "same origin". Text becomes an origin through a
//! function of the caller's, `parse_origin`, which gives the origin of an absolute URL, and `None`
//! for every other text.
//!
//! Everything in an allowlist that is neither a keyword nor an origin matches nothing. Among that
//! are source expressions with wildcards (`https://*.example.com`) and of a scheme alone
//! (`https:`), which the specification knows.
//!
//! Norm: <https://w3c.github.io/webappsec-permissions-policy/>

mod allowlist;
mod attribute;
mod engine;
mod feature;
mod header;

pub use allowlist::{Allowlist, PolicyDirective};
pub use attribute::{
    ContainerInputs, parse_policy_directive, process_permissions_policy_attributes,
};
pub use engine::PermissionsPolicy;
pub use feature::{DefaultAllowlist, Feature};
pub use header::parse_permissions_policy_header;
