/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! A sign of life on standard error for everything that takes more than a second.

use std::cell::RefCell;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use crate::escape::in_row;
use crate::output::print_note;

/// How long something may take before a sign of life is due.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(100);

/// What the command is doing, shown when it takes long and standard error is a terminal.
pub struct Progress {
    state: RefCell<State>,
}

enum State {
    /// Nobody is watching.
    Silent,
    /// Nothing is shown yet.
    Waiting {
        stage: String,
        due: Instant,
    },
    Shown(ProgressBar),
}

impl Progress {
    pub fn new() -> Self {
        let state = if io::stderr().is_terminal() {
            State::Waiting {
                stage: "starting".to_owned(),
                due: Instant::now() + PATIENCE,
            }
        } else {
            State::Silent
        };
        Self {
            state: RefCell::new(state),
        }
    }

    /// What is being done from now on.
    pub fn stage(&self, description: impl Into<String>) {
        match &mut *self.state.borrow_mut() {
            State::Silent => {}
            State::Waiting { stage, .. } => *stage = description.into(),
            State::Shown(bar) => bar.set_message(in_row(&description.into()).into_owned()),
        }
    }

    /// When [`show_when_due`](Self::show_when_due) has something to do.
    pub fn due(&self) -> Option<Instant> {
        match &*self.state.borrow() {
            State::Waiting { due, .. } => Some(*due),
            _ => None,
        }
    }

    /// Shows the stage if the time has come.
    pub fn show_when_due(&self) {
        let mut state = self.state.borrow_mut();
        if let State::Waiting { stage, due } = &*state
            && Instant::now() >= *due
        {
            let bar = ProgressBar::new_spinner().with_message(in_row(stage).into_owned());
            bar.enable_steady_tick(TICK);
            *state = State::Shown(bar);
        }
    }

    /// Prints a line on standard error. It may hold text that comes from a page.
    pub fn note(&self, line: &str) {
        match &*self.state.borrow() {
            State::Shown(bar) => bar.suspend(|| print_note(line)),
            State::Silent | State::Waiting { .. } => print_note(line),
        }
    }

    /// Takes the sign of life away, for good.
    pub fn finish(&self) {
        if let State::Shown(bar) = self.state.replace(State::Silent) {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}
