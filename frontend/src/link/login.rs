//! Exchanges the code in a printed URL for the page's secret. The code works once; the caller stores the secret.
//! Neither is ever part of a path or a query.

use gloo_net::http::Request;

/// The result of an exchange.
pub(crate) enum Exchange {
    Secret(String),
    /// The gateway doesn't know the code: it was used, or another gateway printed it.
    Refused,
    /// There was no answer that could be read.
    NoAnswer,
}

pub(crate) async fn exchange(code: &str) -> Exchange {
    let body = serde_json::json!({ "code": code });
    let Ok(request) = Request::post("/api/login").json(&body) else { return Exchange::NoAnswer };
    let Ok(response) = request.send().await else { return Exchange::NoAnswer };
    if matches!(response.status(), 400 | 401 | 403) {
        return Exchange::Refused;
    }
    let answer = response.json::<serde_json::Value>().await.ok();
    let secret = answer.as_ref().and_then(|answer| answer.get("secret")?.as_str());
    secret.map_or(Exchange::NoAnswer, |secret| Exchange::Secret(secret.to_owned()))
}

/// The code of a fragment such as `code=…`.
pub(crate) fn code_in(fragment: &str) -> Option<&str> {
    fragment.split('&').find_map(|part| part.strip_prefix("code=")).filter(|code| !code.is_empty())
}
