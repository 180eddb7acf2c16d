/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What holds for every input, tried with many.

mod collection;
mod executions;
mod form;
mod name;
mod origin_keying;
mod policy;
mod tool_map;

use modelcontext::{ToolDefinition, ToolId, ToolName};

/// A tool of that name, exposed to those origins.
fn tool(name: &str, exposed_origins: Vec<u8>) -> ToolDefinition<u8> {
    ToolDefinition {
        id: ToolId::new(),
        name: ToolName::parse(name).expect("tests use valid names"),
        title: String::new(),
        description: "does something".to_owned(),
        input_schema: None,
        annotations: None,
        exposed_origins,
    }
}
