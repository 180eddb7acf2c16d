/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the URL argument means: a page on the web, a file or folder, or a page that is built in.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use modelcontext_mcp::shown_address;
use url::Url;

use crate::cli::FileOptions;
use crate::demos;
use crate::exit::{Failure, Result};
use crate::folder::{Folder, INDEX};

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
    /// Files of a folder.
    Folder(Folder),
    /// The pages that are built in.
    Demos,
}

impl Source {
    /// Finds out what `argument` means; `files` says what a page may read that is a file.
    ///
    /// A failure is one of usage when the argument has no meaning, and one of loading when it names something that is
    /// not there.
    pub fn parse(argument: &str, files: &FileOptions) -> Result<Self> {
        let source = Self::parse_any(argument, files)?;
        let is_file = matches!(
            source,
            Self::Local {
                content: Content::Folder(_),
                ..
            }
        );
        if !is_file && files.are_given() {
            return Err(Failure::usage(format!(
                "`{}` is no file or folder; only what is has use for --root and --only",
                shown_address(argument)
            )));
        }
        Ok(source)
    }

    fn parse_any(argument: &str, files: &FileOptions) -> Result<Self> {
        if let Some(rest) = argument.strip_prefix("demo:") {
            return parse_demo(rest);
        }
        if let Some((scheme, rest)) = split_scheme(argument) {
            return match scheme.to_ascii_lowercase().as_str() {
                "http" | "https" => parse_web(argument),
                "file" => parse_file_url(argument, files),
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
        parse_path(argument, files)
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

fn parse_file_url(argument: &str, files: &FileOptions) -> Result<Source> {
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
    local(&path, &suffix, argument, files)
}

/// A path, perhaps with a query or fragment. A file whose name holds `?` or `#` goes before that reading.
fn parse_path(argument: &str, files: &FileOptions) -> Result<Source> {
    let (path, suffix) = split_suffix(argument);
    if suffix.is_empty() || Path::new(argument).exists() {
        return local(Path::new(argument), "", argument, files);
    }
    local(Path::new(path), suffix, argument, files)
}

/// `text` without its query and fragment, and those.
fn split_suffix(text: &str) -> (&str, &str) {
    text.split_at(text.find(['?', '#']).unwrap_or(text.len()))
}

fn local(path: &Path, suffix: &str, argument: &str, files: &FileOptions) -> Result<Source> {
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
    let is_folder = fs::metadata(&canonical).map_err(unreadable)?.is_dir();
    let page = if is_folder {
        fs::read_dir(&canonical).map_err(unreadable)?;
        index_of(&canonical).ok_or_else(|| {
            Failure::not_loaded(format!(
                "`{argument}` is a folder without {INDEX}; name one of its files"
            ))
        })?
    } else {
        fs::File::open(&canonical).map_err(unreadable)?;
        canonical.clone()
    };
    let parent = if is_folder {
        Some(canonical.as_path())
    } else {
        canonical.parent()
    };
    let folder = folder_of(&page, parent, &argument, files)?;
    let path = folder.url_path(&canonical).ok_or_else(|| {
        Failure::not_loaded(format!(
            "`{argument}` has a name that begins with a dot or is not Unicode, and such files are not opened"
        ))
    })?;
    let slash = if is_folder && path != "/" { "/" } else { "" };
    Ok(Source::Local {
        content: Content::Folder(narrowed(folder, page, files)?),
        target: format!("{path}{slash}{suffix}"),
    })
}

/// The file that a folder shows.
fn index_of(folder: &Path) -> Option<PathBuf> {
    let index = folder.join(INDEX).canonicalize().ok();
    index.filter(|index| index.is_file())
}

/// The folder that is served with the page: the one that the user has named, or its `parent`.
fn folder_of(
    page: &Path,
    parent: Option<&Path>,
    argument: &str,
    files: &FileOptions,
) -> Result<Folder> {
    let Some(root) = &files.root else {
        return parent
            .map(|parent| Folder::new(parent.to_owned()))
            .ok_or_else(|| Failure::not_loaded(format!("`{argument}` is in no folder")));
    };
    let folder = Folder::new(existing("--root", root)?);
    if folder.holds(page) {
        Ok(folder)
    } else {
        Err(Failure::usage(format!(
            "`{argument}` is not inside --root {}; name a folder that holds it",
            root.display()
        )))
    }
}

/// The folder with no other files than the page and those that the user has named, if any are.
fn narrowed(mut folder: Folder, page: PathBuf, files: &FileOptions) -> Result<Folder> {
    if files.only.is_empty() {
        return Ok(folder);
    }
    let mut only = vec![page];
    for named in &files.only {
        let canonical = existing("--only", named)?;
        if !folder.holds(&canonical) {
            return Err(Failure::usage(format!(
                "--only {} is not in the folder that is served; widen that with --root",
                named.display()
            )));
        }
        only.push(canonical);
    }
    folder.narrow(only);
    Ok(folder)
}

/// The canonical path of what an option names.
fn existing(option: &str, path: &Path) -> Result<PathBuf> {
    path.canonicalize()
        .map_err(|error| Failure::usage(format!("{option} {}: {error}", path.display())))
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
mod tests;
