//! What the gateway masks, on its way to a viewer: nothing of it is in any frame, whatever a viewer asks for.

use crate::canary::{MASK, read};
use crate::over_channels::Gateway;
use playground::Options;
use serde_json::{Value, json};
use shared::frame::server::ServerFrame;
use shared::frame::timeline::{Entry, EntryType, Field};
use shared::patch::Operation;
use shared::row::RowId;

fn deployments() -> Value {
    json!({"group": "apps", "version": "v1", "resource": "deployments"})
}

fn config_maps() -> Value {
    json!({"group": "", "version": "v1", "resource": "configmaps"})
}

fn deployment(canary: &str) -> Value {
    let annotations = json!({
        "kubectl.kubernetes.io/last-applied-configuration": canary,
        "kapp.k14s.io/original": canary,
        "example.com/password": canary,
    });
    let container = json!({
        "name": "app", "image": "app:1", "args": [format!("--password={canary}"), "--kept"],
        "env": [{"name": "ANY", "value": canary}],
        "livenessProbe": {"httpGet": {"port": 1, "httpHeaders": [{"name": "X-Token", "value": canary}]}},
    });
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "annotations": annotations},
        "spec": {
            "replicas": 0, "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
        },
    })
}

fn release(canary: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "release", "namespace": "shop"},
        "data": {"release": canary, "kept": "x"},
    })
}

#[tokio::test]
async fn r_data_1_no_frame_of_any_projection_holds_what_is_masked() {
    let gateway = Gateway::start(Options::quiet()).await;
    gateway.playground.create(deployment("canary-1")).expect("created");
    gateway.playground.create(release("canary-1")).expect("created");
    let mut client = gateway.client().await;
    let paths = [
        ".data",
        ".metadata.annotations",
        "..*",
        ".spec.template.spec.containers[*].args",
        ".data['release']",
    ];
    let columns: Vec<Value> = paths.iter().map(|path| json!({"name": path, "path": path})).collect();
    for (id, resource, name) in [(10, deployments(), "web"), (20, config_maps(), "release")] {
        let one = json!({"resource": resource, "namespaces": ["shop"], "name": name});
        client.say(&json!({"subscribe": {"id": id, "scope": {"resource": resource}}}));
        client
            .say(&json!({"subscribe": {"id": id + 1, "scope": {"resource": resource}, "columns": columns}}));
        client.say(&json!({"subscribe": {"id": id + 2, "scope": one, "projection": "timeline"}}));
        client.say(&json!({"subscribe": {"id": id + 3, "scope": one, "projection": "object"}}));
        client.say(&json!({"get": {"id": id + 4, "scope": one}}));
        read(&mut client, |frame| matches!(frame, ServerFrame::Object(frame) if frame.id.is_some())).await;
        read(&mut client, |frame| matches!(frame, ServerFrame::Sync(_))).await;
    }
    gateway
        .playground
        .patch("configmaps", "shop", "release", json!({"data": {"release": "canary-2"}}))
        .expect("patched");
    let is_change = |entry: &Entry| entry.kind == EntryType::Modified;
    let frame = read(
        &mut client,
        |frame| matches!(frame, ServerFrame::Timeline(frame) if frame.entries.iter().any(is_change)),
    );
    let ServerFrame::Timeline(frame) = frame.await else { panic!("a timeline") };
    let fields = frame.entries.into_iter().flat_map(|entry| entry.fields);
    let fields: Vec<Field> = fields.filter(|field| !field.path.starts_with("/metadata")).collect();
    let masked = Some(json!(MASK));
    let [Field { path, old, new, .. }] = fields.as_slice() else { panic!("one field: {fields:?}") };
    assert_eq!((&**path, old, new), ("/data/release", &masked, &masked));
    let spec = json!({"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:1",
        "args": ["--password=canary-2", "--kept"]}]}}}});
    gateway.playground.patch("deployments.apps", "shop", "web", spec).expect("patched");
    let replaced = Operation::Replace {
        path: "/spec/template/spec/containers/0/args/0".into(),
        value: json!(format!("--password={MASK}")),
    };
    read(&mut client, |frame| matches!(frame, ServerFrame::Object(frame) if frame.patch.contains(&replaced)))
        .await;
    let counted = gateway.context.metrics.encode().expect("text");
    assert!(!counted.contains("canary"), "{counted}");
}

#[tokio::test]
async fn a_table_says_which_row_changed_behind_a_mask() {
    let gateway = Gateway::start(Options::quiet()).await;
    gateway.playground.create(release("one")).expect("created");
    let mut client = gateway.client().await;
    client.say(&json!({"subscribe": {"id": 1, "scope": {"resource": config_maps()}}}));
    read(&mut client, |frame| matches!(frame, ServerFrame::Sync(_))).await;
    let changes = [
        (json!({"data": {"release": "two"}}), true),
        (json!({"metadata": {"labels": {"colour": "red"}}}), false),
        (json!({"metadata": {"labels": {"colour": "blue"}}, "data": {"more": "three"}}), true),
    ];
    for (change, is_masked) in changes {
        gateway.playground.patch("configmaps", "shop", "release", change.clone()).expect("patched");
        let is_rows = |frame: &ServerFrame| matches!(frame, ServerFrame::Rows(rows) if !rows.more && (!rows.set.is_empty() || !rows.put.is_empty()));
        let ServerFrame::Rows(rows) = read(&mut client, is_rows).await else { panic!("rows") };
        let changed = rows.set.iter().map(|patch| patch.id).chain(rows.put.iter().map(|row| row.id));
        let expected: Vec<RowId> = changed.filter(|_| is_masked).collect();
        assert_eq!(rows.masked, expected, "{change}");
    }
}

/// The certificates of the playground, with one column.
fn certificates(path: &str) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let columns = json!([{"name": "Word", "type": "string", "jsonPath": path}]);
    json!({"spec": {"versions": [
        {"name": "v1", "served": true, "storage": true, "schema": schema, "additionalPrinterColumns": columns},
    ]}})
}

#[tokio::test]
async fn r_data_1_a_printer_column_of_a_masked_value_is_masked_also_when_its_definition_has_changed() {
    let gateway = Gateway::start(Options::quiet()).await;
    let playground = &gateway.playground;
    let define = |path: &str| {
        let definitions = "customresourcedefinitions.apiextensions.k8s.io";
        playground
            .patch(definitions, "", "certificates.cert-manager.io", certificates(path))
            .expect("patched");
    };
    define(".spec.name");
    let certificate = json!({
        "apiVersion": "cert-manager.io/v1", "kind": "Certificate",
        "metadata": {"name": "one", "namespace": "shop"}, "spec": {"name": "shown", "password": "canary-1"},
    });
    playground.create(certificate).expect("created");
    let mut client = gateway.client().await;
    let resource = json!({"group": "cert-manager.io", "version": "v1", "resource": "certificates"});
    client.say(&json!({"subscribe": {"id": 1, "scope": {"resource": resource}}}));
    let shows = |frame: &ServerFrame, cell: &str| {
        let ServerFrame::Rows(rows) = frame else { return false };
        json!(rows).to_string().contains(&format!("\"{cell}\""))
    };
    read(&mut client, |frame| shows(frame, "shown")).await;
    define(".spec.password");
    // The watch of before may still tell of a change or two.
    for size in 0.. {
        let changed = json!({"spec": {"size": size}});
        playground.patch("certificates.cert-manager.io", "shop", "one", changed).expect("patched");
        let rows = read(&mut client, |frame| matches!(frame, ServerFrame::Rows(_))).await;
        if shows(&rows, MASK) {
            break;
        }
    }
}
