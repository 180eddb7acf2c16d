/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! A content process that does not play by the rules.
//!
//! Every content process of a test with [`Options::forger`](crate::Options::forger) has a tap between script and the
//! constellation. That of [`HOSTILE_ORIGIN`] hands the way to the constellation on to the test, and reports what goes
//! over it. So the test can say whatever that process could, in a known order with what script says.
//!
//! The name of a document (pipeline) in the envelope of a message, and the address that the document says it was
//! redirected to, cannot be checked by anybody, since Servo has one channel for the script of all processes and leaves
//! redirects to script: everything here is said in the name of the process's own documents, at their own addresses.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Instant;
use std::{env, mem, thread};

use ipc_channel::ipc::{self, IpcOneShotServer, IpcReceiver, IpcSender};
use modelcontext::{ExecutionId, ToolFailureKind};
use serde::{Deserialize, Serialize};
use servo_base::generic_channel::GenericCallback;
use servo_base::id::{BrowsingContextId, PipelineId, TEST_PIPELINE_ID, TEST_WEBVIEW_ID, WebViewId};
use servo_constellation::UnprivilegedContent;
use servo_constellation_traits::{
    ModelContextTask, ModelContextTaskKind, ScriptToConstellationMessage,
    ScriptToConstellationSender, ScriptToModelContextMessage,
};
use uuid::Uuid;

use crate::browser::DEADLINE;

/// The origin whose content process forges. There can be one such process in a browser.
pub const HOSTILE_ORIGIN: &str = "https://hostile.example";

/// A tool of this name is not run when its document is told to. The hostile process keeps that to itself until script
/// registers a tool named [`RELEASING_TOOL`].
pub const HELD_TOOL: &str = "held";

/// See [`HELD_TOOL`].
pub const RELEASING_TOOL: &str = "release";

/// Names, in the environment, the server that waits for the content process that forges.
const SERVER: &str = "ENGINE_TESTS_FORGER";

/// What script sends to the constellation: whose webview and document speaks, and what it says.
type Envelope = (WebViewId, PipelineId, ScriptToConstellationMessage);

/// A document as the envelopes of its messages name it.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Sender {
    pub webview: WebViewId,
    pub document: PipelineId,
}

/// What has passed between the hostile process and the constellation, as far as tests want to know it.
#[derive(Clone, Debug, Deserialize, Serialize)]
enum Passed {
    /// A document has told of itself.
    DocumentCreated(Sender),
    /// A document has told of its frames.
    FramesOrdered(Vec<BrowsingContextId>),
    /// A document has called a tool of this browsing context's document.
    ToolCalled(ExecutionId, BrowsingContextId),
    /// A document was told to run a tool.
    ToolRun(ExecutionId),
    /// A document is still to be told to run [`HELD_TOOL`].
    ToolHeld(ExecutionId),
    /// A document was told how its call has ended.
    CallEnded(ExecutionId, Result<Option<String>, ToolFailureKind>),
    /// A document was told what tools there are.
    ToolsListed,
    /// A document was told to evaluate a script for the embedder.
    ScriptAsked(Uuid),
}

/// What the hostile process hands to the test.
#[derive(Deserialize, Serialize)]
struct Line {
    constellation: ScriptToConstellationSender,
    passed: IpcReceiver<Passed>,
}

/// Where the line of the hostile process comes in.
static LINES: Mutex<Option<mpsc::Receiver<Line>>> = Mutex::new(None);

/// Wait for the hostile process, on another thread. The content processes that are started from now on know of it.
pub(crate) fn listen() {
    let (server, name) = IpcOneShotServer::<Line>::new().expect("There can be a server");
    // SAFETY: Nothing else reads or writes the environment at the same time: the browser, whose threads do, has not
    // been started, and the suite runs the test of a process on its main thread.
    unsafe {
        env::set_var(SERVER, name);
    }
    let (sender, lines) = mpsc::channel();
    *lock(&LINES) = Some(lines);
    thread::spawn(move || {
        let (_, line) = server.accept().expect("The hostile process connects");
        // The test can have ended without having asked for it.
        let _ = sender.send(line);
    });
}

