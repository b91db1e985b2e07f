//! The comparison of two versions in the tab Timeline. Which two is part of the address; their difference is
//! computed once.

use std::sync::Arc;

use shared::frame::timeline::{Entry, EntryType};
use shared::resource_version::ResourceVersion;

use super::words;
use crate::detail::compare::{self, DiffLine};
use crate::location::PanelPlace;
use crate::messages;
use crate::panel::log::Log;
use crate::panel::object::{PanelObject, ShownObject};
use crate::table_view::Client;

#[derive(Clone, Debug, PartialEq)]
pub enum ComparisonAction {
    Pick(ResourceVersion),
    /// The last change: the version before it, and itself.
    LastChange,
    Close,
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

impl Picks {
    pub(crate) fn of(place: &PanelPlace) -> Self {
        Self { a: place.a.clone(), b: place.b.clone() }
    }

    /// `None`: nothing changes.
    pub(super) fn after(
        self,
        action: ComparisonAction,
        object: &PanelObject,
        client: &Client,
    ) -> Option<Self> {
        match action {
            ComparisonAction::Pick(version) => Some(self.picked(version, &object.log(client))),
            ComparisonAction::LastChange => Self::of_last_change(object, client),
            ComparisonAction::Close => Some(Self::default()),
        }
    }

    /// Picking a version again removes the pick.
    fn picked(self, version: ResourceVersion, log: &Log<'_>) -> Self {
        let (a, b) = match (self.a, self.b) {
            (Some(a), b) if a == version => (b, None),
            (a, Some(b)) if b == version => (a, None),
            (None, b) => (Some(version), b),
            (Some(a), _) => (Some(a), Some(version)),
        };
        match (a, b) {
            (Some(a), Some(b)) if changes_up_to(log, &a) > changes_up_to(log, &b) => {
                Self { a: Some(b), b: Some(a) }
            }
            (a, b) => Self { a, b },
        }
    }

    pub(crate) fn of_last_change(object: &PanelObject, client: &Client) -> Option<Self> {
        let log = object.log(client);
        let mut versions = log.changes().rev().filter_map(|entry| entry.resource_version.clone());
        let newest = versions.next()?;
        let before = versions.next().or_else(|| object.versions.oldest().map(|(first, _)| first.clone()));
        Some(Self { a: before.filter(|before| *before != newest), b: Some(newest) })
    }
}

impl Comparison {
    /// `has_picks`: the action picked versions.
    pub(super) fn asked(&mut self, action: &ComparisonAction, has_picks: bool) {
        self.is_asked = *action == ComparisonAction::LastChange && !has_picks;
    }

    /// `None`: no version is picked, and the reader didn't ask for a comparison.
    pub(super) fn model(&mut self, picks: Picks, shown: ShownObject<'_>) -> Option<Arc<ComparisonModel>> {
        let clock = |version: &ResourceVersion| clock(version, shown);
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
        let log = shown.log();
        let value = |version| shown.object.versions.at(version, log.iter());
        let (Some(old), Some(new)) = (value(a), value(b)) else {
            // The version may still arrive if the link was just opened, so this isn't kept.
            return Some(said(a, Some(b), words::VERSION_NOT_KEPT));
        };
        let mut comparison = compare::compare(&old, &new);
        if comparison.lines.is_empty() {
            comparison.lines = vec![DiffLine::Fold(words::EQUAL_VERSIONS.to_owned())];
        }
        let changes = changes_up_to(&log, b).saturating_sub(changes_up_to(&log, a));
        let summary = words::compared(changes, has_gap(&log, a, b), comparison.fields);
        let made = Arc::new(ComparisonModel { a: clock(a), b: clock(b), summary, lines: comparison.lines });
        self.made = Some((picks, Arc::clone(&made)));
        Some(made)
    }
}

/// When the version was made; a version that was never seen is called by its resourceVersion.
fn clock(version: &ResourceVersion, shown: ShownObject<'_>) -> String {
    let ShownObject { object, client, now, .. } = shown;
    let log = shown.log();
    let entry = log.iter().find(|entry| entry.resource_version.as_ref() == Some(version));
    let logged_ms = entry.map(|entry| client.local_ms(entry.time_ms));
    let at_ms = logged_ms.or(object.versions.seen_ms(version));
    at_ms.map_or_else(|| version.to_string(), |ms| messages::instant(ms, now.ms, now.zone))
}

/// Whether changes may be missing between two versions.
fn has_gap(log: &Log<'_>, a: &ResourceVersion, b: &ResourceVersion) -> bool {
    let is_of = |entry: &Entry, version| entry.resource_version.as_ref() == Some(version);
    // The version that the log began with has no entry.
    let first = log.iter().position(|entry| is_of(entry, a)).map_or(0, |at| at + 1);
    let mut between = log.iter().skip(first).take_while(|entry| !is_of(entry, b));
    between.any(|entry| entry.kind == EntryType::Gap)
}

/// The number of changes up to a version; 0 for the one that the log began with.
fn changes_up_to(log: &Log<'_>, version: &ResourceVersion) -> usize {
    let place = log.changes().position(|entry| entry.resource_version.as_ref() == Some(version));
    place.map_or(0, |place| place + 1)
}
