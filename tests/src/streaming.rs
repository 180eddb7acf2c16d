/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! A server that sends a body bit by bit, when the test says so. The answers of a [`Site`](crate::Site) come whole.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Mutex, PoisonError};
use std::thread;

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};

/// A text that is sent bit by bit to the first that asks for it. Others get a 410. Dropping it ends the text.
pub struct StreamedText {
    address: SocketAddr,
    bits: UnboundedSender<Result<String, Infallible>>,
}

impl StreamedText {
    /// Offer the text on this machine.
    pub fn offer() -> StreamedText {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("A free port");
        listener
            .set_nonblocking(true)
            .expect("The listener is an ordinary one");
        let address = listener.local_addr().expect("The listener is bound");
        let (bits, receiver) = unbounded();
        thread::spawn(move || serve(listener, receiver));
        StreamedText { address, bits }
    }

    /// The origin of the server.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address of the text.
    pub fn url(&self) -> String {
        format!("{}/text", self.origin())
    }

    /// Send the next bit. One that nobody listens to any more is lost.
    pub fn send(&self, bit: &str) {
        // The only error is that the other end has gone.
        let _ = self.bits.unbounded_send(Ok(bit.to_owned()));
    }
}

/// Serve until the process ends.
fn serve(listener: TcpListener, bits: UnboundedReceiver<Result<String, Infallible>>) {
    let bits: &'static Mutex<_> = Box::leak(Box::new(Mutex::new(Some(bits))));
    let text = async move || -> Response {
        let bits = bits.lock().unwrap_or_else(PoisonError::into_inner).take();
        match bits {
            Some(bits) => Body::from_stream(bits).into_response(),
            None => StatusCode::GONE.into_response(),
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("A runtime of one thread");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).expect("It does not block");
        axum::serve(listener, Router::new().route("/text", get(text)))
            .await
            .expect("Serving does not end");
    });
}
