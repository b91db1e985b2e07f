//! The logs that a viewer is told over a session: by their own rights, recorded by their names, masked, and nowhere else.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use gateway::access::RightsMode;
use gateway::audit::{Audit, AuditFile, AuditTarget};
use gateway::cluster::Ceiling;
use serde_json::{Value, json};
use shared::frame::server::{LogPart, ServerFrame};
use shared::problem::{Problem, Reason};
use shared::state::ViewState;

use crate::over_channels::{Client, Gateway};
use crate::rights::{ALICE, options, user};

const SECRET: &str = "hunter2-4711";
const CANARY: &str = "canary-4711";

async fn gateway(rights: RightsMode) -> Gateway {
    let gateway = Gateway::with_rights(rights, Ceiling::default().with_logs(true), options()).await;
    let playground = &gateway.playground;
    let namespaced = |name: &str| json!({"name": name, "namespace": "team-a"});
    let rules = json!([
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
        {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
    ]);
    let template = json!({"metadata": {"labels": {"app": "cart"}}, "spec": {"containers": [{"name": "app", "image": "a"}]}});
    for object in [
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}}),
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": namespaced("reader"), "rules": rules}),
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": namespaced("cart"),
            "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "cart"}}, "template": template}}),
        json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "cart-0", "namespace": "team-a", "labels": {"app": "cart"}},
            "spec": {"nodeName": "node", "containers": [{"name": "app", "image": "a"}]}}),
    ] {
        playground.create(object).expect("created");
    }
    let status = json!({"status": {"phase": "Running", "containerStatuses": [{
        "name": "app", "image": "registry.example.com/tests/secret:v1", "containerID": "one",
        "state": {"running": {"startedAt": "2026-03-01T10:00:00Z"}},
    }]}});
    playground.patch("pods", "team-a", "cart-0", status).expect("patched");
    gateway
}

fn ask(client: &Client, id: u64, name: &str) {
    let resource = json!({"group": "apps", "version": "v1", "resource": "deployments"});
    let scope = json!({"resource": resource, "namespaces": ["team-a"], "name": name});
    client.say(&json!({"log": {"id": id, "scope": scope, "asked": {"tail": 3}}}));
}

/// Reads until the view of pods is shown, or isn't.
async fn until_allowed(client: &mut Client, is_allowed: bool) {
    let is_so = |frame| {
        let ServerFrame::Subscribed(subscribed) = frame else { return None };
        let is_refused = matches!(subscribed.state.state, ViewState::Forbidden { .. });
        (subscribed.id == 9 && is_refused != is_allowed).then_some(())
    };
    client.until(is_so).await;
}

/// The next part, or why there is none.
async fn next(client: &mut Client) -> Result<LogPart, Problem> {
    client
        .until(|frame| match frame {
            ServerFrame::Log(answer) => Some(Ok(answer.read().expect("it can be read"))),
            ServerFrame::Problem(frame) => Some(Err(frame.problem)),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn r_log_1_logs_of_a_workload_are_told_by_the_viewers_own_rights_and_recorded_without_their_lines() {
    for rights in [RightsMode::Shared, RightsMode::Impersonate] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit.log");
        let mut gateway = gateway(rights).await;
        let file = AuditFile::open(&AuditTarget::File(path.clone())).expect("opened");
        let metrics = gateway.context.metrics.clone();
        gateway.audit = Audit::start(Some(file), "bearer", "playground", metrics).expect("started");
        let mut alice = gateway.bearer(ALICE);
        assert!(alice.welcome().await.logs);
        // Of another one, for what was decided is remembered for a while.
        ask(&alice, 1, "other");
        let refused = next(&mut alice).await.expect_err("she may not");
        assert_eq!(refused.reason, Reason::Forbidden, "{refused}");
        assert!(refused.message.contains("you may not get deployments.apps/other"), "{refused}");
        let is_log = |path: &str| path.contains("/log?");
        let asked = gateway.playground.requests();
        assert!(
            !asked.iter().any(|request| is_log(&request.path_and_query)),
            "nothing is asked without the right"
        );

        // The view says when the right is heard of.
        let resource = json!({"group": "", "version": "v1", "resource": "pods"});
        alice
            .say(&json!({"subscribe": {"id": 9, "scope": {"resource": resource, "namespaces": ["team-a"]}}}));
        until_allowed(&mut alice, false).await;
        gateway.bind("team-a", "reader", &user("alice"));
        until_allowed(&mut alice, true).await;
        ask(&alice, 2, "cart");
        let mut told = next(&mut alice).await.expect("she may");
        while !told.caught_up {
            let part = next(&mut alice).await.expect("it is told");
            told.sources.extend(part.sources);
            told.entries.extend(part.entries);
            told.caught_up = part.caught_up;
        }
        assert_eq!((&*told.sources[0].pod, &*told.sources[0].container), ("cart-0", "app"));
        let lines: Vec<&str> = told.entries.iter().filter_map(|entry| entry.text.as_deref()).collect();
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.contains(CANARY) && line.contains("••••••••")), "{lines:?}");

        gateway.unbind("team-a");
        let ended = loop {
            match next(&mut alice).await {
                Ok(_) => {}
                Err(problem) => break problem,
            }
        };
        assert_eq!(ended.reason, Reason::Forbidden, "{ended}");
        alice.leave().await.expect("it ends");
        gateway.audit.end().await;

        let text = std::fs::read_to_string(&path).expect("read");
        let records: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON in each line")).collect();
        let of = |event: &str| records.iter().filter(|record| record["event"] == event).collect::<Vec<_>>();
        let [read] = of("log")[..] else { panic!("one is read: {text}") };
        assert_eq!(
            (&read["user"], &read["name"], &read["container"], &read["namespaces"]),
            (&json!("alice"), &json!("cart-0"), &json!("app"), &json!(["team-a"]))
        );
        assert!(!of("deny").is_empty() && of("revoke").len() == 1, "{text}");
        let metrics = gateway.context.metrics.encode().expect("text");
        for hidden in [SECRET, CANARY] {
            assert!(!text.contains(hidden) && !metrics.contains(hidden) && !lines.concat().contains(SECRET));
        }
    }
}

#[tokio::test]
async fn a_gateway_that_shows_no_logs_says_so_in_its_welcome_and_to_whoever_asks() {
    let gateway = Gateway::for_bearers(Ceiling::default(), options()).await;
    let mut alice = gateway.bearer(ALICE);
    assert!(!alice.welcome().await.logs);
    ask(&alice, 1, "cart");
    let refused = next(&mut alice).await.expect_err("there are none");
    assert!(refused.message.contains("this gateway shows no logs"), "{refused}");
}
