//! The pill, the notice line, and the proof behind them: the sentences of [`crate::notice`] with their icons.
//! A pause is shown only while the view is current, because staleness is more important.

use super::words;
use crate::cx::Cx;
use crate::log::LogSlot;
use crate::messages;
use crate::notice;
use crate::pill::pill;
use crate::proof::proof;
use crate::query::sort::TROUBLE_KEY;
use crate::status::RowHealth;
use crate::table_view::TableView;
use replica::freshness::{ClusterState, Freshness};
use shared::state::UnixMillis;

use super::displayed::Rows;
use super::paused::{PausedCopy, Resumed};
use super::recent::Recent;
use crate::model::{
    Icon, Notice, NoticeAction, NoticeKind, NoticeText, PaneModel, PillState, ProofHops, Tally,
};
use crate::pill::Pill;

/// What the bands around the rows are rendered from: the pill and the notice line above, the status bar below.
#[derive(Clone, Copy)]
pub(super) struct Bands<'a> {
    pub(super) cx: &'a Cx,
    pub(super) rows: Rows<'a>,
    pub(super) freshness: &'a Freshness,
    pub(super) clusters: &'a [ClusterState],
    pub(super) recent: &'a Recent,
    pub(super) resumed: Option<&'a Resumed>,
}

impl Bands<'_> {
    pub(super) fn render_notice(&self, model: &mut PaneModel, log: Option<&LogSlot>) {
        let Self { cx, rows, freshness, .. } = *self;
        let (client, now_ms, zone) = (&cx.client, cx.now_ms(), cx.zone);
        let log = log.filter(|_| freshness.is_current());
        // A log says of itself whether it is paused.
        let paused = rows.paused.filter(|_| freshness.is_current() && log.is_none());
        let waiting = match log {
            Some(log) => log.waiting(cx),
            None => paused.map(|copy| words::changes_waiting(copy.waiting)),
        };
        model.pill = match waiting {
            Some(waiting) => Pill::new(PillState::Paused, messages::VIEW_PAUSED, &waiting),
            None => {
                let resource = rows.view.subscription().scope.resource.to_string();
                pill(freshness, &resource, now_ms, zone)
            }
        };
        let live = (rows.live, rows.reader);
        let past = cx.more.map(|more| more.past);
        let line = match (freshness, past) {
            (Freshness::Past(as_of), Some(part)) => (part.line)(as_of, &rows.past_place(cx)),
            _ => notice::ReaderView::new(client, live, freshness, (now_ms, zone)).line(),
        };
        model.proof = match (freshness.past(), past) {
            (Some(as_of), Some(part)) => (part.proof)(as_of, client.connection().is_open()),
            _ => self.proof(line.as_ref()),
        };
        model.notice = match (paused, log, line) {
            (Some(copy), ..) => tallies(&rows, Some(self.paused(copy))),
            (None, Some(log), None) => log.notice(rows.paused.map(|copy| self.rows_paused(copy)), cx),
            (None, None, None) => tallies(&rows, self.resumed.map(|resumed| self.of_resumed(resumed))),
            (None, _, Some(line)) => notice_line(line, &rows, freshness),
        };
    }

    fn at(&self, at_ms: UnixMillis) -> String {
        messages::instant(at_ms, self.cx.now_ms(), self.cx.zone)
    }

    fn paused(&self, copy: &PausedCopy) -> NoticeText {
        let has_changes = copy.waiting.all() > 0;
        let changes = has_changes.then_some(NoticeAction::ShowChanges);
        let all = self.rows.index.is_among().then_some(NoticeAction::AllRows);
        NoticeText {
            kind: NoticeKind::Paused,
            icon: Icon::Pause,
            meter: None,
            strong: words::paused_at(&self.at(copy.since_ms)),
            text: words::waiting(copy.waiting),
            actions: changes.into_iter().chain(all).chain([NoticeAction::Resume]).collect(),
        }
    }

    /// Over the changes that are recorded behind paused rows.
    fn rows_paused(&self, copy: &PausedCopy) -> String {
        words::rows_paused_at(&self.at(copy.since_ms))
    }

    fn of_resumed(&self, resumed: &Resumed) -> NoticeText {
        let Resumed { from_ms, to_ms, counts, .. } = resumed;
        let seconds = to_ms.saturating_sub(*from_ms) / 1_000;
        let only = match self.rows.index.is_among() {
            true => Some(NoticeAction::AllRows),
            false => resumed.has_rows(self.rows.live.table()).then_some(NoticeAction::OnlyMeanwhile),
        };
        NoticeText {
            kind: NoticeKind::Resumed,
            icon: Icon::Log,
            meter: None,
            strong: words::rows_changed(*counts),
            text: words::while_paused(seconds, &self.at(*from_ms), &self.at(*to_ms)),
            actions: std::iter::once(NoticeAction::ShowChanges).chain(only).collect(),
        }
    }

    fn proof(&self, line: Option<&notice::Notice>) -> ProofHops {
        let Self { cx, rows, .. } = *self;
        let (traffic, now_ms) = (&cx.traffic, cx.now_ms());
        let live = rows.live;
        let mut hops = {
            let rows = Some(live.table().len());
            proof(&cx.client, live.subscription(), rows, self.clusters, self.freshness, now_ms)
        };
        if let Some(said) = line {
            hops.said = format!("{} {}", said.bold, said.sentence).trim().to_owned();
        }
        hops.gateway.facts.push((
            words::changes_a_second(self.recent.rate(now_ms)),
            words::received_in_all(traffic.received, traffic.last_second),
        ));
        hops
    }
}

