/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What is going on while a long step says nothing of its own.

use std::io::{IsTerminal as _, stderr};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How often a line is printed where no bar can be drawn.
const EVERY: Duration = Duration::from_secs(60);

/// Shows that a step is under way until it is dropped: with a clock that runs on a terminal, with a
/// line each minute elsewhere.
pub struct Progress {
    shown: Shown,
}

enum Shown {
    Bar(ProgressBar),
    /// The thread that prints ends when the sender is dropped.
    Lines(Option<Sender<()>>, Option<JoinHandle<()>>),
}

impl Progress {
    /// `usual` says how long the step takes as a rule, in words.
    pub fn start(what: &str, usual: &str) -> Self {
        let text = format!("{what} (takes {usual})");
        if stderr().is_terminal() {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} — {elapsed}") {
                bar.set_style(style);
            }
            bar.set_message(text);
            bar.enable_steady_tick(Duration::from_millis(200));
            return Self {
                shown: Shown::Bar(bar),
            };
        }
        super::say(&text);
        let what = what.to_owned();
        let started = Instant::now();
        let (sender, receiver) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            while receiver.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                super::say(format_args!(
                    "{what}: {} so far",
                    duration(started.elapsed())
                ));
            }
        });
        Self {
            shown: Shown::Lines(Some(sender), Some(thread)),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        match &mut self.shown {
            Shown::Bar(bar) => bar.finish_and_clear(),
            Shown::Lines(sender, thread) => {
                drop(sender.take());
                // A thread that failed to print has nothing to say to us.
                let _ = thread.take().map(JoinHandle::join);
            }
        }
    }
}

/// A length of time as people say it.
pub fn duration(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..10 => format!("{seconds}.{} s", time.subsec_millis() / 100),
        seconds @ 10..120 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short_words() {
        assert_eq!(duration(Duration::from_millis(1250)), "1.2 s");
        assert_eq!(duration(Duration::from_secs(75)), "75 s");
        assert_eq!(duration(Duration::from_secs(754)), "12 min 34 s");
    }
}
