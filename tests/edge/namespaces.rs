//! A gateway whose credentials may list two namespaces and not the cluster, and `dogwatch tail` on both
//! of them: one view, from two feeds.

use std::time::{Duration, Instant};

use playground::{Options, Playground, User};
use rustix::process::Signal;
use serde_json::json;
use testkit::dogwatch::Dogwatch;
use testkit::teams::{self, Subject};

use crate::tail::Tail;

/// A revoked right takes effect within this time.
const REVOKED_WITHIN: Duration = Duration::from_secs(45);
/// The label of the objects that this test creates.
const BOTH: [&str; 7] = ["configmaps", "-n", "shop", "-n", "payments", "-l", "by=test"];

struct Scene {
    playground: Playground,
    gateway: Dogwatch,
}

impl Scene {
    async fn open() -> Self {
        let users = vec![User::new("bob", "bob-token", &[])];
        let playground = Playground::start(Options { users, ..Options::quiet() }).await.expect("a free port");
        let gateway = Dogwatch::of_playground(&playground).expect("it starts");
        let scene = Self { playground, gateway };
        for namespace in ["shop", "payments", "ledger"] {
            scene.create(&format!("of-{namespace}"), namespace);
        }
        scene.allow("shop");
        scene.allow("payments");
        scene
    }

    fn create(&self, name: &str, namespace: &str) {
        let metadata = json!({ "name": name, "namespace": namespace, "labels": { "by": "test" } });
        let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
        self.playground.create(object).expect("created");
    }

    fn allow(&self, namespace: &str) {
        teams::allow(&self.playground, namespace, Subject::User("bob")).expect("a binding");
    }

    fn revoke(&self, namespace: &str) {
        teams::withdraw(&self.playground, namespace).expect("deleted");
    }

    /// The exit code, stdout and stderr of `dogwatch tail --once`.
    fn once(&self, more: &[&str]) -> (Option<i32>, String, String) {
        let output = self.gateway.tail(&[&["--once"], more, &BOTH].concat()).expect("it runs");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

/// The names in the output of `-o events`.
fn printed(stdout: &str) -> Vec<&str> {
    stdout.lines().filter_map(|line| line.split('\t').nth(1)).collect()
}

fn names(tail: &testkit::tail::Tail) -> Vec<&str> {
    tail.rows.keys().map(String::as_str).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_namespaces_of_a_cluster_that_may_not_be_listed_are_one_view_and_each_has_its_own_fate() {
    let scene = Scene::open().await;
    let mut tail = Tail::of(&scene.gateway, &BOTH);
    tail.until(|tail| tail.is_live() && names(tail) == ["of-payments", "of-shop"]);
    scene.create("later", "payments");
    tail.until(|tail| names(tail) == ["later", "of-payments", "of-shop"]);
    let (code, stdout, stderr) = scene.once(&["-o", "events"]);
    let all = vec!["payments/later", "payments/of-payments", "shop/of-shop"];
    assert_eq!((code, printed(&stdout)), (Some(0), all), "{stderr}");

    scene.revoke("payments");
    let revoked = Instant::now();
    tail.until(|tail| tail.said.starts_with("You may not list configmaps in payments. Forbidden: "));
    assert!(revoked.elapsed() < REVOKED_WITHIN, "{:?}", revoked.elapsed());
    scene.create("meanwhile", "shop");
    tail.until(|tail| tail.rows.contains_key("meanwhile"));
    let (code, stdout, stderr) = scene.once(&["-o", "events"]);
    // What may be read is printed; the exit code says that it isn't all.
    assert_eq!((code, printed(&stdout)), (Some(1), vec!["shop/meanwhile", "shop/of-shop"]), "{stderr}");
    assert!(stderr.starts_with("You may not list configmaps in payments. "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "said once: {stderr}");
    let nothing = scene.gateway.tail(&["--once", "configmaps", "-n", "ledger"]).expect("it runs");
    assert_eq!((nothing.status.code(), nothing.stdout.len()), (Some(1), 0));

    scene.create("unseen", "payments");
    scene.allow("payments");
    tail.until(|tail| {
        let mut states = tail.states.iter();
        states.any(|said| said.contains("Relisted after Forbidden")) && tail.rows.contains_key("unseen")
    });
    assert_eq!(names(&tail), ["later", "meanwhile", "of-payments", "of-shop", "unseen"]);
    assert_eq!(scene.once(&[]).0, Some(0), "exact again");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_namespaces_go_on_at_a_gateway_that_was_restarted() {
    let mut scene = Scene::open().await;
    let mut tail = Tail::of(&scene.gateway, &BOTH);
    tail.until(|tail| tail.is_live() && names(tail) == ["of-payments", "of-shop"]);
    scene.gateway.signal(Signal::KILL).expect("it runs");
    tail.until(|tail| !tail.is_live());
    scene.create("meanwhile", "payments");
    scene.playground.delete("configmaps", "shop", "of-shop").expect("deleted");
    let (home, port) = (scene.gateway.home().clone(), scene.gateway.port());
    let kubeconfig = home.kubeconfig_of(&scene.playground).expect("written");
    scene.gateway = home.serve_cluster(&kubeconfig, port).expect("it starts");
    tail.until(|tail| tail.is_live() && names(tail) == ["meanwhile", "of-payments"]);
}
