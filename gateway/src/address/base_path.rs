//! The path below which the gateway is served, where a reverse proxy has other sites beside it. Pure. The routes, the
//! checks and the page's own addresses know nothing of it: it is taken off before them, and written into the pages.

use http::Uri;
use http::uri::{Parts, PathAndQuery};

/// Empty, or `/dogwatch`: without a slash at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BasePath(Box<str>);

/// The path is part of every link, so a longer one would only make links longer.
const BYTES_MAX: usize = 200;

impl BasePath {
    /// A slash at the end is ignored. `None` for anything but segments of letters, digits, `-`, `_`, `.` and `~`, which
    /// need no escape in a URL, in HTML and in a cookie's `Path`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let path = text.strip_suffix('/').unwrap_or(text);
        if path.is_empty() {
            return Some(Self::default());
        }
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
        let is_segment = |segment: &str| {
            !segment.is_empty() && segment != "." && segment != ".." && segment.bytes().all(plain)
        };
        let is_path = path.len() <= BYTES_MAX && path.strip_prefix('/')?.split('/').all(is_segment);
        is_path.then(|| Self(path.into()))
    }

    /// Empty at the root.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The same address without the path. `None`: it isn't below it.
    pub(crate) fn strip(&self, uri: &Uri) -> Option<Uri> {
        let below = uri.path().strip_prefix(&*self.0)?;
        if !below.is_empty() && !below.starts_with('/') {
            return None;
        }
        let path = if below.is_empty() { "/" } else { below };
        let query = uri.query().map_or(String::new(), |query| format!("?{query}"));
        let mut parts = Parts::from(uri.clone());
        parts.path_and_query = Some(PathAndQuery::try_from(format!("{path}{query}")).ok()?);
        Uri::from_parts(parts).ok()
    }

    /// A page of the gateway's own, whose addresses begin at the root, with those below the path; and with the path
    /// itself, for the program.
    pub(crate) fn rewrite(&self, html: &str) -> String {
        let meta = format!("<meta name=\"dogwatch-base\" content=\"{}\">", self.0);
        let mut page = html.replacen("<head>", &format!("<head>\n{meta}"), 1);
        for own in ["/assets/", "/element.js", "/missing.js"] {
            page = page.replace(&format!("=\"{own}"), &format!("=\"{}{own}", self.0));
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(text: &str) -> BasePath {
        BasePath::parse(text).expect(text)
    }

    #[test]
    fn a_base_path_is_plain_segments_and_a_slash_at_its_end_means_nothing() {
        for (text, expected) in
            [("", ""), ("/", ""), ("/dogwatch", "/dogwatch"), ("/a/b.c~d_e-1/", "/a/b.c~d_e-1")]
        {
            assert_eq!(base(text).as_str(), expected, "{text}");
        }
        let long = format!("/{}", "a".repeat(BYTES_MAX));
        for odd in
            ["dogwatch", "//", "/a//b", "/..", "/a/./b", "/a b", "/a%2fb", "/a?b", "/a\"><b", "/ä", &long]
        {
            assert_eq!(BasePath::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn only_what_is_below_it_is_served() {
        let strip =
            |text: &str| base("/dogwatch").strip(&text.parse().expect(text)).map(|uri| uri.to_string());
        for (asked, expected) in [
            ("/dogwatch", Some("/")),
            ("/dogwatch?a=b", Some("/?a=b")),
            ("/dogwatch/", Some("/")),
            ("/dogwatch/v/pods@c/%2A?q=a%20b", Some("/v/pods@c/%2A?q=a%20b")),
            ("/dogwatch/dogwatch/v", Some("/dogwatch/v")),
            ("http://a.example/dogwatch/v", Some("http://a.example/v")),
            ("/", None),
            ("/v/pods", None),
            ("/dogwatchers/v", None),
            ("/%64ogwatch/v", None),
        ] {
            assert_eq!(strip(asked).as_deref(), expected, "{asked}");
        }
    }

    #[test]
    fn a_page_gets_the_path_into_each_of_its_own_addresses_and_into_no_other() {
        let page = "<html><head>\n<link href=\"/assets/a.css\"><script src=\"/element.js\"></script></head>\
                    <a link=\"/v/pods\" href=\"https://a.example/assets/b\">";
        assert_eq!(
            base("/x").rewrite(page),
            "<html><head>\n<meta name=\"dogwatch-base\" content=\"/x\">\n<link href=\"/x/assets/a.css\">\
             <script src=\"/x/element.js\"></script></head><a link=\"/v/pods\" href=\"https://a.example/assets/b\">"
        );
    }
}
