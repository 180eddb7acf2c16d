/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! How clients reach the server.

mod error;
mod http;
mod stdio;

pub use error::ServeError;
pub use http::{HttpOptions, serve_http};
pub use stdio::serve_stdio;
