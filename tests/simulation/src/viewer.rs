//! One browser: the real client with its views, and a driver that is as deaf and as slow as the
//! script wants it.

use std::collections::{BTreeMap, VecDeque};

use replica::client::{Client, Input, Output, ViewKey};
use replica::freshness::{self, Freshness};
use replica::now::Now;
use shared::frame::client::{ClientFrame, SubscriptionId};
use shared::frame::server::ServerFrame;
use shared::row::{Row, RowId};
use shared::token::Token;

use crate::chance::Chance;
use crate::defect::Defect;
use crate::truth::Wanted;
use crate::wire::{Stamp, ToClient};

pub(crate) struct Viewer {
    pub(crate) client: Client,
    pub(crate) probes: Vec<Probe>,
    /// Its connection, while there is one.
    pub(crate) link: Option<u64>,
    inbox: VecDeque<ToClient>,
    /// Its main thread does something else until then.
    pub(crate) stalled_until_ms: i64,
    pub(crate) hidden_until_ms: Option<i64>,
    /// It was closed; a new one opens then.
    pub(crate) away_until_ms: Option<i64>,
    chance: Chance,
    defect: Option<Defect>,
}

/// One view, and what the oracle remembers of it.
pub(crate) struct Probe {
    pub(crate) key: ViewKey,
    pub(crate) wanted: Wanted,
    /// When the API server gave the newest proof that was told.
    pub(crate) proven_ms: i64,
    pub(crate) synced_ms: i64,
    pub(crate) live_since_ms: Option<i64>,
    /// Which version is to be here by when.
    pub(crate) pending: VecDeque<(i64, u64)>,
}

/// What a viewer wants of the world.
pub(crate) enum Wish {
    Connect,
    Send(String, Option<Asked>),
    Close,
    /// Rows moved to a cut.
    Cut(ViewKey, Stamp),
}

/// What a subscription began with.
pub(crate) struct Asked {
    pub(crate) id: SubscriptionId,
    pub(crate) wanted: Wanted,
    pub(crate) token: Option<Token>,
    pub(crate) held: BTreeMap<RowId, Row>,
}

impl Viewer {
    pub(crate) fn new(chance: Chance, defect: Option<Defect>) -> Self {
        Self {
            client: Client::new("simulation", None),
            probes: Vec::new(),
            link: None,
            inbox: VecDeque::new(),
            stalled_until_ms: 0,
            hidden_until_ms: None,
            away_until_ms: None,
            chance,
            defect,
        }
    }

    pub(crate) fn is_away(&self) -> bool {
        self.away_until_ms.is_some()
    }

    pub(crate) fn is_reading(&self, now_ms: i64) -> bool {
        !self.is_away() && self.stalled_until_ms <= now_ms
    }

    pub(crate) fn has_unread(&self) -> bool {
        !self.inbox.is_empty()
    }

    pub(crate) fn receive(&mut self, message: ToClient) {
        self.inbox.push_back(message);
    }

    pub(crate) fn forget_inbox(&mut self) {
        self.inbox.clear();
    }

    pub(crate) fn deadline_ms(&self, now_ms: i64) -> i64 {
        if let Some(until_ms) = self.away_until_ms {
            return until_ms;
        }
        let timer_ms = self.client.timer_ms().unwrap_or(i64::MAX);
        let inbox_ms = if self.inbox.is_empty() { i64::MAX } else { now_ms };
        timer_ms.min(inbox_ms).min(self.hidden_until_ms.unwrap_or(i64::MAX)).max(self.stalled_until_ms)
    }

    /// All that is due.
    pub(crate) fn step(&mut self, now_ms: i64) -> Vec<Wish> {
        let mut wishes = Vec::new();
        if !self.is_reading(now_ms) {
            return wishes;
        }
        if self.hidden_until_ms.is_some_and(|until_ms| until_ms <= now_ms) {
            self.hidden_until_ms = None;
            self.handle(Input::Visible, now_ms, &mut wishes);
        }
        while let Some(message) = self.inbox.pop_front() {
            self.hear(message, now_ms, &mut wishes);
            // Nothing of the former connection may come in once another is asked for.
            if wishes.iter().any(|wish| matches!(wish, Wish::Connect)) {
                self.inbox.clear();
            }
        }
        if self.client.timer_ms().is_some_and(|at_ms| at_ms <= now_ms) {
            self.handle(Input::Timer, now_ms, &mut wishes);
        }
        wishes
    }

