//! What clients of the Kubernetes API may send, as well and as badly as they can: the gateway answers as the API server
//! behind it does, asks it nothing that it shouldn't, and no other client notices.

use std::io::Read;

use conformance::{Answer, Api};
use flate2::read::GzDecoder;
use futures_util::future::join_all;
use http::Method;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
use http_body_util::BodyExt;
use playground::{Fault, Rule};
use serde_json::{Value, json};

use crate::api_rights::Rig;

/// The token of an account that may read everything.
const ADMIN: &str = "token-of-the-gateway";

/// What would change a path if it weren't encoded, encoded and as far as a path can have it as it is.
const TRAVERSAL: &[&str] = &[
    "a%2Fsecrets%2Fb%3Fx=",
    "..",
    ".",
    "%2e%2e",
    "%2E",
    "%2f",
    "%252f",
    "a%2fb",
    "%23",
    "%3F",
    "a%3Fb",
    "a%23b",
    "%00",
    "a%00b",
    "%C3%BC",
    "a%20b",
    "a%0Ab",
    "a%5Cb",
    "%ff",
    "..%2f..%2fapi%2fv1%2fsecrets",
];

/// Where they stand.
const PLACES: &[&str] = &[
    "/api/v1/namespaces/{}/pods",
    "/api/v1/namespaces/shop/pods/{}",
    "/api/v1/namespaces/shop/{}",
    "/api/v1/{}",
    "/api/{}/pods",
    "/apis/apps/{}/deployments",
    "/apis/{}/v1/deployments",
    "/{}/v1/pods",
];

fn both(rig: &Rig) -> (Api, Api) {
    let direct = Api::new(rig.playground.url().trim_end_matches('/'), Some(ADMIN));
    (direct, rig.api.with_token(Some(ADMIN)))
}

