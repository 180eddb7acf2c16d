/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! A page in memory, played by the test.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use modelcontext::{ToolAnnotations, ToolFailure, ToolFailureKind, ToolId, ToolOutcome};
use modelcontext_mcp::{
    CallLog, Changes, Consequential, Location, Options, Pacing, Page, PageError, PageErrorKind,
    PageTool, Server,
};
use tokio::sync::{mpsc, oneshot, watch};

/// What the page looks like.
#[derive(Clone)]
pub struct Content {
    pub tools: Vec<Arc<PageTool>>,
    pub location: Location,
    pub text: String,
    /// If set, whatever the page is asked fails with it.
    pub broken: Option<PageError>,
}

pub struct FakePage {
    content: Mutex<Content>,
    changes: watch::Sender<Changes>,
    executions: mpsc::UnboundedSender<Execution>,
}

/// A tool that runs until the test says how it ends.
pub struct Execution {
    pub tool: ToolId,
    pub input: String,
    answer: oneshot::Sender<Result<ToolOutcome, PageError>>,
}

impl Execution {
    pub fn returns(self, text: &str) {
        self.ends(Ok(Ok(Some(text.to_owned()))));
    }

    pub fn fails(self, kind: ToolFailureKind, message: &str) {
        self.ends(Ok(Err(ToolFailure::new(kind, message))));
    }

    pub fn ends(self, how: Result<ToolOutcome, PageError>) {
        self.answer.send(how).expect("nobody waits for the tool");
    }

    /// Waits until the execution is cancelled.
    pub async fn cancelled(mut self) {
        self.answer.closed().await;
    }
}

impl FakePage {
    pub fn new() -> (Arc<FakePage>, mpsc::UnboundedReceiver<Execution>) {
        let (sender, executions) = mpsc::unbounded_channel();
        let content = Content {
            tools: Vec::new(),
            location: Location {
                url: "https://shop.example/".parse().unwrap(),
                title: "Shop".to_owned(),
            },
            text: "Welcome".to_owned(),
            broken: None,
        };
        let page = FakePage {
            content: Mutex::new(content),
            changes: watch::Sender::new(Changes::default()),
            executions: sender,
        };
        (Arc::new(page), executions)
    }

    pub fn set(&self, change: impl FnOnce(&mut Content)) {
        change(&mut self.content.lock().unwrap());
    }

    /// The page registers a tool, after it has unregistered the one of the same name in the same frame.
    pub fn register(&self, tool: PageTool) -> ToolId {
        let id = tool.id;
        self.set(|content| {
            content
                .tools
                .retain(|other| other.name != tool.name || other.frame != tool.frame);
            content.tools.push(Arc::new(tool));
        });
        self.changes.send_modify(|changes| changes.tools += 1);
        id
    }

    pub fn unregister(&self, name: &str) {
        self.set(|content| content.tools.retain(|tool| tool.name != name));
        self.changes.send_modify(|changes| changes.tools += 1);
    }

    /// The page is navigated: another document, without tools.
    pub fn leave(&self) {
        self.set(|content| content.tools.clear());
        self.changes.send_modify(|changes| {
            changes.documents += 1;
            changes.tools += 1;
        });
    }

    pub fn break_with(&self, kind: PageErrorKind, message: &str) {
        self.set(|content| {
            content.broken = Some(PageError {
                kind,
                message: message.to_owned(),
            });
        });
    }

    fn get<T>(&self, part: impl FnOnce(&Content) -> T) -> Result<T, PageError> {
        let content = self.content.lock().unwrap();
        match &content.broken {
            Some(error) => Err(error.clone()),
            None => Ok(part(&content)),
        }
    }
}

impl Page for FakePage {
    async fn tools(&self) -> Result<Vec<Arc<PageTool>>, PageError> {
        self.get(|content| content.tools.clone())
    }

    async fn execute(&self, tool: ToolId, input: String) -> Result<ToolOutcome, PageError> {
        let (answer, ended) = oneshot::channel();
        let execution = Execution {
            tool,
            input,
            answer,
        };
        self.executions.send(execution).expect("the test has ended");
        ended.await.expect("the test dropped the execution")
    }

    async fn navigate(&self, address: String) -> Result<Location, PageError> {
        let url = address.parse().map_err(|error| PageError {
            kind: PageErrorKind::BadAddress,
            message: format!("\"{address}\" is not an address: {error}"),
        })?;
        self.leave();
        self.set(|content| {
            content.location = Location {
                url,
                title: "Elsewhere".to_owned(),
            };
        });
        self.location().await
    }

    async fn go_back(&self) -> Result<Location, PageError> {
        Err(PageError {
            kind: PageErrorKind::NoHistory,
            message: "There is no page to go back to.".to_owned(),
        })
    }

    async fn reload(&self) -> Result<Location, PageError> {
        self.leave();
        self.location().await
    }

    async fn location(&self) -> Result<Location, PageError> {
        self.get(|content| content.location.clone())
    }

    async fn text(&self) -> Result<String, PageError> {
        self.get(|content| content.text.clone())
    }

    async fn html(&self) -> Result<String, PageError> {
        self.get(|content| format!("<p>{}</p>", content.text))
    }

    async fn screenshot(&self) -> Result<Vec<u8>, PageError> {
        self.get(|_| b"\x89PNG".to_vec())
    }

    fn changes(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }
}

/// A tool of the top-level document.
pub fn tool(name: &str) -> PageTool {
    PageTool {
        id: ToolId::new(),
        name: name.to_owned(),
        title: String::new(),
        description: format!("Does {name}"),
        input_schema: None,
        annotations: None,
        origin: "https://shop.example".to_owned(),
        url: "https://shop.example/".parse().unwrap(),
        frame: Vec::new(),
    }
}

/// A tool that says that it is consequential.
pub fn consequential_tool(name: &str) -> PageTool {
    PageTool {
        annotations: Some(ToolAnnotations {
            consequential_hint: true,
            ..ToolAnnotations::default()
        }),
        ..tool(name)
    }
}

/// What the binary's options are when none is given.
pub fn options() -> Options {
    Options {
        consequential: Consequential::Ask,
        timeout: Duration::from_secs(30),
        validate: true,
        debugging: false,
        result_limit: 1000,
        call_log: CallLog::default(),
        pacing: Pacing::default(),
    }
}

/// A page, what runs on it, and a server over it.
pub struct Setup {
    pub page: Arc<FakePage>,
    pub executions: mpsc::UnboundedReceiver<Execution>,
    pub server: Server<FakePage>,
}

impl Setup {
    pub fn new() -> Setup {
        Setup::with(options())
    }

    pub fn with(options: Options) -> Setup {
        let (page, executions) = FakePage::new();
        Setup {
            server: Server::new(page.clone(), options),
            page,
            executions,
        }
    }

    pub async fn execution(&mut self) -> Execution {
        self.executions.recv().await.expect("the page is there")
    }

    /// Whether a tool was run that the test has not looked at.
    pub fn ran(&mut self) -> bool {
        self.executions.try_recv().is_ok()
    }
}
