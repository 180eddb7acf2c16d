/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

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

fn parse(argument: &str) -> Result<Source> {
    Source::parse(argument, &FileOptions::default())
}

/// A folder `site` with a page in `pages`, which uses what is beside that.
fn site_with_shared_files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let site = folder.path().join("site");
    for name in ["pages/index.html", "shared/a.js", ".git/page.html"] {
        let file = site.join(name);
        fs::create_dir_all(file.parent().expect("it is in one")).expect("a folder can be made");
        fs::write(file, "").expect("a file can be written");
    }
    folder
}

#[track_caller]
fn check_local(argument: &str, folder: &Path, expected: &str) {
    match parse(argument) {
        Ok(Source::Local {
            content: Content::Folder(served),
            target,
        }) => {
            assert_eq!(
                served,
                Folder::new(fs::canonicalize(folder).expect("the folder is there"))
            );
            assert_eq!(target, expected);
        }
        other => panic!("{argument}: {other:?}"),
    }
}

#[track_caller]
fn check_failure(argument: &str, status: Status, part: &str) {
    let failure = parse(argument).expect_err("it must not parse");
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
    for failure in [parse(address), Source::parse_remote(address)] {
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
            matches!(parse(url), Ok(Source::Remote(parsed)) if parsed == Url::parse(url).expect("it is a URL"))
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
    std::os::unix::fs::symlink(site.path().join("index.html"), &link).expect("a link can be made");
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
        let source = parse(&format!("demo:{}?x=1", demo.name)).expect("the demo is known");
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

#[test]
fn the_folder_that_is_served_can_be_widened() {
    let folder = site_with_shared_files();
    let site = folder.path().join("site");
    let files = FileOptions {
        root: Some(site.clone()),
        ..FileOptions::default()
    };
    for (name, expected) in [
        ("pages", "/pages/"),
        ("pages/index.html?x=1", "/pages/index.html?x=1"),
    ] {
        let page = site.join(name);
        let source = Source::parse(page.to_str().expect("the path is Unicode"), &files)
            .unwrap_or_else(|failure| panic!("{}", failure.message));
        let Source::Local { content, target } = source else {
            panic!("not local: {source:?}");
        };
        let root = fs::canonicalize(&site).expect("the folder is there");
        assert_eq!(content, Content::Folder(Folder::new(root)));
        assert_eq!(target, expected);
    }
}

#[test]
fn options_about_files_must_fit_the_page() {
    let folder = site_with_shared_files();
    let site = folder.path().join("site");
    let page = site.join("pages");
    let page = page.to_str().expect("the path is Unicode");
    let hidden = site.join(".git/page.html");
    let hidden = hidden.to_str().expect("the path is Unicode");
    let root = |path: &str| FileOptions {
        root: Some(site.join(path)),
        ..FileOptions::default()
    };
    let only = |path: &str| FileOptions {
        only: vec![site.join(path)],
        ..FileOptions::default()
    };
    for (argument, files, status, part) in [
        (page, root("shared"), Status::Usage, "is not inside --root"),
        (page, root("none"), Status::Usage, "--root"),
        (
            page,
            only("shared/a.js"),
            Status::Usage,
            "widen that with --root",
        ),
        (page, only("none.js"), Status::Usage, "--only"),
        (hidden, root(""), Status::NotLoaded, "begins with a dot"),
        ("demo:shop", root(""), Status::Usage, "--root and --only"),
        (
            "http://a.example/",
            only("pages"),
            Status::Usage,
            "--root and --only",
        ),
    ] {
        let failure = Source::parse(argument, &files).expect_err("it must be refused");
        assert_eq!(failure.status, status, "{}", failure.message);
        assert!(failure.message.contains(part), "{}", failure.message);
    }
}
