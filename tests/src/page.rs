/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value;
use servo::{
    ExecutionId, JSValue, JavaScriptEvaluationError, PageTool, ToolExecutionRequest, ToolId,
    ToolOutcome, TraversalId, WebView,
};
use url::Url;

use crate::Browser;
use crate::delegate::{ExecutionStep, PageDelegate};

/// A page and everything in it. Dropping it closes it.
pub struct Page<'browser> {
    browser: &'browser Browser,
    webview: WebView,
    delegate: Rc<PageDelegate>,
}

impl<'browser> Page<'browser> {
    pub(crate) fn new(
        browser: &'browser Browser,
        webview: WebView,
        delegate: Rc<PageDelegate>,
    ) -> Page<'browser> {
        Page {
            browser,
            webview,
            delegate,
        }
    }

    /// The browser that the page is in.
    pub fn browser(&self) -> &'browser Browser {
        self.browser
    }

    /// The page as the embedder API knows it.
    pub fn webview(&self) -> &WebView {
        &self.webview
    }

    /// Navigate to another address, and wait until it has loaded.
    #[track_caller]
    pub fn load(&self, url: &str) {
        let url = Url::parse(url).expect("The test gives a valid URL");
        let loads_before = self.delegate.completed_loads.get();
        self.webview.load(url.clone());
        self.wait_for_load(loads_before, &url);
    }

    /// Load the page anew.
    #[track_caller]
    pub fn reload(&self) {
        let loads_before = self.delegate.completed_loads.get();
        self.webview.reload();
        self.wait_for_next_load(loads_before);
    }

    /// Go back to the page before this one.
    #[track_caller]
    pub fn go_back(&self) {
        let traversal = self.webview.go_back(1);
        self.wait_for_traversal(&traversal);
    }

    #[track_caller]
    fn wait_for_traversal(&self, traversal: &TraversalId) {
        self.browser.wait_until("the traversal is complete", || {
            self.delegate.traversals.borrow().contains(traversal)
        });
    }

    #[track_caller]
    pub(crate) fn wait_for_load(&self, loads_before: usize, url: &Url) {
        self.browser.wait_until(&format!("{url} has loaded"), || {
            self.delegate.completed_loads.get() > loads_before
                && self.webview.url().as_ref() == Some(url)
        });
    }

    #[track_caller]
    fn wait_for_next_load(&self, loads_before: usize) {
        self.browser.wait_until("the page has loaded", || {
            self.delegate.completed_loads.get() > loads_before
        });
    }

    /// Run the body of an async function in the top-level document. Gives what it returns, or the text of what it
    /// throws.
    #[track_caller]
    pub fn eval(&self, script: &str) -> Result<Value, String> {
        let script = format!("(async () => {{ {script}\n}})()");
        let outcome = self
            .browser
            .wait_for("a script has come to its end", |callback| {
                self.webview.evaluate_and_await(script, callback)
            });
        let json = outcome?;
        Ok(json.map_or(Value::Null, |json| {
            serde_json::from_str(&json).expect("The engine gives JSON")
        }))
    }

    /// [`Self::eval`] for a script that is not to fail.
    #[track_caller]
    pub fn run(&self, script: &str) -> Value {
        match self.eval(script) {
            Ok(value) => value,
            Err(error) => panic!("{error}, in:\n{script}"),
        }
    }

    /// Evaluate an expression the way that Servo itself offers, which works without the preference of WebMCP too.
    #[track_caller]
    pub fn evaluate(&self, expression: &str) -> Result<JSValue, JavaScriptEvaluationError> {
        self.browser
            .wait_for("an expression has been evaluated", |callback| {
                self.webview.evaluate_javascript(expression, callback)
            })
    }

    /// A frame of the page, by the index of each frame on the way down from the top.
    pub fn frame<'page>(&'page self, path: &[usize]) -> Frame<'page> {
        Frame {
            page: self,
            path: serde_json::to_string(path).expect("Numbers have JSON text"),
        }
    }

    /// What the page has written to the console.
    pub fn console(&self) -> Vec<String> {
        self.delegate.console.borrow().clone()
    }

    /// How often the page has crashed.
    pub fn crashes(&self) -> usize {
        self.delegate.crashes.get()
    }

    /// How often a document of the page has loaded, the one that the engine shows after a crash included.
    pub fn completed_loads(&self) -> usize {
        self.delegate.completed_loads.get()
    }

    /// How often the embedder was told that the tools have changed.
    pub fn tool_changes(&self) -> usize {
        self.delegate.tool_changes.get()
    }

    /// Wait until the embedder is told that the tools have changed, once more than `before`.
    #[track_caller]
    pub fn wait_for_tool_change(&self, before: usize) {
        self.browser
            .wait_until("the embedder is told of a change of the tools", || {
                self.tool_changes() > before
            });
    }

    /// The tools of the page, as the embedder sees them.
    #[track_caller]
    pub fn tools(&self) -> Vec<PageTool> {
        self.browser.wait_for("the tools are listed", |callback| {
            self.webview.page_tools(callback)
        })
    }

    /// The names of [`Self::tools`].
    #[track_caller]
    pub fn tool_names(&self) -> Vec<String> {
        self.tools().into_iter().map(|tool| tool.name).collect()
    }

    /// The one tool of a name.
    #[track_caller]
    pub fn tool(&self, name: &str) -> PageTool {
        let mut tools = self.tools();
        tools.retain(|tool| tool.name == name);
        match <[PageTool; 1]>::try_from(tools) {
            Ok([tool]) => tool,
            Err(tools) => panic!("{} tools are named {name}", tools.len()),
        }
    }

    /// Let the embedder run a tool with JSON text as its input, and wait for the end of the call.
    #[track_caller]
    pub fn call(&self, name: &str, input: &str) -> ToolOutcome {
        self.start(self.tool(name).id, input).outcome()
    }

    /// Wait until an execution asks to be allowed, and take the request.
    #[track_caller]
    pub fn take_execution_request(&self) -> ToolExecutionRequest {
        self.browser
            .wait_until("an execution asks to be allowed", || {
                !self.delegate.requests.borrow().is_empty()
            });
        self.delegate.requests.borrow_mut().remove(0)
    }

    /// What the embedder was told of an execution.
    pub fn execution_steps(&self, execution: ExecutionId) -> Vec<ExecutionStep> {
        let steps = self.delegate.executions.borrow();
        steps
            .iter()
            .filter(|(of, _)| *of == execution)
            .map(|(_, step)| step.clone())
            .collect()
    }

    /// Let the embedder begin to run a tool.
    pub fn start(&self, tool: ToolId, input: &str) -> Call<'browser> {
        let outcomes: Rc<RefCell<Vec<ToolOutcome>>> = Rc::default();
        let setter = outcomes.clone();
        let id = self
            .webview
            .execute_tool(tool, input.to_owned(), move |outcome| {
                setter.borrow_mut().push(outcome);
            });
        Call {
            browser: self.browser,
            id,
            outcomes,
        }
    }
}

