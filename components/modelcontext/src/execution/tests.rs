/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use super::*;

type Executions = PendingExecutions<char, u32>;

fn execution(caller: Caller<char, u32>, target: char) -> PendingExecution<char, u32> {
    PendingExecution {
        caller,
        target,
        tool_name: ToolName::parse("tool").unwrap(),
    }
}

/// Begins one execution for each pair of caller and target.
fn begun<const N: usize>(pairs: [(Caller<char, u32>, char); N]) -> (Executions, [ExecutionId; N]) {
    let mut executions = Executions::default();
    let ids = pairs.map(|(caller, target)| {
        let id = ExecutionId::new();
        executions.begin(id, execution(caller, target)).unwrap();
        id
    });
    (executions, ids)
}

#[test]
fn a_begun_execution_is_pending() {
    let (executions, [id]) = begun([(Caller::Document('a'), 'b')]);
    assert_eq!(
        executions.get(id),
        Some(&execution(Caller::Document('a'), 'b'))
    );
    assert_eq!(executions.get(ExecutionId::new()), None);
    assert_eq!(executions.len(), 1);
    assert!(!executions.is_empty());
}

#[test]
fn beginning_under_a_pending_id_is_refused() {
    let (mut executions, [id]) = begun([(Caller::Document('a'), 'b')]);
    assert_eq!(
        executions.begin(id, execution(Caller::Agent(1), 'c')),
        Err(AlreadyPending { id })
    );
    assert_eq!(
        executions.get(id),
        Some(&execution(Caller::Document('a'), 'b'))
    );
}

#[test]
fn executions_are_listed_in_the_order_in_which_they_began() {
    let (executions, ids) = begun([
        (Caller::Document('a'), 'b'),
        (Caller::Agent(1), 'c'),
        (Caller::Document('c'), 'a'),
    ]);
    assert_eq!(executions.iter().map(|(id, _)| id).collect::<Vec<_>>(), ids);
    assert_eq!(
        executions
            .iter()
            .map(|(_, execution)| execution.target)
            .collect::<String>(),
        "bca"
    );
}

#[test]
fn the_target_completes_an_execution_for_its_caller() {
    let (mut executions, [for_document, for_agent]) =
        begun([(Caller::Document('a'), 'b'), (Caller::Agent(7), 'b')]);
    assert_eq!(executions.complete(for_agent, &'b'), Ok(Caller::Agent(7)));
    assert_eq!(
        executions.complete(for_document, &'b'),
        Ok(Caller::Document('a'))
    );
    assert!(executions.is_empty());
}

#[test]
fn an_execution_completes_once() {
    let (mut executions, [id]) = begun([(Caller::Document('a'), 'b')]);
    executions.complete(id, &'b').unwrap();
    assert_eq!(
        executions.complete(id, &'b'),
        Err(CompletionRefused::NotPending)
    );
}

#[test]
fn completing_what_never_began_is_refused() {
    assert_eq!(
        Executions::new().complete(ExecutionId::new(), &'a'),
        Err(CompletionRefused::NotPending)
    );
}

#[test]
fn only_the_target_completes_an_execution() {
    let (mut executions, [id]) = begun([(Caller::Document('a'), 'b')]);
    assert_eq!(
        executions.complete(id, &'c'),
        Err(CompletionRefused::NotTheTarget)
    );
    assert_eq!(
        executions.complete(id, &'a'),
        Err(CompletionRefused::NotTheTarget)
    );
    assert_eq!(executions.complete(id, &'b'), Ok(Caller::Document('a')));
}

#[test]
fn the_caller_cancels_an_execution() {
    let (mut executions, [by_document, by_agent]) =
        begun([(Caller::Document('a'), 'b'), (Caller::Agent(7), 'b')]);
    assert_eq!(
        executions.cancel(by_document, &Caller::Document('a')),
        Ok(execution(Caller::Document('a'), 'b'))
    );
    assert_eq!(
        executions.cancel(by_agent, &Caller::Agent(7)),
        Ok(execution(Caller::Agent(7), 'b'))
    );
    assert!(executions.is_empty());
}

