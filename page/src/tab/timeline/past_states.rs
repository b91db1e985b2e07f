//! How an object stood until a time of the past, from its recorded versions. Where nothing is recorded, the strip is hatched.

use serde_json::Value;
use shared::frame::timeline::{Entry, EntryType};
use shared::health::HealthClass;
use shared::state::UnixMillis;

use super::recorded::RecordedVersions;
use super::status_history::{StatusHistory, StatusHistoryModel, short};
use super::words;
use crate::cells;
use crate::panel::object::ShownObject;
use crate::status::Class;

/// The strip over the timeline of a panel of the past. `None`: nothing is recorded of the object until then.
pub(super) fn model(recorded: &RecordedVersions, shown: ShownObject<'_>) -> Option<StatusHistoryModel> {
    let (client, at_ms, value) = (shown.client, shown.object.at_ms?, shown.object.value.as_deref()?);
    let until: Vec<&Entry> = recorded.until(at_ms).collect();
    let first_ms = until.first()?.time_ms;
    let begin_ms = begin_ms(first_ms, recorded.has_more(), recorded.since_ms(), value);
    let mut history = StatusHistory::new(client.local_ms(begin_ms));
    for entry in until {
        let is_there = entry.kind != EntryType::Deleted;
        // What it was when the record began is the first thing that is known.
        let from_ms = if entry.time_ms == first_ms { begin_ms.max(first_ms) } else { entry.time_ms };
        history.sample(is_there.then(|| state(entry)), client.local_ms(from_ms));
    }
    for (_, gap) in recorded.gaps().filter(|(_, gap)| gap.from_ms < at_ms) {
        history.blind(client.local_ms(gap.from_ms), client.local_ms(gap.to_ms.min(at_ms)));
    }
    let changes = recorded.until(at_ms).map(|entry| client.local_ms(entry.time_ms));
    history.drawn(changes, shown.now.ms, shown.now.zone)
}

/// Where the strip begins: with the object, with the record, or with the oldest version that is here.
fn begin_ms(
    first_ms: UnixMillis,
    has_more: bool,
    since_ms: Option<UnixMillis>,
    object: &Value,
) -> UnixMillis {
    let made_ms = crate::detail::created(object).map(|at| at.saturating_mul(1_000));
    match since_ms.filter(|_| !has_more) {
        Some(since_ms) => since_ms.max(made_ms.unwrap_or(since_ms)).min(first_ms),
        None => first_ms,
    }
}

/// What is wrong, or else what it is.
fn state(entry: &Entry) -> (String, Class) {
    let Some(health) = &entry.health else { return (words::FINE.to_owned(), Class::Ok) };
    let (word, class) = match health.class {
        HealthClass::Failing => (words::FAILING, Class::Bad),
        HealthClass::NotReady => (words::NOT_READY, Class::Warn),
        HealthClass::Changing => (words::CHANGING, Class::Busy),
        HealthClass::Unknown => (words::UNKNOWN, Class::Idle),
        HealthClass::Fine => (words::FINE, Class::Ok),
    };
    (short(&health.reason).map_or_else(|| word.to_owned(), |short| cells::shown(short).into_owned()), class)
}
