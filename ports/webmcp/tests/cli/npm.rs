/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Folders with packages from npm, made from what their lock files say, among the temporary files of tests.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{FlockOperation, flock};

/// A folder of the checkout with a `package.json`.
pub struct Project {
    /// Its path below `tests`.
    pub source: &'static str,
    /// What the copy is called.
    pub name: &'static str,
    /// The arguments of each call of npm that the copy needs.
    pub steps: &'static [&'static [&'static str]],
    /// Whether the steps have to be done again when this file has changed.
    pub is_built_from: fn(&Path) -> bool,
}

impl Project {
    /// Copies the folder and does the steps, as far as the copy is not up to date, and gives its path.
    pub fn prepare(&self) -> PathBuf {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests")
            .join(self.source);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(self.name);
        fs::create_dir_all(&folder).expect("a folder can be made");
        // Tests run at the same time, in processes of their own.
        let lock = File::create(folder.join("lock")).expect("a file can be made");
        flock(&lock, FlockOperation::LockExclusive).expect("it can be locked");

        let built = folder.join("built");
        let changed = changed_files(&source, &folder);
        if changed.iter().any(|file| (self.is_built_from)(file)) {
            // Its absence may only mean that there was no build yet.
            let _ = fs::remove_file(&built);
        }
        for file in changed {
            let copy = folder.join(&file);
            fs::create_dir_all(copy.parent().expect("it is inside the folder"))
                .expect("a folder can be made");
            fs::copy(source.join(file), copy).expect("a file can be copied");
        }
        if !built.exists() {
            for arguments in self.steps {
                npm(&folder, arguments);
            }
            fs::write(built, "").expect("a file can be written");
        }
        folder
    }
}

/// The files of `source`, as paths inside it, that are not the same in `copy`.
fn changed_files(source: &Path, copy: &Path) -> Vec<PathBuf> {
    let mut changed = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(source.join(&folder)).expect("the folder can be read") {
            let entry = entry.expect("the folder can be read");
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else if fs::read(entry.path()).ok() != fs::read(copy.join(&path)).ok() {
                changed.push(path);
            }
        }
    }
    changed
}

fn npm(folder: &Path, arguments: &[&str]) {
    run(Command::new("npm").args(arguments).current_dir(folder));
}

/// Runs a program of Node, which must succeed.
pub fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("node and npm are needed for this test: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
