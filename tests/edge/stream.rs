//! The stream without a page, over real sockets: each format, its authentication, what it says of an upstream that is
//! away, and how it goes on. That one which isn't read costs no more than a page stands in [`crate::slow`].

use playground::{Options, Playground};
use serde_json::{Value, json};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::stream::Stream;
use testkit::teams::{self, Subject};
use tokio::net::TcpStream;

/// The config maps of the test itself.
const MAPS: &str = "resource=configmaps&namespaces=default&labelSelector=by%3Dtest";

async fn quiet() -> Playground {
    Playground::start(Options::quiet()).await.expect("a free port")
}

fn create(playground: &Playground, name: &str) {
    let metadata = json!({ "name": name, "namespace": "default", "labels": { "by": "test" } });
    let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
    playground.create(object).expect("created");
}

fn label(playground: &Playground, name: &str, value: &str) {
    let patch = json!({ "metadata": { "labels": { "step": value } } });
    playground.patch("configmaps", "default", name, patch).expect("written");
}

fn names(stream: &Stream) -> Vec<&str> {
    stream.objects.keys().filter_map(|key| key.split('/').nth(1)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_format_says_what_is_there_and_what_changes() {
    let playground = quiet().await;
    let gateway = Dogwatch::of_playground(&playground).expect("it starts");
    create(&playground, "one");
    for (format, accept, media_type) in [
        ("ndjson", "application/x-ndjson", "application/x-ndjson"),
        ("sse", "text/event-stream", "text/event-stream"),
        ("cloudevents", "application/cloudevents+json", "application/x-ndjson"),
        ("cloudevents-sse", "", "text/event-stream"),
    ] {
        let by_header = [("accept", accept)];
        let (query, headers) = if accept.is_empty() {
            (format!("{MAPS}&format={format}&projection=object"), &[][..])
        } else {
            (format!("{MAPS}&projection=object"), &by_header[..])
        };
        let mut stream = Stream::of(&gateway, &query, headers).await.expect("opened");
        assert_eq!((stream.status, stream.media_type.as_str()), (200, media_type), "{format}");
        stream.until_sync().await.expect("whole");
        let object = &stream.objects["default/one"]["object"];
        assert_eq!((&object["kind"], &object["metadata"]["name"]), (&json!("ConfigMap"), &json!("one")));
        label(&playground, "one", format);
        let is_change =
            |stream: &Stream, _: &Value| stream.types.last().is_some_and(|last| last == "modified");
        let event = stream.until(is_change).await.expect("told");
        let held = &stream.objects["default/one"]["object"];
        assert_eq!(held["metadata"]["labels"]["step"], format);
        if format.starts_with("cloud") {
            assert_eq!(event["specversion"], "1.0", "{event}");
            assert_eq!(
                (&event["subject"], &event["type"]),
                (&json!("configmaps/default/one"), &json!("dev.dogwatch.object.modified"))
            );
        }
    }
    let mut timeline =
        Stream::of(&gateway, &format!("{MAPS}&projection=timeline"), &[]).await.expect("opened");
    timeline.until_sync().await.expect("begun");
    for step in ["a", "b", "c"] {
        label(&playground, "one", step);
    }
    let mut seen = Vec::new();
    while seen.last() != Some(&json!("c")) {
        let event = timeline.until(|_, event| event["fields"].is_array()).await.expect("told");
        seen.push(event["fields"][0]["new"].clone());
    }
    assert!(seen.ends_with(&[json!("a"), json!("b"), json!("c")]), "every change: {seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_broke_off_goes_on_by_its_last_event_id_without_a_loss() {
    let playground = quiet().await;
    let home = Home::new().expect("a folder");
    let kubeconfig = home.kubeconfig_of(&playground).expect("written");
    let mut gateway = home.serve_cluster(&kubeconfig, 0).expect("it starts");
    ["stays", "changes", "goes"].iter().for_each(|name| create(&playground, name));
    let query = format!("{MAPS}&format=sse");
    let mut stream = Stream::of(&gateway, &query, &[]).await.expect("opened");
    stream.until_sync().await.expect("whole");
    assert_eq!(names(&stream), ["changes", "goes", "stays"]);
    for round in 0..2 {
        let last = stream.resume.clone().expect("a token");
        let objects = std::mem::take(&mut stream.objects);
        drop(stream);
        if round == 1 {
            // What the digest of the last proof is for.
            let (home, port) = gateway.kill().expect("it ran");
            gateway = home.serve_cluster(&kubeconfig, port).expect("it starts");
        }
        label(&playground, "changes", &format!("in-{round}"));
        let gone = if round == 0 { "goes" } else { "came-0" };
        playground.delete("configmaps", "default", gone).expect("deleted");
        create(&playground, &format!("came-{round}"));
        stream = Stream::of(&gateway, &query, &[("last-event-id", &last)]).await.expect("opened");
        stream.objects = objects;
        let came = format!("default/came-{round}");
        stream.until(|stream, _| stream.objects.contains_key(&came)).await.expect("told");
        stream.until_sync().await.expect("whole");
        let told: Vec<&String> = stream.types.iter().filter(|word| !is_of_stream(word)).collect();
        assert_eq!(told.len(), 3, "just what changed: {told:?}");
        assert_eq!(names(&stream), [came.trim_start_matches("default/"), "changes", "stays"]);
    }
    let other = format!("{MAPS}&projection=object&resume={}", stream.resume.expect("a token"));
    let refused = Stream::of(&gateway, &other, &[]).await.expect("answered").problem().await;
    assert_eq!(refused.expect("a problem").0, 400, "it is of another stream");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_goes_on_at_another_gateway_from_its_last_event_whichever_that_is() {
    let playground = quiet().await;
    let gateways = [0, 1].map(|_| Dogwatch::of_playground(&playground).expect("it starts"));
    ["stays", "changes", "goes"].iter().for_each(|name| create(&playground, name));
    for projection in ["cells", "object"] {
        let query = format!("{MAPS}&projection={projection}");
        let mut stream = Stream::of(&gateways[0], &query, &[]).await.expect("opened");
        let all = |stream: &Stream, _: &Value| stream.objects.len() == 3;
        stream.until(all).await.expect("told");
        // The last events before it breaks off are of objects, and no sync comes after them.
        for step in ["a", "b"] {
            label(&playground, "changes", &format!("{projection}-{step}"));
            stream.until(|_, event| event["type"] == "modified").await.expect("told");
        }
        let goes = if projection == "cells" { "goes" } else { "came-cells" };
        playground.delete("configmaps", "default", goes).expect("deleted");
        let last = stream.until(|_, event| event["type"] == "deleted").await.expect("told");
        let resume = last["resume"].as_str().expect("a token").to_owned();
        drop(stream);
        create(&playground, &format!("came-{projection}"));
        let mut other =
            Stream::of(&gateways[1], &format!("{query}&resume={resume}"), &[]).await.expect("opened");
        // A sync is of what this gateway has heard, which may be less than was created by now.
        let came = format!("default/came-{projection}");
        other.until(|stream, _| stream.objects.contains_key(&came)).await.expect("told");
        other.until_sync().await.expect("whole");
        let told: Vec<&String> = other.types.iter().filter(|word| !is_of_stream(word)).collect();
        assert_eq!(told, ["added"], "just what changed: {:?}", other.types);
        assert_eq!(names(&other), [format!("came-{projection}")]);
    }
}

fn is_of_stream(word: &str) -> bool {
    ["subscribed", "state", "sync"].contains(&word)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_had_is_a_status_with_a_sentence() {
    let playground = quiet().await;
    let gateway = Dogwatch::of_playground(&playground).expect("it starts");
    for (query, headers, status, said) in [
        ("", &[][..], 400, "the parameter resource is missing"),
        ("resource=pods&limit=5", &[], 400, "\"limit\""),
        ("resource=pods&projection=rows", &[], 400, "cells, object, timeline"),
        ("resource=pods&labelSelector=a+in", &[], 400, ""),
        ("resource=pods&name=one", &[], 400, "namespace"),
        ("resource=nodes&namespaces=default", &[], 400, "aren't namespaced"),
        ("resource=pods&token=abc", &[], 400, "a credential never goes into a query"),
        ("resource=pods&access_token=abc", &[], 400, "a credential never goes into a query"),
        ("resource=pods&resume=abc", &[], 400, "resume can't be read"),
        ("resource=pods", &[("last-event-id", "abc")], 400, "resume can't be read"),
        ("resource=widgets", &[], 404, "the cluster serves no resource \"widgets\""),
        ("resource=pods&cluster=elsewhere", &[], 404, "shows no cluster"),
        ("resource=secrets", &[], 403, "Secrets"),
        ("resource=pods", &[("accept", "image/png")], 406, "application/x-ndjson"),
        ("resource=pods", &[("origin", "https://evil.example")], 403, "another site's page"),
        ("resource=pods", &[("sec-fetch-site", "cross-site")], 403, "another site's page"),
    ] {
        let answer = Stream::of(&gateway, query, headers).await.expect("answered").problem().await;
        let (found, problem) = answer.unwrap_or_else(|error| panic!("{query}: {error:#}"));
        let message = problem["message"].as_str().unwrap_or_default();
        assert!(found == status && message.contains(said), "{query}, {headers:?}: {found}, {problem}");
        assert!(problem["reason"].is_string() && !message.is_empty(), "{query}: {problem}");
    }
    // The API server alone knows, when the stream has begun.
    let query = "resource=pods&fieldSelector=spec.colour%3Dred";
    let last = Stream::of(&gateway, query, &[]).await.expect("opened").to_the_end().await.expect("read");
    assert_eq!((&last["type"], &last["reason"]), (&json!("end"), &json!("BadRequest")), "{last}");
    let stranger = TcpStream::connect(gateway.address()).await.expect("connected");
    let stranger = Stream::open(stranger, &gateway.address(), "resource=pods", &[]).await.expect("answered");
    assert_eq!(stranger.problem().await.expect("a problem").0, 401, "the Unix socket alone says who it is");
}

/// R-AUTHZ-1, R-AUTHZ-3, R-AUTHZ-4, R-AUTHZ-5
#[tokio::test(flavor = "multi_thread")]
async fn r_authz_3_a_stream_shows_its_viewer_what_a_page_would_and_goes_with_the_right() {
    let teams = ["team-a", "team-b", "team-c"];
    for rights in ["shared", "passthrough"] {
        let playground = teams::playground(&[("alice", &[])], &teams).await.expect("it starts");
        for team in ["team-a", "team-b"] {
            teams::allow(&playground, team, Subject::User("alice")).expect("bound");
        }
        let home = Home::new().expect("a folder");
        let kubeconfig = home.kubeconfig_of(&playground).expect("written");
        let flags = ["--auth", "bearer", "--listen", "127.0.0.1:0", "--rights", rights, "--kubeconfig"];
        let gateway =
            home.serve(&[&flags[..], &[&kubeconfig.to_string_lossy()]].concat()).expect("it starts");
        let open = async |query: &str, headers: &[(&str, &str)]| {
            let tcp = TcpStream::connect(gateway.address()).await.expect("connected");
            Stream::open(tcp, &gateway.address(), query, headers).await.expect("answered")
        };
        let alice = [("authorization", "Bearer token-of-alice")];
        for (query, headers, status) in [
            ("resource=configmaps", &[][..], 401),
            ("resource=configmaps", &[("authorization", "Bearer token-of-bob")], 401),
            ("resource=configmaps", &[("cookie", "__Host-dogwatch=planted")], 403),
            ("resource=nodes", &alice, 403),
            ("resource=configmaps&namespaces=team-c", &alice, 403),
        ] {
            let (found, problem) = open(query, headers).await.problem().await.expect("a problem");
            assert_eq!(found, status, "{rights}: {query}, {headers:?}: {problem}");
        }
        let mut stream = open("resource=configmaps&projection=object", &alice).await;
        let has = |wanted: &'static [&'static str]| {
            move |stream: &Stream, _: &Value| stream.objects.keys().eq(wanted)
        };
        stream.until(has(&["team-a/of-team-a", "team-b/of-team-b"])).await.expect("hers");
        teams::withdraw(&playground, "team-b").expect("deleted");
        stream.until(has(&["team-a/of-team-a"])).await.expect("what is left");
        teams::allow(&playground, "team-b", Subject::User("alice")).expect("bound");
        stream.until(has(&["team-a/of-team-a", "team-b/of-team-b"])).await.expect("it comes again");
        for team in ["team-a", "team-b"] {
            teams::withdraw(&playground, team).expect("deleted");
        }
        stream.until(has(&[])).await.expect("nothing is left");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r_rel_3_a_stream_says_that_its_upstream_is_away_and_that_it_is_back() {
    let playground = quiet().await;
    let gateway = Dogwatch::of_playground(&playground).expect("it starts");
    create(&playground, "one");
    let mut stream = Stream::of(&gateway, MAPS, &[]).await.expect("opened");
    stream.until_sync().await.expect("live");
    playground.down();
    let said = |state: &'static str| move |_: &Stream, event: &Value| event["state"].get(state).is_some();
    stream.until(said("stale")).await.expect("stale");
    let again = stream.next().await.expect("readable").expect("an event");
    assert!(again["state"].get("stale").is_some(), "said again while it isn't current: {again}");
    playground.up().await.expect("it starts");
    label(&playground, "one", "later");
    stream.until(|_, event| event["type"] == "modified").await.expect("told");
    stream.until_sync().await.expect("live again");
}
