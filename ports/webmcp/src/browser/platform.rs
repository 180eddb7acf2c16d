/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The web platform that pages meet: the features of the engine that are switched on, and what scripts add.

use std::fs;
use std::path::PathBuf;

use servo::{Preferences, UserScript};

use crate::cli::PageOptions;
use crate::exit::{Failure, Result};

/// What pages use and the engine lacks. Each script runs in every page before the page's own, and does nothing where the
/// engine has the feature. In frames the engine runs none.
pub const ADDITIONS: [&str; 2] = [
    include_str!("platform/stream_iteration.js"),
    include_str!("platform/idle_callbacks.js"),
];

/// The names under which the local server is reached. No proxy may see requests to them.
const NO_PROXY: &str = "localhost,127.0.0.1,::1";

/// The scripts of the user that run in every page before the page's own. The engine does not run them in frames.
pub fn init_scripts(options: &PageOptions) -> Result<Vec<UserScript>> {
    let read = |file: &PathBuf| match fs::read_to_string(file) {
        Ok(script) => Ok(UserScript::new(script, Some(file.clone()))),
        Err(error) => Err(Failure::usage(format!(
            "cannot read the script {}: {error}",
            file.display()
        ))),
    };
    options.init_scripts.iter().map(read).collect()
}

/// The engine's preferences, with those that the user has set.
///
/// Features that the engine leaves off by default are on here if a page shows them working: see
/// `tests/cli/platform.rs`. `docs/platform.md` says what was seen of those that stay off.
pub fn preferences(options: &PageOptions) -> Preferences {
    let mut preferences = Preferences {
        dom_adoptedstylesheet_enabled: true,
        dom_async_clipboard_enabled: true,
        dom_exec_command_enabled: true,
        dom_fontface_enabled: true,
        dom_indexeddb_enabled: true,
        dom_intersection_observer_enabled: true,
        dom_modelcontext_enabled: true,
        dom_notification_enabled: true,
        dom_offscreen_canvas_enabled: true,
        dom_permissions_enabled: true,
        dom_sanitizer_enabled: true,
        dom_storage_manager_api_enabled: true,
        dom_visual_viewport_enabled: true,
        ..Preferences::default()
    };
    let no_proxy = &mut preferences.network_http_no_proxy;
    *no_proxy = if no_proxy.is_empty() {
        NO_PROXY.to_owned()
    } else {
        format!("{no_proxy},{NO_PROXY}")
    };
    if let Some(user_agent) = &options.user_agent {
        preferences.user_agent.clone_from(user_agent);
    }
    for (name, value) in &options.preferences {
        preferences.set_value(name, value.clone());
    }
    preferences
}
