//! One browser: the real client with its views, and a driver that is as deaf and as slow as the script says.

use std::collections::{BTreeMap, VecDeque};

use replica::client::{Client, Input, Output, SignIn, ViewKey};
use replica::freshness::{self, Freshness};
use replica::now::Now;
use replica::subscription::Proof;
use replica::table::Table;
use shared::custom_column::CustomColumns;
use shared::frame::client::{ClientFrame, RowDetail, SubscriptionId};
use shared::frame::server::{ServerFrame, Sync};
use shared::row::{Row, RowId};
use shared::token::Token;

use crate::chance::Chance;
use crate::defect::Defect;
use crate::truth::Wanted;
use crate::wire::{Stamp, ToClient};

pub(crate) struct Viewer {
    pub(crate) client: Client,
    pub(crate) views: Vec<View>,
    /// Its connection, while there is one.
    pub(crate) link: Option<u64>,
    pub(crate) inbox: VecDeque<ToClient>,
    /// Its main thread is busy until then.
    pub(crate) stalled_until_ms: i64,
    pub(crate) hidden_until_ms: Option<i64>,
    /// The page was closed; another one opens then.
    pub(crate) away_until_ms: Option<i64>,
    /// What the client asks of its driver.
    requests: Vec<Request>,
    /// The views whose rows came to a cut, with the stamp of the last one.
    cuts: BTreeMap<ViewKey, Stamp>,
    chance: Chance,
    defect: Option<Defect>,
}

/// No proof was given yet.
pub(crate) const UNPROVEN_MS: i64 = i64::MIN / 2;

/// One view, and what the oracle remembers of it.
pub(crate) struct View {
    pub(crate) key: ViewKey,
    pub(crate) wanted: Wanted,
    pub(crate) opened_ms: i64,
    /// The history of the last cut.
    pub(crate) branch: usize,
    /// When the API server gave the newest proof that was told.
    pub(crate) proven_ms: i64,
    /// When its gateway says that it asked for that proof.
    pub(crate) asked_ms: i64,
    /// When its gateway had asked for the newest proof that it had as the last cut left it.
    pub(crate) cut_asked_ms: i64,
    pub(crate) synced_ms: i64,
    pub(crate) live_since_ms: Option<i64>,
    /// Until when which version must be here.
    pub(crate) pending: VecDeque<(i64, u64)>,
}

pub(crate) enum Request {
    Connect,
    Send(String, Option<Start>),
    Close,
}

/// What a subscription began with.
pub(crate) struct Start {
    pub(crate) id: SubscriptionId,
    pub(crate) wanted: Wanted,
    pub(crate) token: Option<Token>,
    /// The client's rows then.
    pub(crate) held: BTreeMap<RowId, Row>,
}

