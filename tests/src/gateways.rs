//! Gateways at one public URL, and a browser that a test leads to one of them, or to what stands before them.

use futures_util::{SinkExt, StreamExt};
use http::HeaderMap;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use serde_json::{Value, json};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use crate::dogwatch::{Dogwatch, Home};
use crate::ports::free_address;
use crate::provider::{Browser, CLIENT_ID, Provider, ProviderOptions};
use crate::stream::Stream;
use crate::teams;
use crate::viewer::{Viewer, tcp};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message};

pub const PUBLIC: &str = "https://dogwatch.test";
pub const OLD_KEY: &str = "b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2w=";
pub const NEW_KEY: &str = "bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmU=";

pub type Socket = WebSocketStream<TcpStream>;

pub struct Gateway {
    pub dogwatch: Dogwatch,
    entrance: Entrance,
}

/// Where browsers come in: at a gateway, or at a proxy before several.
pub struct Entrance {
    pub address: String,
}

impl Deref for Gateway {
    type Target = Entrance;

    fn deref(&self) -> &Entrance {
        &self.entrance
    }
}

pub fn alice() -> Value {
    json!({ "sub": "1", "email": "alice@example.org", "email_verified": true, "groups": ["dev", "ops"] })
}

/// A confidential client that gets refresh tokens.
pub fn options() -> ProviderOptions {
    ProviderOptions {
        host: "localhost",
        redirect_uri: format!("{PUBLIC}/login/callback"),
        logout_uri: None,
        client_secret: Some("the client's secret: 100% +&=:"),
        offline: true,
        account: alice(),
    }
}

pub fn start(provider: &Provider, secret: Option<&str>) -> Gateway {
    start_at(provider, secret, &free_address().to_string(), &[OLD_KEY], &[])
}

pub fn start_at(
    provider: &Provider,
    secret: Option<&str>,
    address: &str,
    keys: &[&str],
    more: &[&str],
) -> Gateway {
    start_with(provider, secret, (address, keys), more, &[])
}

pub fn start_with(
    provider: &Provider,
    secret: Option<&str>,
    (address, keys): (&str, &[&str]),
    more: &[&str],
    variables: &[(&str, &str)],
) -> Gateway {
    let home = Home::new().expect("a folder");
    let file = |name: &str, text: String| {
        let path = home.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("text").to_owned()
    };
    let keys = file("keys", keys.join("\n"));
    let ca = file("ca.pem", String::new());
    provider.write_certificate(ca.as_ref()).expect("written");
    let secret = secret.map(|secret| file("secret", format!("{secret}\n")));
    let issuer = provider.issuer();
    let mut flags = vec!["--listen", address, "--auth=oidc"];
    if !more.contains(&"--public-url") {
        flags.extend(["--public-url", PUBLIC]);
    }
    if !more.contains(&"--kubeconfig") {
        flags.push("--demo");
    }
    flags.extend(["--oidc-issuer", issuer, "--oidc-client-id", CLIENT_ID]);
    if !more.contains(&"--oidc-ca-file") {
        flags.extend(["--oidc-ca-file", &ca]);
    }
    flags.extend(["--oidc-username-claim=email", "--oidc-groups-claim=groups", "--session-key-file", &keys]);
    flags.extend(secret.iter().flat_map(|secret| ["--oidc-client-secret-file", secret]));
    flags.extend(more);
    let dogwatch = home.serve_with(&flags, variables).expect("it starts");
    Gateway { dogwatch, entrance: Entrance { address: address.to_owned() } }
}

impl Entrance {
    /// A browser that has been nowhere yet, led to here.
    pub fn browser(&self, provider: &Provider) -> Browser {
        let mut browser = provider.browser().expect("made");
        browser.lead(PUBLIC, &self.address);
        browser
    }

    /// One that signed in.
    pub async fn signed_in(&self, provider: &Provider) -> Browser {
        let mut browser = self.browser(provider);
        let answer = browser.open(&format!("{PUBLIC}/login?to=/healthz")).await.expect("answered");
        assert_eq!((answer.url, answer.body.as_str()), (format!("{PUBLIC}/healthz"), "ok"));
        browser
    }

