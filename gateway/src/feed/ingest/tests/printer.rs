//! Cells of kinds that aren't Kubernetes' own: as they were printed, from where their definition says, or masked.

use shared::cell::Cell;

use super::*;
use crate::feed::masks::MASK;

const CANARY: &str = "canary-4f1d";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
const T1: i64 = 1_795_228_981;

/// The definition of a kind with these columns (name, type, path) in v1, and others in v1beta1.
fn definition(columns: &[(&str, &str, &str)]) -> PrinterColumns {
    let columns: Vec<Value> = columns
        .iter()
        .map(|(name, kind, path)| json!({"name": name, "type": kind, "jsonPath": path}))
        .collect();
    let former = json!([{"name": "Word", "type": "string", "jsonPath": ".spec.former"}]);
    let definition = json!({"spec": {"versions": [
        {"name": "v1beta1", "additionalPrinterColumns": former},
        {"name": "v1", "additionalPrinterColumns": columns}]}});
    PrinterColumns::of_definition(definition.to_string().as_bytes(), "v1")
}

/// The cell of a column that the server printed behind the name.
fn cell_of(
    of: &str,
    known: PrinterColumns,
    (name, kind): (&str, &str),
    printed: &Value,
    object: &Value,
) -> Cell {
    let mut object = object.clone();
    object["metadata"]["name"] = json!("a");
    object["metadata"]["uid"] = json!("u");
    object["metadata"]["resourceVersion"] = json!("1");
    let table = table(&[("Name", "string"), (name, kind)], json!(["a", printed]), &object);
    let mut decoder = Decoder::new(resource(of), known, Redaction::default(), None);
    let event = decoder.event(&event("ADDED", &table)).expect("an event");
    let of_watch = put(event).row.cells.remove(1);
    let page = decoder.page(&table.to_string().into()).expect("a page");
    let of_list = page.objects.into_iter().map(|object| object.expect("an object").row.cells.remove(1));
    assert_eq!(of_list.collect::<Vec<_>>(), std::slice::from_ref(&of_watch));
    of_watch
}

fn defined(column: (&str, &str, &str), printed: &Value, object: &Value) -> Cell {
    let (name, kind, _) = column;
    cell_of("example.com/v1/boats", definition(&[column]), (name, kind), printed, object)
}

fn undefined(title: &str, printed: &Value, object: &Value) -> Cell {
    cell_of("example.com/v1/boats", PrinterColumns::default(), (title, "string"), printed, object)
}

fn secretive() -> Value {
    json!({
        "metadata": {
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": CANARY, "note": "kept"},
            "managedFields": [{"manager": CANARY}],
        },
        "spec": {
            "password": CANARY, "token": 1234, "uri": format!("amqp://me:{CANARY}@host"), "size": 3,
            "env": [{"name": "ANY", "value": CANARY}], "users": [{"name": "ann", "password": CANARY}],
            "until": {"token": "2026-11-21T02:43:01Z"}, "synced": "2026-11-21T02:43:01Z", "secretName": "kept",
        },
        "status": {"conditions": [{"type": "Ready", "status": "True", "count": 2, "ok": true}]},
    })
}

#[test]
fn r_data_1_a_printer_column_shows_of_an_object_what_is_not_masked_in_it() {
    let text = |text: &str| Cell::text(text);
    let masked = || Cell::text(MASK);
    for (path, kind, printed, expected) in [
        (".spec.password", "string", json!(CANARY), masked()),
        (".spec['password']", "string", json!(CANARY), masked()),
        (".spec.token", "integer", json!(1234), masked()),
        (".spec.until.token", "date", json!("5m"), masked()),
        (
            ".spec.uri",
            "string",
            json!(format!("amqp://me:{CANARY}@host")),
            text(&format!("amqp://me:{MASK}@host")),
        ),
        (".spec.env[0].value", "string", json!(CANARY), masked()),
        (".spec.env[*].value", "string", json!(CANARY), masked()),
        (".spec.env[?(@.name==\"ANY\")].value", "string", json!(CANARY), masked()),
        ("..password", "string", json!(CANARY), masked()),
        (
            ".spec.users",
            "string",
            json!(format!("[{{\"name\":\"ann\",\"password\":\"{CANARY}\"}}]")),
            text(&format!("[{{\"name\":\"ann\",\"password\":\"{MASK}\"}}]")),
        ),
        // Which name is shown would tell the password.
        (".spec.users[?(@.password==\"canary-4f1d\")].name", "string", json!("ann"), Cell::Null),
        (
            ".metadata.annotations.kubectl\\.kubernetes\\.io/last-applied-configuration",
            "string",
            json!(CANARY),
            Cell::Null,
        ),
        (
            ".metadata.annotations",
            "string",
            json!(format!("{{\"{LAST_APPLIED}\":\"{CANARY}\"}}")),
            text("{\"note\":\"kept\"}"),
        ),
        (
            ".metadata['annotations']",
            "string",
            json!(format!("{{\"{LAST_APPLIED}\":\"{CANARY}\"}}")),
            text("{\"note\":\"kept\"}"),
        ),
        (".metadata.annotations", "object", json!({LAST_APPLIED: CANARY}), Cell::Null),
        (".metadata.annotations", "date", json!(CANARY), Cell::Null),
        (".metadata.annotations.*", "string", json!(CANARY), text("kept")),
        (".metadata.managedFields[0].manager", "string", json!(CANARY), Cell::Null),
        (".metadata['managedFields'][0].manager", "string", json!(CANARY), Cell::Null),
    ] {
        assert_eq!(defined(("Word", kind, path), &printed, &secretive()), expected, "{path}");
    }
    let Cell::Text(metadata) = defined(("Word", "string", ".metadata"), &json!(CANARY), &secretive()) else {
        panic!("a text");
    };
    assert!(metadata.contains("kept") && !metadata.contains(CANARY), "{metadata}");
    // Nothing else is hidden in this object.
    let managed = json!({"metadata": {"managedFields": [{"manager": CANARY}]}});
    for path in [".metadata.managedFields[0].manager", ".metadata.*[0].manager", "..manager"] {
        assert_eq!(defined(("Word", "string", path), &json!(CANARY), &managed), Cell::Null, "{path}");
    }
}

