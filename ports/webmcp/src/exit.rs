/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! How a command ends when it does not end well: the exit status, a short name for programs and one line for people.

use crate::output::print_note;

/// The result of everything that can end a command.
pub type Result<T> = std::result::Result<T, Failure>;

/// What the exit status says. 0 is success.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Status {
    /// The tool or the script failed, or something on this machine did.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The page did not load.
    NotLoaded = 3,
    /// The page offers no such tool.
    NoSuchTool = 4,
    /// The call was refused.
    Refused = 5,
    /// The time given was not enough.
    TimedOut = 6,
    /// The tool was started, and nobody can say how far it came.
    OutcomeUnknown = 7,
    /// The user interrupted the command; the number is the shells' convention.
    Interrupted = 130,
}

/// A command's unhappy end.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Failure {
    pub status: Status,
    /// The `error.kind` of `call --json`.
    pub kind: &'static str,
    /// One line for standard error. May hold text that comes from a page.
    pub message: String,
}

impl Failure {
    /// A failure whose kind is the one that belongs to its status.
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        let kind = match status {
            Status::Failed => "failed",
            Status::Usage => "usage",
            Status::NotLoaded => "page-not-loaded",
            Status::NoSuchTool => "no-such-tool",
            Status::Refused => "refused",
            Status::TimedOut => "timed-out",
            Status::OutcomeUnknown => "outcome-unknown",
            Status::Interrupted => "interrupted",
        };
        Self {
            status,
            kind,
            message: message.into(),
        }
    }

    /// The command line asks for something that cannot be.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Status::Usage, message)
    }

    /// The page did not load.
    pub fn not_loaded(message: impl Into<String>) -> Self {
        Self::new(Status::NotLoaded, message)
    }

    /// Prints the line for people.
    pub fn report(&self) {
        print_note(&format!("webmcp: {}", self.message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_the_number_of_the_contract() {
        let numbers = [
            Status::Failed,
            Status::Usage,
            Status::NotLoaded,
            Status::NoSuchTool,
            Status::Refused,
            Status::TimedOut,
            Status::OutcomeUnknown,
            Status::Interrupted,
        ]
        .map(|status| status as u8);
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 130]);
    }

    #[test]
    fn a_failure_takes_its_kind_from_its_status() {
        assert_eq!(Failure::usage("x").kind, "usage");
        assert_eq!(Failure::not_loaded("x").kind, "page-not-loaded");
        assert_eq!(
            Failure::new(Status::OutcomeUnknown, "x").kind,
            "outcome-unknown"
        );
    }
}
