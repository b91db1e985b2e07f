//! The page's state: the client, its panes, the panel, and what surrounds them. Actions and inputs change it
//! at once; [`Page::render`] brings the model up to date, once an animation frame.

mod navigate;
mod palette;
mod panel;
pub mod shell;
mod update;

use std::collections::VecDeque;

use replica::client::{Input, Output, ViewKey};
use replica::now::Now;
use replica::table::Delta;
use shared::frame::client::Credential;
use shared::problem::Problem;
use shared::state::UnixMillis;

use crate::action::PaneId;
use crate::address::{Address, Look};
use crate::effect::Effect;
use crate::location::Location;
use crate::messages::Zone;
use crate::model::{PageModel, PaneModel, PanelModel, Standing};
use crate::pane::Pane;
use crate::panel::Panel;
use crate::preferences::Preferences;
use crate::table_view::{Client, TableView};
use crate::traffic::Traffic;
use palette::Palette;

pub struct Page {
    client: Client,
    /// At least one, once an address was given.
    panes: Vec<Pane>,
    active: PaneId,
    host: Host,
    /// The address as the browser shows it: path and query.
    shown_address: String,
    title: String,
    /// Single letters are keys.
    letters: bool,
    /// What of the link couldn't be read.
    unread: Vec<Problem>,
    /// The list behind the namespace picker, while that is open.
    namespaces: Option<ViewKey>,
    /// The panel of one object, beside the panes.
    panel: Panel,
    palette: Option<Palette>,
    preferences: Preferences,
    model: PageModel,
    effects: VecDeque<Effect>,
    traffic: Traffic,
    announcement: Announcement,
    last_pane: u32,
    zone: Zone,
}

/// Whose page this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// Dogwatch's own: the address bar is ours.
    Dogwatch,
    /// Somebody else's, with elements of ours in it.
    Portal,
}

/// For a screen reader: what waits, and when something was said last.
#[derive(Default)]
struct Announcement {
    waiting: Option<String>,
    said_ms: UnixMillis,
}

/// What the page knows of the browser when it begins.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    pub preferences: Preferences,
    pub credential: Option<Credential>,
    pub width_px: f64,
}

const ANNOUNCE_INTERVAL_MS: i64 = 10_000;

impl Page {
    #[must_use]
    pub fn new(host: Host, environment: Environment) -> Self {
        let Environment { preferences, credential, width_px } = environment;
        let panel = Panel::new(width_px, preferences.panel_px.map(Into::into));
        let model =
            PageModel { theme: crate::model::Theme::parse(&preferences.theme), ..PageModel::default() };
        Self {
            client: Client::new(concat!("page ", env!("CARGO_PKG_VERSION")), credential),
            panes: Vec::new(),
            active: PaneId::default(),
            host,
            shown_address: String::new(),
            title: String::new(),
            letters: true,
            unread: Vec::new(),
            namespaces: None,
            panel,
            palette: None,
            preferences,
            model,
            effects: VecDeque::new(),
            traffic: Traffic::default(),
            announcement: Announcement::default(),
            last_pane: 0,
            zone: Zone::default(),
        }
    }

    /// What surrounds the panes.
    #[must_use]
    pub fn model(&self) -> &PageModel {
        &self.model
    }

    /// The panes, in their order on the board.
    pub fn panes(&self) -> impl Iterator<Item = (PaneId, &PaneModel)> {
        self.panes.iter().map(|pane| (pane.id, &pane.model))
    }

    /// The panel of one object.
    #[must_use]
    pub fn panel(&self) -> &PanelModel {
        self.panel.model()
    }

    /// What the browser is to do next.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// When [`Input::Timer`] is due.
    #[must_use]
    pub fn timer_ms(&self) -> Option<UnixMillis> {
        self.client.timer_ms()
    }

    /// The reader's time zone; the browser is asked now and then.
    pub fn set_zone(&mut self, zone: Zone) {
        self.zone = zone;
    }

    /// The browser's window has another width.
    pub fn set_width(&mut self, width_px: f64) {
        self.panel.set_page_width(width_px);
    }

    /// Bytes of a message came over the socket.
    pub fn received(&mut self, bytes: u64, now_ms: UnixMillis) {
        self.traffic.note(bytes, now_ms);
    }

    /// What happened outside, and all that follows from it.
    pub fn handle(&mut self, input: Input, now: Now) {
        self.client.handle(input, now);
        self.follow(now);
    }

    /// Does what the client asks for, until it asks for nothing.
    fn follow(&mut self, now: Now) {
        self.follow_panel(now);
        while let Some(output) = self.client.poll_output() {
            self.output(output, now);
        }
    }