/// The content process of [`HOSTILE_ORIGIN`].
///
/// What is counted here is counted from 0, in the order in which it went through the process. It is waited for without
/// letting Servo work: all of it goes on between the constellation and content processes.
pub struct HostileProcess {
    line: Line,
    passed: RefCell<Vec<Passed>>,
}

impl HostileProcess {
    /// The hostile process of a test with [`Options::forger`](crate::Options::forger), which a document has been loaded
    /// in. To be called once.
    #[track_caller]
    pub fn get() -> HostileProcess {
        let lines = lock(&LINES).take().expect("Asked for, and only once");
        HostileProcess {
            line: lines
                .recv_timeout(DEADLINE)
                .expect("There is a hostile process"),
            passed: RefCell::default(),
        }
    }

    /// Say something to the constellation. It is handled before whatever a script of any process says from now on.
    pub fn say(&self, sender: Sender, message: ScriptToModelContextMessage) {
        self.line
            .constellation
            .send((
                sender.webview,
                sender.document,
                ScriptToConstellationMessage::ModelContext(message),
            ))
            .expect("The constellation is there");
    }

    /// A document of the process.
    #[track_caller]
    pub fn document(&self, index: usize) -> Sender {
        self.wait_for("a document", index, |passed| match passed {
            Passed::DocumentCreated(sender) => Some(*sender),
            _ => None,
        })
    }

    /// The frames that a document of the process has told of.
    #[track_caller]
    pub fn frames(&self, index: usize) -> Vec<BrowsingContextId> {
        self.wait_for("the frames of a document", index, |passed| match passed {
            Passed::FramesOrdered(frames) => Some(frames.clone()),
            _ => None,
        })
    }

    /// A call that a document of the process has made, and the browsing context whose tool it called.
    #[track_caller]
    pub fn call(&self, index: usize) -> (ExecutionId, BrowsingContextId) {
        self.wait_for("a call", index, |passed| match passed {
            Passed::ToolCalled(execution, target) => Some((*execution, *target)),
            _ => None,
        })
    }

    /// An execution that a document of the process was told to run.
    #[track_caller]
    pub fn run(&self, index: usize) -> ExecutionId {
        self.wait_for("an execution", index, |passed| match passed {
            Passed::ToolRun(execution) => Some(*execution),
            _ => None,
        })
    }

    /// The execution of [`HELD_TOOL`] that is held back.
    #[track_caller]
    pub fn held(&self) -> ExecutionId {
        self.wait_for("a held call", 0, |passed| match passed {
            Passed::ToolHeld(execution) => Some(*execution),
            _ => None,
        })
    }

    /// How a call has ended, as its document was told.
    #[track_caller]
    pub fn end_of(&self, execution: ExecutionId) -> Result<Option<String>, ToolFailureKind> {
        self.wait_for("the end of a call", 0, |passed| match passed {
            Passed::CallEnded(ended, outcome) if *ended == execution => Some(outcome.clone()),
            _ => None,
        })
    }

    /// The last script that a document was told to evaluate, of those that have passed before what was waited for.
    #[track_caller]
    pub fn last_script(&self) -> Uuid {
        let script = |passed: &Passed| match passed {
            Passed::ScriptAsked(evaluation) => Some(*evaluation),
            _ => None,
        };
        let all_passed = self.passed.borrow();
        let last = all_passed.iter().rev().find_map(script);
        last.expect("A script has been asked for")
    }

    /// Whether a document was told what tools there are, before anything else that has been waited for.
    pub fn has_been_told_of_tools(&self) -> bool {
        let is_list = |passed: &Passed| matches!(passed, Passed::ToolsListed);
        self.passed.borrow().iter().any(is_list)
    }

