//! What `/metrics` says of feeds and viewers, each number moved by a fault that the playground makes.

use gateway::metrics::{Answered, ByResource, ByResult, ByResume, Resume};
use playground::{Fault, Options, Rule};
use serde_json::{Value, json};
use shared::frame::server::{ServerFrame, Subscribed, Sync};

use crate::over_channels::{Client, Gateway};

const PODS: &str = "pods";

fn asked(gateway: &Gateway, is_watch: bool, result: Answered) -> u64 {
    let metrics = &gateway.context.metrics;
    let family = if is_watch { &metrics.upstream_watches } else { &metrics.upstream_lists };
    family.get_or_create(&ByResult { resource: PODS.to_owned(), result }).get()
}

fn gaps(gateway: &Gateway) -> u64 {
    gateway.context.metrics.gaps.get_or_create(&ByResource { resource: PODS.to_owned() }).get()
}

fn resumes(gateway: &Gateway, result: Resume) -> u64 {
    gateway.context.metrics.resumes.get_or_create(&ByResume { result }).get()
}

/// Subscribes to pods with a token, and reads up to the first `sync`.
async fn subscribed(client: &mut Client, id: u64, token: Option<Value>) -> (Box<Subscribed>, Sync) {
    let resource = json!({ "group": "", "version": "v1", "resource": PODS });
    client.say(&json!({ "subscribe": { "id": id, "scope": { "resource": resource }, "token": token } }));
    // The columns come with the answer that follows the first list.
    let answer = client
        .until(|frame| match frame {
            ServerFrame::Subscribed(answer) if !answer.columns.is_empty() => Some(answer),
            _ => None,
        })
        .await;
    let sync = client
        .until(|frame| match frame {
            ServerFrame::Sync(sync) => Some(sync),
            _ => None,
        })
        .await;
    (answer, sync)
}

#[tokio::test]
async fn lists_watches_gaps_resumes_and_wrong_digests_are_counted() {
    let gateway = Gateway::start(Options::quiet()).await;
    let mut client = gateway.client().await;
    let (answer, sync) = subscribed(&mut client, 1, None).await;
    assert_eq!(
        (asked(&gateway, true, Answered::ok), asked(&gateway, false, Answered::ok)),
        (1, 0),
        "a WatchList"
    );

    // The watch breaks, and its place in the history is gone: what happened meanwhile is unknown.
    gateway.playground.fault(Rule::new(Fault::WatchListRefused).resource(PODS)).expect("room");
    gateway
        .playground
        .fault(Rule::new(Fault::GoneStatus).resource(PODS).verb("watch").times(1))
        .expect("room");
    gateway.playground.cut_watches(Some(PODS));
    let is_gap = |frame| matches!(frame, ServerFrame::Rows(rows) if rows.gap.is_some()).then_some(());
    client.until(is_gap).await;
    assert_eq!(gaps(&gateway), 1);
    assert!(asked(&gateway, true, Answered::refused) >= 1, "410, and perhaps 422 for the WatchList");
    assert_eq!(asked(&gateway, false, Answered::ok), 1, "it was listed anew");
    assert_eq!(asked(&gateway, false, Answered::no_answer), 0);

    // Two viewers come back: the first with the epoch of this hub, the second with an unknown one.
    let token = |epoch: &str| {
        json!({
            "cluster": answer.cluster, "columns": answer.columns_hash, "epoch": epoch,
            "sequence": sync.at.to_string(), "resource_version": sync.resource_version,
        })
    };
    assert_eq!((resumes(&gateway, Resume::continued), resumes(&gateway, Resume::anew)), (0, 0));
    subscribed(&mut client, 2, Some(token(&answer.epoch))).await;
    assert_eq!((resumes(&gateway, Resume::continued), resumes(&gateway, Resume::anew)), (1, 0));
    subscribed(&mut client, 3, Some(token("another"))).await;
    assert_eq!((resumes(&gateway, Resume::continued), resumes(&gateway, Resume::anew)), (1, 1));

    client.say(&json!({ "unsubscribe": { "id": 2 } }));
    client.say(&json!({ "unsubscribe": { "id": 3, "differed": true } }));
    client.say(&json!({ "ping": { "n": 1 } }));
    client.until(|frame| matches!(frame, ServerFrame::Pong(_)).then_some(())).await;
    assert_eq!(gateway.context.metrics.digest_mismatches.get(), 1);
}
