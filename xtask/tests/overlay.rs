/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Preparing and exporting, on a made-up Servo of two small crates.

mod common;
mod out;

use common::{Checkout, body};
use xtask::commands::export::{self, Options};
use xtask::commands::prepare::{self, LocalEdits};

const MAIN: &str = "components/script/main.rs";
const OTHER: &str = "components/script/other.rs";
const PREFS: &str = "components/config/prefs.rs";

fn prepare(checkout: &Checkout) -> anyhow::Result<()> {
    prepare::overlay(&checkout.project, LocalEdits::Keep)
}

fn export_into(checkout: &Checkout, name: &str, paths: &[&str]) -> anyhow::Result<Vec<String>> {
    let paths = paths.iter().map(|path| (*path).to_owned()).collect();
    export::export(
        &checkout.project,
        &Options {
            into: Some(name.to_owned()),
            paths,
        },
    )
}

fn export(checkout: &Checkout) -> anyhow::Result<Vec<String>> {
    export::export(&checkout.project, &Options::default())
}

fn message(result: anyhow::Result<impl Sized>) -> String {
    format!("{:#}", result.err().expect("it has to fail"))
}

/// A prepared checkout with patch `a` in two places of `MAIN` and patch `b` between them and in `PREFS`.
fn with_two_patches() -> Checkout {
    let checkout = Checkout::new();
    prepare(&checkout).unwrap();
    checkout.insert(MAIN, 10, "a1");
    checkout.insert(MAIN, 30, "a2");
    export_into(&checkout, "a", &[]).unwrap();
    checkout.insert(MAIN, 20, "b1");
    checkout.insert(PREFS, 5, "b2");
    export_into(&checkout, "b", &[]).unwrap();
    checkout
}

#[test]
fn an_empty_series_gives_servo_as_it_was_published() {
    let checkout = Checkout::new();
    prepare(&checkout).unwrap();
    assert_eq!(checkout.prepared(MAIN), body("main"));
    assert_eq!(checkout.git(&["status", "--porcelain"]), "");
}

#[test]
fn added_dependencies_stand_in_the_manifest_and_in_no_patch() {
    let checkout = Checkout::new();
    prepare(&checkout).unwrap();
    let manifest: toml::Table =
        toml::from_str(&checkout.prepared("components/script/Cargo.toml")).unwrap();
    assert_eq!(
        manifest["dependencies"]["core"]["path"].as_str(),
        Some("../../../components/core")
    );
    assert_eq!(export(&checkout).unwrap(), [""; 0]);
    assert_eq!(checkout.git(&["status", "--porcelain"]), "");
}

#[test]
fn files_of_ours_are_linked_and_unlinked() {
    let checkout = Checkout::new();
    checkout.write("components/script/ours/deep/new.rs", "new");
    prepare(&checkout).unwrap();
    let link = checkout.overlay("components/script/ours/deep/new.rs");
    assert!(link.is_symlink());
    checkout.write("components/script/ours/deep/new.rs", "newer");
    assert_eq!(
        checkout.prepared("components/script/ours/deep/new.rs"),
        "newer"
    );
    assert_eq!(checkout.git(&["status", "--porcelain"]), "");

    checkout.remove("components/script/ours/deep/new.rs");
    prepare(&checkout).unwrap();
    assert!(!link.is_symlink());
    assert!(!checkout.overlay("components/script/ours").exists());
}

#[test]
fn a_file_of_ours_that_hides_one_of_servo_is_refused() {
    let checkout = Checkout::new();
    checkout.write(OTHER, "ours");
    let message = message(prepare(&checkout));
    assert!(
        message.contains("our components/script/other.rs"),
        "{message}"
    );
    assert!(
        message.contains(".overlay/components/script/other.rs"),
        "{message}"
    );
    assert_eq!(checkout.prepared(OTHER), body("other"));
}

#[test]
fn a_wrong_checksum_is_refused_before_anything_is_written() {
    let checkout = Checkout::new();
    checkout.edit("patches/overlay.toml", |text| {
        text.replace(&checkout.script_sum, &"0".repeat(64))
    });
    let message = message(prepare(&checkout));
    assert!(
        message.contains(&checkout.script_sum) && message.contains(&"0".repeat(64)),
        "{message}"
    );
    assert!(!checkout.overlay(MAIN).exists());
}

#[test]
fn edits_become_a_patch_with_a_blank_header_at_the_end_of_the_series() {
    let checkout = with_two_patches();
    assert_eq!(
        checkout.read("patches/series"),
        "# Kept.\na.patch\nb.patch\n"
    );
    let patch = checkout.read("patches/b.patch");
    assert!(patch.starts_with("b\n\nWhy:\nKind:\n"), "{patch}");
    assert!(
        patch.contains("@@ -5,0 +6 @@\n+b2\n") && patch.ends_with("@@ -21,0 +22 @@\n+b1\n"),
        "{patch}"
    );
    assert!(
        !patch
            .lines()
            .any(|line| line.starts_with(' ') || line.starts_with("-line")),
        "{patch}"
    );
    assert_eq!(checkout.git(&["status", "--porcelain"]), "");
    assert_eq!(checkout.git(&["log", "--format=%s", "-2"]), "b\na\n");
}

