/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! One client, over a pair of byte streams.

use std::future::Future;

use rmcp::service::{QuitReason, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::ServeError;
use crate::{Page, Server};

/// Serves the client that writes to `input` and reads from `output`, one message a line.
///
/// Returns when the input ends. Calls that run then are cancelled.
///
/// # Errors
///
/// Fails if the client does not begin as the protocol wants, or a stream fails.
pub async fn serve_stdio<P, R, W>(server: Server<P>, input: R, output: W) -> Result<(), ServeError>
where
    P: Page,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let closing = CancellationToken::new();
    let transport = ClosingTransport {
        streams: AsyncRwTransport::new_server(input, output),
        closing: closing.clone(),
    };
    let running = match server.connection(closing).serve(transport).await {
        Ok(running) => running,
        // It left before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::Protocol(error.to_string())),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => {
            Err(ServeError::Io(std::io::Error::other(error)))
        }
        Ok(_) => Ok(()),
    }
}

/// Says at once when the input has ended. Otherwise calls would go on for as long as the protocol library waits for their
/// results, which nobody will read.
struct ClosingTransport<R: AsyncRead, W: AsyncWrite> {
    streams: AsyncRwTransport<RoleServer, R, W>,
    closing: CancellationToken,
}

impl<R, W> Transport<RoleServer> for ClosingTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.streams.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.streams.receive().await;
        if message.is_none() {
            self.closing.cancel();
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.closing.cancel();
        self.streams.close().await
    }
}