/// A frame of a page, of whatever origin. Its document has to have the helpers.
pub struct Frame<'page> {
    page: &'page Page<'page>,
    path: String,
}

impl Frame<'_> {
    /// Run the body of an async function in the document of the frame. Gives what it returns, or the text of what it
    /// throws.
    #[track_caller]
    pub fn eval(&self, script: &str) -> Result<Value, String> {
        let script = Value::from(script);
        let path = &self.path;
        self.page
            .eval(&format!("return await runInFrame({path}, {script})"))
    }

    /// [`Self::eval`] for a script that is not to fail.
    #[track_caller]
    pub fn run(&self, script: &str) -> Value {
        match self.eval(script) {
            Ok(value) => value,
            Err(error) => panic!("{error}, in frame {}, in:\n{script}", self.path),
        }
    }
}

/// A call of a tool that the embedder has begun.
pub struct Call<'browser> {
    browser: &'browser Browser,
    /// The identity of the call.
    pub id: ExecutionId,
    /// How the call has ended: once, if the engine does as it should.
    outcomes: Rc<RefCell<Vec<ToolOutcome>>>,
}

impl Call<'_> {
    /// Whether the call has come to its end.
    pub fn is_finished(&self) -> bool {
        !self.outcomes.borrow().is_empty()
    }

    /// Wait for the end of the call.
    #[track_caller]
    pub fn outcome(&self) -> ToolOutcome {
        self.browser
            .wait_until("a call of a tool has come to its end", || {
                self.is_finished()
            });
        match &self.outcomes.borrow()[..] {
            [outcome] => outcome.clone(),
            outcomes => panic!("A call has come to its end more than once: {outcomes:?}"),
        }
    }
}