    /// A socket with these headers, and those of the answer. `Err`: the status of the refusal.
    pub async fn upgraded(&self, headers: &[(&'static str, &str)]) -> Result<(Socket, HeaderMap), u16> {
        let mut request = "ws://dogwatch.test/api/ws".into_client_request().expect("a request");
        for (name, value) in headers.iter().chain(&[("sec-websocket-protocol", "dogwatch.v2")]) {
            request.headers_mut().insert(*name, value.parse().expect("a value"));
        }
        let stream = TcpStream::connect(&self.address).await.expect("connected");
        match tokio_tungstenite::client_async(request, stream).await {
            Ok((socket, answer)) => Ok((socket, answer.headers().clone())),
            Err(tungstenite::Error::Http(response)) => Err(response.status().as_u16()),
            Err(other) => panic!("{other}"),
        }
    }

    /// As a page of this browser opens it: the socket, and the answer to its `hello`.
    pub async fn opened(&self, browser: &Browser) -> (Socket, Result<Value, u16>) {
        let (socket, answer, _) = self.opened_with_headers(browser).await;
        (socket, answer)
    }

    /// The same, with the headers of the upgrade's answer.
    pub async fn opened_with_headers(&self, browser: &Browser) -> (Socket, Result<Value, u16>, HeaderMap) {
        let cookies = browser.cookies_of(PUBLIC);
        let opened = self.upgraded(&[("origin", PUBLIC), ("cookie", &cookies)]).await;
        let (mut socket, headers) = opened.expect("opened");
        let challenge = next_frame(&mut socket).await.expect("the gateway speaks first");
        assert_eq!(challenge["challenge"]["wanted"], "login", "{challenge}");
        let hello = json!({ "hello": { "version": "dogwatch.v2" } });
        socket.send(Message::text(hello.to_string())).await.expect("sent");
        let answer = next_frame(&mut socket).await;
        (socket, answer, headers)
    }

    /// A table of all config maps on a page of this browser.
    pub fn page_of(&self, browser: &Browser) -> Viewer {
        let mut headers = HeaderMap::new();
        for (name, value) in [("origin", PUBLIC), ("cookie", &browser.cookies_of(PUBLIC))] {
            headers.insert(name, value.parse().expect("a value"));
        }
        let address = self.address.clone();
        let scope = teams::config_maps().expect("a scope");
        Viewer::of_page("ws://dogwatch.test/api/ws", headers, move || tcp(&address), scope)
    }

    /// As a page of this browser opens it with `EventSource`, which names no origin.
    pub async fn stream_of(&self, browser: &Browser) -> Stream {
        let tcp = TcpStream::connect(&self.address).await.expect("connected");
        let cookies = browser.cookies_of(PUBLIC);
        let headers = [("cookie", cookies.as_str()), ("sec-fetch-site", "same-origin")];
        Stream::open(tcp, "dogwatch.test", "resource=configmaps&format=sse", &headers)
            .await
            .expect("answered")
    }

    /// The user that a page of this browser sees.
    pub async fn user(&self, browser: &Browser) -> Option<String> {
        let (_, answer) = self.opened(browser).await;
        answer.ok()?["welcome"]["viewer"]["user"].as_str().map(str::to_owned)
    }
}

pub async fn send(socket: &mut Socket, frame: Value) {
    socket.send(Message::text(frame.to_string())).await.expect("sent");
}

/// The next text frame. `Err`: the code of the close.
pub async fn next_frame<S: AsyncRead + AsyncWrite + Unpin>(
    socket: &mut WebSocketStream<S>,
) -> Result<Value, u16> {
    loop {
        match socket.next().await.expect("a close comes before the end").expect("readable") {
            Message::Text(text) => return Ok(serde_json::from_str(text.as_str()).expect("JSON")),
            Message::Close(close) => return Err(close.expect("a code").code.into()),
            _ => {}
        }
    }
}

/// Fails unless the gateway answers on it.
pub async fn expect_alive(socket: &mut Socket) {
    socket.send(Message::text(json!({ "ping": { "n": 7 } }).to_string())).await.expect("sent");
    while next_frame(socket).await.expect("it goes on").get("pong").is_none() {}
}

/// The code with which each is closed. Fails if that takes longer.
pub async fn closed_within(sockets: Vec<Socket>, bound: Duration) -> Vec<u16> {
    let closed = sockets.into_iter().map(|mut socket| async move {
        loop {
            if let Err(code) = next_frame(&mut socket).await {
                return code;
            }
        }
    });
    timeout(bound, futures_util::future::join_all(closed)).await.expect("closed in time")
}

/// The status of a request that a page of the gateway makes over TLS, with these cookies.
pub async fn status_over_tls(address: &str, config: Arc<ClientConfig>, path: &str, cookies: &str) -> u16 {
    let tcp = TcpStream::connect(address).await.expect("connected");
    let name = ServerName::try_from("dogwatch.test").expect("a name");
    let mut stream = TlsConnector::from(config).connect(name, tcp).await.expect("a handshake");
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: dogwatch.test\r\norigin: {PUBLIC}\r\ncookie: {cookies}\r\n\
         content-length: 0\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("answered");
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.unwrap_or_else(|| panic!("no status in {answer:?}"))
}
