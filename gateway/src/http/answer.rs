//! Answers with a text or with JSON, such as a problem. Never the body of an API server's answer.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use serde::Serialize;
use shared::problem::{Problem, Reason};

use crate::address::BasePath;

pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => typed(status, "application/json", body),
        Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "the answer can't be written"),
    }
}

pub(super) fn text(status: StatusCode, text: impl Into<String>) -> Response {
    typed(status, "text/plain; charset=utf-8", text.into())
}

pub(super) fn typed(status: StatusCode, media_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

pub(super) fn forbidden(message: &str) -> Response {
    json(StatusCode::FORBIDDEN, &Problem::new(Reason::Forbidden, message))
}

pub(super) fn bad_request(message: &str) -> Response {
    json(StatusCode::BAD_REQUEST, &Problem::bad_request(message))
}

pub(super) fn unauthorized(problem: &Problem) -> Response {
    json(StatusCode::UNAUTHORIZED, problem)
}

/// A path that isn't served: a page for a browser that was led there, a problem for a program.
pub(super) fn no_such_path(method: &Method, asked: &HeaderMap, base: &BasePath) -> Response {
    let accepts = |header: &HeaderValue| header.to_str().is_ok_and(|text| text.contains("text/html"));
    let is_navigation =
        matches!(*method, Method::GET | Method::HEAD) && asked.get_all(header::ACCEPT).iter().any(accepts);
    if is_navigation {
        let page = NO_SUCH_PAGE.replace("{base}", base.as_str());
        typed(StatusCode::NOT_FOUND, "text/html; charset=utf-8", page)
    } else {
        not_found()
    }
}

const NO_SUCH_PAGE: &str = "<!doctype html><html lang=\"en\"><meta name=\"viewport\" content=\"width=device-width\">\
    <meta name=\"color-scheme\" content=\"light dark\"><title>No such page · Dogwatch</title><main>\
    <h1>There is no such page</h1>\
    <p>A view is at <code>{base}/v/{resource}</code>, a board at <code>{base}/b</code>. \
    <a href=\"{base}/\">Go to the first page</a>.</main>";

pub(super) fn not_found() -> Response {
    json(StatusCode::NOT_FOUND, &Problem::new(Reason::NotFound, "there is nothing here"))
}