    #[track_caller]
    fn wait_for<T>(&self, what: &str, index: usize, pick: impl Fn(&Passed) -> Option<T>) -> T {
        let deadline = Instant::now() + DEADLINE;
        let mut all_passed = self.passed.borrow_mut();
        loop {
            if let Some(found) = all_passed.iter().filter_map(&pick).nth(index) {
                return found;
            }
            let timeout = deadline.saturating_duration_since(Instant::now());
            match self.line.passed.try_recv_timeout(timeout) {
                Ok(passed) => all_passed.push(passed),
                Err(error) => panic!("{what} (number {index}) of the hostile process: {error}"),
            }
        }
    }
}

/// The server that waits for the hostile process, in a content process of a test that has one.
pub(crate) fn server() -> Option<String> {
    env::var(SERVER).ok()
}

/// Run Servo's content process with a tap on its way to the constellation.
pub(crate) fn run_content_process(token: String, server: String) {
    let mut content = receive_content(token);
    let (way_in, genuine) = ipc::channel::<Envelope>().expect("There can be a channel");
    if let UnprivilegedContent::ScriptEventLoop(info) = &mut content {
        let sender = &mut info.initial_script_state.script_to_constellation_sender;
        let constellation = mem::replace(sender, generic_sender(way_in.clone()));
        let tap = Tap {
            genuine,
            constellation,
            server,
            reports: Arc::default(),
            held: Arc::default(),
        };
        let tap = thread::spawn(move || tap.run());
        run_servo(content);
        // All that script has said is in the channel. The process ends once it has been handed on.
        way_in.send(end()).expect("The tap is there");
        tap.join().expect("The tap has done its work");
    } else {
        run_servo(content);
    }
}

/// What Servo's content process is to do, which it would have asked for itself.
fn receive_content(token: String) -> UnprivilegedContent {
    let (sender, receiver) = ipc::channel().expect("There can be a channel");
    let bootstrap: IpcSender<IpcSender<UnprivilegedContent>> =
        IpcSender::connect(token).expect("The browser waits");
    bootstrap.send(sender).expect("The browser waits");
    receiver.recv().expect("The browser tells what to do")
}

/// Run Servo's content process, which asks what to do as if this were the browser.
fn run_servo(content: UnprivilegedContent) {
    let (server, token) =
        IpcOneShotServer::<IpcSender<UnprivilegedContent>>::new().expect("There can be a server");
    let answer = thread::spawn(move || {
        let (_, sender) = server.accept().expect("Servo connects");
        sender.send(content).expect("Servo waits");
    });
    servo::run_content_process(token);
    answer.join().expect("Servo has asked");
}

/// A sender between processes, as Servo's own type. Servo makes these by its options, which are not set yet; but it
/// reads what another process made.
fn generic_sender(sender: IpcSender<Envelope>) -> ScriptToConstellationSender {
    /// What `GenericSender` looks like on the way.
    #[derive(Deserialize, Serialize)]
    enum GenericSender {
        Ipc(IpcSender<Envelope>),
    }

    let (there, back) =
        ipc::channel::<ScriptToConstellationSender>().expect("There can be a channel");
    there
        .to_opaque()
        .to()
        .send(GenericSender::Ipc(sender))
        .expect("The channel is open");
    back.recv().expect("It looks like this")
}

/// What ends a [`Tap`]. In the name of no document, which this is, Servo only logs.
fn end() -> Envelope {
    (
        TEST_WEBVIEW_ID,
        TEST_PIPELINE_ID,
        ScriptToConstellationMessage::DiscardDocument,
    )
}

/// Where reports go, once the process is known to be the hostile one.
type Reports = Arc<Mutex<Option<IpcSender<Passed>>>>;

/// What is held back, and where it is to go.
type Held = Arc<Mutex<Vec<(GenericCallback<ModelContextTask>, ModelContextTask)>>>;

/// Sits between the script of a content process and the constellation.
struct Tap {
    genuine: IpcReceiver<Envelope>,
    constellation: ScriptToConstellationSender,
    server: String,
    reports: Reports,
    held: Held,
}

