//! Lists and gets.

use std::sync::Arc;
use std::time::Duration;

use http::{Response, StatusCode};
use serde_json::{Map, Value, json};

use super::Server;
use super::body::{Body, JSON, Outlet, Slow, refusal, stream_of, whole};
use super::request::{ListOptions, Place, Query, revision};
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::limits::CHUNK_BYTES;
use crate::shape::{Press, Shape, possible};
use crate::store::{Object, Page, PageToken, key_of};

/// Answers a get of one object: the newest state, which must not be older than what was asked for.
pub(super) async fn get(cluster: &Cluster, place: &Place, query: &Query, shape: Shape) -> Response<Body> {
    let waited = match revision(query) {
        Ok(asked) => wait_for(cluster, asked.unwrap_or_default()).await,
        Err(failure) => Err(failure),
    };
    if let Err(failure) = waited {
        return refusal(&failure);
    }
    let found = cluster
        .state()
        .store
        .get(&place.kind.group_resource(), &key_of(&place.namespace, &place.name))
        .cloned();
    match found {
        Some(object) => {
            let press =
                Press { kind: &place.kind, shape: possible(shape, &place.kind), now_s: cluster.now_s() };
            whole(StatusCode::OK, JSON, press.single(&object))
        }
        None => refusal(&Failure::not_found(&place.kind, &place.name)),
    }
}

/// Answers a list.
pub(super) async fn list(
    server: &Server,
    place: &Place,
    options: &ListOptions,
    shape: Shape,
    slow: Option<Slow>,
) -> Response<Body> {
    match page(&server.cluster, place, options).await {
        Ok(page) => print(server, place, options, shape, page, slow),
        Err(failure) => refusal(&failure),
    }
}

async fn page(cluster: &Cluster, place: &Place, options: &ListOptions) -> Result<Page, Failure> {
    let matches = |object: &Object| {
        options.labels.matches(|key| object.labels.get(key).map(String::as_str))
            && options.fields.matches(object)
            && (place.name.is_empty() || object.name == place.name)
    };
    let at = place.kind.group_resource();
    let list = |revision: Option<u64>, after: &str, limit: usize| {
        cluster.state().store.list(&at, &place.namespace, revision, after, limit, &matches)
    };
    if !options.page.is_empty() {
        let token = PageToken::decode(&options.page).map_err(|why| {
            Failure::bad_request(format!("invalid continue token: continue key is not valid: {why}"))
        })?;
        if options.revision.is_some_and(|revision| revision > 0) {
            return Err(Failure::bad_request(
                "specifying resource version is not allowed when using continue",
            ));
        }
        // A negative revision is the offer of an inconsistent continuation.
        let revision = u64::try_from(token.rv).ok();
        wait_for(cluster, revision.unwrap_or_default()).await?;
        let start = token.key(&place.namespace);
        return list(revision, &start, options.limit)
            .map_err(|_| Failure::expired_continue(token.at_newest().encode()));
    }
    match options.revision {
        None => list(None, "", options.limit).map_err(|_| Failure::expired_list()),
        // Any age will do, and the limit is ignored.
        Some(0) => list(None, "", 0).map_err(|_| Failure::expired_list()),
        Some(asked) => {
            wait_for(cluster, asked).await?;
            // The older rule: a page at a revision without a match is meant exactly.
            let exact = options.exact || (options.limit > 0 && !options.not_older);
            list(exact.then_some(asked), "", options.limit).map_err(|_| Failure::expired_list())
        }
    }
}

/// Waits for a revision that isn't there yet, for as long as the real server does.
pub(super) async fn wait_for(cluster: &Cluster, revision: u64) -> Result<(), Failure> {
    let mut moved = cluster.moved();
    let deadline = tokio::time::Instant::now() + cluster.options.future_list_wait;
    loop {
        let current = cluster.state().store.revision();
        if current >= revision {
            return Ok(());
        }
        tokio::select! {
            _ = moved.changed() => {}
            () = tokio::time::sleep_until(deadline) => {
                return Err(Failure::future_revision(revision, current));
            }
        }
    }
}

fn print(
    server: &Server,
    place: &Place,
    options: &ListOptions,
    shape: Shape,
    page: Page,
    slow: Option<Slow>,
) -> Response<Body> {
    let mut metadata = Map::new();
    metadata.insert("resourceVersion".to_owned(), json!(page.revision.to_string()));
    if let Some((token, left)) = &page.rest {
        metadata.insert("continue".to_owned(), json!(token.encode()));
        if options.labels.is_empty() && options.fields.is_empty() {
            metadata.insert("remainingItemCount".to_owned(), json!(left));
        }
    }
    let shape = possible(shape, &place.kind);
    let kind = Arc::clone(&place.kind);
    let now_s = server.cluster.now_s();
    let press = Press { kind: &kind, shape, now_s };
    let head = press.list_head(&Value::Object(metadata));
    // A small list goes out whole, with its length.
    let bytes: usize = page.objects.iter().map(|object| object.bytes()).sum();
    if bytes < CHUNK_BYTES && slow.is_none() {
        let mut all = head;
        items(&press, &mut all, &page.objects, true);
        all.extend_from_slice(b"]}");
        return whole(StatusCode::OK, JSON, all);
    }
    let (outlet, response) = stream_of(JSON, slow);
    server.tasks.spawn(async move {
        let press = Press { kind: &kind, shape, now_s };
        // A reader that goes away ends the task with it.
        let _ = send(&outlet, &press, head, &page.objects).await;
    });
    response
}

async fn send(
    outlet: &Outlet,
    press: &Press<'_>,
    head: Vec<u8>,
    objects: &[Arc<Object>],
) -> Result<(), super::body::Closed> {
    let mut chunk = head;
    let mut is_first = true;
    for few in objects.chunks(4) {
        items(press, &mut chunk, few, is_first);
        is_first = false;
        if chunk.len() >= CHUNK_BYTES {
            outlet.send(std::mem::take(&mut chunk)).await?;
            // Long lists are printed between other people's requests.
            tokio::task::yield_now().await;
        }
    }
    chunk.extend_from_slice(b"]}");
    outlet.send(chunk).await
}

pub(super) fn items(press: &Press<'_>, into: &mut Vec<u8>, objects: &[Arc<Object>], is_first: bool) {
    for (at, object) in objects.iter().enumerate() {
        if at > 0 || !is_first {
            into.push(b',');
        }
        press.list_item(into, object);
    }
}

/// The pause of a fault as a duration.
pub(super) fn slow_of(chunk_bytes: usize, pause_ms: u64) -> Slow {
    Slow { chunk_bytes, pause: Duration::from_millis(pause_ms) }
}
