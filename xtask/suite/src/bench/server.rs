/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The server of the pages that are measured.
//!
//! It answers to `localhost` and to `127.0.0.1`, which are two sites to a browser: that is where the frame of another
//! origin comes from.

use std::net::Ipv4Addr;
use std::time::Instant;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse};
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

const PAGE: &str = include_str!("../../bench/page.html");
const SCRIPT: &str = include_str!("../../bench/page.js");
const FRAME: &str = include_str!("../../bench/frame.html");
const START: &str = include_str!("../../bench/start.html");

/// The picture that a page waits for.
const PICTURE: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>"#;

/// A server for one page in one browser. It stops when it is dropped.
pub struct Server {
    port: u16,
    reports: watch::Receiver<Option<Report>>,
    task: JoinHandle<()>,
}

/// What the page told, and when.
#[derive(Clone, Debug)]
pub struct Report {
    pub time: Instant,
    pub text: String,
}

impl Server {
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .context("cannot start the server of the pages")?;
        let port = listener.local_addr()?.port();
        let (sender, reports) = watch::channel(None);
        let router = Router::new()
            .route("/page.html", get(async || Html(PAGE)))
            .route("/frame.html", get(async || Html(FRAME)))
            .route("/start.html", get(async || Html(START)))
            .route(
                "/page.js",
                get(async || with_type("text/javascript", SCRIPT)),
            )
            .route("/reported", get(reported))
            .route("/report", post(report))
            .with_state(sender);
        let task = tokio::spawn(async move {
            // It serves until it is stopped.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            port,
            reports,
            task,
        })
    }

    /// The address of a page; `target` is its name and perhaps a query.
    pub fn url(&self, target: &str) -> String {
        format!("http://localhost:{}/{target}", self.port)
    }

    /// Waits for the first report of the page.
    pub async fn report(&mut self) -> Result<Report> {
        let report = self.reports.wait_for(Option::is_some).await;
        let report = report.context("the server of the pages has stopped")?;
        report.clone().context("the page has reported nothing")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn report(State(reports): State<watch::Sender<Option<Report>>>, text: String) -> StatusCode {
    let time = Instant::now();
    reports.send_if_modified(|report| {
        let is_first = report.is_none();
        if is_first {
            *report = Some(Report { time, text });
        }
        is_first
    });
    StatusCode::NO_CONTENT
}

/// Answers once there is a report.
async fn reported(State(reports): State<watch::Sender<Option<Report>>>) -> impl IntoResponse {
    match reports.subscribe().wait_for(Option::is_some).await {
        Ok(_) => with_type("image/svg+xml", PICTURE).into_response(),
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

fn with_type(mime: &'static str, text: &'static str) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, mime)], text)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;

    /// The answer to a request, with its head.
    async fn answer(port: u16, request: &str, body: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
            .await
            .unwrap();
        let length = body.len();
        let text = format!(
            "{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn pages_are_served_as_what_they_are() {
        let server = Server::start().await.unwrap();
        for (target, kind, part) in [
            ("page.html?report", "text/html", "page.js"),
            ("page.js", "text/javascript", "runBench"),
            ("frame.html", "text/html", "frame_echo"),
            ("start.html", "text/html", "first_tool"),
        ] {
            let answer = answer(server.port, &format!("GET /{target}"), "").await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            assert!(
                answer.contains(&format!("content-type: {kind}")),
                "{answer}"
            );
            assert!(answer.contains(part), "{answer}");
        }
    }

    #[tokio::test]
    async fn the_first_report_counts_and_lets_the_page_finish_loading() {
        let mut server = Server::start().await.unwrap();
        let port = server.port;
        let mut picture = tokio::spawn(answer(port, "GET /reported", ""));
        let told = answer(port, "POST /report", "first");
        tokio::select! {
            biased;
            _ = &mut picture => panic!("the picture came before the report"),
            told = told => assert!(told.starts_with("HTTP/1.1 204"), "{told}"),
        }
        assert!(picture.await.unwrap().contains("image/svg+xml"));
        answer(port, "POST /report", "second").await;
        assert_eq!(server.report().await.unwrap().text, "first");
    }
}
