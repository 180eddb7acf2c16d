/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask wpt`: running tests in web-platform-tests form.
//!
//! [`manifest`] finds the tests, [`setup`] fetches what serves and judges them, [`server`] serves them, [`browser`] runs
//! one of them in one browser, [`meta`] holds the result against what is listed, and [`report`] tells.

pub mod browser;
pub mod certificate;
pub mod command;
pub mod manifest;
pub mod meta;
pub mod report;
pub mod results;
pub mod server;
pub mod setup;
