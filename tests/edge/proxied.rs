//! Mode `proxy` over real sockets: whom each way of trusting a proxy lets in, and every spelling of an identity that it
//! doesn't. nginx stands before the gateway in [`crate::proxied_by_nginx`].

use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::SinkExt;
use rustix::process::Signal;
use serde_json::{Value, json};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::gateways::next_frame;
use testkit::identities::TokenIssuer;
use testkit::stream::Stream;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream, UnixStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message};

use crate::DEMO;
use testkit::ports::free_address;

fn gateway(flags: &[&str]) -> Dogwatch {
    let home = Home::new().expect("a folder");
    home.serve(&[&DEMO[..], &["--auth", "proxy"], flags].concat()).expect("it starts")
}

/// The status of an upgrade with these lines, and the answer's body.
pub async fn upgraded<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    host: &str,
    lines: &[&str],
) -> (u16, String) {
    let connection = if lines.iter().any(|line| line.to_lowercase().starts_with("connection:")) {
        ""
    } else {
        "connection: upgrade\r\n"
    };
    let lines: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
    let head = format!(
        "GET /api/ws HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\n{connection}upgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{lines}\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("written");
    let mut answer = Vec::new();
    while !answer.windows(4).any(|four| four == b"\r\n\r\n") {
        assert_ne!(stream.read_buf(&mut answer).await.expect("read"), 0, "it ends: {answer:?}");
    }
    let text = String::from_utf8_lossy(&answer).into_owned();
    let status = text.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
    (status, text)
}

async fn status(gateway: &Dogwatch, lines: &[&str]) -> u16 {
    let stream = TcpStream::connect(gateway.address()).await.expect("connected");
    upgraded(stream, &gateway.address(), lines).await.0
}

/// R-AUTHN-5
#[tokio::test]
async fn r_authn_6_an_identity_that_is_spelt_in_two_ways_is_none() {
    let gateway = gateway(&["--proxy-cidr", "127.0.0.1", "--proxy-user-header", "X-Forwarded-User"]);
    let user = "X-Forwarded-User: alice";
    for (lines, expected) in [
        (&[user][..], 101),
        (&[user, "X-Remote-Group: dev", "X-Remote-Group: ops"], 101),
        (&[user, "Authorization: Basic YTpi"], 101),
        (&[user, user], 400),
        (&[user, "x-forwarded-user: root"], 400),
        (&[user, "X_Forwarded_User: root"], 400),
        (&["X_Forwarded_User: alice"], 400),
        (&["X-Forwarded-User:"], 400),
        (&[user, "X-Remote-Group:"], 400),
        (&[user, "Connection: upgrade, X-Forwarded-User"], 400),
        (&[user, "Connection: upgrade", "Connection: X-Remote-Group"], 400),
        (&[user, "X-Remote-Group: system:masters"], 400),
        (&["X-Forwarded-User: system:admin"], 400),
        (&["X-Remote-Group: dev"], 401),
        (&["X-Remote-User: alice"], 401),
        (&["Authorization: Bearer aToken"], 401),
        (&[], 401),
    ] {
        assert_eq!(status(&gateway, lines).await, expected, "{lines:?}");
    }
    let url = format!("ws://{}/api/ws", gateway.address());
    let stream = TcpStream::connect(gateway.address()).await.expect("connected");
    let evil = [("x-forwarded-user", "alice"), ("origin", "https://evil.example")];
    assert_eq!(socket(stream, &url, &evil).await.map(drop), Err(403), "another site's page");
    let stream = TcpStream::connect(gateway.address()).await.expect("connected");
    let cookie = [("x-forwarded-user", "alice"), ("cookie", "of-the-proxy=1")];
    assert_eq!(socket(stream, &url, &cookie).await.map(drop), Err(403), "a browser says its page");
}

#[tokio::test]
async fn r_authn_6_headers_from_elsewhere_are_nobodys() {
    let gateway = gateway(&["--proxy-cidr", "127.0.0.2/32"]);
    let lines = ["X-Remote-User: alice"];
    assert_eq!(status(&gateway, &lines).await, 401);
    let address: SocketAddr = gateway.address().parse().expect("an address");
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.2:0".parse().expect("an address")).expect("bound");
    let proxy = socket.connect(address).await.expect("connected");
    assert_eq!(upgraded(proxy, &gateway.address(), &lines).await.0, 101);
    for (path, method) in [("/api/login", "POST"), ("/api/code", "POST")] {
        let (status, _) = crate::client::say(
            &gateway,
            &[&format!("{method} {path} HTTP/1.1"), "content-type: application/json", lines[0]],
            "{\"code\": \"x\", \"key\": \"BAAA\"}",
        )
        .await;
        assert!([400, 401].contains(&status), "{path}: {status}");
    }
}

#[tokio::test]
async fn r_authn_6_only_who_opens_the_proxys_socket_says_who_comes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("proxy.sock");
    let mut gateway = gateway(&["--proxy-socket", path.to_str().expect("text")]);
    let lines = ["X-Remote-User: alice"];
    assert_eq!(status(&gateway, &lines).await, 401);
    let open = async |user: Option<&str>| {
        let stream = UnixStream::connect(&path).await.expect("connected");
        let headers: Vec<_> = user.map(|user| ("x-remote-user", user)).into_iter().collect();
        socket(stream, "ws://localhost/api/ws", &headers).await
    };
    assert_eq!(open(None).await.map(drop), Err(401));
    let mut socket = open(Some("alice")).await.expect("opened");
    let viewer = greeted(&mut socket).await;
    assert_eq!((viewer["user"].as_str(), viewer["mode"].as_str()), (Some("alice"), Some("proxy")));
    gateway.signal(Signal::TERM).expect("it runs");
    assert!(gateway.wait().expect("it ends").0.success());
    assert!(!path.exists());
}

