//! The page and its files. They stand in the program, compressed when it was built. A browser may cache a
//! file with a hash in its name for ever, and the page itself never.

use std::borrow::Cow;
use std::collections::BTreeMap;

use axum::body::Body;
use axum::response::Response;
use http::header::{self, HeaderMap};
use http::{HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use super::answer;
use crate::address::BasePath;

/// One file, as the build script of the program writes it. A compressed form is empty if it isn't smaller.
#[derive(Clone)]
pub struct File {
    path: &'static str,
    hash: Cow<'static, str>,
    identity: Cow<'static, [u8]>,
    brotli: &'static [u8],
    gzip: &'static [u8],
}

/// The files that are served, by path (`index.html`, `assets/…`).
#[derive(Default)]
pub struct Assets {
    files: BTreeMap<&'static str, File>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Identity,
    Brotli,
    Gzip,
}

impl Assets {
    #[must_use]
    pub fn of(files: &[File]) -> Self {
        Self { files: files.iter().map(|file| (file.path, file.clone())).collect() }
    }

    /// Adds a file without compressed forms; the hash goes into its `ETag`.
    #[cfg(test)]
    pub(super) fn with(mut self, path: &'static str, hash: &'static str, content: &'static str) -> Self {
        let (hash, identity) = (hash.into(), content.as_bytes().into());
        let file = File { path, hash, identity, brotli: &[], gzip: &[] };
        self.files.insert(path, file);
        self
    }

    /// The files with this path in the addresses of the pages. Pages are small enough to be sent uncompressed.
    #[must_use]
    pub fn below(mut self, base: &BasePath) -> Self {
        if base.is_root() {
            return self;
        }
        for file in self.files.values_mut().filter(|file| media_type(file.path).starts_with("text/html")) {
            let page = base.rewrite(&String::from_utf8_lossy(&file.identity));
            let hash =
                Sha256::digest(&page).iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>();
            *file = File {
                hash: hash.into(),
                identity: page.into_bytes().into(),
                brotli: &[],
                gzip: &[],
                ..*file
            };
        }
        self
    }

    pub fn has_page(&self) -> bool {
        self.files.contains_key(PAGE)
    }

    pub(super) fn page(&self, asked: &HeaderMap) -> Response {
        match self.files.get(PAGE) {
            Some(file) => file.answer(asked, "no-store"),
            None => answer::typed(StatusCode::SERVICE_UNAVAILABLE, "text/html; charset=utf-8", WITHOUT_PAGE),
        }
    }

    /// A file whose name stays the same from build to build.
    pub(super) fn named(&self, name: &str, asked: &HeaderMap) -> Response {
        self.files.get(name).map_or_else(answer::not_found, |file| file.answer(asked, "no-store"))
    }

    /// A file with a hash in its name.
    pub(super) fn hashed(&self, path: &str, asked: &HeaderMap) -> Response {
        let file = self.files.get(format!("assets/{path}").as_str());
        let answer = |file: &File| file.answer(asked, "public, max-age=31536000, immutable");
        file.map_or_else(answer::not_found, answer)
    }
}

const PAGE: &str = "index.html";

const WITHOUT_PAGE: &str = "<!doctype html><html lang=\"en\"><title>Dogwatch</title>\
    <p>This gateway was built without the page: run <code>cargo xtask build</code>, or use <code>dogwatch tail</code>.";

impl File {
    /// `hash` tells two builds of the file apart, and becomes its `ETag`.
    #[must_use]
    pub const fn of(
        path: &'static str,
        hash: &'static str,
        identity: &'static [u8],
        brotli: &'static [u8],
        gzip: &'static [u8],
    ) -> Self {
        Self { path, hash: Cow::Borrowed(hash), identity: Cow::Borrowed(identity), brotli, gzip }
    }

    fn answer(&self, asked: &HeaderMap, cache_control: &'static str) -> Response {
        let coding = self.coding(asked);
        let (name, suffix) = coding.name_and_suffix();
        let etag = format!("\"{}{suffix}\"", self.hash);
        let known = asked
            .get_all(header::IF_NONE_MATCH)
            .iter()
            .any(|value| value.to_str().is_ok_and(|text| text.split(',').any(|tag| tag.trim() == etag)));
        let mut response = Response::new(Body::empty());
        if known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        } else {
            response = answer::typed(StatusCode::OK, media_type(self.path), self.body(coding));
        }
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache_control));
        // A browser that kept the file for the gateway's own page must ask again for a portal's.
        headers.insert(header::VARY, HeaderValue::from_static("Origin, Accept-Encoding"));
        if let Ok(etag) = HeaderValue::from_str(&etag) {
            headers.insert(header::ETAG, etag);
        }
        if let Some(name) = name {
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

    fn body(&self, coding: Coding) -> Body {
        match (coding, &self.identity) {
            (Coding::Identity, Cow::Borrowed(file)) => Body::from(*file),
            (Coding::Identity, Cow::Owned(page)) => Body::from(page.clone()),
            (Coding::Brotli, _) => Body::from(self.brotli),
            (Coding::Gzip, _) => Body::from(self.gzip),
        }
    }
}

impl Coding {
    /// The coding's name, and its suffix for an `ETag`: each form is a representation of its own (RFC 9110, 8.8.3.3).
    fn name_and_suffix(self) -> (Option<&'static str>, &'static str) {
        match self {
            Self::Identity => (None, ""),
            Self::Brotli => (Some("br"), "-br"),
            Self::Gzip => (Some("gzip"), "-gz"),
        }
    }
}

/// The coding must be named, and not with a weight of zero; `*` doesn't count.
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
mod tests {
    use super::*;

    #[test]
    fn the_best_form_that_the_browser_takes_is_sent() {
        let (hash, identity) = ("h".into(), b"long".into());
        let file = File { path: "a.css", hash, identity, brotli: b"b", gzip: b"g" };
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
