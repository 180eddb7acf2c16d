/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The command line.

mod values;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use servo::PrefValue;

pub use self::values::{FramePath, Size, ToolsWanted, frame_name};
use self::values::{
    parse_host, parse_origin, parse_preference, parse_socket_address, parse_timeout,
    parse_user_agent,
};

/// The most text that an MCP client gets at once, in bytes, if the user does not say otherwise.
const DEFAULT_RESULT_LIMIT: usize = 1024 * 1024;

const AFTER_HELP: &str = "\
A URL is one of
  https://example.com/   a page on the web
  page.html, dir/, file: a file, or the index.html of a folder. It gets an origin
                         of its own on localhost that no one else can reach. The
                         page can read everything below its folder but names that
                         begin with a dot: --only narrows that, --root widens it
  demo:shop              a page that is built in: demo:shop, demo:tasks or
                         demo:guide

Exit status
  0  done                         4  the page offers no such tool
  1  the tool or script failed    5  refused
  2  wrong usage                  6  timed out
  3  the page did not load        7  the outcome of the call is unknown
                                130  interrupted

Examples
  webmcp tools demo:shop
  webmcp call demo:shop search_products '{\"query\": \"tea\"}'
  webmcp eval https://example.com document.title
  webmcp screenshot ./site page.png --size 800x600
  webmcp serve demo:tasks";

/// A headless browser that lists and runs the tools a web page offers through WebMCP.
#[derive(Debug, Parser)]
#[command(name = "webmcp", version, after_help = AFTER_HELP, max_term_width = 100, args_override_self = true)]
pub struct Cli {
    #[command(flatten)]
    pub options: GlobalOptions,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Args, Debug)]
pub struct GlobalOptions {
    /// Give up after this many seconds, from start to end; with `serve`, this is for loading the page and then for each
    /// call
    #[arg(long, global = true, value_name = "SECONDS", default_value = "30", value_parser = parse_timeout)]
    pub timeout: Duration,
    /// Print what the page writes to its console, the dialogs it tries to open, and the engine's log to standard error
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// Run each site in a process of its own
    #[arg(long, global = true)]
    pub multiprocess: bool,
    #[command(flatten)]
    pub files: FileOptions,
    #[command(flatten)]
    pub pages: PageOptions,
}

/// What pages meet.
#[derive(Args, Debug)]
pub struct PageOptions {
    /// The size of the viewport in pixels
    #[arg(long, global = true, value_name = "WxH", default_value_t)]
    pub size: Size,
    /// What the browser calls itself, to servers and to scripts
    #[arg(long, global = true, value_name = "TEXT", value_parser = parse_user_agent)]
    pub user_agent: Option<String>,
    /// Run this script in every page, but not in its frames, before the page's own; can be given several times
    #[arg(long = "init-script", global = true, value_name = "FILE")]
    pub init_scripts: Vec<PathBuf>,
    /// Set a preference of the engine; can be given several times
    #[arg(long = "pref", global = true, value_name = "NAME=VALUE", value_parser = parse_preference)]
    pub preferences: Vec<(String, PrefValue)>,
}

/// What a page may read that is a file of this machine.
#[derive(Args, Debug, Default)]
pub struct FileOptions {
    /// Let a page that is a file read all that is below this folder, which must hold it, instead of below its own; it
    /// can then use ../shared.js
    #[arg(long, global = true, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Of the files around a page that is a file, let it read this one alone, or what is below this folder; can be given
    /// several times
    #[arg(long, global = true, value_name = "FILE")]
    pub only: Vec<PathBuf>,
}

