/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! SpiderMonkey, compiled once for all checkouts and profiles of a user.
//!
//! The crate `mozjs_sys` can pack the libraries that it compiled into an archive, and use such an
//! archive instead of compiling. The archive is made in a workspace of its own inside the user's
//! cache folder, and kept there under a key of all that decides what is in it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use directories::ProjectDirs;
use fs4::fs_std::FileExt as _;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::compilers::Compilers;
use crate::util::cargo::cargo;
use crate::util::progress::{Progress, duration};
use crate::util::project::Project;
use crate::util::{self};

/// How long it takes to compile.
pub const USUAL_TIME: &str = "about 16 minutes on 2 cores";

/// What Servo enables of `mozjs_sys` when it is built with the features that our browser asks for.
const FEATURES: [&str; 3] = ["intl", "jit", "libz-sys"];
/// Flags from the environment that reach the C++ compiler.
const FLAGS: [&str; 4] = ["CFLAGS", "CPPFLAGS", "CXXFLAGS", "CXXSTDLIB"];

/// What SpiderMonkey's own build is told. Left alone it takes `-O3` and makes debug information: minutes longer, for a
/// program that is no faster in our benches and not debugged there.
const SETTINGS: [(&str, &str); 2] = [("MOZ_OPTIMIZE_FLAGS", "-O2"), ("MOZ_DEBUG_FLAGS", "-g0")];

/// All that decides what is in the archive. Flags of rustc are not among it.
#[derive(Debug)]
pub struct Recipe {
    /// Version of the crate `mozjs_sys`.
    pub version: String,
    pub target: String,
    pub compiler: String,
    pub flags: Vec<(String, OsString)>,
}

impl Recipe {
    pub fn new(project: &Project, compilers: &Compilers, target: &str) -> Result<Self> {
        let flags = FLAGS
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), env::var_os(name)?)))
            .collect();
        Ok(Self {
            version: locked_version(project)?,
            target: target.to_owned(),
            compiler: compilers.version_text.clone(),
            flags,
        })
    }

    /// The name of the folder for the archive: readable, and different for different contents.
    pub fn key(&self) -> String {
        let mut hash = Sha256::new();
        let settings = SETTINGS
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let flags = self
            .flags
            .iter()
            .map(|(name, value)| format!("{name}={}", value.to_string_lossy()));
        for part in [self.compiler.clone(), FEATURES.join(",")]
            .into_iter()
            .chain(settings)
            .chain(flags)
        {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let hash = util::hex(&hash.finalize());
        format!("{}-{}-{}", self.version, self.target, &hash[..12])
    }

    fn archive_name(&self) -> String {
        format!("libmozjs-{}.tar.gz", self.target)
    }

    /// Where the archive is, or will be.
    pub fn archive(&self) -> Result<PathBuf> {
        Ok(cache_folder()?.join(self.key()).join(self.archive_name()))
    }

    /// Returns the archive, having made it if it is not there yet.
    pub fn make(&self, project: &Project, compilers: &Compilers) -> Result<PathBuf> {
        let archive = self.archive()?;
        if archive.is_file() {
            return Ok(archive);
        }
        let folder = archive.parent().context("the archive lies in a folder")?;
        fs::create_dir_all(folder)?;
        // Two checkouts that want the same archive make it once.
        let lock = fs::File::create(folder.join("lock"))?;
        if !lock.try_lock_exclusive()? {
            let _progress = Progress::start(
                "Waiting for another checkout that compiles SpiderMonkey",
                "up to 20 minutes",
            );
            lock.lock_exclusive()?;
        }
        if !archive.is_file() {
            self.compile(project, compilers, folder, &archive)?;
        }
        Ok(archive)
    }

    fn compile(
        &self,
        project: &Project,
        compilers: &Compilers,
        folder: &Path,
        archive: &Path,
    ) -> Result<()> {
        let workspace = folder.join("build");
        let target = workspace.join("target");
        write_workspace(&workspace, &self.version, project)?;
        let log = folder.join("build.log");
        let started = Instant::now();
        let status = {
            let _progress =
                Progress::start("Compiling SpiderMonkey, once for all checkouts", USUAL_TIME);
            let file = fs::File::create(&log)?;
            // Release, so that the glue between C++ and Rust is optimised; SpiderMonkey itself always is.
            let command = cargo(&workspace)
                .args([
                    "check",
                    "--release",
                    "--package",
                    "mozjs_sys",
                    "--target-dir",
                ])
                .arg(&target);
            let command = command
                .env("MOZJS_CREATE_ARCHIVE", "1")
                .env_remove("MOZJS_ARCHIVE")
                .env_remove("RUSTFLAGS");
            let command = super::config::variables(compilers)
                .into_iter()
                .fold(command, |command, (name, value)| command.env(name, value));
            let command = SETTINGS
                .into_iter()
                .fold(command, |command, (name, value)| command.env(name, value));
            command
                .stdout(Stdio::from(file.try_clone()?))
                .stderr(Stdio::from(file))
                .status()?
        };
        let made = target.join(self.archive_name());
        if !status.success() || !made.is_file() {
            let text = fs::read(&log).unwrap_or_default();
            fs::remove_dir_all(&workspace)?;
            bail!(
                "SpiderMonkey could not be compiled; it failed after {}:\n{}\n\
                 All that was printed is in {}. `cargo xtask doctor` tells whether something is missing \
                 on this system",
                duration(started.elapsed()),
                excerpt(&String::from_utf8_lossy(&text)),
                log.display()
            );
        }
        fs::rename(&made, archive)?;
        fs::remove_dir_all(&workspace)?;
        fs::remove_file(&log)?;
        util::say(format_args!(
            "Compiled SpiderMonkey in {} into {}",
            duration(started.elapsed()),
            archive.display()
        ));
        Ok(())
    }
}

