/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the URL argument means: a page on the web, a file or folder, or a page that is built in.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use modelcontext_mcp::shown_address;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::Url;

use crate::demos;
use crate::exit::{Failure, Result};

/// What a folder shows when no file of it is named.
pub const INDEX: &str = "index.html";

/// The characters of a file name that may stand in the path of a URL as they are.
const PATH_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Where a page comes from.
#[derive(Debug)]
pub enum Source {
    /// A server that is not ours.
    Remote(Url),
    /// This machine, through the local server.
    Local {
        content: Content,
        /// Path, query and fragment of the page's URL on the local server; begins with a slash.
        target: String,
    },
}

/// What the local server serves.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Content {
    /// The files of a folder. The path is canonical.
    Folder(PathBuf),
    /// The pages that are built in.
    Demos,
}

impl Source {
    /// Finds out what `argument` means.
    ///
    /// A failure is one of usage when the argument has no meaning, and one of loading when it names something that is
    /// not there.
    pub fn parse(argument: &str) -> Result<Self> {
        if let Some(rest) = argument.strip_prefix("demo:") {
            return parse_demo(rest);
        }
        if let Some((scheme, rest)) = split_scheme(argument) {
            return match scheme.to_ascii_lowercase().as_str() {
                "http" | "https" => parse_web(argument),
                "file" => parse_file_url(argument),
                _ if looks_like_port(rest) => Err(lacks_scheme(argument)),
                _ => Err(Failure::usage(format!(
                    "`{}`: only http:, https:, file: and demo: URLs can be opened",
                    shown_address(argument)
                ))),
            };
        }
        if argument.is_empty() {
            return Err(Failure::usage("the URL is empty"));
        }
        parse_path(argument)
    }

    /// Finds out what an address means that comes from somebody who may not read this machine's files: an agent that an
    /// MCP client runs. So `file:` URLs and paths are refused, without a look at whether anything is there.
    pub fn parse_remote(address: &str) -> Result<Self> {
        if let Some(rest) = address.strip_prefix("demo:") {
            return parse_demo(rest);
        }
        match split_scheme(address) {
            Some((scheme, _))
                if ["http", "https"]
                    .iter()
                    .any(|web| scheme.eq_ignore_ascii_case(web)) =>
            {
                parse_web(address)
            }
            Some((_, rest)) if looks_like_port(rest) => Err(lacks_scheme(address)),
            None if looks_like_host(address) => Err(lacks_scheme(address)),
            _ => Err(Failure::usage(format!(
                "`{}`: only whole http: and https: addresses can be opened from here, and the demo: pages",
                shown_address(address)
            ))),
        }
    }
}

fn lacks_scheme(argument: &str) -> Failure {
    let argument = shown_address(argument);
    Failure::usage(format!(
        "`{argument}` lacks the scheme: write http://{argument} or https://{argument}"
    ))
}

/// The scheme of a URL and what follows its colon. A single letter is a drive, not a scheme.
fn split_scheme(argument: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = argument.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character));
    is_scheme.then_some((scheme, rest))
}

