/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The pages that are built in. Each is plain HTML and script that runs in every browser with WebMCP.

use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use futures_util::stream;
use serde::Deserialize;

/// A page that is built in.
#[derive(Debug)]
pub struct Demo {
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    files: &'static [(&'static str, &'static str)],
}

/// All of them.
pub const DEMOS: &[Demo] = &[
    Demo {
        name: "shop",
        about: "a tea shop with a support chat in a frame",
        files: &[
            ("index.html", include_str!("shop/index.html")),
            ("shop.js", include_str!("shop/shop.js")),
            ("chat.html", include_str!("shop/chat.html")),
            ("chat.js", include_str!("shop/chat.js")),
            ("style.css", include_str!("shop/style.css")),
        ],
    },
    Demo {
        name: "tasks",
        about: "a task list whose tools come and go, with a timer in a frame",
        files: &[
            ("index.html", include_str!("tasks/index.html")),
            ("tasks.js", include_str!("tasks/tasks.js")),
            ("timer.html", include_str!("tasks/timer.html")),
            ("timer.js", include_str!("tasks/timer.js")),
            ("style.css", include_str!("tasks/style.css")),
        ],
    },
    Demo {
        name: "guide",
        about: "every example of Chrome's guide to the imperative API",
        files: &[
            ("index.html", include_str!("guide/index.html")),
            ("guide.js", include_str!("guide/guide.js")),
            ("partner.html", include_str!("guide/partner.html")),
            ("partner.js", include_str!("guide/partner.js")),
            ("style.css", include_str!("guide/style.css")),
        ],
    },
];

/// The demo of that name.
pub fn find(name: &str) -> Option<&'static Demo> {
    DEMOS.iter().find(|demo| demo.name == name)
}

impl Demo {
    /// The path of its page on the local server.
    pub fn path(&self) -> String {
        format!("/demo/{}/", self.name)
    }

    fn file(&self, path: &str) -> Option<&'static str> {
        let path = if path.is_empty() { "index.html" } else { path };
        self.files
            .iter()
            .find(|(name, _)| *name == path)
            .map(|(_, text)| *text)
    }
}

/// Serves all demos, each below its own path.
pub fn router() -> Router {
    Router::new()
        .route("/demo/guide/stream", get(stream_text))
        .route("/demo/{name}", get(add_slash))
        .route("/demo/{name}/", get(serve_index))
        .route("/demo/{name}/{*path}", get(serve_file))
        .fallback(|| async { absent() })
}

async fn add_slash(Path(name): Path<String>) -> Response {
    match find(&name) {
        Some(demo) => Redirect::permanent(&demo.path()).into_response(),
        None => absent(),
    }
}

async fn serve_index(Path(name): Path<String>) -> Response {
    serve(&name, "index.html")
}

async fn serve_file(Path((name, path)): Path<(String, String)>) -> Response {
    serve(&name, &path)
}

fn serve(name: &str, path: &str) -> Response {
    let Some(text) = find(name).and_then(|demo| demo.file(path)) else {
        return absent();
    };
    let kind = mime_guess::from_path(path).first_or_text_plain();
    (
        [(header::CONTENT_TYPE, format!("{kind}; charset=utf-8"))],
        text,
    )
        .into_response()
}

fn absent() -> Response {
    (StatusCode::NOT_FOUND, "there is no such page").into_response()
}

/// How much text to stream, and how slowly.
#[derive(Debug, Deserialize)]
#[serde(default)]
struct StreamOptions {
    lines: u32,
    /// Milliseconds before each line but the first.
    pause: u64,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            lines: 5,
            pause: 100,
        }
    }
}

impl StreamOptions {
    const MOST_LINES: u32 = 100_000;
    const LONGEST_PAUSE: u64 = 60_000;

    /// The options within bounds.
    fn bounded(&self) -> (u32, Duration) {
        (
            self.lines.min(Self::MOST_LINES),
            Duration::from_millis(self.pause.min(Self::LONGEST_PAUSE)),
        )
    }
}

