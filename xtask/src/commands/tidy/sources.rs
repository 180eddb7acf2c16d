/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The rules for the files of this project.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use regex_lite::Regex;

use super::Findings;
use crate::overlay::manifest::Manifest;
use crate::util::git::Git;
use crate::util::project::Project;

/// The only place that locked crates come from, as cargo writes it.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub fn check(project: &Project, findings: &mut Findings) -> Result<()> {
    let rules = Rules::new()?;
    let manifest = Manifest::load(project)?;
    for path in files(project)? {
        placement(project, &manifest, &path, findings);
        let Ok(text) = fs::read_to_string(project.root.join(&path)) else {
            // Pictures and the like, and files that git still lists and that are gone.
            continue;
        };
        rules.check(&path, &text, findings);
    }
    Ok(())
}

/// All files that are in the repository, or would be.
fn files(project: &Project) -> Result<Vec<String>> {
    let text = Git::new(&project.root).text([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
    ])?;
    let mut files = text
        .split_terminator('\0')
        .map(str::to_owned)
        .collect::<Vec<_>>();
    files.sort();
    files.dedup();
    Ok(files)
}

/// Below `components/` there are crates of ours and files for crates of Servo, and nothing else.
fn placement(project: &Project, manifest: &Manifest, path: &str, findings: &mut Findings) {
    if !path.starts_with("components/") || manifest.package_of(path).is_some() {
        return;
    }
    let folders = Path::new(path)
        .ancestors()
        .skip(1)
        .take_while(|folder| *folder != Path::new("components"));
    if !folders
        .into_iter()
        .any(|folder| project.root.join(folder).join("Cargo.toml").is_file())
    {
        findings.error(format!(
            "{path} belongs to no crate of ours and to no package in patches/overlay.toml"
        ));
    }
}

struct Rules {
    licence: Regex,
    ignored_test: Regex,
    sleep: Regex,
    forbidden: Vec<(Regex, &'static str)>,
}

impl Rules {
    fn new() -> Result<Self> {
        let regex = |text: &str| Regex::new(text).with_context(|| format!("`{text}`"));
        Ok(Self {
            licence: regex(
                r"^\s*(/\*|//|<!--|#)[^\n]*Source Code Form is subject to the terms of the Mozilla Public",
            )?,
            ignored_test: regex(r"#\[(cfg_attr\([^\]]*)?ignore\b")?,
            sleep: regex(r"\bsleep(_ms|_until)?\(")?,
            forbidden: vec![
                // Each of these is written so that it does not match itself.
                (
                    regex(r"(^|[^\w.~-])/(root|home/\w+|Users/\w+)/")?,
                    "names a folder of somebody's machine",
                ),
                (
                    regex(r"artifactor[y]|://[\w.-]+:443/")?,
                    "names the host of a package registry",
                ),
            ],
        })
    }

    fn check(&self, path: &str, text: &str, findings: &mut Findings) {
        let is_rust = path.ends_with(".rs");
        if (is_rust || path.ends_with(".webidl")) && !self.licence.is_match(text) {
            findings.error(format!(
                "{path} does not begin with the header of the MPL-2.0"
            ));
        }
        let mut in_tests = path
            .split('/')
            .any(|part| part == "tests" || part == "tests.rs");
        for (number, line) in (1..).zip(text.lines()) {
            for (regex, fault) in &self.forbidden {
                if regex.is_match(line) {
                    findings.error(format!("{path}:{number} {fault}"));
                }
            }
            if path.ends_with("Cargo.lock")
                && line.starts_with("source = ")
                && !line.contains(CRATES_IO)
            {
                findings.error(format!(
                    "{path}:{number} takes a crate from elsewhere than crates.io"
                ));
            }
            if !is_rust {
                continue;
            }
            in_tests |= line.trim() == "#[cfg(test)]";
            let code = line.split("//").next().unwrap_or_default();
            if self.ignored_test.is_match(code) {
                findings.error(format!("{path}:{number} has a test that is never run"));
            }
            if in_tests && self.sleep.is_match(code) {
                findings.error(format!(
                    "{path}:{number} sleeps in a test: wait for a condition"
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(path: &str, text: &str) -> Vec<String> {
        let mut findings = Findings::default();
        Rules::new().unwrap().check(path, text, &mut findings);
        findings.errors
    }

    const HEADER: &str =
        "/* This Source Code Form is subject to the terms of the Mozilla Public\n */\n";

    #[test]
    fn the_licence_is_wanted_in_rust_and_webidl() {
        assert_eq!(errors("a.rs", "fn f() {}").len(), 1);
        assert_eq!(errors("a.webidl", "").len(), 1);
        assert_eq!(errors("a.rs", HEADER), [""; 0]);
        assert_eq!(errors("a.md", ""), [""; 0]);
    }

    #[test]
    fn ignored_tests_and_sleeps_in_tests_are_found() {
        let ignored = format!("{HEADER}#[{}]\n", "ignore");
        assert!(errors("a.rs", &ignored)[0].contains("a.rs:3"));
        let sleep = format!("{HEADER}thread::{}(x);\n", "sleep");
        assert_eq!(errors("src/a.rs", &sleep), [""; 0]);
        assert_eq!(errors("tests/a.rs", &sleep).len(), 1);
        let in_module = format!(
            "{HEADER}#[cfg(test)]\nmod tests {{ fn f() {{ {}(x) }} }}\n",
            "sleep"
        );
        assert_eq!(errors("src/a.rs", &in_module).len(), 1);
    }

    #[test]
    fn folders_of_machines_and_other_registries_are_found() {
        assert_eq!(errors("a.md", concat!("see /ho", "me/me/x")).len(), 1);
        assert_eq!(errors("a.md", "https://example.com/home/me/x"), [""; 0]);
        assert_eq!(
            errors(
                "ports/Cargo.lock",
                "source = \"registry+https://example.com/index\"\n"
            )
            .len(),
            1
        );
        assert_eq!(
            errors("Cargo.lock", &format!("source = \"{CRATES_IO}\"\n")),
            [""; 0]
        );
    }
}
