/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The local server: gives files and built-in pages an `http://localhost` origin, which is a secure context.
//!
//! It is there for this process's browser alone:
//!
//! * it listens on the loopback interface only, on a port that the system picks;
//! * it answers only to the names `localhost` and `127.0.0.1`, so that no site can reach it under a name of its own;
//! * it answers only to requests with the cookie of this process, which the browser is given before it loads a page and
//!   no page can read. Other users and programs of this machine are turned away.
//!
//! The two names are two origins of two sites, which is what a page needs that tries cross-origin frames.
//!
//! What it serves of a folder is said in [`crate::folder`].

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use cookie::Cookie;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use url::Url;

use crate::demos;
use crate::folder;
use crate::source::Content;

/// The names that the server answers to.
const HOSTS: [&str; 2] = ["localhost", "127.0.0.1"];

/// The name of the cookie that a request must carry.
const KEY_COOKIE: &str = "webmcp-key";

/// A running local server. It stops when this is dropped.
pub struct Server {
    has_demos: bool,
    port: u16,
    key: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts to serve `content`, on a thread of its own.
    pub fn start(content: Content) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind(SocketAddr::from((
            Ipv4Addr::LOCALHOST,
            0,
        ))))?;
        let port = listener.local_addr()?.port();
        let key = new_key()?;
        let has_demos = content == Content::Demos;
        let router = router(
            content,
            Door {
                port,
                key: key.clone(),
            },
        );
        let (stop, stopped) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("LocalServer".to_owned())
            .spawn(move || {
                runtime.block_on(async move {
                    tokio::select! {
                        _ = axum::serve(listener, router) => {},
                        _ = stopped => {},
                    }
                });
            })?;
        Ok(Self {
            has_demos,
            port,
            key,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Whether it is the built-in pages that are served.
    pub fn has_demos(&self) -> bool {
        self.has_demos
    }

    /// The URL of `target`, which is a path with perhaps a query and a fragment.
    pub fn url(&self, target: &str) -> Url {
        let origin = self.origin(HOSTS[0]);
        origin.join(target).unwrap_or(origin)
    }

    /// The cookies that the browser needs, each with the URL that it is for.
    pub fn cookies(&self) -> impl Iterator<Item = (Url, Cookie<'static>)> {
        HOSTS
            .map(|host| {
                let cookie = Cookie::build((KEY_COOKIE, self.key.clone()))
                    .path("/")
                    .http_only(true)
                    .build();
                (self.origin(host), cookie)
            })
            .into_iter()
    }

    fn origin(&self, host: &str) -> Url {
        Url::parse(&format!("http://{host}:{}/", self.port))
            .expect("a known host and a port make a URL")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It ends as soon as it hears of the stop; a panic of it has been printed and changes nothing here.
            let _ = thread.join();
        }
    }
}

/// 128 random bits in hexadecimal.
fn new_key() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Who is let in.
struct Door {
    port: u16,
    key: String,
}

impl Door {
    fn admits(&self, headers: &HeaderMap) -> bool {
        self.is_named_in(headers) && self.key_is_in(headers)
    }

    fn is_named_in(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return false;
        };
        host.to_str().is_ok_and(|host| {
            host.rsplit_once(':').is_some_and(|(name, port)| {
                HOSTS.iter().any(|known| name.eq_ignore_ascii_case(known))
                    && port == self.port.to_string()
            })
        })
    }

    fn key_is_in(&self, headers: &HeaderMap) -> bool {
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| Cookie::split_parse(value.to_owned()))
            .filter_map(Result::ok)
            .any(|cookie| cookie.name() == KEY_COOKIE && cookie.value() == self.key)
    }
}

fn router(content: Content, door: Door) -> Router {
    let router = match content {
        Content::Folder(folder) => folder::router(folder),
        Content::Demos => demos::router(),
    };
    router.layer(middleware::from_fn_with_state(Arc::new(door), guard))
}

