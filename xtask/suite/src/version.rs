/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What programs say of their version.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// The version that a program gives when it is asked: the first word that begins with a digit, perhaps after a `v`.
pub fn of(program: &Path) -> Result<String> {
    let output = Command::new(program).arg("--version").output();
    let output = output.with_context(|| format!("cannot start {}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(number(&text).unwrap_or("unknown").to_owned())
}

fn number(text: &str) -> Option<&str> {
    text.split_whitespace()
        .map(|word| word.strip_prefix('v').unwrap_or(word))
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_found_among_other_words() {
        let text = "Chromium 156.0.8078.114 built on Debian GNU/Linux 12\n";
        assert_eq!(number(text), Some("156.0.8078.114"));
        assert_eq!(number("webmcp 0.1.0\n"), Some("0.1.0"));
        assert_eq!(number("v20.20.2\n"), Some("20.20.2"));
        assert_eq!(number("webmcp version\n"), None);
    }
}
