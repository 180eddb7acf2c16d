/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp serve`: the program around the server. What the official clients see of it is in `mcp`.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::loading::{ClosedPort, UNKNOWN_HOST, server_of, server_that_loses_its_page};
use super::{check_failure, fixture, webmcp};

/// A client over standard input and output that knows no more of the protocol than that there are requests and answers.
struct Client {
    program: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    requests: u64,
}

impl Client {
    fn start(arguments: &[&str]) -> Self {
        let mut program = Command::new(assert_cmd::cargo::cargo_bin!("webmcp"))
            .args(["--timeout", "100", "serve"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let output = program.stdout.take().expect("it is piped");
        let mut client = Self {
            input: program.stdin.take(),
            program,
            lines: BufReader::new(output).lines(),
            requests: 0,
        };
        let initialized = client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        assert_eq!(initialized["protocolVersion"], "2025-11-25");
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: Value) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{message}").expect("the program reads");
    }

    /// The result of a request. What the server says by itself meanwhile is passed over.
    #[track_caller]
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let line = self
                .lines
                .next()
                .expect("the program answers")
                .expect("the answer is text");
            let mut message: Value =
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line:?}"));
            if message["id"] == id {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].take();
            }
        }
    }

    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// Calls a tool that succeeds.
    #[track_caller]
    fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {result}");
        result
    }

    /// Calls a tool that fails, for a reason in which `part` stands.
    #[track_caller]
    fn fails(&mut self, tool: &str, arguments: Value, part: &str) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        let content = result["content"].to_string();
        assert!(content.contains(part), "{tool}: {content}");
    }

    #[track_caller]
    fn tool_names(&mut self) -> Vec<String> {
        let tools = self.request("tools/list", json!({}))["tools"].take();
        let name = |tool: &Value| tool["name"].as_str().map(str::to_owned);
        let tools = tools.as_array().expect("it is a list");
        tools.iter().filter_map(name).collect()
    }

    /// Goes away, and expects the program to end well.
    #[track_caller]
    fn leave(mut self) {
        self.input = None;
        assert_eq!(self.lines.next().transpose().expect("it is text"), None);
        let status = self.program.wait().expect("the program ends");
        assert_eq!(status.code(), Some(0));
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It has ended already unless the test fails.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// The URL of a file, as an agent might guess it.
fn file_url(path: &str) -> String {
    url::Url::from_file_path(path)
        .expect("the path is absolute")
        .into()
}

#[test]
fn a_client_lists_and_calls_the_tools_of_the_page() {
    for options in [&[][..], &["--multiprocess"]] {
        let mut client = Client::start(&[&["demo:shop"], options].concat());
        let names = client.tool_names();
        for name in ["search_products", "ask_support", "browser_navigate"] {
            assert!(names.iter().any(|known| known == name), "{names:?}");
        }
        let result = client.done("search_products", json!({ "query": "tea" }));
        assert!(result["content"].to_string().contains("tea"), "{result}");
        // This one is in a frame.
        let question = json!({ "question": "How do I return a parcel?" });
        let result = client.done("ask_support", question);
        assert!(
            result["content"].to_string().contains("30 days"),
            "{result}"
        );
        client.leave();
    }
}

#[test]
fn standard_input_that_is_closed_ends_the_program_well() {
    webmcp(&["serve", "demo:shop"])
        .write_stdin("")
        .assert()
        .success()
        .stdout("")
        .stderr("");
}

#[test]
fn input_that_is_no_protocol_is_an_error_and_not_the_end() {
    let mut client = Client::start(&["demo:shop"]);
    let input = client.input.as_mut().expect("it is open");
    writeln!(input, "hello?").expect("the program reads");
    assert!(!client.tool_names().is_empty());
    client.leave();
}

#[test]
fn an_agent_cannot_get_at_files() {
    let mut client = Client::start(&[&fixture("site/page.html")]);
    let secret = fixture("plain.html");
    for address in [
        secret.clone(),
        file_url(&secret),
        "../plain.html".to_owned(),
    ] {
        client.fails(
            "browser_navigate",
            json!({ "url": address }),
            "only whole http: and https: addresses",
        );
    }
    client.fails("browser_navigate", json!({ "url": "demo:shop" }), "demo:");
    client.fails(
        "browser_navigate",
        json!({ "url": "example.com" }),
        "https://example.com",
    );
    client.leave();
}

/// What is said of a page that tries to show a file of this machine, in a frame and in its own place, and a picture of
/// it.
fn page_that_opens(file: &str) -> (String, Value) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let page = folder.path().join("index.html");
    let file = file_url(file);
    let markup = format!(
        r#"<!doctype html><p>Here it stays.</p><iframe src="{file}"></iframe>
        <script>addEventListener("load", () => {{ location.href = "{file}"; }});</script>"#
    );
    fs::write(&page, markup).expect("a file can be written");
    let mut client = Client::start(&[page.to_str().expect("the path is Unicode")]);
    // Waits until the page has come to rest.
    client.tool_names();
    let text = client.done("browser_read_text", json!({}))["content"].to_string();
    let picture = client.done("browser_screenshot", json!({}))["content"].take();
    client.leave();
    (text, picture)
}

#[test]
fn a_page_cannot_get_at_files_either() {
    let [(text, picture), (other_text, other_picture)] =
        ["plain.html", "closing.html"].map(|file| page_that_opens(&fixture(file)));
    assert!(text.contains("Here it stays."), "{text}");
    assert!(other_text.contains("Here it stays."), "{other_text}");
    assert!(
        picture == other_picture,
        "the pictures show what is in the files"
    );
}

#[test]
fn an_agent_moves_between_pages() {
    let mut client = Client::start(&["demo:shop"]);
    client.fails("browser_go_back", json!({}), "no page to go back to");
    client.done("browser_navigate", json!({ "url": "demo:tasks" }));
    let names = client.tool_names();
    assert!(names.iter().any(|name| name == "add_task"), "{names:?}");
    assert!(!names.iter().any(|name| name == "add_to_cart"), "{names:?}");

    client.done("add_task", json!({ "title": "Water the plants" }));
    let text = client.done("browser_read_text", json!({}));
    assert!(
        text["content"].to_string().contains("Water the plants"),
        "{text}"
    );
    client.done("browser_reload", json!({}));
    assert!(client.tool_names().iter().any(|name| name == "add_task"));

    client.done("browser_go_back", json!({}));
    let names = client.tool_names();
    assert!(names.iter().any(|name| name == "add_to_cart"), "{names:?}");
    let picture = client.done("browser_screenshot", json!({}));
    assert!(picture["content"].to_string().contains("image/png"));
    client.leave();
}

#[test]
fn an_address_that_does_not_load_is_told_with_the_reason() {
    let closed = ClosedPort::new();
    let mut client = Client::start(&["demo:shop"]);
    let address = format!("http://127.0.0.1:{}/", closed.number);
    client.fails("browser_navigate", json!({ "url": address }), "refused");
    client.fails(
        "browser_navigate",
        json!({ "url": format!("http://{UNKNOWN_HOST}/") }),
        &format!("{UNKNOWN_HOST}` is not known"),
    );
    client.done("browser_navigate", json!({ "url": "demo:tasks" }));
    assert!(client.tool_names().iter().any(|name| name == "add_task"));
    client.leave();
}

