/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Tools that say they are consequential.

use modelcontext_mcp::{Consequential, Options, PageTool};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ElicitationAction, InputRequest,
    InputRequiredResult, InputResponses,
};
use serde_json::{Value, json};

use crate::client::{Client, Event, Revision, assert_fails, params};
use crate::page::{Setup, consequential_tool, options, tool};
use crate::wire::Wire;

#[tokio::test]
async fn a_tool_runs_when_the_user_agrees() {
    for revision in Revision::BOTH {
        let mut setup = Setup::new();
        setup.page.register(consequential_tool("pay"));
        let mut client =
            Client::with_user(&setup.server, revision, Some(ElicitationAction::Accept)).await;
        let service = client.service;
        let call =
            tokio::spawn(
                async move { service.call_tool(params("pay", json!({"sum": 100}))).await },
            );
        match client.events.recv().await {
            Some(Event::Asked(question)) => {
                for part in ["\"pay\"", "https://shop.example", "\"sum\": 100"] {
                    assert!(question.contains(part), "{question}");
                }
            }
            other => panic!("{other:?}"),
        }
        setup.execution().await.returns("1");
        assert_ne!(call.await.unwrap().unwrap().is_error, Some(true));
    }
}

#[tokio::test]
async fn a_tool_does_not_run_when_the_user_does_not_agree() {
    for revision in Revision::BOTH {
        for (answer, says) in [
            (ElicitationAction::Decline, "said no"),
            (ElicitationAction::Cancel, "without an answer"),
        ] {
            let mut setup = Setup::new();
            setup.page.register(consequential_tool("pay"));
            let client = Client::with_user(&setup.server, revision, Some(answer)).await;
            let result = client.call("pay", json!({})).await.unwrap();
            assert_fails(&result, says);
            assert!(!setup.ran());
        }
    }
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_refused_and_told_what_helps() {
    for revision in Revision::BOTH {
        let mut setup = Setup::new();
        setup.page.register(consequential_tool("pay"));
        let client = Client::connect(&setup.server, revision).await;
        let result = client.call("pay", json!({})).await.unwrap();
        assert_fails(&result, "--consequential allow");
        assert!(!setup.ran());
    }
}

#[tokio::test]
async fn whoever_starts_the_server_can_allow_or_deny_all() {
    for revision in Revision::BOTH {
        let mut setup = Setup::with(Options {
            consequential: Consequential::Allow,
            ..options()
        });
        setup.page.register(consequential_tool("pay"));
        let client = Client::connect(&setup.server, revision).await;
        let call = client.start("pay", json!({}));
        setup.execution().await.returns("1");
        assert_ne!(call.await.unwrap().is_error, Some(true));

        let mut setup = Setup::with(Options {
            consequential: Consequential::Deny,
            ..options()
        });
        setup.page.register(consequential_tool("pay"));
        let client =
            Client::with_user(&setup.server, revision, Some(ElicitationAction::Accept)).await;
        let result = client.call("pay", json!({})).await.unwrap();
        assert_fails(&result, "--consequential deny");
        assert!(!setup.ran());
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_not_asked_about() {
    let mut setup = Setup::new();
    setup.page.register(PageTool {
        input_schema: Some(r#"{"type":"object","required":["sum"]}"#.to_owned()),
        ..consequential_tool("pay")
    });
    let mut client = Client::with_user(
        &setup.server,
        Revision::Handshake,
        Some(ElicitationAction::Accept),
    )
    .await;
    let result = client.call("pay", json!({})).await.unwrap();
    assert_fails(&result, "sum");
    assert!(client.events.try_recv().is_err());
    assert!(!setup.ran());
}

#[tokio::test]
async fn a_tool_that_changes_while_the_user_thinks_is_not_run() {
    // The user agrees to what was asked, and then the page turns out to have something else.
    let mut setup = Setup::new();
    setup.page.register(consequential_tool("pay"));
    let client = stateless(&setup).await;
    let question = asked(&client, params("pay", json!({"sum": 1}))).await;
    setup.page.register(PageTool {
        description: "Pays twice".to_owned(),
        ..consequential_tool("pay")
    });
    let result = answer(
        &client,
        params("pay", json!({"sum": 1})),
        &question,
        "accept",
    )
    .await;
    assert_fails(&result, "does not belong");
    assert!(!setup.ran());
}

async fn stateless(setup: &Setup) -> Client {
    Client::with_user(
        &setup.server,
        Revision::Stateless,
        Some(ElicitationAction::Accept),
    )
    .await
}

/// The question that a call is answered with.
async fn asked(client: &Client, call: CallToolRequestParams) -> InputRequiredResult {
    match client.service.call_tool_once(call).await.unwrap() {
        CallToolResponse::InputRequired(question) => question,
        other => panic!("{other:?}"),
    }
}

fn with_answer(
    mut call: CallToolRequestParams,
    question: &InputRequiredResult,
    action: &str,
) -> CallToolRequestParams {
    let requests = question.input_requests.as_ref().unwrap();
    call.input_responses = Some(
        requests
            .keys()
            .map(|name| (name.clone(), json!({"action": action})))
            .collect::<InputResponses>(),
    );
    call.request_state = question.request_state.clone();
    call
}

/// What a call with an answer gives, where that is not that the tool runs.
async fn answer(
    client: &Client,
    call: CallToolRequestParams,
    question: &InputRequiredResult,
    action: &str,
) -> CallToolResult {
    let call = with_answer(call, question, action);
    client.service.peer().call_tool(call).await.unwrap()
}

#[tokio::test]
async fn the_question_of_a_stateless_server_is_an_elicitation() {
    let setup = Setup::new();
    setup.page.register(consequential_tool("pay"));
    let client = stateless(&setup).await;
    let question = asked(&client, params("pay", json!({}))).await;
    assert!(question.request_state.is_some());
    let requests = question.input_requests.unwrap();
    assert_eq!(requests.len(), 1);
    assert!(matches!(
        requests.values().next(),
        Some(InputRequest::Elicitation(_))
    ));
}

#[tokio::test]
async fn an_answer_is_good_for_one_call() {
    let mut setup = Setup::new();
    setup.page.register(consequential_tool("pay"));
    let client = stateless(&setup).await;
    let call = || params("pay", json!({"sum": 1}));
    let question = asked(&client, call()).await;
    let peer = client.service.peer().clone();
    let first = with_answer(call(), &question, "accept");
    let first = tokio::spawn(async move { peer.call_tool(first).await });
    setup.execution().await.returns("1");
    assert_ne!(first.await.unwrap().unwrap().is_error, Some(true));

    let second = answer(&client, call(), &question, "accept").await;
    assert_fails(&second, "does not belong");
    assert!(!setup.ran());
}

#[tokio::test]
async fn an_answer_is_good_for_its_own_call_only() {
    let mut setup = Setup::new();
    setup.page.register(consequential_tool("pay"));
    setup.page.register(consequential_tool("sell"));
    let client = stateless(&setup).await;
    let question = asked(&client, params("pay", json!({"sum": 1}))).await;
    for call in [
        params("pay", json!({"sum": 1_000_000})),
        params("sell", json!({"sum": 1})),
    ] {
        let result = answer(&client, call, &question, "accept").await;
        assert_fails(&result, "does not belong");
    }
    assert!(!setup.ran());
}

#[tokio::test]
async fn a_forged_answer_is_refused() {
    let mut setup = Setup::new();
    setup.page.register(consequential_tool("pay"));
    let client = stateless(&setup).await;
    let question = asked(&client, params("pay", json!({}))).await;
    let sealed = question.request_state.clone().unwrap();
    let mut parts = sealed.split('.').collect::<Vec<_>>();
    let other = Setup::new();
    other.page.register(consequential_tool("pay"));
    let other_client = stateless(&other).await;
    let foreign = asked(&other_client, params("pay", json!({}))).await;
    let foreign = foreign.request_state.unwrap();
    parts[1] = "AAAA";
    for forged in ["", "yes", &parts.join("."), &foreign] {
        let mut call = with_answer(params("pay", json!({})), &question, "accept");
        call.request_state = Some(forged.to_owned());
        let result = client.service.peer().call_tool(call).await.unwrap();
        assert_fails(&result, "does not belong");
    }
    assert!(!setup.ran());
}

#[tokio::test]
async fn an_answer_that_is_none_is_no_yes() {
    let mut setup = Setup::new();
    setup.page.register(consequential_tool("pay"));
    let client = stateless(&setup).await;
    for responses in [
        json!({}),
        json!({"confirm": true}),
        json!({"other": {"action": "accept"}}),
    ] {
        let question = asked(&client, params("pay", json!({}))).await;
        let mut call = with_answer(params("pay", json!({})), &question, "accept");
        call.input_responses = match responses {
            Value::Object(responses) => Some(responses.into_iter().collect()),
            _ => None,
        };
        let result = client.service.peer().call_tool(call).await.unwrap();
        assert_fails(&result, "without an answer");
    }
    assert!(!setup.ran());
}

#[tokio::test]
async fn a_tool_that_is_registered_again_while_the_user_thinks_runs() {
    let mut setup = Setup::new();
    setup.page.register(consequential_tool("pay"));
    let client = stateless(&setup).await;
    let question = asked(&client, params("pay", json!({}))).await;
    let again = setup.page.register(consequential_tool("pay"));
    let call = with_answer(params("pay", json!({})), &question, "accept");
    let peer = client.service.peer().clone();
    let call = tokio::spawn(async move { peer.call_tool(call).await });
    let execution = setup.execution().await;
    assert_eq!(execution.tool, again);
    execution.returns("1");
    call.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_tool_called_through_that_of_the_browser_is_asked_about_too() {
    for revision in Revision::BOTH {
        let mut setup = Setup::new();
        setup.page.register(consequential_tool("pay"));
        let client =
            Client::with_user(&setup.server, revision, Some(ElicitationAction::Decline)).await;
        let result = client
            .call("browser_call_page_tool", json!({"name": "pay"}))
            .await
            .unwrap();
        assert_fails(&result, "said no");
        assert!(!setup.ran());
    }
}

/// A call of a client with a handshake whose user is being asked, and the id of the question.
async fn being_asked(setup: &Setup) -> (Wire, u64, Value) {
    setup.page.register(consequential_tool("pay"));
    let mut wire = Wire::connect(&setup.server, Revision::Handshake).await;
    let call = wire
        .request("tools/call", json!({"name": "pay", "arguments": {}}))
        .await;
    let question = wire.read().await;
    assert_eq!(question["method"], "elicitation/create");
    (wire, call, question["id"].clone())
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_answers_is_taken_back() {
    let mut setup = Setup::new();
    let (mut wire, call, question) = being_asked(&setup).await;
    let cancelled = wire.read().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], question);
    let result = wire.read().await;
    assert_eq!(result["id"], call);
    assert_eq!(result["result"]["isError"], true);
    assert!(result.to_string().contains("did not answer"), "{result}");
    assert!(!setup.ran());
}

#[tokio::test]
async fn a_question_of_a_call_that_the_client_cancels_is_taken_back() {
    let mut setup = Setup::new();
    let (mut wire, call, question) = being_asked(&setup).await;
    wire.write(&json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": call},
    }))
    .await;
    let cancelled = wire.read().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], question);
    wire.write(&json!({"jsonrpc": "2.0", "id": question, "result": {"action": "accept"}}))
        .await;
    wire.ask("resources/list", json!({})).await;
    assert!(!setup.ran());
}

#[tokio::test]
async fn a_client_that_fails_to_ask_is_no_yes() {
    for answer in [
        json!({"error": {"code": -32603, "message": "no screen"}}),
        json!({"result": {}}),
        json!({"result": {"action": "perhaps"}}),
    ] {
        let mut setup = Setup::new();
        let (mut wire, call, question) = being_asked(&setup).await;
        let mut message = json!({"jsonrpc": "2.0", "id": question});
        for (name, value) in answer.as_object().unwrap() {
            message[name] = value.clone();
        }
        wire.write(&message).await;
        let result = wire.read().await;
        assert_eq!(result["id"], call);
        assert!(
            result.to_string().contains("could not be asked"),
            "{result}"
        );
        assert!(!setup.ran());
    }
}

#[tokio::test]
async fn a_tool_that_is_not_consequential_is_not_asked_about() {
    let mut setup = Setup::new();
    setup.page.register(tool("search"));
    let mut client = Client::with_user(
        &setup.server,
        Revision::Handshake,
        Some(ElicitationAction::Decline),
    )
    .await;
    let call = client.start("search", json!({}));
    setup.execution().await.returns("1");
    assert_ne!(call.await.unwrap().is_error, Some(true));
    assert!(client.events.try_recv().is_err());
}
