/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The client that asks all servers alike: that of `rmcp`, over standard input and output.

use std::fs::{self, File};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use process_wrap::tokio::{CommandWrap, KillOnDrop};
use rmcp::ServiceExt as _;
use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
    ProtocolVersion,
};
use rmcp::service::{NotificationContext, RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::time::timeout;

use super::servers::{Call, Listing, Server, Servers, TOOL};
use crate::bench::memory;

/// How long a server may take to end.
const GRACE: Duration = Duration::from_secs(10);
/// The file for what a server says.
const SAID: &str = "said.txt";
/// How many lines of that go with an error.
const LAST_LINES: usize = 5;

/// What happens on the side of the client without its asking.
struct Listener {
    /// Changes when the server says that its tools have.
    changes: watch::Sender<()>,
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let client = Implementation::new("servo-webmcp-bench", env!("CARGO_PKG_VERSION"));
        // The others speak none that is newer.
        ClientConfig::new(ClientCapabilities::default(), client)
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changes.send_replace(());
    }
}

/// A server that runs with a page. What it started ends when this is dropped.
pub struct Session {
    server: Server,
    url: String,
    started: Instant,
    /// The process, until it is connected to.
    process: Option<TokioChildProcess>,
    client: Option<RunningService<RoleClient, Listener>>,
    mark: Mark,
    /// What the server keeps, and what it says on standard error.
    folder: TempDir,
}

/// What all processes of a session are known by. They end when this is dropped.
struct Mark(String);

impl Mark {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(format!("bench-{}-{count}", std::process::id()))
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        memory::end_marked(&self.0);
    }
}

impl Session {
    /// Starts a server.
    pub fn start(servers: &Servers, server: Server, url: &str) -> Result<Self> {
        let mark = Mark::new();
        let folder = tempfile::tempdir()?;
        let start = servers.start(server, url, folder.path(), &mark.0)?;
        let said = File::create(folder.path().join(SAID))?;
        let mut command = CommandWrap::with_new(&start.program, |command| {
            command
                .args(&start.arguments)
                .envs(start.environment)
                .env(memory::MARK, &mark.0)
                .current_dir(folder.path());
        });
        command.wrap(KillOnDrop);
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        let started = Instant::now();
        let (process, _) = TokioChildProcess::builder(command)
            .stderr(said)
            .spawn()
            .with_context(|| format!("cannot start {}", start.program.display()))?;
        Ok(Self {
            server,
            url: url.to_owned(),
            started,
            process: Some(process),
            client: None,
            mark,
            folder,
        })
    }

    /// Connects, opens the page and asks until its tool is listed. Returns the time since the start.
    pub async fn until_listed(&mut self) -> Result<Duration> {
        let process = self.process.take().context("it is connected to already")?;
        let (changes, mut changed) = watch::channel(());
        let client = Listener { changes }.serve(process).await;
        self.client = Some(client.context("it does not speak MCP")?);
        if let Some(open) = self.server.open(&self.url) {
            self.call(open).await?;
        }
        loop {
            changed.mark_unchanged();
            if self.is_listed().await? {
                return Ok(self.started.elapsed());
            }
            changed.changed().await.context("it has gone")?;
        }
    }

    async fn is_listed(&self) -> Result<bool> {
        match self.server.listing() {
            Listing::OwnTool(name) => {
                let tools = self.client()?.list_all_tools().await?;
                Ok(tools.iter().any(|tool| tool.name == name))
            }
            Listing::Result(call) => Ok(text(&self.call(call).await?)?.contains(TOOL)),
        }
    }

    /// Calls the tool of the page, and returns how long that took.
    pub async fn call_page_tool(&self, query: &str) -> Result<Duration> {
        let call = self.server.call(query);
        let started = Instant::now();
        let result = self.call(call).await?;
        let time = started.elapsed();
        let text = text(&result)?;
        ensure!(
            text.contains(query),
            "the tool of the page was called with `{query}` and gave back {text}"
        );
        Ok(time)
    }

