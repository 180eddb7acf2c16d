/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What a page may read that is opened from a file or folder: the files that are really inside one folder.
//!
//! Nothing above it, nothing that a link leads to outside, nothing whose name or way from the folder begins with a dot,
//! be it that of the address or that of the file; and if the user has said so, the files alone that are named.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tower::ServiceExt;
use tower_http::services::ServeFile;

/// What a folder shows when no file of it is named.
pub const INDEX: &str = "index.html";

/// The characters of a file name that may stand in the path of a URL as they are.
const PATH_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A folder, and which of its files may be read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Folder {
    /// Its canonical path.
    root: PathBuf,
    /// The canonical paths of the only files, or folders with all that is in them; without it, everything.
    only: Option<Vec<PathBuf>>,
}

/// What a path of a URL names.
#[derive(Debug, Eq, PartialEq)]
enum Lookup {
    /// A file; its canonical path.
    File(PathBuf),
    /// A folder with an index, named without the slash at the end, so that the links of the index would lead astray.
    /// The path with the slash, on this server.
    Folder(String),
    /// Nothing that may be served.
    Absent,
}

impl Folder {
    /// All of a folder, whose path is canonical.
    pub fn new(root: PathBuf) -> Self {
        Self { root, only: None }
    }

    /// Of the folder, what is named alone. The paths are canonical.
    pub fn narrow(&mut self, only: Vec<PathBuf>) {
        self.only = Some(only);
    }

    /// Whether a file is in the folder, hidden or not.
    pub fn holds(&self, canonical: &Path) -> bool {
        canonical.starts_with(&self.root)
    }

    /// The path of a URL for a file in the folder; none if it is not served because it is hidden, or if no URL can name
    /// it.
    pub fn url_path(&self, canonical: &Path) -> Option<String> {
        let segments = canonical
            .strip_prefix(&self.root)
            .ok()?
            .components()
            .map(|component| component.as_os_str().to_str())
            .collect::<Option<Vec<_>>>()?;
        self.serves(canonical).then(|| path_of(&segments))
    }

    /// Whether what is at a canonical path may be read.
    fn serves(&self, canonical: &Path) -> bool {
        let is_hidden =
            |component: Component| component.as_os_str().as_encoded_bytes().starts_with(b".");
        let is_named = |only: &Vec<PathBuf>| only.iter().any(|named| canonical.starts_with(named));
        canonical
            .strip_prefix(&self.root)
            .is_ok_and(|way| !way.components().any(is_hidden))
            && self.only.as_ref().is_none_or(is_named)
    }

    fn find(&self, url_path: &str) -> Lookup {
        self.find_served(url_path).unwrap_or(Lookup::Absent)
    }

    fn find_served(&self, url_path: &str) -> Option<Lookup> {
        let decoded = percent_decode_str(url_path).decode_utf8().ok()?;
        let mut path = self.root.clone();
        let mut segments = Vec::new();
        for component in Path::new(decoded.trim_start_matches('/')).components() {
            match component {
                Component::Normal(name) if !name.as_encoded_bytes().starts_with(b".") => {
                    path.push(name);
                    segments.push(name.to_str()?);
                }
                Component::CurDir => {}
                _ => return None,
            }
        }
        // This follows all links, so a look at the result tells where they led; it fails if nothing is there.
        let canonical = path.canonicalize().ok()?;
        let wants_folder = decoded.ends_with('/');
        if canonical.is_file() && !wants_folder {
            return self.serves(&canonical).then_some(Lookup::File(canonical));
        }
        let index = canonical.join(INDEX).canonicalize().ok()?;
        if !index.is_file() || !self.serves(&index) {
            return None;
        }
        Some(if wants_folder {
            Lookup::File(index)
        } else {
            Lookup::Folder(format!("{}/", path_of(&segments)))
        })
    }
}

/// The path of a URL that has these segments. It begins with one slash: with two it would name a host.
fn path_of(segments: &[&str]) -> String {
    let segments: Vec<String> = segments
        .iter()
        .map(|segment| utf8_percent_encode(segment, PATH_SEGMENT).to_string())
        .collect();
    format!("/{}", segments.join("/"))
}

