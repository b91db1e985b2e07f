//! SIGHUP: the binary reads its configuration again, and its clients drop what it doesn't show any more.

use std::fs;
use std::path::PathBuf;

use playground::{Options, Playground};
use replica::client::ViewKey;
use rustix::process::Signal;
use serde_json::{Value, json};
use shared::custom_column::CustomColumns;
use shared::name::{Namespace, ObjectName};
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::viewer::Viewer;

use crate::client::ask;

fn config_map(value: &str) -> Value {
    let metadata = json!({"name": "one", "namespace": "shop"});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": value}})
}

fn config_maps() -> Scope {
    let shop = Namespaces::these(vec![Namespace::parse("shop").expect("a name")]).expect("one");
    Scope { namespaces: shop, ..Scope::all(Resource::parse("", "v1", "configmaps").expect("a resource")) }
}

fn gateway(home: &Home, playground: &Playground, text: &str) -> (Dogwatch, PathBuf) {
    let file = home.path().join("dogwatch.yaml");
    fs::write(&file, text).expect("written");
    let kubeconfig = home.kubeconfig_of(playground).expect("written");
    let (kubeconfig, config) = (kubeconfig.to_string_lossy(), file.to_string_lossy());
    let flags = ["--listen", "127.0.0.1:0", "--kubeconfig", &kubeconfig, "--config", &config];
    (home.serve(&flags).expect("it starts"), file)
}

/// A table with a column of a value, the object, and what happens to it.
struct Looker {
    viewer: Viewer,
    table: ViewKey,
    object: ViewKey,
    timeline: ViewKey,
}

impl Looker {
    fn of(gateway: &Dogwatch) -> Self {
        let mut viewer = Viewer::at(&gateway.socket().expect("a socket"));
        let one = Scope { name: ObjectName::parse("one").ok(), ..config_maps() };
        let columns = CustomColumns::parse("A:.data.a").expect("columns");
        let table = viewer.view_of(|client, now| client.open_with(config_maps(), columns, now));
        let object = viewer.view_of(|client, now| client.open_object(one, None, now));
        let timeline = viewer.view_of(|client, now| client.open_timeline(config_maps(), None, now));
        Self { viewer, table, object, timeline }
    }

    /// All that the client holds.
    fn held(&self) -> String {
        format!("{:?}", self.viewer.client())
    }

    /// What rows, object and timeline hold.
    fn each(&self) -> [String; 3] {
        let client = self.viewer.client();
        let rows = client.view(self.table).map(|view| view.table().rows().cloned().collect::<Vec<_>>());
        let object = client.object(self.object).and_then(|view| view.value.clone());
        let entries =
            client.timeline(self.timeline).map(|view| format!("{:?}", view.entries().collect::<Vec<_>>()));
        [format!("{rows:?}"), format!("{object:?}"), entries.unwrap_or_default()]
    }

    async fn until(&mut self, is_so: impl Fn(&Self) -> bool) {
        while !is_so(self) {
            self.viewer.turn().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r_data_3_what_a_reload_hides_leaves_the_rows_objects_and_timelines_of_who_looks_on() {
    let playground = Playground::start(Options::quiet()).await.expect("a free port");
    playground.create(config_map("canary-1")).expect("created");
    let home = Home::new().expect("a folder");
    let (gateway, file) = gateway(&home, &playground, "config-map-values: true\n");
    let mut looker = Looker::of(&gateway);
    looker.until(|looker| looker.each()[..2].iter().all(|held| held.contains("canary-1"))).await;
    let is_logging = |looker: &Looker| {
        looker
            .viewer
            .client()
            .timeline(looker.timeline)
            .is_some_and(|view| view.subscription().proof.is_some())
    };
    looker.until(is_logging).await;
    playground.patch("configmaps", "shop", "one", json!({"data": {"a": "canary-2"}})).expect("patched");
    looker.until(|looker| looker.each().iter().all(|held| held.contains("canary-2"))).await;

    fs::write(&file, "config-map-values: false\nfeeds-max: 7\n").expect("written");
    gateway.signal(Signal::HUP).expect("it runs");
    looker.until(|looker| looker.viewer.received.purged == 3).await;
    assert!(!looker.held().contains("canary"), "{}", looker.held());
    let is_whole = |looker: &Looker| {
        looker.viewer.client().view(looker.table).is_some_and(|view| view.table().is_whole())
    };
    looker
        .until(|looker| is_whole(looker) && looker.each()[..2].iter().all(|held| held.contains("••••••••")))
        .await;
    looker.until(is_logging).await;
    playground.patch("configmaps", "shop", "one", json!({"data": {"a": "canary-3"}})).expect("patched");
    looker.until(|looker| looker.each()[2].contains("••••••••")).await;
    assert!(!looker.held().contains("canary"), "{}", looker.held());

    let log = gateway.stderr();
    assert!(log.contains("changed: config-map-values"), "{log}");
    assert!(log.contains("only a restart changes feeds-max"), "{log}");
    assert!(!log.contains("canary"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn r_rel_11_a_configuration_that_became_a_fifo_is_refused_and_holds_up_neither_views_nor_the_end() {
    let playground = Playground::start(Options::quiet()).await.expect("a free port");
    let home = Home::new().expect("a folder");
    let (mut gateway, file) = gateway(&home, &playground, "config-map-values: true");
    fs::remove_file(&file).expect("removed");
    let made = std::process::Command::new("mkfifo").arg(&file).status().expect("started");
    assert!(made.success());
    gateway.signal(Signal::HUP).expect("it runs");
    while !gateway.stderr().contains("it isn't a regular file") {
        assert_eq!(ask(&gateway.address(), "/healthz").await.0, 200);
    }
    assert!(gateway.stderr().contains("the configuration stays as it is"));
    gateway.signal(Signal::TERM).expect("it runs");
    assert!(gateway.wait().expect("it ends").0.success());
}
