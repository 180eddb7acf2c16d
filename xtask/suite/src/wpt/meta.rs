/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What is known to fail in a browser, and why: `wpt/meta/BROWSER.toml`.
//!
//! ```toml
//! [[listed]]
//! test = "/webmcp/imperative/getTools.https.html"
//! subtest = "Tools are sorted"    # left out: the file as a whole
//! status = "FAIL"
//! reason = "Sorts per document"
//! intermittent = true             # left out: it always fails
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::results::{FileResult, Status};

/// A file, or one subtest of it.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Subject {
    pub test: String,
    pub subtest: Option<String>,
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.test)?;
        match &self.subtest {
            Some(subtest) => write!(formatter, " | {subtest}"),
            None => Ok(()),
        }
    }
}

/// The failures that are listed.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Expectations {
    listed: BTreeMap<Subject, Listed>,
}

/// What is known of one subject.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Listed {
    pub status: Status,
    /// Whether it sometimes passes.
    pub intermittent: bool,
}

/// What differs from what is listed. Each fails the run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Surprise {
    UnlistedFailure {
        subject: Subject,
        status: Status,
        message: Option<String>,
    },
    OtherFailure {
        subject: Subject,
        listed: Status,
        status: Status,
        message: Option<String>,
    },
    UnexpectedPass {
        subject: Subject,
        listed: Status,
    },
    /// The test or subtest does not exist.
    Stale {
        subject: Subject,
    },
}

impl Surprise {
    pub fn subject(&self) -> &Subject {
        match self {
            Self::UnlistedFailure { subject, .. }
            | Self::OtherFailure { subject, .. }
            | Self::UnexpectedPass { subject, .. }
            | Self::Stale { subject } => subject,
        }
    }
}

impl fmt::Display for Surprise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (subject, message) = match self {
            Self::UnlistedFailure {
                subject,
                status,
                message,
            } => {
                write!(formatter, "{status}, which is not listed")?;
                (subject, message.as_deref())
            }
            Self::OtherFailure {
                subject,
                listed,
                status,
                message,
            } => {
                write!(formatter, "{status}, while {listed} is listed")?;
                (subject, message.as_deref())
            }
            Self::UnexpectedPass { subject, listed } => {
                write!(formatter, "passes, while {listed} is listed")?;
                (subject, None)
            }
            Self::Stale { subject } => {
                write!(formatter, "is listed but does not exist")?;
                (subject, None)
            }
        };
        write!(formatter, ": {subject}")?;
        match message {
            Some(message) => write!(formatter, "\n      {}", message.replace('\n', "\n      ")),
            None => Ok(()),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    listed: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    test: String,
    subtest: Option<String>,
    status: Status,
    reason: String,
    #[serde(default)]
    intermittent: bool,
}

