//! Field selectors: which fields each resource can be selected by, and what is refused.

use serde_json::json;

use crate::case::{Case, escaped};

statements![
    name_and_namespace_choose_in_every_resource,
    a_pod_is_chosen_by_its_phase_its_node_and_its_defaults,
    events_are_chosen_by_what_they_are_about,
    secrets_services_and_namespaces_are_chosen_by_their_types_and_phases,
    a_custom_kind_is_chosen_by_the_fields_that_it_declares,
    a_field_that_is_not_known_is_400_in_the_resources_own_words,
    a_field_selector_that_cannot_be_parsed_is_400,
    an_escaped_comma_is_part_of_a_value_and_an_empty_term_means_nothing,
];

async fn names(case: &Case, path: &str, selector: &str) -> Vec<String> {
    let list = case.get(&format!("{path}?fieldSelector={}", escaped(selector))).await;
    assert_eq!(list.code, 200, "{selector}: {}", list.text);
    list.names()
}

async fn name_and_namespace_choose_in_every_resource(case: Case) {
    let path = case.configs();
    case.config_maps(&["a", "b", "c"]).await;
    assert_eq!(names(&case, &path, "metadata.name=b").await, ["b"]);
    assert_eq!(names(&case, &path, "metadata.name==b").await, ["b"]);
    assert_eq!(names(&case, &path, "metadata.name!=b").await, ["a", "c"]);
    assert_eq!(names(&case, &path, "metadata.name!=b,metadata.name!=c").await, ["a"]);
    let here = format!("metadata.namespace={},metadata.name=a", case.namespace);
    assert_eq!(names(&case, "/api/v1/configmaps", &here).await, ["a"]);
    assert!(names(&case, &path, "metadata.namespace=other").await.is_empty());
}

async fn a_pod_is_chosen_by_its_phase_its_node_and_its_defaults(case: Case) {
    let path = case.pods();
    case.pod("a").await;
    // Defaults are chosen like fields that were written.
    for selector in [
        "spec.restartPolicy=Always",
        "spec.schedulerName=default-scheduler",
        "spec.hostNetwork=false",
        "spec.serviceAccountName=",
        "status.nominatedNodeName=",
    ] {
        assert_eq!(names(&case, &path, selector).await, ["a"], "{selector}");
    }
    case.pod("b").await;
    let containers = json!([{"name": "app", "image": "example/app:1"}]);
    let spec = json!({"nodeName": "node-1", "containers": containers});
    case.create(&path, json!({"metadata": {"name": "c"}, "spec": spec})).await;
    let status = json!({"status": {"phase": "Running", "podIP": "10.0.0.7"}});
    case.patch(&format!("{path}/b/status"), &status).await;
    for (selector, expected) in [
        ("status.phase=Running", "b"),
        ("status.phase!=Running", "a c"),
        ("spec.nodeName=node-1", "c"),
        ("spec.nodeName=", "a b"),
        ("spec.nodeName=,status.phase=Pending", "a"),
        ("status.podIP=10.0.0.7", "b"),
    ] {
        assert_eq!(names(&case, &path, selector).await.join(" "), expected, "{selector}");
    }
}

async fn events_are_chosen_by_what_they_are_about(case: Case) {
    let path = case.path("v1", "events");
    for (name, kind, reason) in [("a", "Pod", "Pulled"), ("b", "Node", "NodeReady")] {
        let event = json!({
            "metadata": {"name": name}, "reason": reason, "type": "Normal", "source": {"component": "test"},
            "involvedObject": {"kind": kind, "name": "x", "namespace": case.namespace, "uid": format!("uid-{name}")},
        });
        case.create(&path, event).await;
    }
    for (selector, name) in [
        ("involvedObject.kind=Pod", "a"),
        ("involvedObject.kind=Pod,involvedObject.name=x", "a"),
        ("involvedObject.uid=uid-b", "b"),
        ("reason=NodeReady", "b"),
        ("type=Normal,reason!=NodeReady", "a"),
        ("source=test,reason=Pulled", "a"),
    ] {
        assert_eq!(names(&case, &path, selector).await, [name], "{selector}");
    }
    assert!(names(&case, &path, "type=Warning").await.is_empty());
}

