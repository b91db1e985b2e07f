//! The recorded versions of a kind since a time, in their order: what a stream tells before the present. One question reads
//! so many, and the next goes on after them, so no answer is large and no reader holds the record up.

use history::{Head, KindKey, PastChange, PastState, PastVersion, Standing};
use shared::frame::client::{ChangesAsked, ChangesEnd};
use shared::frame::server::{Changed, Changes};
use shared::frame::timeline::EntryType;
use shared::past::{Unrecorded, Why};
use shared::problem::{Problem, Reason};
use shared::row::{Row, WholeObject};
use shared::state::UnixMillis;

use super::record::{Record, unread};
use super::sees::{NamespaceRows, Sees};
use crate::clock::gateway_ms;
use crate::cluster::Cluster;
use crate::feed::labels::Labels;
use crate::feed::masked_again;
use crate::feed::masks::Masks;
use crate::limits::{CHANGES_BYTES_MAX, CHANGES_READ_MAX, RECORD_PROOF_MS};

/// Numbers say what was told already. Times only find the place, and those of two clocks may differ by this.
const CLOCKS_MS: i64 = 60_000;

/// What the versions of one answer are read for.
struct Asked<'a> {
    record: &'a Record,
    key: &'a KindKey,
    sees: &'a Sees,
    rows: NamespaceRows,
    objects: bool,
}

/// The versions since a time, or those after an answer before. All that hubs had heard is among them, if there is no more.
///
/// # Errors
/// The kind isn't recorded, or the record can't be read.
pub fn changes(
    record: &Record,
    cluster: &Cluster,
    sees: &Sees,
    asked: ChangesAsked,
) -> Result<Changes, Problem> {
    let key = record.key(cluster, &sees.request.scope.resource);
    if let (false, Some(problem)) = (record.settings().names(&key.resource), record.why_not(&key)) {
        return Err(problem);
    }
    let ChangesAsked { since_ms, from, objects } = asked;
    let from_ms = from.map_or(since_ms, |from| since_ms.max(from.to_ms.saturating_sub(CLOCKS_MS)));
    let from = from.unwrap_or(ChangesEnd { to_ms: since_ms, number: 0 });
    let read = || {
        let time = (from_ms, UnixMillis::MAX);
        record.past().changes(&key, time, from.number, CHANGES_READ_MAX).map_err(unread)
    };
    let mut found = read()?;
    let now_ms = gateway_ms();
    if found.len() < CHANGES_READ_MAX {
        // What waits for its commit belongs to it.
        record.commit();
        found = read()?;
    }
    let asked = Asked { record, key: &key, sees, rows: record.rows_for(cluster, sees)?, objects };
    let columns = found.first().map(|first| first.columns.clone()).unwrap_or_default();
    let (mut changes, mut bytes, mut end) = (Vec::new(), 0, from);
    let mut more = found.len() == CHANGES_READ_MAX;
    for change in found {
        if change.columns != columns || bytes >= CHANGES_BYTES_MAX {
            more = true;
            break;
        }
        end = ChangesEnd { to_ms: end.to_ms.max(change.version.at_ms), number: change.version.number };
        if let PastState::There { body, head } = &change.version.state {
            bytes += if objects { body.len() } else { 64 + 16 * head.cells.len() };
        }
        changes.extend(asked.changed(&change)?);
    }
    let extent = record.past().extent(&key).map_err(unread)?;
    let since = extent.as_ref().map(|extent| extent.from_ms);
    let before = since.map(|to_ms| Unrecorded { from_ms: since_ms, to_ms, why: why_unrecorded(record) });
    let still = still(record, since_ms, extent.as_ref().map(|extent| extent.to_ms), now_ms);
    let gaps = before.into_iter().chain(extent.map(|extent| extent.unrecorded).unwrap_or_default());
    // A list that ends a time without a record tells of it before that time is over.
    let is_told = |gap: &Unrecorded| gap.to_ms > from.to_ms && (!more || gap.from_ms < end.to_ms);
    let unrecorded: Vec<Unrecorded> = gaps.filter(is_told).collect();
    // What ended before this answer was told with the one before.
    let until_ms = if more { end.to_ms.saturating_add(1) } else { UnixMillis::MAX };
    let removed = record.removed_in(sees, &key, (from.to_ms, until_ms))?;
    if let (false, Some(last_ms)) = (more, unrecorded.iter().map(|gap| gap.to_ms).max()) {
        end.to_ms = end.to_ms.max(last_ms);
    }
    Ok(Changes {
        columns: columns.to_vec(),
        changes,
        end,
        more,
        since_ms: since,
        unrecorded,
        still: still.filter(|_| !more),
        removed,
        now_ms,
    })
}

