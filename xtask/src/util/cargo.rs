/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Cargo, started as somebody would start it by hand.

use std::env;
use std::path::Path;

use super::command::Command;

/// Cargo in a folder, without what `cargo xtask` itself added to the environment: build scripts see
/// it, and would run again when cargo is next started by hand.
pub fn cargo(folder: &Path) -> Command {
    let added = |name: &str| {
        name == "CARGO"
            || name.starts_with("CARGO_PKG_")
            || matches!(
                name,
                "CARGO_MANIFEST_DIR"
                    | "CARGO_MANIFEST_PATH"
                    | "CARGO_BIN_NAME"
                    | "CARGO_CRATE_NAME"
            )
    };
    let names = env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| added(name));
    names.fold(
        Command::new("cargo").current_dir(folder),
        |command, name| command.env_remove(&name),
    )
}
