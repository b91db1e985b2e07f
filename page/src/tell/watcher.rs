//! When a question is answered: what is seen of its objects goes in, what is to be told comes out. Never a clock.

use std::collections::{BTreeMap, BTreeSet};

use shared::row::RowId;
use shared::state::UnixMillis;

use super::draft::Which;

/// What is seen of one object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seen {
    pub(super) id: RowId,
    /// What is asked for is so.
    pub(super) holds: bool,
}

/// The object that is told of. `None`: all together.
pub(super) type Told = Option<RowId>;

/// It owns since when what is asked for has held, and of what it told. It is asked only while what is seen is proven.
#[derive(Clone, Debug, Default)]
pub(super) struct Watcher {
    /// Those of which it holds, since when, and whether that was told.
    held: BTreeMap<RowId, Held>,
    together: Option<Held>,
    has_looked: bool,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    since_ms: UnixMillis,
    is_told: bool,
}

impl Watcher {
    /// `is_single`: the question is of one object, so that what is so already is told.
    pub(super) fn look(
        &mut self,
        seen: &[Seen],
        (which, hold_ms, is_single): (Which, i64, bool),
        now_ms: UnixMillis,
    ) -> Vec<Told> {
        let is_first = !std::mem::replace(&mut self.has_looked, true);
        match which {
            Which::Any => self.look_at_each(seen, hold_ms, is_first && !is_single, now_ms),
            Which::All => {
                let holds = !seen.is_empty() && seen.iter().all(|seen| seen.holds);
                self.look_at_all(holds, hold_ms, now_ms)
            }
            Which::None => self.look_at_all(!seen.iter().any(|seen| seen.holds), hold_ms, now_ms),
        }
    }

    /// `is_known`: what is so now was so before the question.
    fn look_at_each(&mut self, seen: &[Seen], hold_ms: i64, is_known: bool, now_ms: UnixMillis) -> Vec<Told> {
        let holding: BTreeSet<RowId> = seen.iter().filter(|seen| seen.holds).map(|seen| seen.id).collect();
        self.held.retain(|id, _| holding.contains(id));
        let mut told = Vec::new();
        for id in holding {
            let held = self.held.entry(id).or_insert(Held { since_ms: now_ms, is_told: is_known });
            if !held.is_told && now_ms.saturating_sub(held.since_ms) >= hold_ms {
                held.is_told = true;
                told.push(Some(id));
            }
        }
        told
    }

    fn look_at_all(&mut self, holds: bool, hold_ms: i64, now_ms: UnixMillis) -> Vec<Told> {
        if !holds {
            self.together = None;
            return Vec::new();
        }
        let held = self.together.get_or_insert(Held { since_ms: now_ms, is_told: false });
        let is_due = !held.is_told && now_ms.saturating_sub(held.since_ms) >= hold_ms;
        held.is_told |= is_due;
        if is_due { vec![None] } else { Vec::new() }
    }
}
