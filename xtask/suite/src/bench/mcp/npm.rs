/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Packages of npm that are run, with all that they depend on: pinned by a lock file, and installed without running
//! anything of theirs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xtask::toolchain::system;
use xtask::util::command::Command;

use crate::cache;

/// Changes whenever the same lock file would give another folder.
const SCHEME: &str = "1";

/// A package of npm and what it is locked to.
pub struct Package {
    pub name: &'static str,
    pub manifest: &'static str,
    pub lock: &'static str,
}

impl Package {
    /// Installs it if it is not there yet, and returns its own folder.
    pub fn install(&self) -> Result<PathBuf> {
        self.install_in(&cache::folder("bench")?)
            .with_context(|| format!("{} cannot be installed", self.name))
    }

    fn install_in(&self, folder: &Path) -> Result<PathBuf> {
        let key = cache::key(&[SCHEME, self.manifest, self.lock]);
        let folder = cache::once(folder, &key, |folder| {
            system::install_programs(&[("npm", "npm")])?;
            fs::write(folder.join("package.json"), self.manifest)?;
            fs::write(folder.join("package-lock.json"), self.lock)?;
            Command::new("npm")
                .args([
                    "ci",
                    "--ignore-scripts",
                    "--no-audit",
                    "--no-fund",
                    "--loglevel=error",
                ])
                .current_dir(folder)
                .output()
                .map(drop)
        })?;
        Ok(folder.join("node_modules").join(self.name))
    }

    /// The version that it is locked to.
    pub fn version(&self) -> Result<String> {
        let manifest: serde_json::Value = serde_json::from_str(self.manifest)?;
        let version = manifest.pointer("/dependencies");
        let version = version.and_then(|all| all.get(self.name)?.as_str());
        Ok(version
            .with_context(|| format!("{} is not in its own package.json", self.name))?
            .to_owned())
    }
}
