//! An example before a gateway that takes tokens, and the cluster behind it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use playground::{Options, Playground, User};
use serde_json::{Value, json};

use super::host::Tokens;
use super::{Example, Host, Label, Site, built};
use crate::dogwatch::{Dogwatch, Home};
use crate::load::refused;
use crate::teams::{self, Subject};

/// What the script changes in a cluster.
pub trait Cluster {
    fn create(&self, pod: Value) -> Result<()>;
}

pub struct PortalRig<C> {
    pub cluster: C,
    pub host: Host,
    /// The namespaces of its pods: the first one is chosen, if there are two.
    pub namespaces: Vec<String>,
    first_ends_s: Arc<AtomicU64>,
    _dogwatch: Dogwatch,
}

impl<C: Cluster> PortalRig<C> {
    /// The gateway's flags are all but those of the site and its address.
    pub async fn new(
        example: &Example,
        cluster: C,
        (home, flags): (Home, &[&str]),
        namespaces: &[&str],
        (first_ends_s, tokens): (Arc<AtomicU64>, Tokens),
    ) -> Result<Self> {
        let host = Host::start().await?;
        let site = ["--listen", "127.0.0.1:0", "--allowed-origin", host.origin()];
        let dogwatch = home.serve(&[flags, &site[..]].concat())?;
        let namespaces: Vec<String> = namespaces.iter().map(|name| (*name).to_owned()).collect();
        host.serve(Site {
            folder: built(example)?,
            policy: example.policy,
            gateway: dogwatch.origin(),
            namespaces: namespaces.clone(),
            tokens,
        })?;
        Ok(Self { cluster, host, namespaces, first_ends_s, _dogwatch: dogwatch })
    }

    /// When the token ends that the last program got first, in seconds since 1970.
    pub fn first_ends_s(&self) -> u64 {
        self.first_ends_s.load(Ordering::Relaxed)
    }

    pub fn create_pod(&self, namespace: &str, name: &str, label: Option<Label>) -> Result<()> {
        let labels: BTreeMap<&str, &str> = label.into_iter().collect();
        let metadata = json!({ "name": name, "namespace": namespace, "labels": labels });
        let spec = json!({ "containers": [{ "name": "app", "image": "registry.example.com/app:v1" }] });
        let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec });
        self.cluster.create(pod).with_context(|| format!("create {namespace}/{name}"))
    }
}

impl Cluster for Playground {
    fn create(&self, pod: Value) -> Result<()> {
        Self::create(self, pod).map(drop).map_err(refused)
    }
}

/// Two namespaces, and a viewer of both with tokens that tell when they end.
pub async fn of_playground(example: &Example) -> Result<PortalRig<Playground>> {
    let start_s = now_s()?;
    // The playground has to know all tokens beforehand.
    let ends = (1..=TOKENS).map(|number| start_s + number * TOKENS_APART_S);
    let tokens: Vec<(u64, String)> = ends.map(|ends_s| (ends_s, token(ends_s))).collect();
    let mut users = vec![User::new("dogwatch", "token-of-the-gateway", &["system:masters"])];
    users.extend(tokens.iter().map(|(_, token)| User::new("alice", token, &[])));
    let playground = Playground::start(Options { users, ..Options::empty() }).await?;
    for namespace in NAMESPACES {
        let named = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace } });
        playground.create(named).map_err(refused)?;
    }
    teams::allow(&playground, "", Subject::User("alice"))?;
    let home = Home::new()?;
    let kubeconfig = home.kubeconfig_of(&playground)?;
    let flags = ["--auth", "bearer", "--kubeconfig", &kubeconfig.to_string_lossy()];
    PortalRig::new(example, playground, (home, &flags), &NAMESPACES, tokens_of(example, tokens)).await
}

/// The last program gets a token that ends soon after it asked, every other asker one that lasts. The tokens, with their
/// ends, are known beforehand.
pub(super) fn tokens_of(example: &Example, tokens: Vec<(u64, String)>) -> (Arc<AtomicU64>, Tokens) {
    let first_ends_s = Arc::new(AtomicU64::new(0));
    let chosen = Arc::clone(&first_ends_s);
    let last_program = example.view.programs() - 1;
    let given: Tokens = Box::new(move |before| {
        let soon_s = now_s().unwrap_or_default() + FIRST_TOKEN_S;
        let soon = tokens.iter().find(|(ends_s, _)| *ends_s >= soon_s);
        let Some((ends_s, token)) = soon.filter(|_| before == last_program).or(tokens.last()) else {
            return String::new();
        };
        if before == last_program {
            chosen.store(*ends_s, Ordering::Relaxed);
        }
        token.clone()
    });
    (first_ends_s, given)
}

pub(super) const NAMESPACES: [&str; 2] = ["shop", "payments"];
/// Half an hour of them.
const TOKENS: u64 = 360;
const TOKENS_APART_S: u64 = 5;
/// At least so long the first token is good.
const FIRST_TOKEN_S: u64 = 15;

/// The form of a JWT, whose signature the playground doesn't read.
fn token(ends_s: u64) -> String {
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}.c2lnbmVk", part(json!({ "alg": "none" })), part(json!({ "sub": "alice", "exp": ends_s })))
}

/// When a JWT ends, in seconds since 1970.
pub(super) fn ends_s(token: &str) -> Result<u64> {
    let claims = token.split('.').nth(1).context("a token has claims")?;
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims)?)?;
    claims["exp"].as_u64().context("a token has an end")
}

pub(super) fn now_s() -> Result<u64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs())
}
