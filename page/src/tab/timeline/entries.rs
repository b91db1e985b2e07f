//! The entries of the log, newest first.

use std::sync::Arc;

use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use crate::panel::log::{Logged, Unrecorded};
use crate::panel::object::ShownObject;

use super::words;
use crate::detail::Now;
use crate::detail::dated::DatedLine;
use crate::detail::history::{self, Body, Filter, Item};
use crate::messages;

/// The tab of changes, as it is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimelineModel {
    /// The newest first.
    pub items: Vec<Arc<Item>>,
    /// How many older ones aren't mounted.
    pub older: usize,
    pub filters: Vec<(Filter, String)>,
    pub filter: Filter,
    /// A sentence about when the log began, what the object told of the time before, and the version that it began with.
    pub opened: String,
    pub dated: Vec<DatedLine>,
    pub first: Option<ResourceVersion>,
}

pub(super) struct Entries {
    filter: Filter,
    /// How many entries are mounted.
    shown_max: usize,
}

/// Entries that are mounted, and how many more at a time.
const PAGE: usize = 200;

impl Default for Entries {
    fn default() -> Self {
        Self { filter: Filter::All, shown_max: PAGE }
    }
}

impl Entries {
    pub(super) fn set_filter(&mut self, filter: Filter) {
        self.filter = filter;
    }

    pub(super) fn show_older(&mut self) {
        self.shown_max += PAGE;
    }

    pub(super) fn model(&self, shown: ShownObject<'_>, opened_ms: UnixMillis) -> TimelineModel {
        let log = shown.log();
        let ShownObject { object, client, now, .. } = shown;
        let filter = self.filter;
        let passes = |logged: &&Logged<'_>| history::is_shown(logged.entry) && filter.passes(logged.entry);
        let local_ms = |ms| client.local_ms(ms);
        let all = log.entries.iter().filter(passes).count();
        let mut items: Vec<Arc<Item>> = Vec::new();
        let mut above = log.object;
        for logged in log.entries.iter().rev().filter(passes).take(self.shown_max) {
            let Logged { number, entry, object: of, unrecorded } = *logged;
            let item = history::item(number, entry, local_ms, now.zone);
            let item = match unrecorded {
                Some(unrecorded) => Item { body: not_recorded(unrecorded, now), ..item },
                None => item,
            };
            items.push(Arc::new(Item { above: (of < above).then_some(words::FORMER_OBJECT), ..item }));
            above = of;
        }
        let label = |filter: Filter| (filter, filter.label(log.iter()));
        let opened = words::opened(&messages::instant(opened_ms, now.ms, now.zone), log.changes().count());
        let past = &object.past;
        TimelineModel {
            older: all.saturating_sub(self.shown_max),
            items,
            filters: Filter::ALL.map(label).to_vec(),
            filter,
            opened: if past.is_cut { format!("{opened} {}", words::OLDER_DROPPED) } else { opened },
            dated: past.dated.iter().map(|dated| dated.line(now)).collect(),
            first: object.versions.oldest().map(|(version, _)| version.clone()),
        }
    }
}

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
