//! The rows that a reader has open or focused. They stay when the filter stops matching them, so that what is read
//! doesn't vanish.

use replica::table::Slot;

#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// The rows that stay: one is open, one has the focus.
    rows: Vec<Slot>,
    /// The kept rows that the filter no longer matches.
    unmatched: Vec<Slot>,
}

impl Kept {
    /// Whether a row is shown. `was_shown`: before it changed.
    pub(super) fn matches(&mut self, slot: Slot, was_shown: bool, matches: bool) -> bool {
        self.unmatched.retain(|held| *held != slot);
        let stays = !matches && was_shown && self.rows.contains(&slot);
        if stays {
            self.unmatched.push(slot);
        }
        matches || stays
    }

    /// Other rows are open or focused. Returns the rows that need no longer stay.
    pub(super) fn replace(&mut self, rows: Vec<Slot>) -> Vec<Slot> {
        self.rows = rows;
        let (stay, left) = self.unmatched.drain(..).partition(|slot| self.rows.contains(slot));
        self.unmatched = stay;
        left
    }

    pub(super) fn forget(&mut self, slot: Slot) {
        self.rows.retain(|held| *held != slot);
        self.unmatched.retain(|held| *held != slot);
    }

    pub(super) fn is_kept(&self, slot: Slot) -> bool {
        self.unmatched.contains(&slot)
    }

    pub(super) fn count(&self) -> usize {
        self.unmatched.len()
    }
}
