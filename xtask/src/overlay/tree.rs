/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The wanted bytes of every file of `.overlay/`, computed in memory.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::manifest::Manifest;
use super::patch::{FilePatch, Patch};
use super::repository::Repository;

/// Files by their path in Servo's tree.
pub type Files = BTreeMap<String, File>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub bytes: Vec<u8>,
    pub executable: bool,
}

/// The history that `.overlay/` keeps: Servo's own text, then the dependencies that
/// `patches/overlay.toml` adds, then one step for each patch.
#[derive(Clone, Debug)]
pub struct History {
    pub pristine: Files,
    /// The manifests with the added dependencies.
    pub dependencies: Files,
    pub steps: Vec<Step>,
    /// Patches that were made for another text and were carried over to this one, with the file.
    pub carried_over: Vec<(String, String)>,
}

/// What one patch makes of the files it changes.
#[derive(Clone, Debug)]
pub struct Step {
    pub name: String,
    pub message: String,
    pub files: Files,
}

impl History {
    /// Applies `patches` to the text of Servo. `repository`, where there is one, is asked for the
    /// text that a patch was made for when that is not the text in front of it.
    pub fn new(
        manifest: &Manifest,
        pristine: Files,
        patches: &[Patch],
        repository: Option<&Repository>,
    ) -> Result<Self> {
        let dependencies = with_added_dependencies(manifest, &pristine)?;
        let mut history = Self {
            pristine,
            dependencies,
            steps: Vec::new(),
            carried_over: Vec::new(),
        };
        for patch in patches {
            let mut files = Files::new();
            for change in &patch.files {
                ensure!(
                    Path::new(&change.path)
                        .file_name()
                        .is_some_and(|name| name != "Cargo.toml"),
                    "patches/{}.patch changes {}: put dependencies into patches/overlay.toml",
                    patch.name,
                    change.path
                );
                let base = history.file(&change.path).with_context(|| {
                    format!(
                        "patches/{}.patch changes {}, which Servo {} does not have",
                        patch.name, change.path, manifest.servo
                    )
                })?;
                let (bytes, carried_over) = apply(change, &base.bytes, repository).with_context(|| {
                    format!(
                        "patches/{0}.patch does not apply to {1}.\n\
                         Either an earlier patch of the series changed (then correct the line numbers of `{0}`), \
                         or Servo did. To make the patch anew, take it out of patches/series, run \
                         `cargo xtask prepare`, make the edit in .overlay/{1} and run \
                         `cargo xtask export --into {0}`",
                        patch.name, change.path
                    )
                })?;
                let file = File {
                    bytes,
                    executable: base.executable,
                };
                files.insert(change.path.clone(), file);
                if carried_over {
                    history
                        .carried_over
                        .push((patch.name.clone(), change.path.clone()));
                }
            }
            history.steps.push(Step {
                name: patch.name.clone(),
                message: patch.header.0.clone(),
                files,
            });
        }
        Ok(history)
    }

    /// The file after the last step.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.file_after(self.steps.len(), path)
    }

    /// The file after the first `count` steps.
    pub fn file_after(&self, count: usize, path: &str) -> Option<&File> {
        let steps = self.steps.iter().take(count).rev();
        steps
            .map(|step| &step.files)
            .chain([&self.dependencies, &self.pristine])
            .find_map(|files| files.get(path))
    }

    /// All files after the last step.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.pristine.keys().map(String::as_str)
    }
}

/// Returns the changed bytes, and whether the patch had to be carried over to another text.
fn apply(
    change: &FilePatch,
    base: &[u8],
    repository: Option<&Repository>,
) -> Result<(Vec<u8>, bool)> {
    if change.is_made_for(base) {
        return Ok((change.apply(base)?, false));
    }
    let (before, _) = change.index.as_ref().context("no `index` line")?;
    let original = repository
        .and_then(|repository| repository.blob(before).transpose())
        .transpose()?;
    let Some(original) = original else {
        bail!("it was made for another text of this file (git blob {before})");
    };
    let changed = change.apply(&original)?;
    match crate::util::git::merge(base, &original, &changed)? {
        Some(merged) => Ok((merged, true)),
        None => bail!(
            "it was made for another text of this file (git blob {before}), and the lines it changes differ"
        ),
    }
}

fn with_added_dependencies(manifest: &Manifest, pristine: &Files) -> Result<Files> {
    let mut files = Files::new();
    for package in &manifest.packages {
        let added = package.added_dependencies()?;
        if added.is_empty() {
            continue;
        }
        let path = format!("{}/Cargo.toml", package.path);
        let file = pristine
            .get(&path)
            .with_context(|| format!("{} has no Cargo.toml", package.name))?;
        let mut file = file.clone();
        let own: toml::Table = toml::from_str(std::str::from_utf8(&file.bytes)?)?;
        for name in package.dependencies.keys() {
            let has_it = own
                .get("dependencies")
                .is_some_and(|table| table.get(name).is_some());
            ensure!(
                !has_it,
                "`{}` depends on `{name}` of its own: take it out of patches/overlay.toml",
                package.name
            );
        }
        file.bytes.extend_from_slice(added.as_bytes());
        files.insert(path, file);
    }
    Ok(files)
}
