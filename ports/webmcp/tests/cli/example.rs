/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The example program for embedders does what it says. Cargo builds it along with the tests, unless it is told to
//! build nothing but these.

use std::path::Path;

use assert_cmd::Command;
use predicates::str::contains;

use crate::loading::{HTML, server_of};

const SHOP: &str = "<!doctype html><script>
    const tool = (name, execute, annotations) =>
      document.modelContext.registerTool({ name, description: name, execute, annotations });
    tool('greet', ({ name }) => `Hello ${name}`);
    tool('buy', () => 'bought', { consequentialHint: true });
    </script>";

fn example(tool: &str, input: &str) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_webmcp")).with_file_name("examples");
    let mut command = Command::new(program.join("page_tools"));
    command.args([
        &format!("http://127.0.0.1:{}/", server_of("200 OK", &[HTML], SHOP)),
        tool,
        input,
    ]);
    command
}

#[test]
fn a_tool_is_found_and_run() {
    example("greet", r#"{"name": "Ada"}"#)
        .assert()
        .success()
        .stdout("Hello Ada\n")
        .stderr(contains("greet"));
}

#[test]
fn a_tool_with_consequences_is_not_run() {
    example("buy", "{}")
        .assert()
        .success()
        .stdout("")
        .stderr(contains("refused: "));
}
