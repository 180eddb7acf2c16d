/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::collections::{HashMap, HashSet};

use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::status::StatusCode;
use url::Url;

/// What stands at the top of every page of [`Site::page`].
const PREAMBLE: &str = "<!DOCTYPE html><meta charset=utf-8><script src=/harness.js></script><body>";

/// An answer to a request.
#[derive(Clone, Debug)]
pub struct Resource {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Resource {
    /// A resource with nothing in it that this crate has added.
    pub fn new(content_type: &'static str, body: impl Into<Vec<u8>>) -> Resource {
        Resource {
            status: StatusCode::OK,
            headers: HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(content_type))]),
            body: body.into(),
        }
    }

    /// With one more header. A name that is there already gets one more line.
    pub fn header(mut self, name: &'static str, value: &'static str) -> Resource {
        self.headers.append(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
        self
    }

    fn not_found() -> Resource {
        Resource {
            status: StatusCode::NOT_FOUND,
            ..Resource::new("text/plain", "Not found")
        }
    }
}

/// What the addresses of all origins answer.
///
/// Every origin has an empty page at `/` and another at `/frame`, since a frame cannot have the address of a document
/// above it; both for whatever query. The helpers for scripts are at `/harness.js`. What is not named answers 404;
/// nothing but [`Site::reachable`] addresses is asked of a network.
#[derive(Clone, Debug)]
pub struct Site {
    resources: HashMap<Url, Resource>,
    of_every_origin: HashMap<&'static str, Resource>,
    reachable: HashSet<Url>,
}

impl Default for Site {
    fn default() -> Self {
        let of_every_origin = HashMap::from([
            ("/", Resource::new("text/html", PREAMBLE)),
            ("/frame", Resource::new("text/html", PREAMBLE)),
            (
                "/harness.js",
                Resource::new("text/javascript", include_str!("harness.js")),
            ),
        ]);
        Site {
            resources: HashMap::new(),
            of_every_origin,
            reachable: HashSet::new(),
        }
    }
}

impl Site {
    /// Add a page whose body is `html`, with the helpers.
    pub fn page(self, url: &str, html: &str) -> Site {
        self.page_with_headers(url, &[], html)
    }

    /// Add a page as [`Self::page`] does, with these headers. Their names are in lower case.
    pub fn page_with_headers(
        self,
        url: &str,
        headers: &[(&'static str, &'static str)],
        html: &str,
    ) -> Site {
        let page = Resource::new("text/html", format!("{PREAMBLE}{html}"));
        let page = headers
            .iter()
            .fold(page, |page, (name, value)| page.header(name, value));
        self.resource(url, page)
    }

    /// Add any resource.
    pub fn resource(mut self, url: &str, resource: Resource) -> Site {
        self.resources.insert(parse(url), resource);
        self
    }

    /// Let an address be asked of the network, which in tests is one of this machine's own servers.
    pub fn reachable(mut self, url: &str) -> Site {
        self.reachable.insert(parse(url));
        self
    }

    /// The answer for an address, or `None` if it is to come from the network.
    pub(crate) fn answer(&self, url: &Url) -> Option<Resource> {
        let mut url = url.clone();
        url.set_fragment(None);
        if self.reachable.contains(&url) {
            return None;
        }
        let resource = self
            .resources
            .get(&url)
            .or_else(|| self.of_every_origin.get(url.path()));
        Some(resource.cloned().unwrap_or_else(Resource::not_found))
    }
}

fn parse(url: &str) -> Url {
    Url::parse(url).unwrap_or_else(|error| panic!("{url} is no URL: {error}"))
}
