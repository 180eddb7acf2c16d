/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The browsers that run tests.

mod chromium;
mod webmcp;

use std::time::Duration;

use anyhow::Result;

pub use self::chromium::Chromium;
pub use self::webmcp::{Options as WebmcpOptions, Webmcp};
use super::manifest::{Kind, Test};
use super::results::Outcome;

/// What the harness may take longer than it gives the tests: for a slow machine to start a browser and load a page.
const GRACE: Duration = Duration::from_secs(20);

/// One browser.
pub enum Browser {
    Chromium(Chromium),
    Webmcp(Webmcp),
}

impl Browser {
    /// Loads one test in a browser of its own and waits for its results. An error is a failure of the set-up, not of
    /// the test.
    pub fn run(&self, test: &Test, url: &str) -> Result<Outcome> {
        match self {
            Self::Chromium(chromium) => chromium.run(test, url),
            Self::Webmcp(webmcp) => webmcp.run(test, url),
        }
    }

    pub fn version(&self) -> &str {
        match self {
            Self::Chromium(chromium) => chromium.version(),
            Self::Webmcp(webmcp) => webmcp.version(),
        }
    }
}

/// How long a test may take in all.
fn limit(test: &Test) -> Duration {
    test.timeout.duration() + GRACE
}

/// An expression for the promise of the results of a page. Our testharnessreport.js makes the one of a page with the
/// harness; a crash test is done when it is loaded and no longer has the class that makes one wait.
fn results(kind: Kind) -> &'static str {
    match kind {
        Kind::Harness => "window.__webmcp_wpt_results",
        Kind::Crash => {
            "new Promise(resolve => {
               const root = document.documentElement;
               const isDone = () => document.readyState === 'complete' && !root.classList.contains('test-wait');
               const check = () => { if (isDone()) resolve(null); };
               addEventListener('load', () => setTimeout(check));
               new MutationObserver(check).observe(root, {attributes: true, attributeFilter: ['class']});
               check();
             })"
        },
    }
}
