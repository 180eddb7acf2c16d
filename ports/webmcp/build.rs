/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Has the linker leave out the symbols of a release.
//!
//! `strip` in the profile says so, but cargo does not pass that on to a package whose optimisation is set apart.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |variable, value: &str| env::var_os(variable).is_some_and(|is| is == value);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
    }
}
