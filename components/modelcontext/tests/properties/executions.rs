/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::collections::BTreeMap;
use std::ops::Range;

use modelcontext::{
    AlreadyPending, Caller, CancelRefused, CompletionRefused, Ended, ExecutionId, PendingExecution,
    PendingExecutions, ToolName,
};
use proptest::prelude::*;
use proptest::sample::Index;

type Document = u8;
type Agent = u8;

/// What documents, agents and impostors do, in any order.
#[derive(Clone, Debug)]
enum Action {
    Begin(Caller<Document, Agent>, Document),
    /// Begins under an id that was used before.
    BeginAgain(Index, Caller<Document, Agent>, Document),
    Complete(Index, Document),
    Cancel(Index, Caller<Document, Agent>),
    Gone(Document),
}

const DOCUMENTS: Range<Document> = 0..4;

fn document() -> impl Strategy<Value = Document> {
    DOCUMENTS
}

fn caller() -> impl Strategy<Value = Caller<Document, Agent>> {
    prop_oneof![3 => document().prop_map(Caller::Document), 1 => (0..3u8).prop_map(Caller::Agent)]
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        8 => (caller(), document()).prop_map(|(caller, target)| Action::Begin(caller, target)),
        1 => (any::<Index>(), caller(), document())
            .prop_map(|(index, caller, target)| Action::BeginAgain(index, caller, target)),
        6 => (any::<Index>(), document()).prop_map(|(index, from)| Action::Complete(index, from)),
        6 => (any::<Index>(), caller()).prop_map(|(index, by)| Action::Cancel(index, by)),
        2 => document().prop_map(Action::Gone),
    ]
}

/// One begun execution, as the test remembers it for ever.
#[derive(Clone, Debug)]
struct Begun {
    id: ExecutionId,
    caller: Caller<Document, Agent>,
    target: Document,
    ends: u32,
}

/// Everything that ever began, in order.
#[derive(Default)]
struct History(Vec<Begun>);

impl History {
    fn pending(&self, id: ExecutionId) -> Option<&Begun> {
        self.0
            .iter()
            .find(|begun| begun.id == id && begun.ends == 0)
    }

    fn all_pending(&self) -> impl Iterator<Item = &Begun> {
        self.0.iter().filter(|begun| begun.ends == 0)
    }

    fn begin(&mut self, id: ExecutionId, caller: Caller<Document, Agent>, target: Document) {
        self.0.push(Begun {
            id,
            caller,
            target,
            ends: 0,
        });
    }

    /// Notes that the implementation said that the latest execution under `id` has ended.
    fn end(&mut self, id: ExecutionId) {
        let begun = self.0.iter_mut().rev().find(|begun| begun.id == id);
        begun.expect("only what began ends").ends += 1;
    }

    /// Some id that was used, or one that was not when there is none.
    fn some_id(&self, index: &Index) -> ExecutionId {
        if self.0.is_empty() {
            ExecutionId::new()
        } else {
            index.get(&self.0).id
        }
    }
}

fn execution(
    caller: Caller<Document, Agent>,
    target: Document,
) -> PendingExecution<Document, Agent> {
    let tool_name = ToolName::parse("tool").expect("this is a name");
    PendingExecution {
        caller,
        target,
        tool_name,
    }
}

