//! The entries of the log, newest first.

use std::sync::Arc;

use replica::freshness::AsOf;
use shared::duration::UnixSeconds;
use shared::frame::timeline::{Entry, EntryType};
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::children::{ChildEntry, Children};
use super::recorded::RecordedVersions;
use super::rollouts::{Ended, rollouts, stands_alone};
use super::stories::{Step, told};
use super::words;
use crate::detail::Now;
use crate::detail::dated::DatedLine;
use crate::detail::history::{self, Body, Filter, Headline, Item};
use crate::messages;
use crate::panel::log::{Log, Logged, Unrecorded};
use crate::panel::object::ShownObject;
use crate::past;
use crate::tab::overview::link::Links;

/// The tab of changes, as it is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimelineModel {
    /// The newest first.
    pub items: Vec<Arc<Item>>,
    /// What came before the recording: the Events that are still there, and what the gateway still had.
    pub before: Vec<Arc<Item>>,
    /// In the past: the time that is shown, and how many items, and of those before the recording, are later.
    pub as_of: String,
    pub later: usize,
    pub before_later: usize,
    /// How many older ones aren't mounted.
    pub older: usize,
    /// The gateway recorded older ones, which are asked for.
    pub has_recorded: bool,
    pub filters: Vec<(Filter, String)>,
    pub filter: Filter,
    /// The changes of what the object owns and the Events are among them, and what they come to is said in words.
    pub is_in_words: bool,
    /// A sentence about when the log began, what the object told of the time before, and the version that it began with.
    pub opened: String,
    pub dated: Vec<DatedLine>,
    pub first: Option<ResourceVersion>,
}

pub(super) struct Entries {
    filter: Filter,
    /// How many entries are mounted.
    shown_max: usize,
    is_in_words: bool,
    ended: Ended,
}

/// Entries that are mounted, and how many more at a time.
const PAGE: usize = 200;

impl Default for Entries {
    fn default() -> Self {
        Self { filter: Filter::All, shown_max: PAGE, is_in_words: true, ended: Ended::new() }
    }
}

impl Entries {
    pub(super) fn set_filter(&mut self, filter: Filter) {
        self.filter = filter;
    }

    pub(super) fn show_older(&mut self) {
        self.shown_max += PAGE;
    }

    pub(super) fn toggle_words(&mut self) {
        self.is_in_words = !self.is_in_words;
    }

    pub(super) fn model(
        &mut self,
        shown: ShownObject<'_>,
        Around { children, recorded, links }: Around<'_>,
        opened_ms: UnixMillis,
    ) -> TimelineModel {
        let log = shown.log();
        let ShownObject { object, now, .. } = shown;
        let filter = self.filter;
        // A filter asks for single changes of the object.
        let is_told = self.is_in_words && filter == Filter::All;
        let shown_max = if is_told { usize::MAX } else { self.shown_max };
        let mut items: Vec<Step> = own_steps(&log, filter, shown, shown_max);
        let mut all = items.len();
        let before: Vec<Timed>;
        let of_record = recorded_steps(recorded, &log, filter, shown);
        let items: Vec<Timed> = if is_told {
            items.reverse();
            items.extend(child_steps(children, shown, links, &items));
            items.extend(of_record);
            shared::sorted::sort_by(&mut items, |a, b| {
                (a.at_ms, a.item.number).cmp(&(b.at_ms, b.item.number))
            });
            let rollouts = rollouts(shown, &mut self.ended);
            let mut told = told(&items, &rollouts, |ms| history::time(ms, now.zone));
            all = told.len();
            // In the past a reader begins at the time of the panel.
            let later = |as_of: &AsOf| told.iter().take_while(|(at_ms, _)| *at_ms > as_of.at_ms).count();
            let least = shown.freshness.past().map_or(0, |as_of| later(as_of) + PAGE);
            self.shown_max = self.shown_max.max(least);
            told.truncate(self.shown_max);
            let recorded = told.iter().take_while(|(at_ms, _)| *at_ms >= opened_ms).count();
            before = told.split_off(recorded);
            told
        } else {
            all =
                log.entries.iter().filter(|logged| passes(logged, filter)).count().max(all) + of_record.len();
            let room = self.shown_max.saturating_sub(items.len());
            let timed = |step: Step| (step.at_ms, step.item);
            before = of_record.into_iter().take(room).map(timed).collect();
            items.into_iter().map(timed).collect()
        };
        let as_of = shown.freshness.past();
        let later = |items: &[Timed]| match as_of {
            Some(as_of) => items.iter().take_while(|(at_ms, _)| *at_ms > as_of.at_ms).count(),
            None => 0,
        };
        let versions: Vec<&Entry> = recorded.before(&log).map(|(_, entry)| entry).collect();
        let label = |filter: Filter| (filter, filter.label(log.iter().chain(versions.iter().copied())));
        let (clock, changes) = (messages::instant(opened_ms, now.ms, now.zone), log.changes().count());
        let opened = match recorded.is_empty() {
            true => words::opened(&clock, changes),
            false => words::opened_with_record(&clock, changes),
        };
        // What the record tells, the object needn't tell again.
        let since_s = recorded.since_ms().map(|ms| client_s(shown, ms)).filter(|_| !recorded.is_empty());
        let past = &object.past;
        TimelineModel {
            as_of: as_of.map(|as_of| messages::instant(as_of.at_ms, now.ms, now.zone)).unwrap_or_default(),
            later: later(&items),
            before_later: later(&before),
            older: all.saturating_sub(self.shown_max),
            items: items.into_iter().map(|(_, item)| item).collect(),
            before: before.into_iter().map(|(_, item)| item).collect(),
            filters: Filter::ALL.map(label).to_vec(),
            filter,
            is_in_words: self.is_in_words,
            opened: if past.is_cut { format!("{opened} {}", words::OLDER_DROPPED) } else { opened },
            dated: past
                .dated
                .iter()
                .filter(|dated| since_s.is_none_or(|since_s| dated.at < since_s))
                .map(|dated| dated.line(now))
                .collect(),
            has_recorded: recorded.has_more() && all <= self.shown_max,
            first: object.versions.oldest().map(|(version, _)| version.clone()),
        }
    }
}

