//! Whole objects from the record: one version of an object, and the last one of an object that may be gone.

use history::{PastState, PastVersion};
use shared::frame::server::RecordedVersion;
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use shared::row::RowId;

use super::record::{ReadVersion, Record, unread};
use super::sees::Sees;
use crate::cluster::Cluster;
use crate::feed::masks::unmarked;
use crate::limits::{HISTORY_ENTRIES_MAX, HISTORY_LOOKED_MAX};

/// The version of an object that has this resourceVersion.
///
/// # Errors
/// The version isn't kept, may not be seen, or can't be read.
pub fn version(
    record: &Record,
    cluster: &Cluster,
    sees: &Sees,
    row: RowId,
    wanted: &ResourceVersion,
) -> Result<RecordedVersion, Problem> {
    let key = record.key(cluster, &sees.request.scope.resource);
    let (mut before, mut looked) = (i64::MAX, 0);
    while looked < HISTORY_LOOKED_MAX {
        let versions = record.past().versions(&key, row, before, HISTORY_ENTRIES_MAX).map_err(unread)?;
        let is_it = |version: &&PastVersion| {
            version.resource_version == *wanted && matches!(version.state, PastState::There { .. })
        };
        if let Some(found) = versions.iter().find(is_it) {
            return whole(record, cluster, sees, found, None)?.ok_or_else(not_kept);
        }
        let Some(last) = versions.last() else { break };
        (before, looked) = (last.number, looked + versions.len());
    }
    Err(not_kept())
}

/// The last version of the object that had the name of the scope last.
///
/// # Errors
/// Nothing of that name is recorded, or may be seen, or it can't be read.
pub fn last(record: &Record, cluster: &Cluster, sees: &Sees) -> Result<RecordedVersion, Problem> {
    let scope = &sees.request.scope;
    let key = record.key(cluster, &scope.resource);
    let nothing = || Problem::new(Reason::NotFound, "nothing of that name is recorded");
    let name = scope.name.as_ref().ok_or_else(nothing)?;
    let namespace = scope.namespaces.only().map(|namespace| namespace.as_str());
    let row = record.past().named(&key, namespace, name.as_str()).map_err(unread)?.ok_or_else(nothing)?;
    let versions = record.past().versions(&key, row, i64::MAX, 2).map_err(unread)?;
    let (deleted, last) = match &versions[..] {
        [deleted, last, ..] if matches!(deleted.state, PastState::Deleted { .. }) => (Some(deleted), last),
        [last, ..] => (None, last),
        [] => return Err(nothing()),
    };
    whole(record, cluster, sees, last, deleted)?.ok_or_else(nothing)
}

/// `None`: it may not be seen, or is damaged.
fn whole(
    record: &Record,
    cluster: &Cluster,
    sees: &Sees,
    version: &PastVersion,
    deleted: Option<&PastVersion>,
) -> Result<Option<RecordedVersion>, Problem> {
    let key = record.key(cluster, &sees.request.scope.resource);
    let ReadVersion { row, labels, object, .. } = record.read_version(&sees.redaction, &key, version);
    let (Some(row), Some(object)) = (row, object) else { return Ok(None) };
    let rows = record.rows_for(cluster, sees)?;
    if !sees.shows(&rows, (&row, &labels), version.namespace_row) {
        return Ok(None);
    }
    let relisted = |version: &PastVersion| matches!(version.state, PastState::Deleted { relisted: true });
    Ok(Some(RecordedVersion {
        row: row.id,
        time_ms: version.at_ms,
        deleted_ms: deleted.map(|deleted| deleted.at_ms),
        relisted: deleted.is_some_and(relisted),
        object: unmarked(&object),
    }))
}

fn not_kept() -> Problem {
    Problem::new(
        Reason::NotFound,
        "that version isn't kept: only its changes were recorded, or nothing of it",
    )
}
