//! A small HTTP client: one connection per request, bodies read whole or value by value.
//! It never retries, and never knows more of Kubernetes than that bodies are JSON.

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{HeaderMap, Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

pub const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
pub const PARTIAL: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
pub const JSON: &str = "application/json";

/// Where a server is, and the credential for it.
#[derive(Clone, Debug)]
pub struct Api {
    address: String,
    token: Option<String>,
}

#[derive(Debug)]
pub struct Answer {
    pub code: u16,
    pub headers: HeaderMap,
    pub text: String,
    pub body: Value,
}

impl Answer {
    pub fn text_at(&self, pointer: &str) -> &str {
        self.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// The names of a list's items, or of the objects in a Table's rows.
    pub fn names(&self) -> Vec<String> {
        let items = self.body.get("items").or_else(|| self.body.get("rows"));
        let items = items.and_then(Value::as_array).cloned().unwrap_or_default();
        items
            .iter()
            .filter_map(|item| {
                let name = item.pointer("/metadata/name").or_else(|| item.pointer("/object/metadata/name"));
                name.and_then(Value::as_str).map(str::to_owned)
            })
            .collect()
    }

    pub fn revision(&self) -> String {
        self.text_at("/metadata/resourceVersion").to_owned()
    }
}

impl Api {
    pub fn new(url: &str, token: Option<&str>) -> Self {
        Self { address: url.trim_start_matches("http://").to_owned(), token: token.map(str::to_owned) }
    }

    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Response<Incoming>, hyper::Error> {
        let stream = TcpStream::connect(&self.address).await.expect("a listening server");
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path).header(HOST, &self.address);
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let bytes = body.map(Value::to_string).unwrap_or_default();
        let request = request.body(Full::new(Bytes::from(bytes))).expect("a request");
        sender.send_request(request).await
    }

    async fn whole(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        let response = self.ask(method, path, headers, body).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a whole body").to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Answer {
            code: parts.status.as_u16(),
            headers: parts.headers,
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.get_as(path, JSON).await
    }

    pub async fn get_as(&self, path: &str, accept: &str) -> Answer {
        self.whole(Method::GET, path, &[(ACCEPT.as_str(), accept)], None).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.whole(Method::POST, path, &[(CONTENT_TYPE.as_str(), JSON)], Some(body)).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.whole(Method::PUT, path, &[(CONTENT_TYPE.as_str(), JSON)], Some(body)).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.patch_as(path, "application/merge-patch+json", body).await
    }

    pub async fn patch_as(&self, path: &str, kind: &str, body: &Value) -> Answer {
        self.whole(Method::PATCH, path, &[(CONTENT_TYPE.as_str(), kind)], Some(body)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.whole(Method::DELETE, path, &[], None).await
    }

    pub async fn watch(&self, path: &str) -> Events {
        self.watch_as(path, JSON).await
    }

    pub async fn watch_as(&self, path: &str, accept: &str) -> Events {
        let response =
            self.ask(Method::GET, path, &[(ACCEPT.as_str(), accept)], None).await.expect("an answer");
        Events { code: response.status().as_u16(), body: response.into_body(), rest: Vec::new() }
    }

    /// A config map in `case`, labelled.
    pub async fn config(&self, name: &str, label: &str) -> Answer {
        let value = json!({"metadata": {"name": name, "labels": {"app": label}}, "data": {"a": "1"}});
        self.post("/api/v1/namespaces/case/configmaps", &value).await
    }
}

/// A running watch.
#[derive(Debug)]
pub struct Events {
    pub code: u16,
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

impl Events {
    pub async fn next(&mut self) -> Next {
        loop {
            if let Some(at) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=at).collect();
                return match serde_json::from_slice(&line) {
                    Ok(event) => Next::Event(event),
                    Err(_) => Next::Garbage(String::from_utf8_lossy(&line).into_owned()),
                };
            }
            match self.body.frame().await {
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
