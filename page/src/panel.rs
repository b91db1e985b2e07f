//! The panel of one object, put together from its tabs, each of which has a folder. It shows the object that the
//! address names. Never a pane, never the address bar.

pub mod action;
pub mod head;
pub(crate) mod log;
mod model;
pub(crate) mod object;
pub(crate) mod outcome;
pub(crate) mod part;
mod record;
pub(crate) mod recorded;
mod slot;
pub mod strip;
mod subscribed;
mod tabs;
mod width;
pub mod words;

use replica::client::ViewKey;
use replica::freshness::Freshness;
use replica::now::Now;
use replica::object::ObjectView;
use shared::frame::client::SubscriptionId;
use shared::frame::server::PastAnswer;
use shared::problem::Problem;
use shared::state::UnixMillis;

use crate::detail;
use crate::limits::PANEL_WALK_MS;
use crate::location::{PanelPlace, Tab};
use crate::logs::MakeLogs;
use crate::messages::{self, Zone};
use crate::model::to_whole_px;
use crate::piece::PieceShown;
use crate::pill::{Pill, PillState, pill};
use crate::preferences::Change;
use crate::tab::logs::{AroundLogs, is_choosing};
use crate::tab::overview::rollout::Progress;
use crate::tab::timeline::comparison::Picks;
use crate::table_view::Client;
use crate::theme::Theme;
use action::{PanelAction, PanelKey};
pub use model::{PanelFields, PanelModel};
pub(crate) use object::Wanted;
pub(crate) use outcome::PanelOutcome;
use record::Records;
pub use slot::MakePanel;
use slot::PanelPart;
pub(crate) use slot::{MAKE_PANEL, PanelSlot};
use strip::Strip;
use subscribed::Subscribed;
use tabs::{Sizes, has_open_part};
pub use tabs::{TabAction, TabsFields, TabsModel};

/// The panel beside a view, once its piece of the program is there. It owns the object that is open, its tabs and their
/// records; the page calls it through the trait of `slot.rs`.
struct Panel {
    model: PanelModel,
    page_width_px: f64,
    sizes: Sizes,
    logs: AroundLogs,
    opened: Opened,
    records: Records,
    generation: u32,
    /// The panel takes the focus with the next frame.
    wants_focus: bool,
    /// When an object was asked for last.
    asked_ms: UnixMillis,
}

enum Opened {
    Closed,
    /// Waits until the table beside the panel knows whether it has the object.
    AskedFor {
        wanted: Wanted,
        opened_ms: UnixMillis,
        /// A reader who walks along the rows gets the objects at which they stop.
        not_before_ms: Option<UnixMillis>,
    },
    Subscribed(Box<Subscribed>),
}

impl Panel {
    fn new(page_width_px: f64, preferred_px: Option<f64>) -> Self {
        let model = PanelModel { width_px: width::unmoved(page_width_px), ..PanelModel::default() };
        let mut panel = Self {
            model,
            page_width_px,
            sizes: Sizes::default(),
            logs: AroundLogs::default(),
            opened: Opened::Closed,
            records: Records::default(),
            generation: 0,
            wants_focus: false,
            asked_ms: 0,
        };
        if let Some(px) = preferred_px {
            panel.set_width(px);
        }
        panel
    }

    fn subscribed(&self) -> Option<&Subscribed> {
        match &self.opened {
            Opened::Subscribed(opened) => Some(opened),
            _ => None,
        }
    }

    /// Keeps what was recorded of the object that was open.
    fn leave(&mut self, client: &mut Client, next: Opened, now: Now) -> Vec<ViewKey> {
        let Opened::Subscribed(mut left) = std::mem::replace(&mut self.opened, next) else {
            return Vec::new();
        };
        left.follow_logs(None, client, now);
        let keys = left.keys();
        if left.object.value.is_some() {
            self.records.keep(left.record(client, now.now_ms));
        }
        keys
    }

    /// The object has neither owners nor children, and nothing else around it is shown.
    fn is_alone(&self) -> bool {
        let is_known = self.subscribed().is_some_and(|opened| opened.object.value.is_some());
        is_known && self.model.tabs.overview.tree.is_empty()
    }

    fn set_width(&mut self, px: f64) {
        self.model.width_px = width::limited(px, self.page_width_px);
    }

    fn keep_width(&self) -> PanelOutcome {
        PanelOutcome::Prefer(Change::PanelWidth(to_whole_px(self.model.width_px)))
    }
}

impl PanelPart for Panel {
    fn model(&self) -> &PanelModel {
        &self.model
    }

    fn is_open(&self) -> bool {
        !matches!(self.opened, Opened::Closed)
    }

    fn holds(&self, key: ViewKey) -> bool {
        self.subscribed().is_some_and(|opened| opened.keys().contains(&key))
    }

