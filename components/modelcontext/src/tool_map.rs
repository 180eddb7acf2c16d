/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The tools of one document.

use std::sync::Arc;

use indexmap::IndexMap;
use thiserror::Error;

use crate::{ToolDefinition, ToolId, ToolName};

/// <https://webmachinelearning.github.io/webmcp/#model-context-tool-map>
///
/// The tools of one document, in the order of their registration, each name once. `O` is the type
/// of origins. Definitions never change and are shared, so that listing them copies nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolMap<O> {
    tools: IndexMap<ToolName, Arc<ToolDefinition<O>>>,
}

impl<O> ToolMap<O> {
    /// A map without tools.
    pub fn new() -> ToolMap<O> {
        ToolMap {
            tools: IndexMap::new(),
        }
    }

    /// Adds `definition` behind all others.
    ///
    /// # Errors
    ///
    /// [`DuplicateToolName`] when there is a tool of that name; the map is left as it was.
    pub fn insert(&mut self, definition: ToolDefinition<O>) -> Result<(), DuplicateToolName> {
        if self.tools.contains_key(definition.name.as_str()) {
            return Err(DuplicateToolName {
                name: definition.name,
            });
        }
        self.tools
            .insert(definition.name.clone(), Arc::new(definition));
        Ok(())
    }

    /// The tool of that name. Any text may be asked for; one that is no valid name has no tool.
    pub fn get(&self, name: &str) -> Option<&Arc<ToolDefinition<O>>> {
        self.tools.get(name)
    }

    /// Whether there is a tool of that name.
    pub fn contains(&self, name: &str) -> bool {
        self.tools.contains_key(name)
    }

    /// Takes out the tool of that registration and returns it; the others keep their order. `None`,
    /// and no change, when that registration is gone.
    ///
    /// Unregistration goes by identity, so that what ends an old registration never removes a newer
    /// tool of the same name.
    pub fn remove_by_id(&mut self, id: ToolId) -> Option<Arc<ToolDefinition<O>>> {
        let index = self
            .tools
            .values()
            .position(|definition| definition.id == id)?;
        self.tools
            .shift_remove_index(index)
            .map(|(_, definition)| definition)
    }

    /// The tools in the order of their registration.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<ToolDefinition<O>>> {
        self.tools.values()
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

impl<O> Default for ToolMap<O> {
    fn default() -> ToolMap<O> {
        ToolMap::new()
    }
}

/// A document registers a name that it has registered already: an `InvalidStateError` for
/// `registerTool()`.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("a tool named {name} is already registered")]
pub struct DuplicateToolName {
    /// The taken name.
    pub name: ToolName,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{tool, tool_map};

    fn names(map: &ToolMap<&str>) -> Vec<String> {
        map.iter()
            .map(|definition| definition.name.to_string())
            .collect()
    }

    #[test]
    fn a_new_map_is_empty() {
        let map = ToolMap::<&str>::default();
        assert!(map.is_empty());
        assert_eq!(map.len(), 0);
        assert_eq!(map.iter().len(), 0);
    }

    #[test]
    fn tools_are_listed_in_the_order_of_their_registration() {
        let map = tool_map(&[("c", &[]), ("a", &[]), ("b", &[])]);
        assert_eq!(names(&map), ["c", "a", "b"]);
        assert_eq!(map.len(), 3);
        assert!(!map.is_empty());
    }

    #[test]
    fn a_tool_is_found_by_its_name() {
        let map = tool_map(&[("a", &[]), ("b", &["x"])]);
        assert_eq!(map.get("b").unwrap().exposed_origins, ["x"]);
        assert!(map.contains("b"));
    }

    #[test]
    fn a_name_that_is_not_registered_is_not_found() {
        let map = tool_map(&[("a", &[])]);
        for name in ["b", "A", "", "not a name"] {
            assert_eq!(map.get(name), None);
            assert!(!map.contains(name));
        }
    }

    #[test]
    fn registering_a_taken_name_is_refused() {
        let first = tool("a", &[]);
        let mut map = ToolMap::new();
        map.insert(first.clone()).unwrap();
        let error = map.insert(tool("a", &["x"])).unwrap_err();
        assert_eq!(
            error,
            DuplicateToolName {
                name: ToolName::parse("a").unwrap()
            }
        );
        assert_eq!(error.to_string(), "a tool named a is already registered");
        assert_eq!(map.iter().collect::<Vec<_>>(), [&Arc::new(first)]);
    }

    #[test]
    fn unregistering_returns_the_tool_and_keeps_the_order_of_the_others() {
        let mut map = tool_map(&[("a", &[]), ("b", &[]), ("c", &[]), ("d", &[])]);
        let b = map.get("b").unwrap().clone();
        assert_eq!(map.remove_by_id(b.id), Some(b));
        assert_eq!(names(&map), ["a", "c", "d"]);
    }

    #[test]
    fn a_name_can_be_registered_again_after_unregistering() {
        let mut map = tool_map(&[("a", &[]), ("b", &[])]);
        let old = map.get("a").unwrap().id;
        map.remove_by_id(old);
        map.insert(tool("a", &[])).unwrap();
        assert_eq!(names(&map), ["b", "a"]);
    }

    #[test]
    fn ending_an_old_registration_leaves_a_newer_tool_of_the_same_name() {
        let mut map = tool_map(&[("a", &[])]);
        let old = map.get("a").unwrap().id;
        map.remove_by_id(old);
        map.insert(tool("a", &[])).unwrap();
        assert_eq!(map.remove_by_id(old), None);
        assert!(map.contains("a"));
    }
}