impl Tap {
    /// Hand on everything, until [`end`]. What is reported has been handed on.
    fn run(self) {
        loop {
            let (webview, document, message) =
                self.genuine.recv().expect("Script's messages can be read");
            let is_discarded = matches!(message, ScriptToConstellationMessage::DiscardDocument);
            if document == TEST_PIPELINE_ID && is_discarded {
                return;
            }
            let sender = Sender { webview, document };
            let (message, passed) = match message {
                ScriptToConstellationMessage::ModelContext(message) => {
                    let passed = self.passed(sender, &message);
                    (
                        ScriptToConstellationMessage::ModelContext(self.tapped(message)),
                        passed,
                    )
                }
                message => (message, None),
            };
            // At the end of the browser the constellation can be gone first.
            self.constellation
                .send_or_ignore((webview, document, message));
            if let Some(passed) = passed {
                report(&self.reports, passed);
            }
        }
    }

    fn passed(&self, sender: Sender, message: &ScriptToModelContextMessage) -> Option<Passed> {
        match message {
            ScriptToModelContextMessage::DocumentCreated { origin, .. } => {
                if origin.ascii_serialization() == HOSTILE_ORIGIN {
                    self.connect();
                }
                Some(Passed::DocumentCreated(sender))
            }
            ScriptToModelContextMessage::FramesOrdered(frames) => {
                Some(Passed::FramesOrdered(frames.clone()))
            }
            ScriptToModelContextMessage::ExecuteTool {
                execution, target, ..
            } => Some(Passed::ToolCalled(*execution, *target)),
            ScriptToModelContextMessage::ToolRegistered(definition)
                if definition.name.as_str() == RELEASING_TOOL =>
            {
                for (script, task) in lock(&self.held).drain(..) {
                    script.send(task).expect("Script is in this process");
                }
                None
            }
            _ => None,
        }
    }

    /// Hand the way to the constellation on to the test, unless it has it already.
    fn connect(&self) {
        let mut reports = lock(&self.reports);
        if reports.is_some() {
            return;
        }
        let (sender, passed) = ipc::channel().expect("There can be a channel");
        let line = Line {
            constellation: self.constellation.clone(),
            passed,
        };
        IpcSender::connect(self.server.clone())
            .expect("The test waits for one hostile process")
            .send(line)
            .expect("The test waits");
        *reports = Some(sender);
    }

    /// The message, with a tap on the way back if it opens that.
    fn tapped(&self, message: ScriptToModelContextMessage) -> ScriptToModelContextMessage {
        let ScriptToModelContextMessage::EventLoopCreated(script) = message else {
            return message;
        };
        let (reports, held) = (self.reports.clone(), self.held.clone());
        let callback = GenericCallback::new(move |task: Result<ModelContextTask, _>| {
            let task = task.expect("The constellation's tasks can be read");
            let passed = match &task.kind {
                ModelContextTaskKind::ExecuteTool {
                    execution,
                    tool_name,
                    ..
                } if tool_name.as_str() == HELD_TOOL => {
                    let passed = Passed::ToolHeld(*execution);
                    lock(&held).push((script.clone(), task));
                    return report(&reports, passed);
                }
                ModelContextTaskKind::ExecuteTool { execution, .. } => {
                    Some(Passed::ToolRun(*execution))
                }
                ModelContextTaskKind::ExecutionFinished(execution, outcome) => {
                    Some(Passed::CallEnded(*execution, outcome.clone()))
                }
                ModelContextTaskKind::ToolsCollected(..) => Some(Passed::ToolsListed),
                ModelContextTaskKind::EvaluateScript(evaluation, _) => {
                    // Before what the script does.
                    report(&reports, Passed::ScriptAsked(*evaluation));
                    None
                }
                _ => None,
            };
            script.send(task).expect("Script is in this process");
            if let Some(passed) = passed {
                report(&reports, passed);
            }
        });
        ScriptToModelContextMessage::EventLoopCreated(callback.expect("There can be a callback"))
    }
}

fn report(reports: &Reports, passed: Passed) {
    if let Some(reports) = &*lock(reports) {
        // Towards its end the test does not listen any more.
        let _ = reports.send(passed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
