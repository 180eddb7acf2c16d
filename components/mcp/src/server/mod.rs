/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The server: what it knows, and how it answers each request.

mod calls;
mod confirmation;
mod handler;
mod heartbeat;
mod listing;
mod resources;
mod revision;
mod state;
mod told;
mod watchers;

pub(crate) use calls::{ABANDONED, PageCall, failure};
pub(crate) use listing::listing;
pub(crate) use state::Connection;
pub use state::Server;