    fn follow(&mut self, client: &mut Client, wanted: Option<Wanted>, now: Now) -> Vec<ViewKey> {
        let Some(wanted) = wanted else {
            return self.leave(client, Opened::Closed, now);
        };
        if self.opened.wanted().is_none_or(|held| !held.is_same(&wanted)) {
            self.generation = self.generation.wrapping_add(1);
            let is_walking = now.now_ms.saturating_sub(self.asked_ms) < PANEL_WALK_MS;
            let not_before_ms = is_walking.then(|| now.now_ms.saturating_add(PANEL_WALK_MS));
            self.asked_ms = now.now_ms;
            let asked = Opened::AskedFor { wanted: wanted.clone(), opened_ms: now.now_ms, not_before_ms };
            let mut left = self.leave(client, asked, now);
            // Nothing else may happen that would lead here again: a table that knows the object is asked at once.
            left.extend(self.follow(client, Some(wanted), now));
            return left;
        }
        match &mut self.opened {
            Opened::Closed => {}
            Opened::AskedFor { not_before_ms: Some(at_ms), .. } if *at_ms > now.now_ms => {}
            Opened::AskedFor { wanted: held, opened_ms, not_before_ms } => {
                match wanted.subscribe(client, now) {
                    Some(object) => {
                        let record = self.records.take(&wanted, *opened_ms);
                        let mut opened = Subscribed::new(wanted, object, *opened_ms, record);
                        for size in self.sizes.iter() {
                            opened.update(client, size.clone(), now.now_ms);
                        }
                        self.opened = Opened::Subscribed(Box::new(opened));
                    }
                    None => {
                        *held = wanted;
                        *not_before_ms = None;
                    }
                }
            }
            Opened::Subscribed(opened) => {
                // The tab and the compared versions are the address's.
                opened.is_new |= opened.wanted.panel != wanted.panel || opened.wanted.at_ms != wanted.at_ms;
                (opened.wanted.panel, opened.wanted.at_ms) = (wanted.panel, wanted.at_ms);
            }
        }
        match &mut self.opened {
            Opened::Subscribed(opened) => {
                let left = opened.observe(client, now);
                opened.follow_logs(Some(&mut self.logs), client, now);
                left
            }
            _ => Vec::new(),
        }
    }

    fn purged(&mut self, key: ViewKey, client: &mut Client, now: Now) -> Vec<ViewKey> {
        self.records = Records::default();
        let is_beside = self.opened.wanted().is_none_or(|wanted| wanted.table == Some(key));
        if !is_beside && !self.holds(key) {
            return Vec::new();
        }
        self.model.purge();
        match std::mem::replace(&mut self.opened, Opened::Closed) {
            Opened::Subscribed(mut left) => {
                left.follow_logs(None, client, now);
                let keys = left.keys();
                let wanted = left.wanted;
                self.opened = Opened::AskedFor { wanted, opened_ms: now.now_ms, not_before_ms: None };
                keys
            }
            opened => {
                self.opened = opened;
                Vec::new()
            }
        }
    }

    fn news(&mut self, key: ViewKey) {
        if let Opened::Subscribed(opened) = &mut self.opened {
            opened.is_new |= opened.keys().contains(&key);
        }
    }

    fn history_came(&mut self, answer: &PastAnswer) {
        if let Opened::Subscribed(opened) = &mut self.opened {
            opened.history_came(answer);
        }
    }

    fn history_failed(&mut self, id: SubscriptionId, problem: &Problem) {
        if let Opened::Subscribed(opened) = &mut self.opened {
            opened.history_failed(id, problem);
        }
    }

    fn fill_logs(&mut self, make: Option<MakeLogs>, piece: &PieceShown) -> bool {
        (self.logs.make, self.logs.is_new) = (make, self.logs.is_new || self.logs.piece != *piece);
        self.logs.piece.clone_from(piece);
        self.logs.is_lacking
    }

    fn update(&mut self, client: &Client, action: PanelAction, now_ms: UnixMillis) -> PanelOutcome {
        let Some(place) = self.opened.wanted().map(|wanted| wanted.panel.clone()) else {
            return PanelOutcome::Nothing;
        };
        match action {
            PanelAction::Close => return PanelOutcome::Close,
            PanelAction::Back => match &mut self.opened {
                Opened::Subscribed(opened)
                    if has_open_part(place.tab, &self.model.tabs)
                        || self.model.head.as_ref().is_some_and(|head| is_choosing(&head.logs)) =>
                {
                    return opened.close_part(client, now_ms);
                }
                _ => return PanelOutcome::Close,
            },
            PanelAction::Tab(tab) => return PanelOutcome::to_tab(place, tab),
            PanelAction::Key(key) => return self.key(client, key),
            PanelAction::Widen(by_px) => {
                self.set_width(self.model.width_px + by_px);
                return self.keep_width();
            }
            PanelAction::Width(px) => self.set_width(px),
            PanelAction::KeepWidth => return self.keep_width(),
            PanelAction::DismissBefore => {
                if let Opened::Subscribed(opened) = &mut self.opened {
                    opened.dismiss_trouble();
                }
            }
            PanelAction::Open { .. } | PanelAction::Walk(_) | PanelAction::HasFocus(_) => {}
            PanelAction::In(action) => {
                self.sizes.note(&action);
                if let Opened::Subscribed(opened) = &mut self.opened {
                    return opened.update(client, action, now_ms);
                }
            }
        }
        PanelOutcome::Nothing
    }

