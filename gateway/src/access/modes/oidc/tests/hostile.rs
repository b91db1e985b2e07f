//! A provider on loopback that signs and answers whatever it is told, and counts what it is asked.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::access::jwt::testing::Issuer;
use crate::clock::wall_ms;

pub(crate) struct Hostile {
    pub(crate) issuer: String,
    pub(super) signer: Issuer,
    said: Arc<Said>,
    task: JoinHandle<()>,
}

struct Said {
    issuer: String,
    keys: Mutex<Value>,
    /// Status and body of its next answers for tokens; the last one stays.
    tokens: Mutex<Vec<(u16, Value)>>,
    asked: AtomicUsize,
    found: AtomicUsize,
    is_away: AtomicBool,
    /// Whether its answers for tokens wait.
    is_held: watch::Sender<bool>,
    bodies: Mutex<Vec<String>>,
}

impl Hostile {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let issuer = format!("http://{}", listener.local_addr().expect("bound"));
        let signer = Issuer::new();
        let keys = Mutex::new(json!({ "keys": [signer.jwk("one")] }));
        let said = Said {
            issuer: issuer.clone(),
            keys,
            tokens: Mutex::default(),
            asked: AtomicUsize::new(0),
            found: AtomicUsize::new(0),
            is_away: AtomicBool::new(false),
            is_held: watch::Sender::new(false),
            bodies: Mutex::default(),
        };
        let said = Arc::new(said);
        let serving = Arc::clone(&said);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&serving)));
            }
        });
        Self { issuer, signer, said, task }
    }

    /// An ID token as it should be, but for this.
    pub(crate) fn token(&self, nonce: &str, change: Value) -> String {
        self.signer.token(&json!({ "alg": "ES256", "kid": "one" }), &self.claims(nonce, change))
    }

    pub(crate) fn claims(&self, nonce: &str, change: Value) -> Value {
        let now_s = wall_ms() / 1_000;
        let mut claims = json!({ "iss": self.issuer, "aud": "dogwatch", "sub": "1", "nonce": nonce, "sid": "p1",
            "iat": now_s, "exp": now_s + 300, "email": "alice@example.org", "groups": ["dev"] });
        let (Value::Object(all), Value::Object(change)) = (&mut claims, change) else { panic!("objects") };
        all.extend(change);
        all.retain(|_, value| !value.is_null());
        claims
    }

    /// What it answers for a code or a refresh token from now on.
    pub(crate) fn gives(&self, id_token: String, refresh_token: Option<&str>) {
        let body = json!({ "id_token": id_token, "access_token": "a", "refresh_token": refresh_token });
        self.answers(vec![(200, body)]);
    }

    pub(super) fn answers(&self, answers: Vec<(u16, Value)>) {
        *self.said.tokens.lock().expect("held") = answers;
    }

    pub(super) fn publishes(&self, keys: Value) {
        *self.said.keys.lock().expect("held") = keys;
    }

    /// How often it was asked for tokens.
    pub(super) fn asked(&self) -> usize {
        self.said.asked.load(Ordering::SeqCst)
    }

    /// From now on it says that it is away.
    pub(super) fn goes_away(&self) {
        self.said.is_away.store(true, Ordering::SeqCst);
    }

    /// Its answers for tokens wait from now on, or don't any more.
    pub(super) fn holds(&self, is_held: bool) {
        self.said.is_held.send_replace(is_held);
    }

    /// Waits until it was asked for tokens so often.
    pub(super) async fn until_asked(&self, times: usize) {
        while self.asked() < times {
            tokio::task::yield_now().await;
        }
    }

    /// How often it was looked for.
    pub(super) fn found(&self) -> usize {
        self.said.found.load(Ordering::SeqCst)
    }

    /// The last request for tokens.
    pub(super) fn last_body(&self) -> String {
        self.said.bodies.lock().expect("held").last().cloned().unwrap_or_default()
    }

    pub(super) async fn stop(&mut self) {
        self.task.abort();
        // An error says that it was aborted.
        let _ = (&mut self.task).await;
    }
}

async fn answer(mut stream: TcpStream, said: Arc<Said>) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let Ok(count @ 1..) = stream.read(&mut buffer).await else { return };
        request.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&request).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() < length.unwrap_or(0) {
            continue;
        }
        let is_of_tokens = head.starts_with("POST /token ");
        let (status, answer) = said.to(head.split(' ').nth(1).unwrap_or_default(), body);
        if is_of_tokens {
            // It ends with its test.
            let _ = said.is_held.subscribe().wait_for(|is_held| !is_held).await;
        }
        let answer = answer.to_string();
        let whole = format!(
            "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{answer}",
            answer.len()
        );
        // A gateway that has gone needs no answer.
        let _ = stream.write_all(whole.as_bytes()).await;
        return;
    }
}

impl Said {
    fn to(&self, path: &str, body: &str) -> (u16, Value) {
        let at = |path: &str| format!("{}{path}", self.issuer);
        match path {
            "/.well-known/openid-configuration" => {
                self.found.fetch_add(1, Ordering::SeqCst);
                if self.is_away.load(Ordering::SeqCst) {
                    return (503, Value::Null);
                }
                (
                    200,
                    json!({ "issuer": self.issuer, "authorization_endpoint": at("/auth"),
                    "token_endpoint": at("/token"), "jwks_uri": at("/keys"),
                    "end_session_endpoint": at("/end"), "scopes_supported": ["openid", "offline_access"] }),
                )
            }
            "/keys" => (200, self.keys.lock().expect("held").clone()),
            _ => {
                self.asked.fetch_add(1, Ordering::SeqCst);
                self.bodies.lock().expect("held").push(body.to_owned());
                let mut answers = self.tokens.lock().expect("held");
                if answers.len() > 1 { answers.remove(0) } else { answers.first().cloned().expect("told") }
            }
        }
    }
}
