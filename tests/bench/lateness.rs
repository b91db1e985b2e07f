//! Which frames came late, counted by what they cover, because a clock would say more of the machine than of the
//! gateway.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// `readers`: `from` and `to` of each frame of each of them. A frame that covers several ticks came late by all of them
/// but one. A tick counts if at least one reader got a frame that ends with it.
pub(crate) fn of<'a>(readers: impl Iterator<Item = &'a [(u64, u64)]> + Clone) -> Value {
    let ticks: BTreeSet<u64> = readers.clone().flatten().map(|range| range.1).collect();
    let mut late = [0_u64; 3];
    let mut latest = 0;
    for (from, to) in readers.flatten() {
        let by = ticks.range(from + 1..=*to).count().saturating_sub(1);
        late[by.min(2)] += 1;
        latest = latest.max(by);
    }
    json!({ "ticks": ticks.len(), "in_time": late[0], "late_by_one": late[1], "later": late[2], "latest": latest })
}
