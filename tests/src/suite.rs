/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::env;
use std::panic::{self, AssertUnwindSafe};
use std::process::{self, Command, ExitCode};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;

use libtest_mimic::{Arguments, Failed, Trial};
use servo::{EventLoopWaker, Preferences};

use crate::browser::DEADLINE;
use crate::waker::Waker;
use crate::{Browser, forger};

/// How Servo asks its executable to be a content process. The token of the connection follows.
pub(crate) const CONTENT_PROCESS: &str = "--content-process";

/// Set in a process that was started for one test. `cargo nextest`, which does the same, sets the second.
const OWN_PROCESS: [&str; 2] = ["ENGINE_TESTS_OWN_PROCESS", "NEXTEST"];

/// How the parts of the engine are spread over threads and processes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Mode {
    /// Threads of one process.
    #[default]
    SingleProcess,
    /// Threads of one process that send each other what processes would.
    ForcedIpc,
    /// A process for each event loop.
    Multiprocess,
}

impl Mode {
    /// What tells the test in this mode from that in the others.
    fn suffix(self) -> &'static str {
        match self {
            Mode::SingleProcess => "",
            Mode::ForcedIpc => "::forced_ipc",
            Mode::Multiprocess => "::multiprocess",
        }
    }
}

/// How the browser of a test is started.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub mode: Mode,
    /// Whether a crash of a part of the engine ends all of it at once, and so the test.
    pub hard_fail: bool,
    /// Whether a content process does not play by the rules; see [`forger`]. Needs [`Mode::Multiprocess`].
    pub forger: bool,
    /// Changes the preferences, which are Servo's own but for WebMCP being on.
    pub preferences: fn(&mut Preferences),
}

impl Default for Options {
    fn default() -> Self {
        Options {
            mode: Mode::default(),
            hard_fail: true,
            forger: false,
            preferences: |_| {},
        }
    }
}

/// The path of a test within the binary, and the test; see [`tests!`](crate::tests).
pub type NamedTest = (&'static str, fn(&Browser));

struct Test {
    name: String,
    options: Options,
    body: fn(&Browser),
}

/// All tests of a binary.
#[derive(Default)]
pub struct Suite(Vec<Test>);

/// Names tests of a module, for [`Suite`]: their paths within the binary and the functions themselves.
#[macro_export]
macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        &[$((
            concat!(module_path!(), "::", stringify!($name)),
            $name as fn(&$crate::Browser),
        )),*]
    };
}

impl Suite {
    /// Add tests that run in a single process.
    pub fn add(&mut self, tests: &[NamedTest]) {
        self.add_with(Options::default(), tests);
    }

    /// Add tests that run in every mode, each as a test of its own.
    pub fn add_in_every_mode(&mut self, tests: &[NamedTest]) {
        for mode in [Mode::SingleProcess, Mode::ForcedIpc, Mode::Multiprocess] {
            let options = Options {
                mode,
                ..Options::default()
            };
            self.add_with(options, tests);
        }
    }

    /// Add tests that run with these options.
    pub fn add_with(&mut self, options: Options, tests: &[NamedTest]) {
        self.0.extend(tests.iter().map(|(path, body)| Test {
            // The name of the binary says nothing.
            name: match path.split_once("::") {
                Some((_, name)) => format!("{name}{}", options.mode.suffix()),
                None => format!("{path}{}", options.mode.suffix()),
            },
            options,
            body: *body,
        }));
    }

    /// The main function of a test binary: runs the tests that the arguments name, each in a process of its own; or is
    /// a content process.
    pub fn run(self) -> ExitCode {
        if let Some(token) = content_process_token() {
            report_panics_to_the_browser();
            match forger::server() {
                Some(server) => forger::run_content_process(token, server),
                None => servo::run_content_process(token),
            }
            return ExitCode::SUCCESS;
        }
        let mut arguments = Arguments::from_args();
        let has_own_process = OWN_PROCESS.iter().any(|name| env::var_os(name).is_some());
        if has_own_process {
            // On the main thread, then.
            arguments.test_threads = Some(1);
        }
        let trials = self.0.into_iter().map(|test| {
            let name = test.name.clone();
            Trial::test(name, move || {
                if has_own_process {
                    run_here(&test)
                } else {
                    run_in_own_process(&test.name)
                }
            })
        });
        libtest_mimic::run(&arguments, trials.collect()).exit_code()
    }
}

fn content_process_token() -> Option<String> {
    let mut arguments = env::args();
    arguments.find(|argument| argument == CONTENT_PROCESS)?;
    arguments.next()
}

fn run_in_own_process(name: &str) -> Result<(), Failed> {
    let output = Command::new(env::current_exe()?)
        .args([name, "--exact", "--nocapture"])
        .env(OWN_PROCESS[0], "1")
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
    .into())
}

fn run_here(test: &Test) -> Result<(), Failed> {
    if test.options.forger {
        forger::listen();
    }
    let browser = Browser::start(&test.options);
    // Servo shuts down by letting its event loop run, which it could not while unwinding. Nothing of the test is used
    // after a panic but the log.
    let ending = panic::catch_unwind(AssertUnwindSafe(|| (test.body)(&browser)));
    let log = browser.log();
    if ending.is_err() && !log.is_empty() {
        eprintln!("What the pages did:\n{}", log.join("\n"));
    }
    shut_down(browser);

    // A panic of the test has been told already, where it happened.
    match panic_in_the_engine() {
        Some(panic) => Err(format!("The engine panicked: {panic}").into()),
        None => ending.map_err(|_| Failed::without_message()),
    }
}

/// Shut the engine down, which waits for all its threads and processes. One that waits forever fails the test.
fn shut_down(browser: Browser) {
    let (finished, waiting) = mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        if waiting.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout) {
            eprintln!(
                "The engine has not shut down within {} seconds",
                DEADLINE.as_secs()
            );
            process::exit(101);
        }
    });
    drop(browser);
    drop(finished);
    watch.join().expect("The thread only waits");
}

/// The first panic on a thread that is not the test's.
static PANIC_IN_THE_ENGINE: Mutex<Option<String>> = Mutex::new(None);

pub(crate) fn panic_in_the_engine() -> Option<String> {
    PANIC_IN_THE_ENGINE
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

/// Note panics on the engine's threads, which would otherwise only be seen as something that never happens, and wake up
/// whoever waits for it.
pub(crate) fn wake_on_panic(waker: &Waker) {
    let test = thread::current().id();
    let waker = waker.clone();
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        if thread::current().id() != test {
            PANIC_IN_THE_ENGINE
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert_with(|| info.to_string());
            waker.wake();
        }
    }));
}

/// Let the browser know of panics in this content process: it is told of errors in the log, and takes this one for a
/// crash.
fn report_panics_to_the_browser() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        log::error!("{info}");
    }));
}
