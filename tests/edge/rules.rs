//! Rules of a gateway that runs: a webhook and a real Alertmanager are told of what happens in a cluster, and an outage of
//! its API server is silent.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cluster::Binaries;
use playground::{Options, Playground};
use postgres_server::PostgresServer;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::metrics::{Metrics, get};
use testkit::ports::free_address;
use testkit::webhook::Webhook;

const RULES: &str = "rules:
- {name: bad, kind: configmaps, namespaces: [default], when: 'jsonpath={.data.state}=bad', severity: critical}
- {name: changed, kind: configmaps, labels: by=test, cel: 'object.data.state != oldObject.data.state', to: [ops]}
";

/// A cluster, a gateway with rules, and a webhook that verifies what it gets.
struct Rig {
    playground: Playground,
    gateway: Dogwatch,
    metrics: Metrics,
    hook: Webhook,
    config: String,
    _folder: TempDir,
}

/// A gateway with this configuration, and its numbers.
fn serve(playground: &Playground, config: &str) -> (Dogwatch, Metrics) {
    let home = Home::new().expect("a folder");
    let kubeconfig = home.kubeconfig_of(playground).expect("written").display().to_string();
    let metrics = Metrics::at_free_port();
    let at = metrics.address();
    let flags =
        ["--kubeconfig", &kubeconfig, "--listen=127.0.0.1:0", "--config", config, "--metrics-listen", &at];
    (home.serve(&flags).expect("it starts"), metrics)
}

