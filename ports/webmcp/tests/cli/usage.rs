/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Help, and what is refused before any page is opened.

use predicates::prelude::*;
use predicates::str::contains;

use super::{check_failure, fixture, webmcp};

#[test]
fn the_help_explains_urls_statuses_and_examples() {
    webmcp(&["--help"]).assert().success().stderr("").stdout(
        contains("demo:shop")
            .and(contains("Exit status"))
            .and(contains("webmcp call demo:shop search_products")),
    );
}

#[test]
fn every_command_has_help_with_examples() {
    for command in [
        "tools",
        "call",
        "eval",
        "screenshot",
        "serve",
        "completions",
        "man",
    ] {
        webmcp(&[command, "--help"])
            .assert()
            .success()
            .stdout(contains("Examples").and(contains(format!("webmcp {command} "))));
    }
}

#[test]
fn shells_can_complete_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        webmcp(&["completions", shell])
            .assert()
            .success()
            .stderr("")
            .stdout(contains("screenshot").and(contains("multiprocess")));
    }
    webmcp(&["completions", "csh"]).assert().code(2).stdout("");
}

#[test]
fn there_is_a_manual_page_of_the_program_and_of_each_command() {
    webmcp(&["man"]).assert().success().stderr("").stdout(
        contains(".TH webmcp 1")
            .and(contains("Exit status"))
            .and(contains("webmcp\\-tools(1)")),
    );
    webmcp(&["man", "call"])
        .assert()
        .success()
        .stdout(contains(".TH webmcp-call 1").and(contains("--frame").or(contains("\\-\\-frame"))));
    check_failure(&["man", "nothing"], 2, &["`nothing`", "webmcp help"]);
}

#[test]
fn the_version_can_be_asked() {
    webmcp(&["--version"])
        .assert()
        .success()
        .stdout(format!("webmcp {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_wrong_command_line_is_a_usage_error() {
    let page = fixture("plain.html");
    for arguments in [
        &[][..],
        &["open", &page],
        &["tools"],
        &["tools", &page, "extra"],
        &["tools", &page, "--nonsense"],
        &["call", &page],
        &["eval", &page],
        &["screenshot", &page],
        &["screenshot", &page, "page.png", "--size", "big"],
        &["tools", &page, "--size", "0x5"],
        &["tools", &page, "--user-agent", "a\nb"],
        &["tools", &page, "--pref", "nonsense=true"],
        &["tools", &page, "--pref", "dom_modelcontext_enabled=maybe"],
        &["call", &page, "x", "--frame", "first"],
        &["serve"],
        &["serve", &page, "--http", "8931"],
        &["serve", &page, "--http", "localhost:x"],
        &["serve", &page, "--consequential", "maybe"],
        &["serve", &page, "--result-limit", "few"],
        &["serve", &page, "--token-file", "token"],
        &[
            "serve",
            &page,
            "--http",
            "127.0.0.1:0",
            "--allow-origin",
            "*",
        ],
        &[
            "serve",
            &page,
            "--http",
            "127.0.0.1:0",
            "--allow-host",
            "http://a.example",
        ],
        &["tools", &page, "--timeout", "soon"],
        &["tools", &page, "--timeout", "0"],
    ] {
        webmcp(arguments)
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains("Usage:").or(contains("error:")));
    }
}

#[test]
fn a_url_that_cannot_be_opened_is_a_usage_error() {
    check_failure(
        &["tools", "ftp://example.com/"],
        2,
        &["ftp://example.com/", "only http:, https:, file: and demo:"],
    );
    check_failure(&["tools", "example.com"], 2, &["https://example.com"]);
    check_failure(&["tools", "localhost:8080"], 2, &["http://localhost:8080"]);
    check_failure(&["tools", ""], 2, &["empty"]);
}

#[test]
fn input_that_is_no_json_object_is_a_usage_error() {
    for (input, reason) in [
        ("{\"a\": }", "line 1 column 7"),
        ("{\"a\": 1", "line 1 column 7"),
        ("7", "not a number"),
        ("\"text\"", "not a string"),
        ("null", "not null"),
    ] {
        let example = "'{\"query\": \"tea\"";
        check_failure(
            &["call", "demo:shop", "get_cart", input],
            2,
            &[reason, example],
        );
    }
}

#[test]
fn input_from_standard_input_is_checked_too() {
    webmcp(&["call", "demo:shop", "get_cart", "-"])
        .write_stdin("{\n  \"a\":\n")
        .assert()
        .code(2)
        .stdout("")
        .stderr(contains("line 3 column 0"));
    webmcp(&["call", "demo:shop", "get_cart", "-"])
        .write_stdin(vec![0xff, 0xfe])
        .assert()
        .code(2)
        .stderr(contains("not UTF-8"));
}

#[test]
fn a_screenshot_needs_a_place_to_go_to() {
    let page = fixture("plain.html");
    check_failure(&["screenshot", &page, "page.gif"], 2, &["page.gif", ".png"]);
    check_failure(
        &["screenshot", &page, "no/such/folder/page.png"],
        2,
        &["does not exist"],
    );
}