    fn hear(&mut self, message: ToClient, now_ms: i64, wishes: &mut Vec<Wish>) {
        match message {
            ToClient::Opened => self.handle(Input::Opened, now_ms, wishes),
            ToClient::Closed(code) => {
                self.link = None;
                self.handle(Input::Closed { code }, now_ms, wishes);
            }
            ToClient::Unreadable { bytes } => self.handle(Input::Unreadable { bytes }, now_ms, wishes),
            ToClient::Frame { mut frame, bytes, stamp } => {
                if self.defect == Some(Defect::ReplicaKeeps)
                    && let ServerFrame::Rows(rows) = &mut *frame
                {
                    rows.delete.clear();
                }
                let synced = match &*frame {
                    ServerFrame::Sync(sync) => Some(sync.clone()),
                    _ => None,
                };
                let from = wishes.len();
                self.handle(Input::Frame { frame, bytes }, now_ms, wishes);
                for wish in &mut wishes[from..] {
                    if let (Wish::Cut(_, of), Some(stamp)) = (wish, stamp) {
                        *of = stamp;
                    }
                }
                if let (Some(sync), Some(stamp)) = (synced, stamp) {
                    self.note_sync(&sync, stamp, now_ms);
                }
            }
        }
    }

    fn note_sync(&mut self, sync: &shared::frame::server::Sync, stamp: Stamp, now_ms: i64) {
        for probe in &mut self.probes {
            let proof = self.client.view(probe.key).and_then(|view| view.subscription().proof.as_ref());
            if proof
                .is_some_and(|proof| proof.resource_version == sync.resource_version && proof.at == sync.at)
            {
                probe.synced_ms = now_ms;
                probe.proven_ms = probe.proven_ms.max(stamp.proven_ms);
            }
        }
    }

    pub(crate) fn handle(&mut self, input: Input, now_ms: i64, wishes: &mut Vec<Wish>) {
        self.client.handle(input, Now { now_ms, chance: self.chance.part() });
        self.drain(wishes);
    }

    fn drain(&mut self, wishes: &mut Vec<Wish>) {
        while let Some(output) = self.client.poll_output() {
            match output {
                Output::Connect => wishes.push(Wish::Connect),
                Output::Send(frame) => {
                    let text = serde_json::to_string(&frame).expect("a frame is JSON");
                    wishes.push(Wish::Send(text, self.asked(&frame)));
                }
                Output::Close { .. } => wishes.push(Wish::Close),
                Output::Rows(key, delta) => {
                    if let Some(view) = self.client.view_mut(key) {
                        view.remove_tombstones(&delta.removed);
                    }
                    if delta.cut {
                        wishes.push(Wish::Cut(key, Stamp::default()));
                    }
                }
                _ => {}
            }
        }
    }

    fn asked(&self, frame: &ClientFrame) -> Option<Asked> {
        let ClientFrame::Subscribe(subscribe) = frame else { return None };
        let (probe, view) = self.probes.iter().find_map(|probe| {
            let view = self.client.view(probe.key)?;
            (view.subscription().scope == subscribe.scope).then_some((probe, view))
        })?;
        let held = view.table().rows().map(|row| (row.id, row.clone())).collect();
        Some(Asked { id: subscribe.id, wanted: probe.wanted, token: subscribe.token.clone(), held })
    }

    pub(crate) fn open(&mut self, wanted: Wanted, now_ms: i64, wishes: &mut Vec<Wish>) {
        if self.probes.iter().any(|probe| probe.wanted == wanted) {
            return;
        }
        let now = Now { now_ms, chance: self.chance.part() };
        let key = self.client.open(wanted.scope(), now);
        self.probes.push(Probe {
            key,
            wanted,
            proven_ms: i64::MIN / 2,
            synced_ms: i64::MIN / 2,
            live_since_ms: None,
            pending: VecDeque::new(),
        });
        self.drain(wishes);
    }

    pub(crate) fn close(&mut self, at: usize, wishes: &mut Vec<Wish>) {
        if at < self.probes.len() {
            let probe = self.probes.remove(at);
            self.client.close(probe.key);
            self.drain(wishes);
        }
    }

    pub(crate) fn freshness(&self, probe: &Probe, now_ms: i64) -> Option<Freshness> {
        Some(freshness::of(&self.client, self.client.view(probe.key)?, now_ms))
    }
}