/// Whether what stands after a colon is a port, and perhaps a path: then what stands before it is a host.
fn looks_like_port(rest: &str) -> bool {
    let port = rest.split(['/', '?', '#']).next().unwrap_or_default();
    !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse_web(argument: &str) -> Result<Source> {
    Url::parse(argument)
        .map(Source::Remote)
        .map_err(|error| not_a_url(argument, error))
}

fn not_a_url(argument: &str, error: url::ParseError) -> Failure {
    Failure::usage(format!(
        "`{}` is not a URL: {error}",
        shown_address(argument)
    ))
}

fn parse_demo(rest: &str) -> Result<Source> {
    let (name, suffix) = split_suffix(rest);
    let demo = demos::find(name).ok_or_else(|| {
        let known: Vec<String> = demos::DEMOS
            .iter()
            .map(|demo| format!("demo:{} ({})", demo.name, demo.about))
            .collect();
        let known = known.join(", ");
        Failure::not_loaded(if name.is_empty() {
            format!("name a demo: {known}")
        } else {
            let name = shown_address(name);
            format!("there is no demo `{name}`; there are {known}")
        })
    })?;
    Ok(Source::Local {
        content: Content::Demos,
        target: format!("{}{suffix}", demo.path()),
    })
}

fn parse_file_url(argument: &str) -> Result<Source> {
    let url = Url::parse(argument).map_err(|error| not_a_url(argument, error))?;
    let path = url.to_file_path().map_err(|()| {
        Failure::usage(format!(
            "`{}` does not name a file of this machine",
            shown_address(argument)
        ))
    })?;
    let mut suffix = String::new();
    if let Some(query) = url.query() {
        suffix = format!("?{query}");
    }
    if let Some(fragment) = url.fragment() {
        suffix = format!("{suffix}#{fragment}");
    }
    local(&path, &suffix, argument)
}

/// A path, perhaps with a query or fragment. A file whose name holds `?` or `#` goes before that reading.
fn parse_path(argument: &str) -> Result<Source> {
    let (path, suffix) = split_suffix(argument);
    if suffix.is_empty() || Path::new(argument).exists() {
        return local(Path::new(argument), "", argument);
    }
    local(Path::new(path), suffix, argument)
}

/// `text` without its query and fragment, and those.
fn split_suffix(text: &str) -> (&str, &str) {
    text.split_at(text.find(['?', '#']).unwrap_or(text.len()))
}

fn local(path: &Path, suffix: &str, argument: &str) -> Result<Source> {
    let is_host = looks_like_host(argument);
    let argument = shown_address(argument);
    let canonical = fs::canonicalize(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound if is_host => Failure::usage(format!(
            "`{argument}` is neither a URL nor a file that is here; for the site, write https://{argument}"
        )),
        ErrorKind::NotFound => Failure::not_loaded(format!("`{argument}`: there is no such file or folder")),
        _ => Failure::not_loaded(format!("`{argument}` cannot be read: {error}")),
    })?;
    let unreadable = |error| Failure::not_loaded(format!("`{argument}` cannot be read: {error}"));
    let metadata = fs::metadata(&canonical).map_err(unreadable)?;
    let (folder, path) = if metadata.is_dir() {
        fs::read_dir(&canonical).map_err(unreadable)?;
        if !canonical.join(INDEX).is_file() {
            return Err(Failure::not_loaded(format!(
                "`{argument}` is a folder without {INDEX}; name one of its files"
            )));
        }
        (canonical, "/".to_owned())
    } else {
        fs::File::open(&canonical).map_err(unreadable)?;
        let name = canonical
            .file_name()
            .and_then(|name| name.to_str())
            .ok_or_else(|| {
                Failure::not_loaded(format!("`{argument}`: the name of the file is not Unicode"))
            })?;
        let target = format!("/{}", utf8_percent_encode(name, PATH_SEGMENT));
        let folder = canonical
            .parent()
            .ok_or_else(|| Failure::not_loaded(format!("`{argument}` is in no folder")))?;
        (folder.to_owned(), target)
    };
    Ok(Source::Local {
        content: Content::Folder(folder),
        target: format!("{path}{suffix}"),
    })
}

