/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Many clients, over HTTP.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HeaderName, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};
use url::Url;

use super::ServeError;
use super::connections::serve_connections;
use super::sessions::{Sessions, turn_away};
use crate::{Page, Server};

/// Where the server is.
const PATH: &str = "/mcp";

/// How large a request may be: as large as a line over standard input.
const LARGEST: usize = 16 * 1024 * 1024;

/// After how long without a message a session of a client ends. A client that has just vanished is known by nothing
/// else.
const IDLE: Duration = Duration::from_secs(60 * 60);

/// How long answers may take to be sent when the server is to stop.
const GRACE: Duration = Duration::from_secs(2);

/// Who may speak to the server over HTTP, and how much they may take up.
#[derive(Clone, Default)]
pub struct HttpOptions {
    /// The hosts, with or without a port, by which clients may call the server. If there are none, those of the own
    /// machine: `localhost`, `127.0.0.1` and `::1`. A page that makes a name of its own point to this machine sends
    /// that name.
    pub allowed_hosts: Vec<String>,
    /// The origins of pages that may call the server, such as `http://localhost:6274`; `:*` in place of the port stands
    /// for all ports. Requests that do not come from a page have no origin, and need none.
    pub allowed_origins: Vec<String>,
    /// What clients have to send as a bearer token, if anything.
    pub token: Option<String>,
    /// How much clients may take up.
    pub limits: HttpLimits,
}

/// How much clients may take up that speak to the server over HTTP.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct HttpLimits {
    /// How many connections there may be at once. A few more are answered with status 503; others wait.
    pub connections: usize,
    /// How many sessions there may be of clients with an `initialize` handshake. Who wants one more is answered with
    /// status 503.
    pub sessions: usize,
    /// How long a connection may take for the head of its next request, and how long it may say nothing within the
    /// body. After that it is closed.
    pub patience: Duration,
}

impl Default for HttpLimits {
    /// 256 connections, 256 sessions, half a minute.
    fn default() -> Self {
        Self {
            connections: 256,
            sessions: 256,
            patience: Duration::from_secs(30),
        }
    }
}

/// Everything but the token, which is nobody's business who reads a log.
impl fmt::Debug for HttpOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpOptions")
            .field("allowed_hosts", &self.allowed_hosts)
            .field("allowed_origins", &self.allowed_origins)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Serves clients at `/mcp` on the socket until `shutdown`, then cancels the calls that run and returns.
///
/// Requests that name another host or come from another origin than the `options` allow are refused with status 403,
/// those without the token with 401, those that are too many with 503: see [`HttpLimits`].
///
/// # Errors
///
/// Fails if the token is empty.
pub async fn serve_http<P: Page>(
    server: Server<P>,
    listener: TcpListener,
    options: HttpOptions,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let stopping = CancellationToken::new();
    let mut app = Router::new()
        .route_service(PATH, service(server, &options, &stopping))
        .layer(from_fn(turn_away));
    if let Some(token) = options.token {
        if token.is_empty() {
            return Err(ServeError::EmptyToken);
        }
        let token: Arc<str> = token.into();
        app = app.layer(from_fn_with_state(token, check_token));
    }

    // Outside of the rest, because browsers ask without a token whether they may send one.
    app = app.layer(cross_origin(options.allowed_origins));

    let shutdown = async {
        shutdown.await;
        stopping.cancel();
    };
    tokio::select! {
        () = serve_connections(listener, app, options.limits, shutdown) => {},
        () = async {
            stopping.cancelled().await;
            tokio::time::sleep(GRACE).await;
        } => {},
    }
    Ok(())
}

fn service<P: Page>(
    server: Server<P>,
    options: &HttpOptions,
    stopping: &CancellationToken,
) -> StreamableHttpService<crate::server::Connection<P>, Sessions> {
    let mut config = StreamableHttpServerConfig::default()
        .with_allowed_origins(
            options
                .allowed_origins
                .iter()
                .map(|origin| with_port(origin)),
        )
        .enforce_origin_validation()
        .with_max_request_body_bytes(LARGEST)
        .with_cancellation_token(stopping.clone());
    if !options.allowed_hosts.is_empty() {
        config = config.with_allowed_hosts(options.allowed_hosts.iter().cloned());
    }
    let closing = stopping.clone();
    StreamableHttpService::new(
        move || Ok(server.connection(closing.child_token())),
        Arc::new(Sessions::new(options.limits.sessions, IDLE)),
        config,
    )
}

