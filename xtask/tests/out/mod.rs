/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Writing the crates for other projects, on a made-up Servo of two small crates.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use xtask::commands::export::{self, Options};
use xtask::commands::prepare::out::{self, Written};
use xtask::commands::prepare::{self, LocalEdits};

use crate::common::{Checkout, body};

const MAIN: &str = "components/script/main.rs";
const OURS: &str = "components/script/ours/new.rs";

/// A checkout with a patch, a file of ours and a crate of ours, and a place beside it to write to.
struct Set {
    checkout: Checkout,
    folder: PathBuf,
    _above: TempDir,
}

impl Set {
    fn new() -> Self {
        let checkout = Checkout::new();
        checkout.write(
            "Cargo.toml",
            "[workspace]\nmembers = [\"components/core\", \"tool\"]\n\
             [workspace.package]\nversion = \"0.1.0\"\nedition = \"2024\"\n\
             [workspace.dependencies]\ntool = { path = \"tool\" }\n",
        );
        checkout.write("LICENSE", "licence");
        checkout.write(
            "components/core/Cargo.toml",
            "[package]\nname = \"core\"\nversion.workspace = true\nedition.workspace = true\n",
        );
        checkout.write("components/core/src/lib.rs", "//! Ours.\n");
        checkout.write(OURS, "new");
        prepare::overlay(&checkout.project, LocalEdits::Keep).unwrap();
        checkout.insert(MAIN, 10, "patched");
        let options = Options {
            into: Some("a".to_owned()),
            paths: Vec::new(),
        };
        export::export(&checkout.project, &options).unwrap();
        let above = tempfile::tempdir().unwrap();
        Self {
            checkout,
            folder: above.path().join("deep/out"),
            _above: above,
        }
    }

    fn write(&self) -> Written {
        out::write(&self.checkout.project, &self.folder).unwrap()
    }

    fn refusal(&self) -> String {
        let error = out::write(&self.checkout.project, &self.folder).unwrap_err();
        format!("{error:#}")
    }

    fn place(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.place(path)).unwrap()
    }

    fn put(&self, path: &str, text: &str) {
        fs::create_dir_all(self.place(path).parent().unwrap()).unwrap();
        fs::write(self.place(path), text).unwrap();
    }
}

#[test]
fn the_folder_holds_patched_crates_our_files_and_our_crates_without_links() {
    let set = Set::new();
    set.write();
    let patched = body("main").replace("line 10\n", "line 10\npatched\n");
    assert_eq!(set.read(&format!("servo/{MAIN}")), patched);
    assert_eq!(set.read(&format!("servo/{OURS}")), "new");
    assert!(!set.place(&format!("servo/{OURS}")).is_symlink());
    assert_eq!(set.read("components/core/src/lib.rs"), "//! Ours.\n");
    assert_eq!(set.read("LICENSE"), "licence");

    // The crate of Servo finds ours, and ours what it inherits.
    let crate_of_servo = set.place("servo/components/script");
    let manifest = fs::read_to_string(crate_of_servo.join("Cargo.toml")).unwrap();
    let manifest: toml::Table = toml::from_str(&manifest).unwrap();
    let path = manifest["dependencies"]["core"]["path"].as_str().unwrap();
    assert_eq!(
        crate_of_servo.join(path).canonicalize().unwrap(),
        set.place("components/core").canonicalize().unwrap()
    );
    let readme = set.read("README.md");
    assert!(
        readme.contains("servo = \"=1.2.3\"") && readme.contains("dom_modelcontext_enabled"),
        "{readme}"
    );
}

#[test]
fn the_patch_lines_name_every_crate_by_an_absolute_path() {
    let set = Set::new();
    let written = set.write();
    assert_eq!(set.read("patch.toml"), written.patch);
    let patch: toml::Table = toml::from_str(&written.patch).unwrap();
    let crates = patch["patch"]["crates-io"].as_table().unwrap();
    let names: Vec<&String> = crates.keys().collect();
    assert_eq!(names, ["servo-config", "servo-script"]);
    for (name, entry) in crates {
        let path = Path::new(entry["path"].as_str().unwrap());
        assert!(path.is_absolute());
        let manifest = fs::read_to_string(path.join("Cargo.toml")).unwrap();
        assert!(
            manifest.contains(&format!("name = \"{name}\"")),
            "{manifest}"
        );
    }
}

