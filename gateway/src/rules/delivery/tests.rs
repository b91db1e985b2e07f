//! Receivers that verify, hang, fail and go away.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, StatusCode};
use ring::hmac;
use serde_json::{Value, json};
use shared::resource_version::ResourceVersion;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Delivery, Ledger};
use crate::clock::gateway_ms;
use crate::limits::NOTIFICATIONS_MAX;
use crate::metrics::{ByReceiver, Metrics};
use crate::rules::group::GroupKey;
use crate::rules::notification::{FieldChange, Notification, ToldObject, Turn};
use crate::rules::outbox::{FolderOutbox, Outbox};
use crate::rules::tests::rule;
use crate::rules::{Grouping, ReceiverKind, ReceiverSettings, Rule, RulesSettings, place_of_test};

const KEY: [u8; 32] = [7; 32];

/// What a receiver does with a request.
#[derive(Clone, Copy)]
enum Mood {
    Takes,
    /// It answers this.
    Says(u16),
    /// It never answers.
    Hangs,
}

#[derive(Clone)]
struct Hook {
    moods: Arc<Mutex<Vec<Mood>>>,
    got: mpsc::UnboundedSender<(HeaderMap, Value)>,
}

/// A receiver on a port of its own. It does what these say, one after the other, and then takes everything.
async fn receiver(moods: &[Mood]) -> (SocketAddr, mpsc::UnboundedReceiver<(HeaderMap, Value)>) {
    let (got, all) = mpsc::unbounded_channel();
    let moods: Vec<Mood> = moods.iter().rev().copied().collect();
    let hook = Hook { moods: Arc::new(Mutex::new(moods)), got };
    let router = Router::new().fallback(post(answer)).with_state(hook);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, all)
}

async fn answer(State(hook): State<Hook>, headers: HeaderMap, body: Bytes) -> Response {
    if headers.contains_key("webhook-id") {
        verify(&headers, &body);
    }
    let mood = hook.moods.lock().expect("whole").pop().unwrap_or(Mood::Takes);
    drop(hook.got.send((headers, serde_json::from_slice(&body).expect("JSON"))));
    match mood {
        Mood::Takes => StatusCode::NO_CONTENT.into_response(),
        Mood::Says(status) => StatusCode::from_u16(status).expect("a status").into_response(),
        Mood::Hangs => std::future::pending().await,
    }
}

/// What it got next. `None`: nothing, for longer than any pause of the test.
async fn next(got: &mut mpsc::UnboundedReceiver<(HeaderMap, Value)>) -> Option<(HeaderMap, Value)> {
    tokio::time::timeout(std::time::Duration::from_secs(20), got.recv()).await.ok().flatten()
}

/// As the libraries of Standard Webhooks do.
fn verify(headers: &HeaderMap, body: &[u8]) {
    let of = |name: &str| headers[name].to_str().expect("a text").to_owned();
    let signed = [format!("{}.{}.", of("webhook-id"), of("webhook-timestamp")).as_bytes(), body].concat();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &KEY);
    let signatures = of("webhook-signature");
    let is_ours = signatures.split(' ').any(|signature| {
        let bytes = STANDARD.decode(signature.strip_prefix("v1,").expect("its version")).expect("base64");
        hmac::verify(&key, &signed, &bytes).is_ok()
    });
    assert!(is_ours, "{signatures}");
    let age_s = crate::clock::wall_ms() / 1_000 - of("webhook-timestamp").parse::<i64>().expect("seconds");
    assert!((0..60).contains(&age_s), "a replay is refused by its age: {age_s}");
}

fn webhook(name: &str, address: SocketAddr, folder: &Path) -> ReceiverSettings {
    let secret_file = folder.join("keys");
    // The receiver knows the second one.
    let keys = [[9; 32], KEY].map(|key| format!("whsec_{}\n", STANDARD.encode(key))).concat();
    std::fs::write(&secret_file, keys).expect("written");
    let url = format!("http://{address}/hook").parse().expect("a URL");
    let kind = ReceiverKind::Webhook { secret_file };
    ReceiverSettings { name: name.into(), kind, url, ca_file: None, token_file: None }
}

fn alertmanager(name: &str, address: SocketAddr) -> ReceiverSettings {
    let url = format!("http://{address}/api/v2/alerts").parse().expect("a URL");
    let kind = ReceiverKind::Alertmanager;
    ReceiverSettings { name: name.into(), kind, url, ca_file: None, token_file: None }
}

fn notification(number: usize, turn: Turn, receivers: &[&str]) -> Arc<Notification> {
    let of = rule("health=failing", 60, Grouping::default());
    let receivers = receivers.iter().map(|name| Box::from(*name)).collect();
    let rule = Arc::new(Rule { receivers, severity: Some("critical".into()), ..of });
    let object = ToldObject {
        namespace: Some("shop".into()),
        name: format!("pod-{number}").into(),
        uid: format!("uid-{number}").into(),
        resource_version: ResourceVersion::new("7"),
        reason: Some("CrashLoopBackOff".into()),
        changed: vec![FieldChange {
            path: "health".into(),
            before: Some(json!("fine")),
            after: Some(json!("failing")),
        }],
    };
    Arc::new(Notification {
        id: format!("msg_{number}_{}", turn.word()).into(),
        turn,
        rule,
        place: place_of_test(None),
        group: GroupKey(format!("shop/pod-{number}").into()),
        objects: vec![object],
        object_count: 1,
        since_s: 1_700_000_000,
        proven_ms: 1_700_000_060_000,
    })
}

