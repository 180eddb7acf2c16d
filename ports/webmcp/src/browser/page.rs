/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the engine tells about the page.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;
use std::time::Instant;

use modelcontext_mcp::Changes;
use servo::{
    ConsoleLogLevel, CreateNewWebViewRequest, EmbedderControl, ExecutionId, LoadStatus,
    NavigationRequest, RenderingContext, ToolExecutionRequest, TraversalId, WebResourceLoad,
    WebResourceResponse, WebView, WebViewDelegate,
};
use tokio::sync::watch;
use url::Url;

use crate::progress::Progress;

/// The delegate of the `WebView`: remembers what happened to it.
pub struct Page {
    progress: Rc<Progress>,
    verbose: bool,
    changes: Cell<u64>,
    last_change: Cell<Instant>,
    /// What others are told of the changes.
    counts: watch::Sender<Changes>,
    loads: Cell<u64>,
    last_load: Cell<Instant>,
    history_changes: Cell<u64>,
    abandoned_loads: Cell<u64>,
    /// The address that somebody wants to load, until the engine has begun to fetch it.
    expected: RefCell<Option<Url>>,
    taken: Cell<Option<Moment>>,
    last_traversal: RefCell<Option<TraversalId>>,
    /// What this program itself has begun to execute, with the consent of whoever asked for it.
    executions: RefCell<HashSet<ExecutionId>>,
    end: RefCell<Option<PageEnd>>,
    /// How often a document had loaded when the page crashed.
    loads_at_crash: Cell<Option<u64>>,
    /// What the windows are drawn into that the page opens. Without it the page cannot open any.
    popups: Option<Rc<dyn RenderingContext>>,
    opened: RefCell<Vec<WebView>>,
}

/// How often what has happened at a moment, such as that in which the engine began to fetch what was expected.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub history_changes: u64,
    pub loads: u64,
    pub abandoned_loads: u64,
}

/// What ends a page.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PageEnd {
    /// The thread or process that ran it died; the reason is the engine's.
    Crashed(String),
    /// The page closed itself.
    Closed,
}

impl Page {
    pub fn new(
        progress: Rc<Progress>,
        verbose: bool,
        popups: Option<Rc<dyn RenderingContext>>,
    ) -> Self {
        Self {
            progress,
            verbose,
            changes: Cell::new(0),
            last_change: Cell::new(Instant::now()),
            counts: watch::Sender::default(),
            loads: Cell::new(0),
            last_load: Cell::new(Instant::now()),
            history_changes: Cell::new(0),
            abandoned_loads: Cell::new(0),
            expected: RefCell::default(),
            taken: Cell::default(),
            last_traversal: RefCell::default(),
            executions: RefCell::default(),
            end: RefCell::default(),
            loads_at_crash: Cell::default(),
            popups,
            opened: RefCell::default(),
        }
    }

    /// How often the tools, the load status or the address have changed.
    pub fn changes(&self) -> u64 {
        self.changes.get()
    }

    /// When they last did.
    pub fn last_change(&self) -> Instant {
        self.last_change.get()
    }

    /// How often what has changed, for those who are on other threads.
    pub fn counts(&self) -> watch::Receiver<Changes> {
        self.counts.subscribe()
    }

    /// The number of the top-level document. A fragment or `pushState()` does not change it.
    pub fn document(&self) -> u64 {
        self.counts.borrow().documents
    }

    /// Takes note of a top-level document that is there without having been loaded: one that was left and kept.
    pub fn document_returned(&self) {
        self.counts.send_modify(|counts| counts.documents += 1);
    }

    /// How often a top-level document has loaded with all that belongs to it.
    pub fn loads(&self) -> u64 {
        self.loads.get()
    }

    /// When the last one did.
    pub fn last_load(&self) -> Instant {
        self.last_load.get()
    }

    /// How often the present entry of the history has changed.
    pub fn history_changes(&self) -> u64 {
        self.history_changes.get()
    }

