//! Lists and gets.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};

use super::body::{Answer, BodyWriter, Closed, JSON, stream_of, whole};
use super::request::{ApiRequest, ListOptions, choose};
use crate::cluster::Cluster;
use crate::json::set;
use crate::limits::CHUNK_BYTES;
use crate::opaque;
use crate::representation::Encoder;
use crate::store::{Object, Page};
use kubernetes_api::{Failure, PageToken, Representation, revision};

/// Answers a get of one object: the newest state, which must not be older than what was asked for.
pub(super) async fn get(request: &ApiRequest<'_>, wanted: Representation) -> Answer {
    let (cluster, info) = (request.cluster(), &request.info);
    wait_for(cluster, revision(&request.query, opaque::decode)?.unwrap_or_default()).await?;
    let found = cluster.state().store.get(&info.kind.group_resource(), &info.key()).cloned();
    let object = found.ok_or_else(|| Failure::not_found(&info.kind, &info.name))?;
    Ok(whole(StatusCode::OK, JSON, request.encoder(wanted).single(&object)))
}

/// Answers a list: a small one whole, with its length, a large one in chunks from a task of its own.
pub(super) async fn list(request: &ApiRequest<'_>, options: &ListOptions, wanted: Representation) -> Answer {
    let page = page(request, options).await?;
    let mut metadata = json!({"resourceVersion": page.revision.to_string()});
    if let Some((token, left)) = &page.rest {
        set(&mut metadata, &["continue"], json!(token.encode()));
        if options.labels.is_empty() && options.fields.is_empty() {
            set(&mut metadata, &["remainingItemCount"], json!(left));
        }
    }
    let bytes: usize = page.objects.iter().map(|object| object.bytes()).sum();
    if bytes < CHUNK_BYTES {
        let list = request.encoder(wanted).list(&metadata, page.objects.iter().map(AsRef::as_ref));
        return Ok(whole(StatusCode::OK, JSON, list));
    }
    let (writer, response) = stream_of(JSON);
    let (kind, now_s) = (Arc::clone(&request.info.kind), request.cluster().now_s());
    request.server.tasks.spawn(async move {
        // The task ends when the client goes away.
        let _ = send(&writer, &Encoder::new(&kind, wanted, now_s), &metadata, &page.objects).await;
    });
    Ok(response)
}

async fn page(request: &ApiRequest<'_>, options: &ListOptions) -> Result<Page, Failure> {
    let (cluster, info) = (request.cluster(), &request.info);
    let matches =
        |object: &Object| choose(options, object) && (info.name.is_empty() || object.name == info.name);
    let at = info.kind.group_resource();
    let list = |revision: Option<u64>, after: &str, limit: usize| {
        cluster.state().store.list(&at, &info.namespace, revision, after, limit, &matches)
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
        let start = token.key(&info.namespace);
        return list(revision, &start, options.limit)
            .map_err(|_| Failure::expired_continue(token.at_newest().encode()));
    }
    let found = match options.revision {
        None => list(None, "", options.limit),
        // A list at 0 may be of any age, and ignores the limit.
        Some(0) => list(None, "", 0),
        Some(asked) => {
            wait_for(cluster, asked).await?;
            // The older rule: a page at a revision without a match is of exactly that revision.
            let exact = options.exact || (options.limit > 0 && !options.not_older);
            list(exact.then_some(asked), "", options.limit)
        }
    };
    found.map_err(|_| Failure::expired_list())
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

async fn send(
    writer: &BodyWriter,
    encoder: &Encoder<'_>,
    metadata: &Value,
    objects: &[Arc<Object>],
) -> Result<(), Closed> {
    let mut chunk = encoder.list_head(metadata);
    let mut is_first = true;
    for few in objects.chunks(4) {
        encoder.list_items(&mut chunk, few.iter().map(AsRef::as_ref), is_first);
        is_first = false;
        if chunk.len() >= CHUNK_BYTES {
            writer.send(std::mem::take(&mut chunk)).await?;
            // Other requests are answered between the chunks of a long list.
            tokio::task::yield_now().await;
        }
    }
    chunk.extend_from_slice(b"]}");
    writer.send(chunk).await
}
