/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What was called, by whom and with what outcome.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use modelcontext::ToolFailureKind;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::lock::lock;
use crate::text::cut;

/// How many calls are kept for clients that ask for them.
const KEPT: usize = 200;

/// How many bytes of arguments and of an error, and of any other text, are recorded.
const LONG: usize = 4 * 1024;
const SHORT: usize = 512;

/// The calls of the page's tools, as lines of JSON. Clones are the same log.
///
/// It keeps the last 200 in memory, and writes all of them to where it is told, if anywhere. A line is an object with
/// the members
///
/// - `time`: when the call came, as in `2026-07-28T09:30:00.000Z`;
/// - `client`: name and version that the client gives itself;
/// - `origin` and `frame`: of the document whose tool was called, `null` if no tool was found;
/// - `tool`: the name that was called;
/// - `arguments`: an object; or, if its JSON text is longer than 4 KiB, the beginning of that as a string;
/// - `outcome`: see [`CallOutcome::as_str`];
/// - `error`: why there was no result, or `null`;
/// - `durationMs`: milliseconds until there was an outcome, with a fraction.
#[derive(Clone, Default)]
pub struct CallLog {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    kept: VecDeque<String>,
    writer: Option<Box<dyn Write + Send>>,
    /// Told of the first error of the writer.
    report: Option<Box<dyn FnOnce(io::Error) + Send>>,
}

impl CallLog {
    /// A log that also goes to `writer`, one line for each call, written at once and flushed. Calls wait for it, so it
    /// should be something like a file.
    ///
    /// An error of the writer fails no call: `report` is told of the first one, on the thread that recorded the call,
    /// and later lines are tried nevertheless.
    pub fn with_writer(
        writer: impl Write + Send + 'static,
        report: impl FnOnce(io::Error) + Send + 'static,
    ) -> CallLog {
        CallLog {
            inner: Arc::new(Mutex::new(Inner {
                kept: VecDeque::new(),
                writer: Some(Box::new(writer)),
                report: Some(Box::new(report)),
            })),
        }
    }

    /// Adds a call.
    pub fn record(&self, record: CallRecord) {
        let mut line = record.line();
        line.push('\n');
        let mut inner = lock(&self.inner);
        let written = match &mut inner.writer {
            Some(writer) => writer
                .write_all(line.as_bytes())
                .and_then(|()| writer.flush()),
            None => Ok(()),
        };
        if inner.kept.len() >= KEPT {
            inner.kept.pop_front();
        }
        inner.kept.push_back(line);
        if let Err(error) = written {
            let report = inner.report.take();
            // It may look at the log.
            mem::drop(inner);
            if let Some(report) = report {
                report(error);
            }
        }
    }

    /// The last calls, the oldest first, each a line with its end.
    pub fn lines(&self) -> String {
        let inner = lock(&self.inner);
        inner.kept.iter().map(String::as_str).collect()
    }
}

/// A call of a tool of the page.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallRecord {
    /// When it came.
    #[serde(serialize_with = "serialize_time")]
    pub time: SystemTime,
    /// The name and version that the client gives itself, or `unknown`.
    pub client: String,
    /// The origin of the document whose tool was called. None if no tool was found.
    pub origin: Option<String>,
    /// Where that document is in the frame tree. None if no tool was found.
    pub frame: Option<Vec<usize>>,
    /// The name that was called.
    pub tool: String,
    /// The arguments, an object.
    pub arguments: Value,
    /// What became of it.
    pub outcome: CallOutcome,
    /// Why there was no result.
    pub error: Option<String>,
    /// How long it took.
    #[serde(rename = "durationMs", serialize_with = "serialize_duration")]
    pub duration: Duration,
}

impl CallRecord {
    /// The record as JSON, in a size that can be kept.
    fn line(mut self) -> String {
        for text in [&mut self.client, &mut self.tool]
            .into_iter()
            .chain(&mut self.origin)
        {
            *text = cut(mem::take(text), SHORT);
        }
        self.error = self.error.map(|error| cut(error, LONG));
        let arguments = self.arguments.to_string();
        if arguments.len() > LONG {
            self.arguments = Value::String(cut(arguments, LONG));
        }
        serde_json::to_string(&self).unwrap_or_else(|error| {
            // Nothing in a record can fail to be JSON. Should that change, the line says so.
            Value::String(format!("The call could not be recorded: {error}")).to_string()
        })
    }
}

/// `null` for a time that RFC 3339 has no text for.
fn serialize_time<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    let time = Timestamp::try_from(*time).ok();
    time.map(|time| format!("{time:.3}")).serialize(serializer)
}

fn serialize_duration<S: Serializer>(
    duration: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let milliseconds = u32::try_from(duration.as_micros()).map_or(
        // More than an hour. Whole milliseconds are exact up to some hundred thousand years.
        duration.as_millis() as f64,
        |microseconds| f64::from(microseconds) / 1000.0,
    );
    serializer.serialize_f64(milliseconds)
}

/// What became of a call.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum CallOutcome {
    /// The tool gave a result.
    Done,
    /// The tool gave a result that says that it failed.
    ToolError,
    /// The page could not run the tool, or the tool threw.
    Failed(ToolFailureKind),
    /// The client was told to ask the user and to call again.
    Asked,
    /// Whoever started the server, or the user, does not want it; or the user cannot be asked.
    Refused,
    /// The arguments do not fit the tool's schema.
    Invalid,
    /// The page did not load, or is gone.
    NoPage,
    /// The page has registered another tool under that name since the client listed them.
    Changed,
    /// The page has been left since the client listed the tools.
    Navigated,
    /// There is no such tool (any more).
    Gone,
    /// The client cancelled the call, or went away.
    Cancelled,
    /// The page was lost while the tool ran.
    Unknown,
    /// The tool took too long.
    TimedOut,
}

impl CallOutcome {
    /// The outcome as an identifier in kebab case, which is also its serialised form. That of a failure is
    /// [`ToolFailureKind::as_str`].
    pub fn as_str(self) -> &'static str {
        match self {
            CallOutcome::Done => "done",
            CallOutcome::ToolError => "tool-error",
            CallOutcome::Failed(kind) => kind.as_str(),
            CallOutcome::Asked => "asked",
            CallOutcome::Refused => "refused",
            CallOutcome::Invalid => "invalid",
            CallOutcome::NoPage => "no-page",
            CallOutcome::Changed => "changed",
            CallOutcome::Navigated => "navigated",
            CallOutcome::Gone => "gone",
            CallOutcome::Cancelled => "cancelled",
            CallOutcome::Unknown => "unknown",
            CallOutcome::TimedOut => "timed-out",
        }
    }
}

impl Serialize for CallOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
