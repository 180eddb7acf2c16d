/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! One patch: a header and hunks without context lines.
//!
//! A patch is applied exactly: every hunk at the line it records, lines to be removed compared byte
//! for byte, and the whole file compared with the `index` line where there is one. Nothing is ever
//! searched for, because the base is pinned by checksum.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};
use sha1::{Digest, Sha1};

/// The fields that the header of each patch has to have, in this order.
pub const HEADER_FIELDS: [&str; 5] = ["Why", "Kind", "Upstream", "Remove when", "Guard"];

/// A patch of the series.
#[derive(Clone, Debug)]
pub struct Patch {
    /// The name of its file, without `.patch`.
    pub name: String,
    pub header: Header,
    pub files: Vec<FilePatch>,
}

/// All that stands above the first `diff --git` line, without empty lines at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header(pub String);

/// The part of a patch that changes one file.
#[derive(Clone, Debug)]
pub struct FilePatch {
    /// Path in Servo's tree.
    pub path: String,
    /// The first digits of the git blob name of the file before and after, from the `index` line.
    pub index: Option<(String, String)>,
    pub hunks: Vec<Hunk>,
}

/// One change in one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Number of the first removed line; for a hunk that only adds, of the line before it.
    pub start: usize,
    /// Whole lines, with their line ends.
    pub removed: Vec<Vec<u8>>,
    pub added: Vec<Vec<u8>>,
}

impl Header {
    /// The value of a field, with its continuation lines joined by spaces.
    pub fn field(&self, name: &str) -> Option<String> {
        let mut lines = self.0.lines();
        let first = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        let rest = lines.take_while(|line| line.starts_with(' ') && !line.trim().is_empty());
        let value = std::iter::once(first)
            .chain(rest)
            .map(str::trim)
            .collect::<Vec<_>>()
            .join(" ");
        Some(value.trim().to_owned())
    }

    /// The header for a patch that has none yet. It is not complete until its fields are filled in.
    pub fn blank(name: &str) -> Self {
        let mut text = format!("{name}\n\n");
        for field in HEADER_FIELDS {
            let _ = writeln!(text, "{field}:");
        }
        Self(text.trim_end().to_owned())
    }

    /// What is missing from the header, in words.
    pub fn faults(&self) -> Vec<String> {
        let is_missing = |field: &str| self.field(field).is_none_or(|value| value.is_empty());
        let missing = HEADER_FIELDS.into_iter().filter(|field| is_missing(field));
        missing
            .map(|field| format!("`{field}:` is missing or empty"))
            .collect()
    }
}

impl Patch {
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self> {
        Parser::new(name, bytes)
            .parse()
            .with_context(|| format!("patches/{name}.patch cannot be read"))
    }

    /// Every line that the patch adds, over all of its files.
    pub fn added_lines(&self) -> usize {
        self.hunks().map(|hunk| hunk.added.len()).sum()
    }

    /// Every line of Servo's (or of an earlier patch) that the patch takes away.
    pub fn removed_lines(&self) -> usize {
        self.hunks().map(|hunk| hunk.removed.len()).sum()
    }

    fn hunks(&self) -> impl Iterator<Item = &Hunk> {
        self.files.iter().flat_map(|file| &file.hunks)
    }

    /// The text of the patch file: the header, then what `git diff` printed, reduced to what says
    /// something. Servo's own text that git repeats after the second `@@` is left out.
    pub fn render(header: &Header, diff: &[u8]) -> Vec<u8> {
        let mut out = header.0.trim_end().as_bytes().to_vec();
        out.extend_from_slice(b"\n\n");
        let mut in_hunks = false;
        for line in lines(diff) {
            if line.starts_with(b"diff --git ") {
                in_hunks = false;
            }
            match line
                .strip_prefix(b"@@ ")
                .and_then(|rest| find(rest, b" @@"))
            {
                Some(end) => {
                    in_hunks = true;
                    out.extend_from_slice(&line[..end + b"@@  @@".len()]);
                    out.push(b'\n');
                }
                // The mode is not for a patch to change.
                None if !in_hunks && line.starts_with(b"index ") => {
                    let end = line[6..]
                        .iter()
                        .position(u8::is_ascii_whitespace)
                        .map_or(line.len(), |end| end + 6);
                    out.extend_from_slice(&line[..end]);
                    out.push(b'\n');
                }
                None => out.extend_from_slice(line),
            }
        }
        out
    }
}

