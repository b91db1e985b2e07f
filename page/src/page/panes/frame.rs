//! The frame of a board: its title, and how views are moved, resized and paused.

use super::Panes;
use crate::action::{Action, PaneId};
use crate::address::{self, PaneSize};
use crate::cx::Cx;
use crate::messages;
use crate::model::BoardFrame;
use crate::page::layout::{self, Side, Slot};
use crate::pane::Pane;
use crate::status::RowHealth;
use crate::table_view::TableView;

impl Panes {
    /// What changes the same board. Returns whether anything changed.
    pub(in crate::page) fn update_frame(&mut self, pane: PaneId, action: Action) -> bool {
        let has_several = self.panes.len() > 1;
        match action {
            Action::ResizePane(side, by) => has_several && self.resize(pane, side, by),
            Action::SizePane(side, part) => has_several && self.set_part(pane, side, part),
            Action::SetTitle(title) => {
                self.title = address::title(&title);
                true
            }
            _ => false,
        }
    }

    pub(super) fn sizes(&self) -> Vec<PaneSize> {
        self.panes.iter().map(Pane::size).collect()
    }

    /// What stands over the panes; `None` for one pane. Each pane has its slot already.
    pub(in crate::page) fn frame(&self) -> Option<BoardFrame> {
        let slots: Vec<Slot> = self.panes.iter().map(|pane| pane.model().slot).collect();
        (self.panes.len() > 1).then(|| BoardFrame {
            title: self.title.to_string(),
            is_paused: self.panes.iter().any(|pane| pane.model().is_paused),
            is_past: self.at().is_some(),
            weights: layout::weights(&slots),
        })
    }

    /// What the document's title says of the views.
    /// How many rows of the views fail. A view that stands in two panes counts once.
    pub(in crate::page) fn failing(&self, cx: &Cx) -> usize {
        let counts =
            self.keys().into_iter().filter_map(|key| cx.client.view(key)?.tally().counts()).flatten();
        counts.filter(|(health, _)| *health == RowHealth::Failing).map(|(_, rows)| rows).sum()
    }

    pub(in crate::page) fn document_title(&self) -> String {
        match self.panes.as_slice() {
            [pane] => pane.title(),
            panes if self.title.is_empty() => messages::board_of(panes.len()),
            _ => self.title.to_string(),
        }
    }

    /// Moves the edge of a pane. Returns whether a size changed.
    fn resize(&mut self, id: PaneId, side: Side, by: i8) -> bool {
        let mut sizes = self.sizes();
        let Some(at) = self.place_of(id) else { return false };
        let has_changed = layout::resize(&mut sizes, at, side, by);
        for (pane, size) in self.panes.iter_mut().zip(sizes) {
            pane.set_size(size);
        }
        has_changed
    }

    /// Gives a pane this part of the board's width or height.
    fn set_part(&mut self, id: PaneId, side: Side, part: f64) -> bool {
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

    /// Moves a pane by so many places. Returns whether it moved.
    pub(in crate::page) fn move_by(&mut self, id: PaneId, by: isize) -> bool {
        let to = self.place_of(id).and_then(|at| at.checked_add_signed(by));
        to.is_some_and(|to| self.move_to(id, to))
    }

    /// Moves a pane to the place of another one. Returns whether it moved.
    pub(in crate::page) fn move_to_pane(&mut self, id: PaneId, other: PaneId) -> bool {
        self.place_of(other).is_some_and(|to| self.move_to(id, to))
    }

    fn move_to(&mut self, id: PaneId, to: usize) -> bool {
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

    /// The panes that "pause all" pauses, or those that are paused and resume.
    pub(in crate::page) fn paused_or_all(&self) -> Vec<PaneId> {
        let is_any = self.panes.iter().any(|pane| pane.model().is_paused);
        self.panes.iter().filter(|pane| pane.model().is_paused == is_any).map(Pane::id).collect()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and NaN is 0")]
fn to_step(by: f64) -> i8 {
    by as i8
}
