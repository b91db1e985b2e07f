//! What the routes of mode `oidc` answer with: redirects, pages and cookies; and how they tell one client from another.
//! Never a decision about a login.

use std::net::IpAddr;

use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use shared::problem::{Problem, Reason};
use shared::unseen::is_unseen;

use super::answer;
use super::pre_auth::network;
use super::state::AppState;
use crate::access::Peer;
use crate::access::oidc::{Failure, LoginClient, Oidc, Redirect};
use crate::address::origin::RequestOrigin;
use crate::limits::LOGIN_AGAIN_S;
use crate::metrics::{ByOutcome, Outcome};

const REFRESH: HeaderName = HeaderName::from_static("refresh");

/// A client can write what it likes into the header, but not behind what the proxy before the gateway adds.
pub(super) fn client(peer: Peer, headers: &HeaderMap) -> LoginClient {
    let peer = match peer {
        Peer::Remote(address) | Peer::ApiClient(address) => Some(network(address.ip())),
        Peer::SameUser | Peer::Proxy => None,
    };
    let named = headers.get_all("x-forwarded-for").iter().next_back().and_then(|line| line.to_str().ok());
    let last = named.and_then(|line| line.rsplit(',').next()).map(str::trim);
    let last = last.filter(|last| (1..=FORWARDED_BYTES_MAX).contains(&last.len()));
    // As it stands, where it isn't an address alone.
    let in_network = |last: &str| {
        let address = last.parse::<IpAddr>().map(|address| network(address).to_string());
        address.unwrap_or_else(|_| last.to_owned())
    };
    let forwarded = last.map(|last| in_network(last).into());
    LoginClient { peer, forwarded }
}

/// An IPv6 address with a zone and a port.
const FORWARDED_BYTES_MAX: usize = 64;

/// `None` also for a request that doesn't come from a page of this gateway: its cookie doesn't count.
pub(super) fn of_own_page<'s>(state: &'s AppState, origin: &RequestOrigin) -> Option<&'s Oidc> {
    state.authenticator.oidc().filter(|_| matches!(origin, RequestOrigin::Own(_)))
}

pub(super) fn no_login() -> Response {
    let problem = Problem::new(Reason::Unauthorized, "there is no login to do this with; sign in at /login");
    answer::unauthorized(&problem)
}

pub(super) fn see_other(state: &AppState, redirect: Redirect) -> Response {
    // A path of the page has no base path.
    let base = if redirect.to.starts_with('/') { state.base_path.as_str() } else { "" };
    let Ok(to) = HeaderValue::try_from(format!("{base}{}", redirect.to)) else {
        return not_signed_in(state, StatusCode::BAD_GATEWAY, "The provider's address can't be used.");
    };
    let mut response = answer::text(StatusCode::SEE_OTHER, "");
    response.headers_mut().insert(header::LOCATION, to);
    with_cookies(response, redirect.cookies)
}

pub(super) fn with_cookies(mut response: Response, cookies: Vec<HeaderValue>) -> Response {
    for cookie in cookies {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

pub(super) fn note_refusal(state: &AppState, failure: &Failure) {
    state.metrics.logins.get_or_create(&ByOutcome { outcome: Outcome::refused }).inc();
    if let Some(left_out) = state.refused_codes.take() {
        tracing::info!(left_out, "a login was refused: {failure}");
    }
}

pub(super) fn refused(state: &AppState, failure: &Failure) -> Response {
    note_refusal(state, failure);
    let status = match failure {
        failure if failure.is_passing() => StatusCode::SERVICE_UNAVAILABLE,
        failure if failure.is_of_request() => StatusCode::BAD_REQUEST,
        Failure::OtherProvider(_) => StatusCode::BAD_GATEWAY,
        _ => StatusCode::UNAUTHORIZED,
    };
    let mut answer = not_signed_in(state, status, &failure.for_person());
    if *failure == Failure::Busy {
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(LOGIN_AGAIN_S));
    }
    answer
}

fn not_signed_in(state: &AppState, status: StatusCode, sentence: &str) -> Response {
    let (sentence, base) = (escaped(sentence), state.base_path.as_str());
    let main = format!("<h1>You are not signed in</h1><p>{sentence} <a href=\"{base}/login\">Try again</a>.");
    page(status, "Not signed in", &main)
}

pub(super) fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut escaped, c| {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // These characters could reorder the sentence.
            c if c.is_control() || is_unseen(c) => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
        escaped
    })
}

/// A page that leads on by itself. It is no redirect: a browser holds each redirect behind a form against the policy of the
/// page that has the form, and providers and programs are elsewhere.
pub(super) fn leading_on(state: &AppState, title: &str, sentence: &str, redirect: Redirect) -> Response {
    let Ok(refresh) = HeaderValue::try_from(format!("0;url={}", redirect.to)) else {
        return refused(state, &Failure::Internal);
    };
    let (title, sentence, to) = (escaped(title), escaped(sentence), escaped(&redirect.to));
    let main = format!("<h1>{title}</h1><p>{sentence} <a href=\"{to}\">Go on</a>.</p>");
    let mut answer = page(StatusCode::OK, &title, &main);
    answer.headers_mut().insert(REFRESH, refresh);
    with_cookies(answer, redirect.cookies)
}

/// Like the page for a path that isn't served: readable without a script. `title` and `main` are markup.
pub(super) fn page(status: StatusCode, title: &str, main: &str) -> Response {
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title} · Dogwatch</title><main>{main}</main>"
    );
    answer::typed(status, "text/html; charset=utf-8", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_provider_says_stays_text() {
        assert_eq!(escaped("<img src=x onerror=\"a&b\">"), "&lt;img src=x onerror=&quot;a&amp;b&quot;&gt;");
        assert_eq!(escaped("a\u{202e}b\u{0}"), "a\u{fffd}b\u{fffd}");
    }
}
