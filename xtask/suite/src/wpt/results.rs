/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What a test file gave.

use std::fmt;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Deserializer, Serialize};

/// The status of a file or of a subtest, under the names of the wptreport form.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// A file whose harness has reported.
    Ok,
    /// A subtest, or a crash test, that holds.
    Pass,
    Fail,
    Timeout,
    Error,
    Crash,
    #[serde(rename = "NOTRUN")]
    NotRun,
    PreconditionFailed,
}

impl Status {
    pub fn is_good(self) -> bool {
        matches!(self, Self::Ok | Self::Pass)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Ok => "OK",
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Timeout => "TIMEOUT",
            Self::Error => "ERROR",
            Self::Crash => "CRASH",
            Self::NotRun => "NOTRUN",
            Self::PreconditionFailed => "PRECONDITION_FAILED",
        })
    }
}

/// One test of a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Subtest {
    pub name: String,
    pub status: Status,
    pub message: Option<String>,
}

/// How the run of one file in a browser ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Outcome {
    pub status: Status,
    pub message: Option<String>,
    pub subtests: Vec<Subtest>,
}

impl Outcome {
    /// An end without a report of the harness.
    pub fn without_report(status: Status, message: impl Into<String>) -> Self {
        Self {
            status,
            message: Some(message.into()),
            subtests: Vec::new(),
        }
    }

    /// What the harness in the page reports, which is JSON of `{status, message, tests: [{name, status, message}]}`.
    pub fn from_harness(report: serde_json::Value) -> Result<Self> {
        let report: Report = serde_json::from_value(report)
            .context("the page does not report results of testharness.js")?;
        let subtests: Vec<Subtest> = report
            .tests
            .into_iter()
            .map(|test| Subtest {
                name: test.name,
                status: test.status,
                message: test.message,
            })
            .collect();
        if report.status == Status::Ok && subtests.is_empty() {
            return Ok(Self::without_report(Status::Error, "the file has no tests"));
        }
        Ok(Self {
            status: report.status,
            message: report.message,
            subtests,
        })
    }
}

/// One file with its outcome.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FileResult {
    /// The path that it is served under.
    pub test: String,
    pub outcome: Outcome,
    pub duration: Duration,
}

#[derive(Deserialize)]
struct Report {
    #[serde(deserialize_with = "harness_status")]
    status: Status,
    message: Option<String>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    name: String,
    #[serde(deserialize_with = "subtest_status")]
    status: Status,
    message: Option<String>,
}

/// The numbers of testharness.js for a file.
fn harness_status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Status, D::Error> {
    numbered(
        deserializer,
        [
            Status::Ok,
            Status::Error,
            Status::Timeout,
            Status::PreconditionFailed,
        ],
    )
}

/// The numbers of testharness.js for a subtest.
fn subtest_status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Status, D::Error> {
    numbered(
        deserializer,
        [
            Status::Pass,
            Status::Fail,
            Status::Timeout,
            Status::NotRun,
            Status::PreconditionFailed,
        ],
    )
}

fn numbered<'de, D: Deserializer<'de>, const N: usize>(
    deserializer: D,
    names: [Status; N],
) -> Result<Status, D::Error> {
    let number = usize::deserialize(deserializer)?;
    names
        .get(number)
        .copied()
        .ok_or_else(|| serde::de::Error::custom(format_args!("there is no status {number}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_of_the_harness_become_names() {
        let outcome = Outcome::from_harness(json!({
            "status": 2,
            "message": null,
            "tests": [
                {"name": "a", "status": 0, "message": null},
                {"name": "b", "status": 1, "message": "no"},
                {"name": "c", "status": 3, "message": null},
            ],
        }))
        .unwrap();
        assert_eq!(outcome.status, Status::Timeout);
        let statuses: Vec<Status> = outcome
            .subtests
            .iter()
            .map(|subtest| subtest.status)
            .collect();
        assert_eq!(statuses, [Status::Pass, Status::Fail, Status::NotRun]);
        assert_eq!(outcome.subtests[1].message.as_deref(), Some("no"));
    }

    #[test]
    fn a_file_without_tests_is_an_error() {
        let outcome =
            Outcome::from_harness(json!({"status": 0, "message": null, "tests": []})).unwrap();
        assert_eq!(outcome.status, Status::Error);
    }

    #[test]
    fn what_is_no_report_is_refused() {
        for report in [
            json!(null),
            json!({"status": 9, "message": null, "tests": []}),
            json!({"status": 0}),
        ] {
            assert!(Outcome::from_harness(report.clone()).is_err(), "{report}");
        }
    }

    #[test]
    fn statuses_read_and_print_alike() {
        for status in [
            Status::Ok,
            Status::Pass,
            Status::Fail,
            Status::Timeout,
            Status::Error,
            Status::Crash,
            Status::NotRun,
            Status::PreconditionFailed,
        ] {
            assert_eq!(
                serde_json::to_value(status).unwrap(),
                json!(status.to_string())
            );
        }
    }
}
