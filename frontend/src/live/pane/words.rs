//! The bands of the view that speak: pill, notice line, what stands in place of rows, strip. The
//! replica's words, put where the views look for them.

use page::messages;
use page::notice::{self, Body, Line};
use page::query::Index;
use page::status::Class;
use page::table_view::Client;
use page::table_view::{TableView, View};
use replica::freshness::{Cause, Freshness};
use replica::subscription::Subscription;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use super::Pane;
use super::body::{glyph, status_class};
use super::sight::Frozen;
use crate::live::model::{Blank, BlankAction, Hop, Notice, NoticeText, Pill, ProofHops, Sign, Strip, Tally};
use crate::live::page::Page;
use crate::live::signals::put;
use crate::live::traffic::Traffic;

impl Pane {
    pub(super) fn write_words(
        &mut self,
        client: &Client,
        traffic: &Traffic,
        freshness: &Freshness,
        now_ms: UnixMillis,
    ) {
        let (Some(live), Some((view, _))) = (self.sight.live(client), self.sight.shown(client)) else {
            return;
        };
        let (zone, reader) = (Page::zone(), self.sight.reader());
        let resource = view.subscription().scope().resource.to_string();
        // Staleness breaks through a pause.
        let paused = self.sight.frozen().filter(|_| freshness.is_current());
        let log = self.log.as_ref().filter(|_| freshness.is_current());
        let waiting = match log {
            Some(log) => log.waiting(client),
            None => paused.map(|frozen| messages::changes_waiting(frozen.waiting)),
        };
        put(self.view.pill, waiting.map_or_else(|| pill(freshness, &resource, now_ms), paused_pill));
        let line = notice::line(client, live, reader, freshness, now_ms, zone);
        let said = match &line {
            Line::Notice(said) => format!("{} {}", said.bold, said.sentence).trim().to_owned(),
            Line::Counts => String::new(),
        };
        let line = || match (log, line) {
            (Some(log), Line::Counts) => log.line(client, now_ms),
            (_, line) => notice_line(line, view, freshness),
        };
        put(self.view.notice, paused.map_or_else(line, |frozen| paused_line(frozen, now_ms)));
        let body = notice::body(client, view, reader, freshness, now_ms, zone);
        put(self.view.blank, blank(body, view));
        put(self.view.is_stale, freshness.is_stale());
        let rows = Some(live.table().len());
        let mut hops = proof(client, live.subscription(), rows, freshness, now_ms);
        hops.said = said;
        hops.gateway.facts.push((
            messages::changes_a_second(self.screen.recent.rate(now_ms)),
            messages::received_in_all(traffic.received, traffic.last_second),
        ));
        put(self.view.proof, hops);
        put(self.view.strip, self.strip(client, traffic, freshness, now_ms));
        let above = self.sight.shown(client).map_or(0, |(view, index)| {
            let seen = page::window::window(self.screen.viewport, index.len()).seen;
            self.screen.above.count(view.table(), index, seen.start)
        });
        put(self.view.above, above);
    }

