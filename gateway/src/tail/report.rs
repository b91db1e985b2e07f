//! What goes to stderr: a line whenever the state of the view is another one. Never a row.

use std::io::Write;

use page::messages::{self, Zone};
use page::notice::{self, Body, Line};
use page::pill::pill;
use page::query::ReaderId;
use page::table_view::{Client, View};
use replica::freshness::{self, Freshness};
use shared::name::Namespace;
use shared::state::UnixMillis;

/// stderr may be closed; there is nobody to tell then.
pub(super) fn line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Says each state once.
#[derive(Debug, Default)]
pub(super) struct Reporter {
    last: Option<(Told, Vec<Namespace>)>,
    told_gap: Option<(UnixMillis, UnixMillis)>,
}

/// What makes a state another one for a reader of lines: its kind and its beginning, not its age.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    Live,
    Polled,
    Syncing,
    Resuming,
    Stale(UnixMillis),
    Other(String),
}

impl Reporter {
    /// `quiet`: only what keeps the reader waiting is told.
    pub(super) fn tell(&mut self, client: &Client, view: &View, now_ms: UnixMillis, quiet: bool) {
        let freshness = freshness::of(client, view, now_ms);
        let zone = zone(now_ms);
        let words = words(client, view, &freshness, now_ms, zone);
        let (state, namespaces) = match &freshness {
            Freshness::Partly(partly) => (&partly.worst, partly.namespaces.clone()),
            whole => (whole, Vec::new()),
        };
        let told = match state {
            Freshness::Live { .. } => Told::Live,
            Freshness::Polled { .. } => Told::Polled,
            Freshness::Syncing { .. } => Told::Syncing,
            Freshness::Resuming { .. } => Told::Resuming,
            // Within a second it is the same break, told by two clocks.
            Freshness::Stale { since_ms, .. } => Told::Stale(since_ms.div_euclid(1_000)),
            _ => Told::Other(words.clone()),
        };
        let is_calm = matches!(told, Told::Live | Told::Polled | Told::Syncing);
        let is_first_load = told == Told::Syncing;
        let told = Some((told, namespaces));
        if self.last != told && !(quiet && is_calm) && !is_first_load {
            line(&words);
        }
        self.last = told;
        self.tell_gap(client, view, now_ms, zone);
    }

    fn tell_gap(&mut self, client: &Client, view: &View, now_ms: UnixMillis, zone: Zone) {
        let Some(gap) = view.subscription().gap() else { return };
        let key = (gap.from_ms, gap.to_ms);
        if self.told_gap != Some(key) {
            self.told_gap = Some(key);
            let at = |ms| messages::instant(client.local_ms(ms), now_ms, zone);
            let gap_text = messages::gap(&at(gap.from_ms), &at(gap.to_ms));
            line(&format!("{gap_text} {}", messages::listed_anew(&gap.reason.words())));
        }
    }
}

/// The page's own sentence for the state.
pub(super) fn words(
    client: &Client,
    view: &View,
    freshness: &Freshness,
    now_ms: UnixMillis,
    zone: Zone,
) -> String {
    let resource = view.subscription().scope().resource.to_string();
    let pill = pill(freshness, &resource, now_ms, zone);
    if freshness.is_current() {
        return pill.text();
    }
    let joined = |bold: &str, sentence: &str| format!("{bold} {sentence}").trim().to_owned();
    match notice::body(client, view, ReaderId::FIRST, freshness, now_ms, zone) {
        Body::Empty { bold, sentence, .. } => joined(&bold, &sentence),
        Body::Rows => match notice::line(client, view, ReaderId::FIRST, freshness, now_ms, zone) {
            Line::Notice(notice) => joined(&notice.bold, &notice.sentence),
            Line::Counts => pill.text(),
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
