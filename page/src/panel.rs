//! The panel of one object, put together from its tabs, each of which has a file. It shows the object that the
//! address names. Never a pane, never the address bar.

pub mod action;
pub mod comparison;
pub mod head;
mod link;
mod log;
mod model;
mod object;
pub mod overview;
mod owners;
pub mod related;
pub mod status_history;
pub mod timeline;
pub mod tree;
mod width;
pub mod yaml;
mod yaml_marks;

use std::sync::Arc;

use replica::client::ViewKey;
use replica::freshness::Freshness;
use replica::now::Now;
use shared::state::UnixMillis;

use crate::clipboard::Clip;
use crate::location::{PanelPlace, Tab};
use crate::messages::{self, Zone};
use crate::model::to_whole_px;
use crate::pill::pill;
use crate::preferences::Change;
use crate::proof::proof;
use crate::table_view::Client;
use crate::theme::Theme;
use action::{PanelAction, PanelKey, PanelOutcome};
use comparison::{Comparison, Picks};
pub use model::PanelModel;
pub(crate) use object::Wanted;
use object::{PanelObject, uid};
use related::Related;
use status_history::StatusHistory;
use timeline::Timeline;
use yaml::{Yaml, YamlAction};

pub(crate) struct Panel {
    model: PanelModel,
    page_width_px: f64,
    /// The last size of the YAML's box. The browser may report it before the object is subscribed to.
    yaml_size: Option<YamlAction>,
    opened: Opened,
    generation: u32,
}

enum Opened {
    Closed,
    /// Waits until the table beside the panel knows whether it has the object.
    AskedFor {
        wanted: Wanted,
        opened_ms: UnixMillis,
    },
    Subscribed(Box<Subscribed>),
}

struct Subscribed {
    wanted: Wanted,
    object: PanelObject,
    status_history: StatusHistory,
    related: Related,
    timeline: Timeline,
    comparison: Comparison,
    yaml: Yaml,
    /// Something arrived since the last rendering.
    is_new: bool,
    drawn_second: i64,
}

impl Panel {
    pub(crate) fn new(page_width_px: f64, preferred_px: Option<f64>) -> Self {
        let model = PanelModel { width_px: width::BEFORE_MOVED_PX, ..PanelModel::default() };
        let mut panel = Self { model, page_width_px, yaml_size: None, opened: Opened::Closed, generation: 0 };
        if let Some(px) = preferred_px {
            panel.set_width(px);
        }
        panel
    }

    pub(crate) fn model(&self) -> &PanelModel {
        &self.model
    }

    pub(crate) fn is_open(&self) -> bool {
        !matches!(self.opened, Opened::Closed)
    }

    /// Whether the panel uses a view.
    pub(crate) fn holds(&self, key: ViewKey) -> bool {
        self.subscribed().is_some_and(|opened| opened.keys().contains(&key))
    }

    fn subscribed(&self) -> Option<&Subscribed> {
        match &self.opened {
            Opened::Subscribed(opened) => Some(opened),
            _ => None,
        }
    }

    /// Opens what the address names, and closes what it no longer names. Returns the views that the panel no
    /// longer uses.
    pub(crate) fn follow(&mut self, client: &mut Client, wanted: Option<Wanted>, now: Now) -> Vec<ViewKey> {
        let Some(wanted) = wanted else {
            let left = self.subscribed().map(Subscribed::keys).unwrap_or_default();
            self.opened = Opened::Closed;
            return left;
        };
        if self.opened.wanted().is_none_or(|held| !held.is_same(&wanted)) {
            let left = self.subscribed().map(Subscribed::keys).unwrap_or_default();
            self.generation = self.generation.wrapping_add(1);
            self.opened = Opened::AskedFor { wanted, opened_ms: now.now_ms };
            return left;
        }
        match &mut self.opened {
            Opened::Closed => {}
            Opened::AskedFor { wanted: held, opened_ms } => match wanted.subscribe(client, now) {
                Some(object) => {
                    let mut opened = Subscribed::new(wanted, object, *opened_ms);
                    if let Some(size) = self.yaml_size.clone() {
                        opened.yaml.update(size, &opened.object, now.now_ms);
                    }
                    self.opened = Opened::Subscribed(Box::new(opened));
                }
                None => *held = wanted,
            },
            Opened::Subscribed(opened) => {
                // The tab and the compared versions are the address's.
                opened.is_new |= opened.wanted.panel != wanted.panel;
                opened.wanted.panel = wanted.panel;
            }
        }
        match &mut self.opened {
            Opened::Subscribed(opened) => opened.observe(client, now),
            _ => Vec::new(),
        }
    }