#[test]
fn an_export_without_edits_changes_no_byte() {
    let checkout = with_two_patches();
    let before = checkout.read_all("patches");
    assert_eq!(export(&checkout).unwrap(), [""; 0]);
    assert_eq!(checkout.read_all("patches"), before);
    assert_eq!(export::differing(&checkout.project).unwrap(), [""; 0]);
}

#[test]
fn another_checkout_of_the_same_patches_gets_the_same_files_and_commits() {
    let first = with_two_patches();
    let second = Checkout::new();
    for (name, text) in first.read_all("patches") {
        second.write(&format!("patches/{name}"), &text);
    }
    prepare(&second).unwrap();
    for path in [MAIN, OTHER, PREFS] {
        assert_eq!(first.prepared(path), second.prepared(path));
    }
    assert_eq!(
        first.git(&["rev-parse", "HEAD"]),
        second.git(&["rev-parse", "HEAD"])
    );
}

#[test]
fn only_files_whose_bytes_change_are_written() {
    let checkout = with_two_patches();
    checkout.make_old(&[MAIN, OTHER, PREFS]);
    prepare(&checkout).unwrap();
    assert!(
        [MAIN, OTHER, PREFS]
            .iter()
            .all(|path| checkout.is_old(path))
    );

    checkout.edit("patches/b.patch", |text| text.replace("+b2", "+b2 changed"));
    prepare_with_new_index(&checkout);
    assert!(checkout.prepared(PREFS).contains("b2 changed"));
    assert!(!checkout.is_old(PREFS));
    assert!(checkout.is_old(MAIN) && checkout.is_old(OTHER));

    checkout.make_old(&[PREFS]);
    checkout.insert(OTHER, 3, "b3");
    export_into(&checkout, "b", &[]).unwrap();
    assert!(checkout.is_old(MAIN) && checkout.is_old(PREFS));
}

/// After somebody edited a patch by hand, `export` brings the `index` lines up to date.
fn prepare_with_new_index(checkout: &Checkout) {
    prepare(checkout).unwrap();
    assert_eq!(export(checkout).unwrap(), ["b.patch"]);
}

