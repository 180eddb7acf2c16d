/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The page as resources.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ErrorCode, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
};

use super::calls::ECHO;
use super::handler::FRESH;
use super::listing::listing;
use super::state::{Connection, State};
use crate::address::without_credentials;
use crate::text::{cut, shorten};
use crate::{Page, PageError};

/// A resource. Each is about the page that is there when it is read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum PageResource {
    Text,
    Html,
    Screenshot,
    Tools,
    Log,
}

impl PageResource {
    pub(super) const ALL: [PageResource; 5] = [
        PageResource::Text,
        PageResource::Html,
        PageResource::Screenshot,
        PageResource::Tools,
        PageResource::Log,
    ];

    pub(super) fn uri(self) -> &'static str {
        match self {
            PageResource::Text => "page://current/text",
            PageResource::Html => "page://current/html",
            PageResource::Screenshot => "page://current/screenshot",
            PageResource::Tools => "page://current/tools",
            PageResource::Log => "page://current/log",
        }
    }

    pub(super) fn from_uri(uri: &str) -> Result<PageResource, ErrorData> {
        PageResource::ALL
            .into_iter()
            .find(|resource| resource.uri() == uri)
            .ok_or_else(|| {
                let known = PageResource::ALL.map(PageResource::uri).join(", ");
                ErrorData::resource_not_found(
                    format!(
                        "There is no resource \"{}\". There are: {known}",
                        shorten(&without_credentials(uri), ECHO)
                    ),
                    None,
                )
            })
    }

    fn mime_type(self) -> &'static str {
        match self {
            PageResource::Text => "text/plain",
            PageResource::Html => "text/html",
            PageResource::Screenshot => "image/png",
            PageResource::Tools => "application/json",
            PageResource::Log => "application/jsonl",
        }
    }

    fn describe(self) -> Resource {
        let (name, title, description) = match self {
            PageResource::Text => (
                "text",
                "Text of the page",
                "The text of the top-level document as somebody would see it.",
            ),
            PageResource::Html => (
                "html",
                "Markup of the page",
                "The markup of the top-level document as it is now.",
            ),
            PageResource::Screenshot => (
                "screenshot",
                "Picture of the page",
                "What the page looks like now.",
            ),
            PageResource::Tools => (
                "tools",
                "Tools of the page",
                "The tools that the page offers, with their schemas and origins.",
            ),
            PageResource::Log => (
                "log",
                "Calls",
                "The last calls of the page's tools by any client, one JSON object a line.",
            ),
        };
        Resource::new(self.uri(), name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(self.mime_type())
    }

    /// Whether clients that subscribed to it are to be told. Scripts change texts and pictures all the time; that is
    /// not told, only that another document has loaded.
    pub(super) fn has_changed(self, before: State, now: State) -> bool {
        let another_document = now.changes.documents != before.changes.documents;
        match self {
            PageResource::Text | PageResource::Html | PageResource::Screenshot => another_document,
            PageResource::Tools => another_document || now.changes.tools != before.changes.tools,
            PageResource::Log => now.calls != before.calls,
        }
    }
}

pub(super) fn list_resources() -> ListResourcesResult {
    let resources = PageResource::ALL.map(PageResource::describe).into();
    ListResourcesResult::with_all_items(resources)
        .with_ttl_ms(FRESH)
        .with_cache_scope(CacheScope::Private)
}

impl<P: Page> Connection<P> {
    pub(super) async fn read_resource_at(
        &self,
        uri: &str,
    ) -> Result<ReadResourceResult, ErrorData> {
        let resource = PageResource::from_uri(uri)?;
        let shared = &self.shared;
        let text = |text: String| {
            let text = cut(text, shared.options.result_limit);
            ResourceContents::text(text, uri).with_mime_type(resource.mime_type())
        };
        let contents = match resource {
            PageResource::Text => text(shared.in_time(shared.page.text()).await.map_err(unread)?),
            PageResource::Html => text(shared.in_time(shared.page.html()).await.map_err(unread)?),
            PageResource::Screenshot => {
                let picture = shared.in_time(shared.page.screenshot()).await;
                let picture = STANDARD.encode(picture.map_err(unread)?);
                ResourceContents::blob(picture, uri).with_mime_type(resource.mime_type())
            }
            PageResource::Tools => {
                let tools = shared.tools().await.map_err(unread)?;
                // Not cut: half a JSON text is none.
                ResourceContents::text(listing(&tools).to_string(), uri)
                    .with_mime_type(resource.mime_type())
            }
            PageResource::Log => ResourceContents::text(shared.options.call_log.lines(), uri)
                .with_mime_type(resource.mime_type()),
        };
        Ok(ReadResourceResult::new(vec![contents])
            .with_ttl_ms(FRESH)
            .with_cache_scope(CacheScope::Private))
    }
}

fn unread(error: PageError) -> ErrorData {
    ErrorData::new(ErrorCode::INTERNAL_ERROR, error.message, None)
}
