/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The texts that are written for an embedder beside the copied files: manifests, the lines for cargo, and what to do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};

use super::{PATCH, SERVO};
use crate::overlay::manifest::{Manifest, Package};

/// A workspace of `crates`, with what they may inherit from ours.
pub fn workspace(own: &str, crates: &BTreeSet<String>) -> Result<String> {
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

/// The manifest of a crate of ours at `path`, which names its workspace: if the folder lies in that of the embedder,
/// cargo would otherwise let the crate inherit from there.
pub fn member(manifest: &str, path: &str) -> Result<String> {
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
pub fn patch(manifest: &Manifest, folder: &Path) -> Result<String> {
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

/// What an embedder has to know.
pub fn readme(manifest: &Manifest) -> String {
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
4. Turn the API on before the engine starts; without this preference pages see nothing of WebMCP:

   ```rust
   let preferences = servo::Preferences {{
       dom_modelcontext_enabled: true,
       ..servo::Preferences::default()
   }};
   let servo = servo::ServoBuilder::default().preferences(preferences).build();
   ```

`WebView::page_tools`, `WebView::execute_tool` and `WebView::cancel_tool_execution` are what an embedder calls. A tool
that says it has consequences is refused unless `WebViewDelegate::request_tool_execution` allows it.
`cargo doc --package servo --no-deps` documents all of them. As for every embedder of Servo, https needs a provider of
cryptography: `rustls::crypto::aws_lc_rs::default_provider().install_default()`.

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
