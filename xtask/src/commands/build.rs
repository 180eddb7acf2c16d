/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask build`: the browser.

use std::env;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};

use super::prepare::{self, LocalEdits};
use crate::util::cargo::cargo;
use crate::util::progress::duration;
use crate::util::project::Project;
use crate::util::{self};

/// How the engine is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Fast to compile.
    Dev,
    /// Fast to run.
    Release,
}

impl Profile {
    fn folder(self) -> &'static str {
        match self {
            Self::Dev => "debug",
            Self::Release => "release",
        }
    }

    /// How long a first build takes, in words, without SpiderMonkey.
    fn usual_time(self) -> &'static str {
        match self {
            Self::Dev => "about 10 minutes",
            Self::Release => "about 20 minutes",
        }
    }
}

/// Builds the browser and returns where it is.
pub fn browser(project: &Project, profile: Profile) -> Result<PathBuf> {
    prepare::everything(project, LocalEdits::Keep)?;
    let program = program(project, profile)?;
    if !program.exists() {
        util::say(format_args!(
            "Building the browser: {} on 2 cores the first time, seconds to minutes after an edit",
            profile.usual_time()
        ));
    }
    let release = (profile == Profile::Release).then_some("--release");
    cargo(&project.ports()).args(["build", "--package", "webmcp"]).args(release).run().context(
        "the browser was not built. If the compiler complains about Servo's own files, look at \
         `git -C .overlay status`; if something of the system is missing, `cargo xtask doctor` finds it",
    )?;
    Ok(program)
}

/// Where the browser is once it is built.
pub fn program(project: &Project, profile: Profile) -> Result<PathBuf> {
    Ok(target_folder(project)?
        .join(profile.folder())
        .join(format!("webmcp{}", env::consts::EXE_SUFFIX)))
}

/// `cargo xtask build`
pub fn run(project: &Project, profile: Profile) -> Result<()> {
    let started = Instant::now();
    let program = browser(project, profile)?;
    util::say(format_args!(
        "{} is up to date ({})",
        program.display(),
        duration(started.elapsed())
    ));
    Ok(())
}

/// Where cargo puts what it builds.
fn target_folder(project: &Project) -> Result<PathBuf> {
    match env::var_os("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => Ok(std::path::absolute(project.ports().join(folder))?),
        None => Ok(project.root.join("target")),
    }
}
