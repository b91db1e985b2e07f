//! Bodies of answers: whole ones, and streams that a task writes through a bounded channel.
//! It never knows what the bytes mean.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::limits::STREAM_CHUNKS_MAX;
use crate::opaque;
use kubernetes_api::Failure;

pub(super) type Body = UnsyncBoxBody<Bytes, Cut>;
/// A refusal becomes a `Status` object.
pub(super) type Answer = Result<Response<Body>, Failure>;

/// The stream ends without its end: the connection is cut.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the connection was cut")]
pub(super) struct Cut;

pub(super) const JSON: &str = "application/json";
pub(super) const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

pub(super) fn whole(code: StatusCode, content_type: &'static str, bytes: impl Into<Bytes>) -> Response<Body> {
    let full = Full::new(bytes.into()).map_err(|never| match never {});
    with_body(code, content_type, full.boxed_unsync())
}

/// A JSON document as an answer.
pub(super) fn json(content_type: &'static str, value: &Value) -> Response<Body> {
    whole(StatusCode::OK, content_type, value.to_string())
}

/// The real server's answer to a path that it doesn't serve.
pub(super) fn not_found() -> Response<Body> {
    whole(StatusCode::NOT_FOUND, PLAIN_TEXT, "404 page not found\n")
}

fn with_body(code: StatusCode, content_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert("cache-control", HeaderValue::from_static("no-cache, private"));
    response
}

pub(super) fn refusal(failure: &Failure) -> Response<Body> {
    let code = StatusCode::from_u16(failure.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = whole(code, JSON, failure.status().to_string());
    if let Some(retry_after_s) = failure.retry_after_s {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after_s));
    }
    response
}

/// No byte is sent, and the connection is cut at once.
pub(super) fn cut() -> Response<Body> {
    let (writer, response) = stream_of(JSON);
    writer.cut();
    response
}

/// The same answer with resourceVersions that aren't numbers. No chunk ends within one.
pub(super) fn with_opaque_revisions(response: Response<Body>) -> Response<Body> {
    response.map(|body| body.map_frame(|frame| frame.map_data(opaque::encode_all)).boxed_unsync())
}

/// The same answer in chunks of this size, each after a pause.
pub(super) fn slowed(response: Response<Body>, chunk_bytes: usize, pause: Duration) -> Response<Body> {
    response.map(|body| {
        let chunks = stream::unfold((body, Bytes::new()), move |(mut body, mut rest)| async move {
            while rest.is_empty() {
                match body.frame().await? {
                    Ok(frame) => rest = frame.into_data().unwrap_or_default(),
                    Err(cut) => return Some((Err(cut), (body, rest))),
                }
            }
            tokio::time::sleep(pause).await;
            let chunk = rest.split_to(chunk_bytes.clamp(1, rest.len()));
            Some((Ok(Frame::data(chunk)), (body, rest)))
        });
        StreamBody::new(chunks).boxed_unsync()
    })
}

/// The writing end of a streamed body.
#[derive(Debug)]
pub(super) struct BodyWriter {
    sender: mpsc::Sender<Result<Bytes, Cut>>,
}

/// The client has closed the connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed;

/// How a stream came to its end.
pub(super) enum End {
    /// The server's own: the chunked body ends properly.
    Clean,
    /// The connection is to be cut.
    Cut,
}

impl From<Closed> for End {
    fn from(_: Closed) -> Self {
        Self::Clean
    }
}

pub(super) fn stream_of(content_type: &'static str) -> (BodyWriter, Response<Body>) {
    let (sender, receiver) = mpsc::channel(STREAM_CHUNKS_MAX);
    let chunks = stream::unfold(receiver, |mut receiver: mpsc::Receiver<Result<Bytes, Cut>>| async {
        let chunk = receiver.recv().await?;
        Some((chunk.map(Frame::data), receiver))
    });
    let body = StreamBody::new(chunks).boxed_unsync();
    (BodyWriter { sender }, with_body(StatusCode::OK, content_type, body))
}

impl BodyWriter {
    pub(super) async fn send(&self, bytes: impl Into<Bytes>) -> Result<(), Closed> {
        self.sender.send(Ok(bytes.into())).await.map_err(|_| Closed)
    }

    /// Whether there is no room for a chunk now.
    pub(super) fn is_full(&self) -> bool {
        self.sender.capacity() == 0
    }

    /// Resolves when there is room for a chunk, or the client has gone.
    pub(super) async fn room(&self) {
        // The permit is given back at once: one task writes, so the room stays.
        drop(self.sender.reserve().await);
    }

    pub(super) async fn closed(&self) {
        self.sender.closed().await;
    }

    /// Ends the body in the middle: the peer sees a broken connection.
    pub(super) fn cut(self) {
        // hyper cuts a chunked body only at an error; a task of its own sends it if the channel is full.
        if let Err(mpsc::error::TrySendError::Full(cut)) = self.sender.try_send(Err(Cut)) {
            tokio::spawn(async move {
                let _ = self.sender.send(cut).await;
            });
        }
    }
}