impl Viewer {
    pub(crate) fn new(chance: Chance, defect: Option<Defect>) -> Self {
        Self {
            client: Client::new("simulation", SignIn::Connection),
            views: Vec::new(),
            link: None,
            inbox: VecDeque::new(),
            stalled_until_ms: 0,
            hidden_until_ms: None,
            away_until_ms: None,
            requests: Vec::new(),
            cuts: BTreeMap::new(),
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

    pub(crate) fn deadline_ms(&self, now_ms: i64) -> i64 {
        if let Some(until_ms) = self.away_until_ms {
            return until_ms;
        }
        let timer_ms = self.client.timer_ms().unwrap_or(i64::MAX);
        let inbox_ms = if self.inbox.is_empty() { i64::MAX } else { now_ms };
        timer_ms.min(inbox_ms).min(self.hidden_until_ms.unwrap_or(i64::MAX)).max(self.stalled_until_ms)
    }

    /// All that is due. Gives the views that came to a cut.
    pub(crate) fn step(&mut self, now_ms: i64) -> BTreeMap<ViewKey, Stamp> {
        if !self.is_reading(now_ms) {
            return BTreeMap::new();
        }
        if self.hidden_until_ms.take_if(|until_ms| *until_ms <= now_ms).is_some() {
            self.handle(Input::Visible, now_ms);
        }
        while let Some(message) = self.inbox.pop_front() {
            self.hear(message, now_ms);
            // Once another connection is asked for, nothing of the former one may come in.
            if self.requests.iter().any(|request| matches!(request, Request::Connect)) {
                self.inbox.clear();
            }
        }
        if self.client.timer_ms().is_some_and(|at_ms| at_ms <= now_ms) {
            self.handle(Input::Timer, now_ms);
        }
        std::mem::take(&mut self.cuts)
    }

    pub(crate) fn take_requests(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.requests)
    }

    fn hear(&mut self, message: ToClient, now_ms: i64) {
        match message {
            ToClient::Opened => self.handle(Input::Opened, now_ms),
            ToClient::Closed(code) => {
                self.link = None;
                self.handle(Input::Closed { code }, now_ms);
            }
            ToClient::Unreadable { bytes } => self.handle(Input::Unreadable { bytes }, now_ms),
            ToClient::Frame { mut frame, bytes, stamp } => {
                if let ServerFrame::Rows(rows) = &mut *frame
                    && self.defect == Some(Defect::ReplicaKeeps)
                {
                    rows.delete.clear();
                }
                let sync = if let ServerFrame::Sync(sync) = &*frame { Some(sync.clone()) } else { None };
                let before: Vec<Option<Proof>> =
                    self.views.iter().map(|view| self.proof(view.key).cloned()).collect();
                self.handle_stamped(Input::Frame { frame, bytes }, stamp.unwrap_or_default(), now_ms);
                if let (Some(sync), Some(stamp)) = (sync, stamp) {
                    self.note_sync(&sync, &before, stamp, now_ms);
                }
            }
        }
    }

    pub(crate) fn proof(&self, key: ViewKey) -> Option<&Proof> {
        self.client.view(key)?.subscription().proof.as_ref()
    }

    /// `before`: the proof of each view before the sync. Another view may stand at the same position of the same hub.
    fn note_sync(&mut self, sync: &Sync, before: &[Option<Proof>], stamp: Stamp, now_ms: i64) {
        for (view, before) in self.views.iter_mut().zip(before) {
            let proof = self.client.view(view.key).and_then(|view| view.subscription().proof.as_ref());
            let is_new = proof != before.as_ref();
            let is_it = |it: &Proof| it.resource_version == sync.resource_version && it.at == sync.at;
            if is_new && proof.is_some_and(is_it) {
                view.synced_ms = now_ms;
                view.proven_ms = view.proven_ms.max(stamp.proven_ms);
                view.asked_ms = view.asked_ms.max(sync.proof_ms);
            }
        }
    }

    pub(crate) fn handle(&mut self, input: Input, now_ms: i64) {
        self.handle_stamped(input, Stamp::default(), now_ms);
    }

    fn handle_stamped(&mut self, input: Input, stamp: Stamp, now_ms: i64) {
        self.client.handle(input, Now { now_ms, chance: self.chance.part() });
        self.drain(stamp);
    }

    fn drain(&mut self, stamp: Stamp) {
        while let Some(output) = self.client.poll_output() {
            match output {
                Output::Connect => self.requests.push(Request::Connect),
                Output::Send(frame) => {
                    let text = serde_json::to_string(&frame).expect("a frame is JSON");
                    self.requests.push(Request::Send(text, self.start_of(&frame)));
                }
                Output::Close { .. } => self.requests.push(Request::Close),
                Output::Rows(key, delta) => {
                    if let Some(view) = self.client.view_mut(key) {
                        view.remove_tombstones(&delta.removed);
                    }
                    if delta.cut {
                        self.cuts.insert(key, stamp);
                    }
                }
                _ => {}
            }
        }
    }

    fn start_of(&self, frame: &ClientFrame) -> Option<Start> {
        let ClientFrame::Subscribe(subscribe) = frame else { return None };
        let (wanted, view) = self.views.iter().find_map(|view| {
            let opened = self.client.view(view.key)?;
            let is_it = opened.subscription().scope == subscribe.scope
                && view.wanted.each_event == subscribe.each_event;
            is_it.then_some((view.wanted, opened))
        })?;
        let held = view.table().rows().map(|row| (row.id, row.clone())).collect();
        Some(Start { id: subscribe.id, wanted, token: subscribe.token.clone(), held })
    }

    pub(crate) fn open(&mut self, wanted: Wanted, now_ms: i64) {
        if self.views.iter().any(|view| view.wanted == wanted) {
            return;
        }
        let now = Now { now_ms, chance: self.chance.part() };
        let scope = wanted.scope();
        let key = if wanted.each_event {
            self.client.open_events(scope, &[], (CustomColumns::default(), RowDetail::Whole), now)
        } else {
            self.client.open(scope, now)
        };
        self.views.push(View {
            key,
            wanted,
            opened_ms: now_ms,
            branch: 0,
            proven_ms: UNPROVEN_MS,
            asked_ms: UNPROVEN_MS,
            cut_asked_ms: UNPROVEN_MS,
            synced_ms: i64::MIN / 2,
            live_since_ms: None,
            pending: VecDeque::new(),
        });
        self.drain(Stamp::default());
    }

    pub(crate) fn close(&mut self, at: usize) {
        if at < self.views.len() {
            let view = self.views.remove(at);
            self.client.close(view.key);
            self.drain(Stamp::default());
        }
    }

    pub(crate) fn table(&self, view: &View) -> Option<&Table> {
        Some(self.client.view(view.key)?.table())
    }

    pub(crate) fn freshness(&self, view: &View, now_ms: i64) -> Option<Freshness> {
        Some(freshness::of(&self.client, self.client.view(view.key)?, now_ms))
    }
}
