/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The tools of the page, and when their list has settled.
//!
//! No page says that it has registered all its tools. The list counts as settled when the page has loaded and neither a
//! tool nor the page has changed for a while; while there are no tools at all that while is longer, because many pages
//! build themselves only after they have loaded. A page that never comes to rest is taken as it is after some time.

use std::time::{Duration, Instant};

use servo::PageTool;

use super::tab::Tab;
use super::wait::Wait;
use super::{Awaited, Browser};

/// How long nothing must change while there are tools.
const QUIET: Duration = Duration::from_millis(250);

/// How long nothing must change while there are none.
const QUIET_WITHOUT_TOOLS: Duration = Duration::from_secs(2);

/// How long after the load a page that never comes to rest is watched.
const LONGEST_WATCH: Duration = Duration::from_secs(5);

/// What watching the tools came to.
pub enum Watched<T> {
    /// One of the lists was what was wanted.
    Picked(T),
    /// The list has settled without that.
    Settled(Vec<PageTool>),
}

impl Browser {
    /// Watches the tools of all frames of a loaded page until `pick` finds in them what it wants, or until they settle.
    pub fn watch_tools<T>(
        &self,
        pick: impl FnMut(&[PageTool]) -> Option<T>,
    ) -> Awaited<Watched<T>> {
        self.wait(self.deadline, self.tab.watch_tools(pick))
    }

    /// Waits until `pick` finds in the tools of all frames what it wants, however long they take to come.
    pub fn wait_for_tools<T>(&self, pick: impl FnMut(Vec<PageTool>) -> Option<T>) -> Awaited<T> {
        self.wait(self.deadline, self.tab.wait_for_tools(pick))
    }
}

impl Tab {
    /// Like [`Browser::wait_for_tools`].
    async fn wait_for_tools<T>(&self, mut pick: impl FnMut(Vec<PageTool>) -> Option<T>) -> T {
        loop {
            let changes = self.page.changes();
            if let Some(picked) = pick(self.tools_now().await) {
                return picked;
            }
            self.until(|| {
                if self.page.changes() == changes {
                    Wait::On
                } else {
                    Wait::Over(())
                }
            })
            .await;
        }
    }

    /// Like [`Browser::watch_tools`].
    pub async fn watch_tools<T>(
        &self,
        mut pick: impl FnMut(&[PageTool]) -> Option<T>,
    ) -> Watched<T> {
        let page = &self.page;
        let limit = page.last_load() + LONGEST_WATCH;
        loop {
            let changes = page.changes();
            let tools = self.tools_now().await;
            if let Some(picked) = pick(&tools) {
                return Watched::Picked(picked);
            }
            let quiet = if tools.is_empty() {
                QUIET_WITHOUT_TOOLS
            } else {
                QUIET
            };
            let settles_at = (page.last_change() + quiet).min(limit);
            let settled = self
                .until(|| {
                    let now = Instant::now();
                    // It is not complete any more when the page has begun to load another one.
                    let complete = self.is_complete();
                    if now >= limit && complete {
                        Wait::Over(true)
                    } else if page.changes() != changes {
                        Wait::Over(false)
                    } else if now < settles_at {
                        Wait::Until(settles_at)
                    } else if complete {
                        Wait::Over(true)
                    } else {
                        Wait::On
                    }
                })
                .await;
            if settled {
                return Watched::Settled(tools);
            }
        }
    }
}