/// Receivers, with what they are told from here.
struct Rig {
    delivery: Delivery,
    metrics: Metrics,
    until: CancellationToken,
}

impl Rig {
    fn of(receivers: Vec<ReceiverSettings>) -> Self {
        let settings = RulesSettings { rules: Vec::new(), receivers };
        let metrics = Metrics::new();
        let delivery =
            Delivery::new(&settings, "https://dogwatch.example", Ledger::default(), metrics.clone());
        let delivery = delivery.expect("receivers");
        let until = CancellationToken::new();
        tokio::spawn(delivery.clone().run(None, until.clone()));
        Self { delivery, metrics, until }
    }

    fn tell(&self, told: &Arc<Notification>) {
        self.delivery.tell(told, gateway_ms());
    }

    fn counts(&self, name: &str) -> (u64, u64, u64) {
        let label = ByReceiver { receiver: name.to_owned() };
        let of = |family: &prometheus_client::metrics::family::Family<ByReceiver, _>| {
            prometheus_client::metrics::counter::Counter::get(&*family.get_or_create(&label))
        };
        (
            of(&self.metrics.notifications_sent),
            of(&self.metrics.notification_failures),
            of(&self.metrics.notifications_lost),
        )
    }

    /// Returns when the receiver's counts are these.
    async fn until_counts(&self, name: &str, expected: (u64, u64, u64)) {
        let counted = async {
            while self.counts(name) != expected {
                tokio::task::yield_now().await;
            }
        };
        let in_time = tokio::time::timeout(std::time::Duration::from_secs(20), counted).await;
        assert!(in_time.is_ok(), "{name}: {:?} and not {expected:?}", self.counts(name));
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.until.cancel();
    }
}

#[tokio::test]
async fn a_webhook_gets_a_signed_cloud_event_and_a_failure_is_tried_again_with_the_same_id() {
    let folder = tempfile::tempdir().expect("a folder");
    let (address, mut got) = receiver(&[Mood::Says(500)]).await;
    let rig = Rig::of(vec![webhook("ops", address, folder.path())]);
    rig.tell(&notification(1, Turn::Firing, &["ops"]));
    let (first, _) = next(&mut got).await.expect("a request");
    let (second, event) = next(&mut got).await.expect("another one");
    assert_eq!(
        (&first["webhook-id"], &second["webhook-id"]),
        (&"msg_1_firing".parse().unwrap(), &"msg_1_firing".parse().unwrap())
    );
    assert_eq!(second["content-type"], "application/cloudevents+json; charset=utf-8");
    let expected = json!({
        "specversion": "1.0", "id": "msg_1_firing", "source": "https://dogwatch.example/clusters/prod",
        "type": "dev.dogwatch.rule.firing", "subject": "pods shop/pod-1", "time": "2023-11-14T22:14:20Z",
        "datacontenttype": "application/json",
        "data": {
            "rule": "r", "state": "firing", "severity": "critical", "when": "health=failing", "forSeconds": 60,
            "cluster": "prod", "kind": "pods", "group": "shop/pod-1", "since": "2023-11-14T22:13:20Z",
            "proven": "2023-11-14T22:14:20Z", "count": 1,
            "objects": [{
                "namespace": "shop", "name": "pod-1", "uid": "uid-1", "resourceVersion": "7",
                "reason": "CrashLoopBackOff",
                "changed": [{ "path": "health", "before": "fine", "after": "failing" }],
            }],
        },
    });
    assert_eq!(event, expected);
    rig.until_counts("ops", (1, 1, 0)).await;
}

#[tokio::test]
async fn a_receiver_that_hangs_fails_or_went_away_delays_no_other_and_what_it_refuses_is_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let (hangs, mut hanging) = receiver(&[Mood::Hangs; 99]).await;
    let (gone, _) = receiver(&[Mood::Says(410)]).await;
    let (works, mut working) = receiver(&[]).await;
    let nobody = TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address");
    let rig = Rig::of(vec![
        webhook("hangs", hangs, folder.path()),
        webhook("gone", gone, folder.path()),
        webhook("nobody", nobody, folder.path()),
        webhook("works", works, folder.path()),
    ]);
    for number in 0..20 {
        rig.tell(&notification(number, Turn::Firing, &["hangs", "gone", "nobody", "works"]));
    }
    next(&mut hanging).await.expect("a request that it never answers");
    let mut came = HashMap::new();
    for _ in 0..20 {
        let (headers, _) = next(&mut working).await.expect("a request");
        *came.entry(headers["webhook-id"].clone()).or_insert(0) += 1;
    }
    assert_eq!((came.len(), came.values().max()), (20, Some(&1)));
    rig.until_counts("gone", (19, 1, 1)).await;
    rig.until_counts("works", (20, 0, 0)).await;
    assert_eq!(rig.counts("hangs").0, 0);
    assert!(rig.counts("nobody").1 >= 1, "it is tried again");
}

