/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The published crates: found in cargo's own cache, checked, and unpacked into memory.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use super::manifest::{Manifest, Package};
use super::tree::{File, Files};
use crate::toolchain::config;
use crate::util::cargo::cargo;
use crate::util::project::Project;
use crate::util::{self};

/// The files of all packages, by their path in Servo's tree.
pub fn unpack(project: &Project, manifest: &Manifest) -> Result<Files> {
    if manifest
        .packages
        .iter()
        .any(|package| cached(project, manifest, package).is_none())
    {
        fetch(project, manifest)?;
    }
    let mut files = Files::new();
    for package in &manifest.packages {
        let path = cached(project, manifest, package)
            .with_context(|| format!("cargo did not fetch {} {}", package.name, manifest.servo))?;
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let sum = util::hex(&Sha256::digest(&bytes));
        if sum != package.sha256 {
            bail!(
                "{} has the checksum\n  {sum}\nbut patches/overlay.toml wants\n  {}\n\
                 If the file is damaged, remove it and run this again; if the version was changed on \
                 purpose, put the new checksum into patches/overlay.toml",
                path.display(),
                package.sha256
            );
        }
        unpack_one(&bytes, package, &mut files)
            .with_context(|| format!("cannot unpack {}", path.display()))?;
    }
    Ok(files)
}

fn unpack_one(bytes: &[u8], package: &Package, files: &mut Files) -> Result<()> {
    let mut archive = tar::Archive::new(GzDecoder::new(bytes));
    for entry in archive.entries()? {
        let mut entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = entry.path()?.to_string_lossy().into_owned();
        let (_, inner) = name
            .split_once('/')
            .with_context(|| format!("`{name}` lies outside the crate's folder"))?;
        ensure!(
            inner
                .split('/')
                .all(|part| !matches!(part, "" | "." | ".." | ".git")),
            "`{name}` is not a plain path"
        );
        let executable = entry.header().mode()? & 0o111 != 0;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        files.insert(
            format!("{}/{inner}", package.path),
            File { bytes, executable },
        );
    }
    Ok(())
}

/// The `.crate` file in cargo's cache, whichever registry or mirror it came from.
fn cached(project: &Project, manifest: &Manifest, package: &Package) -> Option<PathBuf> {
    let name = format!("{}-{}.crate", package.name, manifest.servo);
    let registries = fs::read_dir(project.cargo_home.join("registry/cache")).ok()?;
    registries
        .filter_map(|entry| Some(entry.ok()?.path().join(&name)))
        .find(|path| path.is_file())
}

/// Lets cargo download the crates, by way of a package that depends on them.
fn fetch(project: &Project, manifest: &Manifest) -> Result<()> {
    util::say(format_args!(
        "Fetching Servo {} and all it depends on (once)",
        manifest.servo
    ));
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("Cargo.toml"), fetch_manifest(manifest))?;
    fs::create_dir(folder.path().join("src"))?;
    fs::write(folder.path().join("src/lib.rs"), "")?;
    // In the versions that the engine is locked to, so that nothing is fetched in vain.
    let lock = project.ports().join("Cargo.lock");
    if lock.is_file() {
        fs::copy(lock, folder.path().join("Cargo.lock"))?;
    }
    cargo(folder.path())
        .args(["fetch", "--target", &config::host()?])
        .env("CARGO_HOME", &project.cargo_home)
        .run()
        .context("cargo could not fetch Servo: is this machine connected to the network?")
}

fn fetch_manifest(manifest: &Manifest) -> String {
    let mut text = "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
                    [workspace]\n\n[dependencies]\n"
        .to_owned();
    for package in &manifest.packages {
        text.push_str(&format!(
            "{} = {{ version = \"={}\", default-features = false }}\n",
            package.name, manifest.servo
        ));
    }
    text
}
