/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! WebMCP: <https://webmachinelearning.github.io/webmcp/>.
//!
//! One file per interface, and one per thing that script does for them:
//!
//! - `modelcontext`: the `ModelContext` interface, the caller's side of every algorithm;
//! - `execution`: running a tool, the target's side;
//! - `abortalgorithm`: what an aborted signal does to a registration or a call;
//! - `registeredtool`: the `RegisteredTool` dictionary, in and out;
//! - `documentmodelcontext`: what a `Document` keeps, and what it tells the constellation of itself and its frames;
//! - `route`: the way from the constellation to the documents of this event loop;
//! - `scriptevaluation`: scripts that the embedder wants evaluated and awaited;
//! - `values`: JSON and exceptions.

pub(crate) mod abortalgorithm;
pub(crate) mod documentmodelcontext;
mod execution;
#[expect(
    clippy::module_inception,
    reason = "The interface name is ModelContext"
)]
pub(crate) mod modelcontext;
pub(crate) use modelcontext::ModelContext;
mod registeredtool;
mod route;
mod scriptevaluation;
pub(crate) mod toolactivatedevent;
pub(crate) mod toolcancelevent;
mod values;