/// The folder for the archives of all versions.
pub fn cache_folder() -> Result<PathBuf> {
    let folders = ProjectDirs::from("", "", "servo-webmcp")
        .context("there is no home folder to keep SpiderMonkey in")?;
    Ok(folders.cache_dir().join("mozjs"))
}

/// A package that depends on nothing but `mozjs_sys`, in the versions that the engine uses.
fn write_workspace(folder: &Path, version: &str, project: &Project) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/lib.rs"), "")?;
    let manifest = format!(
        "[package]\nname = \"spidermonkey\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nmozjs_sys = {{ version = \"={version}\", default-features = false, features = {FEATURES:?} }}\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(lock_file(project), folder.join("Cargo.lock"))?;
    Ok(())
}

fn lock_file(project: &Project) -> PathBuf {
    project.ports().join("Cargo.lock")
}

#[derive(Deserialize)]
struct LockFile {
    package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
}

/// The version of `mozjs_sys` that the engine workspace is locked to.
fn locked_version(project: &Project) -> Result<String> {
    let path = lock_file(project);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let lock: LockFile =
        toml::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
    let package = lock
        .package
        .into_iter()
        .find(|package| package.name == "mozjs_sys");
    Ok(package
        .with_context(|| format!("{} has no mozjs_sys", path.display()))?
        .version)
}

/// The lines of a log that tell what went wrong: those that say so, or else the last ones. Some lines
/// are whole command lines of the compiler, so they are cut.
fn excerpt(log: &str) -> String {
    const LINES: usize = 12;
    const WIDTH: usize = 240;
    let is_error = |line: &&str| ["error:", "ERROR:"].iter().any(|word| line.contains(word));
    let mut lines = log.lines().filter(is_error).take(LINES).collect::<Vec<_>>();
    if lines.is_empty() {
        lines = log.lines().rev().take(LINES).collect();
        lines.reverse();
    }
    let cut = |line: &str| line.trim().chars().take(WIDTH).collect::<String>();
    lines
        .into_iter()
        .map(|line| format!("  {}", cut(line)))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe() -> Recipe {
        Recipe {
            version: "1.2.3-1".to_owned(),
            target: "x86_64-unknown-linux-gnu".to_owned(),
            compiler: "clang version 19.1.7".to_owned(),
            flags: Vec::new(),
        }
    }

    #[test]
    fn the_key_names_version_and_target_and_stays_the_same() {
        assert!(
            recipe()
                .key()
                .starts_with("1.2.3-1-x86_64-unknown-linux-gnu-")
        );
        assert_eq!(recipe().key(), recipe().key());
    }

    #[test]
    fn the_key_depends_on_compiler_and_flags() {
        let other_compiler = Recipe {
            compiler: "clang version 19.1.8".to_owned(),
            ..recipe()
        };
        let with_flags = Recipe {
            flags: vec![("CXXFLAGS".to_owned(), "-g".into())],
            ..recipe()
        };
        let keys = [recipe().key(), other_compiler.key(), with_flags.key()];
        assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2]);
    }

    #[test]
    fn an_excerpt_holds_the_errors_or_else_the_end() {
        let log = "start\n  clang -x\n/a.cpp:1: error: no such thing\nmake: leaving\n";
        assert_eq!(excerpt(log), "  /a.cpp:1: error: no such thing");
        let log = (0..100)
            .map(|number| format!("{number}\n"))
            .collect::<String>();
        assert!(excerpt(&log).starts_with("  88\n") && excerpt(&log).ends_with("  99"));
        assert!(excerpt(&"x".repeat(10_000)).len() < 300);
    }
}
