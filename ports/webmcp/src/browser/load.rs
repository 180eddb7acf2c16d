/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Whether the page loaded.
//!
//! The engine has no event for a load that failed: it shows a page of its own that tells the reason, and reports that page
//! as loaded. So the page is looked at. That a site could imitate one of these pages does no harm, since none of them has
//! a tool.

use servo::LoadStatus;

use super::{Awaited, Browser, Wait};
use crate::exit::{Failure, Result};

/// The titles of the pages that the engine shows instead of one that it cannot load.
const ERROR_TITLES: [&str; 2] = ["Error loading page", "Certificate error"];

/// Gives the reason that stands on one of those pages, and null on any other.
const REASON_OF_ERROR_PAGE: &str = r#"
(() => {
  const { title, body, scripts } = document;
  const text = body?.querySelector("p")?.textContent ?? "";
  if (title === "Error loading page" && scripts.length === 0 && body.childElementCount === 1) {
    return text.replace(/^[^:]*: */, "");
  }
  if (title === "Certificate error" && document.querySelector("body > #bytes + script")) {
    return `certificate error: ${text}`;
  }
  return null;
})()
"#;

impl Browser {
    /// Waits until the page and what belongs to it have loaded, or until that has failed.
    pub fn wait_for_load(&self) -> Result<()> {
        let activity = format!("loading {}", self.url);
        self.stage(activity.clone());
        self.wait(self.deadline, || match self.webview.load_status() {
            LoadStatus::Complete => Wait::Over(()),
            LoadStatus::Started | LoadStatus::HeadParsed => Wait::On,
        })
        .map_err(|ended| self.failure(ended, &activity))?;
        match self.load_error() {
            Ok(None) => Ok(()),
            Ok(Some(reason)) => Err(Failure::not_loaded(format!(
                "{} did not load: {}",
                self.url,
                in_words(&reason)
            ))),
            Err(ended) => Err(self.failure(ended, &activity)),
        }
    }

    /// Why the page did not load, if it did not.
    fn load_error(&self) -> Awaited<Option<String>> {
        let title = self.webview.page_title();
        if !title.is_some_and(|title| ERROR_TITLES.contains(&title.as_str())) {
            return Ok(None);
        }
        let reason = self.evaluate(REASON_OF_ERROR_PAGE.to_owned())?;
        Ok(reason
            .ok()
            .flatten()
            .and_then(|json| serde_json::from_str::<Option<String>>(&json).ok())
            .flatten())
    }
}

/// The engine's reason; those that are only the name of a variant, in words.
fn in_words(reason: &str) -> &str {
    match reason {
        "ConnectionFailure" => "the connection failed",
        "ContentSecurityPolicy" => "its policy forbids to show it",
        "DecompressionError" => "what it sent cannot be decompressed",
        "InvalidPort" => "no browser connects to that port",
        "RedirectError" => "a redirect leads nowhere",
        "TooManyRedirects" => "it redirects too often",
        "UnsupportedScheme" => "the scheme of its URL is not supported",
        other => other,
    }
}
