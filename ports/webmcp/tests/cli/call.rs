/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp call`

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::json;

use super::{check_failure, fixture, json, stderr, webmcp};

#[test]
fn a_result_is_printed_as_the_page_gives_it() {
    let page = fixture("well-behaved.html");
    for (tool, input, result) in [
        ("say", r#"{"text": "hello"}"#, "hello\n"),
        ("say", r#"{"text": "two\nlines"}"#, "two\nlines\n"),
        ("say", r#"{"text": "{\"a\": 1}"}"#, "{\"a\": 1}\n"),
        (
            "echo",
            r#"{"b":[1,2.5,"ü"],"a":null}"#,
            "{\"b\":[1,2.5,\"ü\"],\"a\":null}\n",
        ),
        ("echo", "[1]", "[1]\n"),
        ("later", "{}", "done later\n"),
        ("nothing", "{}", "null\n"),
    ] {
        webmcp(&["call", &page, tool, input])
            .assert()
            .success()
            .stderr("")
            .stdout(result);
    }
}

/// What `call` says of the tool that fails in every voice it finds.
fn failure_of_forging_page(options: &[&str]) -> String {
    let page = fixture("forging.html");
    let arguments = [&["call", &page, "fails", "-v"], options].concat();
    let assert = webmcp(&arguments).assert().code(1).stdout("");
    stderr(&assert).to_owned()
}

#[test]
fn no_text_of_a_page_passes_for_a_message_or_commands_the_terminal() {
    for options in [&[][..], &["--multiprocess"]] {
        let text = failure_of_forging_page(options);
        assert!(
            !text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']),
            "{text:?}"
        );
        for line in text.lines() {
            assert!(!line.starts_with("webmcp: forged"), "{text:?}");
            assert!(!line.starts_with("console.error: forged"), "{text:?}");
        }
    }
}

#[test]
fn a_pipe_gets_the_bytes_of_a_result() {
    webmcp(&["call", &fixture("forging.html"), "tool"])
        .assert()
        .success()
        .stdout("\u{1b}]0;pwned\u{7}\u{9b}31m\u{202e}\nsaid\n");
}

/// The two ends of a terminal: what a program prints into the second can be read from the first.
#[cfg(target_os = "linux")]
fn terminal() -> (std::fs::File, std::fs::File) {
    use std::fs::File;
    use std::os::fd::FromRawFd;
    use std::ptr::{null, null_mut};

    let [mut reader, mut writer] = [-1; 2];
    // SAFETY: both numbers can be written to, and the pointers that are null need not point to anything.
    let made = unsafe { libc::openpty(&mut reader, &mut writer, null_mut(), null(), null()) };
    assert_eq!(made, 0, "there are no terminals");
    // SAFETY: both descriptors have just been opened, and nobody else has them.
    unsafe { (File::from_raw_fd(reader), File::from_raw_fd(writer)) }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_a_result_escaped() {
    use std::io::{BufRead, BufReader};
    use std::process::Command;

    let (reader, writer) = terminal();
    let mut program = Command::new(assert_cmd::cargo::cargo_bin!("webmcp"))
        .args(["--timeout", "100", "call", &fixture("forging.html"), "tool"])
        .stdout(writer)
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(reader).lines();
    let mut next = || lines.next().expect("there is a line").expect("it is text");
    assert_eq!(next(), r"\u{1b}]0;pwned\u{7}\u{9b}31m\u{202e}");
    assert_eq!(next(), "said");
    assert_eq!(program.wait().expect("the program ends").code(), Some(0));
}

#[test]
fn without_input_a_tool_gets_an_empty_object() {
    webmcp(&["call", &fixture("well-behaved.html"), "echo"])
        .assert()
        .success()
        .stdout("{}\n");
}

#[test]
fn a_hyphen_reads_the_input_from_standard_input() {
    webmcp(&["call", "demo:tasks", "add_task", "-"])
        .write_stdin("{\"title\": \"From a pipe\"}\n")
        .assert()
        .success()
        .stdout("{\"id\":3,\"title\":\"From a pipe\",\"done\":false}\n");
}

#[test]
fn the_json_report_holds_the_result_as_text() {
    let page = fixture("well-behaved.html");
    for (tool, input, result) in [
        ("say", r#"{"text": "hello"}"#, json!("hello")),
        ("echo", r#"{"a": [1]}"#, json!("{\"a\":[1]}")),
    ] {
        let assert = webmcp(&["call", &page, tool, input, "--json"])
            .assert()
            .success()
            .stderr("");
        assert_eq!(json(&assert), json!({"ok": true, "result": result}));
    }
}

#[test]
fn a_tool_in_a_frame_is_called_by_its_name() {
    webmcp(&[
        "call",
        "demo:shop",
        "ask_support",
        r#"{"question": "How do I return a parcel?"}"#,
    ])
    .assert()
    .success()
    .stdout(contains("30 days"));
}

#[test]
fn a_tool_of_a_frame_of_another_origin_is_called_even_if_it_is_exposed_to_nobody() {
    for options in [&[][..], &["--multiprocess"]] {
        let arguments = [&["call", "demo:guide", "my_private_tool"], options].concat();
        webmcp(&arguments).assert().success().stdout("private\n");
    }
}

#[test]
fn a_name_that_several_frames_offer_needs_the_frame() {
    let page = fixture("frames.html");
    check_failure(
        &["call", &page, "greet"],
        2,
        &["several frames", "--frame top", "--frame 0", "--frame 1"],
    );
    for (frame, result) in [
        ("top", "hello from the top\n"),
        ("0", "hello from frame A\n"),
        ("1", "hello from frame B\n"),
    ] {
        webmcp(&["call", &page, "greet", "--frame", frame])
            .assert()
            .success()
            .stdout(result);
    }
    webmcp(&["call", &page, "leaf", "--frame", "1.0"])
        .assert()
        .success()
        .stdout("leaf\n");
    check_failure(
        &["call", &page, "leaf", "--frame", "0"],
        4,
        &["frame 0", "`leaf`", "greet"],
    );
}

#[test]
fn a_frame_that_offers_a_name_early_does_not_get_the_call() {
    let page = fixture("early-frame.html");
    check_failure(
        &["call", &page, "greet"],
        2,
        &["several frames", "--frame top", "--frame 0"],
    );
    webmcp(&["call", &page, "greet", "--frame", "top"])
        .assert()
        .success()
        .stdout("hello from the top\n");
}

#[test]
fn a_tool_that_comes_after_the_load_is_waited_for() {
    webmcp(&["call", &fixture("late.html"), "third"])
        .assert()
        .success()
        .stdout("third\n");
}

#[test]
fn a_tool_that_is_not_there_is_answered_with_those_that_are() {
    check_failure(
        &["call", "demo:shop", "serach_products"],
        4,
        &[
            "`serach_products`",
            "add_to_cart",
            "ask_support",
            "did you mean `search_products`?",
        ],
    );
    check_failure(
        &["call", &fixture("plain.html"), "anything"],
        4,
        &["the page offers no tools"],
    );
}

#[test]
fn a_tool_with_consequences_needs_consent() {
    let page = fixture("consequential.html");
    check_failure(&["call", &page, "pay"], 5, &["`pay`", "--yes"]);
    webmcp(&["call", &page, "pay", "--yes"])
        .assert()
        .success()
        .stdout("paid\n");
    let assert = webmcp(&["call", &page, "pay", "--json"]).assert().code(5);
    let report = json(&assert);
    assert_eq!(report["ok"], false);
    assert_eq!(report["error"]["kind"], "refused");
}

#[test]
fn the_failure_of_a_tool_is_told_in_its_own_words() {
    let page = fixture("misbehaving.html");
    check_failure(&["call", &page, "throws"], 1, &["it went wrong"]);
    check_failure(&["call", &page, "rejects"], 1, &["it went wrong later"]);
    check_failure(
        &[
            "call",
            "demo:shop",
            "add_to_cart",
            r#"{"productId": "unknown"}"#,
        ],
        1,
        &["no product \"unknown\""],
    );
}

#[test]
fn a_failure_is_reported_as_json_with_its_kind() {
    let page = fixture("misbehaving.html");
    for (tool, kind, part) in [
        ("throws", "callback-threw", "it went wrong"),
        ("gives_a_symbol", "result-not-serializable", ""),
        ("unknown", "no-such-tool", "`unknown`"),
    ] {
        let assert = webmcp(&["call", &page, tool, "--json"]).assert().failure();
        let report = json(&assert);
        assert_eq!(report["ok"], false, "{tool}");
        assert_eq!(report["error"]["kind"], kind, "{tool}");
        let message = report["error"]["message"].as_str().expect("it is text");
        assert!(message.contains(part), "{tool}: {message}");
        assert!(stderr(&assert).contains(message), "{tool}");
    }
    let assert = webmcp(&["call", "no-such-page.html", "x", "--json"])
        .assert()
        .code(3);
    assert_eq!(json(&assert)["error"]["kind"], "page-not-loaded");
}

#[test]
fn a_result_that_json_cannot_hold_is_a_failure() {
    let page = fixture("misbehaving.html");
    for tool in [
        "gives_a_symbol",
        "gives_a_function",
        "gives_nothing",
        "gives_a_big_number",
        "gives_a_circle",
    ] {
        let assert = webmcp(&["call", &page, tool]).assert().code(1).stdout("");
        assert!(
            stderr(&assert).starts_with("webmcp: "),
            "{tool}: {}",
            stderr(&assert)
        );
    }
}

#[test]
fn a_tool_that_never_ends_is_cancelled_when_the_time_is_up() {
    let page = fixture("misbehaving.html");
    let assert = webmcp(&[
        "call",
        &page,
        "never_settles",
        "--timeout",
        "20",
        "--verbose",
        "--json",
    ])
    .assert()
    .code(6)
    .stderr(contains("console.log: cancelled by AbortError").and(contains("--timeout")));
    assert_eq!(json(&assert)["error"]["kind"], "timed-out");
}

#[test]
fn a_tool_that_never_gives_its_thread_back_cannot_hold_the_program() {
    for options in [&[][..], &["--multiprocess"]] {
        let page = fixture("misbehaving.html");
        let arguments = [
            &["call", &page, "loops_forever", "--timeout", "10"],
            options,
        ]
        .concat();
        webmcp(&arguments)
            .timeout(std::time::Duration::from_secs(60))
            .assert()
            .code(6)
            .stdout("");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_cancels_the_tool() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use rustix::process::{Pid, Signal, kill_process};

    let mut program = Command::new(assert_cmd::cargo::cargo_bin!("webmcp"))
        .args([
            "call",
            &fixture("misbehaving.html"),
            "never_settles",
            "--timeout",
            "100",
            "--verbose",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(program.stderr.take().expect("it is piped"))
        .lines()
        .map_while(Result::ok);
    assert!(lines.any(|line| line == "console.log: begun"));
    kill_process(Pid::from_child(&program), Signal::INT).expect("the program is there");
    assert!(lines.any(|line| line == "console.log: cancelled by AbortError"));
    assert!(lines.any(|line| line.starts_with("webmcp: ") && line.contains("interrupted")));
    assert_eq!(program.wait().expect("the program ends").code(), Some(130));
}

#[test]
fn a_tool_that_removes_its_own_frame_has_an_unknown_outcome() {
    for options in [&[][..], &["--multiprocess"]] {
        let page = fixture("misbehaving.html");
        let arguments = [&["call", &page, "removes_its_frame", "--json"], options].concat();
        let assert = webmcp(&arguments).assert().code(7);
        assert_eq!(json(&assert)["error"]["kind"], "target-gone");
    }
}

#[test]
fn a_tool_that_navigates_away_from_its_own_result_has_an_unknown_outcome() {
    let page = fixture("misbehaving.html");
    let assert = webmcp(&["call", &page, "navigates", "--json"])
        .assert()
        .code(7);
    assert_eq!(json(&assert)["error"]["kind"], "target-gone");
}

#[test]
fn a_tool_that_takes_itself_back_still_gives_its_result() {
    webmcp(&["call", "demo:tasks", "start_timer"])
        .assert()
        .success()
        .stdout("The timer is running.\n");
    webmcp(&["call", "demo:tasks", "complete_task", r#"{"id": 1}"#])
        .assert()
        .success()
        .stdout(contains("\"done\":true"));
}

#[test]
fn large_input_and_results_pass_whole() {
    let text = "ä".repeat(500_000);
    webmcp(&["call", &fixture("well-behaved.html"), "say", "-"])
        .write_stdin(json!({ "text": text }).to_string())
        .assert()
        .success()
        .stdout(format!("{text}\n"));
}
