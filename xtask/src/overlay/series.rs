/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `patches/series` and the patches that it lists.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use super::patch::Patch;
use crate::util::project::Project;

/// The patches in the order in which they apply.
#[derive(Debug)]
pub struct Series {
    /// The comment lines at the head of the file.
    comment: String,
    pub patches: Vec<Patch>,
}

impl Series {
    pub fn load(project: &Project) -> Result<Self> {
        let path = list_path(project);
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let comment = text
            .split_inclusive('\n')
            .take_while(|line| line.starts_with('#'))
            .collect();
        let mut patches: Vec<Patch> = Vec::new();
        for line in text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let name = line.strip_suffix(".patch").unwrap_or_default();
            ensure!(
                is_name(name),
                "patches/series: `{line}` has to be the name of a `.patch` file beside it"
            );
            ensure!(
                patches.iter().all(|other| other.name != name),
                "patches/series lists `{line}` twice"
            );
            let path = patch_path(project, name);
            let bytes = fs::read(&path).with_context(|| {
                format!(
                    "patches/series lists `{line}`, but {} cannot be read",
                    path.display()
                )
            })?;
            patches.push(Patch::parse(name, &bytes)?);
        }
        Ok(Self { comment, patches })
    }

    /// The text of `patches/series`.
    pub fn render(&self) -> String {
        let mut text = self.comment.clone();
        for patch in &self.patches {
            text.push_str(&patch.name);
            text.push_str(".patch\n");
        }
        text
    }

    /// The names of patch files that the series does not list.
    pub fn unlisted(&self, project: &Project) -> Result<Vec<String>> {
        let listed = self
            .patches
            .iter()
            .map(|patch| format!("{}.patch", patch.name))
            .collect::<BTreeSet<_>>();
        let mut unlisted = Vec::new();
        for entry in fs::read_dir(project.patches())? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".patch") && !listed.contains(&name) {
                unlisted.push(name);
            }
        }
        unlisted.sort();
        Ok(unlisted)
    }
}

pub fn list_path(project: &Project) -> PathBuf {
    project.patches().join("series")
}

pub fn patch_path(project: &Project, name: &str) -> PathBuf {
    project.patches().join(format!("{name}.patch"))
}

/// Checks a name that somebody typed, with or without `.patch`.
pub fn checked_name(name: &str) -> Result<String> {
    let name = name.strip_suffix(".patch").unwrap_or(name);
    if !is_name(name) {
        bail!("`{name}` is no name for a patch: use letters, digits, `-` and `_`");
    }
    Ok(name.to_owned())
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
