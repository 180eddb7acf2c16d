/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The servers that are measured: how each is started, and in which of its tools those of a page are found.

use std::collections::BTreeMap;
use std::env::consts::{ARCH, OS};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::{Value, json};
use xtask::toolchain::system;

use super::npm::Package;
use crate::bench::browsers::Contestants;
use crate::bench::in_round;
use crate::version;

/// The tool of the page.
pub const TOOL: &str = "first_tool";

/// A server, in the order of the table.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Server {
    Webmcp,
    ChromeDevtools,
    Playwright,
    AgentBrowser,
}

/// A call of a tool of a server.
#[derive(Clone, Debug)]
pub struct Call {
    pub tool: &'static str,
    pub arguments: Value,
}

/// Where the tools of a page are listed.
#[derive(Clone, Debug)]
pub enum Listing {
    /// Among the server's own, under this name.
    OwnTool(&'static str),
    /// In what this call gives.
    Result(Call),
}

impl Server {
    pub const ALL: [Self; 4] = [
        Self::Webmcp,
        Self::ChromeDevtools,
        Self::Playwright,
        Self::AgentBrowser,
    ];
    /// Those of others.
    pub const PEERS: [Self; 3] = [Self::ChromeDevtools, Self::Playwright, Self::AgentBrowser];

    pub fn text(self) -> &'static str {
        match self {
            Self::Webmcp => "webmcp serve",
            Self::ChromeDevtools => "chrome-devtools-mcp",
            Self::Playwright => "@playwright/mcp",
            Self::AgentBrowser => "agent-browser mcp",
        }
    }

    /// The servers in the order of a round.
    pub fn in_round(round: u16) -> impl Iterator<Item = Self> {
        in_round(Self::ALL, round)
    }

    /// What it is installed from, if it is not ours.
    fn package(self) -> Option<Package> {
        match self {
            Self::Webmcp => None,
            Self::ChromeDevtools => Some(Package {
                name: "chrome-devtools-mcp",
                manifest: include_str!("../../../bench/peers/chrome-devtools-mcp/package.json"),
                lock: include_str!("../../../bench/peers/chrome-devtools-mcp/package-lock.json"),
            }),
            Self::Playwright => Some(Package {
                name: "@playwright/mcp",
                manifest: include_str!("../../../bench/peers/playwright-mcp/package.json"),
                lock: include_str!("../../../bench/peers/playwright-mcp/package-lock.json"),
            }),
            Self::AgentBrowser => Some(Package {
                name: "agent-browser",
                manifest: include_str!("../../../bench/peers/agent-browser/package.json"),
                lock: include_str!("../../../bench/peers/agent-browser/package-lock.json"),
            }),
        }
    }

    /// Opens a page; nothing where the page is named when the server is started.
    pub fn open(self, url: &str) -> Option<Call> {
        match self {
            Self::Webmcp => None,
            Self::ChromeDevtools => Some(Call {
                tool: "navigate_page",
                arguments: json!({"pageId": 1, "url": url}),
            }),
            Self::Playwright => Some(Call {
                tool: "browser_navigate",
                arguments: json!({"url": url}),
            }),
            Self::AgentBrowser => Some(Call {
                tool: "agent_browser_open",
                arguments: json!({"url": url}),
            }),
        }
    }

    pub fn listing(self) -> Listing {
        match self {
            Self::Webmcp => Listing::OwnTool(TOOL),
            Self::ChromeDevtools => Listing::Result(Call {
                tool: "list_webmcp_tools",
                arguments: json!({"pageId": 1}),
            }),
            Self::Playwright => Listing::OwnTool("webmcp_first_tool"),
            Self::AgentBrowser => Listing::Result(Call {
                tool: "agent_browser_webmcp_list",
                arguments: json!({}),
            }),
        }
    }