/// Turns away who has no business here, and keeps copies from being used later.
async fn guard(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    if !door.admits(request.headers()) {
        return refusal(
            StatusCode::FORBIDDEN,
            "this server is private to one webmcp process",
        );
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return refusal(
            StatusCode::METHOD_NOT_ALLOWED,
            "there is nothing here to write to",
        );
    }
    let mut response = next.run(request).await;
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn refusal(status: StatusCode, reason: &'static str) -> Response {
    (status, reason).into_response()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use axum::body::Body;
    use tempfile::TempDir;
    use tower::ServiceExt;

    use super::*;
    use crate::folder::Folder;

    const PORT: u16 = 4711;
    const KEY: &str = "0123456789abcdef";

    /// A folder with a file.
    fn files() -> TempDir {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for (name, text) in [("index.html", "<title>index</title>"), ("data.json", "{}")] {
            fs::write(folder.path().join(name), text).expect("a file can be written");
        }
        folder
    }

    fn content(folder: &TempDir) -> Content {
        let root = folder.path().canonicalize().expect("the folder is there");
        Content::Folder(Folder::new(root))
    }

    fn request(path: &str) -> axum::http::request::Builder {
        Request::builder()
            .uri(path)
            .header(header::HOST, format!("localhost:{PORT}"))
            .header(header::COOKIE, format!("other=1; {KEY_COOKIE}={KEY}"))
    }

    async fn answer(folder: &TempDir, request: axum::http::request::Builder) -> Response {
        let door = Door {
            port: PORT,
            key: KEY.to_owned(),
        };
        router(content(folder), door)
            .oneshot(
                request
                    .body(Body::empty())
                    .expect("the request is well-formed"),
            )
            .await
            .unwrap_or_else(|never| match never {})
    }

    #[tokio::test]
    async fn strangers_are_turned_away() {
        let folder = files();
        let host = format!("127.0.0.1:{PORT}");
        let key = format!("{KEY_COOKIE}={KEY}");
        for (headers, status) in [
            (
                vec![(header::HOST, &*host), (header::COOKIE, &*key)],
                StatusCode::OK,
            ),
            (vec![(header::HOST, &*host)], StatusCode::FORBIDDEN),
            (
                vec![(header::HOST, &*host), (header::COOKIE, "webmcp-key=guess")],
                StatusCode::FORBIDDEN,
            ),
            (vec![(header::COOKIE, &*key)], StatusCode::FORBIDDEN),
            (
                vec![(header::HOST, "evil.example:4711"), (header::COOKIE, &*key)],
                StatusCode::FORBIDDEN,
            ),
            (
                vec![(header::HOST, "localhost:4712"), (header::COOKIE, &*key)],
                StatusCode::FORBIDDEN,
            ),
            (
                vec![(header::HOST, "localhost"), (header::COOKIE, &*key)],
                StatusCode::FORBIDDEN,
            ),
            (
                vec![
                    (header::HOST, &*host),
                    (header::HOST, "evil.example"),
                    (header::COOKIE, &*key),
                ],
                StatusCode::FORBIDDEN,
            ),
        ] {
            let request = headers
                .iter()
                .fold(Request::builder().uri("/"), |request, (name, value)| {
                    request.header(name, *value)
                });
            assert_eq!(
                answer(&folder, request).await.status(),
                status,
                "{headers:?}"
            );
        }
    }

    #[tokio::test]
    async fn nothing_can_be_written() {
        let folder = files();
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS] {
            let response = answer(&folder, request("/data.json").method(&method)).await;
            assert_eq!(
                response.status(),
                StatusCode::METHOD_NOT_ALLOWED,
                "{method}"
            );
        }
    }

    #[tokio::test]
    async fn no_copy_is_used_without_asking() {
        let response = answer(&files(), request("/data.json")).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-cache");
    }

    #[test]
    fn a_server_says_where_it_is_and_stops_when_dropped() {
        let folder = files();
        let server = Server::start(content(&folder)).expect("the loopback interface is there");
        let url = server.url("/page%20one.html?a=b#c");
        assert_eq!(url.host_str(), Some("localhost"));
        assert_eq!(&url[url::Position::BeforePath..], "/page%20one.html?a=b#c");
        let address = (Ipv4Addr::LOCALHOST, server.port);
        assert!(std::net::TcpStream::connect(address).is_ok());
        drop(server);
        assert!(std::net::TcpStream::connect(address).is_err());
    }

    #[test]
    fn each_server_has_a_key_of_its_own_for_both_names() {
        let folder = files();
        let servers = [(); 2].map(|()| Server::start(content(&folder)).expect("it starts"));
        let [first, second] = servers
            .each_ref()
            .map(|server| server.cookies().collect::<Vec<_>>());
        assert_eq!(
            first
                .iter()
                .map(|(url, _)| url.host_str())
                .collect::<Vec<_>>(),
            [Some("localhost"), Some("127.0.0.1")]
        );
        for (_, cookie) in first.iter().chain(&second) {
            assert_eq!(cookie.http_only(), Some(true));
            assert_eq!(cookie.value().len(), 32);
        }
        assert_ne!(first[0].1.value(), second[0].1.value());
    }
}
