/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask prepare --out`: the prepared crates for other projects that embed Servo.
//!
//! The folder is laid out as this project is, with `servo/` in the place of `.overlay/`, so that the paths between
//! Servo's crates and ours are the same:
//!
//! * `servo/`: the crates of Servo with our patches, and with copies of our files where `.overlay/` has links;
//! * the crates of ours that those depend on, in their places, and a `Cargo.toml` that holds what they take from our
//!   workspace;
//! * `patch.toml` and `README.md` for the embedder, and the licence;
//! * a list of all that was written, so that another run knows what it may replace and remove.

mod texts;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{self, Component, Path};

use anyhow::{Context, Result, bail, ensure};

use super::{remove_file, write_file};
use crate::overlay::crates;
use crate::overlay::links;
use crate::overlay::manifest::Manifest;
use crate::overlay::repository::Repository;
use crate::overlay::series::Series;
use crate::overlay::tree::{File, Files, History};
use crate::util;
use crate::util::project::Project;

/// Lists what was written, and shows that the folder is ours.
const LIST: &str = ".servo-webmcp";
/// The lines for the embedder's workspace.
const PATCH: &str = "patch.toml";
/// Where the crates of Servo are.
const SERVO: &str = "servo";

/// What was done.
#[derive(Debug)]
pub struct Written {
    /// The text of `patch.toml`.
    pub patch: String,
    /// How many files were not there yet, or had other bytes.
    pub written: usize,
    /// How many files of an earlier run were not wanted any more.
    pub removed: usize,
}

/// Brings `folder` up to date, which has to be empty, not there, or made by this before.
pub fn write(project: &Project, folder: &Path) -> Result<Written> {
    let manifest = Manifest::load(project)?;
    let folder =
        path::absolute(folder).with_context(|| format!("cannot use {}", folder.display()))?;
    refuse_sources(project, &manifest, &folder)?;
    let before = earlier(&folder)?;

    // Work out everything before the first file is written, so that a refusal changes nothing.
    let mut files = crates_of_servo(project, &manifest)?;
    files.extend(crates_of_ours(project, &manifest)?);
    let licence = project.root.join("LICENSE");
    files.insert("LICENSE".to_owned(), plain(read(&licence)?));
    files.insert(
        "README.md".to_owned(),
        plain(texts::readme(&manifest).into()),
    );
    let mut wanted: BTreeSet<String> = files.keys().cloned().collect();
    wanted.insert(PATCH.to_owned());
    refuse_files_of_others(&folder, &wanted, &before)?;

    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let patch = texts::patch(&manifest, &folder.canonicalize()?)?;
    files.insert(PATCH.to_owned(), plain(patch.clone().into()));
    // If this is cut short, the next run has to know what there may be.
    let list = folder.join(LIST);
    util::write_if_different(&list, render(before.union(&wanted)).as_bytes())?;
    let mut written = 0;
    for (path, file) in &files {
        written += usize::from(write_file(&folder.join(path), file, None)?);
    }
    let stale: Vec<&String> = before.difference(&wanted).collect();
    for path in &stale {
        remove(&folder, path)?;
    }
    util::write_if_different(&list, render(wanted.iter()).as_bytes())?;
    Ok(Written {
        patch,
        written,
        removed: stale.len(),
    })
}

/// Fails if the folder is one of those that are read, or lies in one.
fn refuse_sources(project: &Project, manifest: &Manifest, folder: &Path) -> Result<()> {
    let ours = own_crates(manifest)?;
    let sources = manifest
        .packages
        .iter()
        .map(|package| project.root.join(&package.path))
        .chain(ours.iter().map(|path| project.root.join(path)))
        .chain([project.overlay()]);
    for source in sources {
        ensure!(
            !folder.starts_with(&source),
            "{} lies in {}, which is what the crates are made from: name another folder",
            folder.display(),
            source.display()
        );
    }
    Ok(())
}

/// What an earlier run wrote to the folder. Fails if the folder is somebody else's.
fn earlier(folder: &Path) -> Result<BTreeSet<String>> {
    let text = match fs::read_to_string(folder.join(LIST)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let is_empty = match fs::read_dir(folder) {
                Ok(mut entries) => entries.next().is_none(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => true,
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot use {}", folder.display()));
                }
            };
            ensure!(
                is_empty,
                "{} is neither empty nor made by `cargo xtask prepare --out`: name another folder, or empty it. \
                 Nothing was written",
                folder.display()
            );
            return Ok(BTreeSet::new());
        }
        Err(error) => {
            return Err(error).with_context(|| format!("cannot use {}", folder.display()));
        }
    };
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let paths: BTreeSet<String> = lines.map(str::to_owned).collect();
    for path in &paths {
        let is_plain = Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        ensure!(
            is_plain && !path.is_empty(),
            "{} is damaged: `{path}` is no path in the folder. Name another folder",
            folder.join(LIST).display()
        );
    }
    Ok(paths)
}

/// Fails if a file would be replaced that is not ours.
fn refuse_files_of_others(
    folder: &Path,
    wanted: &BTreeSet<String>,
    before: &BTreeSet<String>,
) -> Result<()> {
    let others: Vec<&str> = wanted
        .difference(before)
        .filter(|path| fs::symlink_metadata(folder.join(path)).is_ok())
        .map(String::as_str)
        .collect();
    if !others.is_empty() {
        bail!(
            "these files in {} are wanted and were not written by this command: move them away. \
             Nothing was written\n  {}",
            folder.display(),
            others.join("\n  ")
        );
    }
    Ok(())
}

/// Servo's crates with our patches and files, by their path in the folder.
fn crates_of_servo(project: &Project, manifest: &Manifest) -> Result<Files> {
    let series = Series::load(project)?;
    let repository = Repository::open(&project.overlay());
    let pristine = crates::unpack(project, manifest)?;
    let history = History::new(manifest, pristine, &series.patches, repository.as_ref())?;
    for (patch, path) in &history.carried_over {
        util::say(format_args!(
            "patches/{patch}.patch was made for another text of {path} and was carried over to this one"
        ));
    }
    let edits = repository
        .map(|repository| repository.edits())
        .transpose()?;
    if edits.is_some_and(|edits| !edits.is_empty()) {
        util::say(
            "warning: .overlay/ has edits that are in no patch, and they are not written: \
             `cargo xtask export` makes patches of them",
        );
    }
    let ours = links::overlay_files(project, manifest)?;
    links::refuse_shadowing(&ours, |path| history.file(path).is_some())?;

    let mut files = Files::new();
    for path in history.paths() {
        let file = history
            .file(path)
            .with_context(|| format!("{path} is missing"))?;
        files.insert(format!("{SERVO}/{path}"), file.clone());
    }
    for path in ours.keys() {
        let bytes = read(&project.root.join(path))?;
        files.insert(format!("{SERVO}/{path}"), plain(bytes));
    }
    Ok(files)
}

/// The crates of ours that Servo's depend on, and the workspace that they inherit from.
fn crates_of_ours(project: &Project, manifest: &Manifest) -> Result<Files> {
    let crates = own_crates(manifest)?;
    let mut files = Files::new();
    for path in &crates {
        let folder = project.root.join(path);
        ensure!(
            folder.join("Cargo.toml").is_file(),
            "patches/overlay.toml depends on {path}, which is no crate"
        );
        for inner in links::files_in(&folder)? {
            let place = folder.join(&inner);
            let mut bytes = read(&place)?;
            if inner == "Cargo.toml" {
                let text = String::from_utf8(bytes)?;
                bytes = texts::member(&text, path)
                    .with_context(|| format!("{} is not right", place.display()))?
                    .into_bytes();
            }
            files.insert(format!("{path}/{inner}"), plain(bytes));
        }
    }
    if !crates.is_empty() {
        let own = project.root.join("Cargo.toml");
        let text = String::from_utf8(read(&own)?)?;
        let text = texts::workspace(&text, &crates)
            .with_context(|| format!("{} is not right", own.display()))?;
        files.insert("Cargo.toml".to_owned(), plain(text.into()));
    }
    Ok(files)
}

/// The places of our crates in this project.
fn own_crates(manifest: &Manifest) -> Result<BTreeSet<String>> {
    let mut crates = BTreeSet::new();
    for package in &manifest.packages {
        for (name, dependency) in &package.dependencies {
            let path = dependency.get("path").and_then(toml::Value::as_str);
            let Some(path) = path else { continue };
            let is_plain = path
                .split('/')
                .all(|part| !matches!(part, "" | "." | "..") && !part.contains('\\'));
            ensure!(
                is_plain,
                "the path of `{name}` in patches/overlay.toml has to be a plain relative path, not `{path}`"
            );
            crates.insert(path.to_owned());
        }
    }
    Ok(crates)
}

/// The text of the list of files.
fn render<'a>(paths: impl Iterator<Item = &'a String>) -> String {
    let head = "# What `cargo xtask prepare --out` of Servo WebMCP wrote here, and may replace and remove.\n";
    paths.fold(head.to_owned(), |text, path| text + path + "\n")
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn plain(bytes: Vec<u8>) -> File {
    File {
        bytes,
        executable: false,
    }
}

/// Removes a file and the folders that are empty without it.
fn remove(folder: &Path, path: &str) -> Result<()> {
    let place = folder.join(path);
    remove_file(&place)?;
    let folders = place
        .ancestors()
        .skip(1)
        .take_while(|parent| *parent != folder);
    for parent in folders {
        if fs::remove_dir(parent).is_err() {
            break;
        }
    }
    Ok(())
}
