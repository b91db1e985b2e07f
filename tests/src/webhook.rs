//! A receiver of what rules tell: it takes what is signed with its key, and refuses anything else.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

const KEY: [u8; 32] = [7; 32];

/// The receiver, and the events that it took.
pub struct Webhook {
    url: String,
    pub events: UnboundedReceiver<Value>,
}

impl Webhook {
    pub async fn start() -> Result<Self> {
        let (say, events) = unbounded_channel();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/hook", listener.local_addr()?);
        let router = Router::new().route("/hook", post(take)).with_state(say);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url, events })
    }

    /// An item of `receivers`, named `ops`. Writes the file of its key into the folder of the configuration.
    pub fn receiver(&self, folder: &Path) -> Result<String> {
        fs::write(folder.join("keys"), format!("whsec_{}\n", STANDARD.encode(KEY)))?;
        Ok(format!("- {{name: ops, webhook: '{}', secret-file: keys}}\n", self.url))
    }
}

async fn take(State(say): State<UnboundedSender<Value>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    match read(&headers, &body) {
        Ok(event) => {
            drop(say.send(event));
            StatusCode::NO_CONTENT
        }
        Err(_) => StatusCode::BAD_REQUEST,
    }
}

fn read(headers: &HeaderMap, body: &[u8]) -> Result<Value> {
    let of = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).context("a header");
    let id = of("webhook-id")?;
    let signed = [format!("{id}.{}.", of("webhook-timestamp")?).as_bytes(), body].concat();
    let signature = of("webhook-signature")?.strip_prefix("v1,").context("its version")?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, &KEY);
    ensure!(hmac::verify(&key, &signed, &STANDARD.decode(signature)?).is_ok(), "it isn't signed");
    let event: Value = serde_json::from_slice(body)?;
    ensure!(event["id"] == *id, "it names another");
    Ok(event)
}
