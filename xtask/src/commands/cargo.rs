/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask cargo`: any cargo command in the engine workspace.

use std::ffi::OsString;

use anyhow::Result;

use super::prepare::{self, LocalEdits};
use crate::util::cargo::cargo;
use crate::util::project::Project;

pub fn run(project: &Project, args: &[OsString]) -> Result<()> {
    prepare::everything(project, LocalEdits::Keep)?;
    cargo(&project.ports()).args(args).run()
}