    /// Runs the tool of the page, which gives back its input.
    pub fn call(self, query: &str) -> Call {
        let input = json!({"query": query});
        match self {
            Self::Webmcp => Call {
                tool: TOOL,
                arguments: input,
            },
            Self::ChromeDevtools => Call {
                tool: "execute_webmcp_tool",
                arguments: json!({"pageId": 1, "toolName": TOOL, "input": input.to_string()}),
            },
            Self::Playwright => Call {
                tool: "webmcp_first_tool",
                arguments: input,
            },
            Self::AgentBrowser => Call {
                tool: "agent_browser_webmcp_invoke",
                arguments: json!({"tool": TOOL, "params": input}),
            },
        }
    }

    /// What is called at the end; nothing where the browser ends with the server.
    pub fn close(self) -> Option<Call> {
        match self {
            Self::AgentBrowser => Some(Call {
                tool: "agent_browser_close",
                arguments: json!({}),
            }),
            _ => None,
        }
    }
}

/// Where the servers and their browsers are.
pub struct Servers {
    webmcp: PathBuf,
    chromium: PathBuf,
    /// The folders of the packages of npm that are installed.
    packages: BTreeMap<Server, PathBuf>,
    /// What each server is, by its name.
    pub versions: BTreeMap<&'static str, String>,
}

/// How a server is started.
pub struct Start {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(&'static str, OsString)>,
}

impl Servers {
    /// Installs what is not there yet. The second part says which could not be installed, and why.
    pub fn install(contestants: &Contestants) -> Result<(Self, Vec<(Server, anyhow::Error)>)> {
        let mut servers = Self {
            webmcp: contestants.webmcp.clone(),
            chromium: contestants.chromium.clone(),
            packages: BTreeMap::new(),
            versions: BTreeMap::new(),
        };
        let mut failed = Vec::new();
        let webmcp = contestants.webmcp_version.clone();
        servers.versions.insert(Server::Webmcp.text(), webmcp);
        for server in Server::PEERS {
            let Some(package) = server.package() else {
                continue;
            };
            servers.versions.insert(server.text(), package.version()?);
            let installed = package
                .install()
                .and_then(|folder| usable(server, &folder).map(|()| folder));
            match installed {
                Ok(folder) => {
                    servers.packages.insert(server, folder);
                }
                Err(error) => failed.push((server, error)),
            }
        }
        servers
            .versions
            .insert("chromium", contestants.chromium_version.clone());
        if let Ok(node) = which::which("node") {
            servers.versions.insert("node", version::of(&node)?);
        }
        Ok((servers, failed))
    }

    /// Our own server alone, for tests.
    #[cfg(test)]
    pub fn of_program(webmcp: &Path) -> Self {
        Self {
            webmcp: webmcp.to_owned(),
            chromium: PathBuf::new(),
            packages: BTreeMap::new(),
            versions: BTreeMap::new(),
        }
    }

