/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The page for other threads: what the MCP server asks.
//!
//! The thread of the engine runs [`Browser::serve`]; everybody else has a [`ServedPage`]. A question goes to the
//! engine's thread as a piece of work, becomes one of the futures that are polled there after each event, and is
//! answered through a channel. Any number of them are under way at the same time. Whoever drops the question closes the
//! channel and rings the bell, and so the work is dropped too, which cancels a tool that it has begun.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::task::Poll;

use modelcontext_mcp::{
    Changes, Location, Page, PageError, PageErrorKind, PageTool, shown_address,
};
use servo::{ToolFailure, ToolFailureKind, ToolId, ToolOutcome};
use tokio::sync::{oneshot, watch};
use tokio::task::spawn_blocking;
use url::Url;

use super::moves::MoveError;
use super::page::PageEnd;
use super::tab::{Gone, Tab};
use super::tools::Watched;
use super::waker::Waker;
use super::{Awaited, Browser, wait};
use crate::output::as_png;
use crate::source::Source;

/// Gives what somebody sees of the document as text.
const TEXT: &str = "document.body?.innerText ?? document.documentElement?.textContent ?? ''";

/// Gives the markup of the document, with its doctype.
const HTML: &str = r#"
(() => {
  const serializer = new XMLSerializer();
  return Array.from(document.childNodes, (node) =>
    node.nodeType === Node.ELEMENT_NODE ? node.outerHTML : serializer.serializeToString(node)
  ).join("\n");
})()
"#;

/// What is done on the thread of the engine.
type Task = Pin<Box<dyn Future<Output = ()>>>;

/// How it gets there.
type Job = Box<dyn FnOnce(Rc<Tab>) -> Task + Send>;

/// The questions that others ask of the page.
pub struct Questions(Receiver<Job>);

/// The page of a browser that [serves](Browser::serve) it.
pub struct ServedPage {
    jobs: Sender<Job>,
    waker: Waker,
    counts: watch::Receiver<Changes>,
    /// The address that the page had first.
    start: Url,
    /// Where the built-in pages are, if they are served.
    demos: Option<Url>,
}

impl Browser {
    /// The page for other threads, and what they ask of it, which is to be given to [`serve`](Self::serve).
    pub fn hand_out(&self) -> (ServedPage, Questions) {
        let (jobs, questions) = mpsc::channel();
        let page = ServedPage {
            jobs,
            waker: self.waker.clone(),
            counts: self.tab.page.counts(),
            start: self.url.clone(),
            demos: self
                .server
                .as_ref()
                .filter(|server| server.has_demos())
                .map(|server| server.url("/")),
        };
        (page, Questions(questions))
    }

    /// What wakes this thread from [`serve`](Self::serve), so that it looks whether that is over.
    pub fn doorbell(&self) -> impl Fn() + Send + 'static {
        let waker = self.waker.clone();
        move || waker.ring()
    }

    /// Answers questions until `is_over`, which is looked at after each event.
    ///
    /// A page that crashes or closes itself does not end this: whoever asks can take the browser to another one.
    pub fn serve(&self, questions: &Questions, is_over: impl Fn() -> bool) -> Awaited<()> {
        let mut tasks: Vec<Task> = Vec::new();
        let served = loop {
            self.tab.servo.spin_event_loop();
            let jobs = questions.0.try_iter();
            tasks.extend(jobs.map(|job| job(self.tab.clone())));
            tasks.retain_mut(|task| wait::poll(task.as_mut()).is_pending());
            if is_over() {
                break Ok(());
            }
            if let Some(ended) = self.ended() {
                break Err(ended);
            }
            self.waker.wait_until(self.tab.alarm.take());
        };
        drop(tasks);
        self.let_cancellations_arrive();
        served
    }
}

impl ServedPage {
    /// Has `work` done on the thread of the engine, and waits for what comes of it.
    async fn ask<T, F>(
        &self,
        work: impl FnOnce(Rc<Tab>) -> F + Send + 'static,
    ) -> Result<T, PageError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, PageError>> + 'static,
    {
        // It is dropped after the receiver, so that the thread that it wakes finds the channel closed.
        let _bell = RingWhenDropped(&self.waker);
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |tab| Box::pin(do_unless_given_up(work(tab), answer)));
        if self.jobs.send(job).is_err() {
            return Err(shutting_down());
        }
        self.waker.ring();
        answered.await.unwrap_or_else(|_| Err(shutting_down()))
    }

    fn parse(&self, address: &str) -> Result<Url, PageError> {
        let bad = |message| PageError {
            kind: PageErrorKind::BadAddress,
            message,
        };
        match Source::parse_remote(address).map_err(|failure| bad(failure.message))? {
            Source::Remote(url) => Ok(url),
            Source::Local { target, .. } => self
                .demos
                .as_ref()
                .and_then(|demos| demos.join(&target).ok())
                .ok_or_else(|| {
                    bad(format!(
                        "`{}`: the demo: pages are there only if the browser was started with one of them",
                        shown_address(address)
                    ))
                }),
        }
    }
}

