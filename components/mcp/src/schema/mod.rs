/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The schemas of the page's tools: what clients get of them, and whether arguments fit them.
//!
//! The page writes a schema as it likes. Three things must not happen because of that: that a client refuses the whole
//! list of tools, that anybody opens an address that the page has chosen, or that the server hangs or dies. A schema
//! that is merely wrong must not keep anybody from calling the tool, which checks its arguments itself.

mod cost;
mod keywords;
mod sanitise;
mod validate;

pub(crate) use sanitise::input_schema;
pub(crate) use validate::validate;

#[cfg(test)]
mod tests;
