//! A client of the stream without a page: a plain GET, whose lines or messages it reads one by one. It holds what each
//! object is by the events, as a script would.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;

use crate::dogwatch::Dogwatch;

pub struct Stream {
    pub status: u16,
    pub media_type: String,
    body: Incoming,
    unread: Vec<u8>,
    /// Where the next stream goes on.
    pub resume: Option<String>,
    /// The last event of each object that is there, by namespace and name.
    pub objects: BTreeMap<String, Value>,
    /// The types of all events so far.
    pub types: Vec<String>,
}

/// Longer than anything takes that a test waits for, also on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

impl Stream {
    /// Over the gateway's Unix socket, which asks for no credential.
    pub async fn of(gateway: &Dogwatch, query: &str, headers: &[(&str, &str)]) -> Result<Self> {
        let socket = UnixStream::connect(gateway.socket()?).await?;
        Self::open(socket, "localhost", query, headers).await
    }

    pub async fn open<S>(stream: S, host: &str, query: &str, headers: &[(&str, &str)]) -> Result<Self>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        Self::open_below("", stream, host, query, headers).await
    }

    /// The same, from a gateway below this base path.
    pub async fn open_below<S>(
        base_path: &str,
        stream: S,
        host: &str,
        query: &str,
        headers: &[(&str, &str)],
    ) -> Result<Self>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let uri = format!("{base_path}/api/v1/stream?{query}");
        let request = http::Request::get(uri).header("host", host);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let answer = sender.send_request(request.body(Empty::<Bytes>::new())?).await?;
        let media_type = answer.headers().get("content-type").and_then(|value| value.to_str().ok());
        Ok(Self {
            status: answer.status().as_u16(),
            media_type: media_type.unwrap_or_default().to_owned(),
            body: answer.into_body(),
            unread: Vec::new(),
            resume: None,
            objects: BTreeMap::new(),
            types: Vec::new(),
        })
    }

    /// The status and the body of an answer that is no stream.
    pub async fn problem(self) -> Result<(u16, Value)> {
        ensure!(self.status != 200, "it is a stream");
        let body = self.body.collect().await?.to_bytes();
        Ok((self.status, serde_json::from_slice(&body).with_context(|| format!("{body:?}"))?))
    }

    /// The next event, as it is written. `None`: the answer is over.
    pub async fn next(&mut self) -> Result<Option<Value>> {
        ensure!(self.status == 200, "no stream, but {}", self.status);
        let mut id = None;
        while let Some(line) = tokio::time::timeout(PATIENCE, self.line()).await.context("nothing came")?? {
            if let Some(text) = line.strip_prefix("id: ") {
                id = Some(text.to_owned());
                continue;
            }
            if line.is_empty() || line.starts_with("retry: ") {
                continue;
            }
            let event: Value = serde_json::from_str(line.strip_prefix("data: ").unwrap_or(&line))?;
            self.take(&event, id)?;
            return Ok(Some(event));
        }
        Ok(None)
    }

    /// Reads until an event is wanted.
    pub async fn until(&mut self, wanted: impl Fn(&Self, &Value) -> bool) -> Result<Value> {
        let reading = async {
            while let Some(event) = self.next().await? {
                if wanted(self, &event) {
                    return Ok(event);
                }
            }
            bail!("the stream ended")
        };
        let found = tokio::time::timeout(PATIENCE, reading).await;
        found.unwrap_or_else(|_| bail!("it never came")).with_context(|| format!("after {:?}", self.types))
    }

    /// Reads until it says that all was sent.
    pub async fn until_sync(&mut self) -> Result<()> {
        self.until(|_, event| plain(event)["type"] == "sync").await.map(drop)
    }

    /// Reads up to its end: the last event.
    pub async fn to_the_end(&mut self) -> Result<Value> {
        let reading = async {
            let mut last = Value::Null;
            while let Some(event) = self.next().await? {
                last = event;
            }
            Ok(last)
        };
        tokio::time::timeout(PATIENCE, reading).await.context("it doesn't end")?
    }

    fn take(&mut self, event: &Value, id: Option<String>) -> Result<()> {
        let event = plain(event);
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let resume = event["resume"].as_str().map(str::to_owned);
        if self.media_type == "text/event-stream" {
            ensure!(id == resume, "an id is the token of its event");
        }
        self.resume = resume.or(self.resume.take());
        let key = format!("{}/{}", text("namespace"), text("name"));
        match text("type").as_str() {
            "added" | "modified" => drop(self.objects.insert(key, event.clone())),
            "deleted" => drop(self.objects.remove(&key)),
            "reset" => {
                let gone = event["namespaces"].as_array();
                self.objects.retain(|_, held| gone.is_some_and(|names| !names.contains(&held["namespace"])));
            }
            _ => {}
        }
        self.types.push(text("type"));
        Ok(())
    }

    async fn line(&mut self) -> Result<Option<String>> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.unread) {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                return Ok(Some(String::from_utf8(line)?.trim_end().to_owned()));
            }
            match self.body.frame().await {
                Some(Ok(frame)) => self.unread.extend(frame.into_data().unwrap_or_default()),
                // A gateway that was killed leaves no last piece.
                Some(Err(_)) | None => return Ok(None),
            }
        }
    }
}

/// The event within a CloudEvent, or as it is.
fn plain(event: &Value) -> &Value {
    event.get("data").unwrap_or(event)
}
