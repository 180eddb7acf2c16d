/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the server knows: of the page for all clients, and of each client.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::confirmation::Questions;
use super::told::{Told, ToldClients};
use super::watchers::Watchers;
use crate::lock::lock;
use crate::names::ToolNames;
use crate::{Changes, Options, Page, PageError, PageErrorKind, PageTool};

/// An MCP server over one page. Clones are the same server.
///
/// # What it remembers of clients
///
/// A client calls a tool by name, and means the tool as it was described to it. For a client with a connection of its
/// own (standard input and output, or a session over HTTP) the server remembers the last list that went over that
/// connection. A client of 2026-07-28 over HTTP has no connection, so the server also remembers the last list per kind
/// of client, which is the name and version that it gives with each request; that of the clients it heard from last,
/// and only so many. Two copies of one program that talk to one server over HTTP are thus taken for one: if the second
/// lists after the page has changed a tool, the first may call the new one. Its arguments are checked against the new
/// schema and a consequential tool is asked for under its new description, so this is what a stateless protocol
/// permits.
///
/// A client that never listed is bound to nothing; it gets the tool that has the name.
pub struct Server<P> {
    pub(super) shared: Arc<Shared<P>>,
}

impl<P> Clone for Server<P> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
        }
    }
}

impl<P: Page> Server<P> {
    /// A server over `page`.
    pub fn new(page: Arc<P>, options: Options) -> Server<P> {
        let changes = page.changes();
        Server {
            shared: Arc::new(Shared {
                questions: Questions::new(options.pacing.question),
                page,
                options,
                changes,
                calls: watch::Sender::new(0),
                names: Mutex::default(),
                told: Mutex::default(),
                watchers: Watchers::default(),
            }),
        }
    }

    /// The server as one client sees it, until `closing` is cancelled. Cancels it when dropped.
    pub(crate) fn connection(&self, closing: CancellationToken) -> Connection<P> {
        Connection {
            shared: self.shared.clone(),
            told: Mutex::default(),
            subscribed: Arc::default(),
            watching: AtomicBool::new(false),
            closing,
        }
    }
}

/// What is the same for all clients.
pub(crate) struct Shared<P> {
    pub(crate) page: Arc<P>,
    pub(crate) options: Options,
    /// Which tool of the document that is there has which name.
    names: Mutex<Names>,
    /// What clients without a connection were told.
    pub(super) told: Mutex<ToldClients>,
    /// What users were asked through clients without a connection.
    pub(super) questions: Questions,
    /// The clients that want to know of changes.
    pub(super) watchers: Watchers,
    changes: watch::Receiver<Changes>,
    /// How many calls are in the log.
    pub(super) calls: watch::Sender<u64>,
}

/// The names of the tools of one top-level document and its frames.
#[derive(Default)]
struct Names {
    names: ToolNames,
    /// How many documents had been loaded when it was there.
    documents: u64,
}

/// How often what has changed that clients can be told of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct State {
    pub(super) changes: Changes,
    pub(super) calls: u64,
}

impl<P: Page> Shared<P> {
    /// How often the page has changed by now.
    pub(super) fn changes(&self) -> Changes {
        *self.changes.borrow()
    }

    pub(super) fn state(&self) -> State {
        State {
            changes: self.changes(),
            calls: *self.calls.borrow(),
        }
    }

    /// The tools that clients see, each with its name, in the order of the page.
    pub(crate) async fn tools(&self) -> Result<Vec<(String, Arc<PageTool>)>, PageError> {
        let mut tools = self.in_time(self.page.tools()).await?;
        if !self.options.debugging {
            tools.retain(|tool| !tool.annotations.is_some_and(|hints| hints.debugging));
        }
        let documents = self.changes().documents;
        let mut names = lock(&self.names);
        if names.documents != documents {
            names.documents = documents;
            names.names.clear();
        }
        Ok(names.names.assign(&tools))
    }

    /// What the page gives, unless it takes too long.
    pub(crate) async fn in_time<T>(
        &self,
        asked: impl Future<Output = Result<T, PageError>>,
    ) -> Result<T, PageError> {
        match tokio::time::timeout(self.options.timeout, asked).await {
            Ok(answer) => answer.map_err(PageError::for_clients),
            Err(_) => Err(PageError {
                kind: PageErrorKind::Failed,
                message: format!(
                    "The page did not answer within {} s. It may still be loading or busy; try again, or load it anew.",
                    self.options.timeout.as_secs_f64()
                ),
            }),
        }
    }
}

/// What is known of one client. Over HTTP in 2026-07-28 there is one of these for each request.
pub(crate) struct Connection<P> {
    pub(crate) shared: Arc<Shared<P>>,
    /// What was told over this connection.
    pub(super) told: Mutex<Told>,
    /// The resources whose updates the client asked for with `resources/subscribe`.
    pub(super) subscribed: Arc<Mutex<BTreeSet<String>>>,
    /// Whether the client gets unsolicited notifications.
    pub(super) watching: AtomicBool,
    /// Cancelled when the client is gone.
    pub(super) closing: CancellationToken,
}

impl<P> Drop for Connection<P> {
    fn drop(&mut self) {
        self.closing.cancel();
    }
}
