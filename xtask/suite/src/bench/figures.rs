/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Figures of several browsers, over several rounds.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;

use super::browsers::Kind;

/// The figures of one row: those of each browser, or of whatever else is measured, one a round.
#[derive(Clone, Debug, Serialize)]
pub struct Figures<K: Ord = Kind>(BTreeMap<K, Vec<f64>>);

impl<K: Ord> Default for Figures<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> Figures<K> {
    pub fn add(&mut self, whose: K, figure: f64) {
        self.0.entry(whose).or_default().push(figure);
    }

    /// The median over the rounds.
    pub fn median(&self, whose: K) -> Option<f64> {
        median(self.0.get(&whose)?)
    }
}

impl Figures {
    /// How many times the figure of Chromium that of a browser is.
    pub fn ratio(&self, browser: Kind) -> Option<f64> {
        Some(self.median(browser)? / self.median(Kind::Chromium)?)
    }
}

/// The median of figures.
pub fn median(figures: &[f64]) -> Option<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get((sorted.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

/// The least figure that `percent` of them do not exceed.
pub fn percentile(figures: &[f64], percent: usize) -> Option<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
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
    fn a_percentile_is_one_of_the_figures() {
        let figures: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!(percentile(&figures, 95), Some(19.0));
        assert_eq!(percentile(&figures, 100), Some(20.0));
        assert_eq!(percentile(&[7.0], 95), Some(7.0));
        assert_eq!(percentile(&[], 95), None);
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
