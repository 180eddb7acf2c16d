/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Telling a client that its call is still running.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use rmcp::{RoleServer, model::ProgressToken};
use tokio::time::{Instant, MissedTickBehavior};

/// Runs `work`, and notifies the client in each `interval` until it is done, if the client gave a token for that.
///
/// No notification is sent after this returns.
pub(super) async fn with_heartbeat<T>(
    context: &RequestContext<RoleServer>,
    interval: Duration,
    work: impl Future<Output = T>,
) -> T {
    let mut work = pin!(work);
    let Some(token) = context.meta.get_progress_token() else {
        return work.await;
    };
    let started = Instant::now();
    let mut beats = tokio::time::interval_at(started + interval, interval);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            _ = beats.tick() => {},
        }
        let mut beat = pin!(send(context, &token, started.elapsed()));
        tokio::select! {
            biased;
            () = &mut beat => {},
            done = &mut work => {
                // The result goes the same way, so it could not overtake anyway.
                beat.await;
                return done;
            },
        }
    }
}

/// How far a tool has come is known to nobody, so the number is that of the seconds it has run.
async fn send(context: &RequestContext<RoleServer>, token: &ProgressToken, elapsed: Duration) {
    let seconds = elapsed.as_secs_f64();
    let progress = ProgressNotificationParam::new(token.clone(), seconds)
        .with_message(format!("Still running after {seconds:.0} s"));
    // Fails if the client is gone, which cancels the call.
    let _ = context.peer.notify_progress(progress).await;
}
