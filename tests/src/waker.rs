/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use servo::EventLoopWaker;

/// Servo's word that it has something to do, as something to wait for.
#[derive(Clone, Default)]
pub(crate) struct Waker(Arc<Shared>);

#[derive(Default)]
struct Shared {
    has_work: Mutex<bool>,
    changed: Condvar,
}

impl Waker {
    /// Block until there is work, and take note of it; or until `deadline`, which gives `false`.
    pub(crate) fn wait(&self, deadline: Instant) -> bool {
        let timeout = deadline.saturating_duration_since(Instant::now());
        let has_work = self
            .0
            .has_work
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (mut has_work, _) = self
            .0
            .changed
            .wait_timeout_while(has_work, timeout, |has_work| !*has_work)
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *has_work)
    }
}

impl EventLoopWaker for Waker {
    fn clone_box(&self) -> Box<dyn EventLoopWaker> {
        Box::new(self.clone())
    }

    fn wake(&self) {
        *self
            .0
            .has_work
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
    }
}
