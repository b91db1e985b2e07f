//! The gateways of a team tell each other which sessions were ended, so that a logout holds for all of them within
//! seconds, and for one that starts before it serves anybody. Question and answer are sealed under the session key: who
//! doesn't hold it can neither ask nor read, and an answer fits its question alone.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use http::{Method, Uri, header};
use shared::state::UnixMillis;
use tokio_util::sync::CancellationToken;

use super::revoked::List;
use super::seal::Purpose;
use super::state::Oidc;
use crate::clock::wall_ms;
use crate::limits::{PEERS_ANSWER_S, PEERS_ASK_S, PEERS_ASKED_MS, PEERS_MAX};

/// Where a gateway answers.
pub const REVOKED: &str = "/login/revoked";
/// The scheme of the header `Authorization`.
const SCHEME: &str = "Dogwatch ";
const QUESTION: &str = "which sessions were ended?";

impl Oidc {
    /// Asks the others until it is cancelled. Only waits where there are none.
    pub async fn keep_asking(&self, until: CancellationToken) {
        let mut had_answers = true;
        while self.settings.peers.is_some() {
            let pause = tokio::time::sleep(Duration::from_secs(PEERS_ASK_S));
            if until.run_until_cancelled(pause).await.is_none() {
                return;
            }
            let Some(answered) = until.run_until_cancelled(self.ask_peers()).await else { return };
            if had_answers && !answered {
                tracing::warn!(
                    "not every other gateway says which sessions were ended; they are asked again"
                );
            }
            had_answers = answered;
        }
        until.cancelled().await;
    }

    /// Whether all of them answered in time.
    pub async fn ask_peers(&self) -> bool {
        let Some(peers) = &self.settings.peers else { return true };
        let asked = async {
            let addresses: Vec<SocketAddr> = match tokio::net::lookup_host(&peers.place).await {
                Ok(found) => found.take(PEERS_MAX).collect(),
                Err(_) => return false,
            };
            // This gateway's own address is among them, and its answer changes nothing.
            let scheme = peers.scheme.name();
            let asked = addresses.into_iter().map(|address| self.ask(scheme, address));
            join_all(asked).await.into_iter().all(|got| got)
        };
        tokio::time::timeout(Duration::from_secs(PEERS_ANSWER_S), asked).await.unwrap_or(false)
    }

    async fn ask(&self, scheme: &str, address: SocketAddr) -> bool {
        self.list_of(scheme, address).await.is_some_and(|list| {
            self.revocations().merge(list, wall_ms());
            true
        })
    }

    async fn list_of(&self, scheme: &str, address: SocketAddr) -> Option<List> {
        let question = self.keys().seal(Purpose::Peers, QUESTION, wall_ms().to_string().as_bytes()).ok()?;
        // A gateway answers to its own name alone, below its own path.
        let (_, rest) = self.public_url.split_once("://")?;
        let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let url: Uri = format!("{scheme}://{address}{path}{REVOKED}").parse().ok()?;
        let authorization = format!("{SCHEME}{question}");
        let headers = [(header::HOST, host), (header::AUTHORIZATION, &*authorization)];
        let answer = self.https.send(Method::GET, &url, &headers, Bytes::new()).await;
        let answer = answer.inspect_err(|why| tracing::debug!(%address, "another gateway: {why}")).ok()?;
        let sealed = std::str::from_utf8(&answer.body).ok().filter(|_| answer.status.is_success())?;
        let plain = self.keys().open(Purpose::Peers, &question, sealed)?;
        serde_json::from_slice(&plain).ok()
    }

    /// The answer to another gateway. `None`: the question isn't one of a gateway with this key, or is old.
    pub fn answer_peer(&self, authorization: Option<&str>, now_ms: UnixMillis) -> Option<String> {
        let question = authorization?.strip_prefix(SCHEME)?;
        let plain = self.keys().open(Purpose::Peers, QUESTION, question)?;
        let asked_ms: UnixMillis = std::str::from_utf8(&plain).ok()?.parse().ok()?;
        if asked_ms.abs_diff(now_ms) > PEERS_ASKED_MS.unsigned_abs() {
            return None;
        }
        let list = serde_json::to_vec(&self.revocations().list()).ok()?;
        self.keys().seal(Purpose::Peers, question, &list).ok()
    }
}
