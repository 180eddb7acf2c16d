/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! One page in a browser without a window.
//!
//! [`Browser::open`] starts the engine and the load; [`Browser::wait_for_load`] waits for it; then the page can be asked
//! and used, or [served](Browser::serve) to other threads. Everything happens on the thread that called `open`, which
//! sleeps while it waits: see [`Browser::wait`]. When a `Browser` is dropped, the engine shuts down.

mod load;
mod moves;
mod page;
mod platform;
mod served;
mod tab;
mod tools;
mod wait;
mod waker;

use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};
use std::{panic, thread};

use dpi::PhysicalSize;
use image::RgbaImage;
use modelcontext_mcp::shown_address;
use servo::{
    Opts, RenderingContext, ScreenshotCaptureError, ServoBuilder, ServoDelegate, ServoError,
    ToolId, ToolOutcome, UserContentManager, UserScript,
};
use swgl_context::SwglRenderingContext;
use url::Url;

use self::page::Page;
pub use self::page::PageEnd;
pub use self::served::ServedPage;
use self::tab::Tab;
pub use self::tools::Watched;
use self::waker::Waker;
use crate::cli::GlobalOptions;
use crate::exit::{Failure, Result, Status};
use crate::process::exit_now;
use crate::progress::Progress;
use crate::server::Server;
use crate::source::Source;

/// How long the engine may take to shut down. A page that is stuck in a loop never gives its thread back.
const SHUTDOWN_TIME: Duration = Duration::from_secs(2);

/// How long it may take to find out what only helps to explain something.
const HELP_TIME: Duration = Duration::from_secs(2);

/// How long a cancelled call may take to come to its end.
const CANCELLATION_TIME: Duration = Duration::from_secs(5);

/// A browser with one page.
pub struct Browser {
    // The order of the fields is the order in which they are dropped: the engine before what its page comes from.
    tab: Rc<Tab>,
    server: Option<Server>,
    connection: Rc<Connection>,
    progress: Rc<Progress>,
    waker: Waker,
    interrupted: Arc<AtomicBool>,
    url: Url,
    timeout: Duration,
    deadline: Instant,
}

/// What differs from the surroundings that a user has.
#[derive(Debug, Default)]
pub struct Environment {
    /// The only authority that is trusted, in a file in PEM form.
    pub certificate: Option<PathBuf>,
    /// Where hosts are, in a file in the form of `/etc/hosts`.
    pub host_file: Option<PathBuf>,
    /// Whether pages are tests: they may open windows, and see nothing but what the engine itself offers.
    pub for_tests: bool,
}

impl Environment {
    /// The path as the engine wants it.
    fn certificate_path(&self) -> Result<Option<String>> {
        let Some(path) = &self.certificate else {
            return Ok(None);
        };
        match path.to_str() {
            Some(path) => Ok(Some(path.to_owned())),
            None => Err(Failure::usage(format!(
                "the path {} is not UTF-8",
                path.display()
            ))),
        }
    }
}

/// What was waited for, if it came.
pub type Awaited<T> = std::result::Result<T, Ended>;

/// What a script gave: the JSON of its value, which a value may lack, or the text of its exception.
pub type ScriptOutcome = std::result::Result<Option<String>, String>;

/// Why a wait ended without what was waited for.
#[derive(Clone, Debug)]
pub enum Ended {
    /// The time is up.
    TimedOut,
    /// The user wants the command to end.
    Interrupted,
    /// There is no page any more.
    PageGone(PageEnd),
    /// There is no engine any more.
    EngineGone,
}

/// Whether the thread that carries the engine still answers.
#[derive(Default)]
struct Connection(std::cell::Cell<bool>);

impl ServoDelegate for Connection {
    fn notify_error(&self, error: ServoError) {
        match error {
            ServoError::LostConnectionWithBackend => self.0.set(true),
            other => log::warn!("the engine reports {other:?}"),
        }
    }
}

