/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The tools of a web page over the Model Context Protocol.
//!
//! There is no browser in here: the one page that is served stands behind the trait [`Page`], which may be asked from
//! any thread. Everything else is of this crate: which tools a client sees and under which names, what is checked
//! before a tool is run, whom the user is asked by, what a client is told and when.
//!
//! # Who calls what, in which order
//!
//! **The browser** implements [`Page`], makes one [`Server`] for it, and gives that to [`serve_stdio`] or to
//! [`serve_http`]. Both return when they are done; over HTTP any number of clients share the page.
//!
//! **A client lists the tools.** [`Page::tools`] gives those of all frames, each gets a name that is unique and stays
//! with it, and the server remembers what it told: a later call means the tool as it was described then.
//!
//! **A client calls a page's tool.** In this order, and nothing reaches the page before all of it has passed:
//! 1. the name is looked up in the page's present list. A tool that is gone, or that the page has registered again with
//!    another definition since the client's list, is not called; the client is told to list again;
//! 2. the arguments are checked against the tool's schema ([`Options::validate`]);
//! 3. a tool that says it is consequential needs a yes ([`Options::consequential`]), which the server asks the user for
//!    through the client: by a request to the client (2025-11-25) or by an answer that asks for input (2026-07-28);
//! 4. [`Page::execute`]. The future is dropped, which cancels the execution, when the client cancels or goes away, or
//!    when it takes longer than [`Options::timeout`].
//!
//! After that the call is written to the [`CallLog`], all clients are told of changes of the list that the tool made,
//! and only then is the result sent.
//!
//! **The page changes.** [`Page::changes`] wakes one task per client that wants to know, which waits for
//! [`Pacing::debounce`] and sends one notification for all that has come until then.
//!
//! # Protocol revisions
//!
//! 2026-07-28 and those with an `initialize` handshake, up to 2025-11-25, are spoken at the same time. In the former
//! nothing belongs to a connection: see [`Server`] for what the server nevertheless remembers.

mod address;
mod call_log;
mod fixed_tools;
mod lock;
mod names;
mod options;
mod page;
mod results;
mod schema;
mod server;
mod text;
mod transport;

pub use address::shown_address;
pub use call_log::{CallLog, CallOutcome, CallRecord};
pub use options::{Consequential, Options, Pacing};
pub use page::{Changes, Location, Page, PageError, PageErrorKind, PageTool};
pub use server::Server;
pub use transport::{HttpLimits, HttpOptions, ServeError, serve_http, serve_stdio};
