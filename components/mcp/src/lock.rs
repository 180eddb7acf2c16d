/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Locks that do not fail.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock. No code of this crate panics while it holds one. A writer of a [`CallLog`](crate::CallLog), which is
/// not of this crate, may. Whatever the locks guard is whole after every single change, so the poison says nothing.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
