//! Secrets by name, where the operator allows that: no frame, no metric and no request of the gateway has a value.

use gateway::cluster::Ceiling;
use playground::Options;
use serde_json::{Value, json};
use shared::frame::server::ServerFrame;
use shared::problem::Reason;

use crate::canary::{MASK, read};
use crate::over_channels::Gateway;

fn secrets() -> Value {
    json!({"group": "", "version": "v1", "resource": "secrets"})
}

/// Its values in each place in which a cluster keeps them.
fn secret(canary: &str) -> Value {
    let applied = json!({"kind": "Secret", "stringData": {"password": canary}}).to_string();
    let annotations = json!({
        "kubectl.kubernetes.io/last-applied-configuration": applied,
        "kopf.example.org/last-handled": canary,
    });
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {"name": "db", "namespace": "shop", "labels": {"app": "shop"}, "annotations": annotations},
        "data": {"password": canary, "user": canary},
    })
}

#[tokio::test]
async fn r_data_2_no_frame_holds_a_secrets_values_and_the_secret_itself_is_never_asked_for() {
    let ceiling = Ceiling::default().with_secret_names(true);
    let gateway = Gateway::under(ceiling, Options::quiet()).await;
    gateway.playground.create(secret("canary-1")).expect("created");
    let mut client = gateway.client().await;
    let one = json!({"resource": secrets(), "namespaces": ["shop"], "name": "db"});
    let all = json!({"resource": secrets()});
    let own = json!([{"name": "A", "path": ".metadata.annotations"}, {"name": "L", "path": ".metadata.labels.app"}]);
    client.say(&json!({"subscribe": {"id": 1, "scope": all}}));
    let is_rows = |frame: &ServerFrame| matches!(frame, ServerFrame::Rows(rows) if !rows.put.is_empty());
    let ServerFrame::Rows(rows) = read(&mut client, is_rows).await else { panic!("rows") };
    let db = rows.put.iter().find(|row| &*row.name == "db").expect("a row");
    let cells = json!(db.cells);
    assert_eq!(
        (&cells[0], &cells[1], &cells[2]),
        (&json!("db"), &json!("Opaque"), &json!(2)),
        "as kubectl prints it: {cells}"
    );
    client.say(&json!({"subscribe": {"id": 2, "scope": all, "columns": own}}));
    client.say(&json!({"subscribe": {"id": 3, "scope": one, "projection": "timeline"}}));
    client.say(&json!({"subscribe": {"id": 4, "scope": one, "projection": "object"}}));
    client.say(&json!({"get": {"id": 5, "scope": one}}));
    let is_answer = |frame: &ServerFrame| matches!(frame, ServerFrame::Object(frame) if frame.id.is_some());
    let ServerFrame::Object(frame) = read(&mut client, is_answer).await else { panic!("an object") };
    let object = frame.object.expect("it is there");
    let mut members: Vec<&str> = object.as_object().expect("an object").keys().map(String::as_str).collect();
    members.sort_unstable();
    assert_eq!(members, ["apiVersion", "kind", "metadata"], "{object}");
    assert_eq!(object["metadata"]["annotations"], json!({"kopf.example.org/last-handled": MASK}));
    assert_eq!(object["metadata"]["labels"], json!({"app": "shop"}));

    let change = secret("canary-2");
    let change = json!({"metadata": change["metadata"].clone(), "data": change["data"].clone()});
    gateway.playground.patch("secrets", "shop", "db", change).expect("patched");
    read(&mut client, |frame| matches!(frame, ServerFrame::Timeline(frame) if !frame.entries.is_empty()))
        .await;

    for (id, path) in [(6, ".data"), (7, "..password"), (8, ".type")] {
        let columns = json!([{"name": "X", "path": path}]);
        client.say(&json!({"subscribe": {"id": id, "scope": all, "columns": columns}}));
        let is_problem =
            |frame: &ServerFrame| matches!(frame, ServerFrame::Problem(frame) if frame.id == Some(id));
        let ServerFrame::Problem(refused) = read(&mut client, is_problem).await else { panic!("a problem") };
        assert!(refused.problem.message.contains("only the metadata is read"), "{refused:?}");
    }

    let counted = gateway.context.metrics.encode().expect("text");
    assert!(!counted.contains("canary"), "{counted}");
    let asked = gateway.playground.requests();
    let of_secrets: Vec<_> = asked.iter().filter(|asked| asked.path_and_query.contains("/secrets")).collect();
    assert!(!of_secrets.is_empty());
    for request in of_secrets {
        let is_table = request.accept == "application/json;as=Table;v=v1;g=meta.k8s.io"
            && request.path_and_query.contains("includeObject=Metadata");
        let is_proof = request.accept == "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
        assert!(is_table || is_proof, "{request:?}");
    }
}

#[tokio::test]
async fn r_data_2_secrets_are_hidden_unless_their_names_are_allowed() {
    let gateway = Gateway::start(Options::quiet()).await;
    gateway.playground.create(secret("canary-1")).expect("created");
    let mut client = gateway.client().await;
    for frame in [
        json!({"subscribe": {"id": 1, "scope": {"resource": secrets()}}}),
        json!({"get": {"id": 2, "scope": {"resource": secrets(), "namespaces": ["shop"], "name": "db"}}}),
    ] {
        client.say(&frame);
        let is_problem = |frame: &ServerFrame| matches!(frame, ServerFrame::Problem(_));
        let ServerFrame::Problem(refused) = read(&mut client, is_problem).await else { panic!("a problem") };
        assert_eq!(refused.problem.reason, Reason::Hidden);
        assert!(
            refused
                .problem
                .message
                .starts_with("Secrets are hidden by this gateway; its setting secret-names")
        );
    }
    let asked = gateway.playground.requests();
    assert!(asked.iter().all(|asked| !asked.path_and_query.contains("/secrets")), "{asked:?}");
}
