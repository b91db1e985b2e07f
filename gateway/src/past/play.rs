//! A feed as of a time: the objects as the record has them, told as a list that is complete. Nothing follows.

use std::sync::Arc;

use history::{KindKey, Moment, PastObject};
use shared::past::{PastState, Removed};
use shared::problem::{Problem, Reason};
use shared::state::{StateReport, UnixMillis, ViewState};

use super::record::{Record, unread};
use super::sees::{NamespaceRows, is_of_same_namespace};
use crate::clock::gateway_ms;
use crate::feed::labels::Labels;
use crate::feed::{Change, FeedOutput, Managed, Object, ObjectBody, masked_again};
use crate::hub::PastFeed;

/// Until it is cancelled.
pub(super) async fn play(record: Arc<Record>, past: PastFeed) {
    let past = Arc::new(past);
    let read = {
        let past = Arc::clone(&past);
        tokio::task::spawn_blocking(move || read(&record, &past))
    };
    let read = read.await.unwrap_or_else(|_| {
        Err(Problem::new(Reason::InternalError, "the record couldn't be read; see the gateway's log"))
    });
    let outputs = read.unwrap_or_else(|problem| {
        let report = StateReport::of(ViewState::Failed { since_ms: gateway_ms() });
        vec![FeedOutput::State(report.because(problem))]
    });
    let told = async {
        for output in outputs {
            if past.outputs.send(output).await.is_err() {
                return;
            }
        }
        // The hub lives until its viewers have left.
        past.cancel.cancelled().await;
    };
    tokio::select! {
        () = told => {}
        () = past.cancel.cancelled() => {}
    }
}

fn read(record: &Record, past: &PastFeed) -> Result<Vec<FeedOutput>, Problem> {
    let PastFeed { key, as_of, cluster, .. } = past;
    let of = record.key(cluster, &key.resource);
    let moment = record.past().moment(&of, as_of.at_ms).map_err(unread)?;
    let removed = removed_at(record, past, &of)?;
    let Some(moment) = moment else {
        if removed.is_some() {
            let message = format!("what was recorded of {} of that time was removed since", key.resource);
            return Err(Problem::new(Reason::NotFound, message));
        }
        let message = match record.past().extent(&of).map_err(unread)? {
            Some(_) => format!("nothing of {} was recorded before that time", key.resource),
            None => match record.why_not(&of) {
                Some(Problem { message, .. }) => message,
                None => format!("nothing of {} is recorded yet", key.resource),
            },
        };
        return Err(Problem::new(Reason::NotFound, message));
    };
    let since_ms =
        record.past().extent(&of).map_err(unread)?.map_or(UnixMillis::MAX, |extent| extent.from_ms);
    let is_of_whole_cluster = as_of.is_of_whole_cluster;
    let rows = if is_of_whole_cluster { NamespaceRows::new() } else { record.namespace_rows(cluster)? };
    let state = PastState {
        at_ms: as_of.at_ms,
        recorded_ms: moment.recorded_ms,
        changed_ms: moment.changed_ms,
        // The first list of a kind is no step.
        before_ms: moment.before_ms.filter(|before_ms| *before_ms >= since_ms),
        after_ms: moment.after_ms,
        unrecorded: moment.unrecorded.clone(),
        removed: removed.map(Box::new),
    };
    let Moment { columns, objects, resource_version, .. } = moment;
    let mut outputs = Vec::with_capacity(objects.len() + 4);
    outputs.push(FeedOutput::Change(Change::Columns(Arc::clone(&columns))));
    outputs.push(FeedOutput::Change(Change::ListStart));
    let ceiling = cluster.ceiling();
    for object in objects {
        let (namespace, name) = (object.head.namespace.as_deref(), &*object.head.name);
        let is_shown = ceiling.shows_object(&key.resource, namespace, name)
            && (is_of_whole_cluster || is_of_same_namespace(&rows, namespace, object.namespace_row));
        if !is_shown {
            continue;
        }
        let object = object_of(record, past, &columns, &object).ok_or_else(|| {
            Problem::new(Reason::InternalError, "a part of the record of this time is damaged")
        })?;
        outputs.push(FeedOutput::Change(Change::Listed(object)));
    }
    outputs.push(FeedOutput::Change(Change::ListEnd { resource_version, gap: None }));
    outputs.push(FeedOutput::State(StateReport::of(ViewState::Past(Box::new(state)))));
    Ok(outputs)
}

/// What was removed last of what was recorded of the time. A namespace is named to those alone who may list the whole cluster:
/// all others read one feed.
fn removed_at(record: &Record, past: &PastFeed, of: &KindKey) -> Result<Option<Removed>, Problem> {
    let at_ms = past.as_of.at_ms;
    let removed = record.past().removed(of).map_err(unread)?;
    let last = removed.into_iter().rfind(|removed| removed.from_ms <= at_ms && at_ms < removed.to_ms);
    let (is_of_whole_cluster, ceiling) = (past.as_of.is_of_whole_cluster, past.cluster.ceiling());
    Ok(last.map(|mut last| {
        last.namespace.take_if(|name| !is_of_whole_cluster || !ceiling.shows_namespace(name));
        last
    }))
}

/// `None`: it can't be read any more.
fn object_of(
    record: &Record,
    past: &PastFeed,
    columns: &[shared::column::Column],
    object: &PastObject,
) -> Option<Object> {
    let head = &object.head;
    let mut row = head.row(object.row);
    let (body, masks) = if head.rules == past.redaction.digest() {
        (ObjectBody::Kept(Arc::clone(&object.body)), record.masks(head))
    } else {
        let body = object.body.unpack()?;
        let (body, masks) =
            masked_again(&past.redaction, &past.key.resource, (columns, &mut row.cells), &body)?;
        (body.into(), masks)
    };
    let labels = Labels::of_packed(&head.labels);
    Some(Object { row, labels, body, masks, managed: Managed::default(), verdict: None })
}