impl FileOptions {
    /// Whether the user has said anything about it.
    pub fn are_given(&self) -> bool {
        self.root.is_some() || !self.only.is_empty()
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the tools of a page and of all its frames
    ///
    /// Loads the page and waits until its list of tools has settled: until nothing has changed for a quarter of a second
    /// after the page has loaded, or for two seconds while there is no tool, and for five seconds at most. A page that
    /// takes longer needs `--wait-for`. If there are no tools, says why as far as that can be seen.
    #[command(
        after_help = "Examples\n  webmcp tools demo:tasks\n  webmcp tools ./index.html --json\n  \
                      webmcp tools https://example.com/ --wait-for search"
    )]
    Tools(ToolsArguments),
    /// Run one tool of a page and print its result
    ///
    /// Loads the page and runs the tool once the list of tools has settled, so that no frame can offer the name first and
    /// get the input that is meant for another; with `--frame`, as soon as that frame offers it. Prints the text of the
    /// result as the page gives it, and nothing when the tool navigated the page away. With `--json`, prints {"ok": true,
    /// "result": …}, where the result is that same text as a JSON string, or null after a navigation; or {"ok": false,
    /// "error": {"kind": …, "message": …}}.
    #[command(
        after_help = "Examples\n  webmcp call demo:shop search_products '{\"query\": \"tea\"}'\n  \
                      echo '{\"title\": \"Water the plants\"}' | webmcp call demo:tasks add_task -\n  \
                      webmcp call demo:shop checkout '{\"name\": \"Ada\"}' --yes"
    )]
    Call(CallArguments),
    /// Run a script in a page and print its value as JSON
    ///
    /// Loads the page, runs the script in its top document, waits for the promise if the value is one, and prints the
    /// value as JSON; nothing for undefined. Exits with 1 if the script throws, or gives a value that JSON cannot hold.
    #[command(after_help = "Examples\n  webmcp eval demo:shop document.title\n  \
                      webmcp eval demo:guide 'guide.discover()'\n  \
                      webmcp eval https://example.com - < script.js")]
    Eval(EvalArguments),
    /// Save a picture of a page after it has loaded
    #[command(after_help = "Examples\n  webmcp screenshot demo:shop shop.png --size 1280x800")]
    Screenshot(ScreenshotArguments),
    /// Give the tools of a page to MCP clients, on standard input and output or over HTTP
    ///
    /// Loads the page, and then speaks the Model Context Protocol: each tool of the page and of its frames is a tool
    /// there, and there are tools to go to other pages, to read them and to look at them. Those go to http: and https:
    /// addresses and to the pages that are built in, but to no file of this machine: of files, clients see the one that
    /// the command names and those beside it.
    ///
    /// Without `--http` there is one client, which starts this program and ends it by closing its standard input.
    #[command(after_help = "Examples\n  webmcp serve https://example.com/\n  \
                      webmcp serve demo:shop --consequential deny --log calls.jsonl\n  \
                      webmcp serve ./site --http 127.0.0.1:8931\n  \
                      webmcp serve ./site --http 0.0.0.0:8931 --token-file token.txt --allow-host tools.example:8931")]
    Serve(ServeArguments),
    /// Print what makes a shell complete the commands and options of this program
    #[command(
        after_help = "Examples\n  webmcp completions bash > ~/.local/share/bash-completion/completions/webmcp\n  \
                      webmcp completions zsh > ~/.zfunc/_webmcp\n  \
                      webmcp completions fish > ~/.config/fish/completions/webmcp.fish"
    )]
    Completions(CompletionsArguments),
    /// Print the manual page of this program, or of one of its commands
    #[command(
        after_help = "Examples\n  webmcp man > webmcp.1 && man ./webmcp.1\n  webmcp man call > webmcp-call.1"
    )]
    Man(ManArguments),
    /// Run one test of web-platform-tests and print its results as JSON; `cargo xtask wpt` does this
    #[command(hide = true)]
    WptRun(WptRunArguments),
}

#[derive(Args, Debug)]
pub struct ToolsArguments {
    /// The page
    pub url: String,
    /// Print a JSON array instead of text
    #[arg(long)]
    pub json: bool,
    /// Wait for a tool of this name, or for so many tools, instead of until nothing changes; can be given several times
    #[arg(long, value_name = "NAME|COUNT")]
    pub wait_for: Vec<ToolsWanted>,
}

#[derive(Args, Debug)]
pub struct CallArguments {
    /// The page
    pub url: String,
    /// The name of the tool
    pub tool: String,
    /// The input, a JSON object; `-` reads it from standard input
    #[arg(value_name = "JSON", default_value = "{}")]
    pub json_input: String,
    /// Print the result or the error as JSON
    #[arg(long)]
    pub json: bool,
    /// Run the tool even if it has consequences, such as a purchase
    #[arg(long)]
    pub yes: bool,
    /// The frame whose tool is meant when several offer the name: `top`, `0`, `0.1`, … as `tools` shows them
    #[arg(long, value_name = "FRAME")]
    pub frame: Option<FramePath>,
}

#[derive(Args, Debug)]
pub struct EvalArguments {
    /// The page
    pub url: String,
    /// The script; `-` reads it from standard input
    #[arg(allow_hyphen_values = true)]
    pub script: String,
}

