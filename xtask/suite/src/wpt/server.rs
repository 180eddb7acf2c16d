/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The server of the tests, which is wptserve in a process of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::manifest::{Scheme, Test};
use super::setup::Setup;

const SCRIPT: &str = include_str!("server.py");

/// The files that tests take from the harness and from around the suite. The checkout of web-platform-tests has its
/// own, but for the first.
const REPORT: (&str, &str) = (
    "resources/testharnessreport.js",
    include_str!("support/resources/testharnessreport.js"),
);
const SUPPORT: [(&str, &str); 3] = [
    ("index.html", include_str!("support/index.html")),
    (
        "common/blank.html",
        include_str!("support/common/blank.html"),
    ),
    (
        "common/get-host-info.sub.js",
        include_str!("support/common/get-host-info.sub.js"),
    ),
];

/// The names under which the server is reached. They are mapped to this machine in the browser alone.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Hosts {
    pub main: &'static str,
    /// Another site.
    pub alternate: &'static str,
    pub subdomains: [&'static str; 5],
    /// Subdomains that are found nowhere.
    pub missing: [&'static str; 1],
}

pub const HOSTS: Hosts = Hosts {
    main: "web-platform.test",
    alternate: "not-web-platform.test",
    subdomains: ["www", "www1", "www2", "天気の良い日", "élève"],
    missing: ["nonexistent"],
};

impl Hosts {
    /// Every name, in its ASCII form.
    pub fn all_names(&self) -> Vec<String> {
        let subdomains = [
            "www",
            "www1",
            "www2",
            "xn--n8j6ds53lwwkrqhv28a",
            "xn--lve-6lad",
        ];
        let of_site = |site: &'static str| {
            std::iter::once(site.to_owned())
                .chain(subdomains.map(|subdomain| format!("{subdomain}.{site}")))
        };
        of_site(self.main).chain(of_site(self.alternate)).collect()
    }
}

/// The tests that are served.
#[derive(Clone, Debug)]
pub enum Tree {
    /// Our folder `wpt/`: the tests alone.
    Ours(PathBuf),
    /// A checkout of web-platform-tests.
    Checkout(PathBuf),
}

impl Tree {
    pub fn root(&self) -> &Path {
        match self {
            Self::Ours(root) | Self::Checkout(root) => root,
        }
    }
}

/// A server that runs until it is dropped.
pub struct Server {
    process: Child,
    /// The server ends when this is closed, so also when we are killed.
    input: Option<ChildStdin>,
    ports: Ports,
    _folder: TempDir,
}

#[derive(Debug, Deserialize)]
struct Ports {
    http: Vec<u16>,
    https: Vec<u16>,
}

#[derive(Serialize)]
struct Configuration {
    hosts: Hosts,
    key: PathBuf,
    certificate: PathBuf,
    mounts: Vec<Mount>,
    rewrites: BTreeMap<&'static str, &'static str>,
}

#[derive(Serialize)]
struct Mount {
    url: &'static str,
    folder: PathBuf,
}

impl Server {
    pub fn start(setup: &Setup, tree: &Tree) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let report = folder.path().join("report");
        let support = folder.path().join("support");
        write(&report, REPORT)?;
        for file in SUPPORT {
            write(&support, file)?;
        }
        let certificates = setup.certificates();
        let mount = |url, folder: &Path| Mount {
            url,
            folder: folder.to_owned(),
        };
        let (mounts, webidl2) = match tree {
            Tree::Ours(root) => (
                vec![
                    mount("/", &report),
                    mount("/", root),
                    mount("/", &support),
                    mount("/resources/", &setup.harness()),
                    mount("/common/", &setup.common()),
                    mount("/interfaces/", &setup.interfaces()),
                ],
                "/resources/webidl2.js",
            ),
            Tree::Checkout(root) => (
                vec![mount("/", &report), mount("/", root)],
                "/resources/webidl2/lib/webidl2.js",
            ),
        };
        let configuration = Configuration {
            hosts: HOSTS,
            key: certificates.host_key,
            certificate: certificates.host,
            mounts,
            rewrites: BTreeMap::from([("/resources/WebIDLParser.js", webidl2)]),
        };
        let script = folder.path().join("server.py");
        let config = folder.path().join("server.json");
        fs::write(&script, SCRIPT)?;
        fs::write(&config, serde_json::to_vec(&configuration)?)?;
        let mut process = Command::new(setup.python())
            .arg(&script)
            .arg(&config)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the test server")?;
        let input = process.stdin.take();
        let output = process
            .stdout
            .take()
            .context("the test server has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let ports: Ports = serde_json::from_str(&line)
            .context("the test server did not start; its message is above")?;
        ensure!(
            !ports.http.is_empty() && !ports.https.is_empty(),
            "the test server has no ports"
        );
        Ok(Self {
            process,
            input,
            ports,
            _folder: folder,
        })
    }

    /// Where a test is found.
    pub fn url(&self, test: &Test) -> String {
        let (scheme, ports) = match test.scheme {
            Scheme::Http => ("http", &self.ports.http),
            Scheme::Https => ("https", &self.ports.https),
        };
        let port = ports.first().copied().unwrap_or_default();
        format!("{scheme}://{}:{port}{}", HOSTS.main, test.id)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        // It holds nothing that it would have to save.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn write(folder: &Path, (name, text): (&str, &str)) -> Result<()> {
    let path = folder.join(name);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = fs::File::create(path)?;
    file.write_all(text.as_bytes())?;
    Ok(())
}

/// The contents of a hosts file that sends all names to this machine.
pub fn hosts_file() -> String {
    HOSTS
        .all_names()
        .iter()
        .map(|name| format!("127.0.0.1 {name}\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_file_has_each_name_once() {
        let text = hosts_file();
        assert!(
            text.lines()
                .any(|line| line == "127.0.0.1 www1.web-platform.test")
        );
        assert!(
            text.lines()
                .any(|line| line == "127.0.0.1 not-web-platform.test")
        );
        let mut lines: Vec<&str> = text.lines().collect();
        let all = lines.len();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!((lines.len(), all), (12, 12));
    }
}
