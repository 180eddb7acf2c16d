/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What a registered tool is, apart from its callback.

use serde::{Deserialize, Serialize};

use crate::ToolName;
use crate::id::unique_internal_value;

unique_internal_value! {
    /// The identity of one registration.
    ///
    /// Names come back: a page may unregister a tool and register another one of the same name in
    /// the same turn. What refers to *this* registration (an abort signal, an embedder's list of
    /// tools) refers to it by this id.
    ToolId
}

unique_internal_value! {
    /// <https://webmachinelearning.github.io/webmcp/#observations>
    ///
    /// The unique id of a document, by which an observation tells apart the documents of a page.
    DocumentId
}

/// <https://webmachinelearning.github.io/webmcp/#dictdef-toolannotations>
///
/// Hints about what a tool does, given by the page and unchecked. A member that is absent on the
/// wire is `false`.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolAnnotations {
    /// The tool changes nothing.
    pub read_only_hint: bool,
    /// The result may hold text that others wrote and that must not be obeyed.
    pub untrusted_content_hint: bool,
    /// What the tool does is hard to take back, so the user should be asked.
    pub consequential_hint: bool,
    /// The tool is there for developers.
    pub debugging: bool,
}

/// <https://webmachinelearning.github.io/webmcp/#tool-definition>
///
/// A registered tool without its execute steps, which never leave the page's event loop. `O` is the
/// type of origins.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition<O> {
    /// Which registration this is. Not in the draft: see [`ToolId`].
    pub id: ToolId,
    /// The name, unique in its document.
    pub name: ToolName,
    /// The title for people to read; empty when the page gave none.
    pub title: String,
    /// What the tool does, for a model to read.
    pub description: String,
    /// The input schema as JSON text, or `None` when the page gave none.
    pub input_schema: Option<String>,
    /// The hints, or `None` when the page gave no `annotations` member.
    pub annotations: Option<ToolAnnotations>,
    /// Origins besides the owner's own whose documents may see and run the tool.
    pub exposed_origins: Vec<O>,
}

/// <https://webmachinelearning.github.io/webmcp/#tool-is-exposed-to-an-origin>
///
/// Whether a document of `accessing_origin` may see and run a tool that a document of
/// `tool_owner_origin` exposed to `exposed_origins`. Equality of `O` must be "same origin": an
/// opaque origin equals only itself.
pub fn tool_is_exposed_to_an_origin<O: PartialEq>(
    tool_owner_origin: &O,
    exposed_origins: &[O],
    accessing_origin: &O,
) -> bool {
    // Step 1. The owner's own origin always has access.
    if tool_owner_origin == accessing_origin {
        return true;
    }

    // Step 2. So has each origin that the owner named.
    // Step 3. No other has.
    exposed_origins.contains(accessing_origin)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::InvalidId;

    fn definition() -> ToolDefinition<String> {
        ToolDefinition {
            id: ToolId::new(),
            name: ToolName::parse("search").unwrap(),
            title: "Search".to_owned(),
            description: "Finds things".to_owned(),
            input_schema: Some(r#"{"type":"object"}"#.to_owned()),
            annotations: Some(ToolAnnotations {
                read_only_hint: true,
                ..ToolAnnotations::default()
            }),
            exposed_origins: vec!["https://b.example".to_owned()],
        }
    }

    #[test]
    fn every_registration_has_an_identity_of_its_own() {
        assert_ne!(ToolId::new(), ToolId::new());
    }

    #[test]
    fn an_id_is_read_back_from_its_display() {
        let id = ToolId::new();
        assert_eq!(id.to_string().len(), 36);
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn a_text_that_is_no_uuid_is_no_id() {
        for text in ["", "search", "67e55044-10b1-426f-9247-bb680e5fe0cz"] {
            assert_eq!(text.parse::<ToolId>(), Err(InvalidId));
        }
    }

    #[test]
    fn a_definition_survives_the_wire() {
        let definition = definition();
        let text = serde_json::to_string(&definition).unwrap();
        assert_eq!(
            serde_json::from_str::<ToolDefinition<String>>(&text).unwrap(),
            definition
        );
    }

    #[test]
    fn a_definition_has_the_member_names_of_the_api_on_the_wire() {
        let definition = definition();
        assert_eq!(
            serde_json::to_value(&definition).unwrap(),
            json!({
                "id": definition.id.to_string(),
                "name": "search",
                "title": "Search",
                "description": "Finds things",
                "inputSchema": r#"{"type":"object"}"#,
                "annotations": {
                    "readOnlyHint": true,
                    "untrustedContentHint": false,
                    "consequentialHint": false,
                    "debugging": false,
                },
                "exposedOrigins": ["https://b.example"],
            })
        );
    }

    #[test]
    fn absent_hints_are_false() {
        let hints: ToolAnnotations =
            serde_json::from_value(json!({ "consequentialHint": true })).unwrap();
        assert_eq!(
            hints,
            ToolAnnotations {
                consequential_hint: true,
                ..ToolAnnotations::default()
            }
        );
    }

    #[test]
    fn a_tool_is_exposed_to_its_owners_origin() {
        assert!(tool_is_exposed_to_an_origin(&"a", &[], &"a"));
        assert!(tool_is_exposed_to_an_origin(&"a", &["b"], &"a"));
    }

    #[test]
    fn a_tool_is_exposed_to_each_origin_that_is_named() {
        assert!(tool_is_exposed_to_an_origin(&"a", &["b", "c"], &"b"));
        assert!(tool_is_exposed_to_an_origin(&"a", &["b", "c"], &"c"));
    }

    #[test]
    fn a_tool_is_exposed_to_no_other_origin() {
        assert!(!tool_is_exposed_to_an_origin(&"a", &[], &"b"));
        assert!(!tool_is_exposed_to_an_origin(&"a", &["a", "c"], &"b"));
    }

    #[test]
    fn an_opaque_origin_has_access_only_to_itself() {
        // Stands for an origin type whose opaque values carry an identity.
        #[derive(PartialEq)]
        struct Opaque(u32);

        assert!(tool_is_exposed_to_an_origin(&Opaque(1), &[], &Opaque(1)));
        assert!(!tool_is_exposed_to_an_origin(&Opaque(1), &[], &Opaque(2)));
    }
}
