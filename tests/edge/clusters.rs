//! One gateway of several clusters, by its binary: the list, the terminal, the probes, the audit log, SIGHUP, and what is
//! wrong with one cluster.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::{SinkExt, StreamExt};
use playground::{Options, Playground};
use rustix::process::Signal;
use serde_json::{Value, json};
use shared::codec;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::gateways::Socket;
use tokio_tungstenite::tungstenite::Message;

use crate::client::{Page, ask, hello, signed_in, upgraded};
use crate::served;
use crate::tail::Tail;
use testkit::ports::free_address;

/// The kubeconfig of a playground in a file of this name.
fn kubeconfig(home: &Home, playground: &Playground, name: &str) -> PathBuf {
    let file = home.path().join(name);
    playground.write_kubeconfig(&file).expect("written");
    file
}

async fn cluster(seed: u64, name: &str) -> Playground {
    let playground = Playground::start(Options { seed, ..Options::empty() }).await.expect("a free port");
    let metadata = json!({"name": format!("of-{name}"), "namespace": "default"});
    playground
        .create(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}))
        .expect("created");
    playground
}

fn gateway(home: &Home, file: &Path, more: &[&str]) -> Dogwatch {
    let config = file.to_string_lossy();
    home.serve(&[&["--listen", "127.0.0.1:0", "--config", &config], more].concat()).expect("it starts")
}

fn entry(name: &str, kubeconfig: &Path) -> Value {
    json!({"name": name, "kubeconfig": kubeconfig})
}

/// JSON is YAML.
fn write(file: &Path, clusters: &[Value]) {
    fs::write(file, json!({"clusters": clusters}).to_string()).expect("written");
}

fn names(welcome: &Value) -> Vec<&str> {
    let clusters = welcome["welcome"]["clusters"].as_array().into_iter().flatten();
    clusters.filter_map(|cluster| cluster["name"].as_str()).collect()
}

/// The next frame; a long one comes deflated.
async fn frame(socket: &mut Socket) -> Value {
    loop {
        match socket.next().await.expect("it goes on").expect("readable") {
            Message::Text(text) => return serde_json::from_str(text.as_str()).expect("JSON"),
            Message::Binary(bytes) => {
                let frame = codec::decode_server(&codec::Message::Binary(bytes.to_vec())).expect("a frame");
                return serde_json::to_value(frame).expect("JSON");
            }
            Message::Close(close) => panic!("closed: {close:?}"),
            _ => {}
        }
    }
}

async fn welcome(socket: &mut Socket) -> Value {
    loop {
        let frame = frame(socket).await;
        if frame.get("welcome").is_some() {
            return frame;
        }
    }
}

/// A socket of this page, and its first welcome.
async fn greeted(gateway: &Dogwatch, page: &Page) -> (Socket, Value) {
    let mut socket = upgraded(gateway).await.expect("opened");
    hello(&mut socket, Some(page)).await;
    let greeted = welcome(&mut socket).await;
    (socket, greeted)
}

