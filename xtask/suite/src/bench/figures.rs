/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Figures of several browsers, over several rounds.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;

use super::browsers::Kind;

/// The figures of one row: those of each browser, one a round.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figures(BTreeMap<Kind, Vec<f64>>);

impl Figures {
    pub fn add(&mut self, browser: Kind, figure: f64) {
        self.0.entry(browser).or_default().push(figure);
    }

    /// The median over the rounds.
    pub fn median(&self, browser: Kind) -> Option<f64> {
        median(self.0.get(&browser)?)
    }

    /// How many times the figure of Chromium that of a browser is.
    pub fn ratio(&self, browser: Kind) -> Option<f64> {
        Some(self.median(browser)? / self.median(Kind::Chromium)?)
    }
}

fn median(figures: &[f64]) -> Option<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get((sorted.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

/// A table, in the form of Markdown, in which all but the first column are numbers.
pub fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::ASCII_MARKDOWN)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(head);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A figure, or a mark that there is none.
pub fn cell(figure: Option<f64>, text: impl Fn(f64) -> String) -> String {
    figure.map_or_else(|| "-".to_owned(), text)
}

/// A number with two or three digits that count.
pub fn short(number: f64) -> String {
    match number {
        ..10.0 => format!("{number:.2}"),
        10.0..100.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[9.0, 1.0, 2.0, 4.0]), Some(3.0));
    }

    #[test]
    fn ratios_are_those_of_medians() {
        let mut figures = Figures::default();
        for figure in [1.0, 2.0, 30.0] {
            figures.add(Kind::Webmcp, figure);
        }
        assert_eq!(figures.ratio(Kind::Webmcp), None);
        figures.add(Kind::Chromium, 4.0);
        assert_eq!(figures.ratio(Kind::Webmcp), Some(0.5));
        assert_eq!(figures.ratio(Kind::Multiprocess), None);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.123, 9.99, 12.34, 1234.5].map(short),
            ["0.12", "9.99", "12.3", "1234"]
        );
    }
}
