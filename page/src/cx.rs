//! What every feature of the page is given: the client that it reads, the effects that it asks for, and the time.
//! Never a feature's own state.

use std::collections::VecDeque;

use replica::now::Now;
use shared::state::UnixMillis;

use crate::effect::Effect;
use crate::logs::MakeLogs;
use crate::messages::Zone;
use crate::piece::MoreParts;
use crate::preferences::{Change, Preferences};
use crate::table_view::Client;
use crate::traffic::Traffic;

/// The context of an action, an input or a frame. [`crate::Page`] owns the only one, and sets the time at each entry.
/// Its fields are open to all features, which borrow them apart.
pub(crate) struct Cx {
    pub(crate) client: Client,
    /// To be carried out by the browser, the oldest first.
    pub(crate) effects: VecDeque<Effect>,
    pub(crate) preferences: Preferences,
    pub(crate) traffic: Traffic,
    /// The logic of what a reader opens, once its piece is there.
    pub(crate) more: Option<&'static MoreParts>,
    /// Makes logs, once their piece is there.
    pub(crate) logs: Option<MakeLogs>,
    /// The reader's time zone.
    pub(crate) zone: Zone,
    /// When the page was called.
    pub(crate) now: Now,
}

impl Cx {
    pub(crate) fn new(client: Client, preferences: Preferences) -> Self {
        Self {
            client,
            effects: VecDeque::new(),
            preferences,
            traffic: Traffic::default(),
            more: None,
            logs: None,
            zone: Zone::default(),
            now: Now { now_ms: 0, chance: 0.0 },
        }
    }

    pub(crate) fn now_ms(&self) -> UnixMillis {
        self.now.now_ms
    }

    pub(crate) fn effect(&mut self, effect: Effect) {
        self.effects.push_back(effect);
    }

    /// Changes one preference, and none that another tab stored meanwhile.
    pub(crate) fn prefer(&mut self, change: Change) {
        change.apply(&mut self.preferences);
        self.effects.push_back(Effect::Keep(change));
    }

    /// Starts with another client. What was asked of the browser before isn't asked any more.
    pub(crate) fn begin_anew(&mut self, client: Client) {
        self.client = client;
        self.effects.clear();
    }
}
