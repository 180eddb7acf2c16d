/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `patches/overlay.toml`: the crates of Servo that are prepared, and their checksums.

use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::util::project::Project;

/// The whole of `patches/overlay.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of Servo, which all of its crates share.
    pub servo: String,
    #[serde(rename = "package")]
    pub packages: Vec<Package>,
}

/// One crate of Servo.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    pub name: String,
    /// Checksum of the `.crate` file, in lower-case hexadecimal, as the index of the registry has it.
    pub sha256: String,
    /// Where the crate lies in Servo's own tree, with `/` between the parts.
    pub path: String,
    /// Dependencies that are added to the crate's own, for the sake of our files.
    #[serde(default)]
    pub dependencies: toml::Table,
}

impl Manifest {
    pub fn load(project: &Project) -> Result<Self> {
        let path = project.patches().join("overlay.toml");
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("{} is not right", path.display()))
    }

    pub fn parse(text: &str) -> Result<Self> {
        let manifest: Self = toml::from_str(text)?;
        for (index, package) in manifest.packages.iter().enumerate() {
            let name = &package.name;
            if package.sha256.len() != 64
                || !package
                    .sha256
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            {
                bail!("the sha256 of `{name}` has to be 64 lower-case hexadecimal digits");
            }
            let parts_are_plain = package
                .path
                .split('/')
                .all(|part| !part.is_empty() && part != "." && part != "..");
            if !parts_are_plain || package.path.contains('\\') {
                bail!(
                    "the path of `{name}` has to be a plain relative path, not `{}`",
                    package.path
                );
            }
            for other in &manifest.packages[..index] {
                if other.name == *name
                    || is_inside(&other.path, &package.path)
                    || is_inside(&package.path, &other.path)
                {
                    bail!(
                        "`{name}` and `{}` have the same name, or one path lies inside the other",
                        other.name
                    );
                }
            }
        }
        Ok(manifest)
    }

    /// The package whose folder in Servo's tree holds `path`.
    pub fn package_of(&self, path: &str) -> Option<&Package> {
        self.packages
            .iter()
            .find(|package| is_inside(path, &package.path))
    }
}

impl Package {
    /// What is added to the prepared manifest of this crate: one table for each dependency, with
    /// `path` entries rewritten so that they hold from the prepared crate.
    pub fn added_dependencies(&self) -> Result<String> {
        let mut text = String::new();
        for (name, value) in &self.dependencies {
            let mut table = match value {
                toml::Value::String(version) => {
                    toml::Table::from_iter([("version".to_owned(), version.as_str().into())])
                }
                toml::Value::Table(table) => table.clone(),
                _ => bail!(
                    "the dependency `{name}` of `{}` has to be a version or a table",
                    self.name
                ),
            };
            if let Some(path) = table.get("path").and_then(toml::Value::as_str) {
                // One step up for each part of the crate's path, and one out of `.overlay/`.
                let steps = "../".repeat(self.path.split('/').count() + 1);
                let path = format!("{steps}{path}");
                table.insert("path".to_owned(), path.into());
            }
            text.push_str(&format!(
                "\n[dependencies.{name}]\n{}",
                toml::to_string(&table)?
            ));
        }
        if !text.is_empty() {
            text.insert_str(
                0,
                "\n# Added by `cargo xtask prepare`; see `patches/overlay.toml`.",
            );
        }
        Ok(text)
    }
}

/// Whether `path` is `folder` or lies inside it.
fn is_inside(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn manifest(packages: &[(&str, &str)]) -> Result<Manifest> {
        let mut text = "servo = \"1.2.3\"\n".to_owned();
        for (name, path) in packages {
            text.push_str(&format!(
                "[[package]]\nname = \"{name}\"\nsha256 = \"{SUM}\"\npath = \"{path}\"\n"
            ));
        }
        Manifest::parse(&text)
    }

    #[test]
    fn a_path_belongs_to_the_package_whose_folder_holds_it() {
        let manifest = manifest(&[
            ("a", "components/script"),
            ("b", "components/script_bindings"),
        ])
        .unwrap();
        let name = |path| {
            manifest
                .package_of(path)
                .map(|package| package.name.as_str())
        };
        assert_eq!(name("components/script/dom/x.rs"), Some("a"));
        assert_eq!(name("components/script_bindings/x.rs"), Some("b"));
        assert_eq!(name("components/net/x.rs"), None);
    }

    #[test]
    fn paths_that_leave_the_tree_or_overlap_are_refused() {
        assert!(manifest(&[("a", "../x")]).is_err());
        assert!(manifest(&[("a", "/x")]).is_err());
        assert!(manifest(&[("a", "x"), ("b", "x/y")]).is_err());
        assert!(manifest(&[("a", "x"), ("a", "y")]).is_err());
    }

    #[test]
    fn a_checksum_that_is_not_one_is_refused() {
        let text = "servo = \"1\"\n[[package]]\nname = \"a\"\nsha256 = \"12\"\npath = \"x\"\n";
        assert!(
            Manifest::parse(text)
                .unwrap_err()
                .to_string()
                .contains("64")
        );
    }

    #[test]
    fn added_dependencies_are_relative_to_the_prepared_crate() {
        let mut manifest = manifest(&[("a", "components/shared/x")]).unwrap();
        let package = &mut manifest.packages[0];
        assert_eq!(package.added_dependencies().unwrap(), "");
        package.dependencies =
            toml::from_str("core = { path = \"components/core\" }\nuuid = \"1\"").unwrap();
        let text = package.added_dependencies().unwrap();
        let parsed: toml::Table = toml::from_str(&text).unwrap();
        assert_eq!(
            parsed["dependencies"]["core"]["path"].as_str(),
            Some("../../../../components/core")
        );
        assert_eq!(
            parsed["dependencies"]["uuid"]["version"].as_str(),
            Some("1")
        );
    }
}
