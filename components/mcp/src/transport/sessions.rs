/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Sessions over HTTP, of clients with an `initialize` handshake: how many there may be.

use std::cell::Cell;
use std::time::Duration;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};
use thiserror::Error;
use tokio::sync::Mutex;

tokio::task_local! {
    /// Whether the request that is being answered wanted a session and did not get one.
    static TURNED_AWAY: Cell<bool>;
}

/// Answers with 503 those requests that want one session too many. The protocol library would say that the server is
/// broken.
pub(super) async fn turn_away(request: Request, next: Next) -> Response {
    TURNED_AWAY
        .scope(Cell::new(false), async {
            let response = next.run(request).await;
            if TURNED_AWAY.with(Cell::get) {
                let reason = SessionsError::TooMany.to_string();
                return (StatusCode::SERVICE_UNAVAILABLE, reason).into_response();
            }
            response
        })
        .await
}

/// Sessions in memory, up to so many.
pub(super) struct Sessions {
    sessions: LocalSessionManager,
    most: usize,
    /// Held by who counts them to begin another one.
    beginning: Mutex<()>,
}

/// Why something cannot be done with a session.
#[derive(Debug, Error)]
pub(super) enum SessionsError {
    #[error(transparent)]
    Session(#[from] LocalSessionManagerError),
    #[error(
        "This server has as many sessions as it takes. End one that is not needed with a DELETE request, or try again \
         later."
    )]
    TooMany,
}

impl Sessions {
    /// Up to `most` sessions, each of which ends after being `idle` for so long.
    pub(super) fn new(most: usize, idle: Duration) -> Sessions {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(idle);
        Sessions {
            sessions,
            most,
            beginning: Mutex::default(),
        }
    }
}

impl SessionManager for Sessions {
    type Error = SessionsError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionsError> {
        let _beginning = self.beginning.lock().await;
        if self.sessions.sessions.read().await.len() >= self.most {
            // Without the layer that reads it, the protocol library tells what went wrong.
            let _ = TURNED_AWAY.try_with(|turned_away| turned_away.set(true));
            return Err(SessionsError::TooMany);
        }
        Ok(self.sessions.create_session().await?)
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionsError> {
        Ok(self.sessions.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionsError> {
        Ok(self.sessions.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionsError> {
        Ok(self.sessions.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        Ok(self.sessions.create_stream(id, message).await?)
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionsError> {
        Ok(self.sessions.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        Ok(self.sessions.create_standalone_stream(id).await?)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        Ok(self.sessions.resume(id, last_event_id).await?)
    }
}
