/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Our own files, laid over the prepared crates as symbolic links.
//!
//! Files are linked one by one and not copied, so that an edit reaches the next build and an editor
//! shows the file where it belongs. They are kept out of the repository's sight through
//! `.git/info/exclude`, which at the same time remembers which links are ours.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use walkdir::WalkDir;

use super::manifest::Manifest;
use super::repository::Repository;
use crate::util::project::Project;

/// Brings the links up to date and returns how many there are.
///
/// `is_servo_file` says whether Servo has a file of its own at a path.
pub fn update(
    project: &Project,
    manifest: &Manifest,
    repository: &Repository,
    is_servo_file: impl Fn(&str) -> bool,
) -> Result<usize> {
    let ours = overlay_files(project, manifest)?;
    refuse_shadowing(&ours, is_servo_file)?;
    let exclude = repository.note("info/exclude");
    let before = match fs::read_to_string(&exclude) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error.into()),
    };
    let known = before
        .lines()
        .filter_map(|line| line.strip_prefix('/'))
        .collect::<BTreeSet<_>>();
    for path in known.iter().filter(|path| !ours.contains_key(**path)) {
        remove_link(&repository.root, path)?;
    }
    let mut text = "# Links to our own files, kept by `cargo xtask prepare`.\n".to_owned();
    for (path, target) in &ours {
        make_link(&repository.root.join(path), target)?;
        text.push_str(&format!("/{path}\n"));
    }
    if text != before {
        fs::write(&exclude, text)?;
    }
    Ok(ours.len())
}

/// Fails if one of our files stands where Servo has one.
pub fn refuse_shadowing(
    ours: &BTreeMap<String, PathBuf>,
    is_servo_file: impl Fn(&str) -> bool,
) -> Result<()> {
    for path in ours.keys() {
        if is_servo_file(path) {
            bail!(
                "our {path} would hide Servo's own .overlay/{path}: rename ours, or change Servo's with a patch"
            );
        }
    }
    Ok(())
}

/// Our files by their path in Servo's tree, with the target of the link.
pub fn overlay_files(project: &Project, manifest: &Manifest) -> Result<BTreeMap<String, PathBuf>> {
    let mut files = BTreeMap::new();
    for package in &manifest.packages {
        let folder = project.root.join(&package.path);
        if !folder.is_dir() {
            continue;
        }
        for inner in files_in(&folder)? {
            let path = format!("{}/{inner}", package.path);
            let target = format!("{}{path}", "../".repeat(path.split('/').count()));
            files.insert(path, PathBuf::from(target));
        }
    }
    Ok(files)
}

/// The files in a folder and in the folders in it, but for hidden ones, with `/` between the parts.
pub fn files_in(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let entries = WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.path()));
    for entry in entries {
        let entry = entry?;
        if entry.file_type().is_dir() {
            continue;
        }
        let inner = entry.path().strip_prefix(folder)?;
        let parts = inner
            .iter()
            .map(|part| part.to_str())
            .collect::<Option<Vec<_>>>();
        let parts = parts.with_context(|| format!("{} is not UTF-8", entry.path().display()))?;
        files.push(parts.join("/"));
    }
    Ok(files)
}

/// Files that editors and systems leave behind.
fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.starts_with('.') || name.ends_with('~') || name.ends_with(".orig"))
}

fn make_link(link: &Path, target: &Path) -> Result<()> {
    if fs::read_link(link).is_ok_and(|present| present == target) {
        return Ok(());
    }
    let parent = link.parent().context("a link lies in a folder")?;
    fs::create_dir_all(parent)?;
    match fs::symlink_metadata(link) {
        Ok(metadata) if metadata.is_symlink() => fs::remove_file(link)?,
        Ok(_) => bail!(
            "{} is a file of its own, but ours is to be linked there: move what it holds to ours and remove it",
            link.display()
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    symlink(target, link).with_context(|| format!("cannot make the link {}", link.display()))
}

/// Removes a link of ours and the folders that are empty without it.
fn remove_link(root: &Path, path: &str) -> Result<()> {
    let link = root.join(path);
    if fs::symlink_metadata(&link).is_ok_and(|metadata| metadata.is_symlink()) {
        fs::remove_file(&link)?;
        let folders = link
            .ancestors()
            .skip(1)
            .take_while(|folder| *folder != root);
        for folder in folders {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }
    Ok(())
}

#[cfg(unix)]
fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(windows)]
fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, link)
}
