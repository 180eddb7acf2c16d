/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask bench page`: what the methods of `document.modelContext` cost inside a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail};
use serde::Serialize;
use tokio::time::timeout;
use xtask::util::progress::Progress;

use super::browsers::{Contestants, Kind, LIMIT};
use super::figures::{Figures, cell, short, table};
use super::server::Server;

/// The least that something can cost.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Floor {
    /// What one document sends to itself.
    Document,
    /// What goes to another event loop and back.
    EventLoops,
}

impl Floor {
    /// The row that measures it.
    fn key(self) -> &'static str {
        match self {
            Self::Document => "channel",
            Self::EventLoops => "frame_message",
        }
    }

    /// How many times the floor something may cost.
    fn limit(self) -> f64 {
        match self {
            Self::Document => 3.0,
            Self::EventLoops => 2.0,
        }
    }
}

/// One thing that the page measures.
struct Row {
    /// What the page calls it.
    key: &'static str,
    text: &'static str,
    /// How many times the time of Chromium it may take. The floors are none of our doing.
    ratio: Option<f64>,
    /// What it is held against, if it is as small as that.
    floor: Option<Floor>,
}

/// What everything is to be faster than.
const CHROMIUM: Option<f64> = Some(1.0);

/// What listing and calling tools is to take at most.
const HALF: Option<f64> = Some(0.5);

const fn row(
    key: &'static str,
    text: &'static str,
    ratio: Option<f64>,
    floor: Option<Floor>,
) -> Row {
    Row {
        key,
        text,
        ratio,
        floor,
    }
}

#[rustfmt::skip]
const ROWS: [Row; 13] = [
    row("channel", "floor: MessageChannel, there and back", None, None),
    row("register_one", "registerTool, one after the other", CHROMIUM, Some(Floor::Document)),
    row("register_1000", "registerTool, each of 1,000 at once", CHROMIUM, None),
    row("list_10", "getTools, 10 tools", HALF, Some(Floor::Document)),
    row("list_1000", "getTools, 1,000 tools", HALF, None),
    row("call_same_document", "executeTool, same document", HALF, Some(Floor::Document)),
    row("call_same_origin_frame", "executeTool, same-origin frame", HALF, Some(Floor::Document)),
    row("call_megabyte", "executeTool, 1 MB there and back", HALF, None),
    row("abort", "abort of a call to the tool's signal", CHROMIUM, Some(Floor::Document)),
    row("frame_message", "floor: postMessage to a cross-origin frame and back", None, None),
    row("call_cross_origin_frame", "executeTool, cross-origin frame", HALF, Some(Floor::EventLoops)),
    row("call_cross_origin_1000", "executeTool, cross-origin frame beside 1,000 tools", HALF, Some(Floor::EventLoops)),
    row("call_megabyte_cross_origin", "executeTool, 1 MB to a cross-origin frame and back", HALF, None),
];

/// The microseconds of each row.
#[derive(Debug, Serialize)]
pub struct PageFigures(BTreeMap<&'static str, Figures>);

impl PageFigures {
    fn median(&self, key: &str, browser: Kind) -> Option<f64> {
        self.0.get(key)?.median(browser)
    }

    /// How many times its floor a row is.
    fn floors(&self, row: &Row, browser: Kind) -> Option<f64> {
        Some(self.median(row.key, browser)? / self.median(row.floor?.key(), browser)?)
    }
}

/// Runs the page in each browser in turns.
pub async fn measure(contestants: &Contestants, rounds: u16) -> Result<PageFigures> {
    let mut figures = PageFigures(BTreeMap::new());
    for round in 0..rounds {
        for browser in Kind::in_round(round) {
            let what = format!("Round {} of {rounds}: {}", round + 1, browser.text());
            let progress = Progress::start(&what, "about 10 s");
            let text = run_page(contestants, browser)
                .await
                .with_context(|| format!("{} did not measure", browser.text()))?;
            drop(progress);
            for (key, figure) in parse(&text)? {
                figures.0.entry(key).or_default().add(browser, figure);
            }
        }
    }
    Ok(figures)
}

/// What the page tells.
async fn run_page(contestants: &Contestants, browser: Kind) -> Result<String> {
    let mut server = Server::start().await?;
    if browser != Kind::Chromium {
        let url = server.url("page.html");
        let mut running = contestants.start_webmcp(browser, &["eval", &url, "runBench()"])?;
        return Ok(running.end("").await?.text);
    }
    // No DevTools or WebDriver: they would slow the page down.
    let mut running = contestants.start_chromium(&[&server.url("page.html?report")])?;
    let text = tokio::select! {
        report = timeout(LIMIT, server.report()) => {
            report.context("the page has not reported in time")??.text
        }
        ended = running.end("") => {
            ended?;
            bail!("it ended before the page had reported");
        }
    };
    running.kill().await?;
    Ok(text)
}

/// The figures of all rows.
fn parse(text: &str) -> Result<Vec<(&'static str, f64)>> {
    let report: serde_json::Value = serde_json::from_str(text)
        .with_context(|| format!("the page has reported what is no JSON: {text}"))?;
    if let Some(error) = report.get("error") {
        bail!("the page has failed: {error}");
    }
    ROWS.iter()
        .map(|row| {
            let figure = report.get(row.key).and_then(serde_json::Value::as_f64);
            let figure =
                figure.with_context(|| format!("the page has not measured {}", row.key))?;
            Ok((row.key, figure))
        })
        .collect()
}

/// A table, and the goals that are missed.
pub fn report(figures: &PageFigures) -> String {
    let mut table = table(&[
        "microseconds a call, median",
        "webmcp",
        "multiprocess",
        "chromium",
        "ratio",
        "ratio mp",
        "floors",
        "floors mp",
        "floors chromium",
        "goals",
    ]);
    let mut misses = String::new();
    let mut count = 0;
    for row in &ROWS {
        let median = |browser| cell(figures.median(row.key, browser), short);
        let ratio = |browser| {
            let ratio = figures
                .0
                .get(row.key)
                .and_then(|figures| figures.ratio(browser));
            cell(ratio, short)
        };
        let floors = |browser| cell(figures.floors(row, browser), short);
        let mut is_missed = false;
        for browser in Kind::OURS {
            for miss in missed(figures, row, browser) {
                is_missed = true;
                count += 1;
                let _ = writeln!(misses, "MISSED  {}, {}: {miss}", browser.text(), row.text);
            }
        }
        let goals = match (row.ratio, is_missed) {
            (None, _) => "",
            (Some(_), false) => "met",
            (Some(_), true) => "MISSED",
        };
        table.add_row([
            row.text,
            &median(Kind::Webmcp),
            &median(Kind::Multiprocess),
            &median(Kind::Chromium),
            &ratio(Kind::Webmcp),
            &ratio(Kind::Multiprocess),
            &floors(Kind::Webmcp),
            &floors(Kind::Multiprocess),
            &floors(Kind::Chromium),
            goals,
        ]);
    }
    let verdict = match count {
        0 => "All goals are met".to_owned(),
        1 => "1 goal is missed".to_owned(),
        count => format!("{count} goals are missed"),
    };
    format!("{}\n\n{misses}{verdict}\n", table)
}

/// The goals that a row misses in a browser, in words.
fn missed(figures: &PageFigures, row: &Row, browser: Kind) -> Vec<String> {
    let mut missed = Vec::new();
    let ratio = figures
        .0
        .get(row.key)
        .and_then(|figures| figures.ratio(browser));
    if let (Some(limit), Some(ratio)) = (row.ratio, ratio)
        && (ratio > limit || (row.ratio == CHROMIUM && ratio >= limit))
    {
        missed.push(format!(
            "{} of the time of Chromium, not {limit}",
            short(ratio)
        ));
    }
    if let (Some(floor), Some(floors)) = (row.floor, figures.floors(row, browser))
        && floors > floor.limit()
    {
        missed.push(format!(
            "{} times the floor, not {}",
            short(floors),
            floor.limit()
        ));
    }
    missed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(rows: &[(&'static str, f64, f64)]) -> PageFigures {
        let mut figures = PageFigures(BTreeMap::new());
        for (key, webmcp, chromium) in rows {
            let row = figures.0.entry(key).or_default();
            row.add(Kind::Webmcp, *webmcp);
            row.add(Kind::Chromium, *chromium);
        }
        figures
    }

    fn misses(figures: &PageFigures, key: &str) -> Vec<String> {
        let row = ROWS.iter().find(|row| row.key == key).unwrap();
        missed(figures, row, Kind::Webmcp)
    }

    #[test]
    fn goals_are_held_against_chromium_and_the_floor() {
        let good = figures(&[("channel", 20.0, 20.0), ("call_same_document", 60.0, 120.0)]);
        assert_eq!(misses(&good, "call_same_document"), [""; 0]);
        let slow = figures(&[("channel", 10.0, 20.0), ("call_same_document", 61.0, 120.0)]);
        assert_eq!(
            misses(&slow, "call_same_document"),
            [
                "0.51 of the time of Chromium, not 0.5",
                "6.10 times the floor, not 3"
            ]
        );
        let even = figures(&[("channel", 10.0, 20.0), ("register_one", 30.0, 30.0)]);
        assert_eq!(
            misses(&even, "register_one"),
            ["1.00 of the time of Chromium, not 1"]
        );
        let between = figures(&[
            ("frame_message", 10.0, 20.0),
            ("call_cross_origin_frame", 21.0, 100.0),
        ]);
        assert_eq!(
            misses(&between, "call_cross_origin_frame"),
            ["2.10 times the floor, not 2"]
        );
    }

    #[test]
    fn the_report_tells_what_is_missed() {
        let slow = figures(&[("channel", 10.0, 20.0), ("abort", 31.0, 100.0)]);
        let text = report(&slow);
        assert!(
            text.ends_with(
                "MISSED  webmcp, abort of a call to the tool's signal: 3.10 times the floor, not 3\n\
                 1 goal is missed\n"
            ),
            "{text}"
        );
        let row = text
            .lines()
            .find(|line| line.starts_with("| abort"))
            .unwrap();
        let cells: Vec<&str> = row
            .split([' ', '|'])
            .filter(|cell| !cell.is_empty())
            .rev()
            .take(9)
            .collect();
        assert_eq!(
            cells,
            [
                "MISSED", "5.00", "-", "3.10", "-", "0.31", "100", "-", "31.0"
            ]
        );
    }

    #[test]
    fn a_page_that_failed_or_left_something_out_is_an_error() {
        assert!(parse("nonsense").is_err());
        let error = parse(r#"{"error":"no tools"}"#).unwrap_err().to_string();
        assert!(error.contains("no tools"), "{error}");
        let error = parse(r#"{"channel":1}"#).unwrap_err().to_string();
        assert!(error.contains("register_one"), "{error}");
        let all: serde_json::Map<_, _> = ROWS
            .iter()
            .map(|row| (row.key.to_owned(), serde_json::json!(1.5)))
            .collect();
        let text = serde_json::Value::Object(all).to_string();
        assert_eq!(parse(&text).unwrap().len(), ROWS.len());
    }
}