impl FilePatch {
    /// Applies the hunks to `base`, or says which of them does not fit and why.
    pub fn apply(&self, base: &[u8]) -> Result<Vec<u8>> {
        let base_lines = lines(base).collect::<Vec<_>>();
        let mut out = Vec::with_capacity(base.len() + 1024);
        let mut done = 0;
        for (number, hunk) in (1..).zip(&self.hunks) {
            let at = || format!("hunk {number} (line {}) of {}", hunk.start, self.path);
            let start = if hunk.removed.is_empty() {
                hunk.start
            } else {
                hunk.start.saturating_sub(1)
            };
            let end = start
                .checked_add(hunk.removed.len())
                .filter(|end| start >= done && *end <= base_lines.len());
            let end = end.with_context(|| {
                format!(
                    "{} lies outside the file, or before the hunk above it",
                    at()
                )
            })?;
            if base_lines[start..end] != hunk.removed {
                bail!("{} takes away lines that are not there", at());
            }
            out.extend(base_lines[done..start].concat());
            out.extend(hunk.added.concat());
            done = end;
        }
        out.extend(base_lines[done..].concat());
        Ok(out)
    }

    /// Whether `base` is the very text that the patch was made for. Without an `index` line nobody
    /// knows, and the hunks decide.
    pub fn is_made_for(&self, base: &[u8]) -> bool {
        self.index
            .as_ref()
            .is_none_or(|(before, _)| blob_name(base).starts_with(before.as_str()))
    }
}

/// The name that git gives a file with these bytes.
pub fn blob_name(bytes: &[u8]) -> String {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()));
    hash.update(bytes);
    crate::util::hex(&hash.finalize())
}

/// The lines of `bytes` with their line ends.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

struct Parser<'a> {
    name: &'a str,
    lines: Vec<&'a [u8]>,
    next: usize,
}

impl<'a> Parser<'a> {
    fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        Self {
            name,
            lines: lines(bytes).collect(),
            next: 0,
        }
    }

    fn peek(&self) -> Option<&'a [u8]> {
        self.lines.get(self.next).copied()
    }

    /// The next line without its line end, as text.
    fn text(&self) -> Result<Option<&'a str>> {
        let line = self.peek().map(|line| line.trim_ascii_end());
        line.map(|line| std::str::from_utf8(line).context("it is not UTF-8"))
            .transpose()
    }

    fn parse(mut self) -> Result<Patch> {
        let mut header = String::new();
        while let Some(text) = self.text()?.filter(|text| !text.starts_with("diff --git ")) {
            header.push_str(text);
            header.push('\n');
            self.next += 1;
        }
        let mut files: Vec<FilePatch> = Vec::new();
        while self.peek().is_some() {
            let file = self
                .file()
                .with_context(|| format!("at line {}", self.next + 1))?;
            ensure!(
                files.iter().all(|other| other.path != file.path),
                "it changes {} twice",
                file.path
            );
            files.push(file);
        }
        Ok(Patch {
            name: self.name.to_owned(),
            header: Header(header.trim_end().to_owned()),
            files,
        })
    }

    fn file(&mut self) -> Result<FilePatch> {
        let (mut path, mut index) = (None, None);
        while let Some(text) = self.text()?.filter(|text| !text.starts_with("@@ ")) {
            if let Some(name) = text.strip_prefix("+++ ") {
                let name = name
                    .strip_prefix("b/")
                    .context("a patch changes files, it does not take them away")?;
                path = Some(name.to_owned());
            } else if let Some(names) = text.strip_prefix("index ") {
                let (before, after) = names
                    .split_once("..")
                    .context("the `index` line is cut short")?;
                let after = after.split(' ').next().unwrap_or_default();
                index = Some((before.to_owned(), after.to_owned()));
            } else if text.starts_with("--- ") {
                ensure!(
                    text != "--- /dev/null",
                    "a patch makes no new file: put it under `components/`"
                );
            } else {
                ensure!(text.starts_with("diff --git "), "unexpected line `{text}`");
            }
            self.next += 1;
        }
        let path = path.context("there is no `+++` line")?;
        let mut hunks = Vec::new();
        while self.text()?.is_some_and(|text| text.starts_with("@@ ")) {
            hunks.push(self.hunk()?);
        }
        ensure!(!hunks.is_empty(), "no change of {path} follows");
        Ok(FilePatch { path, index, hunks })
    }

    fn hunk(&mut self) -> Result<Hunk> {
        let text = self.text()?.unwrap_or_default();
        let (start, removed, added) =
            hunk_range(text).with_context(|| format!("`{text}` is no hunk line"))?;
        self.next += 1;
        let hunk = Hunk {
            start,
            removed: self.hunk_lines(b'-', removed)?,
            added: self.hunk_lines(b'+', added)?,
        };
        if let Some(line) = self.peek() {
            ensure!(
                !line.starts_with(b" "),
                "there is a context line: make patches with `cargo xtask export`"
            );
            ensure!(
                line.starts_with(b"@@ ") || line.starts_with(b"diff "),
                "the hunk has more lines than it says"
            );
        }
        Ok(hunk)
    }

    fn hunk_lines(&mut self, sign: u8, count: usize) -> Result<Vec<Vec<u8>>> {
        let mut lines = Vec::new();
        for _ in 0..count {
            let line = self.peek().context("the file ends inside a hunk")?;
            let line = line.strip_prefix(&[sign]).with_context(|| {
                format!(
                    "a line with `{}` is expected, and no context lines",
                    char::from(sign)
                )
            })?;
            lines.push(line.to_vec());
            self.next += 1;
        }
        if self.peek().is_some_and(|line| line.starts_with(b"\\ ")) {
            let last = lines.last_mut().context("a `\\` line follows no line")?;
            last.pop_if(|byte| *byte == b'\n');
            self.next += 1;
        }
        Ok(lines)
    }
}

