/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Calling the page's tools.

use modelcontext::ToolFailureKind;
use modelcontext_mcp::{CallLog, Options, PageError, PageErrorKind, PageTool};
use rmcp::model::{ErrorCode, RequestMetaObject};
use rmcp::service::ServiceError;
use serde_json::{Value, json};

use crate::client::{Client, Revision, assert_fails, assert_says, params, text};
use crate::page::{Setup, options, tool};

#[tokio::test]
async fn a_call_reaches_the_page_and_its_result_the_client() {
    for revision in Revision::BOTH {
        let mut setup = Setup::new();
        let id = setup.page.register(tool("search"));
        let client = Client::connect(&setup.server, revision).await;
        let call = client.start("search", json!({"for": "shoes"}));
        let execution = setup.execution().await;
        assert_eq!(execution.tool, id);
        assert_eq!(execution.input, r#"{"for":"shoes"}"#);
        execution.returns(r#""three pairs""#);
        let result = call.await.unwrap();
        assert_ne!(result.is_error, Some(true));
        assert_says(&result, "three pairs");
    }
}

#[tokio::test]
async fn the_message_of_a_tool_that_throws_reaches_the_client() {
    let mut setup = Setup::new();
    setup.page.register(tool("buy"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let call = client.start("buy", json!({}));
    let execution = setup.execution().await;
    execution.fails(ToolFailureKind::CallbackThrew, "out of stock");
    assert_fails(&call.await.unwrap(), "out of stock");
}

#[tokio::test]
async fn arguments_that_do_not_fit_do_not_reach_the_page() {
    let schema = r#"{"type":"object","properties":{"count":{"type":"integer"}}}"#;
    for validate in [true, false] {
        let mut setup = Setup::with(Options {
            validate,
            ..options()
        });
        setup.page.register(PageTool {
            input_schema: Some(schema.to_owned()),
            ..tool("buy")
        });
        let client = Client::connect(&setup.server, Revision::Stateless).await;
        let call = client.start("buy", json!({"count": "many"}));
        if validate {
            let result = call.await.unwrap();
            assert_fails(&result, "/count");
            assert!(!setup.ran());
        } else {
            setup.execution().await.returns("1");
            call.await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_schema_that_is_none_stands_in_the_way_of_no_call() {
    for schema in [
        r#"{"type":"banana"}"#,
        r#"{"$ref":"https://elsewhere.example/schema.json"}"#,
        r#"{"pattern":"("}"#,
        "not JSON",
    ] {
        let mut setup = Setup::new();
        setup.page.register(PageTool {
            input_schema: Some(schema.to_owned()),
            ..tool("buy")
        });
        let client = Client::connect(&setup.server, Revision::Stateless).await;
        let call = client.start("buy", json!({"a": 1}));
        setup.execution().await.returns("1");
        assert_ne!(call.await.unwrap().is_error, Some(true), "{schema}");
    }
}

#[tokio::test]
async fn a_tool_that_was_never_there_is_an_error_of_the_protocol() {
    let setup = Setup::new();
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let error = client.call("fly", json!({})).await.expect_err("no such");
    match error {
        ServiceError::McpError(error) => {
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
            assert!(error.message.contains("\"fly\""), "{}", error.message);
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_tool_that_is_registered_again_unchanged_is_called() {
    for revision in Revision::BOTH {
        let mut setup = Setup::new();
        setup.page.register(tool("search"));
        let client = Client::connect(&setup.server, revision).await;
        client.tools().await;
        let again = setup.page.register(tool("search"));
        let call = client.start("search", json!({}));
        let execution = setup.execution().await;
        assert_eq!(execution.tool, again);
        execution.returns("1");
        assert_ne!(call.await.unwrap().is_error, Some(true));
    }
}

#[tokio::test]
async fn a_tool_that_the_page_has_changed_is_not_called_until_it_is_listed_again() {
    for revision in Revision::BOTH {
        let mut setup = Setup::new();
        setup.page.register(tool("search"));
        let client = Client::connect(&setup.server, revision).await;
        client.tools().await;
        setup.page.register(PageTool {
            description: "Deletes everything".to_owned(),
            ..tool("search")
        });
        let result = client.call("search", json!({})).await.unwrap();
        assert_fails(&result, "List the tools again");
        assert!(!setup.ran());

        client.tools().await;
        let call = client.start("search", json!({}));
        setup.execution().await.returns("1");
        assert_ne!(call.await.unwrap().is_error, Some(true));
    }
}

#[tokio::test]
async fn another_site_with_a_tool_that_looks_the_same_is_not_called() {
    let mut setup = Setup::new();
    setup.page.register(tool("search"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    client.tools().await;
    setup.page.leave();
    setup.page.register(PageTool {
        origin: "https://phish.example".to_owned(),
        ..tool("search")
    });
    let result = client.call("search", json!({})).await.unwrap();
    assert_fails(&result, "origin");
    assert!(!setup.ran());
}

#[tokio::test]
async fn each_client_is_bound_to_what_it_was_told_itself() {
    let setup = Setup::new();
    setup.page.register(tool("search"));
    let first = Client::connect(&setup.server, Revision::Stateless).await;
    let second = Client::connect(&setup.server, Revision::Handshake).await;
    first.tools().await;
    setup.page.register(PageTool {
        description: "Deletes everything".to_owned(),
        ..tool("search")
    });
    second.tools().await;
    let result = first.call("search", json!({})).await.unwrap();
    assert_fails(&result, "has changed");
}

#[tokio::test]
async fn a_tool_that_is_gone_and_one_that_was_left_behind_are_told_apart() {
    let setup = Setup::new();
    setup.page.register(tool("search"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    client.tools().await;
    setup.page.unregister("search");
    let gone = client.call("search", json!({})).await.unwrap();
    assert_fails(&gone, "unregistered");

    setup.page.leave();
    let left = client.call("search", json!({})).await.unwrap();
    assert_fails(&left, "navigated");
}

#[tokio::test]
async fn a_tool_that_is_registered_again_in_the_instant_of_the_call_is_called() {
    let mut setup = Setup::new();
    let old = setup.page.register(tool("search"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let call = client.start("search", json!({"a": 1}));
    let first = setup.execution().await;
    assert_eq!(first.tool, old);
    let new = setup.page.register(tool("search"));
    first.fails(ToolFailureKind::NoSuchTool, "no such tool");
    let second = setup.execution().await;
    assert_eq!(second.tool, new);
    assert_eq!(second.input, r#"{"a":1}"#);
    second.returns("1");
    assert_ne!(call.await.unwrap().is_error, Some(true));
}

#[tokio::test]
async fn a_tool_that_vanishes_in_the_instant_of_the_call_is_gone() {
    let mut setup = Setup::new();
    setup.page.register(tool("search"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let call = client.start("search", json!({}));
    let execution = setup.execution().await;
    setup.page.unregister("search");
    execution.fails(ToolFailureKind::NoSuchTool, "no such tool");
    assert_fails(&call.await.unwrap(), "unregistered");
    assert!(!setup.ran());
}

#[tokio::test]
async fn what_takes_the_place_of_a_tool_in_the_instant_of_the_call_is_not_called() {
    for (leave, says) in [(false, "has changed"), (true, "navigated")] {
        let mut setup = Setup::new();
        setup.page.register(tool("search"));
        let client = Client::connect(&setup.server, Revision::Stateless).await;
        let call = client.start("search", json!({}));
        let execution = setup.execution().await;
        if leave {
            setup.page.leave();
        } else {
            setup.page.register(PageTool {
                description: "Deletes everything".to_owned(),
                ..tool("search")
            });
        }
        execution.fails(ToolFailureKind::NoSuchTool, "no such tool");
        assert_fails(&call.await.unwrap(), says);
        assert!(!setup.ran());
    }
}

#[tokio::test]
async fn a_call_whose_page_is_lost_says_that_its_outcome_is_unknown() {
    for (kind, word) in [
        (PageErrorKind::Crashed, "crashed"),
        (PageErrorKind::Closed, "closed"),
        (PageErrorKind::Navigated, "navigated"),
        (PageErrorKind::ShuttingDown, "shut down"),
    ] {
        let mut setup = Setup::new();
        setup.page.register(tool("buy"));
        let client = Client::connect(&setup.server, Revision::Stateless).await;
        let call = client.start("buy", json!({}));
        setup.execution().await.ends(Err(PageError {
            kind,
            message: "details".to_owned(),
        }));
        let result = call.await.unwrap();
        assert_fails(&result, "outcome is unknown");
        assert_says(&result, word);
        assert_says(&result, "details");
    }
}

#[tokio::test]
async fn a_frame_that_goes_and_a_page_that_goes_are_told_apart() {
    const GONE: ToolFailureKind = ToolFailureKind::TargetGone;
    for (frame, leave, says, outcome) in [
        (vec![], false, "page navigated away", "unknown"),
        (vec![], true, "page navigated away", "unknown"),
        (vec![0, 1], true, "page navigated away", "unknown"),
        (
            vec![0, 1],
            false,
            "frame of the tool was removed",
            "target-gone",
        ),
    ] {
        let log = CallLog::default();
        let mut setup = Setup::with(Options {
            call_log: log.clone(),
            ..options()
        });
        setup.page.register(PageTool {
            frame: frame.clone(),
            ..tool("buy")
        });
        let client = Client::connect(&setup.server, Revision::Stateless).await;
        let call = client.start("buy", json!({}));
        let execution = setup.execution().await;
        if leave {
            setup.page.leave();
        }
        execution.fails(GONE, "details");
        let result = call.await.unwrap();
        assert_fails(&result, says);
        assert_says(&result, "outcome is unknown");
        assert_says(&result, "List the tools again");
        assert_says(&result, "details");
        let line: Value = serde_json::from_str(&log.lines()).unwrap();
        assert_eq!(line["outcome"], outcome, "{frame:?} {leave}");
    }
}

#[tokio::test]
async fn each_reason_for_which_a_tool_gives_nothing_has_its_own_text() {
    let mut texts = Vec::new();
    for kind in [
        ToolFailureKind::TargetGone,
        ToolFailureKind::Cancelled,
        ToolFailureKind::NotAllowed,
        ToolFailureKind::InvalidInput,
        ToolFailureKind::ResultNotSerializable,
    ] {
        let mut setup = Setup::new();
        setup.page.register(tool("buy"));
        let client = Client::connect(&setup.server, Revision::Stateless).await;
        let call = client.start("buy", json!({}));
        setup.execution().await.fails(kind, "details");
        let result = call.await.unwrap();
        assert_eq!(result.is_error, Some(true));
        texts.push(text(&result));
    }
    let count = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), count);
}

#[tokio::test]
async fn a_long_result_is_cut_and_says_so() {
    let mut setup = Setup::new();
    setup.page.register(tool("read"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let call = client.start("read", json!({}));
    setup
        .execution()
        .await
        .returns(&json!("a".repeat(100_000)).to_string());
    let result = call.await.unwrap();
    assert!(text(&result).len() < 2000);
    assert!(text(&result).ends_with(" more bytes]"), "{}", text(&result));
}

#[tokio::test]
async fn a_megabyte_goes_both_ways() {
    let mut setup = Setup::with(Options {
        result_limit: 4_000_000,
        ..options()
    });
    setup.page.register(tool("echo"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let long = "a".repeat(1_000_000);
    let call = client.start("echo", json!({"text": long}));
    let execution = setup.execution().await;
    let input: Value = serde_json::from_str(&execution.input).unwrap();
    assert_eq!(input["text"], long);
    execution.returns(&json!(long).to_string());
    assert_says(&call.await.unwrap(), &long);
}

#[tokio::test]
async fn two_clients_call_at_the_same_time() {
    let mut setup = Setup::new();
    setup.page.register(tool("search"));
    let first = Client::connect(&setup.server, Revision::Stateless).await;
    let second = Client::connect(&setup.server, Revision::Handshake).await;
    let first_call = first.start("search", json!({"n": 1}));
    let first_execution = setup.execution().await;
    let second_call = second.start("search", json!({"n": 2}));
    let second_execution = setup.execution().await;
    assert_eq!(second_execution.input, r#"{"n":2}"#);
    second_execution.returns("\"second\"");
    assert_says(&second_call.await.unwrap(), "second");
    first_execution.returns("\"first\"");
    assert_says(&first_call.await.unwrap(), "first");
}

#[tokio::test]
async fn a_call_without_arguments_has_an_empty_object() {
    let mut setup = Setup::new();
    setup.page.register(tool("search"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let mut call = params("search", json!({}));
    call.arguments = None;
    call.meta = Some(RequestMetaObject::new());
    let peer = client.service.peer().clone();
    let call = tokio::spawn(async move { peer.call_tool(call).await });
    let execution = setup.execution().await;
    assert_eq!(execution.input, "{}");
    execution.returns("1");
    call.await.unwrap().unwrap();
}