    fn output(&mut self, output: Output, now: Now) {
        match output {
            Output::Connect => self.effects.push_back(Effect::Connect),
            Output::Send(frame) => self.effects.push_back(Effect::Send(frame)),
            Output::Close { .. } => self.effects.push_back(Effect::Disconnect),
            Output::Rows(key, delta) => {
                self.rows_came(key, &delta, now.now_ms);
                self.panel.news(key);
            }
            Output::View(key) | Output::Ended(key) | Output::Object(key) | Output::Timeline(key, _) => {
                self.panel.news(key);
            }
            Output::Got(id, answer) => {
                self.panel.got(&mut self.client, id, answer.map(|frame| frame.object));
            }
            Output::Link => self.link_changed(),
            Output::Welcome => self.welcomed(),
            Output::Kinds => self.kinds_came(now),
            Output::Problem(_) | Output::Auth(_) => {}
        }
    }

    fn add_pane(&mut self, look: Look, place: Location) -> PaneId {
        self.last_pane = self.last_pane.wrapping_add(1);
        let id = PaneId(self.last_pane);
        self.panes.push(Pane::new(id, look, place));
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
    fn remove_pane(&mut self, at: usize) {
        let mut pane = self.panes.remove(at);
        for left in pane.leave(&mut self.client) {
            self.close_unless_held(left);
        }
        self.settle_active();
    }

    fn close_unless_held(&mut self, key: ViewKey) {
        let is_held = self.namespaces == Some(key)
            || self.panel.holds(key)
            || self.panes.iter().any(|pane| pane.holds(key));
        if !is_held {
            self.client.close(key);
        }
    }

    /// The one that the navigation, the pickers and the keys of the page concern.
    fn active(&self) -> Option<&Pane> {
        self.panes.iter().find(|pane| pane.id == self.active)
    }

    fn address(&self) -> Address {
        Address { panes: self.panes.iter().map(Pane::address).collect(), letters: self.letters }
    }

    /// Rows came: what the pictures of the last minute need to know.
    fn rows_came(&mut self, key: ViewKey, delta: &Delta, now_ms: UnixMillis) {
        for pane in &mut self.panes {
            pane.source_rows_came(&self.client, key);
        }
        for pane in self.panes.iter_mut().filter(|pane| pane.key() == Some(key)) {
            pane.rows_came(&self.client, delta, now_ms);
        }
    }

    /// Brings the model up to date. A hidden page isn't rendered.
    pub fn render(&mut self, now_ms: UnixMillis) {
        self.render_health(now_ms);
        self.render_namespaces();
        self.model.pane_count = self.panes.len();
        let active = self.active().map(|pane| pane.id);
        let (count, host, theme, zone) = (self.panes.len(), self.host, self.model.theme, self.zone);
        for pane in &mut self.panes {
            let standing = match count {
                _ if host == Host::Portal => Standing::Guest,
                1 => Standing::Alone,
                _ if active == Some(pane.id) => Standing::Active,
                _ => Standing::Aside,
            };
            (pane.model.standing, pane.model.theme) = (standing, theme);
            pane.render(&mut self.client, &self.traffic, now_ms, zone);
        }
        self.panel.render(&self.client, theme, now_ms, zone);
        self.render_count(now_ms);
    }

    /// Once a second: what grows old by itself, seen or not.
    pub fn second(&mut self, now: Now) {
        self.handle(Input::Timer, now);
        let now_ms = now.now_ms;
        self.traffic.turn(now_ms);
        let mut is_stale = false;
        for pane in &mut self.panes {
            is_stale |= pane.second(&mut self.client, now_ms);
        }
        self.grow_old(now_ms);
        self.announce(now_ms);
        self.write_title(is_stale);
    }

    /// At most one message in ten seconds; the last one is what counts.
    fn announce(&mut self, now_ms: UnixMillis) {
        let active = self.active;
        let pane = self.panes.iter_mut().find(|pane| pane.id == active);
        if let Some(said) = pane.and_then(|pane| pane.announce(&self.client)) {
            self.announcement.waiting = Some(said);
        }
        if now_ms.saturating_sub(self.announcement.said_ms) >= ANNOUNCE_INTERVAL_MS
            && let Some(said) = self.announcement.waiting.take()
        {
            self.announcement.said_ms = now_ms;
            self.model.announced = said;
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
                pane.rows_grew_old();
            }
        }
    }

    /// Also while the page is hidden: a tab tells of its staleness.
    fn write_title(&mut self, is_stale: bool) {
        if self.host == Host::Portal {
            return;
        }
        let cluster = self.client.welcome().map(|welcome| welcome.cluster.name.to_string());
        let shown = match self.panes.as_slice() {
            [pane] => pane.place.resource.to_string(),
            panes => crate::messages::board_of(panes.len()),
        };
        let parts: Vec<String> = [Some(shown), cluster, Some("Dogwatch".to_owned())]
            .into_iter()
            .flatten()
            .filter(|part| !part.is_empty())
            .collect();
        let title = format!("{}{}", if is_stale { "(stale) " } else { "" }, parts.join(" · "));
        if self.title != title {
            self.title.clone_from(&title);
            self.effects.push_back(Effect::SetTitle(title));
        }
    }
}