/// A socket with these headers. `Err`: the status of the refusal.
pub async fn socket<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    url: &str,
    headers: &[(&'static str, &str)],
) -> Result<WebSocketStream<S>, u16> {
    let mut request = url.into_client_request().expect("a request");
    for (name, value) in headers {
        request.headers_mut().append(*name, value.parse().expect("a value"));
    }
    match tokio_tungstenite::client_async(request, stream).await {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::Error::Http(response)) => Err(response.status().as_u16()),
        Err(other) => panic!("{other}"),
    }
}

/// Says `hello` as a page does, when it is asked; the viewer of `welcome`.
pub async fn greeted<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut WebSocketStream<S>) -> Value {
    welcomed(socket).await["viewer"].clone()
}

async fn welcomed<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut WebSocketStream<S>) -> Value {
    let challenge = next_frame(socket).await.expect("the gateway speaks first");
    assert_eq!(challenge["challenge"]["wanted"], "proxy", "{challenge}");
    let hello = json!({ "hello": { "version": "dogwatch.v2" } });
    socket.send(Message::text(hello.to_string())).await.expect("sent");
    let welcome = next_frame(socket).await.expect("greeted");
    welcome["welcome"].clone()
}

/// Each reader of a team has a kubeconfig of their own, so a command with the gateway's context would fail there, or ask
/// another cluster.
#[tokio::test]
async fn a_team_hears_of_no_context_of_the_gateways_kubeconfig() {
    let gateway = gateway(&["--proxy-cidr", "127.0.0.1", "--proxy-user-header", "X-Forwarded-User"]);
    let stream = TcpStream::connect(gateway.address()).await.expect("connected");
    let url = format!("ws://{}/api/ws", gateway.address());
    let origin = format!("http://{}", gateway.address());
    let headers = [("origin", origin.as_str()), ("x-forwarded-user", "alice")];
    let mut socket = socket(stream, &url, &headers).await.expect("let in");
    let clusters = welcomed(&mut socket).await["clusters"].clone();
    assert!(clusters[0]["name"].is_string() && clusters[0].get("context").is_none(), "{clusters}");
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_millis()).expect("fits")
}

