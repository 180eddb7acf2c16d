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

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{self, Component, Path};

use anyhow::{Context, Result, bail, ensure};

use super::{remove_file, write_file};
use crate::overlay::crates;
use crate::overlay::links;
use crate::overlay::manifest::{Manifest, Package};
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
    files.insert("README.md".to_owned(), plain(readme(&manifest).into()));
    let mut wanted: BTreeSet<String> = files.keys().cloned().collect();
    wanted.insert(PATCH.to_owned());
    refuse_files_of_others(&folder, &wanted, &before)?;

    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let patch = patch(&manifest, &folder.canonicalize()?)?;
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
                bytes = member(&text, path)
                    .with_context(|| format!("{} is not right", place.display()))?
                    .into_bytes();
            }
            files.insert(format!("{path}/{inner}"), plain(bytes));
        }
    }
    if !crates.is_empty() {
        let own = project.root.join("Cargo.toml");
        let text = String::from_utf8(read(&own)?)?;
        let text =
            workspace(&text, &crates).with_context(|| format!("{} is not right", own.display()))?;
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

/// A workspace of `crates`, with what they may inherit from ours.
fn workspace(own: &str, crates: &BTreeSet<String>) -> Result<String> {
    let own: toml::Table = toml::from_str(own)?;
    let own = own
        .get("workspace")
        .and_then(toml::Value::as_table)
        .context("there is no [workspace]")?;
    let mut workspace = toml::Table::new();
    for key in ["resolver", "package", "lints"] {
        if let Some(value) = own.get(key) {
            workspace.insert(key.to_owned(), value.clone());
        }
    }
    let members: Vec<toml::Value> = crates.iter().map(|path| path.as_str().into()).collect();
    workspace.insert("members".to_owned(), members.into());
    workspace.insert("exclude".to_owned(), vec![SERVO].into());
    let mut dependencies = own
        .get("dependencies")
        .and_then(toml::Value::as_table)
        .cloned()
        .unwrap_or_default();
    // Crates of ours that were not copied are not there to be depended on.
    dependencies.retain(|_, dependency| {
        let path = dependency.get("path").and_then(toml::Value::as_str);
        path.is_none_or(|path| crates.contains(path))
    });
    workspace.insert("dependencies".to_owned(), dependencies.into());
    let manifest = toml::Table::from_iter([("workspace".to_owned(), workspace.into())]);
    Ok(format!(
        "# What the crates in here inherit; written by `cargo xtask prepare --out` of Servo WebMCP.\n{}",
        toml::to_string(&manifest)?
    ))
}

/// The manifest of a crate of ours at `path`, which names its workspace: if the folder lies in that of the embedder, cargo
/// would otherwise let the crate inherit from there.
fn member(manifest: &str, path: &str) -> Result<String> {
    let mut manifest: toml::Table = toml::from_str(manifest)?;
    let package = manifest
        .get_mut("package")
        .and_then(toml::Value::as_table_mut)
        .context("there is no [package]")?;
    let top = vec![".."; path.split('/').count()].join("/");
    package.insert("workspace".to_owned(), top.into());
    Ok(toml::to_string(&manifest)?)
}

/// The lines that make cargo take the crates. The paths are absolute: so they hold in a manifest wherever it is, and in
/// a configuration, for which cargo would take relative ones from another place.
fn patch(manifest: &Manifest, folder: &Path) -> Result<String> {
    let mut crates = toml::Table::new();
    for package in &manifest.packages {
        let path = folder.join(SERVO).join(&package.path);
        let path = path
            .to_str()
            .with_context(|| format!("{} is not UTF-8", path.display()))?;
        let entry = toml::Table::from_iter([("path".to_owned(), path.into())]);
        crates.insert(package.name.clone(), entry.into());
    }
    let patch = toml::Table::from_iter([("crates-io".to_owned(), crates.into())]);
    let patch = toml::Table::from_iter([("patch".to_owned(), patch.into())]);
    Ok(format!(
        "# Servo {} with WebMCP. For the Cargo.toml at the top of a workspace, or for `cargo --config`.\n{}",
        manifest.servo,
        toml::to_string(&patch)?
    ))
}

fn readme(manifest: &Manifest) -> String {
    let version = &manifest.servo;
    let names: BTreeMap<&str, &Package> = manifest
        .packages
        .iter()
        .map(|package| (package.name.as_str(), package))
        .collect();
    let crates = names
        .iter()
        .map(|(name, package)| format!("* `{name}`, in `{SERVO}/{}`\n", package.path))
        .collect::<String>();
    format!(
        r#"# Servo {version} with WebMCP

The crates of Servo that Servo WebMCP changes, ready to be built by another embedder of Servo:

{crates}
This folder is written by `cargo xtask prepare --out` in a checkout of Servo WebMCP. Run that again to bring it up to
date: it replaces what it wrote, edits included, and leaves other files alone.

## Building with it

1. Add the lines of `{PATCH}` to the `Cargo.toml` at the top of your workspace; cargo heeds them nowhere else. To try
   it without an edit: `cargo --config {PATCH} build`, with the path to that file. The paths in it are absolute. If
   this folder is part of your repository, make them relative to that `Cargo.toml`; if it is moved, run the command
   again.
2. Depend on exactly this version, in every crate that uses Servo:

   ```toml
   [dependencies]
   servo = "={version}"
   ```

3. `cargo tree --invert servo-script` has to show this folder. If cargo warns that a patch "was not used in the crate
   graph", something asks for another version of Servo; `cargo update --package servo --precise {version}` makes a lock
   file follow.
4. Turn the API on before the engine starts; without this preference nothing differs from Servo as it is published:

   ```rust
   let preferences = servo::Preferences {{
       dom_modelcontext_enabled: true,
       ..servo::Preferences::default()
   }};
   let servo = servo::ServoBuilder::default().preferences(preferences).build();
   ```

`WebView::page_tools`, `WebView::execute_tool` and `WebView::cancel_tool_execution` are what an embedder calls;
`cargo doc --package servo --no-deps` documents them.

## SpiderMonkey

Nothing here changes SpiderMonkey, Servo's JavaScript engine: an archive or a build of it that your embedder already
has stays good. Without one, `mozjs_sys` downloads an archive, or compiles it with clang, for which Servo's own
requirements hold. `cargo xtask prepare` in a checkout of Servo WebMCP does that once for a user, and the `[env]` table
that it writes to `ports/.cargo/config.toml` names the archive (`MOZJS_ARCHIVE`) and the compilers. Copied to the
`.cargo/config.toml` of your workspace it saves that time, provided that you build Servo with the features `js_jit`
and no other that concern SpiderMonkey.

## Licence

MPL-2.0, as Servo; see `LICENSE`.
"#
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    fn crates() -> BTreeSet<String> {
        BTreeSet::from(["components/core".to_owned()])
    }

    #[test]
    fn the_workspace_holds_what_our_crates_inherit() {
        let own = r#"
            [workspace]
            resolver = "3"
            members = ["components/core", "tool"]
            [workspace.package]
            edition = "2024"
            [workspace.dependencies]
            core = { path = "components/core" }
            tool = { path = "tool" }
            serde = { version = "1", features = ["derive"] }
        "#;
        let text = workspace(own, &crates()).unwrap();
        let table: toml::Table = toml::from_str(&text).unwrap();
        let workspace = &table["workspace"];
        assert_eq!(workspace["members"].as_array().unwrap().len(), 1);
        assert_eq!(workspace["exclude"][0].as_str(), Some(SERVO));
        assert_eq!(workspace["package"]["edition"].as_str(), Some("2024"));
        assert_eq!(
            workspace["dependencies"]["serde"]["features"][0].as_str(),
            Some("derive")
        );
        assert!(workspace["dependencies"].get("core").is_some());
        assert!(workspace["dependencies"].get("tool").is_none());
    }

    #[test]
    fn a_manifest_without_a_workspace_is_refused() {
        let error = workspace("[package]\n", &crates()).unwrap_err();
        assert!(error.to_string().contains("[workspace]"), "{error}");
    }
}
