/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::sync::Arc;

use modelcontext::{ToolDefinition, ToolId, ToolMap};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::tool;

/// What a page does to its tools.
#[derive(Clone, Debug)]
enum Action {
    Register(&'static str),
    /// Ends one of the registrations so far, ended or not.
    Unregister(Index),
    UnregisterUnknown,
}

fn action() -> impl Strategy<Value = Action> {
    let name = prop::sample::select(vec!["a", "b", "c", "d", "e"]);
    prop_oneof![
        4 => name.prop_map(Action::Register),
        3 => any::<Index>().prop_map(Action::Unregister),
        1 => Just(Action::UnregisterUnknown),
    ]
}

proptest! {
    /// The model is a list, searched from end to end.
    #[test]
    fn a_map_is_a_list_without_duplicate_names(actions in prop::collection::vec(action(), 0..60)) {
        let mut map = ToolMap::new();
        let mut model: Vec<Arc<ToolDefinition<u8>>> = Vec::new();
        let mut ids: Vec<ToolId> = Vec::new();

        for action in actions {
            match action {
                Action::Register(name) => {
                    let definition = tool(name, vec![]);
                    let taken = model.iter().any(|other| other.name == definition.name);
                    prop_assert_eq!(map.insert(definition.clone()).is_err(), taken);
                    ids.push(definition.id);
                    if !taken {
                        model.push(Arc::new(definition));
                    }
                },
                Action::Unregister(index) if !ids.is_empty() => {
                    let id = *index.get(&ids);
                    let position = model.iter().position(|definition| definition.id == id);
                    let expected = position.map(|position| model.remove(position));
                    prop_assert_eq!(map.remove_by_id(id), expected);
                },
                Action::Unregister(_) | Action::UnregisterUnknown => {
                    prop_assert_eq!(map.remove_by_id(ToolId::new()), None);
                },
            }

            prop_assert!(map.iter().eq(&model));
            prop_assert_eq!(map.len(), model.len());
            prop_assert_eq!(map.is_empty(), model.is_empty());
            for name in ["a", "b", "c", "d", "e"] {
                let expected = model.iter().find(|definition| definition.name.as_str() == name);
                prop_assert_eq!(map.get(name), expected);
                prop_assert_eq!(map.contains(name), expected.is_some());
            }
        }
    }
}
