/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Questions that are asked of every document of a traversable: which tools a caller gets, and who
//! hears of a change.

use std::sync::Arc;

use crate::{ToolDefinition, ToolMap, tool_is_exposed_to_an_origin};

/// One document of the traversable, as [`collect_tools`] looks at it.
#[derive(Debug)]
pub struct ToolOwner<'a, D, O> {
    /// The id of the document.
    pub document: D,
    /// The document's origin.
    pub origin: &'a O,
    /// Whether the document is allowed to use the "tools" feature.
    pub allowed: bool,
    /// The document's tools.
    pub tools: &'a ToolMap<O>,
}

/// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-gettools>
///
/// Steps 9.3 and 9.4 of `getTools()`: the tools that a caller of `caller_origin` gets which asked
/// for `from_origins` besides its own, each with the document that owns it, sorted by name in
/// code-unit order.
///
/// `documents` are the active documents of the traversable's inclusive descendant navigables in
/// tree order, the caller among them. Tools of equal names stay in that order.
pub fn collect_tools<'a, D: Copy, O: PartialEq>(
    documents: impl IntoIterator<Item = ToolOwner<'a, D, O>>,
    caller_origin: &O,
    from_origins: &[O],
) -> Vec<(D, &'a Arc<ToolDefinition<O>>)> {
    let mut tools = Vec::new();

    // Step 9.3. Go through the navigables.
    // Step 9.3.1. `documents` holds the active document of each.
    for owner in documents {
        // Step 9.3.2. A document that may not use tools has none to give.
        if !owner.allowed {
            continue;
        }

        // Steps 9.3.3 and 9.3.4. `owner.origin` and `caller_origin` are the two origins.

        // Steps 9.3.5 and 9.3.6. Pass over documents whose tools were not asked for.
        if owner.origin != caller_origin && !from_origins.contains(owner.origin) {
            continue;
        }

        // Steps 9.3.7 and 9.3.8. Go through the document's tools.
        for definition in owner.tools.iter() {
            // Step 9.3.8.1. Pass over tools that the caller may not see.
            if !tool_is_exposed_to_an_origin(
                owner.origin,
                &definition.exposed_origins,
                caller_origin,
            ) {
                continue;
            }

            // Step 9.3.8.2. The dictionary is made in the caller's realm, of what this function
            // returns.
            // Step 9.3.8.3. Add the tool to the list.
            tools.push((owner.document, definition));
        }
    }

    // Step 9.4. Sort by name in code-unit order. The sort is stable, which keeps equal names in
    // tree order.
    tools.sort_by(|(_, a), (_, b)| a.name.cmp(&b.name));
    tools
}