/// Returns when the metrics have this line.
async fn until_counted(metrics: &Metrics, line: &str) {
    let counted = async {
        while !metrics.text().expect("answered").lines().any(|of| of == line) {
            tokio::task::yield_now().await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(40), counted).await;
    assert!(in_time.is_ok(), "{line}: {}", metrics.text().expect("answered"));
}

impl Rig {
    /// `more`: receivers besides the webhook, and other settings.
    async fn start(more: &str) -> Self {
        let playground = Playground::start(Options::quiet()).await.expect("a free port");
        let hook = Webhook::start().await.expect("a port");
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("dogwatch.yaml");
        let receivers = format!("receivers:\n{}{more}", hook.receiver(folder.path()).expect("written"));
        fs::write(&config, format!("config-map-values: true\n{receivers}{RULES}")).expect("written");
        let config = config.display().to_string();
        let (gateway, metrics) = serve(&playground, &config);
        let rig = Self { playground, gateway, metrics, hook, config, _folder: folder };
        rig.put("first", "good");
        rig
    }

    fn put(&self, name: &str, state: &str) {
        let of = json!({ "data": { "state": state }, "metadata": { "labels": { "by": "test" } } });
        if self.playground.get("configmaps", "default", name).is_some() {
            self.playground.patch("configmaps", "default", name, of).expect("patched");
            return;
        }
        let mut object = json!({ "apiVersion": "v1", "kind": "ConfigMap" });
        object["metadata"] = json!({ "name": name, "namespace": "default", "labels": { "by": "test" } });
        object["data"] = of["data"].clone();
        self.playground.create(object).expect("created");
    }

    async fn until_counted(&self, line: &str) {
        until_counted(&self.metrics, line).await;
    }

    /// Returns when the rules' feed was proven, so what is written now is seen.
    async fn until_listened(&self) {
        self.until_counted("dogwatch_rules_feeds 1").await;
    }

    /// Returns when the log says this.
    async fn until_said(&self, words: &str) {
        let said = async {
            while !self.gateway.stderr().contains(words) {
                tokio::task::yield_now().await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(40), said).await;
        assert!(in_time.is_ok(), "{words}: {}", self.gateway.stderr());
    }

    /// The next event, in short: its rule, its state and its group.
    async fn told(&mut self) -> String {
        let event = tokio::time::timeout(Duration::from_secs(40), self.hook.events.recv()).await;
        let event =
            event.unwrap_or_else(|_| panic!("nothing came: {}", self.gateway.stderr())).expect("a hook");
        let data = &event["data"];
        let text = |key: &str| data[key].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", text("rule"), text("state"), text("group"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_told_what_holds_and_an_outage_of_the_api_server_is_silent_and_then_right() {
    let mut rig = Rig::start("").await;
    rig.until_listened().await;
    rig.put("first", "bad");
    let mut told = vec![rig.told().await, rig.told().await];
    told.sort();
    assert_eq!(told, ["bad firing default/first", "changed happened default/first"]);
    rig.playground.down();
    rig.put("first", "good");
    rig.put("second", "bad");
    // It was bad for a moment that no proof saw.
    rig.put("third", "bad");
    rig.put("third", "good");
    assert!(rig.hook.events.try_recv().is_err(), "nothing is proven");
    rig.playground.up().await.expect("its port");
    let mut told = vec![rig.told().await, rig.told().await, rig.told().await];
    told.sort();
    assert_eq!(
        told,
        ["bad firing default/second", "bad resolved default/first", "changed happened default/first"]
    );
    for line in [
        "dogwatch_rules_firing 1",
        "dogwatch_notifications_sent_total{receiver=\"ops\"} 5",
        "dogwatch_notifications_lost_total{receiver=\"ops\"} 0",
    ] {
        rig.until_counted(line).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_gateways_one_tells_a_webhook_and_the_other_goes_on_when_it_is_killed() {
    let database = PostgresServer::start().expect("it starts");
    database.create("past").expect("made");
    let mut rig = Rig::start(&format!("history: {}\nreplicas: 2\n", database.url("past"))).await;
    rig.until_listened().await;
    let (second, numbers) = serve(&rig.playground, &rig.config);
    until_counted(&numbers, "dogwatch_rules_feeds 1").await;
    rig.put("first", "bad");
    let mut told = vec![rig.told().await, rig.told().await];
    told.sort();
    assert_eq!(told, ["bad firing default/first", "changed happened default/first"]);
    let sent = "dogwatch_notifications_sent_total{receiver=\"ops\"} 2";
    let none = "dogwatch_notifications_sent_total{receiver=\"ops\"} 0";
    // Both would have told it, and the one that didn't has heard that it is done.
    let waiting = "dogwatch_notifications_waiting{receiver=\"ops\"} 0";
    let fired = "dogwatch_notifications_total{turn=\"firing\"} 1";
    for numbers in [&rig.metrics, &numbers] {
        until_counted(numbers, fired).await;
        until_counted(numbers, waiting).await;
    }
    let texts = [&rig.metrics, &numbers].map(|numbers| numbers.text().expect("answered"));
    let has = |line: &str| texts.each_ref().map(|text| text.lines().any(|of| of == line));
    let leads = has(sent);
    assert_eq!(has(none), leads.map(|leads| !leads), "one of them told both");
    let (leader, other) = if leads[0] { (rig.gateway, second) } else { (second, rig.gateway) };
    leader.kill().expect("killed");
    rig.gateway = other;
    rig.put("first", "good");
    let mut told = vec![rig.told().await, rig.told().await];
    told.sort();
    assert_eq!(told, ["bad resolved default/first", "changed happened default/first"]);
    assert!(rig.hook.events.try_recv().is_err(), "each was told once");
}

/// Ends with the test.
struct Alertmanager {
    child: Child,
    address: String,
    _folder: TempDir,
}

impl Alertmanager {
    fn start() -> Self {
        let program = Binaries::ensure_alertmanager().expect("it builds");
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("alertmanager.yaml");
        fs::write(&config, "route: {receiver: none}\nreceivers: [{name: none}]\n").expect("written");
        let address = free_address().to_string();
        let child = Command::new(program)
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.path={}", folder.path().join("data").display()))
            .arg(format!("--web.listen-address={address}"))
            .arg("--cluster.listen-address=")
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        Self { child: child.expect("it runs"), address, _folder: folder }
    }

    /// The alerts that it has, when they satisfy this.
    async fn until(&self, is_so: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let found = async {
            loop {
                let answer = get(self.address.clone(), "/api/v2/alerts").unwrap_or_default();
                let alerts = answer
                    .find('[')
                    .and_then(|at| serde_json::from_str::<Vec<Value>>(answer[at..].trim()).ok());
                if let Some(alerts) = alerts.filter(|alerts| is_so(alerts)) {
                    return alerts;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(40), found).await.expect("alerts")
    }
}

impl Drop for Alertmanager {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_alertmanager_has_what_fires_and_no_more_what_is_over() {
    let alertmanager = Alertmanager::start();
    let more = format!("- {{name: pager, alertmanager: 'http://{}'}}\n", alertmanager.address);
    let rig = Rig::start(&more).await;
    rig.until_listened().await;
    rig.put("first", "bad");
    let alerts = alertmanager.until(|alerts| !alerts.is_empty()).await;
    let labels = json!({
        "alertname": "bad", "cluster": rig.gateway.cluster_name(), "kind": "configmaps", "group": "default/first",
        "namespace": "default", "severity": "critical", "source": "dogwatch",
    });
    assert_eq!(
        (alerts.len(), &alerts[0]["labels"], &alerts[0]["status"]["state"]),
        (1, &labels, &json!("active"))
    );
    rig.put("first", "good");
    alertmanager.until(<[Value]>::is_empty).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_rules_take_effect_on_a_signal_and_a_file_that_cannot_be_used_changes_nothing() {
    let mut rig = Rig::start("").await;
    rig.until_listened().await;
    let written = fs::read_to_string(&rig.config).expect("read");
    let pager = "receivers:\n- {name: pager, alertmanager: 'http://127.0.0.1:9'}\n";
    for (text, says) in [
        (written.replace("jsonpath={.data.state}=bad", "nonsense"), "\"nonsense\" is no form"),
        (
            written.replace("receivers:\n", pager).replace("to: [ops]", "to: [pager]"),
            "tells pager, a receiver that only a restart brings",
        ),
    ] {
        fs::write(&rig.config, text).expect("written");
        rig.gateway.signal(Signal::HUP).expect("it runs");
        rig.until_said(says).await;
    }
    rig.put("first", "bad");
    let mut told = vec![rig.told().await, rig.told().await];
    told.sort();
    assert_eq!(told, ["bad firing default/first", "changed happened default/first"], "the old rules go on");
    let (before, _) = written.split_once("- {name: changed").expect("the last rule");
    let other = "- {name: new, kind: serviceaccounts, when: created, to: [ops]}\n";
    fs::write(&rig.config, format!("{before}{other}")).expect("written");
    rig.gateway.signal(Signal::HUP).expect("it runs");
    rig.until_counted("dogwatch_rules_feeds 2").await;
    let mut account = json!({ "apiVersion": "v1", "kind": "ServiceAccount" });
    account["metadata"] = json!({ "name": "robot", "namespace": "default" });
    rig.playground.create(account).expect("created");
    assert_eq!(rig.told().await, "new happened default/robot");
    rig.put("first", "good");
    assert_eq!(rig.told().await, "bad resolved default/first", "it fired before");
    fs::write(&rig.config, written.split_once("rules:").expect("rules").0).expect("written");
    rig.gateway.signal(Signal::HUP).expect("it runs");
    rig.until_counted("dogwatch_rules_feeds 0").await;
    assert!(rig.hook.events.try_recv().is_err());
}
