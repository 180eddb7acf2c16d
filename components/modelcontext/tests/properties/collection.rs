/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::collections::BTreeMap;
use std::sync::Arc;

use modelcontext::{ToolDefinition, ToolMap, ToolOwner, collect_tools, documents_to_notify};
use proptest::prelude::*;

use crate::tool;

/// Few enough origins that they often are the same.
fn origin() -> impl Strategy<Value = u8> {
    0..4u8
}

fn origins() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(origin(), 0..3)
}

#[derive(Debug)]
struct Document {
    origin: u8,
    allowed: bool,
    tools: ToolMap<u8>,
}

fn document() -> impl Strategy<Value = Document> {
    let tools = prop::collection::btree_map("[a-cB_.-]{1,2}", origins(), 0..5)
        .prop_map(|tools| tools.into_iter().collect::<Vec<_>>())
        .prop_shuffle();
    (origin(), prop::bool::weighted(0.8), tools).prop_map(|(origin, allowed, tools)| {
        let mut map = ToolMap::new();
        for (name, exposed_origins) in tools {
            map.insert(tool(&name, exposed_origins))
                .expect("names are distinct");
        }
        Document {
            origin,
            allowed,
            tools: map,
        }
    })
}

fn tree() -> impl Strategy<Value = Vec<Document>> {
    prop::collection::vec(document(), 0..6)
}

fn collect<'a>(
    tree: &'a [Document],
    caller: u8,
    from: &[u8],
) -> Vec<(usize, &'a Arc<ToolDefinition<u8>>)> {
    let owners = tree.iter().enumerate().map(
        |(
            document,
            Document {
                origin,
                allowed,
                tools,
            },
        )| ToolOwner {
            document,
            origin,
            allowed: *allowed,
            tools,
        },
    );
    collect_tools(owners, &caller, from)
}

/// Whether a caller gets a tool, as one sentence.
fn is_wanted(
    document: &Document,
    definition: &ToolDefinition<u8>,
    caller: u8,
    from: &[u8],
) -> bool {
    let own = document.origin == caller;
    document.allowed
        && (own
            || (from.contains(&document.origin) && definition.exposed_origins.contains(&caller)))
}

proptest! {
    #[test]
    fn a_caller_gets_exactly_what_it_asked_for_and_may_see(
        tree in tree(),
        caller in origin(),
        from in origins(),
    ) {
        let mut expected = BTreeMap::new();
        for (index, document) in tree.iter().enumerate() {
            for definition in document.tools.iter() {
                if is_wanted(document, definition, caller, &from) {
                    expected.insert(definition.id, (index, definition));
                }
            }
        }
        let collected = collect(&tree, caller, &from);
        prop_assert_eq!(collected.len(), expected.len());
        let actual: BTreeMap<_, _> = collected
            .into_iter()
            .map(|entry| (entry.1.id, entry))
            .collect();
        prop_assert_eq!(actual, expected);
    }

    #[test]
    fn tools_come_by_name_and_then_in_tree_order(
        tree in tree(),
        caller in origin(),
        from in origins(),
    ) {
        let collected = collect(&tree, caller, &from);
        for pair in collected.windows(2) {
            let key = |&(document, definition): &(usize, &Arc<ToolDefinition<u8>>)| {
                // A name is once in a document, so this tells all tools apart.
                (definition.name.as_str().encode_utf16().collect::<Vec<_>>(), document)
            };
            prop_assert!(key(&pair[0]) < key(&pair[1]), "{:?}", pair);
        }
    }

    #[test]
    fn whoever_gets_a_tool_hears_of_its_change(tree in tree()) {
        for owner in tree.iter().filter(|owner| owner.allowed) {
            for definition in owner.tools.iter() {
                let documents = tree
                    .iter()
                    .enumerate()
                    .map(|(index, document)| (index, &document.origin, document.allowed));
                let notified =
                    documents_to_notify(documents, &owner.origin, &definition.exposed_origins);
                let expected: Vec<_> = (0..tree.len())
                    .filter(|&index| tree[index].allowed)
                    .filter(|&index| {
                        collect(&tree, tree[index].origin, &[owner.origin])
                            .iter()
                            .any(|(_, collected)| collected.id == definition.id)
                    })
                    .collect();
                prop_assert_eq!(notified, expected);
            }
        }
    }
}