#[test]
fn what_is_not_masked_stays_as_it_was_printed() {
    let at = |seconds: i64| Cell::Age(Some(T1 + seconds));
    for (path, kind, printed, expected) in [
        (".spec.size", "integer", json!(3), Cell::Int(3)),
        (".spec.secretName", "string", json!("kept"), Cell::text("kept")),
        (".spec.none", "string", Value::Null, Cell::Null),
        (".spec.synced", "date", json!("5m"), at(0)),
        (".status.conditions[?(@.type==\"Ready\")].status", "string", json!("True"), Cell::text("True")),
        (".status.conditions[?(@.type==\"Ready\")].count", "integer", json!(2), Cell::Int(2)),
        (".status.conditions[?(@.type==\"Ready\")].ok", "boolean", json!(true), Cell::Bool(true)),
        (".spec.users[*].name", "string", json!("ann"), Cell::text("ann")),
        (".spec..synced", "date", json!("5m"), at(0)),
    ] {
        // The title says nothing where the path is known.
        assert_eq!(defined(("Token", kind, path), &printed, &secretive()), expected, "{path}");
    }
    let plain = json!({"metadata": {}, "spec": {"size": 3}});
    assert_eq!(defined(("Size", "integer", ".spec.size"), &json!(3), &plain), Cell::Int(3));
}

#[test]
fn a_date_column_is_read_where_its_definition_says() {
    let column = ("Last Sync", "date", ".status.conditions[?(@.type==\"Synced\")].at");
    let boat =
        json!({"metadata": {}, "status": {"conditions": [{"type": "Synced", "at": "2026-11-21T02:43:08Z"}]}});
    assert_eq!(defined(column, &json!("5m"), &boat), Cell::Age(Some(T1 + 7)));
    assert_eq!(defined(column, &Value::Null, &json!({"metadata": {}})), Cell::Null);
    assert_eq!(PrinterColumns::of_definition(b"{}", "v1"), PrinterColumns::default());
}

#[test]
fn two_columns_of_one_title_are_each_read_by_their_own_path() {
    let known = definition(&[("Word", "string", ".spec.name"), ("Word", "string", ".spec.password")]);
    let object = json!({"metadata": {"name": "a", "uid": "u"}, "spec": {"name": "n", "password": CANARY}});
    let columns = [("Name", "string"), ("Word", "string"), ("Word", "string")];
    let table = table(&columns, json!(["a", "n", CANARY]), &object);
    let mut decoder = Decoder::new(resource("example.com/v1/boats"), known, Redaction::default(), None);
    let cells = put(decoder.event(&event("ADDED", &table)).expect("an event")).row.cells;
    assert_eq!(cells, [Cell::text("a"), Cell::text("n"), Cell::text(MASK)]);
}

#[test]
fn r_data_1_without_a_definition_title_and_text_say_what_is_masked() {
    let (object, masked) = (secretive(), Cell::text(MASK));
    for (title, printed) in [
        ("Password", json!("any")),
        ("API TOKEN", json!("any")),
        ("Pass", json!(1234)),
        ("Word", json!(CANARY)),
        ("Word", json!("1234")),
        ("Word", json!(1234)),
        ("Word", json!(format!("amqp://me:{CANARY}-2@host"))),
        ("Word", json!("--password=x")),
        ("Word", json!("{\"password\":\"x\"}")),
        ("Word", json!({"password": "x"})),
        ("Word", json!({LAST_APPLIED: "x"})),
        ("Word", json!(format!("{{\"{LAST_APPLIED}\":\"x\"}}"))),
    ] {
        assert_eq!(undefined(title, &printed, &object), masked, "{title} {printed}");
    }
    for (title, printed, expected) in [
        ("Secrets", json!(3), Cell::Int(3)),
        ("Secret Name", json!("kept"), Cell::text("kept")),
        ("Ready", json!(true), Cell::Bool(true)),
        ("Token", Value::Null, Cell::Null),
        ("Word", json!("kept"), Cell::text("kept")),
        ("Name", json!("a"), Cell::text("a")),
    ] {
        assert_eq!(undefined(title, &printed, &object), expected, "{title} {printed}");
    }
}

#[test]
fn a_column_that_the_definition_has_elsewhere_counts_as_unknown() {
    for known in [
        definition(&[("Other", "string", ".spec.size")]),
        definition(&[("Token", "integer", ".spec.size")]),
        definition(&[("Token", "string", "[nonsense")]),
        definition(&[]),
    ] {
        let of = "example.com/v1/boats";
        let found = cell_of(of, known, ("Token", "string"), &json!(CANARY), &secretive());
        assert_eq!(found, Cell::text(MASK));
    }
}

#[test]
fn columns_of_kubernetes_own_kinds_are_shown_as_they_are() {
    for (of, title, printed) in [
        ("v1/serviceaccounts", "Secrets", "1"),
        ("v1/events", "Message", "password=x"),
        ("events.k8s.io/v1/events", "Message", "password=x"),
    ] {
        let found = cell_of(
            of,
            PrinterColumns::default(),
            (title, "string"),
            &json!(printed),
            &json!({"metadata": {}}),
        );
        assert_eq!(found, Cell::text(printed), "{of}");
    }
}
