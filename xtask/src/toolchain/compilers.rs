/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The C and C++ compiler, the linker and libclang.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::util::command::Command;

/// Older ones do not compile this SpiderMonkey.
pub const OLDEST_CLANG: u32 = 17;
/// The releases that are looked for, the best tried first.
pub const CLANG_RELEASES: [u32; 6] = [19, 20, 21, 22, 18, OLDEST_CLANG];

/// A clang that is new enough, and what belongs to it.
#[derive(Clone, Debug)]
pub struct Compilers {
    pub cc: PathBuf,
    pub cxx: PathBuf,
    /// What `clang --version` says, on one line for each part.
    pub version_text: String,
    pub release: u32,
    /// The folder of the libclang of the same release, for bindgen.
    pub libclang: Option<PathBuf>,
    pub linker: Linker,
}

/// What links the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linker {
    /// LLVM's, of the compiler's release where that is installed.
    Lld,
    /// Whatever the compiler calls.
    System,
}

impl Linker {
    /// What the compiler is told, on a system with that C library.
    pub fn flags(self, glibc: Option<(u32, u32)>) -> Vec<&'static str> {
        match self {
            Self::Lld => {
                let mut flags = vec!["-fuse-ld=lld"];
                // A twentieth of the browser is addresses to be adjusted when it starts. glibc reads them packed since
                // 2.36, and says what is wrong where an older one is to run the file.
                if glibc.is_some_and(|version| version >= (2, 36)) {
                    flags.push("-Wl,-z,pack-relative-relocs");
                }
                flags
            }
            Self::System => Vec::new(),
        }
    }
}

/// The name of the program of LLVM's linker.
pub fn lld(release: u32) -> String {
    format!("ld.lld-{release}")
}

/// The version of the system's C library, if that is glibc.
pub fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    parse_glibc(&String::from_utf8(output.ok()?).ok()?)
}

fn parse_glibc(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    // Some have a third part, or a note of their own.
    let digits = minor.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, digits.parse().ok()?))
}

impl Compilers {
    /// Those that `CC` and `CXX` name, or else the best clang on this system.
    pub fn find() -> Result<Self> {
        if let (Some(cc), Some(cxx)) = (env::var_os("CC"), env::var_os("CXX")) {
            let named = |name| {
                which::which(&name).with_context(|| {
                    format!(
                        "CC or CXX names {}, which is not there",
                        Path::new(&name).display()
                    )
                })
            };
            return Self::new(named(cc)?, named(cxx)?);
        }
        let names = CLANG_RELEASES.map(|release| format!("-{release}"));
        for suffix in names.iter().map(String::as_str).chain([""]) {
            let (Ok(cc), Ok(cxx)) = (
                which::which(format!("clang{suffix}")),
                which::which(format!("clang++{suffix}")),
            ) else {
                continue;
            };
            if let Ok(compilers) = Self::new(cc, cxx) {
                return Ok(compilers);
            }
        }
        bail!("there is no clang of release {OLDEST_CLANG} or later (with clang++)")
    }

    fn new(cc: PathBuf, cxx: PathBuf) -> Result<Self> {
        let version_text = String::from_utf8_lossy(&Command::new(&cc).arg("--version").output()?)
            .trim()
            .to_owned();
        let release =
            release(&version_text).with_context(|| format!("{} is no clang", cc.display()))?;
        if release < OLDEST_CLANG {
            bail!(
                "{} is clang {release}, but SpiderMonkey needs {OLDEST_CLANG} or later",
                cc.display()
            );
        }
        Ok(Self {
            libclang: libclang(&cc, release),
            linker: linker(release),
            cc,
            cxx,
            version_text,
            release,
        })
    }
}

/// `… clang version 19.1.7 …` is release 19.
fn release(version_text: &str) -> Option<u32> {
    let (_, rest) = version_text.split_once("clang version ")?;
    rest.split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

fn libclang(cc: &Path, release: u32) -> Option<PathBuf> {
    // `/usr/lib/llvm-19/bin/clang` has its libraries in `/usr/lib/llvm-19/lib`.
    let beside = cc
        .canonicalize()
        .ok()
        .and_then(|cc| Some(cc.parent()?.parent()?.join("lib")));
    let usual = PathBuf::from(format!("/usr/lib/llvm-{release}/lib"));
    let has_it = |folder: &PathBuf| {
        ["libclang.so", "libclang.dylib"]
            .iter()
            .any(|name| folder.join(name).exists())
    };
    beside.into_iter().chain([usual]).find(has_it)
}

fn linker(release: u32) -> Linker {
    if cfg!(not(target_os = "linux")) {
        return Linker::System;
    }
    if which::which(lld(release)).is_ok() || which::which("ld.lld").is_ok() {
        Linker::Lld
    } else {
        Linker::System
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_read_from_what_clang_says() {
        assert_eq!(
            release("Debian clang version 19.1.7 (3~deb12u1)\nTarget: x"),
            Some(19)
        );
        assert_eq!(release("Ubuntu clang version 18.1.3 (1ubuntu1)"), Some(18));
        assert_eq!(release("Apple clang version 17.0.0 (clang-1700)"), Some(17));
        assert_eq!(release("gcc (Debian 12.2.0) 12.2.0"), None);
    }

    #[test]
    fn addresses_are_packed_where_glibc_reads_them() {
        assert_eq!(parse_glibc("glibc 2.36\n"), Some((2, 36)));
        assert_eq!(parse_glibc("glibc 2.39.9000\n"), Some((2, 39)));
        assert_eq!(parse_glibc("musl 1.2"), None);
        let packs = |glibc| Linker::Lld.flags(glibc).len() == 2;
        assert!(packs(Some((2, 36))) && packs(Some((3, 0))));
        assert!(!packs(Some((2, 35))) && !packs(None));
        assert!(Linker::System.flags(Some((2, 36))).is_empty());
    }
}
