/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Where things are.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The project's folder and what is found from it.
#[derive(Clone, Debug)]
pub struct Project {
    /// The top of the tree.
    pub root: PathBuf,
    /// Cargo's own folder, with its cache of downloaded crates.
    pub cargo_home: PathBuf,
}

impl Project {
    /// The project that this program was started from.
    pub fn find() -> Result<Self> {
        // `cargo xtask` says where the manifest of xtask is. That place is not compiled in, because
        // two checkouts may share a target folder.
        let start = match env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => env::current_dir()?,
        };
        let root = start
            .ancestors()
            .find(|folder| folder.join("patches/overlay.toml").is_file())
            .context(
                "run this inside the project: there is no patches/overlay.toml in any folder above",
            )?;
        Ok(Self {
            root: root.to_owned(),
            cargo_home: cargo_home()?,
        })
    }

    /// What changes Servo's own text.
    pub fn patches(&self) -> PathBuf {
        self.root.join("patches")
    }

    /// The prepared crates of Servo.
    pub fn overlay(&self) -> PathBuf {
        self.root.join(".overlay")
    }

    /// The engine workspace.
    pub fn ports(&self) -> PathBuf {
        self.root.join("ports")
    }
}

fn cargo_home() -> Result<PathBuf> {
    if let Some(folder) = env::var_os("CARGO_HOME").filter(|folder| !folder.is_empty()) {
        return Ok(PathBuf::from(folder));
    }
    let home = directories::BaseDirs::new().context("there is no home folder; set CARGO_HOME")?;
    Ok(Path::new(home.home_dir()).join(".cargo"))
}
