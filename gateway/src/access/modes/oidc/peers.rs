//! The gateways of a team tell each other which sessions were ended, so that a logout holds for all of them within
//! seconds, and for one that starts before it serves its first viewer. Question and answer are sealed under the session key: a
//! gateway without it can neither ask nor read, and an answer fits its question alone.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use http::{Method, Uri, header};
use shared::problem::Problem;
use shared::state::UnixMillis;
use tokio_util::sync::CancellationToken;

use super::ended::EndedSessions;
use super::revoked::List;
use super::seal::Purpose;
use super::sealed::SealedCookies;
use super::settings::{OidcSettings, Peers, PeersScheme};
use crate::access::https::Https;
use crate::clock::wall_ms;
use crate::limits::{PEERS_ANSWER_S, PEERS_ASK_S, PEERS_ASKED_MS, PEERS_MAX};

/// Where a gateway answers.
pub const REVOKED: &str = "/login/revoked";
/// The scheme of the header `Authorization`.
const SCHEME: &str = "Dogwatch ";
const QUESTION: &str = "which sessions were ended?";

/// The other gateways of the team, if there are any.
pub(super) struct OtherGateways {
    peers: Option<Peers>,
    /// Scheme, host, port and base path at which browsers reach every gateway of the team.
    public_url: String,
    https: Https,
}

impl OtherGateways {
    /// The other gateways have the certificate of the name that all of them have for browsers.
    pub(super) fn new(settings: &OidcSettings, public_url: &str) -> Result<Self, Problem> {
        let https = match &settings.peers {
            Some(Peers { scheme: PeersScheme::Https { ca_file }, .. }) => {
                let url = public_url.parse::<Uri>().ok();
                let host = url.as_ref().and_then(Uri::host).unwrap_or_default();
                Https::of_host(ca_file.as_deref(), host)
            }
            _ => Https::direct(None),
        };
        Ok(Self { peers: settings.peers.clone(), public_url: public_url.to_owned(), https: https? })
    }

    /// Asks the others until it is cancelled. Only waits where there are none.
    pub(super) async fn keep_asking(
        &self,
        sealed: &SealedCookies,
        ended: &EndedSessions,
        until: CancellationToken,
    ) {
        let mut had_answers = true;
        while self.peers.is_some() {
            let pause = tokio::time::sleep(Duration::from_secs(PEERS_ASK_S));
            if until.run_until_cancelled(pause).await.is_none() {
                return;
            }
            let Some(answered) = until.run_until_cancelled(self.ask(sealed, ended)).await else { return };
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
    pub(super) async fn ask(&self, sealed: &SealedCookies, ended: &EndedSessions) -> bool {
        let Some(peers) = &self.peers else { return true };
        let asked = async {
            let addresses: Vec<SocketAddr> = match tokio::net::lookup_host(&peers.place).await {
                Ok(found) => found.take(PEERS_MAX).collect(),
                Err(_) => return false,
            };
            // This gateway's own address is among them, and its answer changes nothing.
            let asked = addresses.into_iter().map(async |address| {
                let list = self.list_of(sealed, peers.scheme.name(), address).await;
                list.map(|list| ended.merge(list, wall_ms())).is_some()
            });
            join_all(asked).await.into_iter().all(|got| got)
        };
        tokio::time::timeout(Duration::from_secs(PEERS_ANSWER_S), asked).await.unwrap_or(false)
    }

    async fn list_of(&self, sealed: &SealedCookies, scheme: &str, address: SocketAddr) -> Option<List> {
        let question = sealed.keys().seal(Purpose::Peers, QUESTION, wall_ms().to_string().as_bytes()).ok()?;
        // A gateway answers to its own name alone, below its own path.
        let (_, rest) = self.public_url.split_once("://")?;
        let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let url: Uri = format!("{scheme}://{address}{path}{REVOKED}").parse().ok()?;
        let authorization = format!("{SCHEME}{question}");
        let headers = [(header::HOST, host), (header::AUTHORIZATION, &*authorization)];
        let answer = self.https.send(Method::GET, &url, &headers, Bytes::new()).await;
        let answer = answer.inspect_err(|why| tracing::debug!(%address, "another gateway: {why}")).ok()?;
        let answered = std::str::from_utf8(&answer.body).ok().filter(|_| answer.status.is_success())?;
        let plain = sealed.keys().open(Purpose::Peers, &question, answered)?;
        serde_json::from_slice(&plain).ok()
    }
}

/// The answer to another gateway. `None`: the question isn't one of a gateway with this key, or is old.
pub(super) fn answer(
    sealed: &SealedCookies,
    ended: &EndedSessions,
    authorization: Option<&str>,
    now_ms: UnixMillis,
) -> Option<String> {
    let question = authorization?.strip_prefix(SCHEME)?;
    let plain = sealed.keys().open(Purpose::Peers, QUESTION, question)?;
    let asked_ms: UnixMillis = std::str::from_utf8(&plain).ok()?.parse().ok()?;
    if asked_ms.abs_diff(now_ms) > PEERS_ASKED_MS.unsigned_abs() {
        return None;
    }
    let list = serde_json::to_vec(&ended.list()).ok()?;
    sealed.keys().seal(Purpose::Peers, question, &list).ok()
}