    /// How a server is started with a page; `folder` is its own for this time, and `name` is nobody else's.
    pub fn start(&self, server: Server, url: &str, folder: &Path, name: &str) -> Result<Start> {
        let package = |inner: &str| match self.packages.get(&server) {
            Some(folder) => Ok(folder.join(inner)),
            None => bail!("{} is not installed", server.text()),
        };
        let node = || which::which("node").context("node is not found");
        let chromium = self.chromium.clone().into_os_string();
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        Ok(match server {
            Server::Webmcp => Start {
                program: self.webmcp.clone(),
                arguments: words(&["serve", url]),
                environment: Vec::new(),
            },
            Server::ChromeDevtools => {
                let script = package("build/src/bin/chrome-devtools-mcp.js")?;
                let mut arguments = vec![script.into_os_string()];
                arguments.extend(words(&[
                    "--headless",
                    "--isolated",
                    "--categoryExperimentalWebmcp",
                    "--no-usage-statistics",
                    "--chromeArg=--enable-features=WebMCP",
                    "--chromeArg=--no-sandbox",
                    "--executablePath",
                ]));
                arguments.push(chromium);
                Start {
                    program: node()?,
                    arguments,
                    environment: vec![("CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS", "1".into())],
                }
            }
            Server::Playwright => {
                let options = json!({
                    "browser": {"launchOptions": {"args": ["--enable-features=WebMCP"]}}
                });
                let configuration = folder.join("playwright.json");
                fs::write(&configuration, options.to_string())?;
                let mut arguments = vec![package("cli.js")?.into_os_string()];
                arguments.extend(words(&[
                    "--headless",
                    "--isolated",
                    "--no-sandbox",
                    "--executable-path",
                ]));
                arguments.push(chromium);
                arguments.push("--config".into());
                arguments.push(configuration.into_os_string());
                Start {
                    program: node()?,
                    arguments,
                    environment: Vec::new(),
                }
            }
            Server::AgentBrowser => Start {
                program: package("bin")?.join(agent_browser()?),
                arguments: words(&["mcp", "--tools", "core,webmcp"]),
                environment: vec![
                    ("AGENT_BROWSER_EXECUTABLE_PATH", chromium),
                    ("AGENT_BROWSER_ARGS", "--no-sandbox".into()),
                    ("AGENT_BROWSER_SESSION", name.into()),
                    ("AGENT_BROWSER_SOCKET_DIR", folder.into()),
                    ("AGENT_BROWSER_NO_VERSION_CHECK", "1".into()),
                ],
            },
        })
    }
}

/// Sees to it that an installed package can be run.
fn usable(server: Server, folder: &Path) -> Result<()> {
    if server != Server::AgentBrowser {
        return system::install_programs(&[("node", "nodejs")]);
    }
    let program = folder.join("bin").join(agent_browser()?);
    // Its install script, which is not run, would do this.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
            .with_context(|| format!("cannot use {}", program.display()))?;
    }
    Ok(())
}

/// The program of agent-browser for this system.
fn agent_browser() -> Result<&'static str> {
    Ok(match (OS, ARCH) {
        ("linux", "x86_64") => "agent-browser-linux-x64",
        ("linux", "aarch64") => "agent-browser-linux-arm64",
        ("macos", "x86_64") => "agent-browser-darwin-x64",
        ("macos", "aarch64") => "agent-browser-darwin-arm64",
        ("windows", "x86_64") => "agent-browser-win32-x64.exe",
        _ => bail!("agent-browser has no program for {OS} on {ARCH}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_has_each_server_once() {
        for round in 0..5 {
            let mut servers: Vec<Server> = Server::in_round(round).collect();
            servers.sort();
            assert_eq!(servers, Server::ALL);
        }
        assert_ne!(Server::in_round(0).next(), Server::in_round(1).next());
    }

    #[test]
    fn packages_are_pinned_to_one_version_with_checksums() {
        for server in Server::PEERS {
            let package = server.package().unwrap();
            let version = package.version().unwrap();
            assert!(
                version.starts_with(|first: char| first.is_ascii_digit()),
                "{version}"
            );
            let lock: Value = serde_json::from_str(package.lock).unwrap();
            for (place, entry) in lock["packages"].as_object().unwrap() {
                assert!(
                    place.is_empty() || entry["integrity"].is_string(),
                    "{place} has no checksum"
                );
                assert_eq!(entry.get("resolved"), None, "{place} names a registry");
            }
            let own = &lock["packages"][format!("node_modules/{}", package.name)];
            assert_eq!(own["version"].as_str(), Some(version.as_str()));
        }
    }

    #[test]
    fn a_server_that_is_not_installed_is_named() {
        let servers = Servers::of_program(Path::new("webmcp"));
        let start = |server| servers.start(server, "http://a/", Path::new("."), "n");
        assert_eq!(
            start(Server::Webmcp).unwrap().arguments,
            ["serve", "http://a/"]
        );
        let error = start(Server::AgentBrowser).err().unwrap().to_string();
        assert!(error.contains("agent-browser"), "{error}");
    }
}
