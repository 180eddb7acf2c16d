/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Whole stories of tool calls, told through a fake browser: the constellation as the crate's
//! documentation describes it, documents that answer when the test says so, and a record of every
//! message that is sent.

use std::collections::BTreeMap;

use modelcontext::{
    Caller, Ended, ExecutionId, PendingExecution, PendingExecutions, ToolDefinition,
    ToolFailureKind, ToolId, ToolMap, ToolName, resolve_target,
};

/// A document. Documents of the same first letter have the same origin.
type Document = &'static str;
/// A request of the embedder.
type Request = u32;

fn origin_of(document: Document) -> &'static str {
    &document[..1]
}

/// What the constellation tells others, in the order of sending.
#[derive(Clone, Debug, PartialEq)]
enum Message {
    /// To the target: run the tool.
    Run(Document, Call),
    /// To the target: abort the tool's signal.
    Cancel(Document, Call),
    /// To the caller: this is the result.
    Result(Caller<Document, Request>, Call, &'static str),
    /// To the caller: the call has failed.
    Failed(Caller<Document, Request>, Call, ToolFailureKind),
}

/// A call of the story: calls are numbered from 0 in the order in which they were made.
type Call = usize;

/// One traversable, and the part of the constellation that serves it.
#[derive(Default)]
struct Browser {
    tools: BTreeMap<Document, ToolMap<&'static str>>,
    executions: PendingExecutions<Document, Request>,
    /// The id of each call, by its number.
    calls: Vec<ExecutionId>,
    sent: Vec<Message>,
}

impl Browser {
    fn new(documents: &[Document]) -> Browser {
        let tools = documents
            .iter()
            .map(|&document| (document, ToolMap::new()))
            .collect();
        Browser {
            tools,
            ..Browser::default()
        }
    }

