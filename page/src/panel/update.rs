//! What a reader does in the panel. What the address says of it changes at the page: it is handed back.

use crate::location::{PanelPlace, Tab};
use crate::table_view::Client;
use shared::state::UnixMillis;

use super::{Panel, PanelAction, PanelKey};
use crate::effect::Effect;
use crate::model::Picks;

/// What becomes of the address.
pub(crate) enum Moved {
    No,
    /// Another tab: the history gets an entry.
    Push(PanelPlace),
    Replace(PanelPlace),
    Closed,
}

const WIDTH_MIN_PX: f64 = 480.0;
/// Of the page.
const WIDTH_PART_MAX: f64 = 0.6;

impl Panel {
    pub(crate) fn update(
        &mut self,
        client: &Client,
        action: PanelAction,
        now_ms: UnixMillis,
    ) -> (Moved, Option<Effect>) {
        let mut effect = None;
        let moved = self.moved_by(client, action, now_ms, &mut effect);
        (moved, effect)
    }

    fn moved_by(
        &mut self,
        client: &Client,
        action: PanelAction,
        now_ms: UnixMillis,
        effect: &mut Option<Effect>,
    ) -> Moved {
        let Some(opened) = &mut self.opened else { return Moved::No };
        let place = opened.wanted.panel.clone();
        opened.is_new = true;
        match action {
            PanelAction::Close => return Moved::Closed,
            PanelAction::Tab(tab) => return to_tab(place, tab),
            PanelAction::Key(key) => return self.key(client, key),
            PanelAction::Widen(by_px) => self.widen(by_px),
            PanelAction::Width(px) => self.set_width(px),
            // The page's: it knows what is remembered.
            PanelAction::KeepWidth => {}
            PanelAction::Filter(filter) => opened.timeline.filter = filter,
            PanelAction::Older => opened.timeline.show_older(),
            PanelAction::Pick(version) => return picked(place, opened.picked(client, version)),
            PanelAction::CompareLast => {
                if let Some(picks) = opened.last_two(client) {
                    return picked(place, picks);
                }
            }
            PanelAction::CloseComparison => return picked(place, Picks::default()),
            PanelAction::Follow => opened.toggle_follow(now_ms),
            PanelAction::Fold(path) => opened.yaml.folds.toggle(&path),
            PanelAction::FoldAll => opened.yaml.fold_all(),
            PanelAction::Search(needle) => opened.yaml.look_for(&needle),
            PanelAction::Found { forward } => opened.yaml.go_on(forward),
            PanelAction::CopyYaml => {
                *effect = opened.document().map(Effect::Copy);
            }
            PanelAction::YamlScrolled { top_px } => opened.yaml.viewport.scroll_top_px = top_px,
            PanelAction::YamlResized { height_px, row_px } => opened.yaml.resized(height_px, row_px),
            // The page's: it knows the rows.
            PanelAction::Open { .. } => {}
        }
        Moved::No
    }

    /// A key asks for a part of the open object.
    pub(crate) fn key(&mut self, client: &Client, key: PanelKey) -> Moved {
        let Some(opened) = &mut self.opened else { return Moved::No };
        let place = opened.wanted.panel.clone();
        opened.is_new = true;
        let jump = &mut self.model.jump;
        let mut jump = |part: &'static str| *jump = (jump.0.wrapping_add(1), part);
        match key {
            PanelKey::Panel => Moved::No,
            PanelKey::Yaml => to_tab(place, Tab::Yaml),
            PanelKey::Timeline => to_tab(place, Tab::Timeline),
            PanelKey::Events => {
                jump("events");
                to_tab(place, Tab::Overview)
            }
            PanelKey::Owners => {
                jump("tree");
                to_tab(place, Tab::Overview)
            }
            PanelKey::Compare => match opened.last_two(client) {
                Some(Picks { a, b }) => Moved::Push(PanelPlace { tab: Tab::Timeline, a, b, ..place }),
                None => to_tab(place, Tab::Timeline),
            },
        }
    }

    /// The focus goes into the panel.
    pub(crate) fn take_focus(&mut self) {
        self.model.focus = self.model.focus.wrapping_add(1);
    }

    fn widen(&mut self, by_px: f64) {
        self.set_width(self.width_px() + by_px);
    }

    pub(crate) fn width_px(&self) -> f64 {
        self.model.width_px
    }

    pub(crate) fn set_page_width(&mut self, px: f64) {
        self.page_width_px = px;
    }

    pub(crate) fn set_width(&mut self, px: f64) {
        let most = (self.page_width_px * WIDTH_PART_MAX).max(WIDTH_MIN_PX);
        self.model.width_px = px.clamp(WIDTH_MIN_PX, most);
    }
}

fn to_tab(place: PanelPlace, tab: Tab) -> Moved {
    if place.tab == tab { Moved::No } else { Moved::Push(PanelPlace { tab, ..place }) }
}

fn picked(place: PanelPlace, Picks { a, b }: Picks) -> Moved {
    Moved::Replace(PanelPlace { a, b, ..place })
}