/// Whether someone who typed this is likely to mean a site: a name with a dot in it that no file of the web would have.
fn looks_like_host(argument: &str) -> bool {
    const PAGE_EXTENSIONS: [&str; 6] = ["html", "htm", "xhtml", "xht", "svg", "xml"];
    let (path, _) = split_suffix(argument);
    let (host, _) = path.split_once('/').unwrap_or((path, ""));
    let is_host_name = host.split('.').all(|label| {
        !label.is_empty()
            && label
                .chars()
                .all(|character| character.is_alphanumeric() || character == '-')
    });
    let is_page = |name: &str| {
        name.rsplit_once('.').is_some_and(|(_, extension)| {
            PAGE_EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
        })
    };
    host.contains('.') && is_host_name && !is_page(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Status;

    /// A folder with a few pages.
    fn site() -> tempfile::TempDir {
        let site = tempfile::tempdir().expect("a folder can be made");
        for name in ["index.html", "page one.html", "odd?name#1.html"] {
            fs::write(site.path().join(name), "<!doctype html>").expect("a file can be written");
        }
        fs::create_dir(site.path().join("empty")).expect("a folder can be made");
        site
    }

    #[track_caller]
    fn check_local(argument: &str, folder: &Path, expected: &str) {
        match Source::parse(argument) {
            Ok(Source::Local {
                content: Content::Folder(served),
                target,
            }) => {
                assert_eq!(
                    served,
                    fs::canonicalize(folder).expect("the folder is there")
                );
                assert_eq!(target, expected);
            }
            other => panic!("{argument}: {other:?}"),
        }
    }

    #[track_caller]
    fn check_failure(argument: &str, status: Status, part: &str) {
        let failure = Source::parse(argument).expect_err("it must not parse");
        assert_eq!(failure.status, status, "{argument}: {}", failure.message);
        assert!(
            failure.message.contains(part),
            "{argument}: {}",
            failure.message
        );
    }

    /// Checks that what is said of an address holds neither the password in it nor all of it.
    #[track_caller]
    fn check_shown_in_short(address: &str) {
        for failure in [Source::parse(address), Source::parse_remote(address)] {
            let message = failure.expect_err("it must be refused").message;
            assert!(!message.contains("secret"), "{message}");
            assert!(message.len() < 1000, "{} bytes", message.len());
        }
    }

    #[test]
    fn urls_of_the_web_are_taken_as_they_are() {
        for url in [
            "https://example.com/a?b#c",
            "http://localhost:8080/",
            "HTTPS://EXAMPLE.COM/",
        ] {
            assert!(
                matches!(Source::parse(url), Ok(Source::Remote(parsed)) if parsed == Url::parse(url).expect("it is a URL"))
            );
        }
        check_failure("https://", Status::Usage, "not a URL");
        check_failure("http://a b/", Status::Usage, "not a URL");
    }

    #[test]
    fn other_schemes_are_refused() {
        for url in [
            "data:text/html,hi",
            "javascript:alert(1)",
            "about:blank",
            "ftp://a/",
        ] {
            check_failure(url, Status::Usage, "only http:, https:, file: and demo:");
        }
    }

    #[test]
    fn an_address_that_is_refused_is_told_in_short_and_without_its_password() {
        check_shown_in_short("https://ada:secret@ho st/");
        check_shown_in_short("ada:secret@host.example");
        check_shown_in_short("ftp://ada:secret@host.example/");
        let long = "a".repeat(1_000_000);
        for address in [
            format!("https://ho st/{long}"),
            format!("ftp://host.example/{long}"),
            format!("host.example/{long}"),
            format!("localhost:8080/{long}"),
            format!("/{long}"),
            format!("demo:{long}"),
            format!("file://server/{long}"),
        ] {
            check_shown_in_short(&address);
        }
    }

    #[test]
    fn a_forgotten_scheme_is_explained() {
        check_failure("localhost:8080/x", Status::Usage, "http://localhost:8080/x");
        check_failure("example.com", Status::Usage, "https://example.com");
        check_failure(
            "www.example.com/shop",
            Status::Usage,
            "https://www.example.com/shop",
        );
    }

    #[test]
    fn what_is_not_there_is_said_so() {
        check_failure("", Status::Usage, "empty");
        for path in [
            "no-such-page.html",
            "./example.com",
            "no/such/page",
            "nothing",
            "page.html?x=1",
        ] {
            check_failure(path, Status::NotLoaded, "no such file or folder");
        }
    }

    #[test]
    fn a_folder_means_its_index() {
        let site = site();
        let path = site.path().to_str().expect("the path is Unicode");
        check_local(path, site.path(), "/");
        check_local(&format!("{path}/?mode=2#top"), site.path(), "/?mode=2#top");
        check_failure(
            &format!("{path}/empty"),
            Status::NotLoaded,
            "folder without index.html",
        );
    }

    #[test]
    fn a_file_is_served_with_its_folder() {
        let site = site();
        let page = site.path().join("page one.html");
        let path = page.to_str().expect("the path is Unicode");
        check_local(path, site.path(), "/page%20one.html");
        check_local(&format!("{path}?a=b"), site.path(), "/page%20one.html?a=b");
        let mut url = Url::from_file_path(&page).expect("the path is absolute");
        url.set_query(Some("a=b"));
        url.set_fragment(Some("c"));
        check_local(url.as_str(), site.path(), "/page%20one.html?a=b#c");
    }

    #[test]
    fn a_file_with_a_strange_name_is_found() {
        let site = site();
        let page = site.path().join("odd?name#1.html");
        check_local(
            page.to_str().expect("the path is Unicode"),
            site.path(),
            "/odd%3Fname%231.html",
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_to_the_folder_of_its_file() {
        let site = site();
        let elsewhere = tempfile::tempdir().expect("a folder can be made");
        let link = elsewhere.path().join("link.html");
        std::os::unix::fs::symlink(site.path().join("index.html"), &link)
            .expect("a link can be made");
        check_local(
            link.to_str().expect("the path is Unicode"),
            site.path(),
            "/index.html",
        );
    }

    #[test]
    fn a_file_url_of_another_machine_is_refused() {
        check_failure(
            "file://server/share/page.html",
            Status::Usage,
            "not name a file of this machine",
        );
    }

    #[test]
    fn demos_go_by_their_names() {
        for demo in demos::DEMOS {
            let source =
                Source::parse(&format!("demo:{}?x=1", demo.name)).expect("the demo is known");
            let Source::Local { content, target } = source else {
                panic!("not local: {source:?}");
            };
            assert_eq!(content, Content::Demos);
            assert_eq!(target, format!("/demo/{}/?x=1", demo.name));
        }
        check_failure("demo:", Status::NotLoaded, "demo:shop");
        check_failure("demo:sohp", Status::NotLoaded, "no demo `sohp`");
    }

    #[test]
    fn whoever_may_not_read_files_gets_to_pages_of_the_web_and_demos_only() {
        assert!(matches!(
            Source::parse_remote("HTTPS://example.com/a"),
            Ok(Source::Remote(url)) if url.as_str() == "https://example.com/a"
        ));
        assert!(matches!(
            Source::parse_remote("demo:shop?x=1"),
            Ok(Source::Local { content: Content::Demos, target }) if target == "/demo/shop/?x=1"
        ));
        let site = site();
        let file = site.path().join("index.html");
        let path = file.to_str().expect("the path is Unicode");
        let url = Url::from_file_path(&file).expect("the path is absolute");
        for (address, part) in [
            (path, "only whole http: and https: addresses"),
            (url.as_str(), "only whole http: and https: addresses"),
            (
                "/no/such/page.html",
                "only whole http: and https: addresses",
            ),
            (
                "javascript:alert(1)",
                "only whole http: and https: addresses",
            ),
            ("data:text/html,hi", "only whole http: and https: addresses"),
            ("about:blank", "only whole http: and https: addresses"),
            ("?page=2", "only whole http: and https: addresses"),
            ("", "only whole http: and https: addresses"),
            ("example.com", "https://example.com"),
            ("localhost:8080", "http://localhost:8080"),
            ("https://", "not a URL"),
            ("demo:sohp", "no demo `sohp`"),
        ] {
            let failure = Source::parse_remote(address).expect_err("it must be refused");
            assert!(
                failure.message.contains(part),
                "{address}: {}",
                failure.message
            );
        }
    }
}
