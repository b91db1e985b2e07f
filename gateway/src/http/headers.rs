//! The headers that every answer has, and which page may be shown in a frame. A layer of our own: `tower-http` would need one boxed layer a header.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use http::header::{self, HeaderName};

use crate::address::origin::Origin;

/// No inline script or style, no other host, no markup from text.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const ALWAYS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Lets pages of these origins show the answer in a frame. No other answer may be shown in one.
#[derive(Clone)]
pub(super) struct FrameAncestors(HeaderValue);

impl FrameAncestors {
    /// `None` if no origin is listed.
    pub(super) fn of(origins: &[Origin]) -> Option<Self> {
        if origins.is_empty() {
            return None;
        }
        let listed: String = origins.iter().map(|origin| format!(" {origin}")).collect();
        let policy =
            CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", &format!("frame-ancestors{listed}"));
        HeaderValue::try_from(policy).ok().map(Self)
    }
}

/// The answer has a form, which leads back to this gateway alone. A browser says where a form comes from only if its page
/// lets it, and the gateway takes none that doesn't say it.
#[derive(Clone, Copy)]
pub(super) struct HasForm;

pub(super) async fn add(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let has_form = response.extensions_mut().remove::<HasForm>().is_some();
    let ancestors = response.extensions_mut().remove::<FrameAncestors>();
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(FrameAncestors(policy)) = ancestors {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        // `X-Frame-Options` can't name origins, so it would contradict the content policy.
        headers.remove(header::X_FRAME_OPTIONS);
        // A portal that is isolated itself (`require-corp`) shows only frames that say so.
        let resource_policy = HeaderName::from_static("cross-origin-resource-policy");
        headers.insert(resource_policy, HeaderValue::from_static("cross-origin"));
    }
    if has_form {
        let policy = CONTENT_SECURITY_POLICY.replace("form-action 'none'", "form-action 'self'");
        if let Ok(policy) = HeaderValue::try_from(policy) {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    }
    // Only files with a hash in their name have set `Cache-Control` themselves.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_brow_8_exactly_the_listed_origins_may_frame_and_without_one_nobody_may() {
        assert!(FrameAncestors::of(&[]).is_none());
        let listed =
            ["https://portal.example", "http://localhost:3000"].map(|text| Origin::parse(text).expect(text));
        let FrameAncestors(policy) = FrameAncestors::of(&listed).expect("a policy");
        let expected = CONTENT_SECURITY_POLICY.replace(
            "frame-ancestors 'none'",
            "frame-ancestors https://portal.example http://localhost:3000",
        );
        assert_eq!(policy, expected);
        assert!(!expected.contains("frame-ancestors 'none'"));
    }
}