proptest! {
    #[test]
    fn every_begun_execution_ends_exactly_once_and_by_those_it_concerns(
        actions in prop::collection::vec(action(), 0..80),
    ) {
        let mut executions = PendingExecutions::<Document, Agent>::new();
        let mut history = History::default();

        for action in actions.into_iter().chain(DOCUMENTS.map(Action::Gone)) {
            match action {
                Action::Begin(caller, target) => {
                    let id = ExecutionId::new();
                    let answer = executions.begin(id, execution(caller.clone(), target));
                    prop_assert_eq!(answer, Ok(()));
                    history.begin(id, caller, target);
                },
                Action::BeginAgain(index, caller, target) => {
                    let id = history.some_id(&index);
                    let answer = executions.begin(id, execution(caller.clone(), target));
                    if history.pending(id).is_some() {
                        prop_assert_eq!(answer, Err(AlreadyPending { id }));
                    } else {
                        prop_assert_eq!(answer, Ok(()));
                        history.begin(id, caller, target);
                    }
                },
                Action::Complete(index, from) => {
                    let id = history.some_id(&index);
                    let expected = match history.pending(id) {
                        None => Err(CompletionRefused::NotPending),
                        Some(begun) if begun.target != from => Err(CompletionRefused::NotTheTarget),
                        Some(begun) => Ok(begun.caller.clone()),
                    };
                    let answer = executions.complete(id, &from);
                    prop_assert_eq!(&answer, &expected);
                    if answer.is_ok() {
                        history.end(id);
                    }
                },
                Action::Cancel(index, by) => {
                    let id = history.some_id(&index);
                    let expected = match history.pending(id) {
                        None => Err(CancelRefused::NotPending),
                        Some(begun) if begun.caller != by => Err(CancelRefused::NotTheCaller),
                        Some(begun) => Ok(execution(begun.caller.clone(), begun.target)),
                    };
                    let answer = executions.cancel(id, &by);
                    prop_assert_eq!(&answer, &expected);
                    if answer.is_ok() {
                        history.end(id);
                    }
                },
                Action::Gone(document) => {
                    let expected: Vec<_> = history
                        .all_pending()
                        .filter_map(|begun| ended(begun, document))
                        .collect();
                    let answer = executions.document_gone(&document);
                    prop_assert_eq!(&answer, &expected);
                    for ended in answer {
                        history.end(id_of(&ended));
                    }
                },
            }

            // What is pending is what began and did not end, in that order.
            let pending: Vec<_> = executions.iter().map(|(id, _)| id).collect();
            let expected: Vec<_> = history.all_pending().map(|begun| begun.id).collect();
            prop_assert_eq!(&pending, &expected);
            prop_assert_eq!(executions.len(), pending.len());
            prop_assert_eq!(executions.is_empty(), pending.is_empty());
        }

        for begun in &history.0 {
            prop_assert_eq!(begun.ends, 1, "{:?}", begun);
        }
    }

    #[test]
    fn after_a_document_is_gone_nothing_concerns_it(
        pairs in prop::collection::vec((caller(), document()), 0..20),
        gone in document(),
    ) {
        let mut executions = PendingExecutions::<Document, Agent>::new();
        let mut begun = BTreeMap::new();
        for (caller, target) in pairs {
            let id = ExecutionId::new();
            executions.begin(id, execution(caller.clone(), target))?;
            begun.insert(id, (caller, target));
        }

        let ended = executions.document_gone(&gone).len();

        prop_assert_eq!(ended + executions.len(), begun.len());
        for (id, execution) in executions.iter() {
            prop_assert_ne!(execution.target, gone);
            prop_assert_ne!(&execution.caller, &Caller::Document(gone));
            prop_assert_eq!(&begun[&id], &(execution.caller.clone(), execution.target));
        }
    }
}

fn id_of(ended: &Ended<Document, Agent>) -> ExecutionId {
    match *ended {
        Ended::TargetGone { id, .. } | Ended::CallerGone { id, .. } | Ended::BothGone { id } => id,
    }
}

/// How `begun` ends when `document` goes away, if it does: the table of the draft.
fn ended(begun: &Begun, document: Document) -> Option<Ended<Document, Agent>> {
    let Begun {
        id,
        ref caller,
        target,
        ..
    } = *begun;
    match (target == document, *caller == Caller::Document(document)) {
        (false, false) => None,
        (true, false) => Some(Ended::TargetGone {
            id,
            caller: caller.clone(),
        }),
        (false, true) => Some(Ended::CallerGone { id, target }),
        (true, true) => Some(Ended::BothGone { id }),
    }
}
