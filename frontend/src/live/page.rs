//! The page's state beside the replica's: its panes, the socket, what surrounds the views. Actions
//! and outputs change it at once; what is seen of that is written by the next flush.

use std::rc::Rc;

use leptos::prelude::*;
use page::address::{Address, Look};
use page::location::Location;
use page::messages::Zone;
use page::preferences::Preferences;
use page::table_view::Client;
use page::table_view::TableView;
use replica::client::{Input, ViewKey};
use replica::now::{MonotonicClock, Now};
use replica::table::Delta;
use shared::frame::client::Credential;
use shared::problem::Problem;
use shared::state::UnixMillis;

use super::action::Action;
use super::detail::Detail;
use super::model::Standing;
use super::palette::Palette;
use super::pane::{Pane, PaneId};
use super::preferences;
use super::signals::{PaneSignals, ShellSignals, put};
use super::traffic::Traffic;
use crate::dom;
use crate::link::socket::Socket;

pub(super) struct Page {
    pub(super) client: Client,
    pub(super) socket: Option<Socket>,
    /// At least one.
    pub(super) panes: Vec<Pane>,
    pub(super) active: PaneId,
    /// The address bar is ours; in other people's pages it isn't.
    pub(super) has_address: bool,
    /// Single letters are keys.
    pub(super) letters: bool,
    /// What of the link couldn't be read.
    pub(super) unread: Vec<Problem>,
    /// The list behind the namespace picker, while that is open.
    pub(super) namespaces: Option<ViewKey>,
    /// The panel of one object, beside the panes.
    pub(super) detail: Detail,
    pub(super) palette: Option<Palette>,
    pub(super) preferences: Preferences,
    pub(super) shell: ShellSignals,
    pub(super) traffic: Traffic,
    /// Signals of panes that were closed: until the next frame they are mounted, and read.
    leaving: Vec<Owner>,
    gone: Vec<Owner>,
    /// For a screen reader: what waits, and when something was said last.
    unsaid: Option<String>,
    said_ms: UnixMillis,
    last_pane: u32,
    react: React,
    clock: MonotonicClock,
}

/// How a pane's components hand over what their reader did.
pub(super) type React = Rc<dyn Fn(PaneId, Action)>;

const SPEAK_INTERVAL_MS: i64 = 10_000;

impl Page {
    pub(super) fn new(shell: ShellSignals, credential: Option<Credential>, react: React) -> Self {
        let preferences = preferences::read();
        let detail = Detail::new(shell.detail);
        if let Some(px) = preferences.panel_px {
            detail.set_width(px.into());
        }
        Self {
            client: Client::new(concat!("page ", env!("CARGO_PKG_VERSION")), credential),
            socket: None,
            panes: Vec::new(),
            active: PaneId::default(),
            has_address: true,
            letters: true,
            unread: Vec::new(),
            namespaces: None,
            detail,
            palette: None,
            preferences,
            shell,
            traffic: Traffic::default(),
            leaving: Vec::new(),
            gone: Vec::new(),
            unsaid: None,
            said_ms: 0,
            last_pane: 0,
            react,
            clock: MonotonicClock::default(),
        }
    }

    pub(super) fn now_ms(&mut self) -> UnixMillis {
        self.clock.now_ms(dom::clock::now_ms())
    }

    pub(super) fn now(&mut self) -> Now {
        Now { now_ms: self.now_ms(), chance: dom::clock::chance() }
    }

    pub(super) fn handle(&mut self, input: Input) {
        let now = self.now();
        self.client.handle(input, now);
    }

    pub(super) fn zone() -> Zone {
        Zone { ahead_of_utc_s: i64::from(dom::clock::utc_offset_minutes()) * 60 }
    }

    pub(super) fn add_pane(&mut self, look: Look, place: Location) -> PaneId {
        self.last_pane = self.last_pane.wrapping_add(1);
        let id = PaneId(self.last_pane);
        self.panes.push(Pane::new(id, look, place, self.shell.theme, self.react.clone()));
        self.settle_active();
        id
    }

    /// There is always one that keys and pickers concern.
    fn settle_active(&mut self) {
        if self.panes.iter().all(|pane| pane.id != self.active) {
            self.active = self.panes.first().map(|pane| pane.id).unwrap_or_default();
        }
    }

    /// The view behind it is given back, unless another pane looks at it too.
    pub(super) fn remove_pane(&mut self, at: usize) {
        let mut pane = self.panes.remove(at);
        for left in pane.leave(&mut self.client) {
            self.close_unless_held(left);
        }
        self.leaving.push(pane.into_owner());
        self.settle_active();
    }

