/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask check`: whether everything compiles, without making programs of it.

use anyhow::Result;

use super::prepare::{self, LocalEdits};
use crate::util::cargo::cargo;
use crate::util::project::Project;

pub fn run(project: &Project) -> Result<()> {
    // The quick one first: its faults show in seconds.
    cargo(&project.root)
        .args(["check", "--workspace", "--all-targets"])
        .run()?;
    prepare::everything(project, LocalEdits::Keep)?;
    cargo(&project.ports())
        .args(["check", "--workspace", "--all-targets"])
        .run()
}
