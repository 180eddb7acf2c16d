/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask doctor`: what is here, what is missing, and what to do about it.

use std::fs;

use anyhow::{Result, bail};

use super::prepare;
use crate::overlay::repository::Repository;
use crate::toolchain::compilers::Compilers;
use crate::toolchain::spidermonkey::{Recipe, USUAL_TIME};
use crate::toolchain::{config, system};
use crate::util::command::Command;
use crate::util::project::Project;

pub fn run(project: &Project) -> Result<()> {
    println!("This system");
    for requirement in &system::REQUIREMENTS {
        match requirement.find() {
            Ok(found) => println!("  ok       {}: {found}", requirement.name),
            Err(error) => {
                let word = match requirement.need {
                    system::Need::Must => "MISSING ",
                    system::Need::Should => "slower  ",
                };
                println!(
                    "  {word} {} ({}): {error:#}",
                    requirement.name, requirement.why
                );
            }
        }
    }
    match Compilers::find() {
        Ok(compilers) => println!("  ok       linker: {:?}", compilers.linker),
        Err(error) => println!("  MISSING  linker: {error:#}"),
    }
    println!(
        "  ok       rust: {}",
        String::from_utf8_lossy(&Command::new("rustc").arg("--version").output()?).trim()
    );
    match Command::new("cargo")
        .args(["nextest", "--version"])
        .output()
    {
        Ok(text) => println!(
            "  ok       nextest: {}",
            String::from_utf8_lossy(&text)
                .lines()
                .next()
                .unwrap_or_default()
        ),
        Err(_) => {
            println!("  slower   nextest: not installed, so tests run with plain `cargo test`")
        }
    }

    println!("This checkout");
    println!("  {}", overlay_state(project)?);
    println!("  {}", spidermonkey_state(project));
    let config = config::path(project);
    println!(
        "  {}: {}",
        if config.is_file() {
            "ok      "
        } else {
            "to do   "
        },
        config.display()
    );

    let missing = system::missing();
    if missing
        .iter()
        .any(|requirement| requirement.need == system::Need::Must)
    {
        bail!(
            "something is missing.\n{}",
            system::instructions(&missing, system::has_apt())
        );
    }
    if !missing.is_empty() {
        println!("{}", system::instructions(&missing, system::has_apt()));
    }
    Ok(())
}

fn overlay_state(project: &Project) -> Result<String> {
    let Some(repository) = Repository::open(&project.overlay()) else {
        return Ok("to do    .overlay/: `cargo xtask prepare` makes it".to_owned());
    };
    let edits = repository.edits()?;
    let number = edits.changed.len() + edits.removed.len() + edits.added.len();
    Ok(if !prepare::is_current(project, &repository)? {
        "to do    .overlay/: the patches changed since `cargo xtask prepare`".to_owned()
    } else if number > 0 {
        format!(
            "edited   .overlay/: {number} files are in no patch yet; `cargo xtask export` makes patches of them"
        )
    } else {
        "ok       .overlay/: holds what the patches say".to_owned()
    })
}

fn spidermonkey_state(project: &Project) -> String {
    let archive = Compilers::find()
        .and_then(|compilers| Recipe::new(project, &compilers, &config::host()?))
        .and_then(|recipe| recipe.archive());
    match archive {
        Ok(archive) => match fs::metadata(&archive) {
            Ok(metadata) => format!(
                "ok       SpiderMonkey: {} ({} MB)",
                archive.display(),
                metadata.len() / 1_000_000
            ),
            Err(_) => format!(
                "to do    SpiderMonkey: not compiled yet, {USUAL_TIME}; goes to {}",
                archive.display()
            ),
        },
        Err(error) => format!("unknown  SpiderMonkey: {error:#}"),
    }
}
