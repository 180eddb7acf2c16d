/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! How the main thread sleeps until the engine, a signal or the clock has something for it.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use servo::EventLoopWaker;

/// Wakes the one thread that waits on it. Clones are the same waker.
#[derive(Clone, Default)]
pub struct Waker(Arc<Bell>);

#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    condition: Condvar,
}

impl Waker {
    /// Wakes the waiting thread; if none waits, the next wait returns at once.
    pub fn ring(&self) {
        *self.0.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.condition.notify_one();
    }

    /// Sleeps until the bell has been rung since the last wait, or until `deadline` if there is one.
    pub fn wait_until(&self, deadline: impl Into<Option<Instant>>) {
        let deadline = deadline.into();
        let mut rung = self.0.rung.lock().unwrap_or_else(PoisonError::into_inner);
        while !*rung {
            let Some(deadline) = deadline else {
                rung = self
                    .0
                    .condition
                    .wait(rung)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let Some(time) = deadline
                .checked_duration_since(Instant::now())
                .filter(|time| !time.is_zero())
            else {
                return;
            };
            rung = self
                .0
                .condition
                .wait_timeout(rung, time)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        *rung = false;
    }
}

impl EventLoopWaker for Waker {
    fn clone_box(&self) -> Box<dyn EventLoopWaker> {
        Box::new(self.clone())
    }

    fn wake(&self) {
        self.ring();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_ring_before_the_wait_is_not_lost() {
        let waker = Waker::default();
        let start = Instant::now();
        waker.ring();
        waker.wait_until(start + LONG);
        assert!(start.elapsed() < LONG);
    }

    #[test]
    fn a_ring_from_another_thread_ends_the_wait() {
        let waker = Waker::default();
        let start = Instant::now();
        let other = thread::spawn({
            let waker = waker.clone();
            move || waker.wake()
        });
        waker.wait_until(None);
        assert!(start.elapsed() < LONG);
        other.join().expect("the thread ends well");
    }

    #[test]
    fn a_wait_ends_at_its_deadline_and_rings_are_counted_once() {
        let waker = Waker::default();
        waker.ring();
        waker.ring();
        waker.wait_until(Instant::now() + LONG);
        let deadline = Instant::now() + Duration::from_millis(20);
        waker.wait_until(deadline);
        assert!(Instant::now() >= deadline);
    }
}