#[test]
fn a_load_without_a_page_leaves_the_page_and_its_history() {
    let of = |status, headers| format!("http://127.0.0.1:{}/", server_of(status, headers, ""));
    let mut client = Client::start(&["demo:shop"]);
    client.done("browser_navigate", json!({ "url": "demo:tasks" }));
    let address = of("204 No Content", &[]);
    client.fails(
        "browser_navigate",
        json!({ "url": address }),
        "without a page",
    );
    assert!(client.tool_names().iter().any(|name| name == "add_task"));

    let address = of("302 Found", &["Location: /"]);
    client.fails(
        "browser_navigate",
        json!({ "url": address }),
        "Too many redirects",
    );
    client.done("browser_go_back", json!({}));
    assert!(client.tool_names().iter().any(|name| name == "add_task"));
    client.done("browser_go_back", json!({}));
    assert!(client.tool_names().iter().any(|name| name == "add_to_cart"));
    client.leave();
}

#[test]
fn a_page_that_is_gone_on_the_way_back_is_told_at_once() {
    // The engine keeps so many pages. The one before those it fetches again.
    const KEPT: usize = 20;
    let url = format!("http://127.0.0.1:{}/", server_that_loses_its_page());
    let mut client = Client::start(&["demo:shop"]);
    client.done("browser_navigate", json!({ "url": url }));
    for page in 0..=KEPT {
        let url = format!("demo:tasks?{page}");
        client.done("browser_navigate", json!({ "url": url }));
    }
    for _ in 0..KEPT {
        client.done("browser_go_back", json!({}));
    }
    client.fails("browser_go_back", json!({}), "without a page");
    assert!(client.tool_names().iter().any(|name| name == "add_task"));
    client.leave();
}

