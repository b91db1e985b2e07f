//! The frame of a board: its title, and how views are added, moved, resized, paused and closed.

use replica::now::Now;

use super::address_bar::Host;
use super::layout::{self, Side, Slot};
use super::palette::Palette;
use super::recent::view_label;
use super::{Board, Page};
use crate::action::{Action, PaneAction, PaneId};
use crate::address::{self, PANES_MAX, PaneSize};
use crate::model::BoardFrame;

impl Page {
    /// `pane`: the pane that the action came from, or the active one.
    pub(super) fn update_board(&mut self, pane: PaneId, action: Action, now: Now) {
        let board = &mut self.navigator.board;
        let is_other_board = match action {
            Action::Split => return self.ask_for_view(pane, now),
            Action::ClosePane => {
                let is_closed = board.close(pane);
                self.is_board_refused &= !is_closed;
                is_closed
            }
            Action::MovePane(by) => {
                let to = board.place_of(pane).and_then(|at| at.checked_add_signed(by));
                to.is_some_and(|to| board.move_pane(pane, to))
            }
            Action::PlacePane(other) => board.place_of(other).is_some_and(|to| board.move_pane(pane, to)),
            action => return self.update_frame(pane, action, now),
        };
        if is_other_board {
            self.navigator.pushed();
        }
    }

    /// What changes the same board.
    fn update_frame(&mut self, pane: PaneId, action: Action, now: Now) {
        let board = &mut self.navigator.board;
        let has_several = board.panes.len() > 1;
        let is_changed = match action {
            Action::ResizePane(side, by) => has_several && board.resize(pane, side, by),
            Action::SizePane(side, part) => has_several && board.set_part(pane, side, part),
            Action::SetTitle(title) => {
                board.title = address::title(&title);
                true
            }
            Action::PauseAll => {
                for pane in board.paused_or_all() {
                    self.navigator.update_pane(pane, PaneAction::TogglePause, now);
                }
                false
            }
            _ => false,
        };
        if is_changed {
            self.navigator.replace_address();
        }
    }

    /// Opens "go to" for a view beside this one; an element of another page has none. A full board says that it is
    /// full.
    fn ask_for_view(&mut self, pane: PaneId, now: Now) {
        let board = &self.navigator.board;
        let here = board.pane(pane).map(|pane| view_label(&pane.place));
        match here.filter(|_| self.navigator.address_bar.host() == Host::Dogwatch) {
            Some(_) if board.panes.len() >= PANES_MAX => self.is_board_refused = true,
            Some(here) => {
                self.navigator.activate(pane);
                self.open_palette(Palette::for_new_view(here), now);
            }
            None => {}
        }
    }

    /// Adds a copy of a pane, which becomes the active one. A full board says that it is full.
    pub(super) fn add_pane(&mut self, pane: PaneId, now: Now) -> bool {
        let is_added = self.navigator.board.split(pane, &self.navigator.preferences, now);
        self.is_board_refused = !is_added;
        is_added
    }
}

impl Board {
    pub(super) fn sizes(&self) -> Vec<PaneSize> {
        self.panes.iter().map(|pane| pane.size).collect()
    }

    /// What stands over the panes; `None` for one pane. Each pane has its slot already.
    pub(super) fn frame(&self) -> Option<BoardFrame> {
        let slots: Vec<Slot> = self.panes.iter().map(|pane| pane.model.slot).collect();
        (self.panes.len() > 1).then(|| BoardFrame {
            title: self.title.to_string(),
            is_paused: self.panes.iter().any(|pane| pane.model.is_paused),
            weights: layout::weights(&slots),
        })
    }

    /// Moves the edge of a pane. Returns whether a size changed.
    pub(super) fn resize(&mut self, id: PaneId, side: Side, by: i8) -> bool {
        let mut sizes = self.sizes();
        let Some(at) = self.place_of(id) else { return false };
        let has_changed = layout::resize(&mut sizes, at, side, by);
        for (pane, size) in self.panes.iter_mut().zip(sizes) {
            pane.size = size;
        }
        has_changed
    }

    /// Gives a pane this part of the board's width or height.
    pub(super) fn set_part(&mut self, id: PaneId, side: Side, part: f64) -> bool {
        let slots = layout::layout(&self.sizes());
        let Some(slot) = self.place_of(id).and_then(|at| slots.get(at)) else { return false };
        let (of, held) = match side {
            Side::Width => (address::COLUMNS, slot.columns),
            Side::Height => (layout::weights(&slots).iter().sum(), slot.weight),
        };
        let wanted = (part.clamp(0.0, 1.0) * f64::from(of)).round() - f64::from(held);
        let wanted = to_step(wanted);
        wanted != 0 && self.resize(id, side, wanted)
    }

    /// Moves a pane to another place. Returns whether it moved.
    pub(super) fn move_pane(&mut self, id: PaneId, to: usize) -> bool {
        let Some(at) = self.place_of(id) else { return false };
        let to = to.min(self.panes.len().saturating_sub(1));
        if at == to {
            return false;
        }
        let pane = self.panes.remove(at);
        self.panes.insert(to, pane);
        for pane in self.panes.get_mut(at.min(to)..=at.max(to)).unwrap_or_default() {
            pane.was_moved();
        }
        self.focus_rows();
        true
    }

    pub(super) fn place_of(&self, id: PaneId) -> Option<usize> {
        self.panes.iter().position(|pane| pane.id == id)
    }

    /// Pauses all panes, or resumes those that are paused.
    pub(super) fn paused_or_all(&self) -> Vec<PaneId> {
        let is_any = self.panes.iter().any(|pane| pane.model.is_paused);
        self.panes.iter().filter(|pane| pane.model.is_paused == is_any).map(|pane| pane.id).collect()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and NaN is 0")]
fn to_step(by: f64) -> i8 {
    by as i8
}
