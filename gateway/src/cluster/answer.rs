//! An answer's body, as it comes or as a whole, within the limits of time and size.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use http_body_util::BodyExt;
use kube::client::Body;
use shared::problem::{Problem, Reason};

use super::failure;
use super::inflate::Inflater;
use crate::limits;

/// The head of an answer, and its body as it comes.
pub struct Answer {
    /// The server's clock, by its header `Date`.
    pub date_ms: Option<i64>,
    body: Body,
    /// It comes as gzip, as it was asked for.
    inflater: Option<Inflater>,
}

impl Answer {
    pub(super) fn new(date_ms: Option<i64>, body: Body, is_gzip: bool) -> Self {
        Self { date_ms, body, inflater: is_gzip.then(Inflater::new) }
    }

    /// The next piece of the body; `None` at its end. No timeout, because a stream may be silent for hours.
    ///
    /// # Errors
    /// The connection's failure.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Problem> {
        loop {
            if let Some(inflater) = &mut self.inflater
                && let Some(piece) = inflater.next_piece()?
            {
                return Ok(Some(piece));
            }
            let bytes = match self.body.frame().await {
                None => return Ok(None),
                Some(Err(error)) => return Err(failure::of_connection(&error)),
                Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            };
            match &mut self.inflater {
                Some(inflater) => inflater.take(bytes),
                None if bytes.is_empty() => {}
                None => return Ok(Some(bytes)),
            }
        }
    }

    /// The whole body of an answer that isn't a stream.
    ///
    /// # Errors
    /// The connection's failure; `TimedOut` if it falls silent; `TooLarge` over the limit.
    pub async fn whole(mut self) -> Result<Vec<u8>, Problem> {
        let silence = Duration::from_secs(limits::UPSTREAM_BODY_TIMEOUT_S);
        let mut whole = Vec::new();
        loop {
            match tokio::time::timeout(silence, self.chunk()).await {
                Err(_) => return Err(failure::timed_out()),
                Ok(Err(problem)) => return Err(problem),
                Ok(Ok(None)) => return Ok(whole),
                Ok(Ok(Some(bytes))) => whole.extend_from_slice(&bytes),
            }
            if whole.len() > limits::UPSTREAM_ANSWER_BYTES_MAX {
                let limit = limits::UPSTREAM_ANSWER_BYTES_MAX / 1024 / 1024;
                return Err(Problem::new(Reason::TooLarge, format!("the answer is larger than {limit} MiB")));
            }
        }
    }

    pub(super) async fn read_up_to(&mut self, bytes_max: usize) -> Vec<u8> {
        let mut read = Vec::new();
        let silence = Duration::from_secs(limits::UPSTREAM_BODY_TIMEOUT_S);
        while read.len() < bytes_max {
            match tokio::time::timeout(silence, self.chunk()).await {
                Ok(Ok(Some(bytes))) => read.extend_from_slice(&bytes),
                _ => break,
            }
        }
        read.truncate(bytes_max);
        read
    }
}

/// In `Accept-Encoding` and `Content-Encoding`.
pub(super) const GZIP: HeaderValue = HeaderValue::from_static("gzip");