/// A text that arrives line by line, for the guide's example of a tool that streams and can be cancelled.
async fn stream_text(Query(options): Query<StreamOptions>) -> Response {
    let (lines, pause) = options.bounded();
    let body = Body::from_stream(stream::unfold(1, move |line| async move {
        if line > lines {
            return None;
        }
        if line > 1 {
            tokio::time::sleep(pause).await;
        }
        let text = format!("line {line} of {lines}\n");
        Some((Ok::<_, Infallible>(text), line.saturating_add(1)))
    }));
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], body).into_response()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use axum::http::Request;
    use http_body_util::BodyExt;
    use tower::ServiceExt;

    use super::*;

    async fn answer(path: &str) -> Response {
        let request = Request::builder()
            .uri(path)
            .body(Body::empty())
            .expect("the request is well-formed");
        router()
            .oneshot(request)
            .await
            .unwrap_or_else(|never| match never {})
    }

    #[tokio::test]
    async fn every_file_of_every_demo_is_served_with_its_type() {
        for demo in DEMOS {
            for (name, text) in demo.files {
                let response = answer(&format!("{}{name}", demo.path())).await;
                assert_eq!(response.status(), StatusCode::OK, "{}/{name}", demo.name);
                let kind = response.headers()[header::CONTENT_TYPE]
                    .to_str()
                    .expect("it is text")
                    .to_owned();
                let expected = match name.rsplit_once('.') {
                    Some((_, "html")) => "text/html; charset=utf-8",
                    Some((_, "js")) => "text/javascript; charset=utf-8",
                    _ => "text/css; charset=utf-8",
                };
                assert_eq!(kind, expected, "{}/{name}", demo.name);
                let body = response
                    .into_body()
                    .collect()
                    .await
                    .expect("the body arrives");
                assert_eq!(body.to_bytes(), text.as_bytes());
            }
        }
    }

    #[tokio::test]
    async fn a_demo_is_found_with_and_without_its_slash() {
        for demo in DEMOS {
            let path = demo.path();
            assert_eq!(answer(&path).await.status(), StatusCode::OK);
            let response = answer(path.trim_end_matches('/')).await;
            assert_eq!(response.status(), StatusCode::PERMANENT_REDIRECT);
            assert_eq!(response.headers()[header::LOCATION], path.as_str());
        }
    }

    #[tokio::test]
    async fn what_is_not_there_is_not_found() {
        for path in [
            "/",
            "/demo",
            "/demo/",
            "/demo/none",
            "/demo/none/",
            "/demo/shop/none.js",
            "/demo/shop/../x",
        ] {
            assert_eq!(answer(path).await.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[tokio::test]
    async fn the_stream_has_the_lines_asked_for_at_the_pace_asked_for() {
        let start = Instant::now();
        let response = answer("/demo/guide/stream?lines=3&pause=20").await;
        let body = response
            .into_body()
            .collect()
            .await
            .expect("the body arrives");
        assert_eq!(body.to_bytes(), "line 1 of 3\nline 2 of 3\nline 3 of 3\n");
        assert!(start.elapsed() >= Duration::from_millis(40));
    }

    #[test]
    fn the_stream_is_bounded() {
        let options = StreamOptions {
            lines: u32::MAX,
            pause: u64::MAX,
        };
        assert_eq!(options.bounded(), (100_000, Duration::from_secs(60)));
    }

    #[test]
    fn the_pages_link_to_files_that_are_there() {
        for demo in DEMOS {
            for (name, text) in demo
                .files
                .iter()
                .filter(|(name, _)| name.ends_with(".html"))
            {
                for attribute in ["src=\"", "href=\""] {
                    for link in text
                        .split(attribute)
                        .skip(1)
                        .filter_map(|rest| rest.split('"').next())
                    {
                        assert!(
                            ["#", "data:", "https:"]
                                .iter()
                                .any(|kind| link.starts_with(kind))
                                || demo.file(link).is_some(),
                            "{}/{name} links to {link}",
                            demo.name
                        );
                    }
                }
            }
        }
    }
}
