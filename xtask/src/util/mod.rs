/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the commands share.

pub mod cargo;
pub mod command;
pub mod git;
pub mod progress;
pub mod project;

use std::fmt::{Display, Write as _};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// One line to the person at the terminal. Standard output belongs to the programs we start.
pub fn say(line: impl Display) {
    eprintln!("{line}");
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Writes a file if its bytes differ, and says whether they did.
pub fn write_if_different(path: &Path, bytes: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(false);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(true)
}
