/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask wpt`: the tests in web-platform-tests form, in this project's browser or in Chromium.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use xtask::commands::build::{self, Profile};
use xtask::util::{self, project::Project};

use super::browser::{Browser, Chromium, Webmcp, WebmcpOptions};
use super::manifest::{self, Test};
use super::meta::Expectations;
use super::report::{self, Counts, Report, RunInfo};
use super::results::FileResult;
use super::server::{Server, Tree};
use super::setup::Setup;

/// The folder of the tests, here and in a checkout of web-platform-tests.
const FOLDER: &str = "webmcp";

/// What is run where.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Only the tests in these files and folders, such as `wpt/webmcp/imperative`.
    paths: Vec<PathBuf>,
    /// The browser that runs them.
    #[arg(long, value_enum, default_value = "webmcp")]
    browser: BrowserName,
    /// Run the folder `webmcp/` of a checkout of web-platform-tests instead of our tests.
    #[arg(long, value_name = "CHECKOUT")]
    wpt_root: Option<PathBuf>,
    /// Let the browser run each site in a process of its own.
    #[arg(long)]
    multiprocess: bool,
    /// Take the release build of the browser.
    #[arg(long)]
    release: bool,
    /// Take this program as the browser.
    #[arg(long, value_name = "FILE", conflicts_with = "release")]
    binary: Option<PathBuf>,
    /// Set a preference of the engine; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pref: Vec<String>,
    /// Write the results to a file in the wptreport form.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// How many tests are run at a time; as many as there are processors unless said otherwise.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum BrowserName {
    Webmcp,
    Chromium,
}

impl BrowserName {
    fn text(self) -> &'static str {
        match self {
            Self::Webmcp => "webmcp",
            Self::Chromium => "chromium",
        }
    }
}

/// `cargo xtask wpt`
pub fn run(project: &Project, options: &Options) -> Result<()> {
    let tree = match &options.wpt_root {
        Some(root) => {
            ensure!(
                root.join("resources/testharness.js").is_file(),
                "{} is no checkout of web-platform-tests",
                root.display()
            );
            Tree::Checkout(std::path::absolute(root)?)
        }
        None => Tree::Ours(project.root.join("wpt")),
    };
    let all = manifest::tests(tree.root(), FOLDER)?;
    let expectations = Expectations::load(
        &project
            .root
            .join("wpt/meta")
            .join(meta_name(&tree, options.browser)),
    )?;
    let stale = expectations.stale_files(all.iter().map(|test| test.id.as_str()));
    let tests = manifest::select(all, &options.paths)?;

    let setup = Setup::prepare()?;
    let browser = browser(project, options, &setup)?;
    let server = Server::start(&setup, &tree)?;
    let started = SystemTime::now();
    let mut counts = Counts {
        failed: stale.len(),
        ..Counts::default()
    };
    for surprise in &stale {
        println!("FAIL      {surprise}");
    }
    let results = run_all(
        &tests,
        options.jobs,
        |test| {
            let started = Instant::now();
            let outcome = browser
                .run(test, &server.url(test))
                .with_context(|| format!("while running {}", test.id))?;
            let result = FileResult {
                test: test.id.clone(),
                outcome,
                duration: started.elapsed(),
            };
            Ok(result)
        },
        |result| {
            let surprises = expectations.compare(result);
            counts.add(result, &surprises);
            println!("{}", report::line(result, &surprises));
        },
    )?;

    if let Some(path) = &options.report {
        let info = RunInfo {
            product: options.browser.text().to_owned(),
            browser_version: browser.version().to_owned(),
            os: env::consts::OS.to_owned(),
            processor: env::consts::ARCH.to_owned(),
            debug: options.browser == BrowserName::Webmcp
                && !options.release
                && options.binary.is_none(),
            multiprocess: options.multiprocess || options.browser == BrowserName::Chromium,
        };
        let report = Report::new(info, started, &results, &expectations);
        fs::write(path, serde_json::to_vec_pretty(&report)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if counts.listed > 0 {
        println!(
            "{} failures are listed in wpt/meta/{}",
            counts.listed,
            meta_name(&tree, options.browser)
        );
    }
    println!("{} passed, {} failed", counts.passed, counts.failed);
    if counts.failed > 0 {
        bail!(
            "{} results of {} files are not as listed",
            counts.failed,
            counts.files
        );
    }
    Ok(())
}

fn browser(project: &Project, options: &Options, setup: &Setup) -> Result<Browser> {
    match options.browser {
        BrowserName::Chromium => {
            ensure!(
                !options.multiprocess
                    && options.pref.is_empty()
                    && options.binary.is_none()
                    && !options.release,
                "--multiprocess, --pref, --binary and --release are for this project's browser"
            );
            Ok(Browser::Chromium(Chromium::start()?))
        }
        BrowserName::Webmcp => {
            let program = match &options.binary {
                Some(program) => program.clone(),
                None => build::program(
                    project,
                    if options.release {
                        Profile::Release
                    } else {
                        Profile::Dev
                    },
                )?,
            };
            let options = WebmcpOptions {
                program,
                multiprocess: options.multiprocess,
                preferences: options.pref.clone(),
            };
            Ok(Browser::Webmcp(Webmcp::new(options, setup.certificates())?))
        }
    }
}

fn meta_name(tree: &Tree, browser: BrowserName) -> String {
    match tree {
        Tree::Ours(_) => format!("{}.toml", browser.text()),
        Tree::Checkout(_) => format!("upstream-{}.toml", browser.text()),
    }
}

/// Runs the tests on several threads, tells of each as it ends, and returns the results in the order of the tests.
fn run_all(
    tests: &[Test],
    jobs: Option<u16>,
    run: impl Fn(&Test) -> Result<FileResult> + Sync,
    tell: impl FnMut(&FileResult) + Send,
) -> Result<Vec<FileResult>> {
    let jobs = jobs.map_or_else(
        || thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    );
    let queue = Mutex::new(tests.iter().enumerate());
    let done = Mutex::new((Vec::new(), tell));
    let poisoned = || anyhow!("another thread has failed");
    let work = || -> Result<()> {
        loop {
            let next = queue.lock().map_err(|_| poisoned())?.next();
            let Some((index, test)) = next else {
                return Ok(());
            };
            let result = run(test).inspect_err(|_| {
                // The others need not begin anything more.
                if let Ok(mut queue) = queue.lock() {
                    queue.by_ref().for_each(drop);
                }
            })?;
            let mut done = done.lock().map_err(|_| poisoned())?;
            (done.1)(&result);
            done.0.push((index, result));
        }
    };
    thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..jobs.min(tests.len()).max(1))
            .map(|_| scope.spawn(work))
            .collect();
        for worker in workers {
            worker.join().map_err(|_| poisoned())??;
        }
        Ok(())
    })?;
    let (mut results, _) = done.into_inner().map_err(|_| poisoned())?;
    results.sort_by_key(|(index, _)| *index);
    util::say(format_args!("Ran {} files", results.len()));
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::wpt::manifest::{Kind, Scheme, Timeout};
    use crate::wpt::results::{Outcome, Status};

    fn tests(ids: &[&str]) -> Vec<Test> {
        let test = |id: &&str| Test {
            id: (*id).to_owned(),
            kind: Kind::Crash,
            scheme: Scheme::Https,
            timeout: Timeout::Normal,
        };
        ids.iter().map(test).collect()
    }

    fn result(test: &Test) -> FileResult {
        let outcome = Outcome {
            status: Status::Pass,
            message: None,
            subtests: Vec::new(),
        };
        FileResult {
            test: test.id.clone(),
            outcome,
            duration: Duration::ZERO,
        }
    }

    #[test]
    fn all_tests_are_run_and_told_once_in_any_number_of_jobs() {
        for jobs in [None, Some(1), Some(3), Some(50)] {
            let mut told = 0;
            let results = run_all(
                &tests(&["/a", "/b", "/c", "/d"]),
                jobs,
                |test| Ok(result(test)),
                |_| told += 1,
            )
            .unwrap();
            let ids: Vec<&str> = results.iter().map(|result| result.test.as_str()).collect();
            assert_eq!((ids, told), (vec!["/a", "/b", "/c", "/d"], 4));
        }
    }

    #[test]
    fn a_broken_set_up_ends_the_run() {
        let error = run_all(
            &tests(&["/a", "/b"]),
            Some(1),
            |test| bail!("no browser for {}", test.id),
            |_| (),
        )
        .unwrap_err();
        assert_eq!(error.to_string(), "no browser for /a");
    }
}
