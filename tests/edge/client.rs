//! A client that sends what a test gives it, over the real sockets of a running gateway.

use futures_util::{SinkExt, StreamExt};
use replica::driver::page_key::PageKey;
use serde_json::{Value, json};
use testkit::dogwatch::Dogwatch;
use testkit::gateways::{Socket, next_frame};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message};

/// What a page holds that signed in.
pub struct Page {
    key: PageKey,
    session: String,
    origin: String,
}

impl Page {
    /// A page that claims this one's session.
    pub fn of_another_key(&self) -> Self {
        let key = PageKey::generate().expect("randomness");
        Self { key, session: self.session.clone(), origin: self.origin.clone() }
    }
}

/// The first frame after a `hello` of this page.
pub async fn greeting(gateway: &Dogwatch, page: Option<&Page>) -> Value {
    opened(gateway, page).await.1
}

pub async fn opened(gateway: &Dogwatch, page: Option<&Page>) -> (Socket, Value) {
    let host = page.map(|page| page.origin.trim_start_matches("http://").to_owned());
    let mut socket = upgraded_at(gateway, &host.unwrap_or_else(|| gateway.host())).await.expect("opened");
    hello(&mut socket, page).await;
    let answer = next_frame(&mut socket).await.unwrap_or_else(|code| panic!("closed with {code}"));
    (socket, answer)
}

/// A socket as a browser opens it, before `hello`. `Err`: the status of the refusal.
pub async fn upgraded(gateway: &Dogwatch) -> Result<Socket, u16> {
    upgraded_at(gateway, &gateway.host()).await
}

/// The same, as a page at another of its names opens it.
async fn upgraded_at(gateway: &Dogwatch, host: &str) -> Result<Socket, u16> {
    let mut request = format!("ws://{host}/api/ws").into_client_request().expect("a request");
    let origin = format!("http://{host}");
    request.headers_mut().insert("origin", origin.parse().expect("a value"));
    request.headers_mut().insert("sec-websocket-protocol", "dogwatch.v2".parse().expect("a value"));
    let stream = TcpStream::connect(gateway.address()).await.expect("connected");
    match tokio_tungstenite::client_async(request, stream).await {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::Error::Http(response)) => Err(response.status().as_u16()),
        Err(other) => panic!("{other}"),
    }
}

/// Answers the challenge, with the proof of a page if there is one.
pub async fn hello(socket: &mut Socket, page: Option<&Page>) {
    let challenge = next_frame(socket).await.expect("the gateway speaks first");
    let nonce = challenge["challenge"]["nonce"].as_str().expect("a nonce").to_owned();
    let mut hello = json!({"hello": {"version": "dogwatch.v2"}});
    if let Some(Page { key, session, origin }) = page {
        let proof = key.proof(session, &nonce, origin).expect("randomness");
        hello["hello"]["credential"] = json!({ "proof": proof });
    }
    socket.send(Message::text(hello.to_string())).await.expect("sent");
}

/// Reads what is left until the gateway's own end.
pub async fn closing(socket: &mut Socket) {
    while socket.next().await.is_some() {}
}

pub fn socket_url(gateway: &Dogwatch) -> String {
    format!("ws://{}/api/ws", gateway.address())
}

/// A page that signs in with the printed code.
pub async fn signed_in(gateway: &Dogwatch) -> Page {
    login(gateway, gateway.code()).await.1.expect("a session")
}

/// At the printed address.
pub async fn login(gateway: &Dogwatch, code: &str) -> (u16, Option<Page>) {
    login_at(gateway, &gateway.host(), code).await
}

pub async fn login_at(gateway: &Dogwatch, host: &str, code: &str) -> (u16, Option<Page>) {
    let key = PageKey::generate().expect("randomness");
    let body = json!({ "code": code, "key": key.public() }).to_string();
    let origin = format!("http://{host}");
    let origin_line = format!("origin: {origin}");
    let lines = ["POST /api/login HTTP/1.1", "content-type: application/json", &origin_line];
    let (status, answer) = said((&gateway.address(), host), &lines, &body).await;
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    (status, answer["session"].as_str().map(|session| Page { key, session: session.to_owned(), origin }))
}

/// A GET without any other header.
pub async fn ask(address: &str, path: &str) -> (u16, String) {
    said((address, address), &[&format!("GET {path} HTTP/1.1")], "").await
}

pub async fn say(gateway: &Dogwatch, lines: &[&str], body: &str) -> (u16, String) {
    said((&gateway.address(), &gateway.host()), lines, body).await
}

async fn said((address, host): (&str, &str), lines: &[&str], body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.expect("connected");
    let (head, length) = (lines.join("\r\n"), body.len());
    let request =
        format!("{head}\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.expect("written");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("read");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
    (status, body.to_owned())
}
