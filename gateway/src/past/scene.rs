//! The end of a record as a cluster that stands still: what a client of Kubernetes reads of a file that is replayed.

use history::{KindKey, Moment, PastObject};
use playground::RecordedKind;
use serde_json::Value;
use shared::cell::Cell;
use shared::frame::server::Replays;
use shared::problem::{Problem, Reason};
use shared::resource::Kind;

use super::record::{Record, unread};
use crate::feed::{Redaction, masked_again};

/// All objects of a kind as they were at the end, masked by the rules of now. `None`: nothing of the kind was recorded.
///
/// # Errors
/// The record can't be read.
pub fn of_kind(
    record: &Record,
    redaction: &Redaction,
    key: &KindKey,
    kind: &Kind,
) -> Result<Option<RecordedKind>, Problem> {
    let Some(Replays { to_ms, .. }) = record.replays() else { return Ok(None) };
    let Some(moment) = record.past().moment(key, to_ms).map_err(unread)? else { return Ok(None) };
    let Moment { columns, objects, resource_version, .. } = moment;
    let mut recorded = RecordedKind {
        kind: kind.clone(),
        revision: resource_version.as_str().parse().unwrap_or_default(),
        objects: Vec::with_capacity(objects.len()),
        columns,
    };
    for object in &objects {
        let read = of_object(redaction, (key, &recorded.columns), object);
        recorded.objects.push(read.ok_or_else(|| {
            let message = format!("a part of the record of {} is damaged", key.resource);
            Problem::new(Reason::InternalError, message)
        })?);
    }
    Ok(Some(recorded))
}

/// `None`: it can't be read any more.
fn of_object(
    redaction: &Redaction,
    (key, columns): (&KindKey, &[shared::column::Column]),
    object: &PastObject,
) -> Option<(Value, Vec<Cell>)> {
    let head = &object.head;
    let (body, mut cells) = (object.body.unpack()?, head.cells.clone());
    let body = if head.rules == redaction.digest() {
        body
    } else {
        masked_again(redaction, &key.resource, (columns, &mut cells), &body)?.0.into()
    };
    let mut object: Value = serde_json::from_slice(&body).ok()?;
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut)?;
    metadata.insert("resourceVersion".to_owned(), head.resource_version.as_str().into());
    Some((object, cells))
}
