//! The bands of the view that speak: pill, notice line, what stands in place of rows, strip. The
//! replica's words, put where the views look for them.

use crate::messages;
use crate::notice::{self, Body, Line};
use crate::pill::pill;
use crate::proof::proof;
use crate::query::Index;
use crate::status::Class;
use crate::table_view::Client;
use crate::table_view::{TableView, View};
use replica::freshness::Freshness;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use super::Pane;
use super::displayed::Frozen;
use crate::messages::Zone;
use crate::model::{
    EmptyState, EmptyStateAction, Icon, Notice, NoticeAction, NoticeKind, NoticeText, Pill, PillState,
    StatusBar, Tally,
};
use crate::traffic::Traffic;

impl Pane {
    pub(super) fn render_notice(
        &mut self,
        client: &Client,
        traffic: &Traffic,
        freshness: &Freshness,
        now_ms: UnixMillis,
        zone: Zone,
    ) {
        let (Some(live), Some((view, _))) = (self.displayed.live(client), self.displayed.shown(client))
        else {
            return;
        };
        let reader = self.displayed.reader();
        let resource = view.subscription().scope().resource.to_string();
        // Staleness breaks through a pause.
        let paused = self.displayed.frozen().filter(|_| freshness.is_current());
        let log = self.log.as_ref().filter(|_| freshness.is_current());
        let waiting = match log {
            Some(log) => log.waiting(client),
            None => paused.map(|frozen| messages::changes_waiting(frozen.waiting)),
        };
        self.model.pill = match waiting {
            Some(waiting) => Pill::new(PillState::Paused, messages::VIEW_PAUSED, &waiting),
            None => pill(freshness, &resource, now_ms, zone),
        };
        let line = notice::line(client, live, reader, freshness, now_ms, zone);
        let said = match &line {
            Line::Notice(said) => format!("{} {}", said.bold, said.sentence).trim().to_owned(),
            Line::Counts => String::new(),
        };
        let line = || match (log, line) {
            (Some(log), Line::Counts) => log.line(client, now_ms, zone),
            (_, line) => notice_line(line, view, freshness),
        };
        self.model.notice = paused.map_or_else(line, |frozen| paused_line(frozen, now_ms, zone));
        let body = notice::body(client, view, reader, freshness, now_ms, zone);
        self.model.empty_state = empty_state(body, view);
        self.model.is_stale = freshness.is_stale();
        let rows = Some(live.table().len());
        let mut hops = proof(client, live.subscription(), rows, freshness, now_ms);
        hops.said = said;
        hops.gateway.facts.push((
            messages::changes_a_second(self.screen.recent.rate(now_ms)),
            messages::received_in_all(traffic.received, traffic.last_second),
        ));
        self.model.proof = hops;
        self.model.status_bar = self.status_bar(client, traffic, freshness, now_ms, zone);
        let above = self.displayed.shown(client).map_or(0, |(view, index)| {
            let seen = crate::window::window(self.screen.viewport, index.len()).seen;
            self.screen.new_rows_above.count(view.table(), index, seen.start)
        });
        self.model.new_rows_above = above;
    }

    fn status_bar(
        &self,
        client: &Client,
        traffic: &Traffic,
        freshness: &Freshness,
        now_ms: UnixMillis,
        zone: Zone,
    ) -> StatusBar {
        let Some((view, index)) = self.displayed.shown(client) else { return StatusBar::default() };
        let (selected, hidden) = self.selected(client);
        let (strong, rows) = rows_text(view, index, freshness);
        let seen = crate::window::window(self.screen.viewport, index.len()).seen;
        let window = if seen.is_empty() || !freshness.shows_rows() {
            String::new()
        } else {
            messages::rows_seen(seen.start + 1, seen.end)
        };
        let changes = !freshness.is_stale() && freshness.shows_rows();
        let quiet_since = match freshness {
            Freshness::Stale { since_ms, .. } | Freshness::OtherVersion { since_ms, .. } => {
                messages::no_change_since(&messages::instant(*since_ms, now_ms, zone))
            }
            _ => String::new(),
        };
        StatusBar {
            strong,
            rows,
            window,
            selected: messages::selected(selected, hidden),
            rate: changes.then(|| messages::count(u64::from(self.screen.recent.rate(now_ms)))),
            quiet_since,
            spark: if changes { self.screen.recent.spark(now_ms) } else { String::new() },
            resource_version: resource_version(view),
            received: messages::bytes(traffic.received),
            per_second: messages::received(traffic.last_second),
        }
    }
}

