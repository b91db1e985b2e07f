//! When a question is answered: what is seen of its objects goes in, what is to be told comes out. Never a clock.

use std::collections::{BTreeMap, BTreeSet};

use shared::health::Standing;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::draft::Which;

/// What is seen of one object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seen {
    pub(super) id: RowId,
    pub(super) standing: Standing,
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
        let any = |standing| seen.iter().any(|seen| seen.standing == standing);
        match which {
            Which::Any => self.look_at_each(seen, hold_ms, is_first && !is_single, now_ms),
            Which::All => {
                let standing = if seen.is_empty() || any(Standing::Not) {
                    Standing::Not
                } else if any(Standing::So) {
                    Standing::So
                } else {
                    Standing::Between
                };
                self.look_at_all(standing, hold_ms, now_ms)
            }
            Which::None => {
                let is_none = !any(Standing::So) && !any(Standing::Between);
                self.look_at_all(if is_none { Standing::So } else { Standing::Not }, hold_ms, now_ms)
            }
        }
    }

    /// `is_known`: what is so now was so before the question.
    fn look_at_each(&mut self, seen: &[Seen], hold_ms: i64, is_known: bool, now_ms: UnixMillis) -> Vec<Told> {
        let over = |seen: &&Seen| seen.standing == Standing::Not;
        let lasting: BTreeSet<RowId> = seen.iter().filter(|seen| !over(seen)).map(|seen| seen.id).collect();
        self.held.retain(|id, _| lasting.contains(id));
        let mut told = Vec::new();
        for Seen { id, standing } in seen.iter().filter(|seen| !over(seen)) {
            let id = *id;
            let held = match (standing, is_known) {
                // What is between isn't so yet, unless it was.
                (Standing::Between, false) => continue,
                _ => self.held.entry(id).or_insert(Held { since_ms: now_ms, is_told: is_known }),
            };
            if !held.is_told && now_ms.saturating_sub(held.since_ms) >= hold_ms {
                held.is_told = true;
                told.push(Some(id));
            }
        }
        told
    }

    fn look_at_all(&mut self, standing: Standing, hold_ms: i64, now_ms: UnixMillis) -> Vec<Told> {
        match standing {
            Standing::So => {}
            Standing::Between => return Vec::new(),
            Standing::Not => {
                self.together = None;
                return Vec::new();
            }
        }
        let held = self.together.get_or_insert(Held { since_ms: now_ms, is_told: false });
        let is_due = !held.is_told && now_ms.saturating_sub(held.since_ms) >= hold_ms;
        held.is_told |= is_due;
        if is_due { vec![None] } else { Vec::new() }
    }
}
