/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Pages that load, and pages that do not.

use std::io::{Read, Write};
use std::iter;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use predicates::prelude::PredicateBooleanExt as _;
use predicates::str::contains;
use rustix::fd::OwnedFd;
use rustix::net::{self, AddressFamily, SocketType};

use super::{check_failure, fixture, json, webmcp};

/// A host that does not exist. No name is that long, so that this machine needs to ask nobody.
pub const UNKNOWN_HOST: &str =
    "no-such-host-no-such-host-no-such-host-no-such-host-no-such-host.invalid";

/// The header of a page.
pub const HTML: &str = "Content-Type: text/html";

/// The commands that load a page, each with arguments that are right.
fn commands(url: &str) -> [Vec<&str>; 5] {
    [
        vec!["tools", url],
        vec!["call", url, "tool"],
        vec!["eval", url, "1"],
        vec!["screenshot", url, "not-written.png"],
        vec!["serve", url],
    ]
}

/// A port on which nobody listens, and which nobody else gets as long as this is there.
pub struct ClosedPort {
    pub number: u16,
    _socket: OwnedFd,
}

impl ClosedPort {
    pub fn new() -> Self {
        let socket = net::socket(AddressFamily::INET, SocketType::STREAM, None)
            .expect("a socket can be made");
        net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0))
            .expect("there is a free port");
        let address = net::getsockname(&socket).expect("it is bound");
        let address = SocketAddrV4::try_from(address).expect("it is one of IPv4");
        Self {
            number: address.port(),
            _socket: socket,
        }
    }
}

/// A server that treats each connection with `answer`, as long as the test runs.
fn server(answer: impl FnMut(TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let port = listener.local_addr().expect("it is bound").port();
    thread::spawn(move || listener.incoming().flatten().for_each(answer));
    port
}

/// A server that answers each request with `status`, `headers` and `body`.
pub fn server_of(status: &str, headers: &[&str], body: &str) -> u16 {
    server_of_texts(iter::repeat(response(status, headers, body)))
}

/// A server of an empty page that tells what it was asked.
pub struct Hearing {
    pub port: u16,
    requests: mpsc::Receiver<String>,
}

impl Hearing {
    /// The head of the next request, in lower case.
    pub fn next_request(&self) -> String {
        self.requests.recv().expect("the server runs on")
    }
}

pub fn server_that_hears() -> Hearing {
    let (sender, requests) = mpsc::channel();
    let page = response("200 OK", &[HTML], "<!doctype html>");
    let port = server(move |mut stream| {
        // The test may be over, and the client is free to go away.
        let _ = sender.send(head_of_request(&mut stream));
        let _ = stream.write_all(page.as_bytes());
    });
    Hearing { port, requests }
}

/// A server that has a page when it is asked first, and none later.
pub fn server_that_loses_its_page() -> u16 {
    let page = response("200 OK", &[HTML], "<!doctype html>");
    let nothing = response("204 No Content", &[], "");
    server_of_texts(iter::once(page).chain(iter::repeat(nothing)))
}

/// A response after which the connection ends. The client is told so, or it might send its next request on this
/// connection.
fn response(status: &str, headers: &[&str], body: &str) -> String {
    let headers = [headers, &["Connection: close"]].concat().join("\r\n");
    format!("HTTP/1.1 {status}\r\n{headers}\r\n\r\n{body}")
}

/// A server that sends the next one of `texts` after each request.
fn server_of_texts(mut texts: impl Iterator<Item = String> + Send + 'static) -> u16 {
    server(move |mut stream| {
        head_of_request(&mut stream);
        let text = texts.next().unwrap_or_default();
        // The client is free to go away.
        let _ = stream.write_all(text.as_bytes());
    })
}

/// The request line and the headers of the next request, in lower case.
fn head_of_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && stream.read_exact(&mut byte).is_ok() {
        request.push(byte[0]);
    }
    String::from_utf8_lossy(&request).to_lowercase()
}

#[test]
fn a_host_that_does_not_exist_is_not_loaded() {
    let url = format!("http://{UNKNOWN_HOST}/");
    let (told, reason) = (
        format!("{url} did not load"),
        format!("host `{UNKNOWN_HOST}`"),
    );
    for arguments in commands(&url) {
        check_failure(&arguments, 3, &[&told, &reason]);
    }
}

#[test]
fn a_port_where_nobody_listens_is_not_loaded() {
    let port = ClosedPort::new();
    let url = format!("http://127.0.0.1:{}/", port.number);
    for arguments in commands(&url) {
        check_failure(&arguments, 3, &[&url, "did not load", "refused"]);
    }
}

#[test]
fn a_server_without_tls_is_not_loaded_over_https() {
    let url = format!(
        "https://127.0.0.1:{}/",
        server(|mut stream| {
            // The client is free to go away.
            let _ = stream.write_all(b"this is not TLS at all");
        })
    );
    check_failure(&["tools", &url], 3, &[&url, "did not load"]);
}

