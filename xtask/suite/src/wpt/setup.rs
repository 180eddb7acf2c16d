/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What a run needs and this project does not hold: the server and the harness of web-platform-tests, and certificates.
//!
//! All of it is fetched or made once for all checkouts, and kept in the user's folder for caches.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use flate2::read::GzDecoder;
use sha2::{Digest as _, Sha512};
use xtask::toolchain::system;
use xtask::util::command::Command;
use xtask::util::progress::Progress;
use xtask::util::{self};

use super::certificate::Certificates;
use super::server::HOSTS;
use crate::cache;

/// Changes whenever the same pins would give another folder.
const SCHEME: &str = "1";

/// The packages of Python that are installed, with their checksums.
const REQUIREMENTS: &str = include_str!("requirements.txt");

/// A package of npm.
struct Package {
    name: &'static str,
    version: &'static str,
    sha512: &'static str,
}

/// Has testharness.js, idlharness.js, webidl2.js and gc.js.
const HARNESS: Package = Package {
    name: "wpt-runner",
    version: "7.0.0",
    sha512: "84c165f43c2573c733b71866d32d928cb03d2e665d2e4e70e7248ba4314d80f877ef38f3823693bf1b323144a4ad51525bc795737a90872366df02bcdfe56a55",
};

/// Has the interfaces of all specifications.
const INTERFACES: Package = Package {
    name: "@webref/idl",
    version: "3.85.0",
    sha512: "a547e5845312b19faec23c62c85c2fcecd6afd8fb56b8c69b34b6841b1e0c8d5ef13d40c0be069419c61757dd5012f8e174df8f5721eccd1d413457835615f7f",
};

/// Where what was set up is.
#[derive(Clone, Debug)]
pub struct Setup {
    folder: PathBuf,
}

impl Setup {
    /// Sets everything up that is not there yet.
    pub fn prepare() -> Result<Self> {
        let folder = cache::once(&cache::folder("wpt")?, &key(), |folder| {
            let setup = Self {
                folder: folder.to_owned(),
            };
            setup.make()
        })?;
        Ok(Self { folder })
    }

    fn make(&self) -> Result<()> {
        let _progress = Progress::start(
            "Setting up the server and the harness of web-platform-tests",
            "under a minute, once",
        );
        self.install_server()?;
        self.fetch(&HARNESS)?;
        self.fetch(&INTERFACES)?;
        let certificates = self.certificates();
        if let Some(folder) = certificates.host.parent() {
            fs::create_dir_all(folder)?;
        }
        certificates.make(&HOSTS.all_names())
    }

    /// The Python that has the server's packages.
    pub fn python(&self) -> PathBuf {
        self.folder.join("venv/bin/python")
    }

    pub fn certificates(&self) -> Certificates {
        Certificates::in_folder(&self.folder.join("certificates"))
    }

    /// The folder with testharness.js and its kin.
    pub fn harness(&self) -> PathBuf {
        self.folder.join(HARNESS.name).join("testharness")
    }

    /// The folder with scripts that many tests use.
    pub fn common(&self) -> PathBuf {
        self.folder.join(HARNESS.name).join("common")
    }

    /// The folder with the `.idl` files of other specifications.
    pub fn interfaces(&self) -> PathBuf {
        self.folder.join(INTERFACES.name)
    }

    fn install_server(&self) -> Result<()> {
        system::install_programs(&[("python3", "python3")])?;
        let venv = self.folder.join("venv");
        let make = || {
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(&venv)
                .output()
        };
        if make().is_err() {
            // Debian keeps that module in a package of its own.
            system::install_packages(&["python3-venv"])?;
            make().context("Python cannot make an environment of its own")?;
        }
        let requirements = self.folder.join("requirements.txt");
        fs::write(&requirements, REQUIREMENTS)?;
        Command::new(self.python())
            .args([
                "-m",
                "pip",
                "--quiet",
                "--disable-pip-version-check",
                "install",
                "--require-hashes",
                "--requirement",
            ])
            .arg(&requirements)
            .output()
            .map(drop)
            .context("the server of web-platform-tests cannot be installed")
    }

    fn fetch(&self, package: &Package) -> Result<()> {
        system::install_programs(&[("npm", "npm")])?;
        let folder = tempfile::tempdir_in(&self.folder)?;
        let wanted = format!("{}@{}", package.name, package.version);
        Command::new("npm")
            .args(["pack", "--silent", wanted.as_str()])
            .current_dir(folder.path())
            .output()
            .with_context(|| format!("npm cannot fetch {wanted}"))?;
        let mut entries = fs::read_dir(folder.path())?;
        let archive = match entries.next() {
            Some(entry) => fs::read(entry?.path())?,
            None => bail!("npm has fetched {wanted}, but left no file"),
        };
        unpack(package, &archive, &self.folder.join(package.name))
    }
}

/// Unpacks an archive if it is the one that is meant.
fn unpack(package: &Package, archive: &[u8], target: &Path) -> Result<()> {
    let sum = util::hex(&Sha512::digest(archive));
    ensure!(
        sum == package.sha512,
        "{} {} has the checksum {sum}, not {}",
        package.name,
        package.version,
        package.sha512
    );
    let mut archive = tar::Archive::new(GzDecoder::new(archive));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        // All is in a folder named "package".
        let inner: PathBuf = path.components().skip(1).collect();
        let is_inside = inner
            .components()
            .all(|component| matches!(component, Component::Normal(_)));
        if !is_inside || !entry.header().entry_type().is_file() {
            continue;
        }
        let to = target.join(inner);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        entry
            .unpack(&to)
            .with_context(|| format!("cannot write {}", to.display()))?;
    }
    Ok(())
}

/// A name for all that is pinned.
fn key() -> String {
    let names = HOSTS.all_names().join(" ");
    cache::key(&[
        SCHEME,
        REQUIREMENTS,
        HARNESS.sha512,
        INTERFACES.sha512,
        &names,
    ])
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn archive(files: &[(&str, &str)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            builder
                .append_data(&mut header, path, text.as_bytes())
                .unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn an_archive_is_unpacked_without_its_top_folder() {
        let folder = tempfile::tempdir().unwrap();
        let archive = archive(&[("package/a/b.js", "text")]);
        let sum = util::hex(&Sha512::digest(&archive));
        let package = Package {
            name: "p",
            version: "1",
            sha512: Box::leak(sum.into_boxed_str()),
        };
        unpack(&package, &archive, folder.path()).unwrap();
        assert_eq!(
            fs::read_to_string(folder.path().join("a/b.js")).unwrap(),
            "text"
        );
    }

    #[test]
    fn another_archive_than_the_pinned_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = unpack(&HARNESS, &archive(&[("package/a", "x")]), folder.path()).unwrap_err();
        assert!(error.to_string().contains("checksum"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
