/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The `WebView`, what is asked of it, and what is known about it.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use servo::{
    ExecutionId, LoadStatus, PageTool, RenderingContext, RgbaImage, ScreenshotCaptureError, Servo,
    ToolId, ToolOutcome, UserContentManager, WebView, WebViewBuilder,
};
use url::Url;

use super::ScriptOutcome;
use super::page::{Page, PageEnd};
use super::wait::{Alarm, Wait, poll};
use super::waker::Waker;

/// A `WebView` that can be asked, and that another one can take the place of.
///
/// A question that is asked of a `WebView` that is replaced, or whose page ends, may never be answered: see
/// [`Tab::alive`].
pub struct Tab {
    // The order of the fields is the order in which they are dropped: the view before its engine.
    webview: RefCell<WebView>,
    view_number: Cell<u64>,
    user_content: Rc<UserContentManager>,
    context: Rc<dyn RenderingContext>,
    pub servo: Servo,
    pub page: Rc<Page>,
    pub alarm: Alarm,
    pub waker: Waker,
    /// Whether somebody moves the page to another address.
    pub(super) is_moving: Cell<bool>,
    /// How often the history had changed when a move was given up before the engine showed anything of it.
    pub(super) given_up_at: Cell<Option<u64>>,
    /// The number of the document whose list of tools has settled, and how often the history had changed then.
    pub(super) settled: Cell<Option<(u64, u64)>>,
    /// Held by every execution that has not come to its end.
    executions: Rc<()>,
}

/// Why the page that was asked cannot answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Gone {
    /// It has ended.
    Ended(PageEnd),
    /// It was taken away with its `WebView`.
    Replaced,
}

impl Tab {
    /// Begins to load `url`.
    pub fn open(
        servo: Servo,
        context: Rc<dyn RenderingContext>,
        user_content: Rc<UserContentManager>,
        page: Rc<Page>,
        waker: Waker,
        url: Url,
    ) -> Self {
        let webview = build(&servo, &context, &user_content, &page, url);
        Self {
            webview: RefCell::new(webview),
            view_number: Cell::new(0),
            user_content,
            context,
            servo,
            page,
            alarm: Alarm::default(),
            waker,
            is_moving: Cell::new(false),
            given_up_at: Cell::new(None),
            settled: Cell::new(None),
            executions: Rc::new(()),
        }
    }

    /// The present one.
    pub fn webview(&self) -> WebView {
        self.webview.borrow().clone()
    }

    /// Puts another `WebView` into the place of the present one, and begins to load `url` in it. The history is lost.
    pub fn replace_view(&self, url: Url) {
        self.page.forget_end();
        self.view_number.set(self.view_number.get() + 1);
        let webview = build(
            &self.servo,
            &self.context,
            &self.user_content,
            &self.page,
            url,
        );
        self.webview.replace(webview);
    }

    /// Whether the page has loaded with all that belongs to it.
    pub fn is_complete(&self) -> bool {
        self.webview().load_status() == LoadStatus::Complete
    }

    /// Waits for a condition that is looked at after each event of the engine.
    pub fn until<T>(&self, condition: impl FnMut() -> Wait<T>) -> impl Future<Output = T> {
        self.alarm.until(condition)
    }

    /// Waits for something that is asked of the page, as long as there is the page to answer it.
    pub async fn alive<T>(&self, question: impl Future<Output = T>) -> Result<T, Gone> {
        let view_number = self.view_number.get();
        let mut question = pin!(question);
        self.until(|| {
            if let Poll::Ready(answer) = poll(question.as_mut()) {
                Wait::Over(Ok(answer))
            } else if self.view_number.get() != view_number {
                Wait::Over(Err(Gone::Replaced))
            } else if let Some(end) = self.page.end() {
                Wait::Over(Err(Gone::Ended(end)))
            } else {
                Wait::On
            }
        })
        .await
    }

    /// Waits until the page has loaded with all that belongs to it, or until there is none.
    pub async fn complete(&self) {
        self.until(|| {
            if self.is_complete() || self.page.has_no_document() {
                Wait::Over(())
            } else {
                Wait::On
            }
        })
        .await;
    }

    /// Asks the engine for something that it answers later.
    pub async fn ask<T: 'static>(&self, ask: impl FnOnce(&WebView, Box<dyn FnOnce(T)>)) -> T {
        let answer = Rc::new(RefCell::new(None));
        ask(&self.webview(), answer_into(&answer));
        self.until(|| take(&answer)).await
    }

    /// Runs `script` in the top document.
    pub async fn evaluate(&self, script: impl Into<String>) -> ScriptOutcome {
        let script = script.into();
        self.ask(|webview, answer| webview.evaluate_and_await(script, answer))
            .await
    }

    /// The tools of all frames as they are now.
    pub async fn tools_now(&self) -> Vec<PageTool> {
        self.ask(|webview, answer| webview.page_tools(answer)).await
    }

    /// Takes a picture of the page, once all that can be seen of it is there.
    pub async fn screenshot(&self) -> Result<RgbaImage, ScreenshotCaptureError> {
        self.ask(|webview, answer| webview.take_screenshot(None, answer))
            .await
    }

    /// Runs a tool, for which consent has been given if it needs any. When the future is dropped before the tool's end,
    /// the execution is cancelled.
    pub async fn execute(&self, tool: ToolId, input: String) -> ToolOutcome {
        let outcome = Rc::new(RefCell::new(None));
        let answer = {
            let (answer, running) = (answer_into(&outcome), self.executions.clone());
            move |outcome| {
                answer(outcome);
                drop(running);
            }
        };
        let webview = self.webview();
        let id = webview.execute_tool(tool, input, answer);
        self.page.begin_execution(id);
        let _execution = Execution {
            id,
            webview,
            page: self.page.clone(),
            outcome: outcome.clone(),
        };
        self.until(|| match &*outcome.borrow() {
            Some(outcome) => Wait::Over(ToolOutcome::clone(outcome)),
            None => Wait::On,
        })
        .await
    }

    /// Whether there is an execution that has not come to its end, be it that somebody waits for it or that it has been
    /// cancelled.
    pub fn has_executions(&self) -> bool {
        Rc::strong_count(&self.executions) > 1
    }
}

/// An execution that somebody waits for. It is cancelled if that ends before it does.
struct Execution {
    id: ExecutionId,
    webview: WebView,
    page: Rc<Page>,
    outcome: Rc<RefCell<Option<ToolOutcome>>>,
}

impl Drop for Execution {
    fn drop(&mut self) {
        self.page.end_execution(self.id);
        if self.outcome.borrow().is_none() {
            self.webview.cancel_tool_execution(self.id);
        }
    }
}

fn build(
    servo: &Servo,
    context: &Rc<dyn RenderingContext>,
    user_content: &Rc<UserContentManager>,
    page: &Rc<Page>,
    url: Url,
) -> WebView {
    WebViewBuilder::new(servo, context.clone())
        .delegate(page.clone())
        .user_content_manager(user_content.clone())
        .url(url)
        .build()
}

fn answer_into<T: 'static>(answer: &Rc<RefCell<Option<T>>>) -> Box<dyn FnOnce(T)> {
    let answer = answer.clone();
    Box::new(move |value| *answer.borrow_mut() = Some(value))
}

fn take<T>(answer: &RefCell<Option<T>>) -> Wait<T> {
    answer.borrow_mut().take().map_or(Wait::On, Wait::Over)
}
