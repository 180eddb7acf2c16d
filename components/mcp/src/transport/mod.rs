/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! How clients reach the server.

mod connections;
mod error;
mod http;
mod sessions;
mod stdio;

pub use error::ServeError;
pub use http::{HttpLimits, HttpOptions, serve_http};
pub use stdio::serve_stdio;