/// Serves the folder.
pub fn router(folder: Folder) -> Router {
    Router::new()
        .fallback(serve_file)
        .with_state(Arc::new(folder))
}

async fn serve_file(State(folder): State<Arc<Folder>>, uri: Uri, request: Request) -> Response {
    let lookup = tokio::task::spawn_blocking({
        let path = uri.path().to_owned();
        move || folder.find(&path)
    });
    match lookup.await.unwrap_or(Lookup::Absent) {
        Lookup::File(path) => match ServeFile::new(path).oneshot(request).await {
            Ok(response) => response.map(Body::new),
            Err(never) => match never {},
        },
        Lookup::Folder(path) => {
            let query = uri
                .query()
                .map(|query| format!("?{query}"))
                .unwrap_or_default();
            Redirect::permanent(&format!("{path}{query}")).into_response()
        }
        Lookup::Absent => (StatusCode::NOT_FOUND, "there is no such file").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use axum::http::{header, request::Builder};
    use http_body_util::BodyExt;
    use tempfile::TempDir;

    use super::*;

    /// A folder `site` with pages, and a secret beside it.
    fn files() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let site = folder.path().join("site");
        fs::create_dir_all(site.join("sub/bare")).expect("folders can be made");
        for (name, text) in [
            ("site/index.html", "<title>index</title>"),
            ("site/sub/index.html", "<title>sub</title>"),
            ("site/data.json", "{}"),
            ("site/a b.txt", "0123456789"),
            ("site/.env", "hidden"),
            ("secret.txt", "secret"),
        ] {
            fs::write(folder.path().join(name), text).expect("a file can be written");
        }
        let root = site.canonicalize().expect("the folder is there");
        (folder, root)
    }

    fn get(path: &str) -> Builder {
        Request::builder().uri(path)
    }

    async fn answer(root: &Path, request: Builder) -> Response {
        answer_of(Folder::new(root.to_owned()), request).await
    }

    async fn answer_of(folder: Folder, request: Builder) -> Response {
        let request = request
            .body(Body::empty())
            .expect("the request is well-formed");
        router(folder)
            .oneshot(request)
            .await
            .unwrap_or_else(|never| match never {})
    }

    async fn text(response: Response) -> String {
        let bytes = response
            .into_body()
            .collect()
            .await
            .expect("the body arrives")
            .to_bytes();
        String::from_utf8(bytes.to_vec()).expect("the body is text")
    }

    #[tokio::test]
    async fn files_come_with_their_types() {
        let (_folder, root) = files();
        for (path, kind, body) in [
            ("/", "text/html", "<title>index</title>"),
            ("/index.html?x=1", "text/html", "<title>index</title>"),
            ("/sub/", "text/html", "<title>sub</title>"),
            ("/data.json", "application/json", "{}"),
            ("/a%20b.txt", "text/plain", "0123456789"),
        ] {
            let response = answer(&root, get(path)).await;
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            assert_eq!(response.headers()[header::CONTENT_TYPE], kind, "{path}");
            assert_eq!(text(response).await, body, "{path}");
        }
    }

    #[tokio::test]
    async fn a_part_of_a_file_can_be_had() {
        let (_folder, root) = files();
        let response = answer(&root, get("/a%20b.txt").header(header::RANGE, "bytes=2-4")).await;
        assert_eq!(response.status(), StatusCode::PARTIAL_CONTENT);
        assert_eq!(text(response).await, "234");
    }

    #[tokio::test]
    async fn a_folder_without_its_slash_is_redirected() {
        let (_folder, root) = files();
        let response = answer(&root, get("/sub?x=1")).await;
        assert_eq!(response.status(), StatusCode::PERMANENT_REDIRECT);
        assert_eq!(response.headers()[header::LOCATION], "/sub/?x=1");
    }

    #[tokio::test]
    async fn what_is_not_there_is_not_found() {
        let (_folder, root) = files();
        for path in [
            "/nothing",
            "/sub/bare/",
            "/sub/bare",
            "/index.html/",
            "/%ff",
            "/a%00b",
        ] {
            assert_eq!(
                answer(&root, get(path)).await.status(),
                StatusCode::NOT_FOUND,
                "{path}"
            );
        }
    }

    #[tokio::test]
    async fn nothing_outside_the_folder_and_nothing_hidden_is_served() {
        let (_folder, root) = files();
        for path in [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/sub/../../secret.txt",
            "/..%2fsecret.txt",
            "/sub/..%2f..%2fsecret.txt",
            "/.env",
            "/%2eenv",
            "//etc/passwd",
            "/%2fetc/passwd",
            "/%2e/%2e%2e/secret.txt",
        ] {
            assert_eq!(
                answer(&root, get(path)).await.status(),
                StatusCode::NOT_FOUND,
                "{path}"
            );
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn links_are_followed_inside_the_folder_only() {
        use std::os::unix::fs::symlink;

        let (folder, root) = files();
        symlink(root.join("data.json"), root.join("inside.json")).expect("a link can be made");
        symlink(folder.path().join("secret.txt"), root.join("outside.txt"))
            .expect("a link can be made");
        symlink(folder.path(), root.join("up")).expect("a link can be made");
        symlink(root.join(".env"), root.join("env.txt")).expect("a link can be made");
        fs::create_dir(root.join(".git")).expect("a folder can be made");
        fs::write(root.join(".git/index.html"), "hidden").expect("a file can be written");
        symlink(root.join(".git"), root.join("git")).expect("a link can be made");
        for (path, status) in [
            ("/inside.json", StatusCode::OK),
            ("/outside.txt", StatusCode::NOT_FOUND),
            ("/up/secret.txt", StatusCode::NOT_FOUND),
            ("/up/site/data.json", StatusCode::OK),
            ("/env.txt", StatusCode::NOT_FOUND),
            ("/git/", StatusCode::NOT_FOUND),
            ("/git/index.html", StatusCode::NOT_FOUND),
            ("/git", StatusCode::NOT_FOUND),
        ] {
            assert_eq!(answer(&root, get(path)).await.status(), status, "{path}");
        }
    }

    #[tokio::test]
    async fn a_redirect_stays_on_this_server() {
        let (_folder, root) = files();
        fs::create_dir(root.join("\\evil.example")).expect("a folder can be made");
        fs::write(root.join("\\evil.example/index.html"), "").expect("a file can be written");
        for (path, location) in [
            ("//sub", "/sub/"),
            ("///sub?x=//y", "/sub/?x=//y"),
            ("/%2fsub", "/sub/"),
            ("/./sub", "/sub/"),
            ("/%5cevil.example", "/%5Cevil.example/"),
        ] {
            let response = answer(&root, get(path)).await;
            assert_eq!(response.status(), StatusCode::PERMANENT_REDIRECT, "{path}");
            assert_eq!(response.headers()[header::LOCATION], location, "{path}");
        }
    }

    #[tokio::test]
    async fn of_a_narrowed_folder_only_what_is_named_is_served() {
        let (_folder, root) = files();
        fs::write(root.join("sub/a.js"), "").expect("a file can be written");
        let mut folder = Folder::new(root.clone());
        folder.narrow(vec![root.join("data.json"), root.join("sub")]);
        for (path, status) in [
            ("/data.json", StatusCode::OK),
            ("/sub/", StatusCode::OK),
            ("/sub/a.js", StatusCode::OK),
            ("/", StatusCode::NOT_FOUND),
            ("/index.html", StatusCode::NOT_FOUND),
            ("/a%20b.txt", StatusCode::NOT_FOUND),
        ] {
            let response = answer_of(folder.clone(), get(path)).await;
            assert_eq!(response.status(), status, "{path}");
        }
    }

    #[test]
    fn the_address_of_a_file_is_its_way_from_the_folder() {
        let folder = Folder::new("/site".into());
        for (file, path) in [
            ("/site/a b/c?.html", Some("/a%20b/c%3F.html")),
            ("/site/.git/x.html", None),
            ("/site/a/.x.html", None),
            ("/other/x.html", None),
        ] {
            assert_eq!(folder.url_path(Path::new(file)).as_deref(), path, "{file}");
        }
    }
}