#[test]
fn a_server_that_does_not_speak_http_is_not_loaded() {
    let url = format!(
        "http://127.0.0.1:{}/",
        server_of_texts(iter::repeat("what?\r\n\r\n".to_owned()))
    );
    check_failure(&["tools", &url], 3, &[&url, "did not load"]);
}

#[test]
fn a_page_that_the_server_calls_an_error_or_has_elsewhere_is_not_loaded() {
    for (status, headers, told) in [
        ("404 Not Found", &[HTML] as &[_], "status 404"),
        ("503 Busy", &[HTML], "status 503"),
        (
            "302 Found",
            &["Location: file:///etc/hostname", HTML],
            "status 302",
        ),
    ] {
        let url = format!("http://127.0.0.1:{}/", server_of(status, headers, "gone"));
        for arguments in commands(&url) {
            check_failure(&arguments, 3, &[&url, "did not load", told]);
        }
    }
}

#[test]
fn a_server_that_has_no_page_is_told_at_once() {
    let url = format!("http://127.0.0.1:{}/", server_of("204 No Content", &[], ""));
    for arguments in commands(&url) {
        check_failure(&arguments, 3, &[&url, "did not load", "without a page"]);
    }
}

#[test]
fn a_redirect_without_end_is_told_at_once() {
    let url = format!(
        "http://127.0.0.1:{}/",
        server_of("302 Found", &["Location: /"], "")
    );
    for arguments in commands(&url) {
        check_failure(&arguments, 3, &[&url, "did not load", "Too many redirects"]);
    }
}

#[test]
fn a_password_in_an_address_is_not_shown() {
    let port = ClosedPort::new();
    let url = format!("http://ada:secret@127.0.0.1:{}/", port.number);
    let shown = format!("http://127.0.0.1:{}/ did not load", port.number);
    for arguments in commands(&url) {
        check_failure(&arguments, 3, &[&shown]);
        webmcp(&arguments).assert().stderr(contains("secret").not());
    }
}

#[test]
fn a_server_that_never_answers_ends_in_a_timeout() {
    let url = format!(
        "http://127.0.0.1:{}/",
        server(|stream| {
            // Kept open until the other side goes.
            let _ = { stream }.read_to_end(&mut Vec::new());
        })
    );
    for arguments in commands(&url) {
        let arguments = [&["--timeout", "2"], arguments.as_slice()].concat();
        check_failure(&arguments, 6, &[&url, "not done within 2 s", "--timeout"]);
    }
}

#[test]
fn a_page_of_a_real_server_is_loaded() {
    let page = "<!doctype html><title>Here</title>";
    let url = format!("http://127.0.0.1:{}/", server_of("200 OK", &[HTML], page));
    webmcp(&["eval", &url, "document.title"])
        .assert()
        .success()
        .stdout("\"Here\"\n");
}

#[test]
fn a_script_that_is_validated_while_it_is_received_runs() {
    let page = response(
        "200 OK",
        &[HTML],
        "<!doctype html><script src=a.js></script><script src=b.js></script>",
    );
    let script = response(
        "200 OK",
        &[
            "Content-Type: text/javascript",
            "Cache-Control: no-cache",
            "ETag: \"1\"",
            "Content-Length: 15",
        ],
        "window.",
    );
    let unchanged = response("304 Not Modified", &["ETag: \"1\""], "");

    /// How often the second script was asked for, and how often with a condition.
    #[derive(Default)]
    struct Requests {
        first: usize,
        conditional: usize,
    }

    // While the page waits for the first script, it fetches the second one ahead. The second one then comes to its end
    // only once the page has asked for it again. Both waits end after a while, so that a page that does otherwise fails
    // the test.
    let state = Arc::new((Mutex::new(Requests::default()), Condvar::new()));
    let port = server({
        let state = state.clone();
        let texts = Arc::new((page, script, unchanged));
        move |mut stream| {
            let (state, texts) = (state.clone(), texts.clone());
            thread::spawn(move || {
                let (requests, changed) = &*state;
                let (page, script, unchanged) = &*texts;
                let note = |note: fn(&mut Requests)| {
                    note(&mut requests.lock().expect("no thread panics"));
                    changed.notify_all();
                };
                let wait_while = |condition: fn(&mut Requests) -> bool| {
                    let requests = requests.lock().expect("no thread panics");
                    let _ =
                        changed.wait_timeout_while(requests, Duration::from_secs(20), condition);
                };
                let request = head_of_request(&mut stream);
                // The client is free to go away at any time.
                if request.contains("a.js") {
                    wait_while(|requests| requests.first == 0);
                    let _ = stream.write_all(format!("{script}a = true").as_bytes());
                } else if !request.contains("b.js") {
                    let _ = stream.write_all(page.as_bytes());
                } else if request.contains("if-none-match") {
                    let _ = stream.write_all(unchanged.as_bytes());
                    note(|requests| requests.conditional += 1);
                } else {
                    let _ = stream.write_all(script.as_bytes());
                    note(|requests| requests.first += 1);
                    wait_while(|requests| requests.conditional == 0);
                    let _ = stream.write_all(b"b = true");
                }
            });
        }
    });
    webmcp(&["eval", &format!("http://127.0.0.1:{port}/"), "[a, b]"])
        .assert()
        .success()
        .stdout("[true,true]\n");
    let requests = state.0.lock().expect("no thread panics");
    assert_eq!((requests.first, requests.conditional), (1, 1));
}