    /// Entries or rows arrived.
    pub(crate) fn news(&mut self, key: ViewKey) {
        if let Opened::Subscribed(opened) = &mut self.opened {
            opened.is_new |= opened.keys().contains(&key);
        }
    }

    pub(crate) fn update(
        &mut self,
        client: &Client,
        action: PanelAction,
        now_ms: UnixMillis,
    ) -> PanelOutcome {
        let Some(place) = self.opened.wanted().map(|wanted| wanted.panel.clone()) else {
            return PanelOutcome::Nothing;
        };
        if let PanelAction::Yaml(size @ YamlAction::Resized { .. }) = &action {
            self.yaml_size = Some(size.clone());
        }
        match action {
            PanelAction::Close => return PanelOutcome::Close,
            PanelAction::Tab(tab) => return PanelOutcome::to_tab(place, tab),
            PanelAction::Key(key) => return self.key(client, key),
            PanelAction::Widen(by_px) => {
                self.set_width(self.model.width_px + by_px);
                return self.keep_width();
            }
            PanelAction::Width(px) => self.set_width(px),
            PanelAction::KeepWidth => return self.keep_width(),
            PanelAction::Open { .. } => {}
            PanelAction::Timeline(_) | PanelAction::Comparison(_) | PanelAction::Yaml(_) => {
                if let Opened::Subscribed(opened) = &mut self.opened {
                    return opened.update(client, action, now_ms);
                }
            }
        }
        PanelOutcome::Nothing
    }

    /// A key asks for a part of the open object.
    pub(crate) fn key(&mut self, client: &Client, key: PanelKey) -> PanelOutcome {
        let Some(place) = self.opened.wanted().map(|wanted| wanted.panel.clone()) else {
            return PanelOutcome::Nothing;
        };
        if let Some(part) = key.part() {
            self.model.jump = (self.model.jump.0.wrapping_add(1), part);
        }
        let picks = self.subscribed().and_then(|opened| Picks::of_last_change(&opened.object, client));
        match (key, picks) {
            (PanelKey::Open, _) => PanelOutcome::Nothing,
            (PanelKey::Compare, Some(Picks { a, b })) => {
                PanelOutcome::Push(PanelPlace { tab: key.tab(), a, b, ..place })
            }
            _ => PanelOutcome::to_tab(place, key.tab()),
        }
    }

    /// The focus goes into the panel.
    pub(crate) fn take_focus(&mut self) {
        self.model.focus = self.model.focus.wrapping_add(1);
    }

    pub(crate) fn set_page_width(&mut self, px: f64) {
        self.page_width_px = px;
    }

    fn set_width(&mut self, px: f64) {
        self.model.width_px = width::limited(px, self.page_width_px);
    }

    fn keep_width(&self) -> PanelOutcome {
        PanelOutcome::Prefer(Change::PanelWidth(to_whole_px(self.model.width_px)))
    }

    pub(crate) fn render(&mut self, client: &Client, theme: Theme, now_ms: UnixMillis, zone: Zone) {
        let model = &mut self.model;
        model.theme = theme;
        let Some(wanted) = self.opened.wanted() else {
            model.head = None;
            return;
        };
        model.head = Some(head::head(wanted, self.generation));
        model.tab = wanted.panel.tab;
        model.picks = Picks::of(&wanted.panel);
        let resource = wanted.resource();
        let freshness = match &self.opened {
            Opened::Subscribed(opened) => opened.object.freshness(client, now_ms),
            _ => object::or_stale_rows(object::not_asked_yet(now_ms), client, wanted.table, now_ms),
        };
        model.is_stale = freshness.is_stale();
        model.pill = pill(&freshness, &resource, now_ms, zone);
        if let Opened::Subscribed(opened) = &mut self.opened {
            opened.render(model, client, &freshness, (now_ms, zone));
        } else {
            model.note = Some(head::first_load());
            model.top = Vec::new();
            model.changes = messages::count(0_u64);
        }
    }
}

