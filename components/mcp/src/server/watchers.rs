/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Telling clients that something has changed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::SubscriptionSink;
use rmcp::{Peer, RoleServer};
use tokio_util::sync::CancellationToken;

use super::resources::PageResource;
use super::state::{Shared, State};
use crate::Page;
use crate::lock::lock;

/// How long a result waits for clients to take the notification that belongs before it. One that does not read is not
/// waited for again until it does.
const FLUSH: Duration = Duration::from_secs(1);

/// The clients that want to know of changes.
#[derive(Default)]
pub(crate) struct Watchers {
    list: Mutex<Vec<Arc<Watcher>>>,
}

/// A client that wants to know of changes.
pub(super) struct Watcher {
    channel: Channel,
    /// What the client knows of. Held while it is told, so that it is told one thing after the other.
    known: tokio::sync::Mutex<State>,
    /// Whether a notification is on its way for longer than [`FLUSH`].
    stuck: AtomicBool,
}

/// How a client is told.
pub(super) enum Channel {
    /// Unsolicited, and of the resources that it subscribed to one by one.
    Unsolicited {
        peer: Peer<RoleServer>,
        subscribed: Arc<Mutex<BTreeSet<String>>>,
    },
    /// Within a `subscriptions/listen`.
    Subscription(SubscriptionSink),
}

impl Channel {
    fn wants_tools(&self) -> bool {
        match self {
            Channel::Unsolicited { .. } => true,
            Channel::Subscription(sink) => sink.accepted().tools_list_changed == Some(true),
        }
    }

    fn wants(&self, uri: &str) -> bool {
        match self {
            Channel::Unsolicited { subscribed, .. } => lock(subscribed).contains(uri),
            Channel::Subscription(sink) => sink
                .accepted()
                .resource_subscriptions
                .as_ref()
                .is_some_and(|uris| uris.iter().any(|other| other == uri)),
        }
    }

    /// Errors say that the client is gone, which its connection learns by itself.
    async fn tell_of_tools(&self) {
        match self {
            Channel::Unsolicited { peer, .. } => {
                let _ = peer.notify_tool_list_changed().await;
            }
            Channel::Subscription(sink) => {
                let _ = sink.notify_tool_list_changed().await;
            }
        }
    }

    /// See [`tell_of_tools`](Channel::tell_of_tools).
    async fn tell_of(&self, uri: &str) {
        match self {
            Channel::Unsolicited { peer, .. } => {
                let _ = peer
                    .notify_resource_updated(ResourceUpdatedNotificationParam::new(uri))
                    .await;
            }
            Channel::Subscription(sink) => {
                let _ = sink.notify_resource_updated(uri).await;
            }
        }
    }
}

impl Watcher {
    /// Tells the client of all that it does not know yet.
    async fn tell<P: Page>(&self, shared: &Shared<P>) {
        let mut known = self.known.lock().await;
        let now = shared.state();
        let before = std::mem::replace(&mut *known, now);
        if now.changes.tools != before.changes.tools && self.channel.wants_tools() {
            self.channel.tell_of_tools().await;
        }
        for resource in PageResource::ALL {
            if resource.has_changed(before, now) && self.channel.wants(resource.uri()) {
                self.channel.tell_of(resource.uri()).await;
            }
        }
        self.stuck.store(false, Ordering::Relaxed);
    }
}

impl<P: Page> Shared<P> {
    /// A client that is told of what changes from now on. It is told as long as [`follow`](Shared::follow) runs.
    pub(super) fn watch(&self, channel: Channel) -> Arc<Watcher> {
        Arc::new(Watcher {
            channel,
            known: tokio::sync::Mutex::new(self.state()),
            stuck: AtomicBool::new(false),
        })
    }

    /// Tells a client of changes until `closing` is cancelled or the browser is gone. Changes that come close together
    /// are told at once.
    pub(super) async fn follow(&self, watcher: Arc<Watcher>, closing: CancellationToken) {
        let mut calls = self.calls.subscribe();
        let mut changes = self.page.changes();
        // What changed since the watcher was made is not in these.
        let mut behind = *watcher.known.lock().await != self.state();
        let _listed = Listed::new(&self.watchers, watcher.clone());
        let telling = async {
            loop {
                if !behind {
                    let browser_is_there = tokio::select! {
                        changed = changes.changed() => changed.is_ok(),
                        changed = calls.changed() => changed.is_ok(),
                    };
                    if !browser_is_there {
                        break;
                    }
                }
                behind = false;
                tokio::time::sleep(self.options.pacing.debounce).await;
                changes.mark_unchanged();
                calls.mark_unchanged();
                watcher.tell(self).await;
            }
        };
        tokio::select! {
            () = closing.cancelled() => {},
            () = telling => {},
        }
    }

    /// Tells all clients of what has changed, at once. Returns when they have been told, or do not read.
    pub(super) async fn tell_all(self: &Arc<Self>) {
        let watchers = lock(&self.watchers.list).clone();
        let tellings = watchers
            .into_iter()
            .filter(|watcher| !watcher.stuck.load(Ordering::Relaxed))
            .map(|watcher| {
                // A task, because a notification that is given up halfway may be lost.
                let (shared, told) = (self.clone(), watcher.clone());
                (
                    watcher,
                    tokio::spawn(async move { told.tell(&shared).await }),
                )
            })
            .collect::<Vec<_>>();
        let deadline = tokio::time::Instant::now() + FLUSH;
        for (watcher, telling) in tellings {
            if tokio::time::timeout_at(deadline, telling).await.is_err() {
                watcher.stuck.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Keeps a watcher in the list.
struct Listed<'a> {
    watchers: &'a Watchers,
    watcher: Arc<Watcher>,
}

impl<'a> Listed<'a> {
    fn new(watchers: &'a Watchers, watcher: Arc<Watcher>) -> Listed<'a> {
        lock(&watchers.list).push(watcher.clone());
        Listed { watchers, watcher }
    }
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        lock(&self.watchers.list).retain(|other| !Arc::ptr_eq(other, &self.watcher));
    }
}
