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
mod tests;
