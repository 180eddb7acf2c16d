/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp eval`

use predicates::prelude::*;
use predicates::str::contains;

use super::{check_failure, fixture, webmcp};

#[test]
fn a_value_is_printed_as_json() {
    let page = fixture("plain.html");
    for (script, json) in [
        ("1 + 1", "2"),
        ("document.title", "\"A plain page\""),
        (
            "({ b: [1, null, 'ü'], a: true })",
            "{\"b\":[1,null,\"ü\"],\"a\":true}",
        ),
        ("null", "null"),
        ("const a = 2; a * 3", "6"),
        ("-1", "-1"),
    ] {
        webmcp(&["eval", &page, script])
            .assert()
            .success()
            .stderr("")
            .stdout(format!("{json}\n"));
    }
}

#[test]
fn a_promise_is_waited_for() {
    webmcp(&[
        "eval",
        &fixture("plain.html"),
        "new Promise(resolve => setTimeout(resolve, 50, ['late']))",
    ])
    .assert()
    .success()
    .stdout("[\"late\"]\n");
}

#[test]
fn undefined_prints_nothing() {
    let page = fixture("plain.html");
    for script in ["undefined", "Promise.resolve()", "for (const a of []) a"] {
        webmcp(&["eval", &page, script])
            .assert()
            .success()
            .stdout("")
            .stderr(contains("undefined"));
    }
}

#[test]
fn a_value_that_json_cannot_show_is_told() {
    let page = fixture("plain.html");
    for script in ["document.body", "new Map([[1, 2]])"] {
        webmcp(&["eval", &page, script])
            .assert()
            .success()
            .stdout("{}\n")
            .stderr(contains("JSON holds nothing of the value"));
    }
}

#[test]
fn the_text_of_an_exception_is_told() {
    let page = fixture("plain.html");
    for (script, part) in [
        ("throw new Error('on purpose')", "on purpose"),
        ("Promise.reject(new TypeError('later'))", "later"),
        ("throw 'just text'", "just text"),
        ("no_such_variable", "no_such_variable"),
        ("this is no script", "syntax error"),
        (
            "const circle = {}; circle.self = circle; circle",
            "webmcp: ",
        ),
        ("10n", "JSON"),
        ("() => 1", "JSON"),
        ("Symbol()", "JSON"),
    ] {
        check_failure(&["eval", &page, script], 1, &[part]);
    }
}

#[test]
fn a_script_can_come_from_standard_input() {
    webmcp(&["eval", &fixture("plain.html"), "-"])
        .write_stdin("const words = ['from', 'a', 'pipe'];\nwords.join(' ')")
        .assert()
        .success()
        .stdout("\"from a pipe\"\n");
}

#[test]
fn a_promise_that_never_settles_ends_in_a_timeout() {
    check_failure(
        &[
            "eval",
            &fixture("plain.html"),
            "new Promise(() => {})",
            "--timeout",
            "20",
        ],
        6,
        &["running the script", "not done within 20 s"],
    );
}

#[test]
fn a_script_that_never_ends_ends_in_a_timeout() {
    webmcp(&[
        "eval",
        &fixture("plain.html"),
        "for (;;);",
        "--timeout",
        "10",
    ])
    .timeout(std::time::Duration::from_secs(60))
    .assert()
    .code(6);
}

#[test]
fn streams_can_be_iterated() {
    let script = "(async () => { \
        const stream = () => new ReadableStream({ start(controller) { [1, 2, 3].forEach(number => \
            controller.enqueue(number)); controller.close(); } }); \
        const all = []; for await (const number of stream()) all.push(number); \
        const left = stream(); for await (const number of left) break; \
        const kept = stream(); for await (const number of kept.values({ preventCancel: true })) break; \
        return { all, left: (await left.getReader().read()).done, kept: (await kept.getReader().read()).value }; \
    })()";
    webmcp(&["eval", &fixture("plain.html"), script])
        .assert()
        .success()
        .stdout("{\"all\":[1,2,3],\"left\":true,\"kept\":2}\n");
}

#[test]
fn animation_frames_come_without_a_window() {
    let script = "new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve('two frames'))))";
    webmcp(&["eval", &fixture("plain.html"), script])
        .assert()
        .success()
        .stdout("\"two frames\"\n");
}

#[test]
fn dialogs_do_not_block() {
    webmcp(&[
        "eval",
        &fixture("plain.html"),
        "[alert('a'), confirm('b'), prompt('c')].length",
        "-v",
    ])
    .assert()
    .success()
    .stdout("3\n")
    .stderr(
        contains("dismissed a dialog of the page: a")
            .and(contains("dismissed a dialog of the page: b")),
    );
}
