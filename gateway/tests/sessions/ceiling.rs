//! What an operator hides is in no frame, whatever a viewer asks for.

use gateway::cluster::{Ceiling, Choice, Pattern};
use playground::Options;
use serde_json::{Value, json};
use shared::frame::server::ServerFrame;
use shared::problem::Reason;

use crate::over_channels::{Client, Gateway};

fn hidden(name: &str) -> Choice {
    Choice { only: Vec::new(), hidden: Pattern::parse(name).into_iter().collect() }
}

fn scope(plural: &str) -> Value {
    json!({"resource": {"group": "", "version": "v1", "resource": plural}})
}

fn config_map(name: &str, namespace: &str) -> Value {
    let metadata = json!({"name": name, "namespace": namespace});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"of": namespace}})
}

/// Reads until a frame holds all texts. None holds a canary.
async fn read(client: &mut Client, texts: &[&str]) {
    let mut missing = texts.to_vec();
    while !missing.is_empty() {
        let frame = client.next().await;
        let text = format!("{}\n{frame:?}", json!(frame));
        assert!(!text.contains("canary"), "{text}");
        missing.retain(|wanted| !text.contains(wanted));
    }
}

async fn refusal(client: &mut Client, id: u32, scope: Value) -> (Reason, String) {
    client.say(&json!({"subscribe": {"id": id, "scope": scope}}));
    loop {
        if let ServerFrame::Problem(frame) = client.next().await {
            return (frame.problem.reason, frame.problem.message);
        }
    }
}

#[tokio::test]
async fn objects_of_a_hidden_namespace_are_in_no_frame_and_who_names_it_is_refused() {
    let gateway = Gateway::under(Ceiling::of(Choice::default(), hidden("canary-*")), Options::quiet()).await;
    let playground = &gateway.playground;
    let namespace = |name: &str| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    playground.create(namespace("canary-vault")).expect("created");
    playground.create(config_map("canary-1", "canary-vault")).expect("created");
    playground.create(config_map("listed", "shop")).expect("created");

    let mut client = gateway.client().await;
    client.say(&json!({"subscribe": {"id": 1, "scope": scope("configmaps")}}));
    client.say(&json!({"subscribe": {"id": 2, "scope": scope("configmaps"), "projection": "timeline"}}));
    client.say(&json!({"subscribe": {"id": 3, "scope": scope("namespaces")}}));
    read(&mut client, &["\"listed\"", "\"kube-system\""]).await;

    playground.create(namespace("canary-two")).expect("created");
    playground.create(config_map("canary-2", "canary-two")).expect("created");
    let patch = json!({"data": {"of": "canary"}});
    playground.patch("configmaps", "canary-vault", "canary-1", patch).expect("patched");
    playground.delete("configmaps", "canary-vault", "canary-1").expect("deleted");
    playground.create(config_map("watched", "shop")).expect("created");
    read(&mut client, &["\"watched\""]).await;

    let one = json!({"namespaces": ["canary-vault"], "resource": scope("configmaps")["resource"]});
    let (reason, message) = refusal(&mut client, 4, one).await;
    assert_eq!(
        (reason, &*message),
        (Reason::Hidden, "the namespace \"canary-vault\" is hidden by this gateway")
    );
}

#[tokio::test]
async fn a_hidden_kind_is_not_asked_for() {
    let gateway = Gateway::under(Ceiling::of(hidden("events"), Choice::default()), Options::quiet()).await;
    let mut client = gateway.client().await;
    let before = gateway.context.metrics.encode().expect("text");
    let refused = refusal(&mut client, 1, scope("events")).await;
    assert_eq!(refused, (Reason::Hidden, "events are hidden by this gateway".to_owned()));
    let asked = |text: &str| text.lines().filter(|line| line.contains("resource=\"events")).count();
    assert_eq!((asked(&before), asked(&gateway.context.metrics.encode().expect("text"))), (0, 0));
}
