/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The tests of a tree, found by the names and the contents of the files, as web-platform-tests finds them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use html5gum::{DefaultEmitter, Token, Tokenizer};
use walkdir::WalkDir;

/// Folders of files that tests use.
const NO_TESTS: [&str; 3] = ["resources", "support", "tools"];

/// How a test file shows what it found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Through testharness.js.
    Harness,
    /// By being loaded without a crash.
    Crash,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scheme {
    Http,
    Https,
}

/// How long the harness in the page gives a file.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Timeout {
    #[default]
    Normal,
    Long,
}

impl Timeout {
    /// Three times what the harness gives on its own, as `testharnessreport.js` asks it to.
    pub fn duration(self) -> Duration {
        match self {
            Self::Normal => Duration::from_secs(30),
            Self::Long => Duration::from_secs(180),
        }
    }
}

/// One page to be loaded.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Test {
    /// The path that it is served under, with the query of its variant.
    pub id: String,
    pub kind: Kind,
    pub scheme: Scheme,
    pub timeout: Timeout,
}

/// All tests in a folder of a tree, in the order of their names.
pub fn tests(root: &Path, folder: &str) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    let visible = |name: &str| !name.starts_with('.') && !NO_TESTS.contains(&name);
    let top = root.join(folder);
    let entries = WalkDir::new(&top)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| {
            entry.path() == top || entry.file_name().to_str().is_some_and(visible)
        });
    for entry in entries {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let path = entry.path().strip_prefix(root)?;
        let path = path
            .to_str()
            .with_context(|| format!("{} is not UTF-8", path.display()))?
            .replace('\\', "/");
        if !may_be_test(&path) {
            continue;
        }
        let text =
            fs::read_to_string(entry.path()).with_context(|| format!("cannot read {path}"))?;
        tests.extend(tests_of_file(&path, &text));
    }
    Ok(tests)
}

/// Those of the tests that are in the named files and folders, which are given from the top of the tree, from `folder`
/// or as the identities of tests.
pub fn select(tests: Vec<Test>, wanted: &[PathBuf]) -> Result<Vec<Test>> {
    if wanted.is_empty() {
        return Ok(tests);
    }
    let mut found = BTreeSet::new();
    for path in wanted {
        let name = served_name(&from_top(path)?);
        let matching: Vec<usize> = tests
            .iter()
            .enumerate()
            .filter(|(_, test)| is_in(&test.id, &name))
            .map(|(index, _)| index)
            .collect();
        ensure!(
            !matching.is_empty(),
            "there is no test in {}",
            path.display()
        );
        found.extend(matching);
    }
    Ok(tests
        .into_iter()
        .enumerate()
        .filter(|(index, _)| found.contains(index))
        .map(|(_, test)| test)
        .collect())
}

/// A path with slashes, from the top of the tree. It may be given from the folder that ours is in.
fn from_top(path: &Path) -> Result<String> {
    let mut parts = Vec::new();
    for component in path.components() {
        if let Component::Normal(part) = component {
            let part = part.to_str();
            parts.push(part.with_context(|| format!("{} is not UTF-8", path.display()))?);
        }
    }
    let skipped = usize::from(parts.first() == Some(&"wpt"));
    Ok(parts
        .into_iter()
        .skip(skipped)
        .collect::<Vec<_>>()
        .join("/"))
}

fn is_in(id: &str, name: &str) -> bool {
    let path = id.split('?').next().unwrap_or(id).trim_start_matches('/');
    name.is_empty()
        || id.trim_start_matches('/') == name
        || path
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn may_be_test(path: &str) -> bool {
    path.ends_with(".html") || path.ends_with(".window.js") || path.ends_with(".any.js")
}

/// The name under which a file is served, which differs if it is a script.
fn served_name(path: &str) -> String {
    let script = path
        .strip_suffix(".js")
        .filter(|stem| stem.ends_with(".window") || stem.ends_with(".any"));
    script.map_or_else(|| path.to_owned(), |stem| format!("{stem}.html"))
}

fn tests_of_file(path: &str, text: &str) -> Vec<Test> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut flags = name.split('.').skip(1);
    let scheme = if flags.any(|flag| flag == "https") {
        Scheme::Https
    } else {
        Scheme::Http
    };
    let metadata = if name.ends_with(".js") {
        Metadata::of_script(text)
    } else {
        Metadata::of_page(text)
    };
    let kind = if name
        .split('.')
        .next()
        .is_some_and(|stem| stem.ends_with("-crash"))
    {
        Kind::Crash
    } else if metadata.has_harness {
        Kind::Harness
    } else {
        // A page that a test uses.
        return Vec::new();
    };
    let mut variants = metadata.variants;
    if variants.is_empty() {
        variants.push(String::new());
    }
    variants
        .into_iter()
        .map(|variant| Test {
            id: format!("/{}{variant}", served_name(path)),
            kind,
            scheme,
            timeout: metadata.timeout,
        })
        .collect()
}

/// What a file says of itself.
#[derive(Debug, Default, Eq, PartialEq)]
struct Metadata {
    has_harness: bool,
    timeout: Timeout,
    variants: Vec<String>,
}

