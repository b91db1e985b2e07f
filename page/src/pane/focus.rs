//! The row that has the keyboard's focus, the cell in it, and the requests that move the DOM's focus there. Never
//! an element.

use replica::table::Slot;
use shared::row::RowId;

use super::displayed::Rows;
use super::words;
use crate::action::{Key, PaneAction};
use crate::model::FocusRequest;
use crate::status::RowHealth;
use crate::window::Viewport;

/// Where the keyboard is in the rows, and whether the DOM has to follow. It outlives another view of the same pane, because a
/// focus that was wanted goes to the rows that come. Only [`super::grid::Grid`] calls it.
#[derive(Default)]
pub(super) struct Focus {
    row: Option<RowId>,
    /// The row that the Tab key reaches. The other rows are reached by arrow keys.
    reachable: Option<RowId>,
    /// The cell that has the focus; `None`: the whole row has it.
    cell: Option<usize>,
    /// The next frame moves the DOM's focus.
    is_wanted: bool,
    /// The page has just begun, and had no input yet.
    begins: bool,
    /// The row that got the focus because the page began. The reader didn't choose it.
    begun_at: Option<RowId>,
    /// The reader came to this view by a key before it had rows.
    waits_for_rows: bool,
    /// The row took the focus because it was the first one. Its reader did nothing since.
    is_given: bool,
    number: u32,
}

impl Focus {
    /// The row of the focus, or where it was last.
    pub(super) fn row(&self) -> Option<RowId> {
        self.row
    }

    /// The row that the Tab key reaches.
    pub(super) fn reachable(&self) -> Option<RowId> {
        self.reachable
    }

    /// The place of the focused cell's column.
    pub(super) fn cell(&self) -> Option<usize> {
        self.cell
    }

    /// The reader stands at this row; the DOM's focus stays where it is.
    pub(super) fn stand_at(&mut self, row: RowId) {
        self.row = Some(row);
    }

    /// For another view. If a focus was wanted, the new view's rows take it.
    pub(super) fn begin_anew(&mut self) {
        let Self { is_wanted, begins, number, .. } = *self;
        *self = Self { is_wanted, begins, waits_for_rows: is_wanted, number, ..Self::default() };
    }

    pub(super) fn begin(&mut self) {
        self.begins = true;
    }

    /// Answers whether a reader did that, and not the page's beginning.
    pub(super) fn focused(&mut self, row: Option<RowId>) -> bool {
        self.row = row;
        let begun_at = self.begun_at.take();
        begun_at.is_none() || begun_at != row
    }

    pub(super) fn want(&mut self) {
        self.is_wanted = true;
    }

    /// Something else takes the DOM's focus.
    pub(super) fn leave(&mut self) {
        self.is_wanted = false;
    }

    /// If the reader does something else before the rows come, the rows don't take the focus.
    pub(super) fn note(&mut self, action: &PaneAction) {
        let is_idle = matches!(
            action,
            PaneAction::Resized { .. }
                | PaneAction::Scrolled { .. }
                | PaneAction::PointerMoved { .. }
                | PaneAction::PointerLeft
        );
        self.waits_for_rows &= is_idle;
        self.is_given &= is_idle || matches!(action, PaneAction::Focused(_) | PaneAction::Blurred);
        self.begins &= is_idle;
    }

    pub(super) fn first_rows_came(&mut self) {
        self.is_given = std::mem::take(&mut self.waits_for_rows);
        self.is_wanted |= self.is_given || self.begins;
    }

    /// Rows of one more cluster, some of them above the first one: that takes the focus.
    pub(super) fn other_rows_came(&mut self) {
        if self.is_given {
            (self.row, self.is_wanted) = (None, true);
        }
    }

    /// If the filter hides the focused row, the first row takes the focus.
    pub(super) fn go_to_rows(&mut self, rows: Option<Rows<'_>>) {
        self.row = self.row.filter(|row| rows.is_some_and(|rows| rows.place(*row).is_some()));
        self.is_wanted = true;
    }

    /// To the left of the first cell, the row itself takes the focus.
    pub(super) fn move_cell(&mut self, by: isize, column_count: usize) {
        self.cell = match self.cell {
            None => (by > 0).then_some(0),
            Some(0) if by < 0 => None,
            Some(at) => Some(at.saturating_add_signed(by).min(column_count.saturating_sub(1))),
        };
        self.is_wanted = true;
    }

    /// The row to which a key moves the focus.
    pub(super) fn place_after(&self, key: Key, rows: &Rows<'_>, viewport: Viewport) -> Option<usize> {
        let last = rows.index.len().checked_sub(1)?;
        let held = self.row.and_then(|row| rows.place(row));
        let (at, next) = (held.unwrap_or(0), held.map_or(0, |at| at + 1));
        let page = rows_in(viewport);
        match key {
            Key::Down => Some(next.min(last)),
            Key::Up => Some(at.saturating_sub(1)),
            Key::PageDown => Some(at.saturating_add(page).min(last)),
            Key::PageUp => Some(at.saturating_sub(page)),
            Key::Home => Some(0),
            Key::End => Some(last),
            _ => None,
        }
    }

