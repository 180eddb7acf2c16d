/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Asking the user whether a consequential tool may run.
//!
//! A client with an `initialize` handshake gets a request and answers it. Since 2026-07-28 servers send no requests: the
//! call is answered with the question, and the client calls again with the answer. That second call can come from
//! anywhere, so the question is sealed, is good for one answer and only for some time, and belongs to one call: of one
//! client, with these arguments, of a tool with this definition. (Not to one registration: see
//! [`same_definition`](super::told::same_definition).)

use std::sync::Mutex;
use std::time::Duration;

use indexmap::IndexMap;
use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequests, InputRequiredResult, RequestStateCodec,
    SealOptions, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use uuid::Uuid;

use super::calls::{ECHO, PageCall, client_name};
use super::revision::has_handshake;
use super::state::Connection;
use crate::lock::lock;
use crate::text::{cut, shorten};
use crate::{Consequential, Page, PageTool};

/// The name of the one question that is asked.
const QUESTION: &str = "confirm";

/// How many questions may be open at once; of more, the oldest are dropped.
const OPEN: usize = 1024;

/// How many bytes of the arguments are shown.
const SHOWN: usize = 2000;

const NO_ANSWER_BELONGS: &str = "The confirmation that came with the call does not belong to it: it is for another call, \
    was used before, or is too old. The tool was not run. Call it again without a confirmation, and the user is asked anew.";

/// Whether a consequential tool may run.
pub(super) enum Permission {
    /// It may.
    Granted,
    /// The client is to ask the user, and to call again with the answer.
    Asked(Box<InputRequiredResult>),
    /// It may not, for this reason.
    Refused(String),
}

impl<P: Page> Connection<P> {
    /// Whether `tool` may run with the arguments of `call`.
    pub(super) async fn permission(
        &self,
        call: &PageCall,
        tool: &PageTool,
        context: &RequestContext<RoleServer>,
    ) -> Permission {
        if !tool
            .annotations
            .is_some_and(|hints| hints.consequential_hint)
        {
            return Permission::Granted;
        }
        match self.shared.options.consequential {
            Consequential::Allow => return Permission::Granted,
            Consequential::Deny => {
                return Permission::Refused(format!(
                    "\"{}\" does what is hard to take back, and this server runs no such tools. It was started with \
                     --consequential deny.",
                    call.name
                ));
            }
            Consequential::Ask => {}
        }
        if !can_ask(context) {
            return Permission::Refused(format!(
                "\"{}\" does what is hard to take back, so the user has to agree, and this client cannot ask: it does not \
                 support elicitation. The tool was not run. Use a client that does, or start the server with \
                 --consequential allow if every such call may run without asking.",
                call.name
            ));
        }
        if has_handshake(context) {
            return self.ask(call, tool, context).await;
        }
        let belongs_to = belongs_to(call, tool, context);
        let Some(state) = &call.request_state else {
            return Permission::Asked(Box::new(
                self.shared.questions.ask(question(call, tool), &belongs_to),
            ));
        };
        if !self.shared.questions.settle(state, &belongs_to) {
            return Permission::Refused(NO_ANSWER_BELONGS.to_owned());
        }
        let answer = call
            .input_responses
            .as_ref()
            .and_then(|responses| responses.get(QUESTION))
            .and_then(|answer| ElicitResult::deserialize(answer).ok());
        match answer {
            Some(answer) => decision(&answer.action),
            None => Permission::Refused(format!(
                "The call came back without an answer to the question \"{QUESTION}\". The tool was not run."
            )),
        }
    }

    /// Sends the client a request, and waits for the answer.
    async fn ask(
        &self,
        call: &PageCall,
        tool: &PageTool,
        context: &RequestContext<RoleServer>,
    ) -> Permission {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(question(call, tool)));
        let asked = context
            .peer
            .send_request_with_option(request, PeerRequestOptions::no_options())
            .await;
        let mut handle = match asked {
            Ok(handle) => handle,
            Err(error) => return could_not_ask(error),
        };
        let patience = self.shared.options.pacing.question;
        let answer = tokio::select! {
            answer = &mut handle.rx => Some(answer),
            () = tokio::time::sleep(patience) => None,
            () = context.ct.cancelled() => None,
        };
        match answer {
            Some(Ok(Ok(ClientResult::ElicitResult(answer)))) => decision(&answer.action),
            Some(Ok(Ok(_))) => could_not_ask("the answer is none to an elicitation"),
            Some(Ok(Err(error))) => could_not_ask(error),
            Some(Err(_)) => could_not_ask("the client is gone"),
            None => {
                // So that the client takes the question off the screen. If this fails, the client is gone.
                let _ = handle
                    .cancel(Some("The answer is no longer needed".to_owned()))
                    .await;
                Permission::Refused(format!(
                    "The user did not answer within {} s. The tool was not run.",
                    patience.as_secs_f64()
                ))
            }
        }
    }
}

/// Whether the client of a request can ask its user.
fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    context
        .client_capabilities()
        .and_then(|capabilities| capabilities.elicitation)
        // Clients that name no kind were there before there was more than one.
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// What the user is asked. A form without fields: to accept it is to agree.
fn question(call: &PageCall, tool: &PageTool) -> ElicitRequestParams {
    let arguments = serde_json::to_string_pretty(&call.arguments).unwrap_or_default();
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!(
            "May the tool \"{}\" of {} run? The page says that what it does is hard to take back. Arguments:\n{}",
            tool.name,
            tool.origin,
            cut(arguments, SHOWN)
        ),
        requested_schema: ElicitationSchema::new(Default::default()),
    }
}

