/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `cargo xtask bench mcp`: what an MCP client waits for and what that takes, with `webmcp serve` and with other
//! servers that give the tools of a page to MCP clients, which drive Chromium.
//!
//! [`servers`] says how each is started and asked, [`npm`] installs those of others, and [`client`] is the one client
//! that asks them all.

mod client;
mod npm;
mod report;
mod servers;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use serde::Serialize;
use tokio::time::timeout;
use xtask::util::progress::Progress;
use xtask::util::{self};

use self::client::Session;
pub use self::report::report;
use self::servers::{Server, Servers};
use super::browsers::Contestants;
use super::figures::{Figures, median, percentile};
use super::server;

/// How long one server may take for one round, beside its calls.
const LIMIT: Duration = Duration::from_secs(120);
/// How long one call may take.
const CALL_LIMIT: Duration = Duration::from_secs(30);
/// How many calls do not count: the first ones find nothing compiled.
const WARM_UP: u16 = 10;

/// One thing that is measured.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Row {
    /// Milliseconds from the start of the process until a list has the tool of the page.
    Listed,
    /// Milliseconds of a call: the median.
    Call,
    /// Milliseconds of a call: what 95 of 100 do not exceed.
    SlowCall,
    /// MiB of all processes, after the calls.
    Memory,
}

/// What was measured.
#[derive(Debug, Default, Serialize)]
pub struct McpFigures {
    pub rows: BTreeMap<Row, Figures<Server>>,
    /// Why there are none of a server, or not those of all rounds.
    pub failures: BTreeMap<Server, String>,
    /// What each program is, by its name.
    pub versions: BTreeMap<&'static str, String>,
}

impl McpFigures {
    pub fn median(&self, row: Row, server: Server) -> Option<f64> {
        self.rows.get(&row)?.median(server)
    }

    fn add(&mut self, row: Row, server: Server, figure: f64) {
        self.rows.entry(row).or_default().add(server, figure);
    }
}

/// Installs the servers, and starts and asks each in turns. One that fails is left out from then on.
pub async fn measure(contestants: &Contestants, rounds: u16, calls: u16) -> Result<McpFigures> {
    let mut figures = McpFigures::default();
    let (servers, failed) = Servers::install(contestants)?;
    for (server, error) in failed {
        note(&mut figures, server, &error);
    }
    figures.versions = servers.versions.clone();
    for round in 0..rounds {
        for server in Server::in_round(round) {
            if figures.failures.contains_key(&server) {
                continue;
            }
            let what = format!("Round {} of {rounds}: {}", round + 1, server.text());
            let progress = Progress::start(&what, "some seconds to a minute");
            let measured = measure_one(&servers, server, calls).await;
            drop(progress);
            match measured {
                Ok(measured) => {
                    for (row, figure) in measured {
                        figures.add(row, server, figure);
                    }
                }
                Err(error) => note(&mut figures, server, &error),
            }
        }
    }
    Ok(figures)
}

fn note(figures: &mut McpFigures, server: Server, error: &anyhow::Error) {
    let reason = format!("{error:#}");
    util::say(format_args!("{} is left out: {reason}", server.text()));
    figures.failures.insert(server, reason);
}

/// One start of one server.
async fn measure_one(servers: &Servers, server: Server, calls: u16) -> Result<Vec<(Row, f64)>> {
    let pages = server::Server::start().await?;
    let mut session = Session::start(servers, server, &pages.url("start.html"))?;
    let measured = ask(&mut session, calls).await;
    let closed = session.close().await;
    let measured = measured.and_then(|measured| closed.map(|()| measured));
    measured.map_err(|error| match session.last_words() {
        words if words.is_empty() => error,
        words => anyhow!("{error:#}\nIt said:\n{words}"),
    })
}

async fn ask(session: &mut Session, calls: u16) -> Result<Vec<(Row, f64)>> {
    let listed = timeout(LIMIT, session.until_listed()).await;
    let listed = listed.context("it does not list the tool of the page in time")??;
    let mut times = Vec::new();
    for number in 0..WARM_UP.saturating_add(calls) {
        let query = format!("tea {number}");
        let time = timeout(CALL_LIMIT, session.call_page_tool(&query)).await;
        let time = time.context("it does not answer a call in time")??;
        if number >= WARM_UP {
            times.push(milliseconds(time));
        }
    }
    let mut measured = vec![(Row::Listed, milliseconds(listed))];
    measured.extend(median(&times).map(|time| (Row::Call, time)));
    measured.extend(percentile(&times, 95).map(|time| (Row::SlowCall, time)));
    measured.extend(session.memory().map(|memory| (Row::Memory, memory)));
    Ok(measured)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Fails if there is nothing of our own to compare with.
pub fn ensure_measured(figures: &McpFigures) -> Result<()> {
    let reason = figures.failures.get(&Server::Webmcp);
    ensure!(
        reason.is_none(),
        "{} was not measured: {}",
        Server::Webmcp.text(),
        reason.map_or("", String::as_str)
    );
    Ok(())
}
