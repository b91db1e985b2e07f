//! The list as it is shown: from the rows of all kinds to lines with their words.

use std::collections::BTreeMap;
use std::sync::Arc;

use replica::freshness::{self, Freshness};
use replica::table::Table;
use replica::table::clusters::{self, named_in};
use shared::cell::Cell;
use shared::duration::{self, UnixSeconds};
use shared::health::Health;
use shared::name::ClusterName;
use shared::resource::Kind;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::model::{WrongCount, WrongLine, WrongList, WrongStory};
use super::part::Around;
use super::stories::{Item, Root, Story, namespace, stories};
use super::views::{KindView, Made, MadeOf, WrongViews};
use super::words;
use crate::location::PanelPlace;
use crate::messages;
use crate::past::{InPlaceOfRows, ReplacedRows};
use crate::pill;
use crate::query::Filter;
use crate::status::RowHealth;
use crate::table_view::{Client, View};
use crate::tell::About;

/// A reader looks at the worst of them; a filter leaves fewer.
const STORIES_MAX: usize = 300;
const LEAVES_MAX: usize = 200;
/// A rollout that began earlier before isn't taken for the cause.
const AFTER_ROLLOUT_S: i64 = 600;
/// What a story is made of: what fails and what isn't ready.
const TOLD: [RowHealth; 2] = [RowHealth::Failing, RowHealth::Short];
/// The entries of the tally.
const COUNTED: [RowHealth; 3] = [RowHealth::Failing, RowHealth::Short, RowHealth::Changing];

/// The rows of one kind, and how they stand.
struct OfKind<'a> {
    kind: &'a Kind,
    view: &'a View,
    freshness: Freshness,
    /// The clock of each cluster, in a list of several.
    clocks: Vec<(&'a str, UnixSeconds)>,
    clock: UnixSeconds,
}

impl OfKind<'_> {
    fn now(&self, cluster: &str) -> UnixSeconds {
        let found = self.clocks.iter().find(|(name, _)| *name == cluster);
        found.map_or(self.clock, |(_, now)| *now)
    }
}

/// What an item is said with.
struct Told<'a> {
    item: Item<'a>,
    kind: &'a Kind,
    now: UnixSeconds,
    is_stale: bool,
}

pub(super) fn list(held: &mut WrongViews, around: &Around<'_>, client: &Client) -> Made {
    let second = around.now_ms.div_euclid(1_000);
    let of = MadeOf { revision: held.revision, second, filter: around.filter.into(), order: around.order };
    if let Some((_, made)) = held.made.as_ref().filter(|(made_of, _)| *made_of == of) {
        return made.clone();
    }
    let filter = Filter::parse(around.filter);
    let kinds = of_kinds(held, around.now_ms, client);
    let list = made(held, &kinds, (around, &filter), client);
    let unread = filter.unread_as_text(words::NO_COLUMNS);
    let made = Made {
        list: ReplacedRows(Some(Arc::new(InPlaceOfRows::Wrong(list)))),
        state: worst(&kinds),
        marks: filter.marks(),
        unread: unread.map(|(term, why)| messages::filter_unread(term, why)).unwrap_or_default(),
    };
    held.made = Some((of, made.clone()));
    made
}

fn of_kinds<'a>(held: &'a WrongViews, now_ms: UnixMillis, client: &'a Client) -> Vec<OfKind<'a>> {
    let of = |KindView { kind, key }: &'a KindView| {
        let view = client.view(*key)?;
        let freshness = freshness::of(client, view, now_ms);
        let clock = view.cluster_now_s(now_ms, freshness.stale_ms());
        let clocks = view.subscription().clusters.iter().map(ClusterName::as_str);
        let states = freshness::of_clusters(client, view, now_ms);
        let clocks = clocks.zip(states.iter().map(|state| state.now_s)).collect();
        Some(OfKind { kind, view, freshness, clocks, clock })
    };
    held.views.iter().filter_map(of).collect()
}

