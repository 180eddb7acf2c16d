/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask bench start`: from the start of the process to the first tool, and the memory that this takes.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Serialize;
use tokio::time::{MissedTickBehavior, interval, timeout};
use xtask::util::progress::Progress;

use super::browsers::{Contestants, Ended, Kind, LIMIT, Running};
use super::figures::{Figures, cell, short, table};
use super::memory;
use super::server::Server;

/// How often the memory is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// The name of the tool of the page.
const TOOL: &str = "first_tool";

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
enum Row {
    /// Until the page has its tool from `getTools()` and tells the server so.
    ListedInPage,
    /// Until the tool stands on standard output.
    Printed,
    /// Until the process has ended.
    Ended,
    /// The most memory at any time until then.
    Memory,
}

impl Row {
    const ALL: [Self; 4] = [Self::ListedInPage, Self::Printed, Self::Ended, Self::Memory];

    fn text(self) -> &'static str {
        match self {
            Self::ListedInPage => "ms until getTools gives the page its tool",
            Self::Printed => "ms until the tool is printed",
            Self::Ended => "ms until the process has ended",
            Self::Memory => "MiB at most (PSS of all processes)",
        }
    }
}

/// The milliseconds or MiB of each row.
#[derive(Debug, Default, Serialize)]
pub struct StartFigures(BTreeMap<Row, Figures>);

impl StartFigures {
    fn add(&mut self, row: Row, browser: Kind, figure: f64) {
        self.0.entry(row).or_default().add(browser, figure);
    }
}

/// Starts each browser in turns. The memory is that of starts of their own, since looking at it takes time.
pub async fn measure(contestants: &Contestants, rounds: u16) -> Result<StartFigures> {
    let mut figures = StartFigures::default();
    let progress = Progress::start(
        &format!("Starting each browser {rounds} times"),
        "some seconds a time",
    );
    // The first start of all reads files that are then in memory.
    for browser in Kind::ALL {
        start(contestants, browser, &mut StartFigures::default()).await?;
    }
    for round in 0..rounds {
        for browser in Kind::in_round(round) {
            start(contestants, browser, &mut figures)
                .await
                .with_context(|| format!("{} did not list the tool", browser.text()))?;
        }
    }
    drop(progress);
    Ok(figures)
}

async fn start(contestants: &Contestants, browser: Kind, figures: &mut StartFigures) -> Result<()> {
    let mut server = Server::start().await?;
    let mut running = list_tools(contestants, browser, &server)?;
    let started = running.started();
    let ended = until_listed(&mut running).await?;
    let report = server.report().await?;
    let listed = report.time.duration_since(started);
    figures.add(Row::ListedInPage, browser, milliseconds(listed));
    let Some(printed) = ended.found else {
        bail!("it printed no `{TOOL}` but this: {}", ended.text);
    };
    figures.add(Row::Printed, browser, milliseconds(printed));
    figures.add(Row::Ended, browser, milliseconds(ended.time));

    let server = Server::start().await?;
    let mut running = list_tools(contestants, browser, &server)?;
    if let Some(most) = most_memory(&mut running).await? {
        figures.add(Row::Memory, browser, most);
    }
    Ok(())
}

/// Starts a browser that prints the tools of the page, or the page with the tools in it, and ends.
fn list_tools(contestants: &Contestants, browser: Kind, server: &Server) -> Result<Running> {
    let url = server.url("start.html");
    match browser {
        Kind::Webmcp | Kind::Multiprocess => contestants.start_webmcp(browser, &["tools", &url]),
        Kind::Chromium => contestants.start_chromium(&["--dump-dom", &url]),
    }
}

async fn until_listed(running: &mut Running) -> Result<Ended> {
    let ended = timeout(LIMIT, running.end(TOOL)).await;
    ended.context("it does not come to its end")?
}

async fn most_memory(running: &mut Running) -> Result<Option<f64>> {
    let id = running.id().context("it has ended at once")?;
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut most: Option<f64> = None;
    let listed = until_listed(running);
    tokio::pin!(listed);
    loop {
        tokio::select! {
            ended = &mut listed => {
                ended?;
                return Ok(most);
            }
            _ = looks.tick() => {
                if let Some(memory) = memory::of_tree(id) {
                    most = Some(most.unwrap_or_default().max(memory));
                }
            }
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// A table.
pub fn report(figures: &StartFigures) -> String {
    let mut table = table(&[
        "median",
        "webmcp",
        "multiprocess",
        "chromium",
        "ratio",
        "ratio mp",
    ]);
    for row in Row::ALL {
        let Some(figures) = figures.0.get(&row) else {
            continue;
        };
        let median = |browser| cell(figures.median(browser), short);
        let ratio = |browser| cell(figures.ratio(browser), short);
        table.add_row([
            row.text(),
            &median(Kind::Webmcp),
            &median(Kind::Multiprocess),
            &median(Kind::Chromium),
            &ratio(Kind::Webmcp),
            &ratio(Kind::Multiprocess),
        ]);
    }
    format!(
        "{}\n\n`webmcp tools` prints when no tool has come or gone for a quarter of a second after the load;\n\
         `chromium --dump-dom` prints when the page has loaded.\n",
        table
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_has_a_line_for_each_row_that_was_measured() {
        let mut figures = StartFigures::default();
        figures.add(Row::Printed, Kind::Webmcp, 100.0);
        figures.add(Row::Printed, Kind::Chromium, 400.0);
        let text = report(&figures);
        let line = text
            .lines()
            .find(|line| line.contains(Row::Printed.text()))
            .unwrap();
        let cells: Vec<&str> = line
            .split([' ', '|'])
            .filter(|cell| !cell.is_empty())
            .rev()
            .take(5)
            .collect();
        assert_eq!(cells, ["-", "0.25", "400", "-", "100"]);
        assert!(!text.contains("MiB"));
    }
}