/// What stands in the timeline beside the entries of the object's own log.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) children: &'a Children,
    pub(super) recorded: &'a RecordedVersions,
    pub(super) links: Links<'a>,
}

/// An instant of the gateway's clock by the cluster's, in seconds.
fn client_s(shown: ShownObject<'_>, gateway_ms: UnixMillis) -> UnixSeconds {
    let cluster_ms = shown.client.local_ms(gateway_ms).saturating_add(shown.cluster_ahead_ms());
    cluster_ms.div_euclid(1_000)
}

/// The versions that were recorded before the log, and the times without a record; the newest first.
fn recorded_steps(
    recorded: &RecordedVersions,
    log: &Log<'_>,
    filter: Filter,
    shown: ShownObject<'_>,
) -> Vec<Step> {
    let ShownObject { client, now, object, .. } = shown;
    let local_ms = |ms| client.local_ms(ms);
    let mut steps = Vec::new();
    let entries = recorded.before(log).filter(|(_, entry)| history::is_shown(entry) && filter.passes(entry));
    for (number, entry) in entries {
        let item = history::item(number, entry, local_ms, now.zone);
        // A deletion has no version to compare.
        let resource_version = item.resource_version.clone().filter(|_| entry.kind != EntryType::Deleted);
        let item = Item { resource_version, ..item };
        let stands_alone = stands_alone(entry);
        let at_ms = local_ms(entry.time_ms);
        steps.push(Step { at_ms, child: None, is_deletion: false, stands_alone, item: Arc::new(item) });
    }
    let at = |ms: UnixMillis| messages::instant(local_ms(ms), now.ms, now.zone);
    let missing = |number, gateway_ms: UnixMillis, bold: String, sentence: String| {
        let at_ms = local_ms(gateway_ms);
        let (clock, millis) = history::time(at_ms, now.zone);
        let body = Body::Gap { bold, sentence, dated: Vec::new() };
        let item = Item { number, above: None, clock, millis, subject: None, body, resource_version: None };
        Step { at_ms, child: None, is_deletion: false, stands_alone: true, item: Arc::new(item) }
    };
    steps.extend(recorded.gaps().map(|(number, gap)| {
        let bold = past::words::nothing_from_to(&at(gap.from_ms), &at(gap.to_ms), &gap.why);
        missing(number, gap.to_ms, bold, past::words::EXACT_AFTER.to_owned())
    }));
    let resource = object.view(client).map(|view| view.subscription.scope.resource.resource.to_string());
    steps.extend(recorded.removed().map(|(number, removed)| {
        let bold = past::words::removed(resource.as_deref().unwrap_or_default(), removed, at);
        missing(number, removed.to_ms, bold, past::words::removed_at(&at(removed.removed_ms)))
    }));
    shared::sorted::sort_by_key(&mut steps, |step| std::cmp::Reverse((step.at_ms, step.item.number)));
    steps
}

/// An item with its time.
type Timed = (UnixMillis, Arc<Item>);

fn passes(logged: &Logged<'_>, filter: Filter) -> bool {
    history::is_shown(logged.entry) && filter.passes(logged.entry)
}