async fn secrets_services_and_namespaces_are_chosen_by_their_types_and_phases(case: Case) {
    let path = case.path("v1", "secrets");
    for (name, kind) in [("a", "Opaque"), ("b", "example.com/other")] {
        case.create(&path, json!({"metadata": {"name": name}, "type": kind})).await;
    }
    assert_eq!(names(&case, &path, "type=Opaque").await, ["a"]);
    assert_eq!(names(&case, &path, "type!=Opaque").await, ["b"]);
    let path = case.path("v1", "services");
    let headless = json!({"clusterIP": "None", "ports": [{"port": 80}]});
    case.create(&path, json!({"metadata": {"name": "a"}, "spec": headless})).await;
    assert_eq!(names(&case, &path, "spec.clusterIP=None").await, ["a"]);
    assert_eq!(names(&case, &path, "spec.type=ClusterIP").await, ["a"]);
    assert!(names(&case, &path, "spec.type=NodePort").await.is_empty());
    let all = names(&case, "/api/v1/namespaces", "status.phase=Active").await;
    assert!(all.contains(&case.namespace), "{all:?}");
}

async fn a_custom_kind_is_chosen_by_the_fields_that_it_declares(case: Case) {
    let schema = json!({"openAPIV3Schema": {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {
            "color": {"type": "string"}, "on": {"type": "boolean"}, "size": {"type": "integer"},
        }}},
    }});
    let fields = json!([{"jsonPath": ".spec.color"}, {"jsonPath": ".spec.on"}, {"jsonPath": ".spec.size"}]);
    let path = case.define(json!({"schema": schema, "selectableFields": fields})).await;
    case.thing(&path, "a", json!({"spec": {"color": "red", "on": true, "size": 7}})).await;
    case.thing(&path, "b", json!({"spec": {"color": "blue"}})).await;
    assert_eq!(names(&case, &path, "spec.color=red").await, ["a"]);
    assert_eq!(names(&case, &path, "spec.color!=red").await, ["b"]);
    assert_eq!(names(&case, &path, "spec.on=true").await, ["a"]);
    assert_eq!(names(&case, &path, "spec.size=7").await, ["a"]);
    assert_eq!(names(&case, &path, "spec.size=").await, ["b"]);
    assert_eq!(names(&case, &path, "metadata.name=b").await, ["b"]);
    let answer = case.get(&format!("{path}?fieldSelector=spec.other%3Dx")).await;
    assert_eq!(answer.refusal(), (400, "BadRequest", "field label not supported: spec.other"));
}

async fn a_field_that_is_not_known_is_400_in_the_resources_own_words(case: Case) {
    const NAME_OR_NAMESPACE: &str =
        "is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
    for (version, plural, field, message) in [
        ("v1", "configmaps", "data.a", format!("\"data.a\" {NAME_OR_NAMESPACE}")),
        ("apps/v1", "deployments", "status.replicas", format!("\"status.replicas\" {NAME_OR_NAMESPACE}")),
        ("apps/v1", "replicasets", "status.replicas", format!("\"status.replicas\" {NAME_OR_NAMESPACE}")),
        ("v1", "pods", "spec.containers", "field label not supported: spec.containers".to_owned()),
        ("v1", "services", "spec.x", "field label not supported: spec.x".to_owned()),
        ("v1", "events", "message", "field label not supported: message".to_owned()),
        ("batch/v1", "jobs", "spec.x", "field label \"spec.x\" not supported for Job".to_owned()),
    ] {
        for watch in ["", "&watch=1"] {
            let path = format!("{}?fieldSelector={field}%3Dx{watch}", case.path(version, plural));
            let answer = case.get(&path).await;
            assert_eq!(answer.refusal(), (400, "BadRequest", message.as_str()), "{plural} {field}");
        }
    }
}

async fn a_field_selector_that_cannot_be_parsed_is_400(case: Case) {
    for (selector, message) in [
        ("metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
        ("metadata.name>a", "invalid selector: 'metadata.name>a'; can't understand 'metadata.name>a'"),
        ("metadata.name=a\\", "invalid field selector: invalid escape sequence: \\"),
        ("metadata.name=a\\x", "invalid field selector: invalid escape sequence: \\x"),
        ("metadata.name=a=b", "invalid field selector: unescaped character in value: 61"),
    ] {
        let answer = case.get(&format!("{}?fieldSelector={}", case.configs(), escaped(selector))).await;
        assert_eq!(answer.refusal(), (400, "BadRequest", message), "{selector}");
    }
}

async fn an_escaped_comma_is_part_of_a_value_and_an_empty_term_means_nothing(case: Case) {
    case.config("a", "web").await;
    assert!(names(&case, &case.configs(), "metadata.name=a\\,metadata.name").await.is_empty());
    for selector in ["", ",metadata.name=a", "metadata.name=a,"] {
        assert_eq!(names(&case, &case.configs(), selector).await, ["a"], "{selector}");
    }
}
