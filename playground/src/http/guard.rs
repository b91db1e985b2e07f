//! Which requests are answered at all. A page of any web site reaches loopback through its reader's browser, so
//! a request names a loopback host, comes from no other origin, and brings JSON to the playground's own API: a
//! browser sends none of these for a page of another site without asking first. It never looks at credentials.

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, Method};

use super::content::media_type;
use kubernetes_api::Failure;

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// # Errors
/// 403 for another host or origin.
pub(super) fn check(headers: &HeaderMap) -> Result<(), Failure> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let host = text(HOST).unwrap_or_default();
    let is_loopback = host.parse::<Authority>().is_ok_and(|authority| LOOPBACK.contains(&authority.host()));
    if !is_loopback || headers.get_all(HOST).iter().count() > 1 {
        return Err(Failure::of_a_stranger("the host isn't a loopback one: use 127.0.0.1 or localhost"));
    }
    let is_own = |origin: &str| origin.split_once("://").is_some_and(|(_, authority)| authority == host);
    match text(ORIGIN) {
        Some(origin) if !is_own(origin) => {
            Err(Failure::of_a_stranger("a page of another origin gets no answer from a playground"))
        }
        _ => Ok(()),
    }
}

/// # Errors
/// 415 for a body that isn't declared as JSON.
pub(super) fn check_admin_body(parts: &Parts) -> Result<(), Failure> {
    if parts.method == Method::POST && media_type(parts) != "application/json" {
        return Err(Failure::unsupported_media_type("application/json, which curl sends with --json"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn only_loopback_hosts_and_pages_of_the_same_origin_are_answered() {
        let code = |host: &str, origin: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_str(host).expect("a header"));
            headers.extend(origin.map(|origin| (ORIGIN, HeaderValue::from_str(origin).expect("a header"))));
            check(&headers).map_or_else(|failure| failure.code, |()| 200)
        };
        for host in ["127.0.0.1", "127.0.0.1:8001", "localhost:1", "[::1]:8001"] {
            assert_eq!(code(host, None), 200, "{host}");
        }
        for host in
            ["", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1", "a@b@c"]
        {
            assert_eq!(code(host, None), 403, "{host}");
        }
        let own = "127.0.0.1:8001";
        for origin in ["http://127.0.0.1:8001", "https://127.0.0.1:8001"] {
            assert_eq!(code(own, Some(origin)), 200, "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://127.0.0.1",
            "http://127.0.0.1:8002",
            "http://localhost:8001",
            "https://evil.example",
        ] {
            assert_eq!(code(own, Some(origin)), 403, "{origin}");
        }
        assert_eq!(check(&HeaderMap::new()).map_err(|failure| failure.code), Err(403));
    }
}