impl Page for ServedPage {
    async fn tools(&self) -> Result<Vec<Arc<PageTool>>, PageError> {
        self.ask(|tab| async move {
            let tools = tab.alive(settled_tools(&tab)).await??;
            Ok(tools.into_iter().map(for_clients).map(Arc::new).collect())
        })
        .await
    }

    async fn execute(&self, tool: ToolId, input: String) -> Result<ToolOutcome, PageError> {
        self.ask(move |tab| async move {
            if tab.page.end().is_some() {
                return Ok(Err(ToolFailure::new(
                    ToolFailureKind::NoSuchTool,
                    "there is no page any more that could have the tool; load one",
                )));
            }
            let document = tab.page.document();
            let was_complete = tab.is_complete();
            let outcome = tab.alive(tab.execute(tool, input)).await?;
            if !matches!(&outcome, Err(failure) if failure.kind == ToolFailureKind::TargetGone) {
                return Ok(outcome);
            }
            // The tool's document went away: with the page, for another page that may still be loading, or alone.
            if let Some(end) = tab.page.end() {
                Err(Gone::Ended(end).into())
            } else if tab.page.document() != document || (was_complete && !tab.is_complete()) {
                Err(Gone::Replaced.into())
            } else {
                Ok(outcome)
            }
        })
        .await
    }

    async fn navigate(&self, address: String) -> Result<Location, PageError> {
        let url = self.parse(&address)?;
        self.ask(move |tab| async move {
            tab.navigate(url.clone()).await?;
            new_location(&tab, url).await
        })
        .await
    }

    async fn go_back(&self) -> Result<Location, PageError> {
        let start = self.start.clone();
        self.ask(move |tab| async move {
            tab.go_back().await?;
            new_location(&tab, start).await
        })
        .await
    }

    async fn reload(&self) -> Result<Location, PageError> {
        let start = self.start.clone();
        self.ask(move |tab| async move {
            tab.reload(&start).await?;
            new_location(&tab, start).await
        })
        .await
    }

    async fn location(&self) -> Result<Location, PageError> {
        let start = self.start.clone();
        self.ask(move |tab| async move { Ok(location(&tab, start)) })
            .await
    }

    async fn text(&self) -> Result<String, PageError> {
        self.ask(|tab| async move { read(&tab, TEXT).await }).await
    }

    async fn html(&self) -> Result<String, PageError> {
        self.ask(|tab| async move { read(&tab, HTML).await }).await
    }

    async fn screenshot(&self) -> Result<Vec<u8>, PageError> {
        let picture = self
            .ask(|tab| async move {
                tab.alive(tab.screenshot())
                    .await?
                    .map_err(|error| failed(format!("the page could not be drawn: {error:?}")))
            })
            .await?;
        // It takes its time, and others wait for this thread and for that of the engine.
        spawn_blocking(move || as_png(&picture))
            .await
            .map_err(|_| shutting_down())?
            .map_err(|error| failed(format!("the picture cannot be encoded: {error}")))
    }

    fn changes(&self) -> watch::Receiver<Changes> {
        let mut counts = self.counts.clone();
        counts.mark_unchanged();
        counts
    }
}

/// Rings when it is dropped.
struct RingWhenDropped<'a>(&'a Waker);

impl Drop for RingWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.ring();
    }
}

/// Does the work and gives the answer, unless nobody waits for it any more.
async fn do_unless_given_up<T>(work: impl Future<Output = T>, answer: oneshot::Sender<T>) {
    let mut work = pin!(work);
    let done = poll_fn(|context| {
        if answer.is_closed() {
            Poll::Ready(None)
        } else {
            work.as_mut().poll(context).map(Some)
        }
    })
    .await;
    if let Some(done) = done {
        // Whoever asked may have gone in this moment.
        let _ = answer.send(done);
    }
}