    pub(super) fn close_unless_held(&mut self, key: ViewKey) {
        let is_held = self.namespaces == Some(key)
            || self.detail.holds(key)
            || self.panes.iter().any(|pane| pane.holds(key));
        if !is_held {
            self.client.close(key);
        }
    }

    /// The one that the navigation, the pickers and the keys of the page concern.
    pub(super) fn active(&self) -> Option<&Pane> {
        self.panes.iter().find(|pane| pane.id == self.active)
    }

    pub(super) fn address(&self) -> Address {
        Address { panes: self.panes.iter().map(Pane::address).collect(), letters: self.letters }
    }

    /// Rows came: what the pictures of the last minute need to know.
    pub(super) fn rows_came(&mut self, key: ViewKey, delta: &Delta) {
        let now_ms = self.now_ms();
        for pane in &mut self.panes {
            pane.seen_came(&self.client, key);
        }
        for pane in self.panes.iter_mut().filter(|pane| pane.key() == Some(key)) {
            pane.rows_came(&self.client, delta, now_ms);
        }
    }

    pub(super) fn flush(&mut self) {
        let now_ms = self.now_ms();
        self.write_health(now_ms);
        self.write_namespaces();
        // What left before the last frame isn't on the screen any more.
        self.gone = std::mem::take(&mut self.leaving);
        self.write_panes();
        for pane in &mut self.panes {
            pane.flush(&mut self.client, &self.traffic, now_ms);
        }
        self.detail.flush(&self.client, now_ms, Self::zone());
        self.write_count();
    }

    fn write_panes(&self) {
        let active = self.active().map(|pane| pane.id);
        for pane in &self.panes {
            let standing = match self.panes.len() {
                _ if !self.has_address => Standing::Guest,
                1 => Standing::Alone,
                _ if active == Some(pane.id) => Standing::Active,
                _ => Standing::Aside,
            };
            pane.stand(standing);
        }
        let panes: Vec<PaneSignals> = self.panes.iter().map(Pane::signals).collect();
        put(self.shell.panes, panes);
    }

    /// Once a second: what grows old by itself, seen or not.
    pub(super) fn second(&mut self) {
        let now_ms = self.now_ms();
        self.handle(Input::Timer);
        self.traffic.turn(now_ms);
        let mut is_stale = false;
        for pane in &mut self.panes {
            is_stale |= pane.second(&mut self.client, now_ms);
        }
        self.grow_old(now_ms);
        self.speak(now_ms);
        self.write_title(is_stale);
    }

    /// At most one message in ten seconds; the last one is what counts.
    fn speak(&mut self, now_ms: UnixMillis) {
        let active = self.active;
        let pane = self.panes.iter_mut().find(|pane| pane.id == active);
        if let Some(said) = pane.and_then(|pane| pane.speak(&self.client)) {
            self.unsaid = Some(said);
        }
        if now_ms.saturating_sub(self.said_ms) >= SPEAK_INTERVAL_MS
            && let Some(said) = self.unsaid.take()
        {
            self.said_ms = now_ms;
            put(self.shell.spoken, said);
        }
    }

    /// Rows leave views, so no pane may hold its own any more, and each view grows old once.
    fn grow_old(&mut self, now_ms: UnixMillis) {
        let mut keys: Vec<ViewKey> = self.panes.iter().filter_map(Pane::key).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let looking = || self.panes.iter().filter(|pane| pane.key() == Some(key));
            let held: Vec<_> = looking().filter_map(|pane| pane.focused_slot(&self.client)).collect();
            let is_stale = looking().all(|pane| pane.is_stale);
            let Some(view) = self.client.view_mut(key) else { continue };
            let mut moved = view.expire(&held, now_ms);
            // In a stale table nothing moves.
            moved |= !is_stale && view.grow_old(now_ms);
            for pane in self.panes.iter_mut().filter(|pane| moved && pane.key() == Some(key)) {
                pane.screen.rows_changed = true;
            }
        }
    }

    /// Also while the page is hidden: a tab tells of its staleness.
    fn write_title(&self, is_stale: bool) {
        if !self.has_address {
            return;
        }
        let cluster = self.client.welcome().map(|welcome| welcome.cluster.name.to_string());
        let shown = match self.panes.as_slice() {
            [pane] => pane.place.resource.to_string(),
            panes => page::messages::board_of(panes.len()),
        };
        let parts: Vec<String> = [Some(shown), cluster, Some("Dogwatch".to_owned())]
            .into_iter()
            .flatten()
            .filter(|part| !part.is_empty())
            .collect();
        dom::page::set_title(&format!("{}{}", if is_stale { "(stale) " } else { "" }, parts.join(" · ")));
    }
}
