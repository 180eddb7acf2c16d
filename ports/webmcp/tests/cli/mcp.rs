/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp serve` with the official clients of both revisions of the protocol.
//!
//! The tests themselves are scripts for Node, in `tests/mcp`. One can be run alone in the folder in which they are run
//! here, `tmp/mcp` of the target folder:
//!
//! ```sh
//! WEBMCP=../../debug/webmcp node --test-name-pattern='megabyte' large.test.js
//! ```

use std::path::Path;
use std::process::Command;

use super::npm::{self, Project};

const PROJECT: Project = Project {
    source: "mcp",
    name: "mcp",
    steps: &[&["ci"]],
    is_built_from: |file| {
        [".npmrc", "package.json", "package-lock.json"]
            .map(Path::new)
            .contains(&file)
    },
};

/// Runs the tests in `script` with the client of that revision.
fn run(script: &str, revision: &str) {
    let mut node = Command::new("node");
    node.args(["--test-reporter=spec", script])
        .current_dir(PROJECT.prepare())
        .env("WEBMCP", env!("CARGO_BIN_EXE_webmcp"))
        .env("REVISION", revision);
    npm::run(&mut node);
}

macro_rules! scripts {
    ($($name:ident: $script:literal,)*) => {
        $(mod $name {
            #[test]
            fn with_the_client_of_2026_07_28() {
                super::run($script, "2026-07-28");
            }

            #[test]
            fn with_the_client_of_2025_11_25() {
                super::run($script, "2025-11-25");
            }
        })*

        #[test]
        fn no_script_is_forgotten() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp");
            let mut scripts: Vec<String> = std::fs::read_dir(folder)
                .expect("the folder can be read")
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .filter(|name| name.ends_with(".test.js"))
                .collect();
            scripts.sort();
            assert_eq!(scripts, [$($script),*]);
        }
    };
}

scripts! {
    asking: "asking.test.js",
    calls: "calls.test.js",
    changes: "changes.test.js",
    crashing: "crashing.test.js",
    frames: "frames.test.js",
    http: "http.test.js",
    large: "large.test.js",
    leaving: "leaving.test.js",
    resources: "resources.test.js",
    running: "running.test.js",
}