#[tokio::test]
async fn a_demo_of_two_clusters_is_one_page_one_tail_and_one_list() {
    let metrics = free_address().to_string();
    let (gateway, page) = served(&["--demo-clusters", "2", "--metrics-listen", &metrics]).await;
    assert!(gateway.first_line().starts_with("Dogwatch shows playground and another cluster at http://"));
    let (_socket, greeted) = greeted(&gateway, &page).await;
    assert_eq!(names(&greeted), ["playground", "playground-2"]);
    let clusters = &greeted["welcome"]["clusters"];
    assert!(clusters[0]["context"].is_string(), "one's own gateway names its context: {clusters}");
    assert_ne!(clusters[0]["id"], clusters[1]["id"]);
    assert_ne!(clusters[0]["version"], clusters[1]["version"]);
    let both = gateway.tail(&["nodes", "--all-clusters", "--once"]).expect("it ran");
    let printed = String::from_utf8(both.stdout).expect("text");
    assert!(both.status.success(), "{}", String::from_utf8_lossy(&both.stderr));
    assert!(printed.starts_with("CLUSTER "), "{printed}");
    for name in ["\nplayground ", "\nplayground-2 "] {
        assert!(printed.contains(name), "{printed}");
    }
    let one = gateway.tail(&["pods", "-A", "--cluster", "playground-2", "--once"]).expect("it ran");
    let printed = String::from_utf8(one.stdout).expect("text");
    assert!(one.status.success() && printed.starts_with("NAMESPACE "), "{printed}");
    let none = gateway.tail(&["pods", "--cluster", "prod", "--once"]).expect("it ran");
    let said = String::from_utf8(none.stderr).expect("text");
    assert!(said.contains("no cluster \"prod\"; it has playground, playground-2"), "{said}");
    assert_eq!(none.status.code(), Some(1));
    let (status, ready) = ask(&gateway.address(), "/readyz?verbose").await;
    assert!(status == 200 && ready.contains("[+]clusters ok"), "{ready}");
    let (_, counted) = ask(&metrics, "/metrics").await;
    for line in ["{cluster=\"playground\"} 1", "{cluster=\"playground-2\"} 1"] {
        assert!(counted.contains(&format!("dogwatch_cluster_reached{line}")), "{counted}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_dead_cluster_delays_nothing_is_counted_and_the_audit_log_names_the_other() {
    let home = Home::new().expect("a folder");
    let (a, b) = (cluster(7, "a").await, cluster(8, "b").await);
    let dead = home.path().join("dead.yaml");
    let address = free_address().to_string();
    let text_of = a.kubeconfig().replace(a.url().as_str(), &format!("http://{address}"));
    fs::write(&dead, text_of).expect("written");
    let (file, audit) = (home.path().join("dogwatch.yaml"), home.path().join("audit.log"));
    let of_a = kubeconfig(&home, &a, "a.yaml");
    let missing = json!({"name": "missing", "kubeconfig": &of_a, "context": "nowhere"});
    // Nothing is sent over http, so no plugin is called for it.
    let secure = Playground::start(Options { tls: true, ..Options::empty() }).await.expect("a port");
    let plugin = secure.kubeconfig().replace(
        "\"user\": {}",
        "\"user\": {\"exec\": {\"apiVersion\": \"client.authentication.k8s.io/v1\", \"command\": \"/no/such/plugin\", \
         \"interactiveMode\": \"Never\"}}",
    );
    let of_plugin = home.path().join("plugin.yaml");
    fs::write(&of_plugin, plugin).expect("written");
    let entries = [
        entry("dead", &dead),
        entry("a", &of_a),
        entry("b", &kubeconfig(&home, &b, "b.yaml")),
        missing,
        entry("plugin", &of_plugin),
    ];
    write(&file, &entries);
    let gateway = gateway(&home, &file, &["--audit-log", audit.to_str().expect("text")]);
    let page = signed_in(&gateway).await;
    let (mut socket, mut greeted) = greeted(&gateway, &page).await;
    assert_eq!(names(&greeted), ["dead", "a", "b", "missing", "plugin"]);
    let is_settled = |cluster: &Value| cluster.get("version").is_some() || cluster.get("problem").is_some();
    while !greeted["welcome"]["clusters"].as_array().expect("a list").iter().all(is_settled) {
        greeted = welcome(&mut socket).await;
    }
    let problem = |at: usize| {
        greeted["welcome"]["clusters"][at]["problem"]["problem"]["message"].as_str().unwrap_or_default()
    };
    assert!(problem(0).contains(&address), "{}", problem(0));
    assert_eq!([problem(1), problem(2)], ["", ""]);
    assert!(problem(3).contains("has no context \"nowhere\""), "{}", problem(3));
    assert!(problem(4).contains("/no/such/plugin"), "{}", problem(4));
    let (status, ready) = ask(&gateway.address(), "/readyz?verbose").await;
    assert_eq!(status, 200, "{ready}");
    assert!(ready.contains("[-]clusters failed: reason withheld"), "{ready}");
    let resource = json!({"group": "", "version": "v1", "resource": "configmaps"});
    let subscribe = json!({"subscribe": {"id": 1, "scope": {"cluster": "b", "resource": resource}}});
    socket.send(Message::text(subscribe.to_string())).await.expect("sent");
    while frame(&mut socket).await.get("rows").is_none() {}
    drop(socket);
    // The rows of those that answer are printed, and why the others' aren't.
    let once = gateway.tail(&["configmaps", "--cluster", "a,b,dead", "--once"]).expect("it ran");
    let (rows, said) = (String::from_utf8_lossy(&once.stdout), String::from_utf8_lossy(&once.stderr));
    assert_eq!(once.status.code(), Some(1), "{said}");
    assert!(rows.contains("of-a") && rows.contains("of-b"), "{rows}");
    assert!(said.contains("dead: "), "{said}");
    let records = fs::read_to_string(&audit).expect("read");
    let of_b = records.lines().find(|line| line.contains("\"event\":\"subscribe\""));
    assert!(of_b.is_some_and(|line| line.contains("\"cluster\":\"b\"")), "{records}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_adds_and_takes_away_clusters_and_the_log_says_which() {
    let home = Home::new().expect("a folder");
    let (a, b) = (cluster(7, "a").await, cluster(8, "b").await);
    let file = home.path().join("dogwatch.yaml");
    let of_a = entry("a", &kubeconfig(&home, &a, "a.yaml"));
    let of_b = entry("b", &kubeconfig(&home, &b, "b.yaml"));
    write(&file, std::slice::from_ref(&of_a));
    let gateway = gateway(&home, &file, &[]);
    let page = signed_in(&gateway).await;
    let (mut socket, greeted) = greeted(&gateway, &page).await;
    assert_eq!(names(&greeted), ["a"]);
    write(&file, &[of_a.clone(), of_b.clone()]);
    gateway.signal(Signal::HUP).expect("it runs");
    while names(&welcome(&mut socket).await) != ["a", "b"] {}
    // A tail of both, of which one is taken away.
    let mut tail = Tail::of(&gateway, &["configmaps", "--all-clusters"]);
    tail.until(|tail| tail.rows.contains_key("of-a") && tail.rows.contains_key("of-b"));
    fs::write(&file, "clusters: [{name: a, colour: red}]").expect("written");
    gateway.signal(Signal::HUP).expect("it runs");
    until_logged(&gateway, "unknown field `colour`").await;
    write(&file, &[of_b, of_a.clone()]);
    gateway.signal(Signal::HUP).expect("it runs");
    until_logged(&gateway, "the home cluster a must stay").await;
    write(&file, &[of_a]);
    gateway.signal(Signal::HUP).expect("it runs");
    while names(&welcome(&mut socket).await) != ["a"] {}
    until_logged(&gateway, "clusters that come: b").await;
    until_logged(&gateway, "clusters that are gone: b").await;
}

/// What the gateway wrote may not be read yet.
async fn until_logged(gateway: &Dogwatch, words: &str) {
    let asked = Instant::now();
    while !gateway.stderr().contains(words) {
        assert!(asked.elapsed() < PATIENCE, "{words}: {}", gateway.stderr());
        tokio::task::yield_now().await;
    }
}

const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn what_is_wrong_with_clusters_is_one_sentence_at_the_start() {
    let home = Home::new().expect("a folder");
    let file = home.path().join("dogwatch.yaml");
    for (text, flags, words) in [
        (
            "clusters: [{name: a, context: p}, {name: a, context: q}]",
            &[][..],
            "two clusters are called \"a\"",
        ),
        ("clusters: [{name: a, colour: red}]", &[], "unknown field `colour`"),
        ("clusters: [{name: a}]", &[], "doesn't say how it is reached"),
        ("", &["--demo", "--demo-clusters", "2", "--auth", "bearer"], "--auth bearer is for one cluster"),
    ] {
        fs::write(&file, text).expect("written");
        let config = file.to_string_lossy();
        let mut command = home.command();
        command.args(["serve", "--listen", "127.0.0.1:0", "--config", &config]).args(flags);
        let ended = command.output().expect("it ran");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success() && said.contains(words), "{text}: {said}");
        assert_eq!(said.trim().lines().count(), 1, "{said}");
    }
}

fn profile(name: &str, status: &Value) -> Value {
    json!({"apiVersion": "multicluster.x-k8s.io/v1alpha1", "kind": "ClusterProfile",
        "metadata": {"name": name, "namespace": "default"}, "status": status})
}

/// Prints a token as an exec plugin does.
fn plugin(home: &Home, token: &str) -> PathBuf {
    let file = home.path().join("plugin.sh");
    let credential = json!({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
        "status": {"token": token}});
    fs::write(&file, format!("#!/bin/sh\necho '{credential}'\n")).expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("changed");
    file
}

#[tokio::test(flavor = "multi_thread")]
async fn clusters_of_cluster_profiles_come_and_go_and_one_without_credentials_says_so() {
    let home = Home::new().expect("a folder");
    let hub = cluster(7, "hub").await;
    let options = Options { seed: 8, token: Some("of-the-plugin".to_owned()), tls: true, ..Options::empty() };
    let eu = Playground::start(options).await.expect("a free port");
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let names = json!({"plural": "clusterprofiles", "singular": "clusterprofile", "kind": "ClusterProfile",
        "listKind": "ClusterProfileList"});
    hub.create(json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "clusterprofiles.multicluster.x-k8s.io"},
        "spec": {"group": "multicluster.x-k8s.io", "scope": "Namespaced", "names": names,
            "versions": [{"name": "v1alpha1", "served": true, "storage": true, "schema": schema}]}}))
        .expect("created");
    let certificate = STANDARD.encode(eu.certificate().expect("TLS"));
    let server = json!({"server": eu.url(), "certificate-authority-data": certificate});
    let status = json!({"accessProviders": [{"name": "corp", "cluster": server}]});
    hub.create(profile("eu", &status)).expect("created");
    hub.create(profile("bare", &json!({}))).expect("created");
    let providers = home.path().join("providers.json");
    let exec = json!({"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
        "command": plugin(&home, "of-the-plugin")});
    fs::write(&providers, json!({"providers": [{"name": "corp", "execConfig": exec}]}).to_string())
        .expect("written");
    let kubeconfig = kubeconfig(&home, &hub, "hub.yaml");
    let flags = [
        "--listen",
        "127.0.0.1:0",
        "--kubeconfig",
        &kubeconfig.to_string_lossy(),
        "--cluster-profiles",
        "default",
        "--cluster-profile-providers",
        &providers.to_string_lossy(),
    ]
    .map(str::to_owned);
    let gateway = home.serve(&flags.each_ref().map(String::as_str)).expect("it starts");
    let page = signed_in(&gateway).await;
    let (mut socket, mut greeted) = greeted(&gateway, &page).await;
    let is_there = |greeted: &Value| {
        let eu = &greeted["welcome"]["clusters"][2];
        crate::clusters::names(greeted) == ["playground", "bare", "eu"] && eu.get("version").is_some()
    };
    while !is_there(&greeted) {
        greeted = welcome(&mut socket).await;
    }
    let why = greeted["welcome"]["clusters"][1]["problem"]["problem"]["message"].as_str().unwrap_or_default();
    assert!(why.contains("default/bare has no credentials"), "{greeted}");
    let listed = gateway.tail(&["namespaces", "--cluster", "eu", "--once"]).expect("it ran");
    assert!(listed.status.success() && String::from_utf8_lossy(&listed.stdout).contains("kube-system"));
    hub.delete("clusterprofiles.multicluster.x-k8s.io", "default", "eu").expect("deleted");
    while crate::clusters::names(&greeted) != ["playground", "bare"] {
        greeted = welcome(&mut socket).await;
    }
}
