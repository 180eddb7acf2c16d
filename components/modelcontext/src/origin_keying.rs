/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Which agent clusters are origin-keyed.

use std::collections::HashMap;
use std::hash::Hash;

use sfv::{Item, Parser};

/// <https://html.spec.whatwg.org/multipage/browsers.html#origin-agent-cluster>
///
/// What the `Origin-Agent-Cluster` header of a response asks for: `Some(true)` for `?1`,
/// `Some(false)` for `?0`, with any parameters. `None` when the header is absent (`value` is
/// `None`) or is not a boolean item of structured fields.
///
/// `value` is the combined field value: the lines joined by a comma, which makes a repeated header
/// invalid.
pub fn origin_agent_cluster_header(value: Option<&str>) -> Option<bool> {
    Parser::new(value?)
        .parse::<Item>()
        .ok()?
        .bare_item
        .as_boolean()
}

/// <https://html.spec.whatwg.org/multipage/document-sequences.html#historical-agent-cluster-key-map>
///
/// Which origins of one browsing context group have origin-keyed agent clusters. The first document
/// of an origin decides for all that follow, since documents of one origin must share a cluster.
#[derive(Clone, Debug)]
pub struct AgentClusterKeys<O> {
    origin_keyed: HashMap<O, bool>,
}

impl<O: Eq + Hash + Clone> AgentClusterKeys<O> {
    /// Keys of a new browsing context group: nothing is decided.
    pub fn new() -> AgentClusterKeys<O> {
        AgentClusterKeys {
            origin_keyed: HashMap::new(),
        }
    }

    /// <https://html.spec.whatwg.org/multipage/webappapis.html#obtain-similar-origin-window-agent>
    ///
    /// Whether the agent cluster for a document of `origin` is origin-keyed, where its response
    /// `requested` that or the opposite (see [`origin_agent_cluster_header`]). The answer is
    /// remembered.
    ///
    /// Opaque origins are sites of their own and so are origin-keyed whatever was requested; asking
    /// for them here would only make the map grow.
    pub fn keying(&mut self, origin: &O, requested: Option<bool>) -> bool {
        // Steps 1 and 2. The site is not needed for the answer, and isolation does not exist in
        // this engine.

        // Step 3. What was decided before holds.
        if let Some(&origin_keyed) = self.origin_keyed.get(origin) {
            return origin_keyed;
        }

        // Step 4. What is requested is decided now.
        // AD-HOC: without a request the standard keys by site. We key by origin, as Chromium does
        // (<https://github.com/mikewest/deprecating-document-domain>).
        let origin_keyed = requested.unwrap_or(true);
        self.origin_keyed.insert(origin.clone(), origin_keyed);

        // Steps 5 and 6. The agents themselves belong to the engine.
        origin_keyed
    }
}

impl<O: Eq + Hash + Clone> Default for AgentClusterKeys<O> {
    fn default() -> AgentClusterKeys<O> {
        AgentClusterKeys::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_a_boolean() {
        assert_eq!(origin_agent_cluster_header(Some("?1")), Some(true));
        assert_eq!(origin_agent_cluster_header(Some("?0")), Some(false));
        assert_eq!(origin_agent_cluster_header(Some("  ?0 ")), Some(false));
    }

    #[test]
    fn parameters_of_the_header_do_not_matter() {
        assert_eq!(origin_agent_cluster_header(Some("?0;param=1")), Some(false));
    }

    #[test]
    fn without_a_boolean_nothing_is_requested() {
        assert_eq!(origin_agent_cluster_header(None), None);
        for value in [
            "", "0", "1", "true", "?2", "\"?1\"", "?1, ?1", "?0 x", "(?1)", "?ü",
        ] {
            assert_eq!(origin_agent_cluster_header(Some(value)), None, "{value}");
        }
    }

    #[test]
    fn origins_are_keyed_unless_they_refuse() {
        let mut keys = AgentClusterKeys::default();
        assert!(keys.keying(&"default", None));
        assert!(keys.keying(&"asks", Some(true)));
        assert!(!keys.keying(&"refuses", Some(false)));
    }

    #[test]
    fn the_first_document_of_an_origin_decides() {
        let mut keys = AgentClusterKeys::new();
        keys.keying(&"a", Some(false));
        assert!(!keys.keying(&"a", Some(true)));
        assert!(!keys.keying(&"a", None));
        keys.keying(&"b", None);
        assert!(keys.keying(&"b", Some(false)));
    }
}
