//! The comparison of two versions in the tab Timeline. Which two is part of the address; their difference is
//! computed once.

use std::sync::Arc;

use serde_json::Value;
use shared::frame::timeline::{Entry, EntryType};
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::recorded::RecordedVersions;
use super::words;
use crate::detail::compare::{self, DiffLine};
use crate::location::PanelPlace;
use crate::messages;
use crate::panel::log::Log;
use crate::panel::object::{PanelObject, ShownObject};

#[derive(Clone, Debug, PartialEq)]
pub enum ComparisonAction {
    Pick(ResourceVersion),
    /// The last change: the version before it, and itself.
    LastChange,
    Close,
}

/// The versions of the object that are known: those of the gateway's record, and after them those of the log.
pub(super) struct Chain<'a> {
    object: &'a PanelObject,
    log: &'a Log<'a>,
    recorded: &'a RecordedVersions,
    /// Those that the log hasn't, the oldest first.
    before: Vec<&'a Entry>,
}

/// The versions that are picked; A is the older one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picks {
    pub a: Option<ResourceVersion>,
    pub b: Option<ResourceVersion>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonModel {
    pub a: String,
    pub b: String,
    pub summary: String,
    pub lines: Vec<DiffLine>,
}

#[derive(Default)]
pub(super) struct Comparison {
    /// The reader asked to compare while there was nothing to compare.
    is_asked: bool,
    /// The last comparison, and its versions.
    made: Option<(Picks, Arc<ComparisonModel>)>,
}

impl<'a> Chain<'a> {
    pub(super) fn of(object: &'a PanelObject, log: &'a Log<'a>, recorded: &'a RecordedVersions) -> Self {
        Self { object, log, recorded, before: recorded.entries_before(log) }
    }

    /// All changes, the oldest first.
    fn changes(&self) -> impl DoubleEndedIterator<Item = &'a Entry> {
        let before = self.before.clone().into_iter().filter(|entry| entry.kind != EntryType::Deleted);
        before.chain(self.log.changes())
    }

    fn entry(&self, version: &ResourceVersion) -> Option<&'a Entry> {
        let is_it = |entry: &&Entry| entry.resource_version.as_ref() == Some(version);
        self.log.iter().find(is_it).or_else(|| self.before.iter().copied().find(|entry| is_it(entry)))
    }

    /// The number of changes up to a version. The one that the log began with may have no entry.
    fn changes_up_to(&self, version: &ResourceVersion) -> usize {
        let place = self.changes().position(|entry| entry.resource_version.as_ref() == Some(version));
        let began = || self.changes().count().saturating_sub(self.log.changes().count());
        place.map_or_else(began, |place| place + 1)
    }

    /// By the gateway's clock.
    fn heard_ms(&self, version: &ResourceVersion) -> Option<UnixMillis> {
        let entry = self.entry(version).map(|entry| entry.time_ms);
        entry.or_else(|| self.recorded.whole().heard_ms(version))
    }

    fn value(&self, version: &ResourceVersion) -> Option<Arc<Value>> {
        let seen = self.object.versions.at(version, self.log.iter());
        seen.or_else(|| self.recorded.whole().value(version))
    }

    /// Those that only the record has.
    pub(super) fn missing(&self, picks: &Picks) -> Vec<ResourceVersion> {
        let picked = [&picks.a, &picks.b].into_iter().flatten();
        picked.filter(|version| self.value(version).is_none()).cloned().collect()
    }

    /// Whether changes may be missing between two versions.
    fn has_gap(&self, a: &ResourceVersion, b: &ResourceVersion) -> bool {
        if let Some(times) = self.heard_ms(a).zip(self.heard_ms(b))
            && self.recorded.has_gap(times)
        {
            return true;
        }
        let is_of = |entry: &Entry, version| entry.resource_version.as_ref() == Some(version);
        // The version that the log began with has no entry.
        let first = self.log.iter().position(|entry| is_of(entry, a)).map_or(0, |at| at + 1);
        let mut between = self.log.iter().skip(first).take_while(|entry| !is_of(entry, b));
        between.any(|entry| entry.kind == EntryType::Gap)
    }

    pub(super) fn last_change(&self) -> Option<Picks> {
        let mut versions = self.changes().rev().filter_map(|entry| entry.resource_version.clone());
        let newest = versions.next()?;
        let before =
            versions.next().or_else(|| self.object.versions.oldest().map(|(first, _)| first.clone()));
        Some(Picks { a: before.filter(|before| *before != newest), b: Some(newest) })
    }
}