    async fn call(&self, call: Call) -> Result<CallToolResult> {
        let Value::Object(arguments) = call.arguments else {
            bail!("the arguments of {} are no object", call.tool);
        };
        let request = CallToolRequestParams::new(call.tool).with_arguments(arguments);
        let result = self.client()?.call_tool(request).await;
        let result = result.with_context(|| format!("{} fails", call.tool))?;
        if result.is_error == Some(true) {
            bail!("{} fails: {}", call.tool, text(&result)?);
        }
        Ok(result)
    }

    fn client(&self) -> Result<&RunningService<RoleClient, Listener>> {
        self.client.as_ref().context("it is not connected to")
    }

    /// The MiB of all its processes.
    pub fn memory(&self) -> Option<f64> {
        memory::of_marked(&self.mark.0)
    }

    /// Ends the server in the way that its clients do.
    pub async fn close(&mut self) -> Result<()> {
        if let Some(close) = self.server.close()
            && self.client.is_some()
        {
            let closed = timeout(GRACE, self.call(close)).await;
            closed.context("it does not close its browser in time")??;
        }
        if let Some(mut client) = self.client.take() {
            client.close_with_timeout(GRACE).await?;
        }
        Ok(())
    }

    /// The end of what it said on standard error.
    pub fn last_words(&self) -> String {
        let text = fs::read_to_string(self.folder.path().join(SAID)).unwrap_or_default();
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let start = lines.len().saturating_sub(LAST_LINES);
        lines.get(start..).unwrap_or_default().join("\n")
    }
}

/// All that a result says.
fn text(result: &CallToolResult) -> Result<String> {
    Ok(serde_json::to_string(result)?)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A server in a shell: its first list is empty, then it says that the list has changed.
    const SERVER: &str = r#"#!/bin/sh
lists=0
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*)
      result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"a","version":"1"}}' ;;
    *'"method":"tools/list"'*)
      lists=$((lists + 1))
      result='{"tools":[]}'
      [ $lists = 1 ] || result='{"tools":[{"name":"first_tool","inputSchema":{"type":"object"}}]}' ;;
    *'"query":"refused"'*)
      result='{"content":[{"type":"text","text":"not today"}],"isError":true}' ;;
    *'"query":"tea 1"'*)
      result='{"content":[{"type":"text","text":"tea 1"}]}' ;;
    *'"method":"tools/call"'*)
      result='{"content":[{"type":"text","text":"something else"}]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
  case "$line" in
    *'"method":"tools/list"'*)
      [ $lists != 1 ] || echo '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}' ;;
  esac
done
"#;

    fn start(script: &str) -> (TempDir, Session) {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("server");
        fs::write(&program, script).unwrap();
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&program, permissions).unwrap();
        let servers = Servers::of_program(&program);
        let session = Session::start(&servers, Server::Webmcp, "http://a/").unwrap();
        (folder, session)
    }

    #[tokio::test]
    async fn a_tool_that_comes_later_is_waited_for_and_called() {
        let (_folder, mut session) = start(SERVER);
        session.until_listed().await.unwrap();
        session.call_page_tool("tea 1").await.unwrap();
        assert!(session.memory().unwrap() > 0.0);
        session.close().await.unwrap();
    }

    #[tokio::test]
    async fn a_call_that_fails_or_gives_something_else_is_an_error() {
        let (_folder, mut session) = start(SERVER);
        session.until_listed().await.unwrap();
        let error = session.call_page_tool("refused").await.unwrap_err();
        assert!(error.to_string().contains("not today"), "{error}");
        let error = session.call_page_tool("tea 2").await.unwrap_err();
        assert!(error.to_string().contains("something else"), "{error}");
    }

    #[tokio::test]
    async fn what_a_server_started_ends_with_the_session() {
        let (_folder, mut session) =
            start("#!/bin/sh\nsetsid tail -f /dev/null >&2 &\necho a word >&2\nread line\n");
        let mark = session.mark.0.clone();
        assert!(session.memory().is_some());
        // It ends without an answer.
        let error = session.until_listed().await.unwrap_err();
        assert!(error.to_string().contains("does not speak MCP"), "{error}");
        assert_eq!(session.last_words(), "a word");
        session.close().await.unwrap();
        drop(session);
        assert_eq!(memory::of_marked(&mark), None);
    }
}
