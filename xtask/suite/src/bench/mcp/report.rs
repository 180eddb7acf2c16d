/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What is told of the figures.

use std::fmt::Write as _;

use super::servers::Server;
use super::{McpFigures, Row};
use crate::bench::figures::{cell, short, table};

/// What ours is to be: how many times faster in a call than the fastest of the others, ...
const CALL_GOAL: f64 = 3.0;
/// ... and how many times smaller than the smallest.
const MEMORY_GOAL: f64 = 4.0;

const ROWS: [Row; 4] = [Row::Listed, Row::Call, Row::SlowCall, Row::Memory];

/// A table with a line for each server, what is missing, and the goals.
pub fn report(figures: &McpFigures) -> String {
    let mut table = table(&[
        "median of the rounds",
        "ms to the first list",
        "x",
        "ms a call, p50",
        "x",
        "ms a call, p95",
        "x",
        "MiB (PSS)",
        "x",
    ]);
    for server in Server::ALL {
        let mut cells = vec![server.text().to_owned()];
        for row in ROWS {
            cells.push(cell(figures.median(row, server), short));
            cells.push(cell(times_ours(figures, row, server), short));
        }
        table.add_row(cells);
    }
    let mut text = format!("{table}\n\nx: how many times that of webmcp serve.");
    for (name, version) in &figures.versions {
        let _ = write!(text, " {name} {version}.");
    }
    text.push_str("\n\n");
    for (server, reason) in &figures.failures {
        let _ = writeln!(text, "FAILED  {}: {reason}", server.text());
    }
    text.push_str(&goal(figures, Row::Call, CALL_GOAL, "faster in a call"));
    text.push_str(&goal(
        figures,
        Row::Memory,
        MEMORY_GOAL,
        "smaller in memory",
    ));
    text
}

/// How many times ours the figure of a server is.
fn times_ours(figures: &McpFigures, row: Row, server: Server) -> Option<f64> {
    Some(figures.median(row, server)? / figures.median(row, Server::Webmcp)?)
}

/// A line that says whether the best of the others is far enough behind.
fn goal(figures: &McpFigures, row: Row, goal: f64, what: &str) -> String {
    let best = Server::PEERS
        .into_iter()
        .filter_map(|server| Some((server, times_ours(figures, row, server)?)))
        .min_by(|(_, one), (_, other)| one.total_cmp(other));
    match best {
        Some((server, times)) => format!(
            "{}  {} times {what} than the best of the others, {}; the goal is {goal}\n",
            if times >= goal { "met   " } else { "MISSED" },
            short(times),
            server.text()
        ),
        None => {
            format!("There is nothing to say how many times {what} ours is; the goal is {goal}\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> McpFigures {
        let mut figures = McpFigures::default();
        for (server, call, memory) in [
            (Server::Webmcp, 2.0, 100.0),
            (Server::ChromeDevtools, 6.0, 500.0),
            (Server::Playwright, 500.0, 390.0),
        ] {
            figures.add(Row::Call, server, call);
            figures.add(Row::Memory, server, memory);
        }
        figures
    }

    #[test]
    fn the_best_of_the_others_decides_about_each_goal() {
        let text = report(&figures());
        assert!(
            text.ends_with(
                "met     3.00 times faster in a call than the best of the others, chrome-devtools-mcp; the goal is 3\n\
                 MISSED  3.90 times smaller in memory than the best of the others, @playwright/mcp; the goal is 4\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_server_that_failed_is_told_with_its_reason_and_dashes() {
        let mut figures = figures();
        let reason = "it does not start".to_owned();
        figures.failures.insert(Server::AgentBrowser, reason);
        let text = report(&figures);
        assert!(
            text.contains("FAILED  agent-browser mcp: it does not start\n"),
            "{text}"
        );
        let line = text
            .lines()
            .find(|line| line.starts_with("| agent-browser"))
            .unwrap();
        assert_eq!(line.matches(" - ").count(), 8, "{line}");
    }

    #[test]
    fn without_figures_of_ours_no_goal_is_met() {
        let mut figures = McpFigures::default();
        figures.add(Row::Call, Server::Playwright, 1.0);
        let text = report(&figures);
        assert!(
            !text.contains("met  ") && text.contains("nothing to say"),
            "{text}"
        );
    }
}