#[derive(Args, Debug)]
pub struct ScreenshotArguments {
    /// The page
    pub url: String,
    /// Where to write the picture, in PNG form
    #[arg(value_name = "FILE.png")]
    pub file: PathBuf,
}

#[derive(Args, Debug)]
pub struct ServeArguments {
    /// The page
    pub url: String,
    /// Listen here instead of using standard input and output; port 0 is one that is free. Other machines can reach it
    /// only at an address of theirs, and then a token is needed
    #[arg(long, value_name = "ADDR:PORT", value_parser = parse_socket_address)]
    pub http: Option<SocketAddr>,
    /// What becomes of tools that say they have consequences, such as a purchase: ask the user through the client, and
    /// refuse if that is not possible; run them; or refuse them
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = ConsequentialArgument::Ask)]
    pub consequential: ConsequentialArgument,
    /// Give arguments to the page without comparing them with the tool's schema
    #[arg(long)]
    pub no_validate: bool,
    /// Show the tools that the page offers for debugging
    #[arg(long)]
    pub debugging: bool,
    /// Add a line of JSON to this file for each call
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// A file with the token that clients must send over HTTP; the variable WEBMCP_TOKEN can hold it instead
    #[arg(long, value_name = "FILE", requires = "http")]
    pub token_file: Option<PathBuf>,
    /// An origin whose pages may speak to the server, such as http://localhost:6274; without a port, that of http: or
    /// https: is meant, and :* means all; can be given several times
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http", value_parser = parse_origin)]
    pub allowed_origins: Vec<String>,
    /// A name under which clients reach the server, in place of localhost, 127.0.0.1 and ::1; can be given several times
    #[arg(long = "allow-host", value_name = "HOST", requires = "http", value_parser = parse_host)]
    pub allowed_hosts: Vec<String>,
    /// The most text of a result or of the page that a client gets at once; what is longer is cut
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_RESULT_LIMIT, value_parser = RangedU64ValueParser::<usize>::new().range(1024..))]
    pub result_limit: usize,
}

#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell
    pub shell: Shell,
}

#[derive(Args, Debug)]
pub struct ManArguments {
    /// The command
    pub command: Option<String>,
}

/// What becomes of tools that say they have consequences.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum ConsequentialArgument {
    Ask,
    Allow,
    Deny,
}

#[derive(Args, Debug)]
pub struct WptRunArguments {
    /// The test
    pub url: String,
    /// The certificate of the authority that vouches for the server, in PEM form
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// A file in the form of /etc/hosts that says where hosts are
    #[arg(long, value_name = "FILE")]
    pub host_file: Option<PathBuf>,
    /// The expression for the promise of the results, once the page has loaded
    #[arg(
        long,
        value_name = "SCRIPT",
        default_value = "window.__webmcp_wpt_results"
    )]
    pub results: String,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::demos;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_help_names_every_demo() {
        for demo in demos::DEMOS {
            assert!(
                AFTER_HELP.contains(&format!("demo:{}", demo.name)),
                "{}",
                demo.name
            );
        }
    }

    #[test]
    fn what_is_about_http_needs_http() {
        for option in [
            "--token-file=t",
            "--allow-origin=https://a.example",
            "--allow-host=a.example",
        ] {
            let arguments = ["webmcp", "serve", "u", option];
            assert!(Cli::try_parse_from(arguments).is_err(), "{option}");
            let arguments = ["webmcp", "serve", "u", option, "--http", "127.0.0.1:0"];
            assert!(Cli::try_parse_from(arguments).is_ok(), "{option}");
        }
    }

    #[test]
    fn options_may_stand_after_the_command() {
        let cli = Cli::try_parse_from(["webmcp", "tools", "demo:shop", "--timeout", "5", "-v"])
            .expect("it parses");
        assert_eq!(cli.options.timeout, Duration::from_secs(5));
        assert!(cli.options.verbose);
    }

    #[test]
    fn the_input_of_a_call_may_begin_with_a_hyphen() {
        let cli =
            Cli::try_parse_from(["webmcp", "call", "u", "t", "-", "--json"]).expect("it parses");
        let Command::Call(arguments) = cli.command else {
            panic!("another command: {:?}", cli.command);
        };
        assert_eq!(arguments.json_input, "-");
        assert!(arguments.json);
    }
}
