//! What the list shows, as plain values.

use crate::status::{Class, RowHealth};
use crate::tell::About;

/// The order of stories that are as bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The stories with the most objects first, and of those the newest.
    #[default]
    Largest,
    Newest,
    Oldest,
}

/// What is wrong in one place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WrongList {
    /// The entries of the tally, the worst first.
    pub counts: Vec<WrongCount>,
    pub stories: Vec<WrongStory>,
    /// Why stories aren't shown.
    pub more: String,
    /// What stands in place of stories.
    pub note: String,
    /// What isn't known now, a sentence each.
    pub unknown: Vec<String>,
    /// Which kinds are looked at.
    pub looked: String,
    /// The names of the kinds that can't be looked at.
    pub looked_more: String,
    pub order: Order,
}

/// How many objects are in one health.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongCount {
    pub health: RowHealth,
    pub class: Class,
    pub count: String,
    pub word: &'static str,
    /// Only these are shown.
    pub is_chosen: bool,
}

/// A root with what hangs on it.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongStory {
    /// Names it among the others, for as long as its root is the same.
    pub key: String,
    pub root: WrongLine,
    /// `40 pods`; empty where nothing hangs on it.
    pub folded: String,
    pub is_open: bool,
    /// Those that are shown while it is open.
    pub leaves: Vec<WrongLine>,
    /// How many of them aren't.
    pub more: String,
}

/// One object of a story, as it is drawn: what it is and where, why it isn't fine, and since when.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongLine {
    pub class: Class,
    /// As Kubernetes calls it: `Deployment`.
    pub kind: String,
    /// `prod · shop`
    pub place: String,
    pub name: String,
    /// The object in the panel. `None`: its kind isn't known, or another page shows it.
    pub href: Option<String>,
    /// What a reader asks to be told of it. `None`: its kind isn't known.
    pub about: Option<About>,
    /// In Kubernetes' words.
    pub why: String,
    /// How long it has been so; empty where its beginning wasn't seen.
    pub since: String,
    /// The time, or why there is none.
    pub since_when: String,
    /// Its last Warning Event.
    pub event: String,
    /// Its kind isn't proven now.
    pub is_stale: bool,
}

/// In a chip of another page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TallyReport {
    pub class: Class,
    /// `7 failing`
    pub text: String,
    /// What a chip has no room for.
    pub detail: String,
    /// The list: path and query.
    pub link: String,
    /// What the element's page is told, in JSON.
    pub json: String,
}

/// In the top bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongTally {
    /// `7 failing`
    pub text: String,
    pub class: Class,
    /// A part isn't known.
    pub is_stale: bool,
}
