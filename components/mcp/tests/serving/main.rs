/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The server over a page that the test plays, with real clients of both kinds of revisions.

mod addresses;
mod calls;
mod changes;
mod client;
mod confirmation;
mod fixed_tools;
mod http;
mod listing;
mod page;
mod resources;
mod running;
mod stdio;
mod wire;
