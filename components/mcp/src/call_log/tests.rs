/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What is recorded, and where it goes.

use std::collections::HashSet;

use serde_json::json;

use super::*;

fn record(tool: &str) -> CallRecord {
    CallRecord {
        time: SystemTime::UNIX_EPOCH + Duration::from_micros(1_785_231_000_250_999),
        client: "inspector 2.12.0".to_owned(),
        origin: Some("https://shop.example".to_owned()),
        frame: Some(vec![0, 2]),
        tool: tool.to_owned(),
        arguments: json!({ "query": "tea\npot" }),
        outcome: CallOutcome::Done,
        error: None,
        duration: Duration::from_micros(1_250),
    }
}

fn parsed(log: &CallLog) -> Vec<Value> {
    let lines = log.lines();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Keeps what is written where the test can see it.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<(Vec<u8>, usize)>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut shared = self.0.lock().unwrap();
        shared.1 = shared.0.len();
        Ok(())
    }
}

#[test]
fn a_call_is_one_line_of_json() {
    let log = CallLog::default();
    log.record(record("search"));
    assert_eq!(log.lines().matches('\n').count(), 1);
    assert_eq!(
        parsed(&log),
        [json!({
            "time": "2026-07-28T09:30:00.250Z",
            "client": "inspector 2.12.0",
            "origin": "https://shop.example",
            "frame": [0, 2],
            "tool": "search",
            "arguments": { "query": "tea\npot" },
            "outcome": "done",
            "error": null,
            "durationMs": 1.25,
        })]
    );
}

#[test]
fn a_call_of_no_tool_has_neither_origin_nor_frame() {
    let log = CallLog::default();
    log.record(CallRecord {
        origin: None,
        frame: None,
        outcome: CallOutcome::Gone,
        error: Some("There is no tool \"search\".".to_owned()),
        ..record("search")
    });
    let line = &parsed(&log)[0];
    assert_eq!(line["origin"], Value::Null);
    assert_eq!(line["frame"], Value::Null);
    assert_eq!(line["outcome"], "gone");
    assert_eq!(line["error"], "There is no tool \"search\".");
}

#[test]
fn the_time_always_has_milliseconds() {
    let log = CallLog::default();
    log.record(CallRecord {
        time: SystemTime::UNIX_EPOCH,
        ..record("search")
    });
    assert_eq!(parsed(&log)[0]["time"], "1970-01-01T00:00:00.000Z");
}

#[test]
fn a_time_without_text_is_null() {
    let Some(time) = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(1 << 50)) else {
        panic!("the system has such times");
    };
    let log = CallLog::default();
    log.record(CallRecord {
        time,
        ..record("search")
    });
    assert_eq!(parsed(&log)[0]["time"], Value::Null);
}

#[test]
fn a_long_duration_is_told_in_milliseconds_too() {
    let log = CallLog::default();
    log.record(CallRecord {
        duration: Duration::from_secs(7_200),
        ..record("search")
    });
    assert_eq!(parsed(&log)[0]["durationMs"], 7_200_000.0);
}

#[test]
fn the_last_calls_are_kept() {
    let log = CallLog::default();
    for index in 0..KEPT + 3 {
        log.record(record(&format!("tool{index}")));
    }
    let lines = parsed(&log);
    assert_eq!(lines.len(), KEPT);
    assert_eq!(lines[0]["tool"], "tool3");
    assert_eq!(lines[KEPT - 1]["tool"], format!("tool{}", KEPT + 2));
}

#[test]
fn clones_are_the_same_log() {
    let log = CallLog::default();
    log.clone().record(record("search"));
    assert_eq!(parsed(&log).len(), 1);
}

#[test]
fn long_texts_are_cut() {
    let log = CallLog::default();
    let long = "é".repeat(100_000);
    log.record(CallRecord {
        client: long.clone(),
        origin: Some(long.clone()),
        tool: long.clone(),
        arguments: json!({ "text": long }),
        error: Some(long.clone()),
        ..record("search")
    });
    let line = &parsed(&log)[0];
    for (member, limit) in [
        ("client", SHORT),
        ("origin", SHORT),
        ("tool", SHORT),
        ("arguments", LONG),
        ("error", LONG),
    ] {
        let text = line[member].as_str().unwrap();
        assert!(text.ends_with("more bytes]"), "{member}: {text}");
        assert!(text.len() < limit + 50, "{member} has {}", text.len());
    }
    assert!(
        line["arguments"]
            .as_str()
            .unwrap()
            .starts_with("{\"text\":\"é")
    );
}

