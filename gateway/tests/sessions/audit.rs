//! What a viewer did stands in the audit log, with who it was; and nothing that they saw.

use gateway::audit::{Audit, AuditFile, AuditTarget};
use serde_json::{Value, json};
use shared::frame::server::ServerFrame;
use shared::state::ViewState;

use crate::over_channels::{Client, Heard};
use crate::rights::{ALICE, BOB, gateway, user};

const CANARY: &str = "canary-4711";

fn config_maps(client: &Client, id: u64, namespaces: &Value) {
    let resource = json!({"group": "", "version": "v1", "resource": "configmaps"});
    client.say(&json!({"subscribe": {"id": id, "scope": {"resource": resource, "namespaces": namespaces}}}));
}

/// Reads until the gateway says what is shown of a subscription: these namespaces, or none.
async fn until_shown(client: &mut Client, id: u32, namespaces: &[&str]) {
    client
        .until(|frame| {
            let ServerFrame::Subscribed(subscribed) = frame else { return None };
            let is_forbidden = matches!(subscribed.state.state, ViewState::Forbidden { .. });
            let shown = json!(subscribed.scope.namespaces);
            let is_so = if namespaces.is_empty() { is_forbidden } else { shown == json!(namespaces) };
            (subscribed.id == id && is_so).then_some(())
        })
        .await;
}

#[tokio::test]
async fn r_aud_1_each_decision_about_a_viewer_is_recorded_with_who_it_was_and_nothing_that_they_saw() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.log");
    let mut gateway = gateway().await;
    let file = AuditFile::open(&AuditTarget::File(path.clone())).expect("opened");
    let metrics = gateway.context.metrics.clone();
    gateway.audit = Audit::start(Some(file), "bearer", "playground", metrics).expect("started");
    let patch = json!({"data": {"key": CANARY}, "metadata": {"labels": {"canary": CANARY}}});
    gateway.playground.patch("configmaps", "team-a", "of-team-a", patch).expect("patched");
    gateway.bind("team-a", "reader", &user("alice"));
    gateway.bind("team-b", "reader", &user("alice"));

    let mut alice = gateway.bearer(ALICE);
    config_maps(&alice, 1, &Value::Null);
    until_shown(&mut alice, 1, &["team-a", "team-b"]).await;
    config_maps(&alice, 2, &json!(["team-c"]));
    until_shown(&mut alice, 2, &[]).await;
    for resource in ["configmaps", "pods"] {
        let resource = json!({"group": "", "version": "v1", "resource": resource});
        alice.say(&json!({"rights": {"id": 4, "resource": resource}}));
        alice.until(|frame| matches!(frame, ServerFrame::Rights(_)).then_some(())).await;
    }
    let rollouts = json!({"group": "argoproj.io", "version": "v1alpha1", "resource": "rollouts"});
    alice.say(&json!({"children": {"id": 5, "resource": rollouts, "namespace": "team-a"}}));
    alice.until(|frame| matches!(frame, ServerFrame::Children(_)).then_some(())).await;
    gateway.unbind("team-b");
    until_shown(&mut alice, 1, &["team-a"]).await;
    gateway.unbind("team-a");
    until_shown(&mut alice, 1, &[]).await;
    let secret = json!({"group": "", "version": "v1", "resource": "secrets"});
    alice.say(
        &json!({"get": {"id": 3, "scope": {"resource": secret, "namespaces": ["team-a"], "name": "s"}}}),
    );
    alice.until(|frame| matches!(frame, ServerFrame::Problem(_)).then_some(())).await;
    alice.leave().await.expect("it ends");
    let mut stranger = gateway.bearer("aWrongToken");
    while !matches!(stranger.heard().await, Heard::Closed(_)) {}
    gateway.audit.end().await;

    let text = std::fs::read_to_string(&path).expect("read");
    let records: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON in each line")).collect();
    let told = |record: &Value| {
        let who = record["user"].as_str().unwrap_or("-").to_owned();
        let of = record["subscription"].as_u64().map_or(String::new(), |id| format!(" {id}"));
        let shown = record["granted"].as_array().map_or(String::new(), |names| format!(" {}", json!(names)));
        format!("{who}: {}{of}{shown}", record["event"].as_str().expect("an event"))
    };
    let told: Vec<String> = records.iter().map(told).collect();
    assert_eq!(
        told,
        [
            "alice: login",
            "alice: subscribe 1 [\"team-a\",\"team-b\"]",
            "alice: deny 2",
            "alice: rights 4 [\"team-a\",\"team-b\"]",
            "alice: rights-refused 4",
            "alice: children 5",
            "alice: scope 1 [\"team-a\"]",
            "alice: revoke 1",
            "alice: deny 3",
            "alice: end",
            "-: login-refused",
        ]
    );
    let connections: Vec<&Value> = records.iter().map(|record| &record["connection"]).collect();
    assert!(connections[..10].iter().all(|one| *one == connections[0]) && connections[10] != connections[0]);
    assert!(records[0]["groups"].to_string().contains("dev"), "{text}");
    assert!(records[7]["reason"].as_str().expect("a reason").contains("you may not list configmaps"));
    for hidden in [ALICE, BOB, "aWrongToken", CANARY, "of-team"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
}