/// The tools of the page, once it has loaded and its list has settled.
async fn settled_tools(tab: &Tab) -> Result<Vec<servo::PageTool>, PageError> {
    loop {
        tab.complete().await;
        let seen = (tab.page.document(), tab.page.history_changes());
        match tab.settled.get() {
            Some(settled) if settled == seen => return Ok(tab.tools_now().await),
            // The address has changed. A document that has only just come tells of itself before it answers; if none
            // does, the page has changed its own address.
            Some((document, _)) if document == seen.0 => {
                tab.http_status().await;
                if tab.is_complete() && tab.page.document() == document {
                    tab.settled.set(Some(seen));
                }
                continue;
            }
            _ => {}
        }
        if let Some(url) = tab.webview().url()
            && let Some(reason) = tab.load_error(&url).await
        {
            return Err(not_loaded(reason));
        }
        let Watched::Settled(tools) = tab.watch_tools(|_| None::<Infallible>).await;
        // Another document may have come meanwhile.
        if tab.page.document() == seen.0 {
            tab.settled.set(Some(seen));
            return Ok(tools);
        }
    }
}

fn for_clients(tool: servo::PageTool) -> PageTool {
    PageTool {
        id: tool.id,
        name: tool.name,
        title: tool.title,
        description: tool.description,
        input_schema: tool.input_schema,
        annotations: tool.annotations,
        origin: tool.origin,
        url: tool.url,
        frame: tool.frame,
    }
}

/// Where the page is; at `otherwise` if the engine does not know.
fn location(tab: &Tab, otherwise: Url) -> Location {
    let webview = tab.webview();
    Location {
        url: webview.url().unwrap_or(otherwise),
        title: webview.page_title().unwrap_or_default(),
    }
}

/// Where a page is that has just loaded. What the engine says of its title can come later than the end of the load, so
/// the page itself is asked.
async fn new_location(tab: &Tab, otherwise: Url) -> Result<Location, PageError> {
    let title = tab.alive(tab.evaluate("document.title")).await?;
    let location = location(tab, otherwise);
    Ok(Location {
        title: title
            .ok()
            .flatten()
            .and_then(|json| serde_json::from_str(&json).ok())
            .unwrap_or(location.title),
        ..location
    })
}

/// The text that `script` gives.
async fn read(tab: &Tab, script: &str) -> Result<String, PageError> {
    let document = tab.page.document();
    let text = tab.alive(tab.evaluate(script)).await?.and_then(|json| {
        serde_json::from_str(json.as_deref().unwrap_or("null"))
            .map_err(|error| format!("it gave something that is no text: {error}"))
    });
    text.map_err(|reason| {
        if tab.is_complete() && tab.page.document() == document {
            failed(format!("the page cannot be read: {reason}"))
        } else {
            PageError {
                kind: PageErrorKind::Navigated,
                message: "the page went to another address while it was read; read it again"
                    .to_owned(),
            }
        }
    })
}

impl From<Gone> for PageError {
    fn from(gone: Gone) -> Self {
        let (kind, message) = match gone {
            Gone::Ended(PageEnd::Crashed(reason)) => (
                PageErrorKind::Crashed,
                format!("the page crashed ({reason}); load it again, or go to another address"),
            ),
            Gone::Ended(PageEnd::Closed) => (
                PageErrorKind::Closed,
                "the page closed itself; load it again, or go to another address".to_owned(),
            ),
            Gone::Replaced => (
                PageErrorKind::Navigated,
                "the page was left for another address meanwhile".to_owned(),
            ),
        };
        Self { kind, message }
    }
}

impl From<MoveError> for PageError {
    fn from(error: MoveError) -> Self {
        match error {
            MoveError::Gone(gone) => gone.into(),
            MoveError::NotLoaded(reason) => not_loaded(reason),
            MoveError::NoHistory => Self {
                kind: PageErrorKind::NoHistory,
                message: "there is no page to go back to".to_owned(),
            },
        }
    }
}

fn not_loaded(message: String) -> PageError {
    PageError {
        kind: PageErrorKind::NotLoaded,
        message,
    }
}

fn failed(message: String) -> PageError {
    PageError {
        kind: PageErrorKind::Failed,
        message,
    }
}

fn shutting_down() -> PageError {
    PageError {
        kind: PageErrorKind::ShuttingDown,
        message: "the browser is shutting down".to_owned(),
    }
}