#[test]
fn only_the_caller_cancels_an_execution() {
    let (mut executions, [by_document, by_agent]) =
        begun([(Caller::Document('a'), 'b'), (Caller::Agent(7), 'b')]);
    for stranger in [
        Caller::Document('b'),
        Caller::Document('c'),
        Caller::Agent(7),
    ] {
        assert_eq!(
            executions.cancel(by_document, &stranger),
            Err(CancelRefused::NotTheCaller)
        );
    }
    for stranger in [Caller::Document('b'), Caller::Agent(8)] {
        assert_eq!(
            executions.cancel(by_agent, &stranger),
            Err(CancelRefused::NotTheCaller)
        );
    }
    assert_eq!(executions.len(), 2);
}

#[test]
fn a_cancelled_execution_does_not_complete() {
    let (mut executions, [id]) = begun([(Caller::Document('a'), 'b')]);
    executions.cancel(id, &Caller::Document('a')).unwrap();
    assert_eq!(
        executions.complete(id, &'b'),
        Err(CompletionRefused::NotPending)
    );
}

#[test]
fn a_completed_execution_is_not_cancelled() {
    let (mut executions, [id]) = begun([(Caller::Document('a'), 'b')]);
    executions.complete(id, &'b').unwrap();
    assert_eq!(
        executions.cancel(id, &Caller::Document('a')),
        Err(CancelRefused::NotPending)
    );
}

#[test]
fn an_id_is_free_again_after_its_execution_ended() {
    let (mut executions, [id]) = begun([(Caller::Document('a'), 'b')]);
    executions.complete(id, &'b').unwrap();
    assert_eq!(
        executions.begin(id, execution(Caller::Agent(1), 'c')),
        Ok(())
    );
}

#[test]
fn when_a_target_goes_its_callers_are_told() {
    let (mut executions, [first, second]) =
        begun([(Caller::Document('a'), 'b'), (Caller::Agent(7), 'b')]);
    assert_eq!(
        executions.document_gone(&'b'),
        [
            Ended::TargetGone {
                id: first,
                caller: Caller::Document('a')
            },
            Ended::TargetGone {
                id: second,
                caller: Caller::Agent(7)
            },
        ]
    );
    assert!(executions.is_empty());
}

#[test]
fn when_a_caller_goes_its_targets_are_told() {
    let (mut executions, [first, second]) =
        begun([(Caller::Document('a'), 'b'), (Caller::Document('a'), 'c')]);
    assert_eq!(
        executions.document_gone(&'a'),
        [
            Ended::CallerGone {
                id: first,
                target: 'b'
            },
            Ended::CallerGone {
                id: second,
                target: 'c'
            }
        ]
    );
    assert!(executions.is_empty());
}

#[test]
fn when_caller_and_target_are_the_document_that_goes_nobody_is_told() {
    let (mut executions, [id]) = begun([(Caller::Document('a'), 'a')]);
    assert_eq!(executions.document_gone(&'a'), [Ended::BothGone { id }]);
    assert!(executions.is_empty());
}

#[test]
fn executions_of_other_documents_go_on_in_their_order() {
    let (mut executions, [stays, goes, stays_too, goes_too]) = begun([
        (Caller::Document('a'), 'b'),
        (Caller::Document('c'), 'b'),
        (Caller::Agent(1), 'a'),
        (Caller::Document('a'), 'c'),
    ]);
    let ended = executions.document_gone(&'c');
    assert_eq!(
        ended,
        [
            Ended::CallerGone {
                id: goes,
                target: 'b'
            },
            Ended::TargetGone {
                id: goes_too,
                caller: Caller::Document('a')
            },
        ]
    );
    assert_eq!(
        executions.iter().map(|(id, _)| id).collect::<Vec<_>>(),
        [stays, stays_too]
    );
}

#[test]
fn a_document_without_executions_ends_none() {
    let (mut executions, [_]) = begun([(Caller::Document('a'), 'b')]);
    assert_eq!(executions.document_gone(&'c'), []);
    assert_eq!(executions.len(), 1);
}
