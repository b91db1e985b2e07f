//! A running watch, read event by event, and what tests ask of an event.

use std::time::Duration;

use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::{Value, json};
use tokio::time::timeout;

/// A running watch.
#[derive(Debug)]
pub struct Events {
    pub code: u16,
    pub headers: HeaderMap,
    body: Incoming,
    rest: Vec<u8>,
}

/// How a stream went on.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    Event(Value),
    /// The server ended it properly.
    End,
    /// The connection broke.
    Broken,
    /// A line that isn't JSON.
    Garbage(String),
}

/// Twice what the slowest event takes (a bookmark: a bit over a minute): a test fails, and never hangs.
const PATIENCE: Duration = Duration::from_secs(150);

impl Events {
    pub(crate) fn of(response: Response<Incoming>) -> Self {
        let (parts, body) = response.into_parts();
        Self { code: parts.status.as_u16(), headers: parts.headers, body, rest: Vec::new() }
    }

    pub async fn next(&mut self) -> Next {
        loop {
            if let Some(at) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=at).collect();
                return match serde_json::from_slice(&line) {
                    Ok(event) => Next::Event(event),
                    Err(_) => Next::Garbage(String::from_utf8_lossy(&line).into_owned()),
                };
            }
            match timeout(PATIENCE, self.body.frame()).await.expect("an event, or the end") {
                None => return Next::End,
                Some(Err(_)) => return Next::Broken,
                Some(Ok(frame)) => self.rest.extend_from_slice(frame.data_ref().expect("data")),
            }
        }
    }

    pub async fn event(&mut self) -> Value {
        match self.next().await {
            Next::Event(event) => event,
            other => panic!("an event was expected, and there was {other:?}"),
        }
    }

    /// `ADDED a`, `DELETED b`, …
    pub async fn line(&mut self) -> String {
        line_of(&self.event().await)
    }

    /// All events until the stream ends.
    pub async fn all(mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Next::Event(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

/// An event in short: its type and the name of its object.
pub fn line_of(event: &Value) -> String {
    let kind = event["type"].as_str().unwrap_or_default();
    let name = event
        .pointer("/object/metadata/name")
        .or_else(|| event.pointer("/object/rows/0/object/metadata/name"));
    match name.and_then(Value::as_str) {
        Some(name) => format!("{kind} {name}"),
        None => kind.to_owned(),
    }
}

pub fn revision_of(event: &Value) -> u64 {
    event
        .pointer("/object/metadata/resourceVersion")
        .and_then(Value::as_str)
        .and_then(|text| text.parse().ok())
        .unwrap_or_default()
}

pub fn is_end_mark(event: &Value) -> bool {
    let metadata =
        event.pointer("/object/rows/0/object/metadata").or_else(|| event.pointer("/object/metadata"));
    event["type"] == "BOOKMARK"
        && metadata.and_then(|found| found.pointer("/annotations/k8s.io~1initial-events-end"))
            == Some(&json!("true"))
}
