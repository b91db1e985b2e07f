//! The body of a request, bounded in size and time. Never parsed here.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use shared::problem::{Problem, Reason};

use super::answer;
use super::idle::IdleGuard;
use crate::limits::HTTP_BODY_TIMEOUT_S;

/// Whether the body is of this media type, whatever its parameters.
pub(super) fn is_of_type(headers: &HeaderMap, media_type: &str) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|value| {
        value.to_str().is_ok_and(|text| text.split(';').next().map(str::trim) == Some(media_type))
    })
}

/// `Err`: the answer to one that is too long or takes too long.
pub(super) async fn read(idle: &Arc<IdleGuard>, body: Body, bytes_max: usize) -> Result<Bytes, Response> {
    // A connection whose body is still to come is displaced like one whose head is still to come.
    idle.enter();
    let read =
        tokio::time::timeout(Duration::from_secs(HTTP_BODY_TIMEOUT_S), to_bytes(body, bytes_max)).await;
    idle.leave();
    match read {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(_)) => {
            let message = format!("the body is longer than {bytes_max} bytes, which is more than it needs");
            let problem = Problem::new(Reason::RequestEntityTooLarge, message);
            Err(answer::json(StatusCode::PAYLOAD_TOO_LARGE, &problem))
        }
        Err(_) => {
            let problem = Problem::new(Reason::Timeout, "the request took too long");
            Err(answer::json(StatusCode::REQUEST_TIMEOUT, &problem))
        }
    }
}
