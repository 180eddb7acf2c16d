/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! A checkout in a temporary folder, with a made-up Servo in the cache of a made-up cargo.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use xtask::util::hex;
use xtask::util::project::Project;

const VERSION: &str = "1.2.3";

pub struct Checkout {
    pub project: Project,
    /// The checksum of the crate that lies at `components/script`.
    pub script_sum: String,
    _folder: TempDir,
}

/// The text of a file of the made-up Servo.
pub fn body(name: &str) -> String {
    let lines = (1..=40)
        .map(|number| format!("line {number}\n"))
        .collect::<String>();
    format!("{lines}end of {name}\n")
}

impl Checkout {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = Project {
            root: folder.path().join("project"),
            cargo_home: folder.path().join("cargo"),
        };
        let cache = project.cargo_home.join("registry/cache/example");
        fs::create_dir_all(&cache).unwrap();
        let script = crate_file("servo-script", &["main.rs", "other.rs", "dom/node.rs"]);
        let config = crate_file("servo-config", &["prefs.rs"]);
        fs::write(cache.join(format!("servo-script-{VERSION}.crate")), &script).unwrap();
        fs::write(cache.join(format!("servo-config-{VERSION}.crate")), &config).unwrap();
        let sum = |bytes: &[u8]| hex(&Sha256::digest(bytes));
        let checkout = Self {
            project,
            script_sum: sum(&script),
            _folder: folder,
        };
        checkout.write(
            "patches/overlay.toml",
            &format!(
                "servo = \"{VERSION}\"\n\
                 [[package]]\nname = \"servo-script\"\nsha256 = \"{}\"\npath = \"components/script\"\n\
                 dependencies.core = {{ path = \"components/core\" }}\n\
                 [[package]]\nname = \"servo-config\"\nsha256 = \"{}\"\npath = \"components/config\"\n",
                sum(&script),
                sum(&config)
            ),
        );
        checkout.write("patches/series", "# Kept.\n");
        checkout
    }

    /// A place in the prepared tree.
    pub fn overlay(&self, path: &str) -> PathBuf {
        self.project.overlay().join(path)
    }

    pub fn prepared(&self, path: &str) -> String {
        fs::read_to_string(self.overlay(path)).unwrap()
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.project.root.join(path)).unwrap()
    }

    /// The texts of all files in a folder.
    pub fn read_all(&self, folder: &str) -> BTreeMap<String, String> {
        let entries = fs::read_dir(self.project.root.join(folder)).unwrap();
        let file = |entry: fs::DirEntry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read_to_string(entry.path()).unwrap(),
            )
        };
        entries.map(|entry| file(entry.unwrap())).collect()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.project.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.project.root.join(path)).unwrap();
    }

    pub fn edit(&self, path: &str, change: impl FnOnce(String) -> String) {
        let text = self.read(path);
        let changed = change(text.clone());
        assert_ne!(changed, text, "the edit of {path} changes nothing");
        self.write(path, &changed);
    }

    pub fn edit_overlay(&self, path: &str, change: impl FnOnce(String) -> String) {
        self.edit(&format!(".overlay/{path}"), change);
    }

    /// Puts a line of ours below Servo's line with this number.
    pub fn insert(&self, path: &str, below: usize, text: &str) {
        let line = format!("\nline {below}\n");
        self.edit_overlay(path, |old| old.replace(&line, &format!("{line}{text}\n")));
    }

    pub fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .arg("-C")
            .arg(self.project.overlay())
            .args(args)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn make_old(&self, paths: &[&str]) {
        for path in paths {
            let file = fs::File::options()
                .append(true)
                .open(self.overlay(path))
                .unwrap();
            file.set_modified(old_time()).unwrap();
        }
    }

    /// Whether nobody wrote to the file since [`Self::make_old`].
    pub fn is_old(&self, path: &str) -> bool {
        fs::metadata(self.overlay(path))
            .unwrap()
            .modified()
            .unwrap()
            == old_time()
    }
}

fn old_time() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
}

fn crate_file(name: &str, files: &[&str]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut add = |path: &str, text: &str| {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive
            .append_data(
                &mut header,
                Path::new(&format!("{name}-{VERSION}")).join(path),
                text.as_bytes(),
            )
            .unwrap();
    };
    add(
        "Cargo.toml",
        &format!("[package]\nname = \"{name}\"\nversion = \"{VERSION}\"\n"),
    );
    for path in files {
        let name = Path::new(path).file_stem().unwrap().to_str().unwrap();
        add(path, &body(name));
    }
    archive.into_inner().unwrap().finish().unwrap()
}
