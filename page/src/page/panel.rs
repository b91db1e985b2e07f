//! The panel's place in the page: the address names its object, in one of the panes at most; back and
//! forward open and close it.

use crate::location::PanelPlace;
use shared::row::RowId;

use super::Page;
use crate::action::PaneId;
use crate::action::{PanelAction, PanelKey};
use crate::effect::Effect;
use crate::panel::Wanted;
use crate::panel::action::PanelOutcome;
use replica::now::Now;

impl Page {
    pub(super) fn act_on_panel(&mut self, pane: PaneId, action: PanelAction, now: Now) {
        if let PanelAction::Open { row, key } = action {
            return self.open_panel(pane, row.as_deref().and_then(RowId::parse), key);
        }
        let outcome = self.panel.update(&self.client, action, now.now_ms);
        self.carry_out(outcome);
    }

    fn open_panel(&mut self, pane: PaneId, row: Option<RowId>, key: Option<PanelKey>) {
        let Some(held) = self.panes.iter().find(|held| held.id == pane) else { return };
        let Some(place) = held.panel_place(&self.client, row) else { return };
        let same = |open: &PanelPlace| (&open.namespace, &open.name) == (&place.namespace, &place.name);
        if held.place.panel.as_ref().is_some_and(same) {
            if let Some(key) = key {
                let outcome = self.panel.key(&self.client, key);
                self.carry_out(outcome);
            }
        } else {
            let tab = key.map(PanelKey::tab).unwrap_or_default();
            for held in &mut self.panes {
                held.place.panel = (held.id == pane).then(|| PanelPlace { tab, ..place.clone() });
            }
            self.push_address();
        }
        if key.is_some() {
            self.panel.take_focus();
        }
    }

    fn carry_out(&mut self, outcome: PanelOutcome) {
        let pane = self.panes.iter_mut().find(|pane| pane.place.panel.is_some());
        match (outcome, pane) {
            (PanelOutcome::Nothing, _) => {}
            (PanelOutcome::Copy(text), _) => self.effects.push_back(Effect::Copy(text)),
            (PanelOutcome::Prefer(change), _) => self.prefer(change),
            (PanelOutcome::Push(place), Some(pane)) => {
                pane.place.panel = Some(place);
                self.push_address();
            }
            (PanelOutcome::Replace(place), Some(pane)) => {
                pane.place.panel = Some(place);
                self.write_address();
            }
            (PanelOutcome::Close, Some(pane)) => {
                pane.place.panel = None;
                // A reader who came by the keyboard goes on in the rows.
                pane.wants_focus();
                self.push_address();
            }
            (PanelOutcome::Push(_) | PanelOutcome::Replace(_) | PanelOutcome::Close, None) => {}
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