#[test]
fn an_edit_for_an_early_patch_goes_there_and_the_later_ones_follow() {
    let checkout = with_two_patches();
    let later = checkout.read("patches/b.patch");
    checkout.edit_overlay(MAIN, |text| text.replace("a1\n", "a1 first\na1 second\n"));
    let wanted = checkout.prepared(MAIN);
    let mut written = export_into(&checkout, "a", &[]).unwrap();
    written.sort();
    assert_eq!(written, ["a.patch", "b.patch"]);
    assert!(
        checkout
            .read("patches/a.patch")
            .contains("@@ -10,0 +11,2 @@\n+a1 first\n+a1 second\n")
    );
    // The hunk moved down by one line and says the same.
    assert!(
        checkout
            .read("patches/b.patch")
            .contains("@@ -22,0 +23 @@\n+b1\n")
    );
    assert!(later.contains("@@ -21,0 +22 @@\n+b1\n"));
    assert_eq!(checkout.prepared(MAIN), wanted);
    assert_eq!(checkout.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_edit_goes_to_the_only_patch_of_its_file_without_being_told() {
    let checkout = with_two_patches();
    checkout.insert(PREFS, 8, "more");
    assert_eq!(export(&checkout).unwrap(), ["b.patch"]);
    checkout.insert(MAIN, 2, "whose");
    assert!(message(export(&checkout)).contains("more than one patch"));
    checkout.git(&["restore", MAIN]);
    checkout.insert(OTHER, 2, "whose");
    assert!(message(export(&checkout)).contains("no patch changes"));
}

#[test]
fn files_that_are_not_named_keep_their_edits() {
    let checkout = with_two_patches();
    checkout.insert(OTHER, 3, "later");
    checkout.insert(PREFS, 8, "now");
    assert_eq!(export_into(&checkout, "b", &[PREFS]).unwrap(), ["b.patch"]);
    assert!(!checkout.read("patches/b.patch").contains("later"));
    assert_eq!(
        checkout.git(&["status", "--porcelain"]),
        format!(" M {OTHER}\n")
    );
}

#[test]
fn an_edit_in_the_lines_of_a_later_patch_is_refused_and_nothing_changes() {
    let checkout = with_two_patches();
    let before = checkout.read_all("patches");
    checkout.edit_overlay(MAIN, |text| text.replace("b1\n", "b1 changed\n"));
    let message = message(export_into(&checkout, "a", &[]));
    assert!(message.contains("later patch than `a`"), "{message}");
    assert_eq!(checkout.read_all("patches"), before);
    assert!(checkout.prepared(MAIN).contains("b1 changed"));
}

#[test]
fn what_no_patch_can_hold_is_refused() {
    let checkout = Checkout::new();
    prepare(&checkout).unwrap();
    checkout.write(".overlay/components/script/new.rs", "new");
    assert!(message(export(&checkout)).contains("move it to components/script/new.rs"));
    checkout.remove(".overlay/components/script/new.rs");
    checkout.remove(&format!(".overlay/{OTHER}"));
    assert!(message(export(&checkout)).contains("takes no file away"));
    checkout.git(&["restore", OTHER]);
    checkout.edit_overlay("components/script/Cargo.toml", |text| {
        text + "\n[features]\n"
    });
    assert!(message(export(&checkout)).contains("patches/overlay.toml"));
}

#[test]
fn commits_by_hand_are_refused_with_the_way_back() {
    let checkout = with_two_patches();
    checkout.insert(PREFS, 8, "committed");
    checkout.git(&[
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.com",
        "commit",
        "-qam",
        "mine",
    ]);
    let refusal = message(export(&checkout));
    assert!(
        refusal.contains("reset --soft refs/xtask/prepared"),
        "{refusal}"
    );
    checkout.git(&["reset", "--soft", "refs/xtask/prepared"]);
    assert_eq!(export(&checkout).unwrap(), ["b.patch"]);
}

#[test]
fn edits_survive_a_change_of_the_patches() {
    let checkout = with_two_patches();
    checkout.insert(MAIN, 2, "edit");
    checkout.edit("patches/a.patch", |text| text.replace("+a2", "+a2 changed"));
    // `b` was made for the old text of the file, so it is carried over.
    prepare(&checkout).unwrap();
    let text = checkout.prepared(MAIN);
    assert!(
        text.contains("\nedit\n") && text.contains("\na2 changed\n") && text.contains("\nb1\n"),
        "{text}"
    );
    assert_eq!(
        checkout.git(&["status", "--porcelain"]),
        format!(" M {MAIN}\n")
    );
}

#[test]
fn edits_that_the_patches_run_into_are_not_destroyed() {
    let checkout = with_two_patches();
    checkout.edit_overlay(PREFS, |text| text.replace("b2\n", "b2 edited\n"));
    let edited = checkout.prepared(PREFS);
    checkout.edit("patches/b.patch", |text| text.replace("+b2", "+b2 changed"));
    let refusal = message(prepare(&checkout));
    assert!(
        refusal.contains(PREFS) && refusal.contains("--discard-edits"),
        "{refusal}"
    );
    assert_eq!(checkout.prepared(PREFS), edited);

    prepare::overlay(&checkout.project, LocalEdits::Discard).unwrap();
    assert!(checkout.prepared(PREFS).contains("\nb2 changed\n"));
    assert_eq!(checkout.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_patch_taken_out_of_the_series_goes_and_the_later_ones_are_carried_over() {
    let checkout = with_two_patches();
    checkout.edit("patches/series", |text| text.replace("a.patch\n", ""));
    prepare(&checkout).unwrap();
    let text = checkout.prepared(MAIN);
    assert!(
        !text.contains("a1") && text.contains("line 20\nb1\nline 21\n"),
        "{text}"
    );
    assert_eq!(export(&checkout).unwrap(), ["b.patch"]);
    assert!(
        checkout
            .read("patches/b.patch")
            .contains("@@ -20,0 +21 @@\n+b1\n")
    );
}

#[test]
fn a_patch_for_another_text_is_refused_with_its_name_and_what_to_do() {
    let checkout = with_two_patches();
    checkout.edit("patches/series", |text| text.replace("a.patch\n", ""));
    // Nobody has the text here that `b` was made for.
    std::fs::remove_dir_all(checkout.overlay("")).unwrap();
    let refusal = message(prepare(&checkout));
    assert!(
        refusal.contains("patches/b.patch does not apply to components/script/main.rs"),
        "{refusal}"
    );
    assert!(refusal.contains("cargo xtask export --into b"), "{refusal}");
}

#[test]
fn a_hunk_that_takes_away_what_is_not_there_is_named() {
    let checkout = Checkout::new();
    let patch = format!(
        "c\n\ndiff --git a/{MAIN} b/{MAIN}\n--- a/{MAIN}\n+++ b/{MAIN}\n@@ -1,0 +2 @@\n+x\n@@ -4 +5 @@\n-line 5\n+y\n"
    );
    checkout.write("patches/c.patch", &patch);
    checkout.edit("patches/series", |text| text + "c.patch\n");
    let refusal = message(prepare(&checkout));
    assert!(
        refusal.contains("patches/c.patch") && refusal.contains("hunk 2 (line 4)"),
        "{refusal}"
    );
    assert!(!checkout.overlay(MAIN).exists());
}

#[test]
fn a_series_that_lists_what_is_not_there_is_refused() {
    let checkout = Checkout::new();
    checkout.edit("patches/series", |text| text + "missing.patch\n");
    assert!(message(prepare(&checkout)).contains("missing.patch"));
    checkout.edit("patches/series", |text| {
        text.replace("missing.patch", "../escape.patch")
    });
    assert!(message(prepare(&checkout)).contains("../escape.patch"));
}
