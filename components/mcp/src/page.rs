/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the server needs of a browser: one page, asked from any thread.

use std::future::Future;
use std::sync::Arc;

use modelcontext::{ToolAnnotations, ToolId, ToolOutcome};
use thiserror::Error;
use tokio::sync::watch;
use url::Url;

use crate::address::without_credentials;
use crate::text::shorten;

/// How many bytes of the message of an error a client gets.
const MESSAGE: usize = 2 * 1024;

/// A browser with one page.
///
/// All methods may be called from any thread and at the same time. A future that is dropped gives its request up;
/// nothing is left waiting for it.
pub trait Page: Send + Sync + 'static {
    /// The tools of all frames: in tree order of the frames, and those of one document in the order of their
    /// registration.
    ///
    /// While the page loads, and until its list of tools has come to rest after that, the answer is held back. Later it
    /// comes at once. A page without tools gives an empty list; a page that did not load gives an error.
    fn tools(&self) -> impl Future<Output = Result<Vec<Arc<PageTool>>, PageError>> + Send;

    /// Runs the tool of that registration, whose input is the JSON text of an object.
    ///
    /// The changes that the tool made to the list are in [`Page::changes`] before the outcome is given. When the future
    /// is dropped before it is done, the execution is cancelled: the signal of the tool's callback is aborted.
    ///
    /// An error says that the outcome is unknown: the tool may have run.
    fn execute(
        &self,
        tool: ToolId,
        input: String,
    ) -> impl Future<Output = Result<ToolOutcome, PageError>> + Send;

    /// Loads another address, and waits until it has loaded. What an address may look like is the browser's matter.
    fn navigate(&self, address: String)
    -> impl Future<Output = Result<Location, PageError>> + Send;

    /// Goes one step back in the history, and waits until the page is there. Fails if there is no step back.
    fn go_back(&self) -> impl Future<Output = Result<Location, PageError>> + Send;

    /// Loads the page again, and waits until it has loaded. Works after a crash too.
    fn reload(&self) -> impl Future<Output = Result<Location, PageError>> + Send;

    /// Where the page is.
    fn location(&self) -> impl Future<Output = Result<Location, PageError>> + Send;

    /// The text of the top-level document as somebody would see it.
    fn text(&self) -> impl Future<Output = Result<String, PageError>> + Send;

    /// The markup of the top-level document as it is now.
    fn html(&self) -> impl Future<Output = Result<String, PageError>> + Send;

    /// A picture of the page in the PNG format.
    fn screenshot(&self) -> impl Future<Output = Result<Vec<u8>, PageError>> + Send;

    /// How often what has changed. Each call gives a receiver that has seen the present state.
    fn changes(&self) -> watch::Receiver<Changes>;
}

/// A tool of a page.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PageTool {
    /// The registration. A tool that is registered again under the same name has another one.
    pub id: ToolId,
    /// 1 to 128 ASCII letters, digits, `_`, `-` and `.`; unique within its document only.
    pub name: String,
    /// Empty if the page gave none.
    pub title: String,
    /// What the page says the tool does.
    pub description: String,
    /// The JSON text of the input schema, if the page gave one. The page chose it: it may be any JSON object.
    pub input_schema: Option<String>,
    /// The hints of the page, if it gave any.
    pub annotations: Option<ToolAnnotations>,
    /// The serialisation of the document's origin; `null` for an opaque one.
    pub origin: String,
    /// The address of the document.
    pub url: Url,
    /// Where the document is in the frame tree: the index of each frame on the way down from the top. Empty for the
    /// top-level document.
    pub frame: Vec<usize>,
}

/// Where a page is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Location {
    /// The address of the top-level document.
    pub url: Url,
    /// Its title; empty if it has none.
    pub title: String,
}

/// How often what has changed since the browser was opened.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Changes {
    /// The set of tools. One task of the page can change it many times.
    pub tools: u64,
    /// The top-level document: counts loads, not changes of the address within a document.
    pub documents: u64,
}

/// Why the page could not do what was asked.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("{message}")]
pub struct PageError {
    /// The reason.
    pub kind: PageErrorKind,
    /// The reason in words, for the one who asked: what was wrong, and what to do about it.
    pub message: String,
}

impl PageError {
    /// The error as clients may see it: without passwords that are in addresses, and not longer than somebody reads.
    pub(crate) fn for_clients(self) -> PageError {
        PageError {
            message: shorten(&without_credentials(&self.message), MESSAGE),
            ..self
        }
    }
}

/// The reasons for which a page cannot do what was asked.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum PageErrorKind {
    /// The address is not one that the browser loads.
    BadAddress,
    /// The page did not load.
    NotLoaded,
    /// There is no step back in the history.
    NoHistory,
    /// The page's thread or process has died. It can be loaded again.
    Crashed,
    /// The page has closed itself.
    Closed,
    /// The page was navigated away while it was asked.
    Navigated,
    /// The page's own script stood in the way, such as one that threw.
    Failed,
    /// The browser is shutting down.
    ShuttingDown,
}