/// How the list as a whole stands: as what is the least proven of it. What may not be listed isn't part of it.
fn worst(kinds: &[OfKind<'_>]) -> Freshness {
    let rank = |state: &Freshness| match state.of_rows() {
        state if state.is_stale() => 0,
        Freshness::Failed { .. } => 1,
        Freshness::Syncing { .. } => 2,
        Freshness::Resuming { .. } => 3,
        _ => 4,
    };
    let proven = |state: &Freshness| match state.of_rows() {
        Freshness::Live { proven_ms } | Freshness::Polled { proven_ms, .. } => *proven_ms,
        state => state.stale_ms().unwrap_or_default(),
    };
    let known = kinds.iter().map(|of| &of.freshness).filter(|state| !is_refused(state));
    let worst = known.min_by_key(|state| (rank(state), proven(state)));
    worst.cloned().unwrap_or(Freshness::Syncing { n: 0, of: None, asked_ms: 0 })
}

pub(crate) fn is_refused(state: &Freshness) -> bool {
    matches!(state.of_rows(), Freshness::Forbidden { .. } | Freshness::Gone { .. })
}

fn made(
    held: &WrongViews,
    kinds: &[OfKind<'_>],
    (around, filter): (&Around<'_>, &Filter),
    client: &Client,
) -> WrongList {
    let told: Vec<Told<'_>> = kinds.iter().flat_map(told_of).collect();
    let counts = counts(&told, filter);
    let shown: Vec<&Told<'_>> = told.iter().filter(|told| is_shown(told, filter)).collect();
    let items: Vec<Item<'_>> = shown.iter().map(|told| told.item).collect();
    let id_of = |id: RowId, cluster: &str| match ClusterName::parse(cluster) {
        Ok(name) => clusters::row_id(id, &name),
        Err(_) => id,
    };
    let found = stories(&items, id_of, around.order);
    let events = held.events.and_then(|key| client.view(key)).map(events).unwrap_or_default();
    let lines = Lines { shown: &shown, events: &events, around, has_clusters: held.has_several_clusters() };
    let more = found.len().saturating_sub(STORIES_MAX);
    let stories = found.iter().take(STORIES_MAX).filter_map(|story| lines.story(story, held)).collect();
    let said = Said::of(kinds, around);
    let note = match (found.is_empty(), said.waiting, filter.text().trim().is_empty()) {
        (false, ..) => String::new(),
        (true, waiting, true) if waiting > 0 => {
            format!("{} {}", words::reading(waiting, kinds.len()), words::READING)
        }
        (true, _, false) => words::HIDDEN_BY_FILTER.to_owned(),
        (true, _, true) if said.unknown.is_empty() => words::nothing(kinds.len() - said.refused.len()),
        (true, ..) => words::NOTHING_KNOWN.to_owned(),
    };
    let looked = words::looked(kinds.len() - said.refused.len(), said.refused.len(), held.left_out);
    WrongList {
        counts,
        stories,
        more: if more > 0 { words::more(more) } else { String::new() },
        note,
        unknown: said.unknown,
        looked,
        looked_more: said.refused.join(", "),
        order: around.order,
    }
}

fn told_of<'a>(of: &'a OfKind<'a>) -> impl Iterator<Item = Told<'a>> {
    let OfKind { kind, view, freshness, .. } = of;
    let table = view.table();
    let node = (kind.kind.as_ref() == "Pod").then(|| column(table, "Node")).flatten();
    let rows = freshness.shows_rows().then(|| table.rows()).into_iter().flatten();
    rows.map(move |row| {
        let cluster = named_in(row, table.columns()).unwrap_or_default();
        let now = of.now(cluster);
        // What crashes in a loop began with its first crash.
        let began = |health: &Health| health.failing_since(now).or(health.since);
        let (health, since) = (RowHealth::of(row, now), row.health().and_then(began));
        let item =
            Item { row, kind: &kind.kind, cluster, health, since, node: node.and_then(|at| text(row, at)) };
        Told { item, kind, now, is_stale: freshness.is_stale() }
    })
}

fn column(table: &Table, name: &str) -> Option<usize> {
    table.columns().iter().position(|column| column.name.eq_ignore_ascii_case(name))
}

fn text(row: &Row, at: usize) -> Option<&str> {
    match row.cells.get(at)? {
        Cell::Text(text) => Some(text),
        _ => None,
    }
}

fn counts(told: &[Told<'_>], filter: &Filter) -> Vec<WrongCount> {
    let count = |health| told.iter().filter(|told| told.item.health == health).count();
    let entry = |health: RowHealth| WrongCount {
        health,
        class: health.class(),
        count: messages::count(count(health)),
        word: health.word(),
        is_chosen: filter.has_health(health),
    };
    COUNTED.into_iter().map(entry).collect()
}

/// What only changes is shown where its reader asks for it.
fn is_shown(told: &Told<'_>, filter: &Filter) -> bool {
    let Item { row, kind, health, cluster, .. } = told.item;
    let is_told = TOLD.contains(&health) || filter.has_health(health) && health != RowHealth::Fine;
    is_told && {
        let reason = row.health().map(|health| &*health.reason).unwrap_or_default();
        let text = [kind, cluster, namespace(row), &row.name, reason].join(" ").to_lowercase();
        filter.matches_text(&text, health)
    }
}

/// What is said of the kinds beside their rows.
struct Said {
    waiting: usize,
    refused: Vec<String>,
    unknown: Vec<String>,
}

impl Said {
    fn of(kinds: &[OfKind<'_>], around: &Around<'_>) -> Self {
        let (mut waiting, mut refused) = (0, Vec::new());
        let mut stale: BTreeMap<UnixMillis, Vec<String>> = BTreeMap::new();
        let mut failed: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for OfKind { kind, view, freshness, .. } in kinds {
            let name = kind.resource.resource.to_string();
            match freshness.stale_ms() {
                _ if is_refused(freshness) => refused.push(name),
                Some(since_ms) => stale.entry(since_ms / 1_000 * 1_000).or_default().push(name),
                None if freshness.shows_rows() => waiting += usize::from(!view.table().is_whole()),
                None => {
                    let word = pill::pill(freshness, "", around.now_ms, around.zone).word;
                    failed.entry(word).or_default().push(name);
                }
            }
        }
        let stale = stale.into_iter().map(|(since_ms, names)| {
            let clock = messages::instant(since_ms, around.now_ms, around.zone);
            words::unknown_since(&names.join(", "), &clock)
        });
        let failed = failed.into_iter().map(|(why, names)| words::unknown(&names.join(", "), &why));
        Self { waiting, refused, unknown: stale.chain(failed).collect() }
    }
}

/// The last warning of an object: by its cluster, its namespace, and `pod/name`.
type Events<'a> = BTreeMap<(&'a str, &'a str, &'a str), (UnixSeconds, String)>;

fn events(view: &View) -> Events<'_> {
    let table = view.table();
    let (Some(seen), Some(object)) = (column(table, "Last Seen"), column(table, "Object")) else {
        return Events::new();
    };
    let (reason, message) = (column(table, "Reason"), column(table, "Message"));
    let mut events = Events::new();
    for row in table.rows() {
        let Some(about) = text(row, object) else { continue };
        let at = match row.cells.get(seen) {
            Some(Cell::Age(Some(at))) => *at,
            _ => UnixSeconds::MIN,
        };
        let part = |at: Option<usize>| at.and_then(|at| text(row, at)).unwrap_or_default();
        let cluster = named_in(row, table.columns()).unwrap_or_default();
        let held =
            events.entry((cluster, namespace(row), about)).or_insert((UnixSeconds::MIN, String::new()));
        if at >= held.0 {
            *held = (at, words::event(part(reason), part(message)));
        }
    }
    events
}

/// What lines are made from.
struct Lines<'a> {
    shown: &'a [&'a Told<'a>],
    events: &'a Events<'a>,
    around: &'a Around<'a>,
    has_clusters: bool,
}

impl Lines<'_> {
    fn story(&self, story: &Story<'_>, held: &WrongViews) -> Option<WrongStory> {
        let leaves: Vec<&Told<'_>> =
            story.leaves.iter().filter_map(|at| self.shown.get(*at).copied()).collect();
        let (key, mut root) = match &story.root {
            Root::Item(at) => {
                let told = self.shown.get(*at)?;
                (told.item.row.id.to_string(), self.line(told))
            }
            Root::Owner { cluster, namespace, kind, name } => {
                let place = self.place(cluster, namespace);
                let panel = self.owner_panel(held, (cluster, namespace), (kind, name));
                // It is fine itself.
                let (href, about) = self.leads(panel, "changes");
                let root = self.owner((kind, name), place, story, &leaves);
                (format!("{cluster}/{namespace}/{kind}/{name}"), WrongLine { href, about, ..root })
            }
        };
        root.class = story.worst.class();
        if let Some(reason) = most(&leaves).filter(|reason| *reason != root.why) {
            let parts = [&*root.why, reason].into_iter().filter(|part| !part.is_empty());
            root.why = parts.collect::<Vec<_>>().join(" · ");
        }
        if let Some(began) = after_rollout(story, &leaves) {
            root.why = format!("{}, {began}", root.why);
        }
        let is_open = held.open.contains(&key);
        let shown = leaves.iter().take(if is_open { LEAVES_MAX } else { 0 });
        let hidden = if is_open { leaves.len().saturating_sub(LEAVES_MAX) } else { 0 };
        Some(WrongStory {
            folded: folded(&leaves),
            leaves: shown.map(|told| self.line(told)).collect(),
            more: if hidden > 0 { words::more(hidden) } else { String::new() },
            is_open,
            root,
            key,
        })
    }

    fn place(&self, cluster: &str, namespace: &str) -> String {
        let parts = [cluster, namespace].into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(" · ")
    }

    fn line(&self, told: &Told<'_>) -> WrongLine {
        let Told { item, kind, now, is_stale } = told;
        let row = item.row;
        let (since, since_when) = self.since(item.since, *now);
        let about = format!("{}/{}", item.kind.to_lowercase(), row.name);
        let event = self.events.get(&(item.cluster, namespace(row), &*about));
        let (href, about) = self.leads(self.panel(row.place(), kind, item.cluster), "health=fine");
        WrongLine {
            class: item.health.class(),
            kind: item.kind.to_owned(),
            place: self.place(item.cluster, namespace(row)),
            name: row.name.to_string(),
            href,
            about,
            why: row.health().map(|health| health.reason.to_string()).unwrap_or_default(),
            since,
            since_when,
            event: event.map(|(_, said)| said.clone()).unwrap_or_default(),
            is_stale: *is_stale,
        }
    }

    /// The owner of several, which is fine itself.
    fn owner(
        &self,
        (kind, name): (&str, &str),
        place: String,
        story: &Story<'_>,
        leaves: &[&Told<'_>],
    ) -> WrongLine {
        let now = leaves.first().map_or(0, |told| told.now);
        let (since, since_when) = self.since(story.since, now);
        let is_stale = leaves.iter().any(|told| told.is_stale);
        let (kind, name) = (kind.to_owned(), name.to_owned());
        let (href, about, why, event) = (None, None, String::new(), String::new());
        WrongLine {
            class: story.worst.class(),
            kind,
            place,
            name,
            href,
            about,
            why,
            since,
            since_when,
            event,
            is_stale,
        }
    }

    /// `None`: no kind that is looked at has this name.
    fn owner_panel(
        &self,
        held: &WrongViews,
        (cluster, namespace): (&str, &str),
        (kind, name): (&str, &str),
    ) -> Option<PanelPlace> {
        let kind = held.views.iter().map(|view| &*view.kind).find(|known| *known.kind == *kind)?;
        let namespace = Some(namespace).filter(|_| kind.namespaced);
        self.panel((namespace, name), kind, cluster)
    }

    fn since(&self, since: Option<UnixSeconds>, now: UnixSeconds) -> (String, String) {
        let Some(at) = since else { return (String::new(), words::SINCE_UNSEEN.to_owned()) };
        let (now_ms, zone) = (self.around.now_ms, self.around.zone);
        (duration::age(at, now), messages::since(&messages::instant(at.saturating_mul(1_000), now_ms, zone)))
    }

    /// Where an object leads, and what is asked of it first.
    fn leads(&self, panel: Option<PanelPlace>, form: &'static str) -> (Option<String>, Option<About>) {
        let about = panel.as_ref().map(|panel| About { object: panel.object(), form });
        (panel.and_then(self.around.href), about)
    }

    fn panel(
        &self,
        (namespace, name): (Option<&str>, &str),
        kind: &Kind,
        cluster: &str,
    ) -> Option<PanelPlace> {
        let place = PanelPlace::named(namespace, name)?;
        let cluster = ClusterName::parse(cluster).ok().filter(|_| self.has_clusters);
        Some(PanelPlace { resource: Some(kind.resource.to_string().into()), cluster, ..place })
    }
}

/// The reason of most of them.
fn most<'a>(leaves: &[&'a Told<'_>]) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let reasons = leaves.iter().filter_map(|told| Some(&*told.item.row.health()?.reason));
    for reason in reasons.filter(|reason| !reason.is_empty()) {
        *counts.entry(reason).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, number)| *number).map(|(reason, _)| reason)
}

/// `40 Pods, 1 ReplicaSet`: what hangs on the root, by kind.
fn folded(leaves: &[&Told<'_>]) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for told in leaves {
        match kinds.iter_mut().find(|(kind, _)| *kind == told.item.kind) {
            Some((_, number)) => *number += 1,
            None => kinds.push((told.item.kind.to_owned(), 1)),
        }
    }
    kinds.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    words::folded(&kinds)
}

/// The rollout that it began with: a ReplicaSet among the leaves was made a little before.
fn after_rollout(story: &Story<'_>, leaves: &[&Told<'_>]) -> Option<String> {
    let began = story.since?;
    let sets = leaves.iter().filter(|told| told.item.kind == "ReplicaSet");
    let made = sets
        .filter_map(|told| Some((told.item.row.created?, told.item.row.extra.as_deref()?.hash.as_deref()?)));
    let (created, hash) = made.filter(|(created, _)| *created <= began).max()?;
    let age = began.saturating_sub(created);
    (age <= AFTER_ROLLOUT_S).then(|| words::after_rollout(&duration::human(age), hash))
}
