//! How much is wrong, in one phrase: for the top bar, and for the chip of another page. What isn't proven is never counted, and
//! never called fine.

use replica::freshness::{self, Freshness};
use serde::Serialize;
use shared::problem::Reason;
use shared::state::UnixMillis;

use super::list::is_refused;
use super::model::{TallyReport, WrongTally};
use super::views::{KindView, WrongViews};
use super::words;
use crate::messages::{self, Zone};
use crate::pill;
use crate::status::{Class, RowHealth};
use crate::table_view::{Client, TableView as _};

/// What the kinds of one place say together.
#[derive(Default)]
struct Sum {
    failing: usize,
    short: usize,
    /// Kinds whose rows are proven.
    known: usize,
    refused: usize,
    waiting: usize,
    /// Since when the first of them isn't proven.
    stale_ms: Option<UnixMillis>,
    stale: Vec<String>,
    failed: Vec<String>,
    /// What the pill of the first failed one says.
    why: String,
}

impl Sum {
    fn of(held: &WrongViews, (now_ms, zone): (UnixMillis, Zone), client: &Client) -> Self {
        let mut sum = Self::default();
        for KindView { kind, key } in &held.views {
            let Some(view) = client.view(*key) else { continue };
            let state = freshness::of(client, view, now_ms);
            let since_ms = match state.of_rows() {
                Freshness::Resuming { from_ms, .. } => Some(*from_ms),
                _ => state.stale_ms(),
            };
            let name = || kind.resource.resource.to_string();
            match since_ms {
                _ if is_refused(&state) => sum.refused += 1,
                Some(since_ms) => {
                    sum.stale_ms = Some(sum.stale_ms.map_or(since_ms, |held| held.min(since_ms)));
                    sum.stale.push(name());
                }
                None if state.is_exact() && view.table().is_whole() => {
                    sum.known += 1;
                    sum.failing += view.tally().count_of(RowHealth::Failing);
                    sum.short += view.tally().count_of(RowHealth::Short);
                }
                None if state.shows_rows() => sum.waiting += 1,
                None => {
                    sum.why = pill::pill(&state, "", now_ms, zone).word;
                    sum.failed.push(name());
                }
            }
        }
        sum
    }

    /// In the words of a view's state.
    fn state(&self) -> &'static str {
        match (self.known, self.refused, self.stale_ms) {
            (_, _, Some(_)) => "stale",
            _ if !self.failed.is_empty() => "failed",
            _ if self.waiting > 0 => "syncing",
            (0, 0, _) => "syncing",
            (0, _, _) => "forbidden",
            _ => "live",
        }
    }

    fn said(&self, (now_ms, zone): (UnixMillis, Zone)) -> (String, Class) {
        let clock = |ms| messages::instant(ms, now_ms, zone);
        let failing = words::tally(self.failing, 0);
        match (self.state(), self.stale_ms, self.failing) {
            ("live", _, 0) if self.short > 0 => (words::tally(0, self.short), Class::Warn),
            ("live", _, 0) => (words::tally(0, 0), Class::Ok),
            ("live", ..) => (failing, Class::Bad),
            ("forbidden", ..) => (words::NOT_YOURS.to_owned(), Class::Unknown),
            ("syncing", _, 0) => (words::READING_NOW.to_owned(), Class::Idle),
            ("syncing", ..) => (words::so_far(&failing), Class::Bad),
            (_, _, 1..) => (words::in_part(&failing), Class::Bad),
            (_, Some(ms), _) => (words::unknown_from(&clock(ms)), Class::Unknown),
            _ => (words::UNKNOWN.to_owned(), Class::Unknown),
        }
    }

    /// What a chip has no room for.
    fn detail(&self, (now_ms, zone): (UnixMillis, Zone), left_out: usize) -> String {
        let known = self.known + self.waiting + self.stale.len() + self.failed.len();
        let is_said = self.failing == 0 && self.state() == "live";
        let short = (self.short > 0 && !is_said).then(|| words::tally(0, self.short));
        let stale = self
            .stale_ms
            .map(|ms| words::unknown_since(&self.stale.join(", "), &messages::instant(ms, now_ms, zone)));
        let failed = (!self.failed.is_empty()).then(|| words::unknown(&self.failed.join(", "), &self.why));
        let looked = Some(words::looked(known, self.refused, left_out));
        [short, stale, failed, looked].into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}

/// `None`: its reader hasn't looked yet, or nothing is known.
pub(super) fn tally(held: &WrongViews, at: (UnixMillis, Zone), client: &Client) -> Option<WrongTally> {
    let sum = Sum::of(held, at, client);
    let (text, class) = sum.said(at);
    let is_stale = matches!(sum.state(), "stale" | "failed");
    (sum.known > 0 || is_stale).then_some(WrongTally { text, class, is_stale })
}

/// What the chip of another page says. `Err`: why nothing is looked at.
pub(super) fn report(
    held: Result<&WrongViews, &str>,
    link: String,
    at: (UnixMillis, Zone),
    client: &Client,
) -> TallyReport {
    let mut report = TallyReport { class: Class::Unknown, link, ..TallyReport::default() };
    let (mut state, mut counts, mut since_ms) = ("failed", None, None);
    match held {
        Err(why) => (report.text, report.detail) = (words::UNKNOWN.to_owned(), why.to_owned()),
        Ok(held) => {
            let sum = Sum::of(held, at, client);
            (report.text, report.class) = sum.said(at);
            report.detail = sum.detail(at, held.left_out);
            (state, since_ms) = (sum.state(), sum.stale_ms);
            counts = (sum.known > 0).then_some((sum.failing, sum.short));
        }
    }
    let (failing, not_ready) = counts.unzip();
    let reason = (state == "forbidden").then_some(Reason::Forbidden);
    let (text, message, link) = (report.text, report.detail, report.link);
    let told =
        Told { state, text: &text, message: &message, link: &link, reason, failing, not_ready, since_ms };
    let json = serde_json::to_string(&told).unwrap_or_default();
    TallyReport { class: report.class, text, detail: message, link, json }
}

/// What the page of a chip hears.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    state: &'static str,
    text: &'a str,
    message: &'a str,
    link: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failing: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_ready: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since_ms: Option<UnixMillis>,
}