/// `@@ -start[,removed] +start[,added] @@`
fn hunk_range(text: &str) -> Option<(usize, usize, usize)> {
    let (old, new) = text
        .strip_prefix("@@ -")?
        .split_once(" @@")?
        .0
        .split_once(" +")?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    let ((start, removed), (_, added)) = (range(old)?, range(new)?);
    Some((start, removed, added))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &[u8] = b"one\ntwo\nthree\n";

    fn patch(hunks: &str) -> Result<Patch> {
        let text = format!(
            "Subject\n\nWhy: because\n it must\nKind: hook\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n{hunks}"
        );
        Patch::parse("p", text.as_bytes())
    }

    fn applied(hunks: &str) -> Result<String> {
        Ok(String::from_utf8(patch(hunks)?.files[0].apply(BASE)?)?)
    }

    #[test]
    fn hunks_land_at_their_recorded_lines() {
        assert_eq!(
            applied("@@ -0,0 +1 @@\n+zero\n").unwrap(),
            "zero\none\ntwo\nthree\n"
        );
        assert_eq!(
            applied("@@ -1,0 +2,2 @@ text of Servo\n+a\n+b\n").unwrap(),
            "one\na\nb\ntwo\nthree\n"
        );
        assert_eq!(
            applied("@@ -2 +2 @@\n-two\n+2\n@@ -3,0 +4 @@\n+four\n").unwrap(),
            "one\n2\nthree\nfour\n"
        );
    }

    #[test]
    fn a_hunk_that_does_not_fit_is_named() {
        let message = |hunks: &str| format!("{:#}", applied(hunks).unwrap_err());
        assert!(message("@@ -2 +2 @@\n-three\n+x\n").contains("hunk 1 (line 2) of x"));
        assert!(message("@@ -4,0 +5 @@\n+x\n").contains("outside the file"));
        assert!(message("@@ -3,0 +4 @@\n+x\n@@ -1,0 +2 @@\n+y\n").contains("hunk 2"));
        assert!(message(&format!("@@ -{},0 +2 @@\n+y\n", usize::MAX)).contains("hunk 1"));
        assert!(message(&format!("@@ -{},2 +2,0 @@\n-y\n-z\n", usize::MAX)).contains("hunk 1"));
    }

    #[test]
    fn what_is_no_patch_without_context_is_refused() {
        assert!(patch("@@ -1 +1,2 @@\n one\n+x\n").is_err());
        assert!(patch("@@ -0,0 +1 @@\n+x\n one\n").is_err());
        assert!(patch("@@ -0,0 +1,2 @@\n+x\n").is_err());
        assert!(patch("@@ 0 @@\n").is_err());
        assert!(patch("").is_err());
        let new_file = b"S\n\ndiff --git a/n b/n\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n";
        assert!(format!("{:#}", Patch::parse("p", new_file).unwrap_err()).contains("no new file"));
    }

    #[test]
    fn a_last_line_without_line_end_is_kept_so() {
        let text = "@@ -3 +3 @@\n-three\n+3\n\\ No newline at end of file\n";
        assert_eq!(applied(text).unwrap(), "one\ntwo\n3");
    }

    #[test]
    fn header_fields_may_span_lines_and_missing_ones_are_listed() {
        let header = patch("@@ -0,0 +1 @@\n+x\n").unwrap().header;
        assert_eq!(header.field("Why").as_deref(), Some("because it must"));
        assert_eq!(header.field("Kind").as_deref(), Some("hook"));
        assert_eq!(header.faults().len(), 3);
        assert_eq!(Header::blank("x").faults().len(), HEADER_FIELDS.len());
    }

    #[test]
    fn rendering_leaves_out_servo_text_and_modes() {
        let diff = b"diff --git a/x b/x\nindex 1234..5678 100644\n--- a/x\n+++ b/x\n@@ -1,0 +2 @@ fn servo() {\n+index 9 9\n";
        let text = Patch::render(&Header("S\n\n".to_owned()), diff);
        let expected = "S\n\ndiff --git a/x b/x\nindex 1234..5678\n--- a/x\n+++ b/x\n@@ -1,0 +2 @@\n+index 9 9\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        let patch = Patch::parse("p", expected.as_bytes()).unwrap();
        assert_eq!(
            patch.files[0].index,
            Some(("1234".to_owned(), "5678".to_owned()))
        );
    }

    #[test]
    fn blob_names_are_those_of_git() {
        assert_eq!(blob_name(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    }
}