/// Tells browsers that pages of the allowed origins may read the answers. (That others are not answered at all is seen
/// to by the protocol library.)
fn cross_origin(allowed: Vec<String>) -> CorsLayer {
    let is_allowed = move |origin: &str| allowed.iter().any(|allowed| matches(allowed, origin));
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, _| {
            origin.to_str().is_ok_and(&is_allowed)
        }))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([HeaderName::from_static("mcp-session-id"), WWW_AUTHENTICATE])
}

/// Whether an origin is the `allowed` one, whose port may be `*`.
fn matches(allowed: &str, origin: &str) -> bool {
    match allowed.strip_suffix(":*") {
        Some(host) => origin
            .strip_prefix(host)
            .is_some_and(|port| port.is_empty() || port.starts_with(':')),
        None => origin == allowed,
    }
}

/// The `allowed` origin with its port, without which the protocol library would let every port pass.
fn with_port(allowed: &str) -> String {
    // One whose port is `*` is no address.
    let address = Url::parse(allowed).ok();
    address
        .and_then(|url| {
            let (host, port) = (url.host_str()?, url.port_or_known_default()?);
            Some(format!("{}://{host}:{port}", url.scheme()))
        })
        .unwrap_or_else(|| allowed.to_owned())
}

/// Lets only requests with the token through.
async fn check_token(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    match bearer_token(request.headers()) {
        Some(sent) if bool::from(sent.as_bytes().ct_eq(token.as_bytes())) => {
            next.run(request).await
        }
        Some(_) => unauthorized(
            "Bearer realm=\"webmcp\", error=\"invalid_token\"",
            "The bearer token is not that of this server.",
        ),
        None => unauthorized(
            "Bearer realm=\"webmcp\"",
            "This server wants a bearer token: send it as \"Authorization: Bearer TOKEN\".",
        ),
    }
}

/// The one bearer token of a request.
fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_matches(' '))
}

fn unauthorized(challenge: &'static str, reason: &'static str) -> Response {
    let headers = [(WWW_AUTHENTICATE, challenge)];
    (StatusCode::UNAUTHORIZED, headers, reason).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[&str], token: Option<&str>) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        assert_eq!(bearer_token(&headers), token);
    }

    #[test]
    fn the_token_is_not_shown() {
        let options = HttpOptions {
            allowed_hosts: vec!["tools.example".to_owned()],
            token: Some("secret".to_owned()),
            ..HttpOptions::default()
        };
        let text = format!("{options:?}");
        assert!(text.contains("tools.example"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }

    #[test]
    fn a_star_stands_for_any_port() {
        assert!(matches("http://localhost:*", "http://localhost:6274"));
        assert!(matches("http://localhost:*", "http://localhost"));
        assert!(!matches(
            "http://localhost:*",
            "http://localhost.evil.example"
        ));
        assert!(!matches("http://localhost:6274", "http://localhost:62745"));
    }

    #[test]
    fn an_origin_without_a_port_has_the_default_one() {
        for (allowed, port) in [
            ("http://app.example", "http://app.example:80"),
            ("https://app.example", "https://app.example:443"),
            ("http://app.example:80", "http://app.example:80"),
            ("https://[::1]", "https://[::1]:443"),
            ("http://localhost:6274", "http://localhost:6274"),
            ("http://localhost:*", "http://localhost:*"),
            ("null", "null"),
        ] {
            assert_eq!(with_port(allowed), port);
        }
    }

    #[test]
    fn a_bearer_token_is_read() {
        check(&["Bearer abc"], Some("abc"));
        check(&["bearer  abc "], Some("abc"));
    }

    #[test]
    fn anything_else_is_no_bearer_token() {
        check(&[], None);
        check(&["Basic abc"], None);
        check(&["Bearer"], None);
        check(&["Bearer abc", "Bearer abd"], None);
    }
}
