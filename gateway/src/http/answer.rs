//! Answers with a text or with JSON, such as a problem. Never the body of an API server's answer.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use shared::problem::{Problem, Reason};

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

pub(super) fn not_found() -> Response {
    json(StatusCode::NOT_FOUND, &Problem::new(Reason::NotFound, "there is nothing here"))
}