impl Metadata {
    fn of_page(text: &str) -> Self {
        let mut metadata = Self::default();
        let mut emitter = DefaultEmitter::default();
        // What stands in a script is no element.
        emitter.naively_switch_states(true);
        for token in Tokenizer::new_with_emitter(text, emitter) {
            let Ok(Token::StartTag(tag)) = token else {
                continue;
            };
            let attribute = |name: &[u8]| {
                tag.attributes
                    .get(name)
                    .map(|value| String::from_utf8_lossy(value).into_owned())
                    .unwrap_or_default()
            };
            match tag.name.as_slice() {
                b"script" if attribute(b"src") == "/resources/testharness.js" => {
                    metadata.has_harness = true
                }
                b"meta" => metadata.add(&attribute(b"name"), attribute(b"content")),
                _ => {}
            }
        }
        metadata
    }

    fn of_script(text: &str) -> Self {
        let mut metadata = Self {
            has_harness: true,
            ..Self::default()
        };
        for line in text.lines() {
            let Some(comment) = line.strip_prefix("//") else {
                if line.trim().is_empty() {
                    continue;
                }
                break;
            };
            if let Some((key, value)) = comment
                .trim()
                .strip_prefix("META:")
                .and_then(|pair| pair.split_once('='))
            {
                metadata.add(key.trim(), value.trim().to_owned());
            }
        }
        metadata
    }

    fn add(&mut self, key: &str, value: String) {
        match key {
            "timeout" if value == "long" => self.timeout = Timeout::Long,
            "variant" => self.variants.push(value),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HARNESS: &str = "<script src=\"/resources/testharness.js\"></script>";

    fn ids(tests: &[Test]) -> Vec<&str> {
        tests.iter().map(|test| test.id.as_str()).collect()
    }

    #[test]
    fn a_page_with_the_harness_is_a_test() {
        let tests = tests_of_file("webmcp/a.https.html", HARNESS);
        assert_eq!(
            tests,
            [Test {
                id: "/webmcp/a.https.html".to_owned(),
                kind: Kind::Harness,
                scheme: Scheme::Https,
                timeout: Timeout::Normal,
            }]
        );
        assert_eq!(
            tests_of_file("webmcp/non-secure.html", HARNESS)[0].scheme,
            Scheme::Http
        );
    }

    #[test]
    fn a_page_without_the_harness_is_none_unless_it_is_named_a_crash_test() {
        assert!(tests_of_file("webmcp/frame.https.html", "<p>").is_empty());
        assert!(
            tests_of_file(
                "webmcp/a.html",
                "<script>`<script src=/resources/testharness.js>`</script>"
            )
            .is_empty()
        );
        let tests = tests_of_file("webmcp/gone-crash.https.html", "<p>");
        assert_eq!(tests[0].kind, Kind::Crash);
    }

    #[test]
    fn timeouts_and_variants_are_read_from_pages_and_scripts() {
        let page = format!(
            "<meta name=timeout content=long><meta name=variant content='?a'><meta name=variant content='?b'>{HARNESS}"
        );
        let tests = tests_of_file("x/a.html", &page);
        assert_eq!(ids(&tests), ["/x/a.html?a", "/x/a.html?b"]);
        assert_eq!(tests[0].timeout, Timeout::Long);
        let tests = tests_of_file(
            "x/b.https.window.js",
            "// META: timeout=long\n\n// META: variant=?c\nx;\n// META: variant=?d",
        );
        assert_eq!(ids(&tests), ["/x/b.https.window.html?c"]);
        assert_eq!(
            (tests[0].timeout, tests[0].scheme),
            (Timeout::Long, Scheme::Https)
        );
    }

    #[test]
    fn a_tree_is_read_without_the_folders_of_support_files() {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("webmcp/b.html", HARNESS),
            ("webmcp/a.window.js", ""),
            ("webmcp/resources/c.html", HARNESS),
            ("webmcp/deep/d.html", HARNESS),
            ("webmcp/deep/e.js", "x"),
            ("other/f.html", HARNESS),
        ] {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let tests = tests(root.path(), "webmcp").unwrap();
        assert_eq!(
            ids(&tests),
            [
                "/webmcp/a.window.html",
                "/webmcp/b.html",
                "/webmcp/deep/d.html"
            ]
        );
    }

    #[test]
    fn tests_are_selected_by_file_folder_and_identity() {
        let all = || {
            ["webmcp/a.html", "webmcp/ab.html", "webmcp/c/d.html"]
                .into_iter()
                .flat_map(|path| tests_of_file(path, HARNESS))
                .chain(tests_of_file("webmcp/w.window.js", ""))
                .collect::<Vec<_>>()
        };
        let chosen =
            |path: &str| select(all(), &[PathBuf::from(path)]).map(|tests| ids(&tests).join(" "));
        assert_eq!(chosen("webmcp/a.html").unwrap(), "/webmcp/a.html");
        assert_eq!(chosen("/webmcp/a.html").unwrap(), "/webmcp/a.html");
        assert_eq!(chosen("wpt/webmcp/c/").unwrap(), "/webmcp/c/d.html");
        assert_eq!(
            chosen("wpt/webmcp/w.window.js").unwrap(),
            "/webmcp/w.window.html"
        );
        assert_eq!(chosen("./wpt/webmcp/ab.html").unwrap(), "/webmcp/ab.html");
        assert_eq!(chosen("wpt").unwrap().split(' ').count(), 4);
        assert!(chosen("webmcp/none.html").is_err());
        assert_eq!(ids(&select(all(), &[]).unwrap()).len(), 4);
    }
}
