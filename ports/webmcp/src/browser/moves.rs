/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Taking the page to another address: by an address, back in the history, or to the same one again.
//!
//! One move at a time. The engine has no event for "this load has been taken on", and drops an address that it is given
//! while it is busy with another, be it one that the page itself has chosen or its own page about a crash. So each move
//! looks for what only it can have caused, and gives the address again if something else came instead. A load that is
//! given up before the engine shows anything of it may be in the way of every later one: the next move takes a new
//! `WebView`.

use modelcontext_mcp::shown_address;
use url::Url;

use super::load::no_document;
use super::page::{Moment, PageEnd};
use super::tab::{Gone, Tab};
use super::wait::Wait;

/// Why a move did not come to its end.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum MoveError {
    /// The page ended before it had loaded.
    Gone(Gone),
    /// The page did not load, for this reason.
    NotLoaded(String),
    /// There is no step back in the history.
    NoHistory,
}

impl From<Gone> for MoveError {
    fn from(gone: Gone) -> Self {
        Self::Gone(gone)
    }
}

impl Tab {
    /// Loads `url`, and waits until it has loaded.
    pub async fn navigate(&self, url: Url) -> Result<(), MoveError> {
        let _turn = self.turn().await;
        self.load(&url).await?;
        self.check_load(&url).await
    }

    /// Goes one step back in the history, and waits until the page is there.
    pub async fn go_back(&self) -> Result<(), MoveError> {
        let _turn = self.turn().await;
        let page = &self.page;
        self.crash_page().await;
        let webview = self.webview();
        if !webview.can_go_back() || page.end() == Some(PageEnd::Closed) {
            return Err(MoveError::NoHistory);
        }
        let attempt = Attempt::begin(self);
        let before = page.now();
        let traversal = webview.go_back(1);
        page.forget_end();
        self.or_end(|| page.has_traversed(&traversal)).await?;
        attempt.decided();
        // The step comes to its end all the same if the page had to be fetched again and is not there any more.
        if page.abandoned_loads() > before.abandoned_loads {
            return Err(MoveError::NotLoaded(no_document("the page before")));
        }
        self.arrive().await?;
        if page.loads() == before.loads {
            page.document_returned();
        }
        match webview.url() {
            Some(url) => self.check_load(&url).await,
            None => Ok(()),
        }
    }

    /// Loads the page again, or `start` if there is none, and waits until it has loaded.
    pub async fn reload(&self, start: &Url) -> Result<(), MoveError> {
        let _turn = self.turn().await;
        let webview = self.webview();
        let url = webview.url().unwrap_or_else(|| start.clone());
        if self.page.end().is_some() || self.is_blocked() || !self.is_complete() {
            self.load(&url).await?;
        } else {
            let attempt = Attempt::begin(self);
            let before = self.page.now();
            webview.reload();
            self.shown(&url, before, attempt).await?;
            self.arrive().await?;
        }
        self.check_load(&url).await
    }

    /// Loads `url`, and waits until something has loaded, be it the engine's own page about an error.
    async fn load(&self, url: &Url) -> Result<(), MoveError> {
        let page = &self.page;
        let needs_a_new_view = self.is_blocked() || page.end() == Some(PageEnd::Closed);
        let attempt = Attempt::begin(self);
        if !needs_a_new_view {
            self.crash_page().await;
        }
        let ends = page.ended_loads();
        page.expect(url.clone());
        if needs_a_new_view {
            self.replace_view(url.clone());
        } else {
            self.webview().load(url.clone());
        }
        let mut taken = self.taken(ends).await?;
        // Something else has loaded: now the engine has time for this. It is given the address once more only, since
        // there may be loads that it does not announce.
        if taken.is_none() && !needs_a_new_view {
            let ends = page.ended_loads();
            self.webview().load(url.clone());
            taken = self.taken(ends).await?;
        }
        match taken {
            Some(taken) => self.shown(url, taken, attempt).await?,
            None => attempt.decided(),
        }
        self.arrive().await
    }

    /// Waits until something has loaded since `before`, or until the engine has abandoned a load.
    async fn shown(
        &self,
        url: &Url,
        before: Moment,
        attempt: Attempt<'_>,
    ) -> Result<(), MoveError> {
        let page = &self.page;
        let has_loaded =
            || page.history_changes() > before.history_changes && page.loads() > before.loads;
        self.or_end(|| has_loaded() || page.abandoned_loads() > before.abandoned_loads)
            .await?;
        attempt.decided();
        if has_loaded() {
            Ok(())
        } else {
            Err(MoveError::NotLoaded(no_document(&shown_address(url))))
        }
    }

    /// If the page has crashed, waits until the engine shows what it shows then. That takes the page's place in the
    /// history once it has loaded, and its loading could be taken for that of what is to come.
    async fn crash_page(&self) {
        self.until(|| {
            if self.page.awaits_crash_page() {
                Wait::On
            } else {
                Wait::Over(())
            }
        })
        .await;
    }

    /// Waits until the engine has begun to fetch what is expected, or until another load has come to its end since
    /// there were `ends`, which is none.
    async fn taken(&self, ends: u64) -> Result<Option<Moment>, MoveError> {
        let page = &self.page;
        self.until(|| {
            if let Some(taken) = page.taken() {
                Wait::Over(Ok(Some(taken)))
            } else if page.ended_loads() > ends {
                Wait::Over(Ok(None))
            } else if page.end() == Some(PageEnd::Closed) {
                Wait::Over(Err(Gone::Ended(PageEnd::Closed).into()))
            } else {
                Wait::On
            }
        })
        .await
    }

    /// Waits until the document that the engine shows has loaded with all that belongs to it.
    async fn arrive(&self) -> Result<(), MoveError> {
        // The status may still be the one of the document before. The new one has told the engine of itself before it
        // answers anything.
        self.alive(self.http_status()).await?;
        self.or_end(|| self.is_complete()).await
    }

    async fn check_load(&self, url: &Url) -> Result<(), MoveError> {
        match self.alive(self.load_error(url)).await? {
            None => Ok(()),
            Some(reason) => Err(MoveError::NotLoaded(reason)),
        }
    }

    /// Waits until `condition` holds, or fails if the page ends first.
    async fn or_end(&self, condition: impl Fn() -> bool) -> Result<(), MoveError> {
        self.until(|| {
            if condition() {
                Wait::Over(Ok(()))
            } else if let Some(end) = self.page.end() {
                Wait::Over(Err(Gone::Ended(end).into()))
            } else {
                Wait::On
            }
        })
        .await
    }

    /// Whether a load was given up before the engine showed anything of it, and it still has not.
    fn is_blocked(&self) -> bool {
        self.given_up_at.get() == Some(self.page.history_changes())
    }

    /// Waits until nobody else moves the page.
    async fn turn(&self) -> Turn<'_> {
        self.until(|| {
            if self.is_moving.get() {
                Wait::On
            } else {
                Wait::Over(())
            }
        })
        .await;
        self.is_moving.set(true);
        Turn(self)
    }
}

/// The right to move the page.
struct Turn<'a>(&'a Tab);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.is_moving.set(false);
        // The next one may have been looked at already.
        self.0.waker.ring();
    }
}

/// A move of which the engine has neither shown anything yet nor said that it never will.
struct Attempt<'a>(Option<&'a Tab>);

impl<'a> Attempt<'a> {
    fn begin(tab: &'a Tab) -> Self {
        Self(Some(tab))
    }

    fn decided(mut self) {
        self.0 = None;
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if let Some(tab) = self.0 {
            tab.given_up_at.set(Some(tab.page.history_changes()));
        }
    }
}
