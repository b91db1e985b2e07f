//! Server-side printing: columns, cells and rows, of built-in and of custom kinds.

use conformance::{TABLE, revision_of};
use serde_json::{Value, json};

use crate::case::Case;

statements![
    a_table_of_pods_has_kubectls_columns_and_cells,
    one_object_is_printed_as_a_table_too,
    include_object_decides_what_a_row_carries,
    rows_carry_managed_fields_with_their_metadata,
    an_unknown_include_object_is_400_in_a_table_alone,
    a_table_is_paged_like_a_list,
    a_table_of_nothing_has_its_columns,
    every_event_of_a_table_carries_its_resource_version_and_the_first_the_columns,
    a_finished_pods_row_says_so,
    custom_columns_print_every_type_and_missing_ones_are_null,
    custom_columns_have_the_priority_that_they_declare,
    custom_resources_without_columns_have_name_and_age,
    a_custom_column_reads_a_filter_of_a_list,
    a_refusal_is_a_status_where_a_table_is_asked_for,
];

fn columns(table: &Value) -> Vec<(&str, i64)> {
    let definitions = table["columnDefinitions"].as_array().expect("columns");
    definitions
        .iter()
        .map(|column| {
            (column["name"].as_str().expect("a name"), column["priority"].as_i64().expect("a priority"))
        })
        .collect()
}

async fn a_table_of_pods_has_kubectls_columns_and_cells(case: Case) {
    case.pod("a").await;
    let table = case.get_as(&case.pods(), TABLE).await;
    assert_eq!((table.text_at("/kind"), table.text_at("/apiVersion")), ("Table", "meta.k8s.io/v1"));
    let expected = [
        ("Name", 0),
        ("Ready", 0),
        ("Status", 0),
        ("Restarts", 0),
        ("Age", 0),
        ("IP", 1),
        ("Node", 1),
        ("Nominated Node", 1),
        ("Readiness Gates", 1),
    ];
    assert_eq!(columns(&table.body), expected);
    for (at, kind, format) in [(0, "string", "name"), (1, "string", ""), (4, "string", "")] {
        let column = &table.body["columnDefinitions"][at];
        assert_eq!((&column["type"], &column["format"]), (&json!(kind), &json!(format)));
        assert_ne!(column["description"], "");
    }
    let cells = table.body["rows"][0]["cells"].as_array().expect("cells");
    assert_eq!(cells[..4], [json!("a"), json!("0/1"), json!("Pending"), json!("0")]);
    assert_eq!(cells[5..], [json!("<none>"), json!("<none>"), json!("<none>"), json!("<none>")]);
}

async fn one_object_is_printed_as_a_table_too(case: Case) {
    let made = case.pod("a").await;
    let table = case.get_as(&format!("{}/a", case.pods()), TABLE).await;
    assert_eq!((table.text_at("/kind"), table.names()), ("Table", vec!["a".to_owned()]));
    assert_eq!(table.revision(), made.revision());
}

async fn include_object_decides_what_a_row_carries(case: Case) {
    case.pod("a").await;
    for (query, kind) in [
        ("", json!("PartialObjectMetadata")),
        ("?includeObject=", json!("PartialObjectMetadata")),
        ("?includeObject=Metadata", json!("PartialObjectMetadata")),
        ("?includeObject=Object", json!("Pod")),
        ("?includeObject=None", Value::Null),
    ] {
        let table = case.get_as(&format!("{}{query}", case.pods()), TABLE).await;
        let object = &table.body["rows"][0]["object"];
        assert_eq!(object["kind"], kind, "{query}");
        assert_eq!(object.get("spec").is_some(), kind == "Pod", "{query}");
    }
}

async fn rows_carry_managed_fields_with_their_metadata(case: Case) {
    case.config("a", "web").await;
    let table = case.get_as(&case.configs(), TABLE).await;
    assert!(table.body.pointer("/rows/0/object/metadata/managedFields/0/manager").is_some());
}

async fn an_unknown_include_object_is_400_in_a_table_alone(case: Case) {
    case.pod("a").await;
    for query in ["includeObject=Bad", "includeObject=none", "includeObject=Bad&watch=1"] {
        let wrong = query.split(['=', '&']).nth(1).expect("a value");
        let message = format!(
            "Unable to convert to Table as requested: includeObject: Invalid value: {wrong:?}: must be 'Metadata', 'Object', 'None', or empty"
        );
        let answer = case.get_as(&format!("{}?{query}", case.pods()), TABLE).await;
        assert_eq!(answer.refusal(), (400, "BadRequest", message.as_str()), "{query}");
    }
    assert_eq!(case.get(&format!("{}?includeObject=Bad", case.pods())).await.code, 200);
}

async fn a_table_is_paged_like_a_list(case: Case) {
    case.config_maps(&["a", "b", "c"]).await;
    let first = case.get_as(&format!("{}?limit=2", case.configs()), TABLE).await;
    assert_eq!((first.names().len(), &first.body["metadata"]["remainingItemCount"]), (2, &json!(1)));
    let token = first.text_at("/metadata/continue");
    let rest = case.get_as(&format!("{}?continue={token}", case.configs()), TABLE).await;
    assert_eq!((rest.names(), rest.revision()), (vec!["c".to_owned()], first.revision()));
}

