/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The rules for `patches/`.

use anyhow::{Context, Result};

use super::Findings;
use crate::commands::export;
use crate::overlay::patch::{FilePatch, Patch};
use crate::overlay::repository::Repository;
use crate::overlay::series::Series;
use crate::util::project::Project;

/// A patch larger than this is worth a second look ...
const USUAL_LINES: usize = 25;
const USUAL_FILES: usize = 4;
/// ... and larger than this it holds logic that belongs into a file of ours.
const MOST_LINES: usize = 60;
/// For all patches together.
const MOST_SERIES_LINES: usize = 250;
/// Servo's lines that are shorter say nothing of their own.
const TELLING_LENGTH: usize = 20;

pub fn check(project: &Project, findings: &mut Findings) -> Result<()> {
    let series = Series::load(project)?;
    for name in series.unlisted(project)? {
        findings.error(format!("patches/{name} is not in patches/series"));
    }
    for patch in &series.patches {
        header(patch, findings);
        size(patch, findings);
        servo_text(patch, findings);
    }
    let total = series.patches.iter().map(Patch::added_lines).sum::<usize>();
    if total > MOST_SERIES_LINES {
        findings.error(format!(
            "the patches add {total} lines together, more than {MOST_SERIES_LINES}"
        ));
    }

    for name in export::differing(project)? {
        findings.error(format!(
            "patches/{name}.patch is not as `cargo xtask export` writes it: run that"
        ));
    }
    let repository = Repository::open(&project.overlay()).context("there is no .overlay/")?;
    let edits = repository.edits()?;
    for path in edits.changed.union(&edits.removed).chain(&edits.added) {
        findings.error(format!(
            ".overlay/{path} has an edit that is in no patch: run `cargo xtask export`"
        ));
    }
    Ok(())
}

fn header(patch: &Patch, findings: &mut Findings) {
    for fault in patch.header.faults() {
        findings.error(format!(
            "patches/{}.patch: {fault} in its header",
            patch.name
        ));
    }
    if patch.files.is_empty() {
        findings.error(format!(
            "patches/{}.patch changes nothing: take it out of patches/series",
            patch.name
        ));
    }
}

fn size(patch: &Patch, findings: &mut Findings) {
    let (lines, files) = (patch.added_lines(), patch.files.len());
    let text = format!(
        "patches/{}.patch adds {lines} lines in {files} files",
        patch.name
    );
    if lines > MOST_LINES {
        findings.error(format!(
            "{text}, more than {MOST_LINES}: move logic into a file of ours"
        ));
    } else if lines > USUAL_LINES || files > USUAL_FILES {
        findings.warning(format!(
            "{text}; usual are {USUAL_LINES} lines and {USUAL_FILES} files"
        ));
    }
}

/// Lines that are taken away are Servo's own text, and so is what is put back unchanged.
fn servo_text(patch: &Patch, findings: &mut Findings) {
    let removed = patch.removed_lines();
    let stated = patch
        .header
        .field("Replaces")
        .and_then(|text| text.split(' ').next()?.parse::<usize>().ok());
    if removed != stated.unwrap_or(0) {
        findings.error(format!(
            "patches/{0}.patch takes away {removed} lines of Servo's: add lines beside them instead, \
             or say `Replaces: {removed} lines` in its header",
            patch.name
        ));
    }
    for FilePatch { path, hunks, .. } in &patch.files {
        for hunk in hunks {
            let trimmed = |line: &Vec<u8>| line.trim_ascii().to_vec();
            let removed = hunk.removed.iter().map(trimmed).collect::<Vec<_>>();
            let is_kept = |line: &Vec<u8>| line.len() >= TELLING_LENGTH && removed.contains(line);
            if hunk.added.iter().map(trimmed).any(|line| is_kept(&line)) {
                findings.error(format!(
                    "patches/{}.patch takes away a line of {path} at {} and puts it back: leave Servo's line where it is",
                    patch.name, hunk.start
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL_HEADER: &str =
        "S\n\nWhy: a\nKind: hook\nUpstream: no\nRemove when: never\nGuard: a test\n";

    fn errors(header: &str, hunk: &str) -> Vec<String> {
        let text = format!("{header}\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n{hunk}");
        let patch = Patch::parse("p", text.as_bytes()).unwrap();
        let mut findings = Findings::default();
        super::header(&patch, &mut findings);
        size(&patch, &mut findings);
        servo_text(&patch, &mut findings);
        findings.errors
    }

    #[test]
    fn a_full_header_and_added_lines_are_fine() {
        assert_eq!(errors(FULL_HEADER, "@@ -1,0 +2 @@\n+x\n"), [""; 0]);
    }

    #[test]
    fn each_missing_field_is_reported() {
        assert_eq!(errors("S\n\nWhy: a\n", "@@ -1,0 +2 @@\n+x\n").len(), 4);
    }

    #[test]
    fn lines_taken_away_have_to_be_stated() {
        let hunk = "@@ -1 +1 @@\n-x\n+y\n";
        assert!(errors(FULL_HEADER, hunk)[0].contains("Replaces: 1 lines"));
        assert_eq!(
            errors(&format!("{FULL_HEADER}Replaces: 1 lines\n"), hunk),
            [""; 0]
        );
        assert_eq!(
            errors(&format!("{FULL_HEADER}Replaces: 2 lines\n"), hunk).len(),
            1
        );
    }

    #[test]
    fn a_line_of_servo_that_is_put_back_is_reported() {
        let hunk = "@@ -1 +1,2 @@\n-    let something = compute();\n+if ours {\n+        let something = compute();\n";
        assert!(
            errors(&format!("{FULL_HEADER}Replaces: 1 lines\n"), hunk)[0].contains("puts it back")
        );
    }

    #[test]
    fn a_patch_with_logic_is_too_large() {
        let lines = "+x\n".repeat(MOST_LINES + 1);
        let hunk = format!("@@ -1,0 +2,{} @@\n{lines}", MOST_LINES + 1);
        assert!(errors(FULL_HEADER, &hunk)[0].contains("more than 60"));
    }
}
