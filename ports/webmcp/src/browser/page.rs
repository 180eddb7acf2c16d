/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the engine tells about the page.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use servo::{
    ConsoleLogLevel, CreateNewWebViewRequest, EmbedderControl, LoadStatus, RenderingContext,
    WebView, WebViewDelegate,
};
use url::Url;

use crate::progress::Progress;

/// The delegate of the one `WebView`: remembers what happened to it.
pub struct Page {
    progress: Rc<Progress>,
    verbose: bool,
    changes: Cell<u64>,
    last_change: Cell<Instant>,
    end: OnceCell<PageEnd>,
    /// What the windows are drawn into that the page opens. Without it the page cannot open any.
    popups: Option<Rc<dyn RenderingContext>>,
    opened: RefCell<Vec<WebView>>,
}

/// What ends a page for good.
#[derive(Clone, Debug)]
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
            end: OnceCell::new(),
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

    /// How the page ended, if it did.
    pub fn end(&self) -> Option<&PageEnd> {
        self.end.get()
    }

    fn changed(&self) {
        self.changes.set(self.changes.get() + 1);
        self.last_change.set(Instant::now());
    }

    fn ended(&self, end: PageEnd) {
        // What came first is the cause of what came later.
        let _ = self.end.set(end);
    }

    fn note(&self, text: &str) {
        if self.verbose {
            self.progress.note(text);
        }
    }
}

impl WebViewDelegate for Page {
    fn notify_new_frame_ready(&self, webview: WebView) {
        // Without this no animation frame would ever come for the page.
        webview.paint();
    }

    fn notify_load_status_changed(&self, _webview: WebView, _status: LoadStatus) {
        self.changed();
    }

    fn notify_url_changed(&self, _webview: WebView, _url: Url) {
        self.changed();
    }

    fn notify_page_tools_changed(&self, _webview: WebView) {
        self.changed();
    }

    fn notify_crashed(&self, _webview: WebView, reason: String, _backtrace: Option<String>) {
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

/// The delegate of the windows that the page opens. What happens to them is the page's own concern.
struct Popup;

impl WebViewDelegate for Popup {
    fn notify_new_frame_ready(&self, webview: WebView) {
        webview.paint();
    }
}