    fn key(&mut self, client: &Client, key: PanelKey) -> PanelOutcome {
        let Some(place) = self.opened.wanted().map(|wanted| wanted.panel.clone()) else {
            return PanelOutcome::Nothing;
        };
        if key == PanelKey::Owners && place.tab == key.tab() && self.is_alone() {
            return PanelOutcome::Say(words::NO_OWNERS);
        }
        if key == PanelKey::Tab(Tab::Logs) && !self.model.head.as_ref().is_some_and(|head| head.has_logs) {
            return PanelOutcome::Say(words::NO_LOGS);
        }
        if let Some(part) = key.part() {
            self.model.jump = (self.model.jump.0.wrapping_add(1), part);
        }
        let picks = self.subscribed().and_then(|opened| opened.last_change(client));
        match (key, picks) {
            (PanelKey::Open, _) => PanelOutcome::Nothing,
            (PanelKey::Compare, None) => {
                if let Opened::Subscribed(opened) = &mut self.opened {
                    opened.ask_to_compare();
                }
                PanelOutcome::to_tab(place, key.tab())
            }
            (PanelKey::Compare, Some(Picks { a, b })) => {
                PanelOutcome::Push(PanelPlace { tab: key.tab(), a, b, ..place })
            }
            _ => PanelOutcome::to_tab(place, key.tab()),
        }
    }

    fn take_focus(&mut self) {
        self.wants_focus = true;
    }

    fn timer_ms(&self) -> Option<UnixMillis> {
        match self.opened {
            Opened::AskedFor { not_before_ms, .. } => not_before_ms,
            Opened::Subscribed(_) => self.logs.timer_ms,
            Opened::Closed => None,
        }
    }

    fn set_page_width(&mut self, px: f64) {
        self.page_width_px = px;
    }

    fn freshness(&self, client: &Client, now_ms: UnixMillis) -> Freshness {
        self.opened.freshness(client, now_ms)
    }

    fn object<'a>(&self, client: &'a Client) -> Option<&'a ObjectView> {
        self.subscribed()?.object.view(client)
    }

    fn rollout(&self, client: &Client, now_ms: UnixMillis, zone: Zone) -> Option<Progress> {
        self.subscribed()?.rollout(client, (now_ms, zone))
    }

    fn render(&mut self, client: &Client, theme: Theme, now_ms: UnixMillis, zone: Zone) {
        let model = &mut self.model;
        model.theme = theme;
        let Some(wanted) = self.opened.wanted() else {
            model.head = None;
            return;
        };
        model.head = Some(head::head(wanted, client, self.generation));
        if std::mem::take(&mut self.wants_focus) {
            model.focus = (model.focus.0.wrapping_add(1), self.generation);
        }
        model.tab = wanted.panel.tab;
        let resource = wanted.resource();
        let freshness = self.opened.freshness(client, now_ms);
        model.is_stale = freshness.is_stale();
        model.pill = match self.opened.deleted_ms(client, &freshness) {
            // Nothing of it is live any more.
            Some((deleted_ms, is_end)) => {
                let word = if is_end { words::DELETED } else { words::LAST_SEEN };
                Pill::new(PillState::Past, word, &messages::instant(deleted_ms, now_ms, zone))
            }
            None => pill(&freshness, &resource, now_ms, zone),
        };
        match &mut self.opened {
            Opened::Closed => {}
            Opened::Subscribed(opened) => opened.render(model, client, &freshness, (now_ms, zone)),
            Opened::AskedFor { wanted, .. } => {
                let now = detail::Now { ms: now_ms, cluster_s: now_ms.div_euclid(1_000), zone };
                let row = wanted.row(client);
                model.note = Some(head::first_load());
                model.top = row.map(|(view, row)| head::top_facts(view, row, now)).unwrap_or_default();
                model.strip = row.and_then(|(_, row)| Strip::of_row(row, now));
                model.changes.clear();
            }
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

    /// When the object was deleted that is shown as it was last, or else `false` and when that was. `None`: it is there,
    /// or is shown as of a time.
    fn deleted_ms(&self, client: &Client, freshness: &Freshness) -> Option<(UnixMillis, bool)> {
        let Self::Subscribed(opened) = self else { return None };
        let is_shown = freshness.past().is_none() && opened.object.is_deleted(client);
        let deleted_ms = is_shown.then(|| opened.object.deleted_ms(client)).flatten()?;
        let last = opened.object.recorded.last.shown_as(opened.object.value.as_ref());
        Some((deleted_ms, last.is_none_or(|last| last.deleted_ms.is_some())))
    }

    fn freshness(&self, client: &Client, now_ms: UnixMillis) -> Freshness {
        match self {
            Self::Subscribed(opened) => opened.object.freshness(client, now_ms),
            Self::AskedFor { .. } | Self::Closed => {
                let wanted = self.wanted();
                let beside = (wanted.and_then(|it| it.table), wanted.and_then(|it| it.cluster.as_ref()));
                object::or_stale_rows(object::not_asked_yet(now_ms), client, beside, now_ms)
            }
        }
    }
}