impl Opened {
    fn wanted(&self) -> Option<&Wanted> {
        match self {
            Self::Closed => None,
            Self::AskedFor { wanted, .. } => Some(wanted),
            Self::Subscribed(opened) => Some(&opened.wanted),
        }
    }
}

impl Subscribed {
    fn new(wanted: Wanted, object: PanelObject, opened_ms: UnixMillis) -> Self {
        Self {
            wanted,
            object,
            status_history: StatusHistory::new(opened_ms),
            related: Related::default(),
            timeline: Timeline::default(),
            comparison: Comparison::default(),
            yaml: Yaml::default(),
            is_new: true,
            drawn_second: 0,
        }
    }

    fn keys(&self) -> Vec<ViewKey> {
        self.related.keys().into_iter().chain(self.object.keys()).collect()
    }

    /// Returns the views that the panel no longer uses.
    fn observe(&mut self, client: &mut Client, now: Now) -> Vec<ViewKey> {
        let mut left = self.object.follow_name(client, &self.wanted, now);
        self.is_new |= !left.is_empty();
        let held = self.object.value.clone();
        if self.object.observe(client, now.now_ms) {
            let is_same =
                held.as_deref().zip(self.object.value.as_deref()).is_none_or(|(a, b)| uid(a) == uid(b));
            self.yaml.object_changed(held, is_same, now.now_ms);
            self.is_new = true;
        }
        self.status_history.observe(&self.object, client, now.now_ms);
        if let Some(value) = &self.object.value {
            left.extend(self.related.follow(client, value, now));
        }
        left
    }

    /// An action in one of the tabs.
    fn update(&mut self, client: &Client, action: PanelAction, now_ms: UnixMillis) -> PanelOutcome {
        self.is_new = true;
        let place = &self.wanted.panel;
        match action {
            PanelAction::Timeline(action) => self.timeline.update(action),
            PanelAction::Comparison(action) => {
                if let Some(Picks { a, b }) = Picks::of(place).after(action, &self.object, client) {
                    return PanelOutcome::Replace(PanelPlace { a, b, ..place.clone() });
                }
            }
            PanelAction::Yaml(action) => {
                let copied = self.yaml.update(action, &self.object, now_ms);
                return copied.map_or(PanelOutcome::Nothing, |text| PanelOutcome::Copy(Clip::Yaml(text)));
            }
            _ => {}
        }
        PanelOutcome::Nothing
    }

    /// The facts and the tab are rendered when something arrived, and once a second for their ages.
    fn render(
        &mut self,
        model: &mut PanelModel,
        client: &Client,
        freshness: &Freshness,
        at: (UnixMillis, Zone),
    ) {
        let object = &self.object;
        let shown = object.shown(client, freshness, at);
        let now = shown.now;
        model.note = head::note(shown, &self.wanted.resource());
        if let Some(view) = shown.view() {
            model.proof = proof(client, &view.subscription, None, freshness, now.ms);
        }
        let second = now.ms.div_euclid(1_000);
        if !self.is_new && self.drawn_second == second {
            return;
        }
        self.drawn_second = second;
        let is_new = std::mem::take(&mut self.is_new);
        if let Some((view, row)) = shown.row() {
            model.top = head::top_facts(view, row, now);
        } else if object.value.is_none() {
            model.top = Vec::new();
        }
        model.changes = messages::count(timeline::change_count(&shown.log()));
        match self.wanted.panel.tab {
            Tab::Overview => {
                let Some(value) = object.value.as_deref() else { return };
                model.overview = Arc::new(overview::model(value, now, client));
                model.tree = Arc::new(self.related.tree(shown));
                model.events = Arc::new(self.related.events(client, now));
            }
            Tab::Timeline => {
                model.status_history = self.status_history.model(shown).map(Arc::new);
                if is_new {
                    let opened_ms = self.status_history.opened_ms();
                    model.timeline = Arc::new(self.timeline.model(shown, opened_ms));
                    model.comparison = self.comparison.model(Picks::of(&self.wanted.panel), shown);
                }
            }
            Tab::Yaml => {
                let has_new_marks = self.yaml.drawn(now.ms);
                model.yaml_tools = self.yaml.tools(shown);
                if is_new || has_new_marks {
                    model.yaml = Arc::new(self.yaml.model(object));
                    model.yaml_scroll = self.yaml.scroll();
                }
            }
        }
    }
}
