/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What whoever starts the server decides.

use std::time::Duration;

use crate::CallLog;

/// How the server behaves.
pub struct Options {
    /// What becomes of calls of tools that say they are consequential.
    pub consequential: Consequential,
    /// How long the page may take for anything it is asked. A tool that takes longer is cancelled. The time in which
    /// the user thinks about a question does not count.
    pub timeout: Duration,
    /// Whether arguments are checked against the tool's schema before the page sees them.
    pub validate: bool,
    /// Whether clients see the tools that a page offers for debugging.
    pub debugging: bool,
    /// How many bytes of text a client gets at once. What is longer is cut, and says so.
    pub result_limit: usize,
    /// Where calls of the page's tools are recorded.
    pub call_log: CallLog,
    /// How long the server waits before it says something by itself.
    pub pacing: Pacing,
}

/// What becomes of calls of tools that say they are consequential.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Consequential {
    /// The user is asked through the client. If the client cannot ask, the call is refused.
    #[default]
    Ask,
    /// They are run like any other tool.
    Allow,
    /// They are refused.
    Deny,
}

/// How long the server waits before it says something by itself.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Pacing {
    /// After the first change of the page, until clients are told of it and of all that came meanwhile.
    pub debounce: Duration,
    /// Between two notifications that a call is still running, for clients that want progress.
    pub heartbeat: Duration,
    /// For the user's answer to a question.
    pub question: Duration,
}

impl Default for Pacing {
    /// A tenth of a second, two seconds, ten minutes.
    fn default() -> Self {
        Self {
            debounce: Duration::from_millis(100),
            heartbeat: Duration::from_secs(2),
            question: Duration::from_secs(600),
        }
    }
}
