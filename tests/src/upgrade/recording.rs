//! What a client and a gateway of one release said to each other, message by message, as a file keeps it. A `tail` is
//! recorded by a proxy between the two, a page by its own sockets.

use anyhow::{Context, Result, bail, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::{SinkExt, StreamExt};
use http::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL};
use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use shared::codec;
use shared::frame::VERSION;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, block_in_place};
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::{self, Message};

use super::page::{Pieces, Visit};
use super::tails::OfRelease;
use super::{Fleet, Mode, Release};
use crate::browser::Browser;
use crate::viewer::{tcp, upgraded};

/// In their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording(pub Vec<Recorded>);

#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    /// By the client.
    Said(String),
    /// From the gateway.
    Heard(codec::Message),
}

impl Recording {
    /// One message a line: a text as it is, a binary message in base64.
    pub fn parse(text: &str) -> Result<Self> {
        let messages = text.lines().map(|line| {
            let line: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
            let of = |key: &str| line[key].as_str().map(str::to_owned);
            Ok(match (of("said"), of("heard"), of("heard_binary")) {
                (Some(text), None, None) => Recorded::Said(text),
                (None, Some(text), None) => Recorded::Heard(codec::Message::Text(text)),
                (None, None, Some(base64)) => {
                    Recorded::Heard(codec::Message::Binary(STANDARD.decode(base64)?))
                }
                _ => bail!("{line} is no message"),
            })
        });
        messages.collect::<Result<_>>().map(Self)
    }

    pub fn print(&self) -> String {
        let line = |message: &Recorded| match message {
            Recorded::Said(text) => json!({ "said": text }),
            Recorded::Heard(codec::Message::Text(text)) => json!({ "heard": text }),
            Recorded::Heard(codec::Message::Binary(bytes)) => {
                json!({ "heard_binary": STANDARD.encode(bytes) })
            }
        };
        self.0.iter().map(|message| format!("{}\n", line(message))).collect()
    }
}

/// Records a `tail` that heard a change.
pub async fn of_tail(release: &Release) -> Result<Recording> {
    let fleet = Fleet::open(release, Mode::Bearer).await?;
    let between = TcpListener::bind("127.0.0.1:0").await?;
    let origin = format!("http://{}", between.local_addr()?);
    let heard: JoinHandle<Result<Recording>> = tokio::spawn(hear(between, fleet.address()));
    let mut tail = OfRelease::start(release, &origin)?;
    block_in_place(|| tail.until(|tail| tail.is_live()))?;
    let known = tail.newest();
    let writing = fleet.writing();
    writing.until_more(1).await?;
    writing.end().await?;
    block_in_place(|| tail.until(|tail| tail.is_live() && tail.newest() > known))?;
    drop(tail);
    heard.await?
}

/// Until the client ends.
async fn hear(between: TcpListener, gateway: String) -> Result<Recording> {
    let (stream, _) = between.accept().await?;
    let mut headers = HeaderMap::new();
    #[expect(clippy::result_large_err, reason = "tungstenite asks for this type")]
    let greeted = |asked: &Request, mut answer: Response| {
        headers.extend(asked.headers().get(AUTHORIZATION).map(|token| (AUTHORIZATION, token.clone())));
        answer.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(VERSION));
        Ok(answer)
    };
    let mut client = tokio_tungstenite::accept_hdr_async(stream, greeted).await?;
    let url = format!("ws://{gateway}/api/ws");
    let mut server = upgraded(&url, headers, tcp(&gateway).await?).await?;
    let mut recording = Recording::default();
    loop {
        tokio::select! {
            said = client.next() => {
                // It was ended.
                let Some(Ok(message)) = said else { return Ok(recording) };
                if let Message::Text(text) = &message {
                    recording.0.push(Recorded::Said(text.as_str().to_owned()));
                }
                server.send(message).await?;
            }
            heard = server.next() => {
                let message = heard.context("the gateway ended")??;
                recording.0.extend(received(&message).map(Recorded::Heard));
                client.send(message).await?;
            }
        }
    }
}

