/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Running a tool of the page.

use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;

use modelcontext::{ToolFailureKind, ToolOutcome};
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult, InputResponses, JsonObject,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use tokio::time::Instant;

use super::confirmation::Permission;
use super::state::Connection;
use super::told::{Meaning, Told};
use crate::address::shown_address;
use crate::lock::lock;
use crate::results::{tool_failure, tool_result};
use crate::schema::{input_schema, validate};
use crate::text::{cut, shorten};
use crate::{CallOutcome, CallRecord, Page, PageError, PageErrorKind, PageTool};

/// A client's call of a tool of the page.
pub(crate) struct PageCall {
    /// The name under which the client knows the tool.
    pub(crate) name: String,
    pub(crate) arguments: JsonObject,
    /// The answers to what the last call of this kind was answered with, and what came with the question.
    pub(crate) input_responses: Option<InputResponses>,
    pub(crate) request_state: Option<String>,
}

/// How a call ended, for the client and for the log.
struct Ended {
    response: Result<CallToolResponse, ErrorData>,
    outcome: CallOutcome,
}

impl Ended {
    fn result(outcome: CallOutcome, result: CallToolResult) -> Ended {
        Ended {
            response: Ok(CallToolResponse::Complete(result)),
            outcome,
        }
    }

    /// The tool did not give a result, for a reason that the client can read.
    fn failed(outcome: CallOutcome, reason: impl Into<String>) -> Ended {
        Ended::result(outcome, failure(reason))
    }

    fn asked(question: InputRequiredResult) -> Ended {
        Ended {
            response: Ok(CallToolResponse::InputRequired(question)),
            outcome: CallOutcome::Asked,
        }
    }

    /// Why the call gave no result, as the client is told.
    fn error(&self) -> Option<String> {
        match &self.response {
            Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => {
                let texts = result.content.iter().filter_map(ContentBlock::as_text);
                let texts = texts.map(|text| text.text.as_str());
                Some(texts.collect::<Vec<_>>().join("\n"))
            }
            Ok(_) => None,
            Err(error) => Some(error.message.to_string()),
        }
    }
}

/// A result that says why there is none.
pub(crate) fn failure(reason: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(reason)])
}

/// How many bytes of what a client sent stand in a sentence that says what is wrong with it.
pub(super) const ECHO: usize = 200;

/// How many bytes of the name of a client are remembered.
const NAME: usize = 256;

/// What stands in for a result that nobody waits for.
pub(crate) const ABANDONED: &str = "The call was cancelled.";

/// The name and version that the client of a request gives itself, in a size that can be remembered.
pub(super) fn client_name(context: &RequestContext<RoleServer>) -> String {
    match context.client_info() {
        Some(client) => cut(format!("{} {}", client.name, client.version), NAME),
        None => "unknown".to_owned(),
    }
}

