/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask export`: edits made in `.overlay/` become patches again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail, ensure};

use super::prepare::{self, LocalEdits};
use crate::overlay::manifest::Manifest;
use crate::overlay::patch::{Header, Patch};
use crate::overlay::repository::{Edits, Repository};
use crate::overlay::series::{self, Series};
use crate::overlay::tree::{File, Files, History, Step};
use crate::util::project::Project;
use crate::util::{self, git};

/// What is to become of the edits.
#[derive(Debug, Default)]
pub struct Options {
    /// The patch that takes them. Without it each edited file goes to the one patch that changes it.
    pub into: Option<String>,
    /// The edited files that are meant; all if there are none.
    pub paths: Vec<String>,
}

/// Writes `patches/` anew and returns the names of the files in it that changed.
pub fn export(project: &Project, options: &Options) -> Result<Vec<String>> {
    let repository = Repository::open_or_create(&project.overlay())?;
    let _lock = repository.lock()?;
    prepare::update(project, &repository, LocalEdits::Keep)?;
    repository.ensure_head_is_ours()?;
    let manifest = Manifest::load(project)?;
    let mut series = Series::load(project)?;
    let mut history = prepare::history(project, &manifest, &series, &repository)?;

    let edits = meant(&repository.edits()?, &options.paths)?;
    refuse_what_no_patch_can_hold(&edits)?;
    for (patch, paths) in attribute(&mut series, &mut history, options, &edits)? {
        for path in &paths {
            let bytes = fs::read(repository.root.join(path))?;
            fold(&mut history, patch, path, bytes)?;
        }
    }

    let commits = repository.commit(&history)?;
    let texts = texts(&repository, &history, &commits)?;
    ensure_patches_give(&manifest, &texts, &history)?;
    let mut changed = Vec::new();
    for (name, text) in texts {
        if util::write_if_different(&series::patch_path(project, &name), &text)? {
            changed.push(format!("{name}.patch"));
        }
    }
    if util::write_if_different(&series::list_path(project), series.render().as_bytes())? {
        changed.push("series".to_owned());
    }
    repository.stand_on(&commits)?;
    prepare::note_current(project, &repository)?;
    Ok(changed)
}

/// The patches that differ from what an export without edits would write.
pub fn differing(project: &Project) -> Result<Vec<String>> {
    let repository = Repository::open(&project.overlay()).context("there is no .overlay/")?;
    let _lock = repository.lock()?;
    let manifest = Manifest::load(project)?;
    let history = prepare::history(project, &manifest, &Series::load(project)?, &repository)?;
    let commits = repository.commit(&history)?;
    let texts = texts(&repository, &history, &commits)?.into_iter();
    let differs = |(name, text): &(String, Vec<u8>)| {
        fs::read(series::patch_path(project, name)).map_or(true, |present| present != *text)
    };
    Ok(texts.filter(differs).map(|(name, _)| name).collect())
}

/// The name and the text of each patch.
fn texts(
    repository: &Repository,
    history: &History,
    commits: &[String],
) -> Result<Vec<(String, Vec<u8>)>> {
    let steps = history.steps.iter().zip(commits.windows(2));
    let text = |(step, pair): (&Step, &[String])| {
        let diff = repository.diff(&pair[0], &pair[1])?;
        Ok((
            step.name.clone(),
            Patch::render(&Header(step.message.clone()), &diff),
        ))
    };
    steps.map(text).collect()
}

/// The edits in the files that were named on the command line.
fn meant(edits: &Edits, paths: &[String]) -> Result<Edits> {
    if paths.is_empty() {
        return Ok(Edits {
            changed: edits.changed.clone(),
            removed: edits.removed.clone(),
            added: edits.added.clone(),
        });
    }
    let mut changed = BTreeSet::new();
    for path in paths {
        let path = path.strip_prefix(".overlay/").unwrap_or(path);
        ensure!(
            edits.changed.contains(path),
            "{path} was not edited; give the path inside .overlay/"
        );
        changed.insert(path.to_owned());
    }
    Ok(Edits {
        changed,
        ..Edits::default()
    })
}

fn refuse_what_no_patch_can_hold(edits: &Edits) -> Result<()> {
    if let Some(path) = edits.added.first() {
        bail!(
            "{path} in .overlay/ is new. New files are our own: move it to {path} at the top of the project, and `prepare` links it"
        );
    }
    if let Some(path) = edits.removed.first() {
        bail!(
            "{path} in .overlay/ is gone. A patch takes no file away; get it back with `git -C .overlay restore {path}`"
        );
    }
    if let Some(path) = edits
        .changed
        .iter()
        .find(|path| path.ends_with("/Cargo.toml"))
    {
        bail!(
            "{path} in .overlay/ was edited. Put dependencies into patches/overlay.toml instead, and undo the edit with `git -C .overlay restore {path}`"
        );
    }
    Ok(())
}

/// Which step takes the edits of which files. A patch that does not exist yet is added at the end.
fn attribute(
    series: &mut Series,
    history: &mut History,
    options: &Options,
    edits: &Edits,
) -> Result<BTreeMap<usize, BTreeSet<String>>> {
    let mut owners: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    if let Some(name) = &options.into {
        let name = series::checked_name(name)?;
        ensure!(!edits.changed.is_empty(), "nothing was edited in .overlay/");
        let place = series
            .patches
            .iter()
            .position(|patch| patch.name == name)
            .unwrap_or_else(|| {
                let header = Header::blank(&name);
                history.steps.push(Step {
                    name: name.clone(),
                    message: header.0.clone(),
                    files: Files::new(),
                });
                series.patches.push(Patch {
                    name,
                    header,
                    files: Vec::new(),
                });
                series.patches.len() - 1
            });
        owners.insert(place, edits.changed.clone());
        return Ok(owners);
    }
    for path in &edits.changed {
        let mut touching =
            (0..history.steps.len()).filter(|place| history.steps[*place].files.contains_key(path));
        match (touching.next(), touching.next()) {
            (Some(place), None) => owners.entry(place).or_default().insert(path.clone()),
            (None, _) => bail!(
                "no patch changes {path} yet: say which one takes the edit with `--into NAME`"
            ),
            (Some(_), Some(_)) => bail!(
                "more than one patch changes {path}: say which one takes the edit with `--into NAME {path}`"
            ),
        };
    }
    Ok(owners)
}

/// Puts an edit of `path` into the step at `place`, and carries it through the later steps.
fn fold(history: &mut History, place: usize, path: &str, edited: Vec<u8>) -> Result<()> {
    let last = history
        .file(path)
        .with_context(|| format!("Servo has no {path}"))?
        .clone();
    for at in place..history.steps.len() {
        let before = history
            .file_after(at + 1, path)
            .context("the file is Servo's")?
            .clone();
        // Untouched by this step, so it follows from an earlier one.
        if at > place && !history.steps[at].files.contains_key(path) {
            continue;
        }
        let bytes = git::merge(&before.bytes, &last.bytes, &edited)?.with_context(|| {
            format!(
                "the edit of {path} touches lines beside or in those of a later patch than `{}`: \
                 put it into the last patch that changes these lines, or change the order in patches/series",
                history.steps[place].name
            )
        })?;
        history.steps[at].files.insert(
            path.to_owned(),
            File {
                bytes,
                executable: before.executable,
            },
        );
    }
    Ok(())
}

/// The patches as they will be written have to give the very bytes they were made from.
fn ensure_patches_give(
    manifest: &Manifest,
    texts: &[(String, Vec<u8>)],
    wanted: &History,
) -> Result<()> {
    let patches = texts.iter().map(|(name, text)| Patch::parse(name, text));
    let patches = patches.collect::<Result<Vec<_>>>()?;
    let got = History::new(manifest, wanted.pristine.clone(), &patches, None)?;
    match wanted
        .paths()
        .find(|path| wanted.file(path) != got.file(path))
    {
        Some(path) => bail!("the exported patches would not give {path} as it is in .overlay/"),
        None => Ok(()),
    }
}
