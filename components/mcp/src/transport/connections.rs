/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Connections over HTTP: how many there may be, and how long they may say nothing.

use std::future::Future;
use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower_http::timeout::RequestBodyTimeoutLayer;

use super::http::HttpLimits;

/// How many more connections than allowed are accepted, to be told that they are too many. Those that come while as
/// many are being told wait until they are accepted.
const TURNED_AWAY: usize = 16;

/// Serves `app` to whoever connects until `shutdown`, and returns when all answers have been sent.
pub(super) async fn serve_connections(
    mut listener: TcpListener,
    app: Router,
    limits: HttpLimits,
    shutdown: impl Future<Output = ()>,
) {
    let app = app.layer(RequestBodyTimeoutLayer::new(limits.patience));
    let full = Router::new().fallback(too_many_connections);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.patience);
    let mut http_once = http.clone();
    http_once.keep_alive(false);

    let most = limits.connections.min(Semaphore::MAX_PERMITS - TURNED_AWAY);
    let places = Arc::new(Semaphore::new(most + TURNED_AWAY));
    let open = GracefulShutdown::new();
    let accepting = async {
        // Nobody closes it, so this does not end by itself.
        while let Ok(place) = places.clone().acquire_owned().await {
            // Unlike that of the listener itself, this one tries again when the system has run out of files.
            let (stream, _) = Listener::accept(&mut listener).await;
            let is_full = places.available_permits() < TURNED_AWAY;
            let (http, service) = if is_full {
                (&http_once, full.clone())
            } else {
                (&http, app.clone())
            };
            let service = TowerToHyperService::new(service);
            let connection = open.watch(http.serve_connection(TokioIo::new(stream), service));
            tokio::spawn(async move {
                // The client broke it off, or said nothing for too long. Either way it is gone.
                let _ = connection.await;
                drop(place);
            });
        }
    };
    tokio::select! {
        () = shutdown => {},
        () = accepting => {},
    }
    drop(listener);
    open.shutdown().await;
}

async fn too_many_connections() -> (StatusCode, &'static str) {
    (
        StatusCode::SERVICE_UNAVAILABLE,
        "This server has as many connections as it takes. Close one that is not needed, or try again later.",
    )
}