    fn register(&mut self, document: Document, name: &str, exposed_to: &[&'static str]) -> ToolId {
        let definition = ToolDefinition {
            id: ToolId::new(),
            name: ToolName::parse(name).unwrap(),
            title: String::new(),
            description: "does something".to_owned(),
            input_schema: None,
            annotations: None,
            exposed_origins: exposed_to.to_vec(),
        };
        let id = definition.id;
        self.tools
            .get_mut(document)
            .unwrap()
            .insert(definition)
            .unwrap();
        id
    }

    fn unregister(&mut self, document: Document, tool: ToolId) {
        assert!(
            self.tools
                .get_mut(document)
                .unwrap()
                .remove_by_id(tool)
                .is_some()
        );
    }

    /// `caller` executes the tool `name` of `target`.
    fn call(&mut self, caller: Caller<Document, Request>, target: Document, name: &str) -> Call {
        let call = self.calls.len();
        let id = ExecutionId::new();
        self.calls.push(id);

        let caller_origin = match caller {
            Caller::Document(document) => origin_of(document),
            // The browser's agent acts for the user, to whom every tool is exposed.
            Caller::Agent(_) => origin_of(target),
        };
        let resolved = match self.tools.get(target) {
            Some(tools) => resolve_target(
                &origin_of(target),
                &origin_of(target),
                &caller_origin,
                tools,
                name,
            ),
            None => Err(ToolFailureKind::DifferentTraversable),
        };
        match resolved {
            Ok(definition) => {
                let tool_name = definition.name.clone();
                self.executions
                    .begin(
                        id,
                        PendingExecution {
                            caller,
                            target,
                            tool_name,
                        },
                    )
                    .unwrap();
                self.sent.push(Message::Run(target, call));
            }
            Err(kind) => self.sent.push(Message::Failed(caller, call, kind)),
        }
        call
    }

    /// A document says that the tool has given `result`.
    fn settle(&mut self, from: Document, call: Call, result: &'static str) {
        if let Ok(caller) = self.executions.complete(self.calls[call], &from) {
            self.sent.push(Message::Result(caller, call, result));
        }
    }

    /// Someone says that it does not want the result any more.
    fn abort(&mut self, by: Caller<Document, Request>, call: Call) {
        if let Ok(execution) = self.executions.cancel(self.calls[call], &by) {
            self.sent.push(Message::Cancel(execution.target, call));
        }
    }

    /// A document is unloaded: its frame was removed or navigated, or its process died.
    fn unload(&mut self, document: Document) {
        self.tools.remove(document);
        for ended in self.executions.document_gone(&document) {
            let message = match ended {
                Ended::TargetGone { id, caller } => {
                    Message::Failed(caller, self.call_of(id), ToolFailureKind::TargetGone)
                }
                Ended::CallerGone { id, target } => Message::Cancel(target, self.call_of(id)),
                Ended::BothGone { .. } => continue,
            };
            self.sent.push(message);
        }
    }

    fn call_of(&self, id: ExecutionId) -> Call {
        self.calls.iter().position(|&other| other == id).unwrap()
    }

    /// What was sent since this was asked last.
    fn sent(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.sent)
    }
}

use Caller::{Agent, Document as Page};
use Message::{Cancel, Failed, Result, Run};

#[test]
fn a_call_runs_in_the_target_and_resolves_in_the_caller() {
    let mut browser = Browser::new(&["a", "b"]);
    browser.register("b", "tool", &["a"]);
    let call = browser.call(Page("a"), "b", "tool");
    browser.settle("b", call, "done");
    assert_eq!(
        browser.sent(),
        [Run("b", call), Result(Page("a"), call, "done")]
    );
    assert!(browser.executions.is_empty());
}

#[test]
fn a_call_that_cannot_begin_leaves_nothing_pending() {
    let mut browser = Browser::new(&["a", "b"]);
    browser.register("b", "hidden", &[]);
    browser.call(Page("a"), "b", "hidden");
    browser.call(Page("a"), "b", "missing");
    browser.call(Page("a"), "c", "tool");
    assert_eq!(
        browser.sent(),
        [
            Failed(Page("a"), 0, ToolFailureKind::NotExposed),
            Failed(Page("a"), 1, ToolFailureKind::NoSuchTool),
            Failed(Page("a"), 2, ToolFailureKind::DifferentTraversable),
        ]
    );
    assert!(browser.executions.is_empty());
}

#[test]
fn concurrent_calls_of_one_tool_are_independent() {
    let mut browser = Browser::new(&["a"]);
    browser.register("a", "tool", &[]);
    let first = browser.call(Page("a"), "a", "tool");
    let second = browser.call(Page("a"), "a", "tool");
    let third = browser.call(Page("a"), "a", "tool");
    browser.sent();
    browser.settle("a", second, "two");
    browser.abort(Page("a"), first);
    browser.settle("a", third, "three");
    assert_eq!(
        browser.sent(),
        [
            Result(Page("a"), second, "two"),
            Cancel("a", first),
            Result(Page("a"), third, "three")
        ]
    );
}

#[test]
fn an_abort_in_the_turn_of_the_call_still_runs_the_tool_first() {
    let mut browser = Browser::new(&["a", "b"]);
    browser.register("b", "tool", &["a"]);
    let call = browser.call(Page("a"), "b", "tool");
    browser.abort(Page("a"), call);
    assert_eq!(browser.sent(), [Run("b", call), Cancel("b", call)]);
}

#[test]
fn when_abort_and_result_cross_the_first_to_arrive_wins() {
    let mut browser = Browser::new(&["a", "b"]);
    browser.register("b", "tool", &["a"]);

    let aborted = browser.call(Page("a"), "b", "tool");
    browser.sent();
    browser.abort(Page("a"), aborted);
    browser.settle("b", aborted, "late");
    assert_eq!(browser.sent(), [Cancel("b", aborted)]);

    let settled = browser.call(Page("a"), "b", "tool");
    browser.sent();
    browser.settle("b", settled, "in time");
    browser.abort(Page("a"), settled);
    assert_eq!(browser.sent(), [Result(Page("a"), settled, "in time")]);
}

#[test]
fn a_running_call_survives_unregistration() {
    let mut browser = Browser::new(&["a", "b"]);
    let tool = browser.register("b", "tool", &["a"]);
    let call = browser.call(Page("a"), "b", "tool");
    browser.unregister("b", tool);
    let too_late = browser.call(Page("a"), "b", "tool");
    browser.settle("b", call, "done");
    assert_eq!(
        browser.sent(),
        [
            Run("b", call),
            Failed(Page("a"), too_late, ToolFailureKind::NoSuchTool),
            Result(Page("a"), call, "done"),
        ]
    );
}

#[test]
fn removing_the_frame_of_the_tool_fails_the_calls_into_it() {
    let mut browser = Browser::new(&["a", "b", "c"]);
    browser.register("b", "tool", &["a", "c"]);
    let first = browser.call(Page("a"), "b", "tool");
    let second = browser.call(Page("c"), "b", "tool");
    browser.sent();
    browser.unload("b");
    browser.settle("b", first, "from beyond");
    browser.abort(Page("c"), second);
    assert_eq!(
        browser.sent(),
        [
            Failed(Page("a"), first, ToolFailureKind::TargetGone),
            Failed(Page("c"), second, ToolFailureKind::TargetGone),
        ]
    );
}

#[test]
fn removing_the_frame_of_the_caller_cancels_the_tools_it_runs() {
    let mut browser = Browser::new(&["a", "b", "c"]);
    browser.register("a", "tool", &["b"]);
    browser.register("c", "tool", &["b"]);
    let first = browser.call(Page("b"), "a", "tool");
    let second = browser.call(Page("b"), "c", "tool");
    browser.sent();
    browser.unload("b");
    browser.settle("a", first, "for nobody");
    assert_eq!(browser.sent(), [Cancel("a", first), Cancel("c", second)]);
    assert!(browser.executions.is_empty());
}

#[test]
fn a_document_that_calls_itself_and_goes_leaves_nothing_to_say() {
    let mut browser = Browser::new(&["a", "b"]);
    browser.register("b", "tool", &[]);
    let call = browser.call(Page("b"), "b", "tool");
    browser.sent();
    browser.unload("b");
    browser.settle("b", call, "from beyond");
    assert_eq!(browser.sent(), []);
    assert!(browser.executions.is_empty());
}

#[test]
fn two_documents_of_one_origin_are_two_documents() {
    let mut browser = Browser::new(&["a1", "a2"]);
    browser.register("a2", "tool", &[]);
    let call = browser.call(Page("a1"), "a2", "tool");
    browser.abort(Page("a2"), call);
    browser.settle("a1", call, "not mine");
    browser.unload("a1");
    assert_eq!(browser.sent(), [Run("a2", call), Cancel("a2", call)]);
}

#[test]
fn when_the_middle_of_nested_calls_goes_both_sides_are_told() {
    let mut browser = Browser::new(&["a", "b", "c"]);
    browser.register("b", "outer", &["a"]);
    browser.register("c", "inner", &["b"]);
    let outer = browser.call(Page("a"), "b", "outer");
    let inner = browser.call(Page("b"), "c", "inner");
    browser.sent();
    browser.unload("b");
    assert_eq!(
        browser.sent(),
        [
            Failed(Page("a"), outer, ToolFailureKind::TargetGone),
            Cancel("c", inner)
        ]
    );
}

#[test]
fn when_the_end_of_nested_calls_goes_the_tool_in_the_middle_goes_on() {
    let mut browser = Browser::new(&["a", "b", "c"]);
    browser.register("b", "outer", &["a"]);
    browser.register("c", "inner", &["b"]);
    let outer = browser.call(Page("a"), "b", "outer");
    let inner = browser.call(Page("b"), "c", "inner");
    browser.sent();
    browser.unload("c");
    browser.settle("b", outer, "without inner");
    assert_eq!(
        browser.sent(),
        [
            Failed(Page("b"), inner, ToolFailureKind::TargetGone),
            Result(Page("a"), outer, "without inner"),
        ]
    );
}

#[test]
fn a_tool_that_forwards_its_signal_cascades_an_abort() {
    let mut browser = Browser::new(&["a", "b", "c"]);
    browser.register("b", "outer", &["a"]);
    browser.register("c", "inner", &["b"]);
    let outer = browser.call(Page("a"), "b", "outer");
    let inner = browser.call(Page("b"), "c", "inner");
    browser.sent();
    browser.abort(Page("a"), outer);
    browser.abort(Page("b"), inner);
    assert_eq!(browser.sent(), [Cancel("b", outer), Cancel("c", inner)]);
}

#[test]
fn a_process_that_lies_ends_no_call_of_others() {
    let mut browser = Browser::new(&["a", "b", "evil"]);
    browser.register("b", "tool", &["a"]);
    browser.register("b", "agents", &[]);
    let call = browser.call(Page("a"), "b", "tool");
    let request = browser.call(Agent(1), "b", "agents");
    browser.sent();
    for victim in [call, request] {
        browser.settle("evil", victim, "forged");
        browser.abort(Page("evil"), victim);
    }
    assert_eq!(browser.sent(), []);
    browser.settle("b", call, "true");
    browser.settle("b", request, "true as well");
    assert_eq!(
        browser.sent(),
        [
            Result(Page("a"), call, "true"),
            Result(Agent(1), request, "true as well")
        ]
    );
}

#[test]
fn a_process_that_begins_under_a_stolen_id_does_not_become_the_caller() {
    let mut browser = Browser::new(&["a", "b", "evil"]);
    browser.register("b", "tool", &["a"]);
    let call = browser.call(Page("a"), "b", "tool");
    browser.sent();
    let tool_name = ToolName::parse("tool").unwrap();
    let forged = PendingExecution {
        caller: Page("evil"),
        target: "evil",
        tool_name,
    };
    assert!(
        browser
            .executions
            .begin(browser.calls[call], forged)
            .is_err()
    );
    browser.settle("evil", call, "forged");
    browser.abort(Page("evil"), call);
    browser.settle("b", call, "true");
    assert_eq!(browser.sent(), [Result(Page("a"), call, "true")]);
}

#[test]
fn an_agent_is_told_how_its_requests_end() {
    let mut browser = Browser::new(&["a", "b"]);
    browser.register("a", "tool", &[]);
    browser.register("b", "tool", &[]);
    let settles = browser.call(Agent(1), "a", "tool");
    let fails = browser.call(Agent(2), "b", "tool");
    let cancelled = browser.call(Agent(3), "a", "tool");
    browser.sent();
    browser.settle("a", settles, "done");
    browser.unload("b");
    browser.abort(Agent(3), cancelled);
    assert_eq!(
        browser.sent(),
        [
            Result(Agent(1), settles, "done"),
            Failed(Agent(2), fails, ToolFailureKind::TargetGone),
            Cancel("a", cancelled),
        ]
    );
}

#[test]
fn one_agents_request_is_not_cancelled_by_another() {
    let mut browser = Browser::new(&["a"]);
    browser.register("a", "tool", &[]);
    let call = browser.call(Agent(1), "a", "tool");
    browser.sent();
    browser.abort(Agent(2), call);
    assert_eq!(browser.sent(), []);
    browser.abort(Agent(1), call);
    assert_eq!(browser.sent(), [Cancel("a", call)]);
}

#[test]
fn unloading_all_documents_ends_every_call_and_tells_the_agents() {
    let mut browser = Browser::new(&["a", "b"]);
    browser.register("a", "tool", &["b"]);
    browser.register("b", "tool", &[]);
    let of_page = browser.call(Page("b"), "a", "tool");
    let first = browser.call(Agent(1), "b", "tool");
    let second = browser.call(Agent(2), "a", "tool");
    browser.sent();
    browser.unload("b");
    browser.unload("a");
    assert_eq!(
        browser.sent(),
        [
            Cancel("a", of_page),
            Failed(Agent(1), first, ToolFailureKind::TargetGone),
            Failed(Agent(2), second, ToolFailureKind::TargetGone),
        ]
    );
    assert!(browser.executions.is_empty());
}