    /// How often a load has ended without a document.
    pub fn abandoned_loads(&self) -> u64 {
        self.abandoned_loads.get()
    }

    /// How often a load has ended, with a document or without.
    pub fn ended_loads(&self) -> u64 {
        self.loads() + self.abandoned_loads()
    }

    /// How often what has happened until now.
    pub fn now(&self) -> Moment {
        Moment {
            history_changes: self.history_changes(),
            loads: self.loads(),
            abandoned_loads: self.abandoned_loads(),
        }
    }

    /// Whether the very first load has ended without a document, so that there is none.
    pub fn has_no_document(&self) -> bool {
        self.loads() == 0 && self.abandoned_loads() > 0
    }

    /// Begins to look out for the engine's fetching `url` for the top-level document.
    pub fn expect(&self, url: Url) {
        self.taken.set(None);
        self.expected.replace(Some(url));
    }

    /// The moment in which the engine began to fetch what was expected last, if it has.
    pub fn taken(&self) -> Option<Moment> {
        self.taken.get()
    }

    /// Whether that was the last step in the history that came to its end.
    pub fn has_traversed(&self, traversal: &TraversalId) -> bool {
        self.last_traversal.borrow().as_ref() == Some(traversal)
    }

    /// Takes note of an execution that this program has begun.
    pub fn begin_execution(&self, execution: ExecutionId) {
        self.executions.borrow_mut().insert(execution);
    }

    /// Nobody waits for that execution any more.
    pub fn end_execution(&self, execution: ExecutionId) {
        self.executions.borrow_mut().remove(&execution);
    }

    /// How the page ended, if it did.
    pub fn end(&self) -> Option<PageEnd> {
        self.end.borrow().clone()
    }

    /// Whether the page has crashed and the engine has not come to show its own page about that yet.
    pub fn awaits_crash_page(&self) -> bool {
        self.loads_at_crash.get() == Some(self.loads.get())
    }

    /// There is another page now.
    pub fn forget_end(&self) {
        self.end.take();
        self.loads_at_crash.take();
    }

    fn changed(&self) {
        self.changes.set(self.changes.get() + 1);
        self.last_change.set(Instant::now());
    }

    fn ended(&self, end: PageEnd) {
        // What came first is the cause of what came later.
        self.end.borrow_mut().get_or_insert(end);
        self.counts.send_modify(|counts| counts.tools += 1);
    }

    fn note(&self, text: &str) {
        if self.verbose {
            self.progress.note(text);
        }
    }
}

impl WebViewDelegate for Page {
    /// What this program has begun, it has consent for: see [`Tab::execute`][super::tab::Tab::execute].
    fn request_tool_execution(&self, _webview: WebView, request: ToolExecutionRequest) {
        if self.executions.borrow().contains(&request.execution()) {
            request.allow();
        }
    }

    fn notify_new_frame_ready(&self, webview: WebView) {
        // Without this no animation frame would ever come for the page.
        webview.paint();
    }

    fn notify_load_status_changed(&self, _webview: WebView, status: LoadStatus) {
        self.changed();
        if status == LoadStatus::Complete {
            self.loads.set(self.loads.get() + 1);
            self.last_load.set(Instant::now());
            self.counts.send_modify(|counts| counts.documents += 1);
        }
    }

    fn notify_url_changed(&self, _webview: WebView, _url: Url) {
        self.changed();
        self.history_changes.set(self.history_changes.get() + 1);
    }

    fn notify_load_abandoned(&self, _webview: WebView) {
        self.changed();
        self.abandoned_loads.set(self.abandoned_loads.get() + 1);
    }

    fn notify_traversal_complete(&self, _webview: WebView, traversal: TraversalId) {
        self.last_traversal.replace(Some(traversal));
    }

