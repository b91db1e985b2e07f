//! The panel's place in the page: the address names its object, in one of the panes at most; back and
//! forward open and close it.

use crate::location::{PanelPlace, Tab};
use shared::row::RowId;

use super::Page;
use crate::action::PaneId;
use crate::action::{PanelAction, PanelKey};
use crate::model::to_whole_px;
use crate::panel::{Moved, Wanted};
use crate::preferences::Change;
use replica::now::Now;

impl Page {
    pub(super) fn act_on_panel(&mut self, pane: PaneId, action: PanelAction, now: Now) {
        if let PanelAction::Open { row, key } = action {
            return self.open_panel(pane, row.as_deref().and_then(RowId::parse), key);
        }
        let keeps_width = matches!(action, PanelAction::Widen(_) | PanelAction::KeepWidth);
        let (moved, effect) = self.panel.update(&self.client, action, now.now_ms);
        self.effects.extend(effect);
        if keeps_width {
            let width_px = to_whole_px(self.panel.width_px());
            self.prefer(Change::PanelWidth(width_px));
        }
        self.move_panel(moved);
    }

    fn open_panel(&mut self, pane: PaneId, row: Option<RowId>, key: Option<PanelKey>) {
        let Some(held) = self.panes.iter().find(|held| held.id == pane) else { return };
        let Some(place) = held.panel_place(&self.client, row) else { return };
        let same = |open: &PanelPlace| (&open.namespace, &open.name) == (&place.namespace, &place.name);
        if held.place.panel.as_ref().is_some_and(same) {
            let moved = key.map_or(Moved::No, |key| self.panel.key(&self.client, key));
            self.move_panel(moved);
        } else {
            let tab = match key {
                Some(PanelKey::Yaml) => Tab::Yaml,
                Some(PanelKey::Timeline | PanelKey::Compare) => Tab::Timeline,
                _ => Tab::Overview,
            };
            for held in &mut self.panes {
                held.place.panel = (held.id == pane).then(|| PanelPlace { tab, ..place.clone() });
            }
            self.push_address();
        }
        if key.is_some() {
            self.panel.take_focus();
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
            self.push_address();
        } else {
            self.write_address();
        }
    }

    /// What the address names is open, and nothing else.
    pub(super) fn follow_panel(&mut self, now: Now) {
        let wanted = self.panes.iter().find_map(|pane| {
            Some(Wanted {
                kind: pane.kind()?.clone(),
                table: pane.key()?,
                has_fields: pane.place.fields.is_some(),
                panel: pane.place.panel.clone()?,
            })
        });
        for key in self.panel.follow(&mut self.client, wanted, now) {
            self.close_unless_held(key);
        }
    }
}