impl Picks {
    pub(crate) fn of(place: &PanelPlace) -> Self {
        Self { a: place.a.clone(), b: place.b.clone() }
    }

    /// `None`: nothing changes.
    pub(super) fn after(self, action: ComparisonAction, chain: &Chain<'_>) -> Option<Self> {
        match action {
            ComparisonAction::Pick(version) => Some(self.picked(version, chain)),
            ComparisonAction::LastChange => chain.last_change(),
            ComparisonAction::Close => Some(Self::default()),
        }
    }

    /// Picking a version again removes the pick.
    fn picked(self, version: ResourceVersion, chain: &Chain<'_>) -> Self {
        let (a, b) = match (self.a, self.b) {
            (Some(a), b) if a == version => (b, None),
            (a, Some(b)) if b == version => (a, None),
            (None, b) => (Some(version), b),
            (Some(a), _) => (Some(a), Some(version)),
        };
        match (a, b) {
            (Some(a), Some(b)) if chain.changes_up_to(&a) > chain.changes_up_to(&b) => {
                Self { a: Some(b), b: Some(a) }
            }
            (a, b) => Self { a, b },
        }
    }
}

impl Comparison {
    /// `has_picks`: the action picked versions.
    pub(super) fn asked(&mut self, action: &ComparisonAction, has_picks: bool) {
        self.is_asked = *action == ComparisonAction::LastChange && !has_picks;
    }

    /// `None`: no version is picked, and the reader didn't ask for a comparison.
    pub(super) fn model(
        &mut self,
        picks: Picks,
        chain: &Chain<'_>,
        shown: ShownObject<'_>,
    ) -> Option<Arc<ComparisonModel>> {
        let clock = |version: &ResourceVersion| clock(version, chain, shown);
        let said = |a: &ResourceVersion, b: Option<&ResourceVersion>, text: &str| {
            Arc::new(ComparisonModel {
                a: clock(a),
                b: b.map(clock).unwrap_or_default(),
                summary: String::new(),
                lines: vec![DiffLine::Fold(text.to_owned())],
            })
        };
        let (a, b) = match (&picks.a, &picks.b) {
            (Some(a), Some(b)) => (a, b),
            (Some(one), None) | (None, Some(one)) => return Some(said(one, None, words::PICK_TWO)),
            (None, None) => {
                let version = shown.object.versions.oldest().filter(|_| self.is_asked)?.0;
                let is_one = shown.log().changes().next().is_none();
                let text = if is_one { words::COMPARE_ONE_VERSION } else { words::PICK_TWO };
                return Some(said(version, None, text));
            }
        };
        if let Some((_, made)) = self.made.as_ref().filter(|(held, _)| *held == picks) {
            return Some(Arc::clone(made));
        }
        let (Some(old), Some(new)) = (chain.value(a), chain.value(b)) else {
            // The version may still arrive if the link was just opened, so this isn't kept.
            let is_awaited = [a, b].into_iter().any(|version| chain.recorded.whole().is_awaited(version));
            let text = if is_awaited { words::VERSION_AWAITED } else { words::VERSION_NOT_KEPT };
            return Some(said(a, Some(b), text));
        };
        let mut comparison = compare::compare(&old, &new);
        if comparison.lines.is_empty() {
            comparison.lines = vec![DiffLine::Fold(words::EQUAL_VERSIONS.to_owned())];
        }
        let changes = chain.changes_up_to(b).saturating_sub(chain.changes_up_to(a));
        let summary = words::compared(changes, chain.has_gap(a, b), comparison.fields);
        let made = Arc::new(ComparisonModel { a: clock(a), b: clock(b), summary, lines: comparison.lines });
        self.made = Some((picks, Arc::clone(&made)));
        Some(made)
    }
}

/// When the version was made; a version that was never seen is called by its resourceVersion.
fn clock(version: &ResourceVersion, chain: &Chain<'_>, shown: ShownObject<'_>) -> String {
    let ShownObject { object, client, now, .. } = shown;
    let heard_ms = chain.heard_ms(version).map(|ms| client.local_ms(ms));
    let at_ms = heard_ms.or(object.versions.seen_ms(version));
    at_ms.map_or_else(|| version.to_string(), |ms| messages::instant(ms, now.ms, now.zone))
}
