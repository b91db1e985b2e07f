//! The pill of a view: its state in one or two words, and a ring for the age of its proof.

mod hops;
pub mod words;

use replica::freshness::{AsOf, Freshness, Partly, Record};
use shared::state::{UnixMillis, Whom};

use crate::limits::PROOF_MISSING_MS;
use crate::messages::{self, Zone};
use crate::past;

pub use hops::{Hop, ProofHops};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pill {
    pub state: PillState,
    pub word: String,
    /// Begins with its separator; empty if the word says all.
    pub detail: String,
    /// In hundredths: the time left until a live view becomes stale, or the part of a list that has come.
    pub ring: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PillState {
    /// Nothing was rendered yet.
    #[default]
    None,
    Live,
    Polled,
    Syncing,
    Resuming,
    Stale,
    Forbidden,
    Gone,
    Failed,
    Paused,
    /// As of a time.
    Past,
    /// As of a time of which nothing was recorded.
    Unrecorded,
    /// As of a time that can't be read.
    Unreadable,
}

impl PillState {
    /// In the words of the protocol; empty before the first rendering.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Live => "live",
            Self::Polled => "polled",
            Self::Syncing => "syncing",
            Self::Resuming => "resuming",
            Self::Stale => "stale",
            Self::Forbidden => "forbidden",
            Self::Gone => "gone",
            Self::Failed => "failed",
            Self::Paused => "paused",
            Self::Past | Self::Unrecorded | Self::Unreadable => "past",
        }
    }

    pub fn of(freshness: &Freshness) -> Self {
        match freshness {
            Freshness::Partly(_) => Self::of(freshness.of_rows()),
            Freshness::Live { .. } => Self::Live,
            Freshness::Polled { .. } => Self::Polled,
            Freshness::Syncing { .. } => Self::Syncing,
            Freshness::Resuming { .. } => Self::Resuming,
            Freshness::Stale { .. } | Freshness::OtherVersion { .. } => Self::Stale,
            Freshness::Forbidden { .. } => Self::Forbidden,
            Freshness::Gone { .. } => Self::Gone,
            Freshness::Failed { .. } => Self::Failed,
            Freshness::Past(as_of) => of_past(as_of),
        }
    }
}

impl Pill {
    /// `Stale · since 12:00:01`
    pub fn new(state: PillState, word: impl Into<String>, detail: &str) -> Self {
        let detail = if detail.is_empty() { String::new() } else { format!(" · {detail}") };
        Self { state, word: word.into(), detail, ring: 0 }
    }
}

pub fn pill(freshness: &Freshness, resource: &str, now_ms: UnixMillis, zone: Zone) -> Pill {
    let at = |ms: UnixMillis| messages::instant(ms, now_ms, zone);
    let age_ms = |ms: UnixMillis| now_ms.saturating_sub(ms);
    let new = |word: &str, detail: &str| Pill::new(PillState::of(freshness), word, detail);
    match freshness {
        Freshness::Partly(partly) if !partly.clusters.is_empty() => {
            of_clusters(partly, resource, now_ms, zone)
        }
        Freshness::Partly(partly) if partly.is_refused() => {
            let refused = words::refused_of(partly.names.len(), partly.count, refused(&partly.worst));
            Pill { detail: format!(" · {refused}"), ..pill(&partly.rest, resource, now_ms, zone) }
        }
        Freshness::Partly(partly) => pill(&partly.worst, resource, now_ms, zone),
        Freshness::Live { proven_ms } => {
            let age_ms = age_ms(*proven_ms);
            // The ring is full at a proof, and empty when the view becomes stale.
            let ring = hundredths(PROOF_MISSING_MS.saturating_sub(age_ms), PROOF_MISSING_MS);
            Pill { ring, ..new(words::LIVE, &words::confirmed(age_ms)) }
        }
        Freshness::Polled { proven_ms, every_s } => {
            new(&words::polled_ago(age_ms(*proven_ms)), &words::every(*every_s))
        }
        Freshness::Syncing { n: 0, .. } => new(messages::SYNCING, messages::ASKING),
        Freshness::Syncing { n, of, .. } => {
            let whole = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
            let ring = of.map_or(0, |of| hundredths(whole(*n), whole(of)));
            Pill { ring, ..new(messages::SYNCING, &messages::so_far(*n, *of)) }
        }
        Freshness::Resuming { from_ms, .. } => new(words::RESUMING, &words::from(&at(*from_ms))),
        Freshness::Stale { since_ms, .. } | Freshness::OtherVersion { since_ms, .. } => {
            new(words::STALE, &messages::since(&at(*since_ms)))
        }
        Freshness::Forbidden { to: Whom::You, .. } => new(messages::FORBIDDEN, &words::list(resource)),
        Freshness::Forbidden { to: Whom::Gateway, .. } => new(messages::FORBIDDEN, words::FOR_THE_GATEWAY),
        Freshness::Gone { since_ms, .. } => new(messages::GONE, &messages::since(&at(*since_ms))),
        Freshness::Failed { since_ms, .. } => new(messages::FAILED, &messages::since(&at(*since_ms))),
        Freshness::Past(as_of) => new(&past::words::past(&at(as_of.at_ms)), &past::said::detail(as_of)),
    }
}

