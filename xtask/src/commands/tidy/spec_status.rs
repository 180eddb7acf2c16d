/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The ledger of the specification: what it names has to be there.

use std::fs;

use anyhow::Result;

use super::Findings;
use crate::util::project::Project;

const LEDGER: &str = "docs/spec-status.md";

/// Each table has a column `Where` with `path` or `path#symbol` in backticks.
pub fn check(project: &Project, findings: &mut Findings) -> Result<()> {
    let path = project.root.join(LEDGER);
    if !path.is_file() {
        findings.warning(format!("there is no {LEDGER}"));
        return Ok(());
    }
    for (line, place) in places(&fs::read_to_string(path)?) {
        let (path, symbol) = place.split_once('#').unwrap_or((place.as_str(), ""));
        match fs::read_to_string(project.root.join(path)) {
            Ok(text) if text.contains(symbol) => {}
            Ok(_) => findings.error(format!(
                "{LEDGER}:{line} names `{symbol}`, which is not in {path}"
            )),
            Err(_) => findings.error(format!("{LEDGER}:{line} names {path}, which is not there")),
        }
    }
    Ok(())
}

/// All places that the tables name, with the line that names them.
fn places(text: &str) -> Vec<(usize, String)> {
    let mut places = Vec::new();
    let mut column = None;
    for (number, line) in (1..).zip(text.lines()) {
        let Some(row) = line.trim().strip_prefix('|') else {
            column = None;
            continue;
        };
        let cells = row.split('|').map(str::trim).collect::<Vec<_>>();
        match column {
            None => {
                column = Some(
                    cells
                        .iter()
                        .position(|cell| cell.eq_ignore_ascii_case("where")),
                )
            }
            Some(Some(column)) => {
                // What stands between backticks is every other piece.
                let pieces = cells
                    .get(column)
                    .copied()
                    .unwrap_or_default()
                    .split('`')
                    .skip(1)
                    .step_by(2);
                places.extend(pieces.map(|piece| (number, piece.to_owned())));
            }
            Some(None) => {}
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_from_the_column_where() {
        let text = "# T\n\n| Algorithm | Where | Done |\n|---|---|---|\n| `x` | `a.rs#f`, `b.rs` | yes |\n\n| a |\n|-|\n| `c` |\n";
        assert_eq!(
            places(text),
            [(5, "a.rs#f".to_owned()), (5, "b.rs".to_owned())]
        );
    }
}
