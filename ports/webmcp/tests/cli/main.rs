/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The program as a user runs it. Nothing here needs a network: pages are files, demos, or come from loopback.

mod call;
mod eval;
mod example;
#[cfg(unix)]
mod frameworks;
mod guide;
mod loading;
#[cfg(unix)]
mod mcp;
#[cfg(unix)]
mod npm;
mod platform;
mod screenshot;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod serve_http;
mod tools;
mod usage;

use std::path::PathBuf;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;

/// The program with time enough for a busy machine. A test that wants to see a timeout gives a shorter one.
fn webmcp(arguments: &[&str]) -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("webmcp");
    command.args(["--timeout", "100"]).args(arguments);
    command
}

/// The path of a page in `tests/fixtures`.
fn fixture(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    path.into_os_string()
        .into_string()
        .expect("the checkout has a Unicode path")
}

/// What the program wrote to standard output.
fn stdout(assert: &Assert) -> &str {
    std::str::from_utf8(&assert.get_output().stdout).expect("output is UTF-8")
}

/// What the program wrote to standard error.
fn stderr(assert: &Assert) -> &str {
    std::str::from_utf8(&assert.get_output().stderr).expect("output is UTF-8")
}

/// Standard output as JSON.
#[track_caller]
fn json(assert: &Assert) -> Value {
    serde_json::from_str(stdout(assert))
        .unwrap_or_else(|error| panic!("{error} in {:?}", stdout(assert)))
}

/// Checks the exit status, that nothing came on standard output, and that one line on standard error holds `parts`.
#[track_caller]
fn check_failure(arguments: &[&str], status: i32, parts: &[&str]) {
    let assert = webmcp(arguments).assert().code(status).stdout("");
    let stderr = stderr(&assert);
    let is_told =
        |line: &str| line.starts_with("webmcp: ") && parts.iter().all(|part| line.contains(part));
    assert!(
        stderr.lines().any(is_told),
        "{parts:?} is not in {stderr:?}"
    );
}