#[tokio::test]
async fn r_authn_9_a_login_of_a_proxys_token_is_over_when_the_token_is() {
    let (issuer, folder) = (TokenIssuer::new().expect("a key"), tempfile::tempdir().expect("a folder"));
    let keys = folder.path().join("keys.json");
    std::fs::write(&keys, issuer.keys().to_string()).expect("written");
    let gateway = gateway(&[
        "--proxy-jwt-keys",
        keys.to_str().expect("text"),
        "--proxy-jwt-header",
        "X-Jwt",
        "--proxy-jwt-issuer",
        "https://proxy.example",
        "--proxy-jwt-audience",
        "dogwatch",
    ]);
    let ends_ms = (now_ms() / 1_000 + 3) * 1_000;
    let token = |change: Value| {
        let mut claims = json!({"iss": "https://proxy.example", "aud": ["dogwatch"], "sub": "alice",
            "groups": ["dev", "platform"], "exp": ends_ms / 1_000});
        claims.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
        issuer.token(&claims).expect("signed")
    };
    let open = async |token: &str| {
        let stream = TcpStream::connect(gateway.address()).await.expect("connected");
        socket(stream, &format!("ws://{}/api/ws", gateway.address()), &[("x-jwt", token)]).await
    };
    let good = token(json!({}));
    for (refused, expected) in [
        (token(json!({ "aud": "another" })), 401),
        (token(json!({ "exp": 1 })), 401),
        (TokenIssuer::new().expect("a key").token(&json!({ "sub": "alice" })).expect("signed"), 401),
        (token(json!({ "groups": ["system:masters"] })), 400),
    ] {
        assert_eq!(open(&refused).await.map(drop), Err(expected));
    }
    let tcp = TcpStream::connect(gateway.address()).await.expect("connected");
    let stream = Stream::open(tcp, &gateway.address(), "resource=pods", &[("x-jwt", &good)]).await;
    let mut socket = open(&good).await.expect("opened");
    let viewer = greeted(&mut socket).await;
    assert_eq!((viewer["user"].as_str(), viewer["groups"][0].as_str()), (Some("alice"), Some("dev")));
    let mut told = Value::Null;
    let code = loop {
        match next_frame(&mut socket).await {
            Ok(frame) if frame.get("auth").is_some() => told = frame["auth"]["expires_ms"].clone(),
            Ok(_) => {}
            Err(code) => break code,
        }
    };
    assert_eq!((code, told.as_i64()), (4401, Some(ends_ms)));
    let last = stream.expect("opened").to_the_end().await.expect("read");
    assert_eq!((&last["type"], &last["reason"]), (&json!("end"), &json!("Unauthorized")), "{last}");
    assert!((ends_ms..ends_ms + 1_000).contains(&now_ms()), "{} ms late", now_ms() - ends_ms);
    assert_eq!(open(&good).await.map(drop), Err(401), "it is over");
}