fn refusal(answer: &Answer) -> (u16, String) {
    (answer.code, answer.text_at("/message").to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn r_authz_11_no_path_leads_out_of_the_cluster_or_to_another_object() {
    let rig = Rig::start().await;
    let (direct, through) = both(&rig);
    let long = "a".repeat(300);
    let mut differ = Vec::new();
    for text in TRAVERSAL.iter().copied().chain([long.as_str()]) {
        for place in PLACES {
            let path = place.replace("{}", text);
            let asked = rig.playground.requests().len();
            let answer = through.get(&rig.path(&path)).await;
            let upstream = rig.playground.requests().split_off(asked);
            let of_server = direct.get(&path).await;
            if !(400..500).contains(&answer.code) && answer.code != of_server.code {
                differ.push(format!("{path}: {} {} upstream: {of_server:?}", answer.code, answer.text));
            }
            for request in upstream {
                let path = request.path_and_query.split('?').next().unwrap_or_default().to_owned();
                if path.contains("secrets") || path.contains("..") || path.contains("//") {
                    differ.push(format!("{path} was asked upstream"));
                }
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_refused_in_the_words_of_the_api_server() {
    let rig = Rig::start().await;
    let (direct, through) = both(&rig);
    let pods = "/api/v1/namespaces/shop/pods";
    let first = direct.get(&format!("{pods}?limit=1")).await;
    let token = first.text_at("/metadata/continue").to_owned();
    assert!(!token.is_empty(), "{}", first.text);
    let future = rig.playground.revision() + 1_000_000;
    let huge = u64::MAX;
    let mut differ = Vec::new();
    for query in [
        "labelSelector=a%20in".to_owned(),
        "labelSelector=%2F%2F%2F".to_owned(),
        "labelSelector=!".to_owned(),
        "labelSelector=a%3D%3D%3Db".to_owned(),
        "fieldSelector=spec.nothing%3Da".to_owned(),
        "fieldSelector=metadata.name".to_owned(),
        "fieldSelector=a%3Db%3Dc".to_owned(),
        "limit=many".to_owned(),
        "limit=-1".to_owned(),
        format!("limit={huge}"),
        format!("limit={}", i64::MAX),
        "continue=nonsense".to_owned(),
        format!("continue={token}&resourceVersion=5"),
        format!("continue={token}x"),
        "resourceVersion=abc".to_owned(),
        "resourceVersion=-1".to_owned(),
        format!("resourceVersion={huge}0"),
        format!("resourceVersion={future}"),
        "resourceVersion=1&resourceVersionMatch=Exact".to_owned(),
        "resourceVersion=0&resourceVersionMatch=Exact".to_owned(),
        "resourceVersionMatch=Exact".to_owned(),
        "resourceVersion=5&resourceVersionMatch=Sometimes".to_owned(),
        "sendInitialEvents=true".to_owned(),
        "timeoutSeconds=soon".to_owned(),
        "watch=1&resourceVersion=abc".to_owned(),
        "watch=1&sendInitialEvents=true".to_owned(),
        "watch=1&sendInitialEvents=true&resourceVersionMatch=Exact".to_owned(),
        "watch=1&sendInitialEvents=perhaps".to_owned(),
        "watch=1&timeoutSeconds=soon".to_owned(),
        "watch=1&labelSelector=a%20in".to_owned(),
        "watch=1&fieldSelector=spec.nothing%3Da&resourceVersion=0".to_owned(),
    ] {
        let path = format!("{pods}?{query}");
        let (direct, through) = (direct.get(&path).await, through.get(&rig.path(&path)).await);
        if refusal(&direct) != refusal(&through) {
            differ.push(format!("{query}: {:?}\n  through: {:?}", refusal(&direct), refusal(&through)));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_writes_or_reaches_in_is_refused_whatever_the_rights() {
    let rig = Rig::start().await;
    let (_, through) = both(&rig);
    let revision = rig.playground.revision();
    let asked = rig.playground.requests().len();
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS, Method::TRACE] {
        for path in [
            "/api/v1/namespaces/shop/pods",
            "/api/v1/namespaces/shop/pods/a",
            "/api/v1/namespaces/shop/pods/a/eviction",
            "/api/v1/namespaces/shop/pods/a/binding",
            "/api/v1/namespaces/shop/serviceaccounts/default/token",
            "/apis/apps/v1/namespaces/shop/deployments/cart/scale",
            "/apis/authorization.k8s.io/v1/subjectaccessreviews",
            "/apis/authentication.k8s.io/v1/tokenreviews",
            "/version",
        ] {
            let answer = through.whole(method.clone(), &rig.path(path), &[], "{}").await;
            assert!(
                [403, 404, 405].contains(&answer.code),
                "{method} {path}: {} {}",
                answer.code,
                answer.text
            );
        }
    }
    for path in [
        "/api/v1/namespaces/shop/pods/a/exec?command=sh",
        "/api/v1/namespaces/shop/pods/a/attach",
        "/api/v1/namespaces/shop/pods/a/portforward",
        "/api/v1/namespaces/shop/pods/a/proxy/",
        "/api/v1/namespaces/shop/services/a/proxy/x",
        "/api/v1/nodes/a/proxy/metrics",
        "/api/v1/namespaces/shop/pods/a/ephemeralcontainers",
        "/api/v1/namespaces/shop/pods/a/status",
        "/logs/",
        "/metrics",
        "/debug/pprof/",
    ] {
        let upgrade = [("connection", "upgrade"), ("upgrade", "websocket")];
        let answer = through.whole(Method::GET, &rig.path(path), &upgrade, "").await;
        assert!([400, 403, 404, 405].contains(&answer.code), "{path}: {} {}", answer.code, answer.text);
    }
    assert_eq!(rig.playground.revision(), revision, "nothing was written");
    // The rights of the gateway's own account are asked for now and then.
    let paths = rig.playground.requests().split_off(asked).into_iter().map(|request| request.path_and_query);
    let reached: Vec<_> = paths
        .filter(|path| path.contains("/pods") || path.contains("serviceaccounts") || path.contains("proxy"))
        .collect();
    assert!(reached.is_empty(), "{reached:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_of_an_unmasked_namespace_are_the_api_servers_own_but_for_managed_fields() {
    let rig = Rig::start_with(&["--unmasked-namespace", "shop"]).await;
    let (direct, through) = both(&rig);
    for path in ["/api/v1/configmaps", "/api/v1/pods", "/apis/apps/v1/deployments"] {
        let (direct, through) = (direct.get(path).await, through.get(&rig.path(path)).await);
        let objects = |answer: &Answer| -> Vec<Value> {
            let mut items = answer.body["items"].as_array().cloned().expect("items");
            for item in &mut items {
                item["metadata"].as_object_mut().expect("metadata").remove("managedFields");
            }
            items
        };
        let mut masked = 0;
        for (direct, through) in objects(&direct).into_iter().zip(objects(&through)) {
            if through["metadata"]["namespace"] == "shop" {
                assert_eq!(direct, through);
            } else if direct != through {
                assert!(through.to_string().contains("dogwatch.dev/masked"), "{through}");
                masked += 1;
            }
        }
        assert!(masked > 0, "{path}: elsewhere values are masked");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_is_sent_as_gzip_to_who_takes_it() {
    let rig = Rig::start().await;
    let (direct, through) = both(&rig);
    let path = rig.path("/api/v1/pods?limit=500");
    let plain = through.get(&path).await;
    assert!(!plain.headers.contains_key(CONTENT_ENCODING));
    let accepts = [(ACCEPT_ENCODING.as_str(), "gzip")];
    let response = through.ask(Method::GET, &path, &accepts, "").await.expect("answered");
    assert_eq!(response.headers()[CONTENT_ENCODING], "gzip");
    let zipped = response.into_body().collect().await.expect("whole").to_bytes();
    let mut text = String::new();
    GzDecoder::new(&*zipped).read_to_string(&mut text).expect("gzip");
    let names = |text: &str| {
        let list: Value = serde_json::from_str(text).expect("JSON");
        list["items"].as_array().expect("items").iter().map(|item| item["metadata"]["name"].clone()).collect()
    };
    let (zipped_names, plain_names): (Vec<_>, Vec<_>) = (names(&text), names(&plain.text));
    assert_eq!(zipped_names, plain_names);
    assert!(zipped.len() * 3 < text.len(), "{} of {}", zipped.len(), text.len());
    // What is short isn't worth it, for the API server neither.
    for api in [&direct, &through] {
        let path = if std::ptr::eq(api, &direct) { "/version".to_owned() } else { rig.path("/version") };
        let response = api.ask(Method::GET, &path, &accepts, "").await.expect("answered");
        assert!(!response.headers().contains_key(CONTENT_ENCODING));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_list_at_once_cost_the_api_server_a_few_lists() {
    const MANY: usize = 40;
    let rig = Rig::start().await;
    let (_, through) = both(&rig);
    let path = rig.path("/apis/apps/v1/deployments");
    // So long that all come meanwhile.
    let slow = Rule::new(Fault::SlowBytes { chunk_bytes: 4_096, pause_ms: 30 });
    rig.playground.fault(slow.verb("list").resource("deployments.apps"));
    let asked = rig.playground.requests().len();
    let answers = join_all((0..MANY).map(|_| through.get(&path))).await;
    let lists = rig.playground.requests().split_off(asked);
    let lists = lists.iter().filter(|request| request.path_and_query.contains("deployments")).count();
    assert!(answers.iter().all(|answer| answer.code == 200 && answer.names() == answers[0].names()));
    assert!((1..MANY / 4).contains(&lists), "{lists} lists");
    // A client that comes later sees what happened since.
    let cart = json!({"metadata": {"labels": {"late": "yes"}}});
    rig.playground.patch("deployments.apps", "shop", "cart", cart).expect("patched");
    let late = through.get(&format!("{path}?labelSelector=late%3Dyes")).await;
    assert_eq!(late.names(), ["cart"]);
}

/// The lists of more than one object that the API server was asked for since.
fn whole_lists(rig: &Rig, asked: usize) -> usize {
    let requests = rig.playground.requests().split_off(asked);
    let of_deployments = requests.iter().map(|request| &request.path_and_query);
    let of_deployments = of_deployments.filter(|path| path.contains("/deployments"));
    of_deployments.filter(|path| !path.contains("watch=") && !path.contains("limit=1")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_in_turn_beside_a_watch_are_as_fresh_as_the_api_servers_own_and_cost_it_one_object_each() {
    let rig = Rig::start().await;
    let (direct, through) = both(&rig);
    let below = "/apis/apps/v1/namespaces/shop/deployments";
    let path = rig.path(below);
    let mut events = through.watch(&format!("{path}?watch=1")).await;
    assert!(events.line().await.starts_with("ADDED "));
    let asked = rig.playground.requests().len();
    for round in 0..5 {
        let label = json!({"metadata": {"labels": {"round": round.to_string()}}});
        rig.playground.patch("deployments.apps", "shop", "cart", label).expect("patched");
        let (own, listed) = (direct.get(below).await, through.get(&path).await);
        assert_eq!(listed.revision(), own.revision());
        assert_eq!(listed.names(), own.names());
        let versions = |answer: &Answer| {
            let items = answer.body["items"].as_array().expect("items").iter();
            items.map(|item| item["metadata"]["resourceVersion"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(versions(&listed), versions(&own));
        let chosen = through.get(&format!("{path}?labelSelector=round%3D{round}")).await;
        assert_eq!(chosen.names(), ["cart"]);
        // A watch of what is there is as fresh.
        let mut another = through.watch(&format!("{path}?watch=1&labelSelector=round%3D{round}")).await;
        assert_eq!(another.line().await, "ADDED cart");
    }
    assert_eq!(whole_lists(&rig, asked), 5, "the direct ones");
    // What happens to other kinds can't be told from a change that the feed hasn't heard.
    let other =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other", "namespace": "shop"}});
    rig.playground.create(other).expect("created");
    let own = direct.get(below).await;
    let asked = rig.playground.requests().len();
    let listed = through.get(&path).await;
    assert_eq!((listed.revision(), listed.names()), (own.revision(), own.names()));
    assert_eq!(whole_lists(&rig, asked), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn readyz_says_that_watches_are_stale_and_livez_does_not() {
    let rig = Rig::start().await;
    let (_, through) = both(&rig);
    let readyz = rig.path("/readyz");
    let mut events = through.watch(&rig.path("/api/v1/namespaces/shop/pods?watch=1")).await;
    assert!(events.line().await.starts_with("ADDED "));
    assert_eq!(through.get(&readyz).await.text, "ok");
    for verb in ["list", "watch"] {
        let away = Rule::new(Fault::Unavailable { retry_after_s: 1 });
        rig.playground.fault(away.verb(verb).resource("pods"));
    }
    rig.playground.cut_watches(Some("pods"));
    let stale = loop {
        let answer = through.get(&readyz).await;
        if answer.code != 200 {
            break answer;
        }
    };
    assert_eq!(stale.code, 500);
    assert!(stale.text.contains("[-]watches failed: 1 of 1 are stale"), "{}", stale.text);
    assert_eq!(through.get(&rig.path("/livez")).await.text, "ok");
    rig.playground.clear_faults();
    while through.get(&readyz).await.code != 200 {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_is_never_read_is_told_to_list_again_and_costs_the_others_nothing() {
    const WORDS: usize = 80_000;
    let rig = Rig::start().await;
    let (_, through) = both(&rig);
    let path = rig.path("/api/v1/namespaces/shop/pods?watch=1&labelSelector=large");
    let mut random = fastrand::Rng::with_seed(7);
    let mut large = || {
        let mut word = || (0..5).map(|_| random.lowercase()).collect::<String>();
        let message: Vec<String> = (0..WORDS).map(|_| word()).collect();
        json!({
            "apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "a", "image": "a"}]},
            "metadata": {"name": "large", "namespace": "shop", "labels": {"large": ""}},
            "status": {"message": message.join(" ")},
        })
    };
    rig.playground.create(large()).expect("created");
    let mut unread = through.watch(&path).await;
    let mut read = through.watch(&path).await;
    assert_eq!((unread.line().await.as_str(), read.line().await.as_str()), ("ADDED large", "ADDED large"));
    // More than is kept of a kind, and what lies in the connection's buffers besides.
    for at in 1..120 {
        rig.playground.patch("pods", "shop", "large", large()).expect("patched");
        assert_eq!(read.line().await, "MODIFIED large", "{at}");
    }
    let last = loop {
        let event = unread.event().await;
        if event["type"] == "ERROR" {
            break event;
        }
    };
    assert_eq!((&last["object"]["code"], &last["object"]["reason"]), (&json!(410), &json!("Expired")));
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_without_end_and_watches_without_number_are_refused_and_nobody_else_notices() {
    let rig = Rig::start().await;
    let (_, through) = both(&rig);
    let path = rig.path("/api/v1/namespaces/shop/pods?watch=1");
    let long = "a".repeat(64 * 1024);
    for headers in [[("x-long", long.as_str())], [("accept", long.as_str())]] {
        let answer = through.ask(Method::GET, &rig.path("/version"), &headers, "").await;
        assert!(answer.is_err() || answer.is_ok_and(|answer| answer.status() == 431));
    }
    let neighbour = rig.api.clone();
    let mut watches = Vec::new();
    let refused = loop {
        let events = through.watch(&path).await;
        if events.code != 200 {
            break events;
        }
        watches.push(events);
        assert!(watches.len() < 1_000, "they are counted");
    };
    assert_eq!(refused.code, 429);
    assert!(refused.headers.contains_key("retry-after"));
    let answer = through.get(&rig.path("/api/v1/namespaces/shop/pods")).await;
    assert_eq!((answer.code, answer.text_at("/reason")), (429, "TooManyRequests"), "{}", answer.text);
    let answer = neighbour.get(&rig.path("/api/v1/namespaces/shop/pods")).await;
    assert_eq!((answer.code, answer.text_at("/kind")), (200, "PodList"));
}