/// The newest first.
fn own_steps(log: &Log<'_>, filter: Filter, shown: ShownObject<'_>, shown_max: usize) -> Vec<Step> {
    let ShownObject { client, now, .. } = shown;
    let mut steps = Vec::new();
    let mut above = log.object;
    for logged in log.entries.iter().rev().filter(|logged| passes(logged, filter)).take(shown_max) {
        let Logged { number, entry, object: of, unrecorded } = *logged;
        let item = history::item(number, entry, |ms| client.local_ms(ms), now.zone);
        let item = match unrecorded {
            Some(unrecorded) => Item { body: not_recorded(unrecorded, now), ..item },
            None => item,
        };
        let item = Arc::new(Item { above: (of < above).then_some(words::FORMER_OBJECT), ..item });
        // The time without a record ends by the viewer's clock.
        let at_ms = unrecorded.map_or_else(|| client.local_ms(entry.time_ms), |held| held.to_ms);
        let stands_alone = stands_alone(entry);
        steps.push(Step { at_ms, child: None, is_deletion: false, stands_alone, item });
        above = of;
    }
    steps
}

/// The changes of what the object owns, and the Events. `own`: its own steps, whose gaps aren't told twice.
fn child_steps(children: &Children, shown: ShownObject<'_>, links: Links<'_>, own: &[Step]) -> Vec<Step> {
    let ShownObject { client, now, object, .. } = shown;
    let value = object.value.as_deref();
    let owner = value.and_then(|value| value.pointer("/metadata/name")?.as_str()).unwrap_or_default();
    let is_gap = |step: &&Step| matches!(step.item.body, Body::Gap { .. });
    let gaps: Vec<UnixMillis> = own.iter().filter(is_gap).map(|step| step.at_ms).collect();
    let mut steps = Vec::new();
    for ChildEntry { number, kind, entry } in children.entries(client) {
        let at_ms = client.local_ms(entry.time_ms);
        let item = history::item(number, entry, |ms| client.local_ms(ms), now.zone);
        let Some(name) = entry.name.as_deref().filter(|_| entry.kind != EntryType::Gap) else {
            if gaps.iter().all(|gap_ms| (gap_ms - at_ms).abs() > SAME_GAP_MS) {
                let item = Arc::new(item);
                steps.push(Step { at_ms, child: None, is_deletion: false, stands_alone: true, item });
            }
            continue;
        };
        let subject = Some(children.subject(kind, name, owner, links));
        let begins = |path: &str| path == "/metadata/deletionTimestamp";
        let is_deletion =
            entry.kind == EntryType::Deleted || entry.fields.iter().any(|field| begins(&field.path));
        let item = Arc::new(Item { subject, resource_version: None, ..item });
        let child = Some((kind, name.to_owned()));
        steps.push(Step { at_ms, child, is_deletion, stands_alone: false, item });
    }
    // Where the viewer's clock is when the cluster's is at a time, in whole seconds.
    let behind_ms = shown.cluster_ahead_ms().saturating_neg().div_euclid(1_000) * 1_000;
    let of_record = children.events_of_record(object, client, now).into_iter().map(|event| (None, event));
    for (child, event) in children.events(client, now).into_iter().chain(of_record) {
        let Some(at) = event.at else { continue };
        let at_ms = at.saturating_mul(1_000).saturating_add(behind_ms);
        let said = words::event_said(&event.message, &event.count);
        let (clock, _) = history::time(at_ms, now.zone);
        let item = Item {
            number: event_number(&event.id.to_string(), &event.count, at),
            above: None,
            clock,
            millis: String::new(),
            subject: child.as_ref().map(|(kind, name)| children.subject(kind, name, owner, links)),
            body: Body::Event { headline: Headline::new(event.class, event.reason, said) },
            resource_version: None,
        };
        let item = Arc::new(item);
        steps.push(Step { at_ms, child, is_deletion: false, stands_alone: false, item });
    }
    steps
}

/// Two logs that tell a gap within this time tell the same one.
const SAME_GAP_MS: i64 = 5_000;

/// An Event that comes again is another entry.
fn event_number(id: &str, count: &str, at: UnixSeconds) -> u64 {
    // FNV-1a: two Events of one number would be one entry, and there are some hundreds.
    let bytes = id.bytes().chain(count.bytes()).chain(at.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    EVENT_NUMBERS + (hash >> 3)
}

/// The numbers of Events are between those of entries and those of stories.
const EVENT_NUMBERS: u64 = 1 << 61;

/// The panel was closed.
fn not_recorded(unrecorded: &Unrecorded, now: Now) -> Body {
    let Unrecorded { from_ms, to_ms, dated } = unrecorded;
    let at = |ms: UnixMillis| messages::instant(ms, now.ms, now.zone);
    Body::Gap {
        bold: messages::gap(&at(*from_ms), &at(*to_ms)),
        sentence: words::not_recorded(to_ms.saturating_sub(*from_ms)),
        dated: dated.iter().map(|dated| dated.line(now)).collect(),
    }
}