    fn strip(&self, client: &Client, traffic: &Traffic, freshness: &Freshness, now_ms: UnixMillis) -> Strip {
        let Some((view, index)) = self.sight.shown(client) else { return Strip::default() };
        let (selected, hidden) = self.selected(client);
        let (strong, rows) = rows_text(view, index, freshness);
        let seen = page::window::window(self.screen.viewport, index.len()).seen;
        let window = if seen.is_empty() || !freshness.shows_rows() {
            String::new()
        } else {
            messages::rows_seen(seen.start + 1, seen.end)
        };
        let changes = !freshness.is_stale() && freshness.shows_rows();
        let quiet_since = match freshness {
            Freshness::Stale { since_ms, .. } | Freshness::OtherVersion { since_ms, .. } => {
                messages::no_change_since(&messages::instant(*since_ms, now_ms, Page::zone()))
            }
            _ => String::new(),
        };
        Strip {
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

/// `rows`: how many a digest is over.
pub(in crate::live) fn proof(
    client: &Client,
    subscription: &Subscription,
    rows: Option<usize>,
    freshness: &Freshness,
    now_ms: UnixMillis,
) -> ProofHops {
    let ago = |ms: UnixMillis| messages::ago(now_ms.saturating_sub(ms));
    let proof = subscription.proof();
    let cluster = Hop {
        is_broken: matches!(freshness.worst(), Freshness::Stale { cause: Cause::Upstream { .. }, .. }),
        facts: match proof {
            Some(proof) => vec![
                (messages::LAST_PROOF.to_owned(), ago(proof.proven_ms)),
                (format!("resourceVersion {}", proof.resource_version), String::new()),
            ],
            None => vec![(messages::NO_PROOF.to_owned(), String::new())],
        },
    };
    let mut facts = Vec::new();
    if !client.connection().is_open() {
        facts.push((messages::NO_GATEWAY.to_owned(), String::new()));
    }
    if let Some(proof) = proof {
        facts.push((messages::LAST_SYNC.to_owned(), ago(proof.heard_ms)));
        if let Some((equal_ms, rows)) = proof.equal_ms.zip(rows) {
            let rows = u64::try_from(rows).unwrap_or(u64::MAX);
            facts.push((messages::digest_over(rows), messages::equal_ago(now_ms.saturating_sub(equal_ms))));
        }
    }
    let gateway = Hop { is_broken: !client.connection().is_open(), facts };
    let title = messages::HOW_DO_WE_KNOW.to_owned();
    ProofHops { title, said: String::new(), cluster, gateway, foot: messages::proof_foot() }
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

pub(in crate::live) fn pill(freshness: &Freshness, resource: &str, now_ms: UnixMillis) -> Pill {
    let said = page::pill::pill(freshness, resource, now_ms, Page::zone());
    let (class, sign) = match said.class {
        "live" => ("pill-live", ring(said.ring, true)),
        "syncing" => ("pill-syncing", ring(said.ring, false)),
        "resuming" => ("pill-resuming", Sign::Icon("#i-retry")),
        "polling" => ("pill-polling", Sign::Icon("#i-clock")),
        "stale" => ("pill-stale", Sign::Icon("#i-alert")),
        "forbidden" => ("pill-forbidden", Sign::Icon("#i-lock")),
        "gone" => ("pill-gone", Sign::Icon("#i-gone")),
        _ => ("pill-failed", Sign::Icon("#i-alert")),
    };
    let detail = if said.detail.is_empty() { String::new() } else { format!(" · {}", said.detail) };
    Pill { class, sign, word: said.word, detail }
}

fn paused_pill(waiting: String) -> Pill {
    Pill {
        class: "pill-paused",
        sign: Sign::Icon("#i-pause"),
        word: messages::VIEW_PAUSED.to_owned(),
        detail: format!(" · {waiting}"),
    }
}

fn paused_line(frozen: &Frozen, now_ms: UnixMillis) -> Notice {
    Notice::Text(NoticeText {
        class: "notice-paused",
        icon: "#i-pause",
        meter: None,
        strong: messages::paused_at(&messages::instant(frozen.since_ms, now_ms, Page::zone())),
        text: messages::waiting(frozen.waiting),
        action: Some(notice::Action::Resume),
    })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "hundredths of a ring")]
fn ring(left: Option<f64>, has_dot: bool) -> Sign {
    Sign::Ring { left: (left.unwrap_or(0.0).clamp(0.0, 1.0) * 100.0) as u32, has_dot }
}

fn notice_line(line: Line, view: &View, freshness: &Freshness) -> Notice {
    let said = match line {
        Line::Counts => return tallies(view),
        Line::Notice(said) if said.bold.is_empty() && said.sentence.is_empty() => return Notice::None,
        Line::Notice(said) => said,
    };
    let (icon, meter) = match freshness.worst() {
        Freshness::Forbidden { .. } => ("#i-lock", None),
        Freshness::Syncing { n, of: Some(of), .. } if *n > 0 => {
            ("#i-clock", Some(u32::try_from(n.saturating_mul(100) / of.max(&1)).unwrap_or(100)))
        }
        Freshness::Syncing { .. } | Freshness::Polled { .. } => ("#i-clock", None),
        Freshness::Resuming { .. } => ("#i-retry", None),
        _ => match said.class {
            "notice-gap" => ("#i-gap", None),
            "notice-bad" => ("#i-retry", None),
            "" => ("#i-filter", None),
            _ => ("#i-alert", None),
        },
    };
    Notice::Text(NoticeText {
        class: said.class,
        icon,
        meter,
        strong: said.bold,
        text: said.sentence,
        action: said.action,
    })
}

fn tallies(view: &View) -> Notice {
    let tally = |count: page::status::Count| Tally {
        class: status_class(count.class),
        glyph: glyph(count.class),
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

fn blank(body: Body, view: &View) -> Option<Blank> {
    let Body::Empty { bold, sentence, action } = body else { return None };
    let can_widen = matches!(view.subscription().scope().namespaces, Namespaces::These(_));
    let action = match action {
        Some(offer) => Some(BlankAction::Offer(offer)),
        None if can_widen => Some(BlankAction::LookEverywhere),
        None => None,
    };
    // A heading has no full stop.
    Some(Blank { title: bold.trim_end_matches('.').to_owned(), text: sentence, action })
}
