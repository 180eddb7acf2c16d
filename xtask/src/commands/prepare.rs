/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask prepare`: the pinned crates of Servo, with our patches and files, in `.overlay/`, or, for other
//! projects, [in a folder of theirs](out).

pub mod out;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::overlay::crates;
use crate::overlay::links;
use crate::overlay::manifest::Manifest;
use crate::overlay::repository::Repository;
use crate::overlay::series::{self, Series};
use crate::overlay::tree::{File, History};
use crate::toolchain::config;
use crate::util::project::Project;
use crate::util::{self, git};

/// Where the key of what was prepared last is kept.
const KEY: &str = "xtask-key";
/// Changes whenever the same inputs would give another result.
const SCHEME: &str = "1";

/// What to do with edits in `.overlay/` that are in no patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalEdits {
    /// Keep them, or fail if they cannot be kept.
    Keep,
    /// Throw them away.
    Discard,
}

/// Prepares all that a build needs: the crates, the system, SpiderMonkey and cargo's configuration.
pub fn everything(project: &Project, edits: LocalEdits) -> Result<()> {
    overlay(project, edits)?;
    config::prepare(project)
}

/// Prepares the crates. Does next to nothing if nothing changed since the last time.
pub fn overlay(project: &Project, edits: LocalEdits) -> Result<()> {
    let repository = Repository::open_or_create(&project.overlay())?;
    let _lock = repository.lock()?;
    update(project, &repository, edits)
}

/// Like [`overlay`], for those who have locked the repository.
pub fn update(project: &Project, repository: &Repository, edits: LocalEdits) -> Result<()> {
    let manifest = Manifest::load(project)?;
    if edits == LocalEdits::Discard || !is_current(project, repository)? {
        write(project, &manifest, repository, edits)?;
        note_current(project, repository)?;
    }
    links::update(project, &manifest, repository, |path| {
        is_plain_file(&repository.root.join(path))
    })?;
    Ok(())
}

/// A key over everything that decides what the files of Servo look like after preparing.
fn key(project: &Project) -> Result<String> {
    let series = Series::load(project)?;
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(SCHEME.as_bytes());
    add(&fs::read(project.patches().join("overlay.toml"))?);
    add(series.render().as_bytes());
    for patch in &series.patches {
        add(&fs::read(series::patch_path(project, &patch.name))?);
    }
    Ok(util::hex(&hash.finalize()))
}

/// Whether the patches are still those that were prepared last.
pub fn is_current(project: &Project, repository: &Repository) -> Result<bool> {
    let key = key(project)?;
    Ok(fs::read_to_string(repository.note(KEY)).is_ok_and(|present| present == key))
}

/// Notes that `.overlay/` holds what the patches say at this moment.
pub fn note_current(project: &Project, repository: &Repository) -> Result<()> {
    Ok(fs::write(repository.note(KEY), key(project)?)?)
}

/// The history that the patches describe.
pub fn history(
    project: &Project,
    manifest: &Manifest,
    series: &Series,
    repository: &Repository,
) -> Result<History> {
    let pristine = crates::unpack(project, manifest)?;
    History::new(manifest, pristine, &series.patches, Some(repository))
}

fn write(
    project: &Project,
    manifest: &Manifest,
    repository: &Repository,
    local: LocalEdits,
) -> Result<()> {
    let series = Series::load(project)?;
    let history = history(project, manifest, &series, repository)?;
    let edits = if local == LocalEdits::Keep {
        repository.ensure_head_is_ours()?;
        repository.edits()?
    } else {
        Default::default()
    };
    let old = repository.head()?;
    let commits = repository.commit(&history)?;
    let new = commits.last().context("no commit")?;

    // Work out everything before the first file is written, so that a refusal changes nothing.
    let mut wanted = BTreeMap::new();
    match &old {
        Some(old) if local == LocalEdits::Keep => {
            for path in repository.differing(old, new)? {
                wanted.insert(path, None);
            }
        }
        _ => wanted.extend(history.paths().map(|path| (path.to_owned(), None))),
    }
    let mut conflicts = Vec::new();
    for (path, merged) in &mut wanted {
        if edits.changed.contains(path) {
            let before = repository
                .committed("HEAD", path)?
                .with_context(|| format!("{path} is not committed"))?;
            let edited = fs::read(repository.root.join(path))?;
            let after = history.file(path).map(|file| file.bytes.as_slice());
            *merged = after
                .map(|after| git::merge(&edited, &before, after))
                .transpose()?
                .flatten();
        }
        if edits.removed.contains(path) || edits.changed.contains(path) && merged.is_none() {
            conflicts.push(format!("  .overlay/{path}"));
        }
    }
    if !conflicts.is_empty() {
        bail!(
            "these files were edited and are in no patch, and the patches now change the same lines:\n{}\n\
             Nothing was written. Put the patches back as they were and run `cargo xtask export` to keep the \
             edits, or run `cargo xtask prepare --discard-edits` to throw them away",
            conflicts.join("\n")
        );
    }
    if local == LocalEdits::Discard {
        if let Some(old) = &old {
            for path in repository.differing(old, new)? {
                wanted.entry(path).or_insert(None);
            }
        }
        for path in repository.edits()?.added {
            fs::remove_file(repository.root.join(&path))?;
            util::say(format_args!(
                "Removed .overlay/{path}, which was no file of Servo's"
            ));
        }
    }
    let mut written = 0;
    for (path, merged) in wanted {
        let place = repository.root.join(&path);
        match history.file(&path) {
            Some(file) => written += usize::from(write_file(&place, file, merged.as_deref())?),
            None => remove_file(&place)?,
        }
    }
    repository.stand_on(&commits)?;
    util::say(format_args!(
        "Prepared Servo {} with {} patches in .overlay/ ({written} files written)",
        manifest.servo,
        series.patches.len()
    ));
    for (patch, path) in &history.carried_over {
        util::say(format_args!(
            "patches/{patch}.patch was made for another text of {path} and was carried over to this one"
        ));
    }
    if !history.carried_over.is_empty() {
        util::say("Look at the result, then run `cargo xtask export` to record the new places");
    }
    Ok(())
}

fn write_file(place: &Path, file: &File, merged: Option<&[u8]>) -> Result<bool> {
    let written = util::write_if_different(place, merged.unwrap_or(&file.bytes))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(place)?.permissions().mode();
        if (mode & 0o111 != 0) != file.executable {
            let mode = if file.executable {
                mode | 0o111
            } else {
                mode & !0o111
            };
            fs::set_permissions(place, fs::Permissions::from_mode(mode))?;
        }
    }
    Ok(written)
}

fn remove_file(place: &Path) -> Result<()> {
    match fs::remove_file(place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Whether there is a file that is not a link.
fn is_plain_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}