/// What `cargo tree` says in an embedder whose workspace is `root`.
fn dependencies_of_an_embedder(set: &Set, patch: &str, root: &Path) -> String {
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("src/lib.rs"), "").unwrap();
    let manifest = format!(
        "[package]\nname = \"embedder\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\nservo-config = \"=1.2.3\"\nservo-script = \"=1.2.3\"\n{patch}"
    );
    fs::write(root.join("Cargo.toml"), manifest).unwrap();
    let output = Command::new("cargo")
        .current_dir(root)
        .args(["tree", "--offline", "--prefix", "none"])
        // Nothing that is configured or cached on this machine counts.
        .env("CARGO_HOME", &set.checkout.project.cargo_home)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn cargo_finds_all_crates_from_beside_the_folder_and_from_around_it() {
    let set = Set::new();
    // The made-up crates have no library of their own.
    for name in ["config", "script"] {
        let path = format!("components/{name}/src/lib.rs");
        set.checkout.write(&path, "");
    }
    let patch = set.write().patch;
    let above = set.folder.parent().unwrap().parent().unwrap();
    for root in [&above.join("embedder"), above] {
        let text = dependencies_of_an_embedder(&set, &patch, root);
        assert!(
            text.contains("servo-script v1.2.3") && text.contains("core v0.1.0"),
            "{text}"
        );
    }
}

#[test]
fn a_second_run_writes_nothing() {
    let set = Set::new();
    assert!(set.write().written > 0);
    let modified = |path: &str| fs::metadata(set.place(path)).unwrap().modified().unwrap();
    let paths = [".servo-webmcp", "patch.toml", "README.md", "Cargo.toml"];
    let before = paths.map(modified);
    let again = set.write();
    assert_eq!((again.written, again.removed), (0, 0));
    assert_eq!(paths.map(modified), before);
}

#[test]
fn another_run_writes_what_changed_and_removes_what_is_gone() {
    let set = Set::new();
    set.write();
    set.put("notes/mine.txt", "mine");
    set.checkout
        .write("components/core/src/lib.rs", "//! Changed.\n");
    set.checkout.remove(OURS);
    let again = set.write();
    assert_eq!((again.written, again.removed), (1, 1));
    assert_eq!(set.read("components/core/src/lib.rs"), "//! Changed.\n");
    assert!(!set.place("servo/components/script/ours").exists());
    assert_eq!(set.read("notes/mine.txt"), "mine");
}

#[test]
fn a_folder_of_somebody_else_is_refused_and_left_as_it_is() {
    let set = Set::new();
    set.put("Cargo.toml", "mine");
    let refusal = set.refusal();
    assert!(
        refusal.contains(set.folder.to_str().unwrap()) && refusal.contains("neither empty"),
        "{refusal}"
    );
    assert_eq!(set.read("Cargo.toml"), "mine");
    assert_eq!(fs::read_dir(&set.folder).unwrap().count(), 1);
}

#[test]
fn an_empty_folder_is_taken_and_a_file_is_not() {
    let set = Set::new();
    fs::create_dir_all(&set.folder).unwrap();
    set.write();
    fs::remove_dir_all(&set.folder).unwrap();
    fs::write(&set.folder, "a file").unwrap();
    let refusal = set.refusal();
    assert!(refusal.contains(set.folder.to_str().unwrap()), "{refusal}");
    assert_eq!(fs::read_to_string(&set.folder).unwrap(), "a file");
}

#[test]
fn a_file_that_somebody_put_where_ours_is_to_go_is_refused_by_name() {
    let set = Set::new();
    set.write();
    let later = "components/script/ours/later.rs";
    set.put(&format!("servo/{later}"), "mine");
    set.checkout.write(later, "ours");
    set.checkout
        .write("components/core/src/lib.rs", "//! Changed.\n");
    let refusal = set.refusal();
    assert!(refusal.contains(&format!("servo/{later}")), "{refusal}");
    assert_eq!(set.read(&format!("servo/{later}")), "mine");
    assert_eq!(set.read("components/core/src/lib.rs"), "//! Ours.\n");
}

#[test]
fn a_damaged_list_removes_nothing_outside_the_folder() {
    let set = Set::new();
    set.write();
    let outside = set.folder.with_file_name("outside.txt");
    fs::write(&outside, "mine").unwrap();
    let list = set.read(".servo-webmcp") + "../outside.txt\n";
    set.put(".servo-webmcp", &list);
    let refusal = set.refusal();
    assert!(refusal.contains("../outside.txt"), "{refusal}");
    assert_eq!(fs::read_to_string(&outside).unwrap(), "mine");
}

#[test]
fn folders_that_the_crates_are_made_from_are_refused() {
    let set = Set::new();
    for path in [
        "components/core/out",
        "components/script/out",
        ".overlay/out",
    ] {
        let folder = set.checkout.project.root.join(path);
        let error = out::write(&set.checkout.project, &folder).unwrap_err();
        assert!(error.to_string().contains("name another folder"), "{error}");
        assert!(!folder.exists());
    }
}

#[test]
fn edits_that_are_in_no_patch_are_not_written() {
    let set = Set::new();
    set.checkout.insert(MAIN, 20, "edited");
    set.write();
    let text = set.read(&format!("servo/{MAIN}"));
    assert!(
        text.contains("patched") && !text.contains("edited"),
        "{text}"
    );
}
