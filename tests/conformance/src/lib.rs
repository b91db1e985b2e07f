//! A small HTTP client for tests: one connection per request, bodies read whole or value by value.
//! It never retries, and never knows more of Kubernetes than that bodies are JSON. The statements that
//! are asked with it stand in `statements/`.

mod events;
mod stream;

use std::path::Path;
use std::sync::Arc;

pub use events::{Events, Next, is_end_mark, line_of, revision_of};

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{HeaderMap, Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use serde_json::{Value, json};

pub const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
pub const PARTIAL: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
pub const JSON: &str = "application/json";

/// Where a server is, and the credential for it.
#[derive(Clone, Debug)]
pub struct Api {
    address: String,
    /// What requests name as their host.
    host: String,
    token: Option<String>,
    /// None: plain HTTP.
    trust: Option<Arc<ClientConfig>>,
    /// What is read is asked of another server, which reads this one.
    reading: Option<Box<Reading>>,
}

/// A server that answers what is read of the one behind it, over plain HTTP.
#[derive(Clone, Debug)]
struct Reading {
    address: String,
    /// What stands before each path there.
    below: String,
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

    /// Code, reason and message of a `Status`.
    pub fn refusal(&self) -> (u16, &str, &str) {
        (self.code, self.text_at("/reason"), self.text_at("/message"))
    }
}

impl Api {
    /// A server that speaks plain HTTP.
    pub fn new(url: &str, token: Option<&str>) -> Self {
        let address = url.trim_start_matches("http://").to_owned();
        let token = token.map(str::to_owned);
        Self { host: address.clone(), address, token, trust: None, reading: None }
    }

    /// A server that speaks TLS, with the certificates of this file.
    pub fn trusting(url: &str, token: &str, certificates: &Path) -> Self {
        let address = url.trim_start_matches("https://").to_owned();
        let trust = Some(stream::trust(certificates));
        Self { host: address.clone(), address, token: Some(token.to_owned()), trust, reading: None }
    }

    /// The same server for another user; without a token, for the anonymous user.
    pub fn with_token(&self, token: Option<&str>) -> Self {
        Self { token: token.map(str::to_owned), ..self.clone() }
    }

    /// The same, but what is read is asked of the server at this address, below this path.
    pub fn read_through(&self, address: &str, below: &str) -> Self {
        let reading = Reading { address: address.to_owned(), below: below.to_owned() };
        Self { reading: Some(Box::new(reading)), ..self.clone() }
    }

    /// The same server, called by another name.
    pub fn of_host(&self, host: &str) -> Self {
        Self { host: host.to_owned(), ..self.clone() }
    }

    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Result<Response<Incoming>, hyper::Error> {
        let reading = self.reading.as_deref().filter(|_| method == Method::GET);
        let (stream, host, path) = match reading {
            Some(Reading { address, below }) => {
                (stream::connect(address, None).await, address, format!("{below}{path}"))
            }
            None => (stream::connect(&self.address, self.trust.as_ref()).await, &self.host, path.to_owned()),
        };
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path).header(HOST, host);
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        sender.send_request(request.body(Full::new(body.into())).expect("a request")).await
    }

    /// Asks and reads the whole answer.
    pub async fn whole(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Answer {
        let response = self.ask(method, path, headers, body).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a whole body").to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Answer { code: parts.status.as_u16(), headers: parts.headers, body, text }
    }

    /// Sends a body of some type.
    async fn send(&self, method: Method, path: &str, kind: &str, body: &Value) -> Answer {
        self.whole(method, path, &[(CONTENT_TYPE.as_str(), kind)], body.to_string()).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.get_as(path, JSON).await
    }

    pub async fn get_as(&self, path: &str, accept: &str) -> Answer {
        self.whole(Method::GET, path, &[(ACCEPT.as_str(), accept)], "").await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, JSON, body).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::PUT, path, JSON, body).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.patch_as(path, "application/merge-patch+json", body).await
    }

    pub async fn patch_as(&self, path: &str, kind: &str, body: &Value) -> Answer {
        self.send(Method::PATCH, path, kind, body).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.whole(Method::DELETE, path, &[], "").await
    }

    pub async fn delete_with(&self, path: &str, options: &Value) -> Answer {
        self.send(Method::DELETE, path, JSON, options).await
    }

    pub async fn watch(&self, path: &str) -> Events {
        self.watch_as(path, JSON).await
    }

    pub async fn watch_as(&self, path: &str, accept: &str) -> Events {
        let answer = self.ask(Method::GET, path, &[(ACCEPT.as_str(), accept)], "").await;
        Events::of(answer.expect("an answer"))
    }

    /// A config map with the label `app`.
    pub async fn config(&self, namespace: &str, name: &str, label: &str) -> Answer {
        let value = json!({"metadata": {"name": name, "labels": {"app": label}}, "data": {"a": "1"}});
        self.post(&format!("/api/v1/namespaces/{namespace}/configmaps"), &value).await
    }
}
