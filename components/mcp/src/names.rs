/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The names under which clients see the page's tools.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;

use crate::PageTool;
use crate::fixed_tools::PREFIX;

/// The longest name of a tool, in bytes. The name of a page's tool has the same limit.
const LENGTH: usize = 128;

/// How many tools that are not registered (any more) are remembered.
const REMEMBERED: usize = 1024;

/// Which tool of the page has which name for clients.
///
/// A tool has the name that the page gave it, if no other one has that name and no tool of the browser itself could
/// have it; otherwise a similar one. It keeps its name while it is registered, whatever comes and goes besides it, and
/// gets it back when the same document (as far as frame and origin tell) registers it again: nobody else gets the name
/// in the meantime. [`clear`](ToolNames::clear) ends that when the page is left.
#[derive(Default)]
pub(crate) struct ToolNames {
    /// The tools that have a name.
    named: IndexMap<Tool, Named>,
    /// The names that they have.
    taken: HashSet<String>,
    /// How often names were assigned.
    round: u64,
}

/// A tool, whatever its registration is.
#[derive(Clone, Eq, Hash, PartialEq)]
struct Tool {
    origin: String,
    frame: Vec<usize>,
    name: String,
    /// Tells apart those that are equal in all that. Documents do not have two tools of one name, so this is 0.
    number: usize,
}

/// The name of a tool, and when it was last registered.
struct Named {
    name: String,
    round: u64,
}

impl ToolNames {
    /// Gives each of the `tools` its name: at most 128 ASCII letters, digits, `_`, `-` and `.`, and no two the same.
    /// The order stays. Of tools that are new, the first in that order gets the name that several want.
    pub(crate) fn assign(&mut self, tools: &[Arc<PageTool>]) -> Vec<(String, Arc<PageTool>)> {
        self.round += 1;
        let keys = keys(tools);
        self.forget_replaced(tools);

        let mut new = Vec::new();
        for key in &keys {
            match self.named.get_mut(key) {
                Some(named) => named.round = self.round,
                None => new.push(key),
            }
        }
        // No tool loses its own name to another one that had to be renamed.
        new.retain(|key| {
            let name = allowed(&key.name);
            let free = name == key.name && !self.taken.contains(&name);
            if free {
                self.name(key, name);
            }
            !free
        });
        let mut suffixes = HashMap::new();
        for key in new {
            let wanted = allowed(&key.name);
            let suffix = suffixes.entry(wanted.clone()).or_insert(1_u64);
            let name = loop {
                let name = with_suffix(&wanted, *suffix);
                *suffix += 1;
                if !self.taken.contains(&name) {
                    break name;
                }
            };
            self.name(key, name);
        }

        let named = keys
            .iter()
            .zip(tools)
            .filter_map(|(key, tool)| Some((self.named.get(key)?.name.clone(), tool.clone())))
            .collect();
        self.forget_surplus();
        named
    }

    /// Forgets all tools: the page has been left, and the next one starts with all names free.
    pub(crate) fn clear(&mut self) {
        self.named.clear();
        self.taken.clear();
    }

    fn name(&mut self, tool: &Tool, name: String) {
        self.taken.insert(name.clone());
        let round = self.round;
        self.named.insert(tool.clone(), Named { name, round });
    }

    /// Forgets the tools of documents that have given way to one of another origin.
    fn forget_replaced(&mut self, tools: &[Arc<PageTool>]) {
        let origins = tools
            .iter()
            .map(|tool| (tool.frame.as_slice(), tool.origin.as_str()))
            .collect::<HashMap<_, _>>();
        let taken = &mut self.taken;
        self.named.retain(|tool, named| {
            let stays = origins
                .get(tool.frame.as_slice())
                .is_none_or(|origin| *origin == tool.origin);
            if !stays {
                taken.remove(&named.name);
            }
            stays
        });
    }

    /// Forgets those tools that have been unregistered for longest, as far as they are too many.
    fn forget_surplus(&mut self) {
        let round = self.round;
        let mut unregistered = self
            .named
            .values()
            .map(|named| named.round)
            .filter(|last| *last != round)
            .collect::<Vec<_>>();
        let Some(surplus) = unregistered.len().checked_sub(REMEMBERED) else {
            return;
        };
        unregistered.sort_unstable();
        // Of those that were last seen in the same round, the ones that got their names first go first.
        let Some(limit) = unregistered.get(surplus).copied() else {
            return;
        };
        let before = unregistered.partition_point(|last| *last < limit);
        let mut at_limit = surplus.saturating_sub(before);
        let taken = &mut self.taken;
        self.named.retain(|_, named| {
            let stays = if named.round == limit && at_limit > 0 {
                at_limit -= 1;
                false
            } else {
                named.round >= limit
            };
            if !stays {
                taken.remove(&named.name);
            }
            stays
        });
    }
}

