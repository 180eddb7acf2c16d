/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the tests of several modules need.

use crate::policy::{OriginParts, TupleOrigin};
use crate::{ToolDefinition, ToolId, ToolMap, ToolName};

/// A tool of that name, exposed to those origins.
pub(crate) fn tool(name: &str, exposed_origins: &[&'static str]) -> ToolDefinition<&'static str> {
    ToolDefinition {
        id: ToolId::new(),
        name: ToolName::parse(name).unwrap(),
        title: String::new(),
        description: format!("does {name}"),
        input_schema: None,
        annotations: None,
        exposed_origins: exposed_origins.to_vec(),
    }
}

/// A document's tools.
pub(crate) fn tool_map(tools: &[(&str, &[&'static str])]) -> ToolMap<&'static str> {
    let mut map = ToolMap::new();
    for (name, exposed_origins) in tools {
        map.insert(tool(name, exposed_origins)).unwrap();
    }
    map
}

/// Stands for the engine's URL parser: origins are texts that start with `https://`.
pub(crate) fn parse_origin(text: &str) -> Option<String> {
    text.starts_with("https://").then(|| text.to_owned())
}

/// Stands for what the engine knows of an origin: [`parse_origin`] backwards.
fn origin_tuple(origin: &str) -> Option<TupleOrigin> {
    let host = origin.strip_prefix("https://")?;
    Some(TupleOrigin {
        scheme: "https".to_owned(),
        host: host.to_owned(),
        port: 443,
    })
}

/// Both of them.
pub(crate) const ORIGIN_PARTS: OriginParts<'static, String> = OriginParts {
    parse: &parse_origin,
    tuple: &|origin| origin_tuple(origin),
};
