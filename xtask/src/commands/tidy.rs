/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask tidy`: the rules of this project that a program can check.

mod patches;
mod sources;
mod spec_status;

use anyhow::{Result, bail};

use super::prepare::{self, LocalEdits};
use crate::overlay::links::overlay_files;
use crate::overlay::manifest::Manifest;
use crate::util::cargo::cargo;
use crate::util::command::Command;
use crate::util::project::Project;
use crate::util::{self};

/// What the checks found.
#[derive(Debug, Default)]
struct Findings {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Findings {
    fn error(&mut self, text: impl Into<String>) {
        self.errors.push(text.into());
    }

    fn warning(&mut self, text: impl Into<String>) {
        self.warnings.push(text.into());
    }
}

pub fn run(project: &Project) -> Result<()> {
    let mut findings = Findings::default();
    // Also refuses files of ours that would hide one of Servo's.
    prepare::overlay(project, LocalEdits::Keep)?;
    formatting(project, &mut findings)?;
    patches::check(project, &mut findings)?;
    sources::check(project, &mut findings)?;
    spec_status::check(project, &mut findings)?;

    for warning in &findings.warnings {
        util::say(format_args!("warning: {warning}"));
    }
    for error in &findings.errors {
        util::say(format_args!("error: {error}"));
    }
    if !findings.errors.is_empty() {
        bail!("{} rules are broken", findings.errors.len());
    }
    util::say(format_args!(
        "Tidy, with {} warnings",
        findings.warnings.len()
    ));
    Ok(())
}

fn formatting(project: &Project, findings: &mut Findings) -> Result<()> {
    // Both workspaces have a virtual manifest, so this formats their members and nothing of Servo's.
    for (folder, name) in [(&project.root, "."), (&project.ports(), "ports")] {
        if cargo(folder)
            .args(["fmt", "--check", "--quiet"])
            .output()
            .is_err()
        {
            findings.error(format!(
                "some files are not formatted: run `cargo fmt` in {name}/"
            ));
        }
    }
    let files = overlay_files(project, &Manifest::load(project)?)?;
    let files = files
        .into_keys()
        .filter(|path| path.ends_with(".rs"))
        .collect::<Vec<_>>();
    if files.is_empty() {
        return Ok(());
    }
    let check = Command::new("rustfmt").current_dir(&project.root).args([
        "--edition",
        "2024",
        "--check",
        "--quiet",
    ]);
    if check.args(&files).output().is_err() {
        findings.error("some overlay files are not formatted: run `rustfmt --edition 2024` on those under components/ that you edited");
    }
    Ok(())
}
