/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What a run tells: lines for people, and a file in the form that tools of web-platform-tests read (wptreport).

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::meta::{Expectations, Subject, Surprise};
use super::results::{FileResult, Status};

/// What was run where.
#[derive(Clone, Debug, Serialize)]
pub struct RunInfo {
    pub product: String,
    pub browser_version: String,
    pub os: String,
    pub processor: String,
    pub debug: bool,
    /// Whether the browser spreads a page over several processes.
    pub multiprocess: bool,
}

/// A run in the wptreport form. Times are in milliseconds; those of the run since 1970.
#[derive(Debug, Serialize)]
pub struct Report {
    run_info: RunInfo,
    time_start: u64,
    time_end: u64,
    results: Vec<File>,
}

#[derive(Debug, Serialize)]
struct File {
    test: String,
    status: Status,
    message: Option<String>,
    duration: u64,
    #[serde(flatten)]
    expected: Expected,
    subtests: Vec<Part>,
}

#[derive(Debug, Serialize)]
struct Part {
    name: String,
    status: Status,
    message: Option<String>,
    #[serde(flatten)]
    expected: Expected,
}

#[derive(Debug, Serialize)]
struct Expected {
    /// Only if it differs from the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<Status>,
    /// What is expected besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    known_intermittent: Vec<Status>,
}

impl Report {
    pub fn new(
        run_info: RunInfo,
        started: SystemTime,
        results: &[FileResult],
        expectations: &Expectations,
    ) -> Self {
        let expected = |test: &str, subtest: Option<&str>, status: Status, good: Status| {
            let subject = Subject {
                test: test.to_owned(),
                subtest: subtest.map(str::to_owned),
            };
            let listed = expectations.get(&subject);
            let expected = listed.map_or(good, |listed| listed.status);
            let intermittent = listed.is_some_and(|listed| listed.intermittent);
            Expected {
                expected: Some(expected).filter(|expected| *expected != status),
                known_intermittent: intermittent.then_some(good).into_iter().collect(),
            }
        };
        let file = |result: &FileResult| {
            let outcome = &result.outcome;
            // A crash test passes where others report.
            let good = if outcome.status == Status::Pass {
                Status::Pass
            } else {
                Status::Ok
            };
            File {
                test: result.test.clone(),
                status: outcome.status,
                message: outcome.message.clone(),
                duration: u64::try_from(result.duration.as_millis()).unwrap_or(u64::MAX),
                expected: expected(&result.test, None, outcome.status, good),
                subtests: outcome
                    .subtests
                    .iter()
                    .map(|part| Part {
                        name: part.name.clone(),
                        status: part.status,
                        message: part.message.clone(),
                        expected: expected(
                            &result.test,
                            Some(&part.name),
                            part.status,
                            Status::Pass,
                        ),
                    })
                    .collect(),
            }
        };
        Self {
            run_info,
            time_start: milliseconds(started),
            time_end: milliseconds(SystemTime::now()),
            results: results.iter().map(file).collect(),
        }
    }
}

fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The line on one file, followed by lines on what is not as listed.
pub fn line(result: &FileResult, surprises: &[Surprise]) -> String {
    let outcome = &result.outcome;
    let passed = outcome
        .subtests
        .iter()
        .filter(|part| part.status == Status::Pass)
        .count();
    let word = match (
        surprises.is_empty(),
        outcome.status.is_good() && passed == outcome.subtests.len(),
    ) {
        (true, true) => "pass",
        (true, false) => "as listed",
        (false, _) => "FAIL",
    };
    let counted = match outcome.subtests.len() {
        0 => outcome.status.to_string(),
        all if outcome.status.is_good() => format!("{passed}/{all}"),
        all => format!("{passed}/{all}, {}", outcome.status),
    };
    let mut text = format!(
        "{word:9} {} ({counted}, {:.1} s)",
        result.test,
        result.duration.as_secs_f32()
    );
    for surprise in surprises {
        text.push_str("\n    ");
        text.push_str(&surprise.to_string());
    }
    text
}

/// How many results there are of each kind. A result is a subtest, or a file that has none.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Counts {
    pub files: usize,
    pub passed: usize,
    /// Failures that are listed.
    pub listed: usize,
    /// Whatever is not as listed.
    pub failed: usize,
}

