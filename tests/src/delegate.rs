/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use servo::{
    ConsoleLogLevel, CreateNewWebViewRequest, ExecutionId, LoadStatus, PageTool,
    ToolExecutionRequest, ToolOutcome, TraversalId, WebResourceLoad, WebResourceResponse, WebView,
    WebViewDelegate,
};
use swgl_context::SwglRenderingContext;

use crate::Site;

/// What all pages of a browser have in common.
pub(crate) struct Shared {
    pub(crate) site: RefCell<Site>,
    pub(crate) rendering_context: Rc<SwglRenderingContext>,
    /// What went on, to be shown when a test fails.
    pub(crate) log: RefCell<Vec<String>>,
    /// The pages that script has opened.
    pub(crate) popups: RefCell<Vec<(WebView, Rc<PageDelegate>)>>,
}

impl Shared {
    fn note(&self, line: String) {
        self.log.borrow_mut().push(line);
    }
}

/// What Servo has told of one page.
pub(crate) struct PageDelegate {
    shared: Rc<Shared>,
    pub(crate) completed_loads: Cell<usize>,
    pub(crate) tool_changes: Cell<usize>,
    pub(crate) traversals: RefCell<HashSet<TraversalId>>,
    pub(crate) crashes: Cell<usize>,
    pub(crate) console: RefCell<Vec<String>>,
    /// What executions of tools went through, in order.
    pub(crate) executions: RefCell<Vec<(ExecutionId, ExecutionStep)>>,
    /// The executions that wait to be allowed.
    pub(crate) requests: RefCell<Vec<ToolExecutionRequest>>,
}

/// What Servo tells of an execution that the embedder has begun.
#[derive(Clone, Debug, PartialEq)]
pub enum ExecutionStep {
    /// The tool of this name has consequences, and asks to run.
    Requested(String),
    /// The tool of this name runs.
    Started(String),
    /// It has come to this end.
    Finished(ToolOutcome),
}

impl PageDelegate {
    pub(crate) fn new(shared: &Rc<Shared>) -> Rc<PageDelegate> {
        Rc::new(PageDelegate {
            shared: shared.clone(),
            completed_loads: Cell::default(),
            tool_changes: Cell::default(),
            traversals: RefCell::default(),
            crashes: Cell::default(),
            console: RefCell::default(),
            executions: RefCell::default(),
            requests: RefCell::default(),
        })
    }
}

impl WebViewDelegate for PageDelegate {
    fn notify_new_frame_ready(&self, webview: WebView) {
        webview.paint();
    }

    fn notify_load_status_changed(&self, _webview: WebView, status: LoadStatus) {
        if status == LoadStatus::Complete {
            self.completed_loads.set(self.completed_loads.get() + 1);
        }
    }

    fn notify_traversal_complete(&self, _webview: WebView, traversal: TraversalId) {
        self.traversals.borrow_mut().insert(traversal);
    }

    fn notify_page_tools_changed(&self, _webview: WebView) {
        self.tool_changes.set(self.tool_changes.get() + 1);
    }

    fn request_tool_execution(&self, _webview: WebView, request: ToolExecutionRequest) {
        let step = ExecutionStep::Requested(request.tool().name.clone());
        self.executions
            .borrow_mut()
            .push((request.execution(), step));
        self.requests.borrow_mut().push(request);
    }

    fn notify_tool_execution_started(
        &self,
        _webview: WebView,
        execution: ExecutionId,
        tool: PageTool,
    ) {
        let step = ExecutionStep::Started(tool.name);
        self.executions.borrow_mut().push((execution, step));
    }

    fn notify_tool_execution_finished(
        &self,
        _webview: WebView,
        execution: ExecutionId,
        outcome: &ToolOutcome,
    ) {
        let step = ExecutionStep::Finished(outcome.clone());
        self.executions.borrow_mut().push((execution, step));
    }

    fn notify_crashed(&self, _webview: WebView, reason: String, _backtrace: Option<String>) {
        self.shared.note(format!("Crashed: {reason}"));
        self.crashes.set(self.crashes.get() + 1);
    }

    fn request_create_new(&self, _parent: WebView, request: CreateNewWebViewRequest) {
        let delegate = PageDelegate::new(&self.shared);
        let webview = request
            .builder(self.shared.rendering_context.clone())
            .delegate(delegate.clone())
            .build();
        self.shared.popups.borrow_mut().push((webview, delegate));
    }

    fn load_web_resource(&self, _webview: WebView, load: WebResourceLoad) {
        let url = load.request().url.clone();
        // A load that is dropped without an answer goes on to the network.
        let Some(resource) = self.shared.site.borrow().answer(&url) else {
            return;
        };
        if !resource.status.is_success() {
            self.shared.note(format!("{}: {url}", resource.status));
        }
        let response = WebResourceResponse::new(url)
            .headers(resource.headers)
            .status_code(resource.status);
        let mut load = load.intercept(response);
        load.send_body_data(resource.body);
        load.finish();
    }

    fn show_console_message(&self, _webview: WebView, level: ConsoleLogLevel, message: String) {
        self.shared.note(format!("Console ({level:?}): {message}"));
        self.console.borrow_mut().push(message);
    }
}
