/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The WebMCP core: what `document.modelContext` decides, apart from the engine that carries it
//! out.
//!
//! Nothing here does I/O, reads a clock, runs script or takes a lock. Everything is generic over
//! `O`, the type of origins, whose equality must be "same origin", and `D`, the type of document
//! ids. Everything may be called on any thread. Nothing here panics, whatever a page, a header or a
//! message from another process holds.
//!
//! The norm is the WebMCP draft, <https://webmachinelearning.github.io/webmcp/>; functions carry
//! the names and show the steps of its algorithms.
//!
//! # Who calls what, in which order
//!
//! **A document is created** (its event loop, then the constellation).
//! [`origin_agent_cluster_header`] and [`AgentClusterKeys::keying`] say whether its agent cluster
//! is origin-keyed; [`PermissionsPolicy::for_top_level`](policy::PermissionsPolicy::for_top_level)
//! or [`for_nested`](policy::PermissionsPolicy::for_nested) computes its policy: in the
//! constellation, which tells a nested document. A top-level document computes the same itself.
//!
//! **`registerTool()`** (event loop, then the constellation).
//! [`policy::PermissionsPolicy::allows`] for [`policy::Feature::Tools`]; [`ToolName::parse`]; the
//! callback stays with the document, and a [`ToolDefinition`] with a new [`ToolId`] goes into the
//! constellation's [`ToolMap`] of that document with [`ToolMap::insert`]; then
//! [`documents_to_notify`] says where `toolchange` is to be fired. Unregistering is
//! [`ToolMap::remove_by_id`], and the same question.
//!
//! **A form becomes a tool** (event loop). [`form::synthesize`] makes the schema of its
//! [`ToolDefinition`] from its controls. When the tool is called, [`form::fill`] says what to assign to
//! them as they are then.
//!
//! **`getTools()`** (constellation). [`collect_tools`] over all documents of the traversable.
//!
//! **`executeTool()`** (constellation). [`resolve_target`], then [`PendingExecutions::begin`] under
//! a new [`ExecutionId`], and a message to the target. Whatever comes first ends the execution, and
//! whatever comes later is refused as not pending:
//!
//! - the tool settles: [`PendingExecutions::complete`], and the [`ToolOutcome`] goes to the
//!   [`Caller`] it returns;
//! - the caller's signal is aborted: [`PendingExecutions::cancel`], and the target is told;
//! - a document goes away, with its traversable or alone: [`PendingExecutions::document_gone`], and
//!   each [`Ended`] says who is told.
//!
//! # Example
//!
//! ```
//! use modelcontext::{
//!     Caller, CompletionRefused, ExecutionId, PendingExecution, PendingExecutions, ToolName,
//! };
//!
//! let (page, frame) = (1, 2);
//! let mut executions = PendingExecutions::<u32, ()>::new();
//! let id = ExecutionId::new();
//! let tool_name = ToolName::parse("add-to-cart")?;
//! let caller = Caller::Document(page);
//! executions.begin(id, PendingExecution { caller, target: frame, tool_name })?;
//!
//! // Only the frame that runs the tool can say that it is done, and only once.
//! assert_eq!(executions.complete(id, &page), Err(CompletionRefused::NotTheTarget));
//! assert_eq!(executions.complete(id, &frame), Ok(Caller::Document(page)));
//! assert_eq!(executions.complete(id, &frame), Err(CompletionRefused::NotPending));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod collection;
mod definition;
mod execution;
pub mod form;
mod id;
mod name;
mod origin_keying;
mod outcome;
pub mod policy;
mod resolve;
#[cfg(test)]
mod testing;
mod tool_map;

pub use collection::{ToolOwner, collect_tools, documents_to_notify};
pub use definition::{
    DocumentId, ToolAnnotations, ToolDefinition, ToolId, tool_is_exposed_to_an_origin,
};
pub use execution::{
    AlreadyPending, Caller, CancelRefused, CompletionRefused, Ended, ExecutionId, PendingExecution,
    PendingExecutions,
};
pub use id::InvalidId;
pub use name::{InvalidToolName, ToolName};
pub use origin_keying::{AgentClusterKeys, origin_agent_cluster_header};
pub use outcome::{ToolFailure, ToolFailureKind, ToolOutcome};
pub use resolve::resolve_target;
pub use tool_map::{DuplicateToolName, ToolMap};
