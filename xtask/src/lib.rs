/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The project's own build tool, run as `cargo xtask COMMAND`.

pub mod commands;
pub mod overlay;
pub mod toolchain;
pub mod util;