#[test]
fn arguments_that_just_fit_are_whole() {
    let log = CallLog::default();
    let arguments = json!({ "text": "a".repeat(LONG - "{\"text\":\"\"}".len()) });
    log.record(CallRecord {
        arguments: arguments.clone(),
        ..record("search")
    });
    assert_eq!(parsed(&log)[0]["arguments"], arguments);
}

#[test]
fn every_line_is_written_and_flushed() {
    let written = Shared::default();
    let log = CallLog::with_writer(written.clone(), |error| panic!("{error}"));
    for index in 0..KEPT + 1 {
        log.record(record(&format!("tool{index}")));
    }
    let (bytes, flushed) = &*written.0.lock().unwrap();
    assert_eq!(*flushed, bytes.len());
    let text = str::from_utf8(bytes).unwrap();
    assert_eq!(text.lines().count(), KEPT + 1);
    let (first, rest) = text.split_once('\n').unwrap();
    assert!(first.contains("\"tool0\""));
    assert_eq!(rest, log.lines());
}

/// Fails to write, or to flush.
struct Full {
    takes: bool,
    tried: Arc<Mutex<usize>>,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self.tried.lock().unwrap() += 1;
        if self.takes {
            Ok(bytes.len())
        } else {
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }
}

#[test]
fn a_writer_that_fails_is_reported_once_and_tried_again() {
    for takes in [false, true] {
        let tried = Arc::new(Mutex::new(0));
        let reports = Arc::new(Mutex::new(Vec::new()));
        let (writer, reported) = (
            Full {
                takes,
                tried: tried.clone(),
            },
            reports.clone(),
        );
        let log = CallLog::with_writer(writer, move |error| {
            reported.lock().unwrap().push(error.kind());
        });
        log.record(record("first"));
        log.record(record("second"));
        assert_eq!(*reports.lock().unwrap(), [io::ErrorKind::StorageFull]);
        assert_eq!(*tried.lock().unwrap(), 2);
        assert_eq!(parsed(&log).len(), 2);
    }
}

#[test]
fn the_report_may_look_at_the_log() {
    let seen = Arc::new(Mutex::new(String::new()));
    let itself = Arc::new(Mutex::new(CallLog::default()));
    let writer = Full {
        takes: false,
        tried: Arc::default(),
    };
    let (seen_then, itself_then) = (seen.clone(), itself.clone());
    let log = CallLog::with_writer(writer, move |_| {
        *seen_then.lock().unwrap() = itself_then.lock().unwrap().lines();
    });
    *itself.lock().unwrap() = log.clone();
    log.record(record("search"));
    assert_eq!(*seen.lock().unwrap(), log.lines());
}

#[test]
fn outcomes_are_told_apart() {
    let outcomes = [
        CallOutcome::Done,
        CallOutcome::ToolError,
        CallOutcome::Failed(ToolFailureKind::CallbackThrew),
        CallOutcome::Failed(ToolFailureKind::TargetGone),
        CallOutcome::Asked,
        CallOutcome::Refused,
        CallOutcome::Invalid,
        CallOutcome::NoPage,
        CallOutcome::Changed,
        CallOutcome::Navigated,
        CallOutcome::Gone,
        CallOutcome::Cancelled,
        CallOutcome::Unknown,
        CallOutcome::TimedOut,
    ];
    let texts = outcomes
        .iter()
        .map(|outcome| outcome.as_str())
        .collect::<HashSet<_>>();
    assert_eq!(texts.len(), outcomes.len());
    for outcome in outcomes {
        assert_eq!(serde_json::to_value(outcome).unwrap(), outcome.as_str());
        assert!(
            outcome
                .as_str()
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        );
    }
}