#[test]
fn a_page_that_is_no_secure_context_is_told_why_it_has_no_tools() {
    let url = format!(
        "http://site.example:{}/",
        server_of("200 OK", &[HTML], "<!doctype html>")
    );
    let mut hosts = tempfile::NamedTempFile::new().expect("a file can be made");
    writeln!(hosts, "127.0.0.1 site.example").expect("it can be written");
    webmcp(&["tools", &url])
        .env("HOST_FILE", hosts.path())
        .assert()
        .success()
        .stdout("")
        .stderr(contains("not a secure context"));
    webmcp(&["call", &url, "tool"])
        .env("HOST_FILE", hosts.path())
        .assert()
        .code(4)
        .stderr(contains("not a secure context"));
}

#[test]
fn a_page_that_looks_like_an_error_but_has_scripts_is_loaded() {
    let script = "document.title";
    webmcp(&["eval", &fixture("imitation.html"), script])
        .assert()
        .success()
        .stdout("\"Error loading page\"\n");
}

#[test]
fn a_file_that_is_not_there_is_not_loaded() {
    for name in ["no-such-page.html", "no/such/page.html"] {
        let path = fixture(name);
        for arguments in commands(&path) {
            check_failure(&arguments, 3, &[&path, "no such file or folder"]);
        }
    }
    check_failure(
        &["tools", "file:///no/such/page.html"],
        3,
        &["no such file or folder"],
    );
}

#[test]
fn a_folder_without_an_index_is_not_loaded() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().to_str().expect("the path is Unicode");
    check_failure(&["tools", path], 3, &[path, "index.html"]);
}

#[test]
fn a_demo_that_does_not_exist_is_answered_with_those_that_do() {
    check_failure(
        &["tools", "demo:sohp"],
        3,
        &["`sohp`", "demo:shop", "demo:tasks", "demo:guide"],
    );
    check_failure(
        &["call", "demo:", "x"],
        3,
        &["demo:shop", "demo:tasks", "demo:guide"],
    );
}

#[test]
fn a_local_page_is_a_secure_context_with_its_folder_around_it() {
    let page = format!("{}?mode=2#part", fixture("site/page.html"));
    let assert = webmcp(&[
        "eval",
        &page,
        "({ secure: isSecureContext, host: location.hostname, query: location.search, hash: location.hash, \
            sibling: window.sibling, api: 'modelContext' in document })",
    ])
    .assert()
    .success();
    assert_eq!(
        json(&assert),
        serde_json::json!({
            "secure": true,
            "host": "localhost",
            "query": "?mode=2",
            "hash": "#part",
            "sibling": "here",
            "api": true,
        })
    );
}

#[test]
fn a_folder_is_opened_at_its_index() {
    webmcp(&["eval", &fixture("site"), "document.title"])
        .assert()
        .success()
        .stdout("\"The index\"\n");
}

#[test]
fn a_local_page_cannot_leave_its_folder() {
    let script = "Promise.all(['../plain.html', '/..%2fplain.html', '.hidden'].map(url => fetch(url))) \
                  .then(all => all.map(response => response.status))";
    webmcp(&["eval", &fixture("site/page.html"), script])
        .assert()
        .success()
        .stdout("[404,404,404]\n");
}

#[test]
fn what_a_local_page_can_read_is_narrowed_and_widened_by_options() {
    let site = tempfile::tempdir().expect("a folder can be made");
    let path = |name: &str| {
        let path = site.path().join(name);
        path.to_str().expect("the path is Unicode").to_owned()
    };
    for name in ["pages", "shared"] {
        std::fs::create_dir(path(name)).expect("a folder can be made");
    }
    for name in [
        "pages/index.html",
        "pages/notes.txt",
        "shared/a.js",
        "shared/b.js",
    ] {
        std::fs::write(path(name), "<!doctype html>").expect("a file can be written");
    }
    let script = "Promise.all(['notes.txt', '../shared/a.js', '../shared/b.js'].map(url => fetch(url))) \
                  .then(all => all.map(response => response.status))";
    let (page, root, only) = (path("pages"), path(""), path("shared/a.js"));
    for (options, statuses) in [
        (&[][..], "[200,404,404]\n"),
        (&["--root", &root], "[200,200,200]\n"),
        (&["--root", &root, "--only", &only], "[404,200,404]\n"),
    ] {
        webmcp(&[&["eval", &page, script], options].concat())
            .assert()
            .success()
            .stdout(statuses);
    }
}

#[test]
fn nobody_else_can_read_a_local_page() {
    // What the page knows about its own server is all that a stranger on this machine could find out.
    let script = "fetch(location.href, { credentials: 'omit' }).then(response => [response.status, document.cookie])";
    webmcp(&["eval", &fixture("site/page.html"), script])
        .assert()
        .success()
        .stdout("[403,\"\"]\n");
}