async fn a_table_of_nothing_has_its_columns(case: Case) {
    let table = case.get_as(&case.configs(), TABLE).await;
    assert_eq!(columns(&table.body), [("Name", 0), ("Data", 0), ("Age", 0)]);
    assert_eq!(table.body["rows"], json!([]));
    assert_ne!(table.revision(), "");
}

async fn every_event_of_a_table_carries_its_resource_version_and_the_first_the_columns(case: Case) {
    let path = case.configs();
    let made = case.config("a", "web").await.revision();
    let mut events = case.watch_as(&format!("{path}?watch=1"), TABLE).await;
    let first = events.event().await;
    assert_eq!((revision_of(&first).to_string(), columns(&first["object"]).len()), (made, 3));
    let changed = case.patch(&format!("{path}/a"), &json!({"data": {"a": "2"}})).await.revision();
    let second = events.event().await;
    assert_eq!(revision_of(&second).to_string(), changed);
    assert_eq!(second["object"]["columnDefinitions"], Value::Null);
    case.delete(&format!("{path}/a")).await;
    let deleted = events.event().await;
    assert_eq!(deleted["type"], "DELETED");
    assert!(revision_of(&deleted) > changed.parse().expect("a number"));
}

async fn a_finished_pods_row_says_so(case: Case) {
    case.pod("a").await;
    case.patch(&format!("{}/a/status", case.pods()), &json!({"status": {"phase": "Succeeded"}})).await;
    let table = case.get_as(&case.pods(), TABLE).await;
    let condition = &table.body["rows"][0]["conditions"][0];
    assert_eq!((&condition["type"], &condition["status"]), (&json!("Completed"), &json!("True")));
    assert_eq!(table.body["rows"][0]["cells"][2], "Succeeded");
}

async fn custom_columns_print_every_type_and_missing_ones_are_null(case: Case) {
    let columns = json!([
        {"name": "Text", "type": "string", "jsonPath": ".spec.text"},
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Share", "type": "number", "jsonPath": ".spec.share"},
        {"name": "On", "type": "boolean", "jsonPath": ".spec.on"},
        {"name": "Missing", "type": "string", "jsonPath": ".spec.missing"},
        {"name": "Absent", "type": "integer", "jsonPath": ".spec.absent"},
    ]);
    let path = case.define(json!({"additionalPrinterColumns": columns})).await;
    case.thing(&path, "a", json!({"spec": {"text": "words", "size": 7, "share": 0.5, "on": true}})).await;
    let table = case.get_as(&path, TABLE).await;
    assert_eq!(table.body["rows"][0]["cells"], json!(["a", "words", 7, 0.5, true, null, null]));
}

async fn custom_columns_have_the_priority_that_they_declare(case: Case) {
    let declared = json!([
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size", "priority": 1, "description": "How large."},
        {"name": "Color", "type": "string", "format": "byte", "jsonPath": ".spec.color"},
    ]);
    let path = case.define(json!({"additionalPrinterColumns": declared})).await;
    let table = case.get_as(&path, TABLE).await;
    assert_eq!(columns(&table.body), [("Name", 0), ("Size", 1), ("Color", 0)]);
    let column = &table.body["columnDefinitions"][1];
    assert_eq!((&column["description"], &column["type"]), (&json!("How large."), &json!("integer")));
    assert_eq!(table.body["columnDefinitions"][2]["format"], "byte");
}

async fn custom_resources_without_columns_have_name_and_age(case: Case) {
    let path = case.define(json!({})).await;
    let table = case.get_as(&path, TABLE).await;
    assert_eq!(columns(&table.body), [("Name", 0), ("Age", 0)]);
    assert_eq!(table.body["columnDefinitions"][1]["type"], "date");
}

async fn a_custom_column_reads_a_filter_of_a_list(case: Case) {
    let ready = json!([{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}]);
    let path = case.define(json!({"additionalPrinterColumns": ready})).await;
    let conditions = json!([{"type": "Other", "status": "False"}, {"type": "Ready", "status": "True"}]);
    case.thing(&path, "a", json!({"status": {"conditions": conditions}})).await;
    case.thing(&path, "b", json!({"status": {"conditions": []}})).await;
    let table = case.get_as(&path, TABLE).await;
    assert_eq!(table.body["rows"][0]["cells"], json!(["a", "True"]));
    assert_eq!(table.body["rows"][1]["cells"], json!(["b", null]));
}

async fn a_refusal_is_a_status_where_a_table_is_asked_for(case: Case) {
    let answer = case.get_as(&format!("{}/none", case.configs()), TABLE).await;
    assert_eq!(
        (answer.code, answer.text_at("/kind"), answer.text_at("/reason")),
        (404, "Status", "NotFound")
    );
}
