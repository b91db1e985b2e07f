//! What is asked and what was told, for as long as the login lasts.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use shared::resource_version::ResourceVersion;
use shared::rollout::RolloutWatch;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::draft::{Draft, Meaning};
use super::model::TellSheet;
use super::part::Subject;
use super::views::Views;
use super::watcher::Watcher;
use crate::effect::MayNotify;
use crate::location::PanelPlace;

/// The questions of this page. What was told has objects' names, so it lives here alone and ends with the login.
#[derive(Default)]
pub(crate) struct TellMe {
    pub(super) questions: Vec<Question>,
    /// The newest first.
    pub(super) told: VecDeque<ToldEntry>,
    /// How many of them its reader hasn't seen.
    pub(super) unseen: usize,
    pub(super) sheet: Option<Sheet>,
    /// As it was shown last.
    pub(super) shown: Option<Arc<TellSheet>>,
    /// Kept questions whose kind isn't known yet, with their numbers.
    pub(super) waiting: Vec<(u32, Box<str>)>,
    /// The reader of these questions, as a hash; empty before the login.
    pub(super) asker: Box<str>,
    pub(super) last_number: u32,
    /// When it looked last.
    pub(super) looked_ms: UnixMillis,
    pub(super) may_notify: MayNotify,
}

/// The open sheet.
pub(super) struct Sheet {
    /// What it may be about: an object, a view.
    pub(super) subjects: Vec<Subject>,
    pub(super) draft: Draft,
    pub(super) is_linked: bool,
    /// Why the draft can't be asked.
    pub(super) why: String,
}

/// What was asked, and how far it is.
pub(crate) struct Question {
    pub(super) number: u32,
    pub(super) subject: Subject,
    pub(super) draft: Draft,
    pub(super) meaning: Meaning,
    pub(super) views: Views,
    pub(super) asked_ms: UnixMillis,
    /// Another tab told it or removed it: it is asked for a moment longer, so that both tabs tell the same.
    pub(super) gone_ms: Option<UnixMillis>,
    /// As the preferences keep it; `None`: it isn't kept.
    pub(super) kept: Option<Box<str>>,
    pub(super) watcher: Watcher,
    /// The objects that were there at the first look, with what they are compared with.
    pub(super) known: Option<BTreeMap<RowId, Known>>,
    /// Where it is asked when rollouts end.
    pub(super) rollouts: BTreeMap<RowId, RolloutWatch>,
    /// Since when nothing is proven.
    pub(super) unknown_since_ms: Option<UnixMillis>,
}

/// An object as it was.
pub(super) struct Known {
    pub(super) said: String,
    /// Its panel. `None`: its name isn't valid.
    pub(super) panel: Option<PanelPlace>,
    pub(super) version: ResourceVersion,
}

pub(crate) struct ToldEntry {
    pub(super) at_ms: UnixMillis,
    pub(super) text: String,
    pub(super) proof: String,
    pub(super) href: Option<String>,
}
