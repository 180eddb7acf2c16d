/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Waiting for the engine, as futures.
//!
//! Whatever is asked of a page is answered from within the engine's event loop, on the one thread that runs it. So a
//! future that waits for an answer needs nobody to wake it: all of them are polled after each event of the engine. One
//! that depends on the clock as well says when it wants to be polled, through the [`Alarm`].

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{self, Context, Poll};
use std::time::Instant;

/// What a wait is told by its condition.
pub enum Wait<T> {
    /// It is over.
    Over(T),
    /// It goes on until something happens.
    On,
    /// It goes on until something happens, and the condition wants to look again at this time.
    Until(Instant),
}

/// When the next of the waiting futures wants to be polled though nothing has happened.
#[derive(Default)]
pub struct Alarm(Cell<Option<Instant>>);

impl Alarm {
    /// The time, which is forgotten: each future that still waits for one says so again when it is polled.
    pub fn take(&self) -> Option<Instant> {
        self.0.take()
    }

    /// Waits until `condition` says that it is over. It is looked at after each event, so it must be cheap.
    pub fn until<T>(&self, mut condition: impl FnMut() -> Wait<T>) -> impl Future<Output = T> {
        poll_fn(move |_| match condition() {
            Wait::Over(value) => Poll::Ready(value),
            Wait::On => Poll::Pending,
            Wait::Until(time) => {
                self.set(time);
                Poll::Pending
            }
        })
    }

    fn set(&self, time: Instant) {
        let first = self.0.get().map_or(time, |earlier| earlier.min(time));
        self.0.set(Some(first));
    }
}

/// Polls a future that needs nobody to wake it.
pub fn poll<T>(future: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Poll<T> {
    future.poll(&mut Context::from_waker(task::Waker::noop()))
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_wait_goes_on_until_its_condition_holds() {
        let alarm = Alarm::default();
        let happened = Cell::new(false);
        let mut wait = pin!(alarm.until(|| if happened.get() {
            Wait::Over(7)
        } else {
            Wait::On
        }));
        assert_eq!(poll(wait.as_mut()), Poll::Pending);
        assert_eq!(alarm.take(), None);
        happened.set(true);
        assert_eq!(poll(wait.as_mut()), Poll::Ready(7));
    }

    #[test]
    fn the_alarm_goes_off_for_the_first_of_those_who_wait() {
        let alarm = Alarm::default();
        let start = Instant::now();
        let [soon, late] = [1, 2].map(|seconds| start + Duration::from_secs(seconds));
        let mut waits =
            [late, soon, late].map(|time| Box::pin(alarm.until(move || Wait::<()>::Until(time))));
        for wait in &mut waits {
            assert_eq!(poll(wait.as_mut()), Poll::Pending);
        }
        assert_eq!(alarm.take(), Some(soon));
        assert_eq!(
            alarm.take(),
            None,
            "whoever still waits has to say so again"
        );
    }
}