/// <https://webmachinelearning.github.io/webmcp/#notify-documents-of-a-tool-change>
///
/// Step 3: the documents that get a `toolchange` event because a document of `owner_origin`
/// registered or unregistered a tool exposed to `exposed_origins`, in the order in which the events
/// are to be queued.
///
/// `documents` are the active documents of the owner's traversable in tree order, the owner among
/// them, each with its origin and whether it is allowed to use the "tools" feature.
pub fn documents_to_notify<'a, D: Copy, O: PartialEq + 'a>(
    documents: impl IntoIterator<Item = (D, &'a O, bool)>,
    owner_origin: &O,
    exposed_origins: &[O],
) -> Vec<D> {
    documents
        .into_iter()
        // Step 3.1. `documents` holds the active document of each navigable.
        // Step 3.2. A document that may not use tools hears nothing.
        .filter(|&(_, _, allowed)| allowed)
        // Step 3.3. Those to which the tool is exposed hear of it.
        .filter(|&(_, origin, _)| {
            tool_is_exposed_to_an_origin(owner_origin, exposed_origins, origin)
        })
        .map(|(document, _, _)| document)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tool_map;

    /// A traversable: for each document in tree order its origin, whether it may use tools, and its
    /// tools.
    struct Tree(Vec<(&'static str, bool, ToolMap<&'static str>)>);

    impl Tree {
        /// What a caller gets, as (index of the document, name).
        fn collect(&self, caller: &'static str, from: &[&'static str]) -> Vec<(usize, String)> {
            let owners = self
                .0
                .iter()
                .enumerate()
                .map(|(document, (origin, allowed, tools))| ToolOwner {
                    document,
                    origin,
                    allowed: *allowed,
                    tools,
                });
            collect_tools(owners, &caller, from)
                .into_iter()
                .map(|(document, definition)| (document, definition.name.to_string()))
                .collect()
        }

        fn notify(&self, owner: &'static str, exposed: &[&'static str]) -> Vec<usize> {
            let documents = self
                .0
                .iter()
                .enumerate()
                .map(|(document, (origin, allowed, _))| (document, origin, *allowed));
            documents_to_notify(documents, &owner, exposed)
        }
    }

    #[track_caller]
    fn check(actual: Vec<(usize, String)>, expected: &[(usize, &str)]) {
        let actual: Vec<_> = actual
            .iter()
            .map(|(document, name)| (*document, name.as_str()))
            .collect();
        assert_eq!(actual, expected);
    }

    #[test]
    fn a_caller_gets_the_tools_of_its_own_origin() {
        let tree = Tree(vec![
            ("a", true, tool_map(&[("x", &[])])),
            ("a", true, tool_map(&[("y", &[])])),
        ]);
        check(tree.collect("a", &[]), &[(0, "x"), (1, "y")]);
    }

    #[test]
    fn tools_of_other_origins_are_left_out_unless_asked_for() {
        let tree = Tree(vec![
            ("a", true, tool_map(&[("own", &[])])),
            ("b", true, tool_map(&[("b", &["a"])])),
            ("c", true, tool_map(&[("c", &["a"])])),
        ]);
        check(tree.collect("a", &[]), &[(0, "own")]);
        check(tree.collect("a", &["b"]), &[(1, "b"), (0, "own")]);
        check(
            tree.collect("a", &["c", "b"]),
            &[(1, "b"), (2, "c"), (0, "own")],
        );
    }

    #[test]
    fn asking_for_an_origin_does_not_leave_out_ones_own() {
        let tree = Tree(vec![("a", true, tool_map(&[("own", &[])]))]);
        check(tree.collect("a", &["nowhere"]), &[(0, "own")]);
    }

    #[test]
    fn tools_that_are_not_exposed_to_the_caller_are_left_out() {
        let tree = Tree(vec![
            ("a", true, tool_map(&[])),
            (
                "b",
                true,
                tool_map(&[("hidden", &[]), ("open", &["a"]), ("others", &["c"])]),
            ),
        ]);
        check(tree.collect("a", &["b"]), &[(1, "open")]);
    }

    #[test]
    fn documents_that_may_not_use_tools_give_none() {
        let tree = Tree(vec![
            ("a", true, tool_map(&[("x", &[])])),
            ("a", false, tool_map(&[("y", &[])])),
            ("b", false, tool_map(&[("z", &["a"])])),
        ]);
        check(tree.collect("a", &["b"]), &[(0, "x")]);
    }

    #[test]
    fn tools_are_sorted_by_name_over_all_documents() {
        let tree = Tree(vec![
            ("a", true, tool_map(&[("d", &[]), ("B", &[])])),
            ("a", true, tool_map(&[("c", &[]), ("a-1", &[]), ("a", &[])])),
        ]);
        check(
            tree.collect("a", &[]),
            &[(0, "B"), (1, "a"), (1, "a-1"), (1, "c"), (0, "d")],
        );
    }

    #[test]
    fn equal_names_stay_in_tree_order() {
        let tree = Tree(vec![
            ("a", true, tool_map(&[("same", &[]), ("a", &[])])),
            ("b", true, tool_map(&[("same", &["a"])])),
            ("a", true, tool_map(&[("a", &[]), ("same", &[])])),
        ]);
        check(
            tree.collect("a", &["b"]),
            &[(0, "a"), (2, "a"), (0, "same"), (1, "same"), (2, "same")],
        );
    }

    #[test]
    fn a_change_is_told_to_the_owners_origin_and_the_exposed_ones_in_tree_order() {
        let tree = Tree(
            ["c", "a", "b", "a", "d"]
                .map(|origin| (origin, true, ToolMap::new()))
                .into(),
        );
        assert_eq!(tree.notify("a", &[]), [1, 3]);
        assert_eq!(tree.notify("a", &["d", "c"]), [0, 1, 3, 4]);
    }

    #[test]
    fn documents_that_may_not_use_tools_hear_of_no_change() {
        let tree = Tree(vec![
            ("a", true, ToolMap::new()),
            ("a", false, ToolMap::new()),
            ("b", false, ToolMap::new()),
            ("b", true, ToolMap::new()),
        ]);
        assert_eq!(tree.notify("a", &["b"]), [0, 3]);
    }
}