fn of_past(as_of: &AsOf) -> PillState {
    match &as_of.record {
        Record::Reading { .. } | Record::Of { .. } => PillState::Past,
        Record::Missing(_) | Record::Refused(_) if past::said::is_missing(as_of) => PillState::Unrecorded,
        Record::Missing(_) | Record::Refused(_) => PillState::Unreadable,
    }
}

/// The clusters that are stale, else those that show no rows, else those that are in the worst state.
fn of_clusters(partly: &Partly, resource: &str, now_ms: UnixMillis, zone: Zone) -> Pill {
    if let Some((names, since_ms)) = stale_clusters(partly) {
        let word = messages::stale_of(names.len(), partly.count);
        let clock = messages::instant(since_ms, now_ms, zone);
        return Pill::new(PillState::Stale, word, &messages::names_since(&names, &clock));
    }
    if partly.is_refused() {
        let said = messages::clusters_refused(partly.names.len(), partly.count, refused(&partly.worst));
        return Pill { detail: format!(" · {said}"), ..pill(&partly.rest, resource, now_ms, zone) };
    }
    let of_worst = pill(&partly.worst, resource, now_ms, zone);
    let names: Vec<&str> = partly.names.iter().map(|name| &**name).collect();
    let detail = of_worst.detail.trim_start_matches(" · ");
    Pill { detail: format!(" · {}: {detail}", names.join(", ")), ..of_worst }
}

/// The stale clusters of a view of several, and since when the first of them is; `None`: none is.
pub(crate) fn stale_clusters(partly: &Partly) -> Option<(Vec<&str>, UnixMillis)> {
    let stale = partly.clusters.iter().filter_map(|(name, state)| match state.of_rows() {
        Freshness::Stale { since_ms, .. } | Freshness::OtherVersion { since_ms, .. } => {
            Some((&**name, *since_ms))
        }
        _ => None,
    });
    let (names, since): (Vec<&str>, Vec<UnixMillis>) = stale.unzip();
    Some((names, since.into_iter().min()?))
}

/// Why a namespace or a cluster shows no rows, in the pill's word.
pub(crate) fn refused(state: &Freshness) -> &'static str {
    match state {
        Freshness::Forbidden { .. } => messages::FORBIDDEN,
        Freshness::Gone { .. } => messages::GONE,
        _ => messages::FAILED,
    }
}

fn hundredths(part: i64, whole: i64) -> u32 {
    u32::try_from(part.clamp(0, whole).saturating_mul(100) / whole.max(1)).unwrap_or_default()
}
