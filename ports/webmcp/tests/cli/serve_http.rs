/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp serve --http`: who is let in, and what is known of the token.

#[cfg(target_os = "linux")]
use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

/// The program with a server over HTTP, its address, and the rest of what it says on standard error.
fn serve_over_http(options: &[&str]) -> (Child, String, Lines<BufReader<ChildStderr>>) {
    let mut program = Command::new(assert_cmd::cargo::cargo_bin!("webmcp"))
        .args(["serve", "demo:shop", "--http", "127.0.0.1:0"])
        .args(options)
        .env("WEBMCP_TOKEN", "a-token")
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut notes = BufReader::new(program.stderr.take().expect("it is piped")).lines();
    let note = notes.next().expect("it says where").expect("it is text");
    let address = note
        .strip_prefix("webmcp: listening at http://")
        .and_then(|rest| rest.strip_suffix("/mcp"))
        .unwrap_or_else(|| panic!("{note}"));
    (program, address.to_owned(), notes)
}

/// The beginning of a conversation over HTTP, as clients send it; `headers` end each with a line end.
fn initialization(address: &str, headers: &str) -> String {
    let body = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    })
    .to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\
         Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The status line of the answer to that, and the rest of it.
fn initialize(address: &str, headers: &str) -> (String, BufReader<TcpStream>) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream
        .write_all(initialization(address, headers).as_bytes())
        .expect("it reads");
    let mut line = String::new();
    let mut reader = BufReader::new(stream);
    reader.read_line(&mut line).expect("it answers");
    (line, reader)
}

#[test]
fn clients_come_over_http_until_the_program_is_interrupted() {
    let (mut program, address, notes) = serve_over_http(&[]);
    let (status, _) = initialize(&address, "Authorization: Bearer another-token\r\n");
    assert!(status.contains(" 401 "), "{status}");
    let (status, reader) = initialize(&address, "Authorization: Bearer a-token\r\n");
    assert!(status.contains(" 200 "), "{status}");
    let mut lines = reader.lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("\"protocolVersion\":\"2025-11-25\"")));

    kill_process(Pid::from_child(&program), Signal::INT).expect("the program is there");
    let rest: Vec<String> = notes.map_while(Result::ok).collect();
    assert_eq!(program.wait().expect("the program ends").code(), Some(130));
    assert!(
        rest.iter()
            .any(|line| line.starts_with("webmcp: ") && line.contains("interrupted")),
        "{rest:?}"
    );
}

/// A program that is ended when the test is over.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It has ended already unless the test fails.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn only_the_origins_that_are_named_may_speak_to_the_server() {
    let (program, address, _notes) = serve_over_http(&[
        "--allow-origin",
        "http://app.example",
        "--allow-origin",
        "https://app.example:443",
        "--allow-origin",
        "http://any.example:*",
    ]);
    let _program = Ended(program);
    for (origin, status) in [
        ("http://app.example", " 200 "),
        ("https://app.example", " 200 "),
        ("http://any.example:8080", " 200 "),
        ("http://app.example:8080", " 403 "),
        ("https://app.example:8443", " 403 "),
        ("https://any.example", " 403 "),
    ] {
        let headers = format!("Authorization: Bearer a-token\r\nOrigin: {origin}\r\n");
        let (line, reader) = initialize(&address, &headers);
        assert!(line.contains(status), "{origin}: {line}");
        let mut head = reader
            .lines()
            .map_while(Result::ok)
            .take_while(|line| !line.is_empty());
        let allowed = format!("access-control-allow-origin: {origin}");
        let may_read = head.any(|line| line.eq_ignore_ascii_case(&allowed));
        assert_eq!(may_read, status == " 200 ", "{origin}");
    }
}

/// Where somebody who may look at a process sees its environment.
#[cfg(target_os = "linux")]
fn environment(process: &str) -> String {
    let environment = fs::read(format!("/proc/{process}/environ")).expect("it is there");
    String::from_utf8_lossy(&environment).into_owned()
}

/// The processes that `parent` has started.
#[cfg(target_os = "linux")]
fn children(parent: u32) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{parent}/task")).expect("it is there");
    threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|text| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_keeps_the_token_in_its_environment() {
    let (program, address, _notes) = serve_over_http(&["--multiprocess"]);
    let program = Ended(program);
    let (status, _) = initialize(&address, "Authorization: Bearer a-token\r\n");
    assert!(status.contains(" 200 "), "{status}");
    let id = program.0.id();
    let children = children(id);
    assert!(!children.is_empty(), "no content process was started");
    for process in children.into_iter().chain([id.to_string()]) {
        let environment = environment(&process);
        assert!(environment.contains("PATH="), "{environment}");
        assert!(!environment.contains("a-token"), "{environment}");
    }
}