impl Expectations {
    /// Nothing is listed where there is no file.
    pub fn load(path: &Path) -> Result<Self> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).with_context(|| format!("in {}", path.display())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    fn parse(text: &str) -> Result<Self> {
        let file: File = toml::from_str(text)?;
        let mut listed = BTreeMap::new();
        for entry in file.listed {
            let subject = Subject {
                test: entry.test,
                subtest: entry.subtest,
            };
            ensure!(
                !entry.reason.trim().is_empty(),
                "{subject} is listed without a reason"
            );
            ensure!(
                !entry.status.is_good(),
                "{subject} is listed as {}, which is not a failure",
                entry.status
            );
            let entry = Listed {
                status: entry.status,
                intermittent: entry.intermittent,
            };
            ensure!(
                listed.insert(subject.clone(), entry).is_none(),
                "{subject} is listed twice"
            );
        }
        Ok(Self { listed })
    }

    pub fn get(&self, subject: &Subject) -> Option<Listed> {
        self.listed.get(subject).copied()
    }

    /// What differs in one file that was run.
    pub fn compare(&self, result: &FileResult) -> Vec<Surprise> {
        let mut surprises = Vec::new();
        let subject = |subtest: Option<&str>| Subject {
            test: result.test.clone(),
            subtest: subtest.map(str::to_owned),
        };
        let outcome = &result.outcome;
        let whole = (subject(None), outcome.status, &outcome.message);
        let parts = outcome
            .subtests
            .iter()
            .map(|part| (subject(Some(&part.name)), part.status, &part.message));
        let mut seen = BTreeSet::new();
        for (subject, status, message) in std::iter::once(whole).chain(parts) {
            seen.insert(subject.clone());
            let message = message.clone();
            match (self.get(&subject), status.is_good()) {
                (None, true) => {}
                (None, false) => surprises.push(Surprise::UnlistedFailure {
                    subject,
                    status,
                    message,
                }),
                (Some(listed), true) if listed.intermittent => {}
                (Some(listed), true) => surprises.push(Surprise::UnexpectedPass {
                    subject,
                    listed: listed.status,
                }),
                (Some(listed), false) if listed.status == status => {}
                (Some(listed), false) => surprises.push(Surprise::OtherFailure {
                    subject,
                    listed: listed.status,
                    status,
                    message,
                }),
            }
        }
        // A file that did not end may not have come to all of its subtests.
        if outcome.status.is_good() {
            let of_file = self
                .listed
                .keys()
                .filter(|subject| subject.test == result.test);
            surprises.extend(
                of_file
                    .filter(|subject| !seen.contains(subject))
                    .map(|subject| Surprise::Stale {
                        subject: subject.clone(),
                    }),
            );
        }
        surprises
    }

    /// What is listed for files that do not exist.
    pub fn stale_files<'a>(&self, existing: impl IntoIterator<Item = &'a str>) -> Vec<Surprise> {
        let existing: BTreeSet<&str> = existing.into_iter().collect();
        let gone = self
            .listed
            .keys()
            .filter(|subject| !existing.contains(subject.test.as_str()));
        gone.map(|subject| Surprise::Stale {
            subject: subject.clone(),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::results::{Outcome, Subtest};
    use super::*;

    fn listed(entries: &[(&str, Option<&str>, &str)]) -> Expectations {
        let text: String = entries
            .iter()
            .map(|(test, subtest, status)| {
                let subtest = subtest.map(|name| format!("subtest = \"{name}\"\n")).unwrap_or_default();
                format!("[[listed]]\ntest = \"{test}\"\n{subtest}status = \"{status}\"\nreason = \"known\"\n")
            })
            .collect();
        Expectations::parse(&text).unwrap()
    }

    fn result(status: Status, subtests: &[(&str, Status)]) -> FileResult {
        let subtests = subtests
            .iter()
            .map(|(name, status)| Subtest {
                name: (*name).to_owned(),
                status: *status,
                message: None,
            })
            .collect();
        FileResult {
            test: "/t".to_owned(),
            outcome: Outcome {
                status,
                message: None,
                subtests,
            },
            duration: Duration::ZERO,
        }
    }

    fn shown(expectations: &Expectations, result: &FileResult) -> Vec<String> {
        expectations
            .compare(result)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn passes_and_listed_failures_are_no_surprise() {
        let expectations = listed(&[("/t", Some("b"), "FAIL")]);
        let result = result(Status::Ok, &[("a", Status::Pass), ("b", Status::Fail)]);
        assert!(expectations.compare(&result).is_empty());
    }

    #[test]
    fn an_unlisted_failure_is_a_surprise() {
        let result = result(Status::Ok, &[("a", Status::Fail)]);
        assert_eq!(
            shown(&Expectations::default(), &result),
            ["FAIL, which is not listed: /t | a"]
        );
        assert_eq!(
            shown(
                &Expectations::default(),
                &super::tests::result(Status::Crash, &[])
            ),
            ["CRASH, which is not listed: /t"]
        );
    }

    #[test]
    fn a_pass_that_is_listed_as_failure_is_a_surprise() {
        let result = result(Status::Ok, &[("a", Status::Pass)]);
        assert_eq!(
            shown(&listed(&[("/t", Some("a"), "FAIL")]), &result),
            ["passes, while FAIL is listed: /t | a"]
        );
        assert_eq!(
            shown(&listed(&[("/t", None, "TIMEOUT")]), &result),
            ["passes, while TIMEOUT is listed: /t"]
        );
    }

    #[test]
    fn an_intermittent_failure_may_pass_but_not_fail_in_another_way() {
        let text = "[[listed]]\ntest = \"/t\"\nsubtest = \"a\"\nstatus = \"FAIL\"\nreason = \"x\"\nintermittent = true\n";
        let expectations = Expectations::parse(text).unwrap();
        for status in [Status::Pass, Status::Fail] {
            assert!(
                expectations
                    .compare(&result(Status::Ok, &[("a", status)]))
                    .is_empty()
            );
        }
        assert_eq!(
            shown(
                &expectations,
                &result(Status::Ok, &[("a", Status::Timeout)])
            ),
            ["TIMEOUT, while FAIL is listed: /t | a"]
        );
    }

    #[test]
    fn another_failure_than_the_listed_one_is_a_surprise() {
        let result = result(Status::Ok, &[("a", Status::Timeout)]);
        assert_eq!(
            shown(&listed(&[("/t", Some("a"), "FAIL")]), &result),
            ["TIMEOUT, while FAIL is listed: /t | a"]
        );
    }

    #[test]
    fn a_subtest_that_is_gone_is_stale_unless_the_file_was_cut_short() {
        let expectations = listed(&[("/t", Some("gone"), "FAIL"), ("/other", Some("x"), "FAIL")]);
        assert_eq!(
            shown(&expectations, &result(Status::Ok, &[("a", Status::Pass)])),
            ["is listed but does not exist: /t | gone"]
        );
        let expectations = listed(&[("/t", Some("gone"), "FAIL"), ("/t", None, "CRASH")]);
        assert!(expectations.compare(&result(Status::Crash, &[])).is_empty());
    }

    #[test]
    fn a_file_that_is_gone_is_stale() {
        let expectations = listed(&[("/gone", None, "FAIL"), ("/there", Some("a"), "FAIL")]);
        let stale = expectations.stale_files(["/there", "/more"]);
        assert_eq!(
            stale,
            [Surprise::Stale {
                subject: Subject {
                    test: "/gone".to_owned(),
                    subtest: None
                }
            }]
        );
    }

    #[test]
    fn bad_lists_are_refused() {
        let entry = |rest: &str| {
            Expectations::parse(&format!("[[listed]]\ntest = \"/t\"\n{rest}"))
                .map_err(|error| error.to_string())
        };
        assert!(
            entry("status = \"FAIL\"\nreason = \" \"\n")
                .is_err_and(|error| error.contains("without a reason"))
        );
        assert!(
            entry("status = \"PASS\"\nreason = \"x\"\n")
                .is_err_and(|error| error.contains("not a failure"))
        );
        assert!(entry("status = \"FAIL\"\n").is_err());
        assert!(entry("status = \"FAIL\"\nreason = \"x\"\nother = 1\n").is_err());
        let twice = "[[listed]]\ntest = \"/t\"\nstatus = \"FAIL\"\nreason = \"x\"\n".repeat(2);
        assert!(
            Expectations::parse(&twice).is_err_and(|error| error.to_string().contains("twice"))
        );
    }

    #[test]
    fn a_missing_file_lists_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            Expectations::load(&folder.path().join("none.toml")).unwrap(),
            Expectations::default()
        );
    }
}
