//! The pill of a view: its state in one or two words, and how much of the proof's ring is left.

use replica::freshness::Freshness;
use shared::state::{UnixMillis, Whom};

use crate::limits::PROOF_MISSING_MS;
use crate::messages::{self, Zone};

const SECOND_MS: i64 = 1_000;

#[derive(Clone, Debug, PartialEq)]
pub struct Pill {
    /// The class of the style sheet and of `:state(…)`: `live`, `stale`, …
    pub class: &'static str,
    pub word: String,
    /// Behind the dot; empty where the word says all.
    pub detail: String,
    /// How much of the ring is left, from 1 at a proof to 0; `None`: no ring.
    pub ring: Option<f64>,
}

#[must_use]
pub fn pill(freshness: &Freshness, resource: &str, now_ms: UnixMillis, zone: Zone) -> Pill {
    let at = |ms: UnixMillis| messages::instant(ms, now_ms, zone);
    let age_ms = |ms: UnixMillis| now_ms.saturating_sub(ms);
    let said = |class, word: &str, detail: String, ring| Pill { class, word: word.to_owned(), detail, ring };
    match freshness {
        Freshness::Partly(partly) => pill(&partly.worst, resource, now_ms, zone),
        Freshness::Live { proven_ms } => {
            said("live", messages::LIVE, messages::confirmed(age_ms(*proven_ms)), ring(age_ms(*proven_ms)))
        }
        Freshness::Polled { proven_ms, every_s } => {
            let every_ms = i64::from(*every_s) * SECOND_MS;
            let left = part_left(age_ms(*proven_ms), every_ms + PROOF_MISSING_MS);
            said("polling", &messages::polled_ago(age_ms(*proven_ms)), messages::every(*every_s), Some(left))
        }
        Freshness::Syncing { n: 0, .. } => {
            said("syncing", messages::SYNCING, messages::ASKING.to_owned(), Some(0.0))
        }
        Freshness::Syncing { n, of, .. } => said(
            "syncing",
            messages::SYNCING,
            messages::so_far(*n, *of),
            Some(of.map_or(0.0, |of| share(*n, of))),
        ),
        Freshness::Resuming { from_ms, .. } => {
            said("resuming", messages::RESUMING, messages::from(&at(*from_ms)), ring(age_ms(*from_ms)))
        }
        Freshness::Stale { since_ms, .. } | Freshness::OtherVersion { since_ms, .. } => {
            said("stale", messages::STALE, messages::since(&at(*since_ms)), None)
        }
        Freshness::Forbidden { to: Whom::You, .. } => {
            said("forbidden", messages::FORBIDDEN, messages::list(resource), None)
        }
        Freshness::Forbidden { to: Whom::Gateway, .. } => {
            said("forbidden", messages::FORBIDDEN, messages::FOR_THE_GATEWAY.to_owned(), None)
        }
        Freshness::Gone { since_ms, .. } => {
            said("gone", messages::GONE, messages::since(&at(*since_ms)), None)
        }
        Freshness::Failed { since_ms, .. } => {
            said("failed", messages::FAILED, messages::since(&at(*since_ms)), None)
        }
    }
}

impl Pill {
    /// `Live · confirmed 2 s ago`
    #[must_use]
    pub fn text(&self) -> String {
        if self.detail.is_empty() { self.word.clone() } else { format!("{} · {}", self.word, self.detail) }
    }
}

/// Full at a proof, empty when the view would be called stale.
fn ring(age_ms: i64) -> Option<f64> {
    Some(part_left(age_ms, PROOF_MISSING_MS))
}

fn part_left(age_ms: i64, whole_ms: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a part of seconds, for a drawing")]
    let gone = age_ms.max(0) as f64 / whole_ms.max(1) as f64;
    (1.0 - gone).clamp(0.0, 1.0)
}

fn share(n: u64, of: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a part of a ring, for a drawing")]
    let share = n as f64 / of.max(1) as f64;
    share.clamp(0.0, 1.0)
}