    /// The next failing row, or from the last one the first, and what the page says if it isn't simply the next. Where none
    /// fails, the next changing one.
    pub(super) fn failing_after(
        &self,
        is_back: bool,
        rows: &Rows<'_>,
    ) -> (Option<usize>, Option<&'static str>) {
        let count = rows.index.len();
        let held = self.row.and_then(|row| rows.place(row));
        let (at, next) = (held.unwrap_or(0), held.map_or(0, |at| at + 1));
        let find = |is_wanted: &dyn Fn(&usize) -> bool| match is_back {
            true => ((0..at).rev().find(is_wanted), (at..count).rev().find(is_wanted)),
            false => ((next..count).find(is_wanted), (0..next.min(count)).find(is_wanted)),
        };
        let wrapped = if is_back { words::LAST_FAILING_ROW } else { words::FIRST_FAILING_ROW };
        match find(&|place| rows.is_trouble(*place)) {
            (Some(place), _) => (Some(place), None),
            (None, None) => match find(&|place| rows.health(*place) == Some(RowHealth::Changing)) {
                (None, None) => (None, Some(words::NO_FAILING_ROW)),
                (ahead, around) => (ahead.or(around), Some(words::CHANGING_ROW)),
            },
            (None, around) if around == held => (around, Some(words::ONLY_FAILING_ROW)),
            (None, around) => (around, Some(wrapped)),
        }
    }

    /// Makes the focused row reachable by the Tab key, or the first mounted one if the focused one isn't mounted.
    pub(super) fn reach(&mut self, rows: &Rows<'_>, mounted: &[(usize, Slot)]) {
        // A row that the filter hides can't take the focus that was asked for.
        self.row.take_if(|row| self.is_wanted && rows.place(*row).is_none());
        let slot = self.row.and_then(|row| rows.view.table().slot_of(row));
        let is_mounted = slot.is_some_and(|slot| mounted.iter().any(|(_, held)| *held == slot));
        let first = mounted.first().and_then(|(_, slot)| Some(rows.view.table().entry(*slot)?.row().id));
        self.reachable = if is_mounted { self.row } else { first };
    }

    pub(super) fn row_or_reachable(&self) -> Option<RowId> {
        self.row.or(self.reachable)
    }

    /// The request to the DOM, once.
    pub(super) fn request(&mut self) -> Option<FocusRequest> {
        let is_wanted = std::mem::take(&mut self.is_wanted);
        let row = self.row_or_reachable().filter(|_| is_wanted)?;
        self.number = self.number.wrapping_add(1);
        let is_start = std::mem::take(&mut self.begins);
        self.begun_at = is_start.then_some(row);
        Some(FocusRequest { row: row.to_string(), cell: self.cell, number: self.number, is_start })
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, and NaN is 0")]
fn rows_in(viewport: Viewport) -> usize {
    ((viewport.height_px / viewport.row_height_px.max(1.0)).floor() as usize).saturating_sub(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_go_from_the_row_into_its_cells_and_back() {
        let mut focus = Focus::default();
        let mut step = |by| {
            focus.move_cell(by, 3);
            focus.cell
        };
        let steps = [1, 1, 1, 1, -1, -1, -1, -1].map(&mut step);
        assert_eq!(steps, [Some(0), Some(1), Some(2), Some(2), Some(1), Some(0), None, None]);
    }

    #[test]
    fn a_row_is_focused_once_and_a_view_that_opens_takes_what_was_wanted() {
        let mut focus = Focus { row: RowId::parse(&RowId::from_hash(16).to_string()), ..Focus::default() };
        focus.want();
        assert_eq!(focus.request().map(|request| request.number), Some(1));
        assert_eq!(focus.request(), None);
        focus.want();
        focus.begin_anew();
        assert_eq!(focus.request(), None, "there are no rows yet");
        focus.first_rows_came();
        focus.reachable = Some(RowId::from_hash(32));
        assert_eq!(focus.request().map(|request| request.number), Some(2));
        focus.want();
        focus.begin_anew();
        focus.request();
        focus.note(&PaneAction::TogglePause);
        focus.first_rows_came();
        focus.reachable = Some(RowId::from_hash(32));
        assert_eq!(focus.request(), None, "its reader went elsewhere");
    }

    #[test]
    fn a_focus_that_was_given_goes_to_the_first_row_of_those_that_come_later() {
        let row = |number| RowId::parse(&RowId::from_hash(number).to_string());
        let mut focus = Focus::default();
        focus.want();
        focus.begin_anew();
        focus.first_rows_came();
        focus.note(&PaneAction::Focused(String::new()));
        focus.focused(row(32));
        focus.other_rows_came();
        assert_eq!((focus.row, focus.is_wanted), (None, true));
        focus.focused(row(16));
        focus.is_wanted = false;
        focus.note(&PaneAction::Key(Key::Down));
        focus.other_rows_came();
        assert_eq!((focus.row, focus.is_wanted), (row(16), false), "its reader chose it by now");
    }
}
