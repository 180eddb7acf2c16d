/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The tools of the browser itself. They are there whatever the page does.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::address;
use crate::schema::validate;
use crate::server::{ABANDONED, Connection, PageCall, failure, listing};
use crate::text::cut;
use crate::{Location, Page, PageError};

/// What the names of all of them begin with. No page's tool gets a name that begins so.
pub(crate) const PREFIX: &str = "browser_";

/// How many bytes of the page's title a client gets. A page may write what it likes there.
const TITLE: usize = 4 * 1024;

/// A tool of the browser itself.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum FixedTool {
    Navigate,
    GoBack,
    Reload,
    ListPageTools,
    CallPageTool,
    ReadText,
    Screenshot,
}

impl FixedTool {
    pub(crate) const ALL: [FixedTool; 7] = [
        FixedTool::Navigate,
        FixedTool::GoBack,
        FixedTool::Reload,
        FixedTool::ListPageTools,
        FixedTool::CallPageTool,
        FixedTool::ReadText,
        FixedTool::Screenshot,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            FixedTool::Navigate => "browser_navigate",
            FixedTool::GoBack => "browser_go_back",
            FixedTool::Reload => "browser_reload",
            FixedTool::ListPageTools => "browser_list_page_tools",
            FixedTool::CallPageTool => "browser_call_page_tool",
            FixedTool::ReadText => "browser_read_text",
            FixedTool::Screenshot => "browser_screenshot",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<FixedTool> {
        FixedTool::ALL.into_iter().find(|tool| tool.name() == name)
    }

    fn title(self) -> &'static str {
        match self {
            FixedTool::Navigate => "Go to an address",
            FixedTool::GoBack => "Go back",
            FixedTool::Reload => "Load the page again",
            FixedTool::ListPageTools => "List the page's tools",
            FixedTool::CallPageTool => "Call a tool of the page",
            FixedTool::ReadText => "Read the page's text",
            FixedTool::Screenshot => "Take a picture of the page",
        }
    }

    fn description(self) -> &'static str {
        match self {
            FixedTool::Navigate => {
                "Loads another address and waits until it has loaded. The tools of the page before are gone then."
            }
            FixedTool::GoBack => {
                "Goes one step back in the history and waits until the page is there."
            }
            FixedTool::Reload => {
                "Loads the page again and waits until it has loaded. Works after a crash too."
            }
            FixedTool::ListPageTools => {
                "Lists the tools that the page offers now, with their descriptions and schemas. For clients that do not \
                 update their list of tools; they can be run with browser_call_page_tool."
            }
            FixedTool::CallPageTool => {
                "Runs a tool of the page by the name that browser_list_page_tools gives."
            }
            FixedTool::ReadText => "Gives the text of the page as somebody would see it.",
            FixedTool::Screenshot => "Gives a picture of the page as it looks now.",
        }
    }

    fn schema(self) -> JsonObject {
        let (properties, required) = match self {
            FixedTool::Navigate => (
                json!({"url": {"type": "string", "description": "The address to load"}}),
                json!(["url"]),
            ),
            FixedTool::CallPageTool => (
                json!({
                    "name": {"type": "string", "description": "The name of the tool"},
                    "arguments": {"type": "object", "description": "The arguments, as the tool's schema wants them"},
                }),
                json!(["name"]),
            ),
            _ => (json!({}), json!([])),
        };
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        match schema {
            Value::Object(schema) => schema,
            _ => JsonObject::new(),
        }
    }

    pub(crate) fn describe(self) -> Tool {
        let annotations = match self {
            FixedTool::ListPageTools | FixedTool::ReadText | FixedTool::Screenshot => {
                ToolAnnotations::new().read_only(true).destructive(false)
            }
            // It is not known what the page's tool does.
            FixedTool::CallPageTool => ToolAnnotations::new().read_only(false).destructive(true),
            _ => ToolAnnotations::new().read_only(false).destructive(false),
        };
        Tool::new(self.name(), self.description(), Arc::new(self.schema()))
            .with_title(self.title())
            .with_annotations(annotations.open_world(true))
    }
}

impl<P: Page> Connection<P> {
    pub(crate) async fn call_fixed_tool(
        &self,
        tool: FixedTool,
        call: PageCall,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Err(reason) = validate(&tool.schema(), &call.arguments) {
            return Ok(failure(format!(
                "The arguments do not fit the schema of {}. {reason}",
                tool.name()
            ))
            .into());
        }
        if tool == FixedTool::CallPageTool {
            return self.call_page_tool(&unwrap(call), context).await;
        }
        let result = self
            .until_gone(context, self.run_fixed_tool(tool, &call.arguments, context))
            .await;
        Ok(match result {
            Some(Ok(result)) => result,
            Some(Err(error)) => failure(error.message),
            None => failure(ABANDONED),
        }
        .into())
    }

    async fn run_fixed_tool(
        &self,
        tool: FixedTool,
        arguments: &JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, PageError> {
        let shared = &self.shared;
        let page = &shared.page;
        Ok(match tool {
            FixedTool::Navigate => {
                let address = text(arguments, "url");
                arrived(shared.in_time(page.navigate(address)).await?)
            }
            FixedTool::GoBack => arrived(shared.in_time(page.go_back()).await?),
            FixedTool::Reload => arrived(shared.in_time(page.reload()).await?),
            FixedTool::ListPageTools | FixedTool::CallPageTool => {
                CallToolResult::structured(listing(&self.list(context).await?))
            }
            FixedTool::ReadText => {
                let location = shared.in_time(page.location()).await?;
                let text = cut(
                    shared.in_time(page.text()).await?,
                    shared.options.result_limit,
                );
                CallToolResult::success(vec![
                    ContentBlock::text(format!(
                        "Text of {}, which is the page's word, not the user's:",
                        address::as_value(&location.url)
                    )),
                    ContentBlock::text(text),
                ])
            }
            FixedTool::Screenshot => {
                let picture = shared.in_time(page.screenshot()).await?;
                CallToolResult::success(vec![ContentBlock::image(
                    STANDARD.encode(picture),
                    "image/png",
                )])
            }
        })
    }
}

/// The call of a page's tool that is in the arguments of a call of [`FixedTool::CallPageTool`].
fn unwrap(mut call: PageCall) -> PageCall {
    let name = text(&call.arguments, "name");
    let arguments = match call.arguments.remove("arguments") {
        Some(Value::Object(arguments)) => arguments,
        _ => JsonObject::new(),
    };
    PageCall {
        name,
        arguments,
        ..call
    }
}

/// A text among arguments that have been checked for it.
fn text(arguments: &JsonObject, name: &str) -> String {
    let text = arguments.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

fn arrived(location: Location) -> CallToolResult {
    CallToolResult::structured(json!({
        "url": address::as_value(&location.url),
        "title": cut(location.title, TITLE),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_have_the_prefix_and_are_found() {
        for tool in FixedTool::ALL {
            assert!(tool.name().starts_with(PREFIX));
            assert_eq!(FixedTool::from_name(tool.name()), Some(tool));
        }
        assert_eq!(FixedTool::from_name("browser_"), None);
    }
}