impl Counts {
    pub fn add(&mut self, result: &FileResult, surprises: &[Surprise]) {
        self.files += 1;
        self.failed += surprises.len();
        let outcome = &result.outcome;
        let surprising = |name: Option<&str>| {
            surprises
                .iter()
                .any(|surprise| surprise.subject().subtest.as_deref() == name)
        };
        let whole = (None, outcome.status);
        let parts = outcome
            .subtests
            .iter()
            .map(|part| (Some(part.name.as_str()), part.status));
        // That the harness of a file with subtests has reported counts for nothing.
        for (name, status) in std::iter::once(whole)
            .filter(|(_, status)| *status != Status::Ok)
            .chain(parts)
        {
            match (surprising(name), status.is_good()) {
                (false, true) => self.passed += 1,
                (false, false) => self.listed += 1,
                (true, _) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::super::results::{Outcome, Subtest};
    use super::*;

    fn result(test: &str, status: Status, subtests: &[(&str, Status)]) -> FileResult {
        let subtests = subtests
            .iter()
            .map(|(name, status)| Subtest {
                name: (*name).to_owned(),
                status: *status,
                message: (*status == Status::Fail).then(|| "no".to_owned()),
            })
            .collect();
        FileResult {
            test: test.to_owned(),
            outcome: Outcome {
                status,
                message: None,
                subtests,
            },
            duration: Duration::from_millis(1250),
        }
    }

    fn run_info() -> RunInfo {
        RunInfo {
            product: "webmcp".to_owned(),
            browser_version: "1".to_owned(),
            os: "linux".to_owned(),
            processor: "x86_64".to_owned(),
            debug: true,
            multiprocess: false,
        }
    }

    #[test]
    fn the_report_has_the_form_of_wptreport() {
        let results = [
            result(
                "/a",
                Status::Ok,
                &[("x", Status::Pass), ("y", Status::Fail)],
            ),
            result("/b-crash", Status::Pass, &[]),
            result("/c", Status::Timeout, &[]),
        ];
        let report = Report::new(
            run_info(),
            UNIX_EPOCH + Duration::from_secs(2),
            &results,
            &Expectations::default(),
        );
        let report = serde_json::to_value(report).unwrap();
        assert_eq!(report["time_start"], 2000);
        assert_eq!(report["run_info"]["product"], "webmcp");
        assert_eq!(
            report["results"],
            json!([
                {"test": "/a", "status": "OK", "message": null, "duration": 1250, "subtests": [
                    {"name": "x", "status": "PASS", "message": null},
                    {"name": "y", "status": "FAIL", "message": "no", "expected": "PASS"},
                ]},
                {"test": "/b-crash", "status": "PASS", "message": null, "duration": 1250, "subtests": []},
                {"test": "/c", "status": "TIMEOUT", "message": null, "duration": 1250, "expected": "OK", "subtests": []},
            ])
        );
    }

    #[test]
    fn a_line_says_how_a_file_did() {
        let passes = result("/a", Status::Ok, &[("x", Status::Pass)]);
        assert_eq!(line(&passes, &[]), "pass      /a (1/1, 1.2 s)");
        assert_eq!(
            line(&result("/b-crash", Status::Pass, &[]), &[]),
            "pass      /b-crash (PASS, 1.2 s)"
        );
        let fails = result("/a", Status::Ok, &[("x", Status::Fail)]);
        assert_eq!(line(&fails, &[]), "as listed /a (0/1, 1.2 s)");
        assert_eq!(
            line(&fails, &Expectations::default().compare(&fails)),
            "FAIL      /a (0/1, 1.2 s)\n    FAIL, which is not listed: /a | x\n      no"
        );
    }

    #[test]
    fn counts_tell_results_not_files() {
        let mut counts = Counts::default();
        let fails = result(
            "/a",
            Status::Ok,
            &[("x", Status::Pass), ("y", Status::Fail)],
        );
        counts.add(&fails, &Expectations::default().compare(&fails));
        assert_eq!(
            counts,
            Counts {
                files: 1,
                passed: 1,
                listed: 0,
                failed: 1
            }
        );
        counts.add(&fails, &[]);
        assert_eq!(
            counts,
            Counts {
                files: 2,
                passed: 2,
                listed: 1,
                failed: 1
            }
        );
        counts.add(&result("/b-crash", Status::Pass, &[]), &[]);
        assert_eq!(
            counts,
            Counts {
                files: 3,
                passed: 3,
                listed: 1,
                failed: 1
            }
        );
        let crashed = result("/c", Status::Crash, &[]);
        counts.add(&crashed, &Expectations::default().compare(&crashed));
        assert_eq!(
            counts,
            Counts {
                files: 4,
                passed: 3,
                listed: 1,
                failed: 2
            }
        );
    }
}
