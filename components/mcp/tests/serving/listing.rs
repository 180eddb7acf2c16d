/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What clients see of the page's tools.

use modelcontext::ToolAnnotations;
use modelcontext_mcp::{Options, PageErrorKind, PageTool};
use rmcp::model::Tool;
use serde_json::json;

use crate::client::{Client, Revision};
use crate::page::{Setup, options, tool};
use crate::wire::Wire;

fn names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| &*tool.name).collect()
}

#[tokio::test]
async fn the_tools_of_all_frames_are_listed_after_those_of_the_browser() {
    for revision in Revision::BOTH {
        let setup = Setup::new();
        setup.page.register(tool("buy"));
        setup.page.register(PageTool {
            frame: vec![0, 1],
            origin: "https://pay.example".to_owned(),
            ..tool("pay")
        });
        let client = Client::connect(&setup.server, revision).await;
        let tools = client.tools().await;
        assert_eq!(
            names(&tools),
            [
                "browser_navigate",
                "browser_go_back",
                "browser_reload",
                "browser_list_page_tools",
                "browser_call_page_tool",
                "browser_read_text",
                "browser_screenshot",
                "buy",
                "pay"
            ]
        );
    }
}

#[tokio::test]
async fn a_tool_is_described_with_where_it_comes_from() {
    let setup = Setup::new();
    let id = setup.page.register(PageTool {
        title: "Pay now".to_owned(),
        description: "Pays the bill".to_owned(),
        input_schema: Some(r#"{"type":"object","required":["sum"]}"#.to_owned()),
        frame: vec![0, 1],
        origin: "https://pay.example".to_owned(),
        ..tool("pay")
    });
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let pay = client.tool("pay").await;
    assert_eq!(pay.title.as_deref(), Some("Pay now"));
    let description = pay.description.unwrap();
    assert!(description.contains("https://pay.example"), "{description}");
    assert!(description.contains("Pays the bill"), "{description}");
    assert_eq!(pay.input_schema["required"], json!(["sum"]));
    let meta = pay.meta.unwrap();
    assert_eq!(meta["webmcp/origin"], "https://pay.example");
    assert_eq!(meta["webmcp/frame"], json!([0, 1]));
    assert_eq!(meta["webmcp/registration"], id.to_string());
}

#[tokio::test]
async fn the_hints_of_the_page_become_annotations_and_words() {
    let setup = Setup::new();
    for (name, hints) in [
        ("plain", None),
        (
            "hinted",
            Some(ToolAnnotations {
                read_only_hint: true,
                untrusted_content_hint: true,
                consequential_hint: true,
                debugging: false,
            }),
        ),
    ] {
        setup.page.register(PageTool {
            annotations: hints,
            ..tool(name)
        });
    }
    let client = Client::connect(&setup.server, Revision::Handshake).await;

    let plain = client.tool("plain").await;
    let annotations = plain.annotations.unwrap();
    assert_eq!(annotations.read_only_hint, Some(false));
    assert_eq!(annotations.destructive_hint, Some(false));
    assert_eq!(annotations.open_world_hint, Some(true));
    assert!(!plain.description.unwrap().contains("Note:"));
    assert!(!plain.meta.unwrap().contains_key("webmcp/consequential"));

    let hinted = client.tool("hinted").await;
    let annotations = hinted.annotations.unwrap();
    assert_eq!(annotations.read_only_hint, Some(true));
    assert_eq!(annotations.destructive_hint, Some(true));
    let description = hinted.description.unwrap();
    assert!(description.contains("others wrote"), "{description}");
    assert!(description.contains("hard to take back"), "{description}");
    let meta = hinted.meta.unwrap();
    assert_eq!(meta["webmcp/untrustedContent"], true);
    assert_eq!(meta["webmcp/consequential"], true);
}

#[tokio::test]
async fn tools_for_debugging_are_there_only_for_those_who_want_them() {
    for debugging in [false, true] {
        let setup = Setup::with(Options {
            debugging,
            ..options()
        });
        setup.page.register(PageTool {
            annotations: Some(ToolAnnotations {
                debugging: true,
                ..ToolAnnotations::default()
            }),
            ..tool("dump")
        });
        let client = Client::connect(&setup.server, Revision::Stateless).await;
        assert_eq!(client.page_tools().await.len(), usize::from(debugging));
        if !debugging {
            client.call("dump", json!({})).await.expect_err("hidden");
        }
    }
}

#[tokio::test]
async fn tools_of_the_same_name_in_two_frames_are_both_there() {
    let mut setup = Setup::new();
    setup.page.register(tool("search"));
    let inner = setup.page.register(PageTool {
        frame: vec![0],
        url: "https://shop.example/inner".parse().unwrap(),
        ..tool("search")
    });
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let tools = client.page_tools().await;
    assert_eq!(tools.len(), 2);
    assert_ne!(tools[0].name, tools[1].name);

    let call = client.start(&tools[1].name, json!({}));
    let execution = setup.execution().await;
    assert_eq!(execution.tool, inner);
    execution.returns("1");
    call.await.unwrap();
}

#[tokio::test]
async fn a_page_cannot_take_the_place_of_a_tool_of_the_browser() {
    let setup = Setup::new();
    setup.page.register(tool("browser_navigate"));
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let tools = client.tools().await;
    let navigate = tools
        .iter()
        .filter(|tool| tool.name == "browser_navigate")
        .collect::<Vec<_>>();
    assert_eq!(navigate.len(), 1);
    assert!(navigate[0].meta.is_none());
    assert_eq!(tools.len(), 8);
}

#[tokio::test]
async fn a_page_that_is_broken_leaves_the_tools_of_the_browser() {
    for revision in Revision::BOTH {
        let setup = Setup::new();
        setup.page.register(tool("buy"));
        setup.page.break_with(PageErrorKind::Crashed, "It crashed");
        let client = Client::connect(&setup.server, revision).await;
        assert_eq!(client.tools().await.len(), 7);
    }
}

#[tokio::test]
async fn hostile_schemas_become_schemas_that_clients_can_use() {
    let setup = Setup::new();
    for (name, schema) in [
        ("none", None),
        ("no-schema", Some("not JSON")),
        ("array", Some("[1]")),
        ("banana", Some(r#"{"type":"banana"}"#)),
        (
            "header",
            Some(
                r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Authorization"}},"x-mcp-header":"A"}"#,
            ),
        ),
    ] {
        setup.page.register(PageTool {
            input_schema: schema.map(str::to_owned),
            ..tool(name)
        });
    }
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let tools = client.page_tools().await;
    assert_eq!(tools.len(), 5);
    for tool in tools {
        assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
        let schema = tool.schema_as_json_value().to_string();
        assert!(!schema.contains("x-mcp-header"), "{schema}");
    }
}

#[tokio::test]
async fn a_list_says_that_it_is_fresh_for_no_time_and_for_one_client() {
    let setup = Setup::new();
    let mut wire = Wire::connect(&setup.server, Revision::Stateless).await;
    let answer = wire.ask("tools/list", json!({})).await;
    assert_eq!(answer["result"]["ttlMs"], 0);
    assert_eq!(answer["result"]["cacheScope"], "private");
}

#[tokio::test]
async fn the_server_says_what_it_can_do() {
    for revision in Revision::BOTH {
        let setup = Setup::new();
        let client = Client::connect(&setup.server, revision).await;
        let info = client.service.peer_info().expect("it was told");
        let tools = info.capabilities.tools.as_ref().unwrap();
        assert_eq!(tools.list_changed, Some(true));
        let resources = info.capabilities.resources.as_ref().unwrap();
        assert_eq!(resources.subscribe, Some(true));
        let instructions = info.instructions.as_ref().unwrap();
        assert!(instructions.contains("browser_list_page_tools"));
    }
}

#[tokio::test]
async fn a_thousand_tools_are_listed_in_the_order_of_the_page() {
    let setup = Setup::new();
    let expected = (0..1000).map(|n| format!("tool{n}")).collect::<Vec<_>>();
    for name in &expected {
        setup.page.register(tool(name));
    }
    let client = Client::connect(&setup.server, Revision::Stateless).await;
    let tools = client.page_tools().await;
    assert_eq!(names(&tools), expected);
}
