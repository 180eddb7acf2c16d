/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the engine is compiled with: the system's compilers and libraries, the cached SpiderMonkey,
//! and the cargo configuration that makes all of it known to a plain `cargo` in `ports/`.

pub mod compilers;
pub mod config;
pub mod spidermonkey;
pub mod system;