#[test]
fn a_page_that_closes_itself_can_be_loaded_again() {
    let mut client = Client::start(&[&fixture("closing.html")]);
    let gone = client.call("leave", json!({}));
    assert_eq!(gone["isError"], true, "{gone}");
    client.fails("browser_read_text", json!({}), "closed itself");
    client.done("browser_reload", json!({}));
    let text = client.done("browser_read_text", json!({}));
    assert!(
        text["content"].to_string().contains("Here it is."),
        "{text}"
    );
    assert!(client.tool_names().iter().any(|name| name == "leave"));
    client.leave();
}

#[test]
fn a_page_that_never_gives_its_thread_back_can_be_left() {
    let page = fixture("misbehaving.html");
    let mut client = Client::start(&[&page, "--timeout", "20"]);
    assert_eq!(client.call("loops_forever", json!({}))["isError"], true);
    // The thread that is to load the page again is the one that is stuck.
    client.fails("browser_reload", json!({}), "");
    client.done("browser_reload", json!({}));
    client.fails("throws", json!({}), "it went wrong");
    client.leave();
}

#[test]
fn calls_run_side_by_side_and_one_can_be_cancelled() {
    let mut client = Client::start(&[&fixture("misbehaving.html"), "--verbose"]);
    client.send(json!({
        "jsonrpc": "2.0",
        "id": "endless",
        "method": "tools/call",
        "params": { "name": "never_settles", "arguments": {} },
    }));
    client.fails("throws", json!({}), "it went wrong");
    client.send(json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": { "requestId": "endless" },
    }));
    client.fails("rejects", json!({}), "it went wrong later");
    client.leave();
}

#[test]
fn calls_are_written_to_the_log() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let log = folder.path().join("calls.jsonl");
    fs::write(&log, "{\"earlier\": true}\n").expect("a file can be written");
    let path = log.to_str().expect("the path is Unicode");
    let mut client = Client::start(&[&fixture("well-behaved.html"), "--log", path]);
    client.done("say", json!({ "text": "hello" }));
    client.leave();
    let text = fs::read_to_string(&log).expect("the file can be read");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert_eq!(lines[1]["tool"], "say");
    assert_eq!(lines[1]["arguments"], json!({ "text": "hello" }));
}

#[test]
fn a_log_that_cannot_be_written_is_refused_before_the_page_loads() {
    check_failure(
        &["serve", "demo:shop", "--log", "no/such/folder/calls.jsonl"],
        1,
        &["cannot write the log no/such/folder/calls.jsonl"],
    );
}

#[test]
fn an_address_that_others_reach_needs_a_token() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        check_failure(
            &["serve", "demo:shop", "--http", address],
            2,
            &[address, "--token-file", "WEBMCP_TOKEN"],
        );
    }
}

#[test]
fn a_token_that_cannot_be_had_is_a_usage_error() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let check = |file: &Path, part: &str| {
        let path = file.to_str().expect("the path is Unicode");
        let arguments = [
            "serve",
            "demo:shop",
            "--http",
            "127.0.0.1:0",
            "--token-file",
            path,
        ];
        check_failure(&arguments, 2, &[path, part]);
    };
    check(&folder.path().join("none"), "cannot read");
    let empty = folder.path().join("empty");
    fs::write(&empty, "\n").expect("a file can be written");
    check(&empty, "is empty");
    webmcp(&["serve", "demo:shop", "--http", "127.0.0.1:0"])
        .env("WEBMCP_TOKEN", "")
        .assert()
        .code(2);
}

#[test]
fn an_address_that_is_taken_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let address = listener.local_addr().expect("it is bound").to_string();
    check_failure(
        &["serve", "demo:shop", "--http", &address],
        1,
        &["cannot listen at", &address],
    );
}