impl<P: Page> Connection<P> {
    /// The page's tools, as a client is told of them now.
    pub(crate) async fn list(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Vec<(String, Arc<PageTool>)>, PageError> {
        let tools = self.shared.tools().await?;
        let told = Told::new(&tools, self.shared.changes().documents);
        lock(&self.shared.told).set(client_name(context), told.clone());
        *lock(&self.told) = told;
        Ok(tools)
    }

    /// What `work` gives, unless the client cancels the request or goes away before. The work is dropped then, and with
    /// it what it asked of the page.
    pub(crate) async fn until_gone<T>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = context.ct.cancelled() => None,
            () = self.closing.cancelled() => None,
        }
    }

    /// Runs a tool of the page, or says why not.
    pub(crate) async fn call_page_tool(
        &self,
        call: &PageCall,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (time, started) = (SystemTime::now(), Instant::now());
        let mut found = None;
        let running = self.run(call, context, &mut found);
        let ended = match self.until_gone(context, running).await {
            Some(ended) => ended,
            None => Ended::failed(CallOutcome::Cancelled, ABANDONED),
        };
        self.shared.options.call_log.record(CallRecord {
            time,
            client: client_name(context),
            origin: found.as_ref().map(|tool| tool.origin.clone()),
            frame: found.as_ref().map(|tool| tool.frame.clone()),
            tool: call.name.clone(),
            arguments: Value::Object(call.arguments.clone()),
            outcome: ended.outcome,
            error: ended.error(),
            duration: started.elapsed(),
        });
        self.shared.calls.send_modify(|calls| *calls += 1);
        ended.response
    }

    async fn run(
        &self,
        call: &PageCall,
        context: &RequestContext<RoleServer>,
        found: &mut Option<Arc<PageTool>>,
    ) -> Ended {
        let told = self.told(&call.name, context);
        let tool = match self.look_up(&call.name, told).await {
            Ok(tool) => tool,
            Err(ended) => return *ended,
        };
        let documents = self.shared.changes().documents;
        *found = Some(tool.clone());
        if self.shared.options.validate {
            let schema = input_schema(tool.input_schema.as_deref());
            if let Err(reason) = validate(&schema, &call.arguments) {
                return Ended::failed(
                    CallOutcome::Invalid,
                    format!(
                        "The arguments do not fit the tool's schema, so it was not run. {reason}"
                    ),
                );
            }
        }
        match self.permission(call, &tool, context).await {
            Permission::Granted => {}
            Permission::Asked(question) => return Ended::asked(*question),
            Permission::Refused(reason) => return Ended::failed(CallOutcome::Refused, reason),
        }
        let input = Value::Object(call.arguments.clone()).to_string();
        let mut ended = self.execute(&tool, input.clone()).await;
        if is_unregistered(&ended) {
            // Pages register the same tool again and again, maybe while the user was asked or just now.
            let told = Some((tool.clone(), documents));
            match self.look_up(&call.name, told).await {
                Ok(again) if again.id != tool.id => ended = self.execute(&again, input).await,
                Ok(_) => return unregistered(&call.name),
                Err(ended) => return *ended,
            }
        }
        self.judge(ended, &tool)
    }

    /// What a client that was `told` so means by a name, if that is there to be run.
    async fn look_up(
        &self,
        name: &str,
        told: Option<(Arc<PageTool>, u64)>,
    ) -> Result<Arc<PageTool>, Box<Ended>> {
        let tools = match self.shared.tools().await {
            Ok(tools) => tools,
            Err(error) => {
                return Err(Box::new(Ended::failed(
                    CallOutcome::NoPage,
                    format!("The tool was not run. {error}"),
                )));
            }
        };
        let documents = self.shared.changes().documents;
        let meaning = Meaning::of(name, told, &tools, documents);
        let name = shorten(name, ECHO);
        Err(Box::new(match meaning {
            Meaning::Tool(tool) => return Ok(tool),
            Meaning::Another(_) => Ended::failed(
                CallOutcome::Changed,
                format!(
                    "The page has changed the tool \"{name}\" since the tools were listed: it has another description, \
                     schema or origin now. It was not run. List the tools again, and call it by its new definition."
                ),
            ),
            Meaning::Gone(_) => unregistered(&name),
            Meaning::Left(tool) => Ended::failed(
                CallOutcome::Navigated,
                format!(
                    "The page has been navigated since the tools were listed, and \"{name}\", which was of {}, is gone \
                     with the document. It was not run. List the tools again.",
                    shown_address(&tool.url)
                ),
            ),
            Meaning::Nothing => Ended {
                response: Err(ErrorData::invalid_params(
                    format!(
                        "There is no tool \"{name}\". List the tools again for those that there are now."
                    ),
                    None,
                )),
                outcome: CallOutcome::Gone,
            },
        }))
    }

    /// What the client of a request was last told of a name.
    fn told(
        &self,
        name: &str,
        context: &RequestContext<RoleServer>,
    ) -> Option<(Arc<PageTool>, u64)> {
        let told = lock(&self.told).get(name);
        told.or_else(|| lock(&self.shared.told).get(&client_name(context), name))
    }

    /// What the page answers, or nothing if it takes too long.
    async fn execute(
        &self,
        tool: &PageTool,
        input: String,
    ) -> Option<Result<ToolOutcome, PageError>> {
        let documents = self.shared.changes().documents;
        let executing = self.shared.page.execute(tool.id, input);
        let ended = tokio::time::timeout(self.shared.options.timeout, executing)
            .await
            .ok()?;
        let has_navigated =
            || tool.frame.is_empty() || self.shared.changes().documents != documents;
        let ended = match ended {
            // With the top-level document goes the page; without it only a frame has gone. A browser need not tell
            // these apart.
            Ok(Err(failure)) if failure.kind == ToolFailureKind::TargetGone && has_navigated() => {
                Err(PageError {
                    kind: PageErrorKind::Navigated,
                    message: failure.message,
                })
            }
            ended => ended,
        };
        Some(ended.map_err(PageError::for_clients))
    }

    fn judge(&self, ended: Option<Result<ToolOutcome, PageError>>, tool: &PageTool) -> Ended {
        let options = &self.shared.options;
        match ended {
            Some(Ok(Ok(text))) => {
                let result = tool_result(text.as_deref(), &tool.origin, options.result_limit);
                let outcome = if result.is_error == Some(true) {
                    CallOutcome::ToolError
                } else {
                    CallOutcome::Done
                };
                Ended::result(outcome, result)
            }
            Some(Ok(Err(failure))) => {
                let outcome = CallOutcome::Failed(failure.kind);
                let limit = options.result_limit;
                Ended::result(outcome, tool_failure(&failure, &tool.origin, limit))
            }
            Some(Err(error)) => Ended::failed(CallOutcome::Unknown, lost(&error)),
            None => Ended::failed(
                CallOutcome::TimedOut,
                format!(
                    "The tool timed out: it did not answer within {} s, and was told to stop. It may have done a part of \
                     its work; look at the page before you call it again.",
                    options.timeout.as_secs_f64()
                ),
            ),
        }
    }
}

fn is_unregistered(ended: &Option<Result<ToolOutcome, PageError>>) -> bool {
    matches!(ended, Some(Ok(Err(failure))) if failure.kind == ToolFailureKind::NoSuchTool)
}

fn unregistered(name: &str) -> Ended {
    Ended::failed(
        CallOutcome::Gone,
        format!(
            "The page has unregistered the tool \"{name}\" since the tools were listed. It was not run. List the tools \
             again."
        ),
    )
}

/// What to do where nothing else is known.
const LOOK: &str = "Look at the page before you call it again.";

/// Why it is not known what became of a call.
fn lost(error: &PageError) -> String {
    let (happened, next) = match error.kind {
        PageErrorKind::Navigated => (
            "The page navigated away while the tool ran",
            "List the tools again: those of the new page may be others.",
        ),
        PageErrorKind::Crashed => ("The page crashed while the tool ran", LOOK),
        PageErrorKind::Closed => ("The page was closed while the tool ran", LOOK),
        PageErrorKind::ShuttingDown => ("The browser shut down while the tool ran", LOOK),
        _ => ("The page was lost while the tool ran", LOOK),
    };
    let details = match error.message.as_str() {
        "" => String::new(),
        message => format!(" ({message})"),
    };
    format!(
        "{happened}, so the outcome is unknown: the tool may have done its work or not. {next}{details}"
    )
}
