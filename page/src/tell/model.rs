//! What the sheet shows, as plain values.

use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use super::draft::Draft;
use super::picks::Pick;
use crate::status::Class;

/// The open sheet, which its piece makes and reads: the page hands it on and doesn't know what it holds. Two are equal if they
/// are one. Without a sheet its piece isn't there yet.
#[derive(Clone, Default)]
pub struct TellShown(Option<Arc<dyn Any + Send + Sync>>);

impl PartialEq for TellShown {
    fn eq(&self, other: &Self) -> bool {
        let of = |shown: &Self| shown.0.as_ref().map(|sheet| Arc::as_ptr(sheet).cast::<()>());
        of(self) == of(other)
    }
}

impl Debug for TellShown {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("TellShown")
    }
}

impl TellShown {
    pub(super) fn of(sheet: Arc<TellSheet>) -> Self {
        Self(Some(sheet))
    }

    pub fn sheet(&self) -> Option<&TellSheet> {
        self.0.as_deref()?.downcast_ref()
    }
}

/// What the sheet shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TellSheet {
    /// What it may be about: `Pod web-1 in shop`, `pods in shop`; empty where nothing can be asked of.
    pub subjects: Vec<String>,
    /// It is one object, so that there is nothing to count.
    pub is_single: bool,
    /// What may be chosen instead of being written.
    pub picks: &'static [Pick],
    pub draft: Draft,
    /// It is the question of a link, which its reader hasn't asked yet.
    pub is_linked: bool,
    /// Why the draft can't be read.
    pub why: String,
    pub questions: Vec<QuestionLine>,
    pub told: Vec<ToldLine>,
    /// What is said of the browser's notifications.
    pub notes: String,
    /// A click may ask the browser for them.
    pub can_ask: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionLine {
    pub number: u32,
    /// `any of pods in shop: health=failing for 10m`
    pub text: String,
    /// `waiting since 14:02:10`, `unknown since 14:02:10`
    pub state: String,
    /// The address of its view, which carries it.
    pub link: String,
    pub class: Class,
}

/// What was told, or from when to when nothing could be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldLine {
    pub at: String,
    pub text: String,
    /// The proof: the resourceVersion, and when it was confirmed.
    pub proof: String,
    pub href: Option<String>,
}