/// Why there is no record of a time in which it was to be had.
fn why_unrecorded(record: &Record) -> Why {
    match record.replays() {
        Some(_) => Why::NotInFile,
        None if record.settings().keeps() => Why::Down,
        None => Why::NoViewers,
    }
}

/// The time until now of which nothing is recorded.
fn still(
    record: &Record,
    since_ms: UnixMillis,
    recorded_ms: Option<UnixMillis>,
    now_ms: UnixMillis,
) -> Option<Unrecorded> {
    let standing = record.standing();
    let (from_ms, why) = match (standing, recorded_ms) {
        (Standing::Stopped { since_ms, why, .. }, _) => (since_ms, Why::Failed(why)),
        (Standing::Recording, None) => (since_ms, why_unrecorded(record)),
        // A file that is replayed has no present.
        (Standing::Recording, Some(_)) if record.replays().is_some() => return None,
        (Standing::Recording, Some(last_ms)) if now_ms - last_ms > RECORD_PROOF_MS => {
            (last_ms, why_unrecorded(record))
        }
        (Standing::Recording, Some(_)) => return None,
    };
    Some(Unrecorded { from_ms: from_ms.max(since_ms), to_ms: now_ms, why })
}

impl Asked<'_> {
    /// What a viewer is told of a version. `None`: the object wasn't selected before, and isn't now.
    fn changed(&self, change: &PastChange) -> Result<Option<Changed>, Problem> {
        let PastChange { version, before, .. } = change;
        let was_shown = before.as_ref().filter(|before| self.shows(version, before));
        let (now, relisted) = match &version.state {
            PastState::Damaged => {
                let message = "a part of the record of this time is damaged; ask for a later time";
                return Err(Problem::new(Reason::InternalError, message));
            }
            PastState::There { head, body } => {
                (Some((head, body)).filter(|(head, _)| self.shows(version, head)), head.relisted)
            }
            PastState::Deleted { relisted } => (None, *relisted),
        };
        let (kind, row, masked) = match (now, was_shown) {
            (None, None) => return Ok(None),
            (Some((head, body)), before) => {
                let kind = if before.is_some() { EntryType::Modified } else { EntryType::Added };
                let masked = before.is_some_and(|before| changed_behind_mask(before, head));
                (kind, self.row(change, head, Some(body.clone())), masked)
            }
            (None, Some(before)) => {
                let row = self.row(change, before, self.body_before(version, before)?);
                (EntryType::Deleted, row, false)
            }
        };
        let skipped = version.skipped;
        Ok(Some(Changed { masked, skipped, relisted, ..Changed::of(kind, version.at_ms, row) }))
    }

    /// The object before a version, where its row depends on it.
    fn body_before(&self, version: &PastVersion, before: &Head) -> Result<Option<Vec<u8>>, Problem> {
        if !self.objects && before.rules == self.sees.redaction.digest() {
            return Ok(None);
        }
        let versions =
            self.record.past().versions(self.key, version.row, version.number, 1).map_err(unread)?;
        Ok(versions.into_iter().find_map(|version| match version.state {
            PastState::There { body, .. } => Some(body),
            PastState::Deleted { .. } | PastState::Damaged => None,
        }))
    }

    fn shows(&self, version: &PastVersion, head: &Head) -> bool {
        let labels = Labels::of_packed(&head.labels);
        self.sees.shows(&self.rows, (&head.row(version.row), &labels), version.namespace_row)
    }

    /// A row with what may be shown of it now, and with the version of the change.
    fn row(&self, change: &PastChange, head: &Head, body: Option<Vec<u8>>) -> Row {
        let mut row = head.row(change.version.row);
        if !change.version.resource_version.is_empty() {
            row.resource_version = change.version.resource_version.clone();
        }
        let redaction = &self.sees.redaction;
        let body = if head.rules == redaction.digest() {
            body
        } else {
            let cells = (&*change.columns, &mut row.cells[..]);
            let again = body.and_then(|body| masked_again(redaction, &self.key.resource, cells, &body));
            if again.is_none() {
                // What can't be masked again isn't shown.
                row.cells.clear();
            }
            again.map(|(body, _)| body.to_vec())
        };
        if self.objects {
            row.extra.get_or_insert_default().object = body.and_then(WholeObject::from_json);
        }
        row
    }
}

/// Whether what two versions hide differs. What two runs hid can't be compared.
fn changed_behind_mask(before: &Head, now: &Head) -> bool {
    let is_comparable = before.run == now.run || before.masks.is_empty() || now.masks.is_empty();
    is_comparable && !Masks::of_parts(&before.masks).hide_the_same_as(&Masks::of_parts(&now.masks))
}