impl Browser {
    /// Starts the engine and begins to load `source`. The time that `options` gives counts from now.
    pub fn open(source: Source, options: &GlobalOptions, environment: Environment) -> Result<Self> {
        let deadline = Instant::now() + options.timeout;
        let progress = Rc::new(Progress::new());
        let waker = Waker::default();
        let interrupted = watch_for_interrupts(&waker)?;
        let scripts = platform::init_scripts(&options.pages)?;
        let (url, server) = serve(source)?;
        progress.stage(format!("loading {}", shown_address(&url)));

        let context: Rc<dyn RenderingContext> = Rc::new(SwglRenderingContext::new(
            PhysicalSize::new(options.pages.size.width, options.pages.size.height),
        ));

        let servo = ServoBuilder::default()
            .opts(Opts {
                multiprocess: options.multiprocess,
                // A crash ends the page, and is told; it must not end this process, which has to tell it.
                hard_fail: false,
                certificate_path: environment.certificate_path()?,
                host_file: environment.host_file.clone(),
                ..Opts::default()
            })
            .preferences(platform::preferences(&options.pages))
            .event_loop_waker(Box::new(waker.clone()))
            .build();
        servo.setup_logging();
        panic::set_hook(Box::new(|info| log::error!("{info}")));
        let connection = Rc::new(Connection::default());
        servo.set_delegate(connection.clone());
        for (url, cookie) in server.iter().flat_map(Server::cookies) {
            servo
                .site_data_manager()
                .set_cookie_for_url(url, cookie, None);
        }

        let user_content = Rc::new(UserContentManager::new(&servo));
        if !environment.for_tests {
            for addition in platform::ADDITIONS {
                user_content.add_script(Rc::new(UserScript::new(addition.to_owned(), None)));
            }
        }
        for script in scripts {
            user_content.add_script(Rc::new(script));
        }
        let popups = environment.for_tests.then(|| context.clone());
        let page = Rc::new(Page::new(progress.clone(), options.verbose, popups));
        let tab = Tab::open(
            servo,
            context,
            user_content,
            page,
            waker.clone(),
            url.clone(),
        );
        Ok(Self {
            tab: Rc::new(tab),
            server,
            connection,
            progress,
            waker,
            interrupted,
            url,
            timeout: options.timeout,
            deadline,
        })
    }

    /// Says what is being done, for those who wait.
    pub fn stage(&self, description: impl Into<String>) {
        self.progress.stage(description);
    }

    /// Ends the signs of life, so that there is room for results.
    pub fn finish_progress(&self) {
        self.progress.finish();
    }

    /// Runs `script` in the top document and waits for its value, as JSON, or for the text of its exception.
    pub fn evaluate(&self, script: String) -> Awaited<ScriptOutcome> {
        self.wait(self.deadline, self.tab.evaluate(script))
    }

    /// The same for a script that is a help only: it gets a moment.
    pub fn evaluate_briefly(&self, script: &str) -> Awaited<ScriptOutcome> {
        let deadline = self.deadline.min(Instant::now() + HELP_TIME);
        self.wait(deadline, self.tab.evaluate(script))
    }

    /// Takes a picture of the page, once all that can be seen of it is there.
    pub fn screenshot(&self) -> Awaited<std::result::Result<RgbaImage, ScreenshotCaptureError>> {
        self.wait(self.deadline, self.tab.screenshot())
    }

    /// Runs a tool, for which consent has been given if it needs any, and waits for its end. A call that is given up is
    /// cancelled, and has a moment to end in.
    pub fn call(&self, tool: ToolId, input: String) -> Awaited<ToolOutcome> {
        let outcome = self.wait(self.deadline, self.tab.execute(tool, input));
        if matches!(outcome, Err(Ended::TimedOut | Ended::Interrupted)) {
            self.let_cancellations_arrive();
        }
        outcome
    }

    /// Lets what has been cancelled come to its end, and then the page's answer to it come.
    ///
    /// The page hears of a cancellation before it gets the script that is evaluated after it.
    fn let_cancellations_arrive(&self) {
        if !self.tab.has_executions() {
            return;
        }
        let deadline = Instant::now() + CANCELLATION_TIME;
        let mut heard = pin!(self.tab.evaluate("undefined"));
        let mut is_heard = false;
        loop {
            self.tab.servo.spin_event_loop();
            is_heard = is_heard || wait::poll(heard.as_mut()).is_ready();
            let is_over = is_heard && !self.tab.has_executions();
            if is_over || self.tab.page.end().is_some() || Instant::now() >= deadline {
                return;
            }
            self.waker.wait_until(deadline);
        }
    }