    /// The engine lets every page go to files of this machine. What an agent reads of them or sees in a picture, it can
    /// take to the site that sent it there.
    fn request_navigation(&self, _webview: WebView, request: NavigationRequest) {
        if is_file(&request.url) {
            self.note(&format!("kept the page from opening {}", request.url));
            request.deny();
        }
    }

    /// The engine tells nothing else of a load that it has taken on.
    fn load_web_resource(&self, _webview: WebView, load: WebResourceLoad) {
        let request = load.request();
        if is_file(&request.url) {
            // Nobody is asked before a frame loads its first address. An empty file lets it come to its end.
            let url = request.url.clone();
            self.note(&format!("kept the page from opening {url}"));
            load.intercept(WebResourceResponse::new(url)).finish();
            return;
        }
        if request.is_for_main_frame
            && !request.is_redirect
            && self
                .expected
                .borrow_mut()
                .take_if(|expected| is_the_same_resource(expected, &request.url))
                .is_some()
        {
            self.forget_end();
            self.taken.set(Some(self.now()));
        }
    }

    fn notify_page_tools_changed(&self, _webview: WebView) {
        self.changed();
        self.counts.send_modify(|counts| counts.tools += 1);
    }

    fn notify_crashed(&self, _webview: WebView, reason: String, _backtrace: Option<String>) {
        self.loads_at_crash.set(Some(self.loads.get()));
        self.ended(PageEnd::Crashed(reason));
    }

    fn notify_closed(&self, _webview: WebView) {
        self.ended(PageEnd::Closed);
    }

    fn request_create_new(&self, _parent: WebView, request: CreateNewWebViewRequest) {
        if let Some(context) = &self.popups {
            let popup = request
                .builder(context.clone())
                .delegate(Rc::new(Popup))
                .build();
            self.opened.borrow_mut().push(popup);
        }
    }

    fn show_console_message(&self, _webview: WebView, level: ConsoleLogLevel, message: String) {
        let level = match level {
            ConsoleLogLevel::Log => "log",
            ConsoleLogLevel::Debug => "debug",
            ConsoleLogLevel::Info => "info",
            ConsoleLogLevel::Warn => "warn",
            ConsoleLogLevel::Error => "error",
            ConsoleLogLevel::Trace => "trace",
            ConsoleLogLevel::Dir => "dir",
        };
        self.note(&format!("console.{level}: {message}"));
    }

    /// Nobody is there to use a control; dropping it gives the answer of somebody who dismisses it.
    fn show_embedder_control(&self, _webview: WebView, control: EmbedderControl) {
        if let EmbedderControl::SimpleDialog(dialog) = &control {
            self.note(&format!(
                "dismissed a dialog of the page: {}",
                dialog.message()
            ));
        }
    }
}

/// Whether that is a file of this machine. Those that this program opens itself come from its own server.
fn is_file(url: &Url) -> bool {
    url.scheme() == "file"
}

/// Whether a request for `requested` is how a load of `expected` begins. The engine may have made it one over TLS.
fn is_the_same_resource(expected: &Url, requested: &Url) -> bool {
    expected.host() == requested.host()
        && expected.path() == requested.path()
        && expected.query() == requested.query()
}

/// The delegate of the windows that the page opens. What happens to them is the page's own concern.
struct Popup;

impl WebViewDelegate for Popup {
    fn notify_new_frame_ready(&self, webview: WebView) {
        webview.paint();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_recognised_without_its_fragment_and_over_tls() {
        let expected = Url::parse("http://shop.example/cart?item=1#top").expect("it is a URL");
        for (requested, same) in [
            ("http://shop.example/cart?item=1", true),
            ("https://shop.example/cart?item=1", true),
            ("http://shop.example/cart?item=2", false),
            ("http://shop.example/cart", false),
            ("http://other.example/cart?item=1", false),
        ] {
            let requested = Url::parse(requested).expect("it is a URL");
            assert_eq!(
                is_the_same_resource(&expected, &requested),
                same,
                "{requested}"
            );
        }
    }
}
