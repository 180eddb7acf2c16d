/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What a client was told of the tools, and what a name it calls means.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::PageTool;

/// How many kinds of clients without a connection are remembered.
const CLIENTS: usize = 64;

/// The last list that a client got.
#[derive(Clone, Default)]
pub(crate) struct Told {
    tools: HashMap<String, Arc<PageTool>>,
    /// How many documents the page had loaded then.
    documents: u64,
}

impl Told {
    pub(crate) fn new(tools: &[(String, Arc<PageTool>)], documents: u64) -> Told {
        Told {
            tools: tools.iter().cloned().collect(),
            documents,
        }
    }

    /// What the client knows under that name, and how many documents had been loaded then.
    pub(crate) fn get(&self, name: &str) -> Option<(Arc<PageTool>, u64)> {
        Some((self.tools.get(name)?.clone(), self.documents))
    }
}

/// The last lists that clients without a connection got, of those that listed last.
#[derive(Default)]
pub(crate) struct ToldClients {
    clients: IndexMap<String, Told>,
}

impl ToldClients {
    pub(crate) fn set(&mut self, client: String, told: Told) {
        self.clients.shift_remove(&client);
        while self.clients.len() >= CLIENTS {
            self.clients.shift_remove_index(0);
        }
        self.clients.insert(client, told);
    }

    pub(crate) fn get(&self, client: &str, name: &str) -> Option<(Arc<PageTool>, u64)> {
        self.clients.get(client)?.get(name)
    }
}

/// What the name that a client calls means now.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Meaning {
    /// This tool, as the client knows it.
    Tool(Arc<PageTool>),
    /// Another tool than the client knows under that name: this one.
    Another(Arc<PageTool>),
    /// A tool that the page has unregistered: this one.
    Gone(Arc<PageTool>),
    /// A tool of a document that the page has left: this one.
    Left(Arc<PageTool>),
    /// Nothing, neither now nor in what the client was told.
    Nothing,
}

impl Meaning {
    /// Of `name`, for a client that was `told` so, on a page that has these `tools` and has loaded so many `documents`.
    pub(crate) fn of(
        name: &str,
        told: Option<(Arc<PageTool>, u64)>,
        tools: &[(String, Arc<PageTool>)],
        documents: u64,
    ) -> Meaning {
        let now = tools.iter().find(|(other, _)| other == name);
        match (now, told) {
            (Some((_, now)), Some((told, _))) if same_definition(now, &told) => {
                Meaning::Tool(now.clone())
            }
            (Some((_, now)), Some(_)) => Meaning::Another(now.clone()),
            (Some((_, now)), None) => Meaning::Tool(now.clone()),
            (None, Some((told, then))) if then == documents => Meaning::Gone(told),
            (None, Some((told, _))) => Meaning::Left(told),
            (None, None) => Meaning::Nothing,
        }
    }
}

/// Whether two registrations are of the same tool as far as a client can tell. Pages register their tools again and
/// again without a change, each time a component is drawn, so the registration itself does not count. Where it is does:
/// another site's tool is another tool whatever it says of itself, and so is that of a second frame of the same kind.
pub(crate) fn same_definition(one: &PageTool, other: &PageTool) -> bool {
    one.id == other.id
        || (one.origin == other.origin
            && one.frame == other.frame
            && one.name == other.name
            && one.title == other.title
            && one.description == other.description
            && one.input_schema == other.input_schema
            && one.annotations == other.annotations)
}

#[cfg(test)]
mod tests {
    use modelcontext::ToolId;

    use super::*;

    fn tool(description: &str) -> Arc<PageTool> {
        Arc::new(PageTool {
            id: ToolId::new(),
            name: "search".to_owned(),
            title: String::new(),
            description: description.to_owned(),
            input_schema: None,
            annotations: None,
            origin: "https://a.example".to_owned(),
            url: "https://a.example/".parse().unwrap(),
            frame: Vec::new(),
        })
    }

    fn named(tool: &Arc<PageTool>) -> Vec<(String, Arc<PageTool>)> {
        vec![("search".to_owned(), tool.clone())]
    }

    #[test]
    fn a_tool_that_is_registered_again_unchanged_is_the_same() {
        let (old, new) = (tool("Finds"), tool("Finds"));
        assert_ne!(old.id, new.id);
        assert_eq!(
            Meaning::of("search", Some((old, 1)), &named(&new), 1),
            Meaning::Tool(new)
        );
    }

    #[test]
    fn a_tool_that_is_registered_again_with_another_definition_is_another() {
        let (old, new) = (tool("Finds"), tool("Buys"));
        assert_eq!(
            Meaning::of("search", Some((old, 1)), &named(&new), 1),
            Meaning::Another(new)
        );
    }

    #[test]
    fn a_tool_of_another_origin_is_another_whatever_it_says() {
        let old = tool("Finds");
        let new = Arc::new(PageTool {
            id: ToolId::new(),
            origin: "https://b.example".to_owned(),
            ..(*old).clone()
        });
        assert_eq!(
            Meaning::of("search", Some((old, 1)), &named(&new), 2),
            Meaning::Another(new)
        );
    }

    #[test]
    fn a_tool_of_another_frame_is_another_unless_the_frame_has_moved() {
        let old = tool("Finds");
        let moved = Arc::new(PageTool {
            frame: vec![1],
            ..(*old).clone()
        });
        assert_eq!(
            Meaning::of("search", Some((old.clone(), 1)), &named(&moved), 1),
            Meaning::Tool(moved.clone())
        );
        let second = Arc::new(PageTool {
            id: ToolId::new(),
            ..(*moved).clone()
        });
        assert_eq!(
            Meaning::of("search", Some((old, 1)), &named(&second), 1),
            Meaning::Another(second)
        );
    }

    #[test]
    fn a_missing_tool_is_gone_or_was_left_behind() {
        let old = tool("Finds");
        assert_eq!(
            Meaning::of("search", Some((old.clone(), 1)), &[], 1),
            Meaning::Gone(old.clone())
        );
        assert_eq!(
            Meaning::of("search", Some((old.clone(), 1)), &[], 2),
            Meaning::Left(old)
        );
        assert_eq!(Meaning::of("search", None, &[], 1), Meaning::Nothing);
    }

    #[test]
    fn a_client_that_never_listed_is_bound_to_nothing() {
        let now = tool("Finds");
        assert_eq!(
            Meaning::of("search", None, &named(&now), 1),
            Meaning::Tool(now)
        );
    }

    #[test]
    fn the_clients_that_listed_longest_ago_are_forgotten() {
        let now = tool("Finds");
        let mut clients = ToldClients::default();
        clients.set("first".to_owned(), Told::new(&named(&now), 1));
        clients.set("second".to_owned(), Told::new(&named(&now), 1));
        clients.set("first".to_owned(), Told::new(&named(&now), 1));
        for index in 2..=CLIENTS {
            clients.set(index.to_string(), Told::new(&named(&now), 1));
        }
        assert!(clients.get("second", "search").is_none());
        assert!(clients.get("first", "search").is_some());
    }
}