#[tokio::test]
async fn what_a_full_queue_drops_and_what_waits_at_the_end_is_counted_as_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let (hangs, mut hanging) = receiver(&[Mood::Hangs; 9]).await;
    let rig = Rig::of(vec![webhook("hangs", hangs, folder.path())]);
    rig.tell(&notification(0, Turn::Firing, &["hangs"]));
    next(&mut hanging).await.expect("a request that it never answers");
    for number in 1..NOTIFICATIONS_MAX + 5 {
        rig.tell(&notification(number, Turn::Firing, &["hangs"]));
    }
    rig.until_counts("hangs", (0, 0, 5)).await;
    rig.until.cancel();
    rig.until_counts("hangs", (0, 0, 5 + NOTIFICATIONS_MAX as u64)).await;
}

#[tokio::test]
async fn an_alertmanager_is_told_what_fires_and_what_is_over() {
    let (address, mut got) = receiver(&[Mood::Says(503)]).await;
    let rig = Rig::of(vec![alertmanager("pager", address)]);
    rig.tell(&notification(1, Turn::Firing, &["pager"]));
    next(&mut got).await.expect("a request");
    let (_, alerts) = next(&mut got).await.expect("another one");
    let [alert] = alerts.as_array().expect("a list").as_slice() else { panic!("one: {alerts}") };
    let labels = json!({
        "alertname": "r", "cluster": "prod", "kind": "pods", "group": "shop/pod-1", "namespace": "shop",
        "severity": "critical", "source": "dogwatch",
    });
    assert_eq!((&alert["labels"], &alert["startsAt"]), (&labels, &json!("2023-11-14T22:13:20Z")));
    assert_eq!(alert["annotations"]["reason"], "CrashLoopBackOff");
    assert_eq!(alert["annotations"]["changed"], "health: \"fine\" → \"failing\"");
    rig.tell(&notification(1, Turn::Resolved, &["pager"]));
    let (_, alerts) = next(&mut got).await.expect("a request");
    assert_eq!((&alerts[0]["labels"], &alerts[0]["endsAt"]), (&labels, &json!("2023-11-14T22:14:20Z")));
}

#[tokio::test]
async fn what_waits_and_what_fires_outlives_the_gateway_in_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let (address, mut got) = receiver(&[Mood::Says(500)]).await;
    let settings =
        || RulesSettings { rules: Vec::new(), receivers: vec![webhook("ops", address, folder.path())] };
    let begin = |metrics: &Metrics| {
        let outbox = FolderOutbox::open(folder.path()).expect("it opens");
        let until = CancellationToken::new();
        let delivery = Delivery::new(&settings(), "https://d.example", Ledger::kept(), metrics.clone());
        let delivery = delivery.expect("receivers");
        let running = tokio::spawn(delivery.clone().run(Some(Box::new(outbox)), until.clone()));
        (delivery, until, running)
    };
    let metrics = Metrics::new();
    let (delivery, until, running) = begin(&metrics);
    delivery.tell(&notification(1, Turn::Firing, &["ops"]), gateway_ms());
    delivery.tell(&notification(2, Turn::Happened, &["ops"]), gateway_ms());
    next(&mut got).await.expect("a request that it doesn't take");
    until.cancel();
    running.await.expect("it ends");
    let mut kept = FolderOutbox::open(folder.path()).expect("it opens");
    let firing = kept.firing().expect("read");
    assert_eq!((firing.len(), &*firing[0].uid, &*firing[0].key.group), (1, "uid-1", "shop/pod-1"));
    let (delivery, until, running) = begin(&metrics);
    let mut came = std::collections::BTreeSet::new();
    while came.len() < 2 {
        let (headers, _) = next(&mut got).await.expect("a request");
        came.insert(headers["webhook-id"].to_str().expect("a text").to_owned());
    }
    assert_eq!(came.into_iter().collect::<Vec<_>>(), ["msg_1_firing", "msg_2_happened"]);
    delivery.tell(&notification(1, Turn::Resolved, &["ops"]), gateway_ms());
    let (headers, _) = next(&mut got).await.expect("a request");
    assert_eq!(headers["webhook-id"], "msg_1_resolved");
    while metrics.notifications_sent.get_or_create(&ByReceiver { receiver: "ops".into() }).get() < 3 {
        tokio::task::yield_now().await;
    }
    until.cancel();
    running.await.expect("it ends");
    let mut kept = FolderOutbox::open(folder.path()).expect("it opens");
    assert!(kept.firing().expect("read").is_empty() && kept.waiting().expect("read").is_empty());
}
