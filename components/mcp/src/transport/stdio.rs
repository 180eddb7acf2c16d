/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! One client, over a pair of byte streams.

use std::future::Future;
use std::time::Duration;

use rmcp::service::{QuitReason, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::ServeError;
use crate::text::shorten;
use crate::{Page, Server};

/// How long the last answers may take to be sent when the client has left. One that does not read them is not waited
/// for.
const GRACE: Duration = Duration::from_secs(2);

/// How many bytes are told of why a client does not begin as it should, which can hold all that it has sent.
const MESSAGE: usize = 1024;

/// Serves the client that writes to `input` and reads from `output`, one message a line.
///
/// Returns when the input ends, or when nothing can be written to the output any more. Calls that run then are
/// cancelled.
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
    let running = match server.connection(closing.clone()).serve(transport).await {
        Ok(running) => running,
        // It left before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(ServeError::Protocol(shorten(&error.to_string(), MESSAGE)));
        }
    };
    let ended = tokio::select! {
        ended = running.waiting() => ended,
        () = async {
            closing.cancelled().await;
            tokio::time::sleep(GRACE).await;
        } => return Ok(()),
    };
    match ended {
        Ok(QuitReason::JoinError(error)) | Err(error) => {
            Err(ServeError::Io(std::io::Error::other(error)))
        }
        Ok(_) => Ok(()),
    }
}

/// Says at once when the input has ended or the output has failed, and takes no more messages then. Otherwise calls
/// would go on for as long as the protocol library waits for their results, which nobody will read, and new ones would
/// begin.
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
        let (sending, closing) = (self.streams.send(message), self.closing.clone());
        async move {
            let sent = sending.await;
            if sent.is_err() {
                closing.cancel();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = tokio::select! {
            message = self.streams.receive() => message,
            () = self.closing.cancelled() => None,
        };
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
