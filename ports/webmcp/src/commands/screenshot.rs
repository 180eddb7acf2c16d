/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp screenshot`

use std::fs;
use std::path::Path;

use super::Opener;
use crate::cli::ScreenshotArguments;
use crate::exit::{Failure, Result, Status};
use crate::output::as_png;

pub fn run(arguments: &ScreenshotArguments, opener: &Opener) -> Result<()> {
    let file = &arguments.file;
    check_file(file)?;
    let browser = opener.load(&arguments.url)?;
    let activity = "taking the screenshot";
    browser.stage(activity);
    let image = browser
        .screenshot()
        .map_err(|ended| browser.failure(ended, activity))?
        .map_err(|error| {
            Failure::new(
                Status::Failed,
                format!("the page could not be drawn: {error:?}"),
            )
        })?;
    let png = as_png(&image).map_err(|error| {
        Failure::new(
            Status::Failed,
            format!("the picture cannot be encoded: {error}"),
        )
    })?;
    fs::write(file, png).map_err(|error| {
        Failure::new(
            Status::Failed,
            format!("cannot write {}: {error}", file.display()),
        )
    })
}

/// Refuses a file that cannot be written before any time is spent on the page.
fn check_file(file: &Path) -> Result<()> {
    let shown = file.display();
    if !file
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
    {
        return Err(Failure::usage(format!(
            "{shown}: the name must end in .png"
        )));
    }
    if file.is_dir() {
        return Err(Failure::usage(format!("{shown} is a folder")));
    }
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(Failure::usage(format!(
            "{shown}: its folder does not exist"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_png_files_in_folders_that_exist_are_written() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        fs::create_dir(folder.path().join("folder.png")).expect("a folder can be made");
        for (name, part) in [
            ("picture.jpg", "must end in .png"),
            ("picture", "must end in .png"),
            ("none/picture.png", "does not exist"),
            ("folder.png", "is a folder"),
        ] {
            let failure = check_file(&folder.path().join(name)).expect_err("it must be refused");
            assert_eq!(failure.status, Status::Usage);
            assert!(
                failure.message.contains(part),
                "{name}: {}",
                failure.message
            );
        }
        assert_eq!(check_file(&folder.path().join("picture.PNG")), Ok(()));
        assert_eq!(check_file(Path::new("picture.png")), Ok(()));
    }
}