/// Deleted rows still stand among the shown ones; they don't count.
fn rows_text(view: &View, index: &Index, freshness: &Freshness) -> (String, String) {
    let all = view.table().len();
    match freshness {
        Freshness::Syncing { n, .. } if *n > 0 => messages::rows_so_far(all, *n),
        // Nobody knows yet, or may know, how many there are.
        state if !state.shows_rows() || matches!(state, Freshness::Syncing { .. }) => Default::default(),
        _ if index.filter().is_empty() => messages::rows_of(all, all),
        _ => messages::rows_of(index.len().min(all), all),
    }
}

/// Of the last cut.
pub(super) fn resource_version(view: &View) -> String {
    view.table().token().map_or_else(String::new, |token| token.resource_version.to_string())
}

fn paused_line(frozen: &Frozen, now_ms: UnixMillis, zone: Zone) -> Notice {
    Notice::Text(NoticeText {
        kind: NoticeKind::Paused,
        icon: Icon::Pause,
        meter: None,
        strong: messages::paused_at(&messages::instant(frozen.since_ms, now_ms, zone)),
        text: messages::waiting(frozen.waiting),
        action: Some(NoticeAction::Resume),
    })
}

fn notice_line(line: Line, view: &View, freshness: &Freshness) -> Notice {
    let said = match line {
        Line::Counts => return tallies(view),
        Line::Notice(said) if said.bold.is_empty() && said.sentence.is_empty() => return Notice::None,
        Line::Notice(said) => said,
    };
    let (icon, meter) = match freshness.worst() {
        Freshness::Forbidden { .. } => (Icon::Lock, None),
        Freshness::Syncing { n, of: Some(of), .. } if *n > 0 => {
            (Icon::Clock, Some(u32::try_from(n.saturating_mul(100) / of.max(&1)).unwrap_or(100)))
        }
        Freshness::Syncing { .. } | Freshness::Polled { .. } => (Icon::Clock, None),
        Freshness::Resuming { .. } => (Icon::Retry, None),
        _ => match said.kind {
            NoticeKind::Gap => (Icon::Gap, None),
            NoticeKind::Bad => (Icon::Retry, None),
            NoticeKind::Plain => (Icon::Filter, None),
            _ => (Icon::Alert, None),
        },
    };
    Notice::Text(NoticeText {
        kind: said.kind,
        icon,
        meter,
        strong: said.bold,
        text: said.sentence,
        action: said.action,
    })
}

fn tallies(view: &View) -> Notice {
    let tally = |count: crate::status::Count| Tally {
        class: count.class,
        count: messages::count(u64::try_from(count.rows).unwrap_or(u64::MAX)),
        word: count.word.to_string(),
    };
    // A column of free words isn't a status: rings say nothing.
    let counts = view.tally().counts();
    if counts.iter().all(|count| count.class == Class::Idle) {
        return Notice::None;
    }
    Notice::Tally(counts.into_iter().map(tally).collect())
}

fn empty_state(body: Body, view: &View) -> Option<EmptyState> {
    let Body::Empty { bold, sentence, action } = body else { return None };
    let can_widen = matches!(view.subscription().scope().namespaces, Namespaces::These(_));
    let action = match action {
        Some(offer) => Some(EmptyStateAction::Offer(offer)),
        None if can_widen => Some(EmptyStateAction::LookEverywhere),
        None => None,
    };
    // A heading has no full stop.
    Some(EmptyState { title: bold.trim_end_matches('.').to_owned(), text: sentence, action })
}
