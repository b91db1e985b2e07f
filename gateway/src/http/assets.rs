//! The page and its files, from inside the binary, compressed when it was built. A file with a hash
//! in its name may be kept for ever; the page itself never.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use bytes::Bytes;
use http::header::{self, HeaderMap};
use http::{HeaderValue, StatusCode};

use super::{Edge, answer};

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// As the build script writes it. An empty compressed form: it doesn't pay.
struct Embedded {
    path: &'static str,
    hash: &'static str,
    identity: &'static [u8],
    brotli: &'static [u8],
    gzip: &'static [u8],
}

/// What is served, by path (`index.html`, `assets/…`).
#[derive(Default)]
pub struct Assets {
    files: BTreeMap<Box<str>, File>,
}

struct File {
    media_type: &'static str,
    hash: Box<str>,
    identity: Bytes,
    brotli: Bytes,
    gzip: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Identity,
    Brotli,
    Gzip,
}

impl Assets {
    /// What the build script found.
    #[must_use]
    pub fn embedded() -> Self {
        let files = EMBEDDED.iter().map(|file| {
            let held = File {
                media_type: media_type(file.path),
                hash: file.hash.into(),
                identity: Bytes::from_static(file.identity),
                brotli: Bytes::from_static(file.brotli),
                gzip: Bytes::from_static(file.gzip),
            };
            (file.path.into(), held)
        });
        Self { files: files.collect() }
    }

    /// Adds a file as it is; the hash goes into its `ETag`.
    #[must_use]
    pub fn with(mut self, path: &str, hash: &str, content: impl Into<Bytes>) -> Self {
        let file = File {
            media_type: media_type(path),
            hash: hash.into(),
            identity: content.into(),
            brotli: Bytes::new(),
            gzip: Bytes::new(),
        };
        self.files.insert(path.into(), file);
        self
    }

    #[must_use]
    pub fn has_page(&self) -> bool {
        self.files.contains_key(PAGE)
    }
}

const PAGE: &str = "index.html";

const WITHOUT_PAGE: &str = "<!doctype html><html lang=\"en\"><title>Dogwatch</title>\
    <p>This gateway was built without the page: run <code>cargo xtask build</code>, or use <code>dogwatch tail</code>.";

pub(super) async fn page(State(edge): State<Arc<Edge>>, headers: HeaderMap) -> Response {
    match edge.assets.files.get(PAGE) {
        Some(file) => file.answer(&headers, "no-store"),
        None => answer::typed(StatusCode::SERVICE_UNAVAILABLE, "text/html; charset=utf-8", WITHOUT_PAGE),
    }
}

/// The live table for other people's pages, under a name that stays.
pub(super) async fn element(State(edge): State<Arc<Edge>>, headers: HeaderMap) -> Response {
    named(&edge, "element.js", &headers)
}

/// A plain page that holds two of them.
pub(super) async fn embed(State(edge): State<Arc<Edge>>, headers: HeaderMap) -> Response {
    named(&edge, "embed.html", &headers)
}

fn named(edge: &Edge, name: &str, headers: &HeaderMap) -> Response {
    edge.assets.files.get(name).map_or_else(answer::not_found, |file| file.answer(headers, "no-store"))
}

pub(super) async fn asset(
    State(edge): State<Arc<Edge>>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Response {
    match edge.assets.files.get(format!("assets/{path}").as_str()) {
        Some(file) => file.answer(&headers, "public, max-age=31536000, immutable"),
        None => answer::not_found(),
    }
}

/// Browsers ask for it on their own; the page names its icon itself.
pub(super) async fn icon() -> Response {
    answer::text(StatusCode::NO_CONTENT, "")
}

impl File {
    fn answer(&self, asked: &HeaderMap, cache_control: &'static str) -> Response {
        let coding = self.coding(asked);
        let etag = format!("\"{}{}\"", self.hash, coding.suffix());
        let known = asked
            .get_all(header::IF_NONE_MATCH)
            .iter()
            .any(|value| value.to_str().is_ok_and(|text| text.split(',').any(|tag| tag.trim() == etag)));
        let mut response = if known {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            answer::typed(StatusCode::OK, self.media_type, self.body(coding))
        };
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache_control));
        headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        if let Ok(etag) = HeaderValue::from_str(&etag) {
            headers.insert(header::ETAG, etag);
        }
        if let Some(name) = coding.name() {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        response
    }

    fn coding(&self, asked: &HeaderMap) -> Coding {
        if !self.brotli.is_empty() && accepts(asked, "br") {
            Coding::Brotli
        } else if !self.gzip.is_empty() && accepts(asked, "gzip") {
            Coding::Gzip
        } else {
            Coding::Identity
        }
    }

    fn body(&self, coding: Coding) -> Bytes {
        match coding {
            Coding::Identity => self.identity.clone(),
            Coding::Brotli => self.brotli.clone(),
            Coding::Gzip => self.gzip.clone(),
        }
    }
}

impl Coding {
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
        }
    }

    /// Each form is a representation of its own (RFC 9110, 8.8.3.3).
    fn suffix(self) -> &'static str {
        match self {
            Self::Identity => "",
            Self::Brotli => "-br",
            Self::Gzip => "-gz",
        }
    }
}

/// Named, and not with a weight of zero. `*` is not taken for a promise.
fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let lists = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|item| {
        let mut parts = item.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(coding));
        named && !parts.any(|part| part.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0_f32)))
    })
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" => "application/json",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn the_best_form_that_the_browser_takes_is_sent() {
        let file = File {
            media_type: "text/css",
            hash: "h".into(),
            identity: "long".into(),
            brotli: "b".into(),
            gzip: "g".into(),
        };
        for (accepted, expected) in [
            ("gzip, deflate, br, zstd", Coding::Brotli),
            ("gzip", Coding::Gzip),
            ("br;q=0, gzip;q=0.5", Coding::Gzip),
            ("BR", Coding::Brotli),
            ("broken", Coding::Identity),
            ("*", Coding::Identity),
            ("", Coding::Identity),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            assert_eq!(file.coding(&headers), expected, "{accepted:?}");
        }
    }
}