fn decision(action: &ElicitationAction) -> Permission {
    match action {
        ElicitationAction::Accept => Permission::Granted,
        ElicitationAction::Decline => {
            Permission::Refused("The user said no. The tool was not run.".to_owned())
        }
        _ => Permission::Refused(
            "The user closed the question without an answer. The tool was not run.".to_owned(),
        ),
    }
}

fn could_not_ask(reason: impl std::fmt::Display) -> Permission {
    Permission::Refused(format!(
        "The user could not be asked: {}. The tool was not run.",
        shorten(&reason.to_string(), ECHO)
    ))
}

/// What a question belongs to, as bytes that are equal only for the same.
fn belongs_to(call: &PageCall, tool: &PageTool, context: &RequestContext<RoleServer>) -> Vec<u8> {
    let parts = (
        client_name(context),
        &call.name,
        &call.arguments,
        (&tool.origin, &tool.name, &tool.frame),
        (&tool.title, &tool.description, &tool.input_schema),
        tool.annotations,
    );
    serde_json::to_vec(&parts).expect("texts, numbers and JSON values have a JSON text")
}

/// What is sealed: which question it is.
#[derive(Deserialize, Serialize)]
struct Asked {
    question: Uuid,
}

/// The questions that wait for an answer.
pub(super) struct Questions {
    codec: RequestStateCodec,
    /// Until when each may be answered, the oldest first.
    open: Mutex<IndexMap<Uuid, Instant>>,
    patience: Duration,
}

impl Questions {
    pub(super) fn new(patience: Duration) -> Questions {
        // 244 random bits. The questions die with the process, so the key may too.
        let key = [Uuid::new_v4().into_bytes(), Uuid::new_v4().into_bytes()].concat();
        Questions {
            codec: RequestStateCodec::try_new(key).expect("the key is of the least length"),
            open: Mutex::default(),
            patience,
        }
    }

    /// A question that can be answered once.
    fn ask(&self, question: ElicitRequestParams, belongs_to: &[u8]) -> InputRequiredResult {
        let id = Uuid::new_v4();
        let options = SealOptions::new()
            .associated_data(belongs_to)
            .ttl(self.patience);
        let state = self
            .codec
            .seal_json_with(&Asked { question: id }, &options)
            .expect("a UUID has a JSON text");
        let mut open = lock(&self.open);
        while open.len() >= OPEN {
            open.shift_remove_index(0);
        }
        open.insert(id, Instant::now() + self.patience);
        let question = InputRequest::Elicitation(ElicitRequest::new(question));
        InputRequiredResult::new(
            Some(InputRequests::from([(QUESTION.to_owned(), question)])),
            Some(state),
        )
    }

    /// Whether `state` is of a question that was open and belongs there. It is no longer open then.
    fn settle(&self, state: &str, belongs_to: &[u8]) -> bool {
        let Ok(asked) = self.codec.open_json_with::<Asked>(state, belongs_to) else {
            return false;
        };
        lock(&self.open)
            .shift_remove(&asked.question)
            .is_some_and(|until| Instant::now() <= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params() -> ElicitRequestParams {
        ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: "May it?".to_owned(),
            requested_schema: ElicitationSchema::new(Default::default()),
        }
    }

    fn ask(questions: &Questions, belongs_to: &[u8]) -> String {
        questions.ask(params(), belongs_to).request_state.unwrap()
    }

    #[tokio::test]
    async fn a_question_is_settled_once() {
        let questions = Questions::new(Duration::from_secs(60));
        let state = ask(&questions, b"this call");
        assert!(questions.settle(&state, b"this call"));
        assert!(!questions.settle(&state, b"this call"));
    }

    #[tokio::test]
    async fn a_question_belongs_to_its_call() {
        let questions = Questions::new(Duration::from_secs(60));
        let state = ask(&questions, b"this call");
        assert!(!questions.settle(&state, b"another call"));
        assert!(questions.settle(&state, b"this call"));
    }

    #[tokio::test]
    async fn a_question_of_another_server_is_none() {
        let questions = Questions::new(Duration::from_secs(60));
        let state = ask(&Questions::new(Duration::from_secs(60)), b"this call");
        assert!(!questions.settle(&state, b"this call"));
        assert!(!questions.settle("", b"this call"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_has_its_time() {
        let questions = Questions::new(Duration::from_secs(60));
        let state = ask(&questions, b"this call");
        tokio::time::advance(Duration::from_secs(61)).await;
        assert!(!questions.settle(&state, b"this call"));
    }

    #[tokio::test]
    async fn the_oldest_questions_are_dropped() {
        let questions = Questions::new(Duration::from_secs(60));
        let states = (0..=OPEN)
            .map(|_| ask(&questions, b"this call"))
            .collect::<Vec<_>>();
        assert!(!questions.settle(&states[0], b"this call"));
        assert!(questions.settle(&states[1], b"this call"));
        assert_eq!(lock(&questions.open).len(), OPEN - 1);
    }
}
