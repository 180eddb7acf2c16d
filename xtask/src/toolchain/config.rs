/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `ports/.cargo/config.toml`: what makes a plain `cargo` in `ports/` build the engine as `xtask` does.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::compilers::{self, Compilers};
use super::spidermonkey::Recipe;
use super::system;
use crate::util::command::Command;
use crate::util::project::Project;
use crate::util::{self};

/// Changes whenever the same system would get another configuration.
const SCHEME: &str = "3";
/// The line that holds the key of what the file was made from.
const KEY: &str = "# key: ";
/// Variables that decide which compilers are taken, or what they compile.
const READ: [&str; 9] = [
    "PATH",
    "CC",
    "CXX",
    "CFLAGS",
    "CPPFLAGS",
    "CXXFLAGS",
    "CXXSTDLIB",
    "MOZJS_ARCHIVE",
    "RUSTUP_TOOLCHAIN",
];

/// Sees to it that everything is there that the engine is compiled with, and writes it down.
///
/// Does next to nothing if nothing changed since the last time.
pub fn prepare(project: &Project) -> Result<()> {
    let path = path(project);
    let key = key(project)?;
    if fs::read_to_string(&path).is_ok_and(|text| is_current(&text, &key)) {
        return Ok(());
    }
    system::install_what_is_missing()?;
    let compilers = Compilers::find()?;
    let host = host()?;
    let archive = match env::var_os("MOZJS_ARCHIVE") {
        Some(archive) => PathBuf::from(archive),
        None => Recipe::new(project, &compilers, &host)?.make(project, &compilers)?,
    };
    util::write_if_different(&path, render(&compilers, &host, &archive, &key)?.as_bytes())?;
    Ok(())
}

pub fn path(project: &Project) -> PathBuf {
    project.ports().join(".cargo/config.toml")
}

/// The variables that choose the compilers, for cargo and for what it starts.
pub fn variables(compilers: &Compilers) -> Vec<(&'static str, &Path)> {
    let mut variables: Vec<(&str, &Path)> = vec![
        ("CC", &compilers.cc),
        ("CXX", &compilers.cxx),
        ("AS", &compilers.cc),
    ];
    variables.extend(
        compilers
            .libclang
            .as_deref()
            .map(|folder| ("LIBCLANG_PATH", folder)),
    );
    variables
}

/// The target that is compiled for, which is always this machine.
pub fn host() -> Result<String> {
    let text = String::from_utf8(Command::new("rustc").arg("-vV").output()?)?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line
        .context("rustc does not say what it compiles for")?
        .to_owned())
}

/// A key over all that the configuration is made from and that can be looked at fast.
fn key(project: &Project) -> Result<String> {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(SCHEME.as_bytes());
    for name in READ {
        add(env::var_os(name).unwrap_or_default().as_encoded_bytes());
    }
    // The version of SpiderMonkey is in here.
    let lock = project.ports().join("Cargo.lock");
    add(&fs::read(&lock).with_context(|| format!("cannot read {}", lock.display()))?);
    Ok(util::hex(&hash.finalize()))
}

/// Whether a configuration was made from the same, and all that it names is still there.
fn is_current(text: &str, key: &str) -> bool {
    let has_key = text.lines().any(|line| line.strip_prefix(KEY) == Some(key));
    let Ok(config) = toml::from_str::<toml::Table>(text) else {
        return false;
    };
    let named = config
        .get("env")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flatten();
    has_key
        && named
            .filter_map(|(_, value)| value.as_str())
            .all(|path| path.contains("://") || Path::new(path).exists())
}

fn render(compilers: &Compilers, host: &str, archive: &Path, key: &str) -> Result<String> {
    let text = |path: &Path| {
        path.to_str()
            .map(toml::Value::from)
            .with_context(|| format!("{} is not UTF-8", path.display()))
    };
    let mut env = toml::Table::new();
    for (name, path) in variables(compilers) {
        env.insert(name.to_owned(), text(path)?);
    }
    env.insert("MOZJS_ARCHIVE".to_owned(), text(archive)?);

    let mut target = toml::Table::new();
    let flags = compilers.linker.flags(compilers::glibc());
    if !flags.is_empty() {
        // clang, because the gcc of a system may be too old to know the linker.
        target.insert("linker".to_owned(), text(&compilers.cc)?);
        let flags = flags.iter().map(|flag| format!("-Clink-arg={flag}"));
        target.insert("rustflags".to_owned(), flags.collect::<Vec<_>>().into());
    }

    let mut config = toml::Table::new();
    // Relative to `ports/`: the engine builds into the same folder as the rest.
    config.insert(
        "build".to_owned(),
        toml::Table::from_iter([("target-dir".to_owned(), "../target".into())]).into(),
    );
    config.insert("env".to_owned(), env.into());
    config.insert(
        "target".to_owned(),
        toml::Table::from_iter([(host.to_owned(), target.into())]).into(),
    );
    Ok(format!(
        "# Written by `cargo xtask prepare` for this system. Not for editing, and not for the repository.\n\
         {KEY}{key}\n\n{}",
        toml::to_string(&config)?
    ))
}

#[cfg(test)]
mod tests {
    use super::super::compilers::Linker;
    use super::*;

    fn compilers(linker: Linker) -> Compilers {
        Compilers {
            cc: "/bin/sh".into(),
            cxx: "/bin/sh".into(),
            version_text: "clang version 19.1.7".to_owned(),
            release: 19,
            libclang: None,
            linker,
        }
    }

    #[test]
    fn the_configuration_names_compilers_linker_and_archive() {
        let text = render(&compilers(Linker::Lld), "x-y-z", Path::new("/bin/sh"), "k").unwrap();
        let config: toml::Table = toml::from_str(&text).unwrap();
        assert_eq!(config["env"]["CC"].as_str(), Some("/bin/sh"));
        assert_eq!(
            config["target"]["x-y-z"]["rustflags"][0].as_str(),
            Some("-Clink-arg=-fuse-ld=lld")
        );
        assert!(is_current(&text, "k"));
        assert!(!is_current(&text, "other"));
    }

    #[test]
    fn a_configuration_that_names_what_is_gone_is_made_again() {
        let text = render(
            &compilers(Linker::System),
            "x-y-z",
            Path::new("/no/such/archive"),
            "k",
        )
        .unwrap();
        assert!(!is_current(&text, "k"));
    }
}