    /// Runs the engine until `future` has its value, or until `deadline`.
    ///
    /// The thread sleeps between events. The future is polled after each, and when the alarm of the tab goes off.
    fn wait<T>(&self, deadline: Instant, future: impl Future<Output = T>) -> Awaited<T> {
        let mut future = pin!(future);
        loop {
            self.tab.servo.spin_event_loop();
            if let Poll::Ready(value) = wait::poll(future.as_mut()) {
                return Ok(value);
            }
            if let Some(end) = self.tab.page.end() {
                return Err(Ended::PageGone(end));
            }
            if let Some(ended) = self.ended() {
                return Err(ended);
            }
            if Instant::now() >= deadline {
                return Err(Ended::TimedOut);
            }
            self.progress.show_when_due();
            let looks = [self.tab.alarm.take(), self.progress.due()];
            let next_look = looks.into_iter().flatten().fold(deadline, Instant::min);
            self.waker.wait_until(next_look);
        }
    }

    /// Why nothing can be waited for any more, if that is so.
    fn ended(&self) -> Option<Ended> {
        if self.connection.0.get() {
            Some(Ended::EngineGone)
        } else if self.interrupted.load(Ordering::SeqCst) {
            Some(Ended::Interrupted)
        } else {
            None
        }
    }

    /// The failure for a wait that ended while `activity` went on.
    pub fn failure(&self, ended: Ended, activity: &str) -> Failure {
        match ended {
            Ended::TimedOut => Failure::new(
                Status::TimedOut,
                format!(
                    "{activity}: not done within {} s; --timeout gives it more time",
                    self.timeout.as_secs_f64()
                ),
            ),
            Ended::Interrupted => {
                Failure::new(Status::Interrupted, format!("{activity}: interrupted"))
            }
            Ended::PageGone(PageEnd::Crashed(reason)) => {
                Failure::not_loaded(format!("{activity}: the page crashed: {reason}"))
            }
            Ended::PageGone(PageEnd::Closed) => {
                Failure::not_loaded(format!("{activity}: the page closed itself"))
            }
            Ended::EngineGone => Failure::not_loaded(format!("{activity}: the engine stopped")),
        }
    }

    /// Shuts the engine down, and ends the process with `status` if that takes too long.
    pub fn close(self, status: u8) {
        // What a page's thread has to say about being torn down concerns nobody.
        log::set_max_level(log::LevelFilter::Off);
        let spawned = thread::Builder::new()
            .name("Shutdown".to_owned())
            .spawn(move || {
                thread::sleep(SHUTDOWN_TIME);
                exit_now(status);
            });
        if spawned.is_err() {
            // Without the thread there is no way to bound the shutdown, and all results have been written.
            exit_now(status);
        }
        drop(self);
    }
}

/// The address of the page, and the server behind it if that is ours.
fn serve(source: Source) -> Result<(Url, Option<Server>)> {
    match source {
        Source::Remote(url) => Ok((url, None)),
        Source::Local { content, target } => {
            let server = Server::start(content).map_err(|error| {
                Failure::new(
                    Status::Failed,
                    format!("cannot start the local server: {error}"),
                )
            })?;
            Ok((server.url(&target), Some(server)))
        }
    }
}

/// The first signal is kept and wakes the waiting thread; the second ends the process.
fn watch_for_interrupts(waker: &Waker) -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let handler = {
        let (interrupted, waker) = (interrupted.clone(), waker.clone());
        move || {
            if interrupted.swap(true, Ordering::SeqCst) {
                exit_now(Status::Interrupted as u8);
            }
            waker.ring();
        }
    };
    ctrlc::set_handler(handler).map_err(|error| {
        Failure::new(Status::Failed, format!("cannot listen to signals: {error}"))
    })?;
    Ok(interrupted)
}
