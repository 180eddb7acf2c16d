/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Why serving ended.

use std::io;

use thiserror::Error;

/// Why the server could not start, or had to stop.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The connection to the one client, or the socket for all of them, failed.
    #[error("the connection failed: {0}")]
    Io(#[from] io::Error),
    /// The client did not begin as the protocol wants.
    #[error("the client does not speak MCP as it should: {0}")]
    Protocol(String),
    /// The token that clients have to send is one that every client could guess.
    #[error("the token is empty; give one that others cannot guess, or none at all")]
    EmptyToken,
}
