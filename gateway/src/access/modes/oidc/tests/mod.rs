//! Mode `oidc` against a provider that says whatever a test wants it to.

mod clients;
mod gateways;
pub(crate) mod hostile;
mod places;
mod renewals;
mod sign_ins;

use std::path::Path;
use std::sync::Arc;

use http::{HeaderMap, HeaderValue, header};
use serde_json::Value;
use shared::state::UnixMillis;

use super::seal::Purpose;
use super::*;
use crate::access::{Authenticator, LoginSession, RenewedLogin, Rights};
use crate::clock::wall_ms;
use hostile::Hostile;

const PUBLIC: &str = "https://dogwatch.example";
const OLD_KEY: &str = "b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2w=";
const NEW_KEY: &str = "bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmU=";

pub(super) fn settings() -> OidcSettings {
    OidcSettings {
        issuer: "https://id.example".to_owned(),
        client_id: "dogwatch".to_owned(),
        client_secret_file: None,
        ca_file: None,
        mapping: Mapping {
            username_claim: "email".to_owned(),
            username_prefix: String::new(),
            groups_claim: Some("groups".to_owned()),
            groups_prefix: String::new(),
        },
        scopes: vec!["email".to_owned()],
        session_hours: 12,
        unconfirmed_minutes: 60,
        session_key_file: None,
        peers: None,
    }
}

fn gateway(provider: &Hostile) -> Oidc {
    let settings = OidcSettings { issuer: provider.issuer.clone(), ..settings() };
    Oidc::new(settings, PUBLIC.to_owned()).expect("settings")
}

/// The mode of a gateway at this address, for tests of its routes.
pub(crate) fn authenticator_at(provider: &Hostile, public_url: String) -> Authenticator {
    let settings = OidcSettings { issuer: provider.issuer.clone(), ..settings() };
    Authenticator::new(Arc::new(Oidc::new(settings, public_url).expect("settings")))
}

fn gateway_with(provider: &Hostile, folder: &Path, keys: &[&str]) -> Oidc {
    Oidc::new(settings_with(provider, folder, keys), PUBLIC.to_owned()).expect("settings")
}

fn settings_with(provider: &Hostile, folder: &Path, keys: &[&str]) -> OidcSettings {
    let file = folder.join(keys.concat().replace('=', ""));
    std::fs::write(&file, keys.join("\n")).expect("written");
    let issuer = provider.issuer.clone();
    OidcSettings { issuer, session_key_file: Some(file), ..settings() }
}

/// The cookies of a browser after it was told these.
fn kept(set: &[HeaderValue]) -> HeaderMap {
    let texts = set.iter().map(|value| value.to_str().expect("text"));
    let kept = texts.filter(|text| !text.contains("Max-Age=0;"));
    let pairs: Vec<&str> = kept.map(|text| text.split(';').next().expect("a pair")).collect();
    let mut headers = HeaderMap::new();
    headers.insert(header::COOKIE, pairs.join("; ").parse().expect("a value"));
    headers
}

/// A login that a browser began.
struct Browser {
    state: String,
    nonce: String,
    cookies: HeaderMap,
    to: String,
}

fn client(peer: &str) -> LoginClient {
    LoginClient { peer: Some(peer.parse().expect("an address")), forwarded: None }
}

async fn begun(gateway: &Oidc, to: &str) -> Browser {
    let redirect = gateway.begin(to, &HeaderMap::new(), wall_ms()).await.expect("begun");
    let (_, query) = redirect.to.split_once('?').expect("a query");
    let one = |name: &str| form::value(query, name).expect("one").expect("there");
    Browser { state: one("state"), nonce: one("nonce"), cookies: kept(&redirect.cookies), to: redirect.to }
}

impl Browser {
    async fn comes_back(&self, gateway: &Oidc) -> Result<Redirect, Failure> {
        self.comes_back_with(gateway, &format!("code=c1&state={}", self.state)).await
    }

    async fn comes_back_with(&self, gateway: &Oidc, query: &str) -> Result<Redirect, Failure> {
        match gateway.finish(query, (&self.cookies, &client("10.0.0.1")), wall_ms()).await? {
            Finished::Page(redirect) => Ok(redirect),
            Finished::Client(redirect) | Finished::Refused(redirect, _) => {
                panic!("a program's: {}", redirect.to)
            }
        }
    }
}

/// The cookies of a session of Alice's.
async fn signed_in(gateway: &Oidc, provider: &Hostile, change: Value) -> HeaderMap {
    let browser = begun(gateway, "/v/pods").await;
    provider.gives(provider.token(&browser.nonce, change), Some("r1"));
    kept(&browser.comes_back(gateway).await.expect("signed in").cookies)
}

fn user(gateway: &Oidc, cookies: &HeaderMap, now_ms: UnixMillis) -> Option<String> {
    gateway.login(cookies, now_ms).map(|login| login.identity.name().to_owned())
}
