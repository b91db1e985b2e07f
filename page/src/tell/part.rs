//! What the page asks of the questions. They come with a piece of the program, and are called through these functions alone.

use std::collections::VecDeque;
use std::rc::Rc;

use replica::client::ViewKey;
use replica::now::Now;
use replica::subscription::Subscription;
use shared::name::ClusterName;
use shared::resource::Kind;
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;

use super::model::TellShown;
use crate::action::TellAction;
use crate::address::Pane;
use crate::effect::{Effect, MayNotify};
use crate::location::PanelPlace;
use crate::messages::Zone;
use crate::preferences::{Change, Preferences};
use crate::table_view::Client;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) make: fn() -> Box<dyn Questions>,
    /// What may be asked about there.
    pub(crate) subjects: fn(AskedAt<'_>, &TellAction) -> Vec<Subject>,
}

/// The questions of a page.
pub(crate) trait Questions {
    /// Returns the views that aren't needed any more.
    fn update(&mut self, action: TellAction, subjects: Vec<Subject>, around: &mut Around<'_>)
    -> Vec<ViewKey>;
    /// The question of a link becomes a draft, which waits for a click. Asked until it does.
    fn link(&mut self, question: &str, at: &AskedAt<'_>) -> Linked;
    /// Once a second, also while the page is hidden. Returns the views that aren't needed any more.
    fn second(&mut self, around: &mut Around<'_>) -> Vec<ViewKey>;
    fn sheet(&mut self, now_ms: UnixMillis, zone: Zone) -> Option<TellShown>;
    /// Whether a question waits for its answer.
    fn is_asking(&self) -> bool;
    /// How many answers their reader hasn't seen; `None`: nothing was asked.
    fn bell(&self) -> Option<usize>;
    fn holds(&self, key: ViewKey) -> bool;
    fn may_notify(&mut self, may: MayNotify);
}

/// What the questions are given: they open views and ask for effects.
pub(crate) struct Around<'a> {
    pub(crate) client: &'a mut Client,
    pub(crate) effects: &'a mut VecDeque<Effect>,
    pub(crate) preferences: &'a mut Preferences,
    pub(crate) now: Now,
    pub(crate) zone: Zone,
}

impl Around<'_> {
    /// Changes one preference, and none that another tab stored meanwhile.
    pub(super) fn prefer(&mut self, change: Change) {
        change.apply(self.preferences);
        self.effects.push_back(Effect::Keep(change));
    }
}

/// Where the reader asks.
pub(crate) struct AskedAt<'a> {
    /// The open object, or that of the focused row.
    pub(crate) object: Option<PanelPlace>,
    pub(crate) kind: Option<&'a Rc<Kind>>,
    pub(crate) view: Option<&'a Subscription>,
    pub(crate) clusters: &'a [ClusterName],
    pub(crate) client: &'a Client,
    /// Where that is shown: path and query.
    pub(crate) href: &'a str,
    /// The view alone.
    pub(crate) pane: &'a Pane,
}

/// What became of the question of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Linked {
    /// What it is about isn't known yet.
    Waits,
    Drafted,
    /// Why it can't be read.
    Unread(String),
}

/// Where a question looks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Asked {
    Rows(Scope),
    /// What is wrong, of all kinds.
    Wrong(Namespaces),
}

/// What a question is of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Subject {
    /// `Pod web-1 in shop`, `pods in shop`, `all kinds in shop`
    pub(crate) said: String,
    pub(crate) asked: Asked,
    pub(crate) clusters: Vec<ClusterName>,
    pub(crate) is_single: bool,
    /// Where it is looked at: path and query.
    pub(crate) href: String,
    /// The same without what else is on the board.
    pub(crate) link: String,
}