/// While the rows are current, what happened stands beside their tally.
fn notice_line(said: notice::Notice, rows: &Rows<'_>, freshness: &Freshness) -> Notice {
    if said.bold.is_empty() && said.sentence.is_empty() {
        return Notice::None;
    }
    let (icon, meter) = match freshness.worst() {
        Freshness::Forbidden { .. } => (Icon::Lock, None),
        Freshness::Syncing { n, of: Some(of), .. } if *n > 0 => {
            (Icon::Clock, Some(u32::try_from(n.saturating_mul(100) / of.max(&1)).unwrap_or(100)))
        }
        Freshness::Syncing { .. } | Freshness::Polled { .. } => (Icon::Clock, None),
        Freshness::Resuming { .. } => (Icon::Retry, None),
        _ => match said.kind {
            NoticeKind::Gap => (Icon::Gap, None),
            NoticeKind::Withdrawn => (Icon::Lock, None),
            NoticeKind::Bad => (Icon::Retry, None),
            NoticeKind::Plain => (Icon::Filter, None),
            _ => (Icon::Alert, None),
        },
    };
    let all = rows.index.is_among().then_some(NoticeAction::AllRows);
    let text = NoticeText {
        kind: said.kind,
        icon,
        meter,
        strong: said.bold,
        text: said.sentence,
        actions: said.action.into_iter().chain(all).collect(),
    };
    if freshness.is_current() { tallies(rows, Some(text)) } else { Notice::Text(text) }
}

/// In a fixed order. Its entries are filters: each counts the rows that it would leave of those that the rest of the
/// filter shows.
fn tallies(rows: &Rows<'_>, beside: Option<NoticeText>) -> Notice {
    let tally = rows.view.tally();
    let Some(all) = tally.counts() else { return beside.map_or(Notice::None, Notice::Text) };
    let counts = rows.index.healths(tally).unwrap_or(all);
    let filter = rows.index.filter();
    let entry = |(health, rows): (RowHealth, usize)| {
        Some(Tally {
            health,
            count: messages::count(rows),
            word: tally.columns().word(health)?.to_owned(),
            is_none: rows == 0,
            is_on: filter.has_health(health),
        })
    };
    // Most kinds have no row that no rule reads.
    let counts = counts.into_iter().filter(|(health, rows)| *health != RowHealth::Unknown || *rows > 0);
    Notice::Tally {
        entries: counts.filter_map(entry).collect(),
        is_trouble_first: rows.index.sort().is_some_and(|sort| *sort.column == *TROUBLE_KEY),
        beside,
    }
}