fn received(message: &tungstenite::Message) -> Option<codec::Message> {
    match message {
        Message::Text(text) => Some(codec::Message::Text(text.as_str().to_owned())),
        Message::Binary(bytes) => Some(codec::Message::Binary(bytes.to_vec())),
        _ => None,
    }
}

/// Keeps what the page's sockets say and hear in `window.messages`.
const LISTEN: &str = r"
window.messages = [];
window.WebSocket = class extends WebSocket {
  constructor(...all) {
    super(...all);
    this.addEventListener('message', ({ data }) => messages.push(typeof data === 'string'
      ? { heard: data }
      : { heard_binary: btoa(String.fromCharCode(...new Uint8Array(data))) }));
  }
  send(text) { messages.push({ said: text }); super.send(text); }
};";

/// Records a page that showed a table, an object and its changes, and asked for its rights.
pub async fn of_page(release: &Release) -> Result<Recording> {
    let fleet = Fleet::open(release, Mode::Proxy).await?;
    let visit = Visit::begin(&fleet, Pieces::All).await?;
    let browser: &Browser = &visit.browser;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": LISTEN })).await?;
    browser.run("location.reload()", Vec::new()).await?;
    visit.until_live().await?;
    visit.shows_object_and_changes().await?;
    let writing = fleet.writing();
    writing.until_more(1).await?;
    writing.end().await?;
    visit.equal(&fleet).await?;
    visit.shows_rights().await?;
    let messages = browser.read("messages").await?;
    let lines: String =
        messages.as_array().context("a list")?.iter().map(|line| format!("{line}\n")).collect();
    ensure!(!lines.is_empty(), "the page said nothing");
    visit.browser.close().await?;
    Recording::parse(&lines)
}

#[cfg(test)]
mod tests {
    use replica::client::{Client, Input, SignIn};
    use replica::now::Now;

    use super::*;
    use crate::upgrade::{PODS, TOKEN, clients};

    const TAIL: &str = include_str!("../../fixtures/former/tail.jsonl");
    const PAGE: &str = include_str!("../../fixtures/former/page.jsonl");

    #[test]
    fn what_a_former_release_says_and_hears_is_read_by_this_one() {
        for text in [TAIL, PAGE] {
            let recording = Recording::parse(text).unwrap();
            assert_eq!(recording.print(), text, "`cargo xtask upgrade COMMIT -- --record` writes the same");
            for message in recording.0 {
                match message {
                    Recorded::Said(text) => drop(codec::decode_client(&text).expect(&text)),
                    Recorded::Heard(heard) => drop(codec::decode_server(&heard).expect("a frame")),
                }
            }
        }
    }

    #[test]
    fn a_client_of_this_release_is_exact_by_the_frames_of_a_former_gateway() {
        let now = Now { now_ms: 1, chance: 0.5 };
        let mut client: Client = Client::new("tail", SignIn::Bearer(TOKEN.into()));
        let view = client.open(clients::pods().unwrap(), now);
        client.handle(Input::Start, now);
        client.handle(Input::Opened, now);
        for message in Recording::parse(TAIL).unwrap().0 {
            while client.poll_output().is_some() {}
            if let Recorded::Heard(heard) = message {
                let frame = Box::new(codec::decode_server(&heard).unwrap());
                client.handle(Input::Frame { frame, bytes: 0 }, now);
            }
        }
        let view = client.view(view).unwrap();
        assert!(view.is_exact() && view.table().len() == PODS, "{:?}", view.subscription());
        let resyncs = view.subscription().resyncs;
        assert_eq!((resyncs.broken, resyncs.differed), (0, 0));
        let restarts = view.table().rows().filter(|row| row.resource_version.as_str() == "1498");
        let cells: Vec<String> = restarts.map(|row| format!("{:?}", row.cells[3])).collect();
        assert!(cells.len() == 1 && cells[0].contains("10"), "{cells:?}");
    }
}
