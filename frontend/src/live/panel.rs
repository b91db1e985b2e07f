//! The panel's place in the page: the address names its object, in one of the panes at most; back and
//! forward open and close it.

use page::location::{PanelPlace, Tab};
use replica::client::ViewKey;
use shared::problem::Problem;
use shared::row::RowId;

use super::detail::Wanted;
use super::detail::act::Moved;
use super::detail::action::{DetailAction, DetailKey};
use super::model::to_whole_px;
use super::page::Page;
use super::pane::PaneId;
use crate::dom;

impl Page {
    pub(super) fn act_on_panel(&mut self, pane: PaneId, action: DetailAction) {
        if let DetailAction::Open { row, key } = action {
            return self.open_panel(pane, row.as_deref().and_then(RowId::parse), key);
        }
        let now_ms = self.now_ms();
        let keeps_width = matches!(action, DetailAction::Widen(_) | DetailAction::KeepWidth);
        let moved = self.detail.act(&self.client, action, now_ms);
        if keeps_width {
            let width_px = to_whole_px(self.detail.width_px());
            self.prefer(|preferences| preferences.panel_px = Some(width_px));
        }
        self.move_panel(moved);
    }

    fn open_panel(&mut self, pane: PaneId, row: Option<RowId>, key: Option<DetailKey>) {
        let Some(held) = self.panes.iter().find(|held| held.id == pane) else { return };
        let Some(place) = held.panel_place(&self.client, row) else { return };
        let same = |open: &PanelPlace| (&open.namespace, &open.name) == (&place.namespace, &place.name);
        if held.place.panel.as_ref().is_some_and(same) {
            let moved = key.map_or(Moved::No, |key| self.detail.key(&self.client, key));
            self.move_panel(moved);
        } else {
            let tab = match key {
                Some(DetailKey::Yaml) => Tab::Yaml,
                Some(DetailKey::Timeline | DetailKey::Compare) => Tab::Timeline,
                _ => Tab::Overview,
            };
            for held in &mut self.panes {
                held.place.panel = (held.id == pane).then(|| PanelPlace { tab, ..place.clone() });
            }
            dom::address::push(&self.address().href());
        }
        if key.is_some() {
            self.detail.take_focus();
        }
    }

    fn move_panel(&mut self, moved: Moved) {
        let Some(pane) = self.panes.iter_mut().find(|pane| pane.place.panel.is_some()) else { return };
        let must_push = match moved {
            Moved::No => return,
            Moved::Push(place) => {
                pane.place.panel = Some(place);
                true
            }
            Moved::Replace(place) => {
                pane.place.panel = Some(place);
                false
            }
            Moved::Closed => {
                pane.place.panel = None;
                // Whoever came by the keyboard goes on where they were.
                pane.screen.wants_focus = true;
                true
            }
        };
        if must_push {
            dom::address::push(&self.address().href());
        } else {
            self.write_address();
        }
    }

    /// What the address names is open, and nothing else.
    pub(super) fn follow_panel(&mut self) {
        let now = self.now();
        let wanted = self.panes.iter().find_map(|pane| {
            Some(Wanted {
                kind: pane.kind()?.clone(),
                table: pane.key()?,
                has_fields: pane.place.fields.is_some(),
                panel: pane.place.panel.clone()?,
            })
        });
        for key in self.detail.follow(&mut self.client, wanted, now) {
            self.close_unless_held(key);
        }
    }

    pub(super) fn panel_news(&mut self, key: ViewKey) {
        self.detail.news(key);
    }

    pub(super) fn got(&mut self, id: u32, answer: Result<Box<shared::frame::server::ObjectFrame>, Problem>) {
        self.detail.got(&mut self.client, id, answer.map(|frame| frame.object));
    }
}
