/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! How the three methods end in a document, for checks that all of them begin with.

use serde_json::{Value, json};

/// How the three methods end in the document of a frame or page, which calls a tool that is not there.
pub const ALL_METHODS: &str = "return [
    await ending(register('probe')), await ending(listed()),
    await ending(document.modelContext.executeTool(toolOf(window, 'unknown', 'https://unknown.test'))),
]";

/// What `ALL_METHODS` gives in a document that may use tools.
pub fn allowed() -> Value {
    json!(["fulfilled", "fulfilled", "UnknownError"])
}

/// What `ALL_METHODS` gives in a document where all three are rejected with `error`.
pub fn rejected(error: &str) -> Value {
    json!([error, error, error])
}
