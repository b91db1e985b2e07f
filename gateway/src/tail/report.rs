//! What goes to stderr: a line whenever the state of the view changes. Never a row.

use std::io::Write;

use page::messages::{self, Zone};
use page::notice::{self, Body};
use page::pill::pill;
use page::query::ReaderId;
use page::table_view::{Client, View};
use replica::freshness::{self, Freshness};
use shared::name::Namespace;
use shared::state::UnixMillis;

/// An error means that stderr is closed.
pub(super) fn line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints each state once.
#[derive(Debug, Default)]
pub(super) struct Reporter {
    last: Option<(ReportedState, Vec<Namespace>)>,
    reported_gap: Option<(UnixMillis, UnixMillis)>,
}

/// A state as lines tell states apart: by kind and beginning, not by age.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ReportedState {
    Live,
    Polled,
    Syncing,
    Resuming,
    Stale(UnixMillis),
    Other(String),
}

impl Reporter {
    /// `quiet` prints only states that delay the first rows.
    pub(super) fn report(&mut self, client: &Client, view: &View, now_ms: UnixMillis, quiet: bool) {
        let freshness = freshness::of(client, view, now_ms);
        let zone = zone(now_ms);
        let words = words(client, view, &freshness, now_ms, zone);
        let (state, namespaces) = match &freshness {
            Freshness::Partly(partly) => (&partly.worst, partly.namespaces.clone()),
            whole => (whole, Vec::new()),
        };
        let state_now = match state {
            Freshness::Live { .. } => ReportedState::Live,
            Freshness::Polled { .. } => ReportedState::Polled,
            Freshness::Syncing { .. } => ReportedState::Syncing,
            Freshness::Resuming { .. } => ReportedState::Resuming,
            // Two breaks within a second are the same one, seen by two clocks.
            Freshness::Stale { since_ms, .. } => ReportedState::Stale(since_ms.div_euclid(1_000)),
            _ => ReportedState::Other(words.clone()),
        };
        let is_calm =
            matches!(state_now, ReportedState::Live | ReportedState::Polled | ReportedState::Syncing);
        let is_first_load = state_now == ReportedState::Syncing;
        let state_now = Some((state_now, namespaces));
        if self.last != state_now && !(quiet && is_calm) && !is_first_load {
            line(&words);
        }
        self.last = state_now;
        self.report_gap(client, view, now_ms, zone);
    }

    fn report_gap(&mut self, client: &Client, view: &View, now_ms: UnixMillis, zone: Zone) {
        let Some(gap) = &view.subscription().gap else { return };
        let key = (gap.from_ms, gap.to_ms);
        if self.reported_gap != Some(key) {
            self.reported_gap = Some(key);
            let at = |ms| messages::instant(client.local_ms(ms), now_ms, zone);
            let gap_text = messages::gap(&at(gap.from_ms), &at(gap.to_ms));
            line(&format!("{gap_text} {}", messages::listed_anew(&gap.reason.words())));
        }
    }
}

/// The page's sentence for the state.
pub(super) fn words(
    client: &Client,
    view: &View,
    freshness: &Freshness,
    now_ms: UnixMillis,
    zone: Zone,
) -> String {
    let resource = view.subscription().scope.resource.to_string();
    let pill = pill(freshness, &resource, now_ms, zone);
    let pill = pill.word + &pill.detail;
    if freshness.is_current() {
        return pill;
    }
    let joined = |bold: &str, sentence: &str| format!("{bold} {sentence}").trim().to_owned();
    match notice::body(client, view, ReaderId::FIRST, freshness, now_ms, zone) {
        Body::Empty { bold, sentence, .. } => joined(&bold, &sentence),
        Body::Rows => match notice::line(client, view, ReaderId::FIRST, freshness, now_ms, zone) {
            Some(notice) => joined(&notice.bold, &notice.sentence),
            None => pill,
        },
    }
}

/// The terminal's zone at an instant.
pub(super) fn zone(now_ms: UnixMillis) -> Zone {
    let ahead_of_utc_s = jiff::Timestamp::from_millisecond(now_ms)
        .map(|now| i64::from(jiff::tz::TimeZone::system().to_offset(now).seconds()))
        .unwrap_or_default();
    Zone { ahead_of_utc_s }
}