fn keys(tools: &[Arc<PageTool>]) -> Vec<Tool> {
    let mut numbers = HashMap::new();
    tools
        .iter()
        .map(|tool| {
            let number = numbers
                .entry((&tool.origin, &tool.frame, &tool.name))
                .or_insert(0);
            let key = Tool {
                origin: tool.origin.clone(),
                frame: tool.frame.clone(),
                name: tool.name.clone(),
                number: *number,
            };
            *number += 1;
            key
        })
        .collect()
}

/// The name that a page's tool of that name has if it is free. It is the same one, unless that looks like one of the
/// browser's own tools or, which the page's documents rule out, is not a name.
fn allowed(name: &str) -> String {
    let mut allowed = name
        .chars()
        .take(LENGTH)
        .map(|character| match character {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' | '.' => character,
            _ => '_',
        })
        .collect::<String>();
    if allowed.is_empty() {
        allowed.push_str("tool");
    }
    let poses = allowed
        .get(..PREFIX.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(PREFIX));
    if poses {
        allowed.insert_str(0, "page_");
        allowed.truncate(LENGTH);
    }
    allowed
}

/// The ASCII `name` itself for 1; for other numbers the name with the number behind it, cut as far as needed.
fn with_suffix(name: &str, number: u64) -> String {
    if number == 1 {
        return name.to_owned();
    }
    let suffix = format!("_{number}");
    let end = name.len().min(LENGTH - suffix.len());
    format!("{}{suffix}", name.get(..end).unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use modelcontext::ToolId;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::{select, subsequence};

    use super::*;

    const A: &str = "https://a.example";
    const B: &str = "https://b.example";

    fn tool(origin: &str, frame: &[usize], name: &str) -> Arc<PageTool> {
        Arc::new(PageTool {
            id: ToolId::new(),
            name: name.to_owned(),
            title: String::new(),
            description: "Finds".to_owned(),
            input_schema: None,
            annotations: None,
            origin: origin.to_owned(),
            url: "https://page.example/".parse().unwrap(),
            frame: frame.to_vec(),
        })
    }

    #[track_caller]
    fn check(names: &mut ToolNames, tools: &[(&str, &[usize], &str)], expected: &[&str]) {
        let tools = tools
            .iter()
            .map(|(origin, frame, name)| tool(origin, frame, name))
            .collect::<Vec<_>>();
        let named = names.assign(&tools);
        let (got, same): (Vec<_>, Vec<_>) = named.into_iter().unzip();
        assert_eq!(got, expected);
        assert_eq!(same, tools, "the tools and their order stay");
    }

    #[test]
    fn a_tool_has_the_name_that_the_page_gave_it() {
        check(
            &mut ToolNames::default(),
            &[(A, &[], "search_products"), (A, &[], "Add-to.cart2")],
            &["search_products", "Add-to.cart2"],
        );
        check(&mut ToolNames::default(), &[], &[]);
    }

    #[test]
    fn tools_of_other_frames_get_a_number() {
        check(
            &mut ToolNames::default(),
            &[(A, &[], "search"), (A, &[0], "search"), (B, &[1], "search")],
            &["search", "search_2", "search_3"],
        );
    }

    #[test]
    fn a_number_takes_nobodys_own_name() {
        check(
            &mut ToolNames::default(),
            &[
                (A, &[], "search"),
                (B, &[0], "search"),
                (B, &[0], "search_2"),
                (B, &[1], "search_2"),
            ],
            &["search", "search_3", "search_2", "search_2_2"],
        );
    }

    #[test]
    fn a_numbered_name_is_cut_to_fit() {
        let long = "n".repeat(128);
        check(
            &mut ToolNames::default(),
            &[(A, &[], &long), (A, &[0], &long)],
            &[&long, &format!("{}_2", "n".repeat(126))],
        );
    }

    #[test]
    fn a_tool_keeps_its_name_whatever_comes_and_goes() {
        let mut names = ToolNames::default();
        check(&mut names, &[(B, &[0], "search")], &["search"]);
        let both: [(&str, &[usize], &str); 2] = [(A, &[], "search"), (B, &[0], "search")];
        check(&mut names, &both, &["search_2", "search"]);
        check(&mut names, &[(A, &[], "search")], &["search_2"]);
        check(&mut names, &both, &["search_2", "search"]);
    }

    #[test]
    fn the_name_of_an_unregistered_tool_waits_for_it() {
        let mut names = ToolNames::default();
        check(&mut names, &[(A, &[], "search")], &["search"]);
        check(&mut names, &[(B, &[0], "search")], &["search_2"]);
        check(
            &mut names,
            &[(A, &[], "search"), (B, &[0], "search")],
            &["search", "search_2"],
        );
    }

    #[test]
    fn a_document_of_another_origin_frees_the_names_of_the_one_before() {
        let mut names = ToolNames::default();
        check(
            &mut names,
            &[(A, &[], "search"), (A, &[], "buy")],
            &["search", "buy"],
        );
        check(
            &mut names,
            &[(B, &[], "search"), (B, &[0], "buy")],
            &["search", "buy"],
        );
    }

    #[test]
    fn all_names_are_free_after_the_page_was_left() {
        let mut names = ToolNames::default();
        check(&mut names, &[(A, &[], "search")], &["search"]);
        names.clear();
        check(&mut names, &[(B, &[0], "search")], &["search"]);
    }

    #[test]
    fn no_tool_poses_as_one_of_the_browser() {
        let long = format!("browser_{}", "n".repeat(120));
        check(
            &mut ToolNames::default(),
            &[
                (A, &[], "browser_navigate"),
                (A, &[], "BROWSER_navigate"),
                (A, &[], "page_browser_navigate"),
                (A, &[], "browser"),
                (A, &[], &long),
            ],
            &[
                "page_browser_navigate_2",
                "page_BROWSER_navigate",
                "page_browser_navigate",
                "browser",
                &format!("page_browser_{}", "n".repeat(115)),
            ],
        );
    }

    #[test]
    fn what_is_no_name_is_made_one() {
        check(
            &mut ToolNames::default(),
            &[(A, &[], ""), (A, &[], "só/ là"), (A, &[], &"é".repeat(200))],
            &["tool", "s___l_", &"_".repeat(128)],
        );
    }

    #[test]
    fn tools_that_cannot_be_told_apart_have_names_of_their_own() {
        check(
            &mut ToolNames::default(),
            &[(A, &[], "search"), (A, &[], "search")],
            &["search", "search_2"],
        );
    }

    #[test]
    fn the_tools_that_were_unregistered_longest_ago_are_forgotten() {
        let mut names = ToolNames::default();
        let mut all = vec![tool(A, &[], "first"), tool(A, &[], "second")];
        names.assign(&all);
        // The first one stays registered, and the second one waits together with just as many as are remembered.
        all.truncate(1);
        let others = (0..REMEMBERED).map(|index| tool(A, &[], &format!("other{index}")));
        all.extend(others);
        names.assign(&all);
        assert_eq!(names.named.len(), REMEMBERED + 2);
        all.truncate(1);
        names.assign(&all);
        assert_eq!(names.named.len(), REMEMBERED + 1);
        assert_eq!(names.taken.len(), REMEMBERED + 1);
        check(
            &mut names,
            &[(B, &[0], "first"), (B, &[0], "second"), (B, &[0], "other0")],
            &["first_2", "second", "other0_2"],
        );
    }

    #[test]
    fn of_tools_unregistered_together_those_named_first_are_forgotten() {
        let mut names = ToolNames::default();
        let all = (0..REMEMBERED + 2)
            .map(|index| tool(A, &[], &format!("tool{index}")))
            .collect::<Vec<_>>();
        names.assign(&all);
        names.assign(&[]);
        assert_eq!(names.named.len(), REMEMBERED);
        check(
            &mut names,
            &[(B, &[0], "tool0"), (B, &[0], "tool1"), (B, &[0], "tool2")],
            &["tool0", "tool1", "tool2_2"],
        );
    }

    fn any_tools() -> impl Strategy<Value = Vec<Arc<PageTool>>> {
        let frames: [&[usize]; 3] = [&[], &[0], &[0, 1]];
        let mut all = Vec::new();
        for frame in frames {
            for name in ["a", "a_2", "a_3", "browser_a", "page_browser_a", "BROWSER_"] {
                all.push(tool(A, frame, name));
            }
        }
        let length = all.len();
        subsequence(all, 0..=length).prop_shuffle()
    }

    proptest! {
        #[test]
        fn names_are_valid_and_unique_and_stay(lists in vec(any_tools(), 1..8)) {
            let mut names = ToolNames::default();
            let mut before = HashMap::new();
            for tools in lists {
                let named = names.assign(&tools);
                prop_assert_eq!(named.len(), tools.len());
                let unique = named.iter().map(|(name, _)| name).collect::<HashSet<_>>();
                prop_assert_eq!(unique.len(), tools.len());
                for ((name, tool), given) in named.iter().zip(&tools) {
                    prop_assert!(Arc::ptr_eq(tool, given));
                    prop_assert!(!name.to_ascii_lowercase().starts_with(PREFIX));
                    let first = before.entry(tool.id).or_insert_with(|| name.clone());
                    prop_assert_eq!(first, name);
                }
            }
        }

        #[test]
        fn any_text_becomes_a_name(
            text in any::<String>(),
            start in select(vec!["", PREFIX]),
            clashes in 1_usize..12,
        ) {
            let name = format!("{start}{text}");
            let tools = (0..clashes).map(|frame| tool(A, &[frame], &name)).collect::<Vec<_>>();
            let named = ToolNames::default().assign(&tools);
            for (name, _) in &named {
                prop_assert!((1..=LENGTH).contains(&name.len()));
                prop_assert!(
                    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
                );
                prop_assert!(!name.starts_with(PREFIX));
            }
            let unique = named.iter().map(|(name, _)| name).collect::<HashSet<_>>();
            prop_assert_eq!(unique.len(), clashes);
        }
    }
}