#[tokio::test]
async fn r_data_4_nothing_that_a_gateway_writes_or_answers_holds_a_proxys_token() {
    let (issuer, folder) = (TokenIssuer::new().expect("a key"), tempfile::tempdir().expect("a folder"));
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (keys, audit, metrics) = (path("keys.json"), path("audit.log"), free_address().to_string());
    std::fs::write(&keys, issuer.keys().to_string()).expect("written");
    let jwt = ["--proxy-jwt-issuer", "https://proxy.example", "--proxy-jwt-audience", "dogwatch"];
    let known = ["--auth", "proxy", "--proxy-jwt-keys", &keys, "--proxy-jwt-header", "X-Jwt"];
    let written = ["--audit-log", &audit, "--metrics-listen", &metrics];
    let home = Home::new().expect("a folder");
    let flags = [&DEMO[..], &known, &jwt, &written].concat();
    let mut gateway = home.serve_with(&flags, &[("DOGWATCH_LOG", "trace")]).expect("it starts");
    let token = |issuer: &TokenIssuer, audience: &str, ends_s: i64| {
        let claims =
            json!({ "iss": "https://proxy.example", "aud": audience, "sub": "alice", "exp": ends_s });
        issuer.token(&claims).expect("signed")
    };
    let later = now_ms() / 1_000 + 3_600;
    let good = token(&issuer, "dogwatch", later);
    let wrong = [
        token(&issuer, "another", later),
        token(&issuer, "dogwatch", 1),
        token(&TokenIssuer::new().expect("a key"), "dogwatch", later),
        "aPlantedTokenThatIsNone".to_owned(),
    ];

    let mut said = Vec::new();
    let url = format!("ws://{}/api/ws", gateway.address());
    let stream = TcpStream::connect(gateway.address()).await.expect("connected");
    let of_proxy = [("x-jwt", good.as_str()), ("authorization", "Basic aPlantedPassword")];
    let mut open = socket(stream, &url, &of_proxy).await.expect("opened");
    said.push(greeted(&mut open).await.to_string());
    open.send(Message::text("{\"no\": \"frame\"}")).await.expect("sent");
    said.push(next_frame(&mut open).await.expect("an answer").to_string());
    drop(open);
    for token in &wrong {
        let header = format!("x-jwt: {token}");
        let stream = TcpStream::connect(gateway.address()).await.expect("connected");
        let (status, answer) = upgraded(stream, &gateway.address(), &[&header]).await;
        assert!([400, 401].contains(&status), "{answer}");
        let lines = ["GET /api/ws HTTP/1.1", &header, "cookie: of-the-proxy=aPlantedCookie"];
        said.extend([answer, crate::client::say(&gateway, &lines, "").await.1]);
    }
    let (_, counted) = crate::client::ask(&metrics, "/metrics").await;
    gateway.signal(Signal::TERM).expect("it runs");
    let (_, log) = gateway.wait().expect("it ends");
    let records = std::fs::read_to_string(&audit).expect("read");
    assert!(log.contains("TRACE") && log.contains("/api/ws"), "it was loud: {log}");
    assert!(records.contains("\"login\"") && records.contains("login-refused"), "{records}");
    assert!(counted.contains("dogwatch_"), "{counted}");
    let written = [("the log", log), ("the audit log", records), ("the metrics", counted)];
    let credentials: Vec<&str> = wrong.iter().chain([&good]).flat_map(|token| token.split('.')).collect();
    for (what, text) in written.into_iter().chain(said.into_iter().map(|text| ("an answer", text))) {
        for part in credentials.iter().chain(&["aPlanted", "eyJ"]) {
            let line = text.lines().find(|line| line.contains(part));
            assert!(line.is_none(), "{what} holds {part}: {line:?}");
        }
    }
}

#[test]
fn r_authn_6_a_gateway_that_knows_no_proxy_does_not_start() {
    let home = Home::new().expect("a folder");
    let said = |flags: &[&str]| {
        let arguments = [&["serve"], &DEMO[..], &["--auth", "proxy"], flags].concat();
        let output = home.command().args(arguments).output().expect("started");
        assert!(!output.status.success());
        String::from_utf8(output.stderr).expect("text")
    };
    assert!(said(&[]).contains("must know its proxy"));
    assert!(said(&["--proxy-cidr", "::1", "--proxy-socket", "/s"]).contains("give one of"));
    assert!(said(&["--proxy-client-ca", "/ca.pem", "--proxy-client-name", "front"]).contains("--tls-cert"));
    assert!(said(&["--proxy-socket", "/tmp/proxy.sock"]).contains("stand in for the proxy"));
    let jwt = ["--proxy-jwt-header=X", "--proxy-jwt-issuer=i", "--proxy-jwt-audience=a"];
    assert!(said(&[&jwt[..], &["--proxy-jwt-keys=/none.json"]].concat()).contains("--proxy-jwt-keys"));
    assert!(
        said(&["--proxy-cidr", "::1", "--tls-cert", "/c", "--tls-key", "/k"])
            .contains("--tls-cert /c can't be read")
    );
}
