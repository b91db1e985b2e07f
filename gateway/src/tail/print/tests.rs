//! Text against what kubectl 1.36.3 prints for the same table.

use page::table_view::Client;
use replica::client::{Input, Output, SignIn};
use replica::now::Now;
use shared::frame::server::{Patch, ServerFrame};
use shared::row::WholeObject;

use super::*;
use crate::tail::testing;

/// The text that is printed for all rows, and then for each of these frames.
fn printed(format: Format, shows_namespace: bool, later: Vec<ServerFrame>) -> String {
    printed_by(printer(format, shows_namespace), later)
}

fn printer(format: Format, shows_namespace: bool) -> Printer {
    printer_of(OutputStyle::of(format), shows_namespace)
}

fn printer_of(output: OutputStyle, shows_namespace: bool) -> Printer {
    let scope = shared::scope::Scope::all(testing::kinds().kinds[0].resource.clone());
    Printer::new(output, &Target { scope, shows_namespace, kind: "pod".to_owned(), ignores_namespace: false })
}

fn printed_by(mut printer: Printer, later: Vec<ServerFrame>) -> String {
    let now = Now { now_ms: testing::NOW_S * 1_000, chance: 0.5 };
    let mut client = Client::new("test", SignIn::Connection);
    let scope = shared::scope::Scope::all(testing::kinds().kinds[0].resource.clone());
    let key = client.open(scope.clone(), now);
    let mut text = String::new();
    let first = vec![
        ServerFrame::Welcome(Box::new(testing::welcome())),
        ServerFrame::Subscribed(Box::new(testing::subscribed(1, scope))),
        testing::rows(
            0,
            2,
            vec![testing::pod(2, "shop", "web-0", "0/1"), testing::pod(1, "a-b", "cart-with-a-name", "1/1")],
        ),
    ];
    client.handle(Input::Start, now);
    client.handle(Input::Opened, now);
    for frame in first {
        client.handle(Input::Frame { frame: Box::new(frame), bytes: 1 }, now);
    }
    while client.poll_output().is_some() {}
    text.push_str(&printer.all(client.view(key).expect("open"), testing::NOW_S));
    for frame in later {
        client.handle(Input::Frame { frame: Box::new(frame), bytes: 1 }, now);
        while let Some(output) = client.poll_output() {
            if let Output::Rows(key, delta) = output {
                text.push_str(&printer.changes(client.view(key).expect("open"), &delta, testing::NOW_S));
            }
        }
    }
    text
}

fn change() -> ServerFrame {
    let ServerFrame::Rows(mut rows) = testing::rows(2, 5, vec![testing::pod(3, "shop", "new", "1/1")]) else {
        panic!("rows")
    };
    rows.put.push(testing::pod(2, "shop", "web-0", "1/1"));
    rows.delete.push(testing::pod(1, "", "", "").id);
    ServerFrame::Rows(rows)
}

#[test]
fn a_table_is_what_kubectl_prints_and_goes_on_as_its_watch_does() {
    assert_eq!(
        printed(Format::Table, true, vec![change()]),
        "NAMESPACE   NAME               READY   RESTARTS      AGE\n\
         a-b         cart-with-a-name   1/1     3 (60s ago)   5m\n\
         shop        web-0              0/1     3 (60s ago)   5m\n\
         a-b         cart-with-a-name   1/1     3 (60s ago)   5m\n\
         shop        new                1/1     3 (60s ago)   5m\n\
         shop        web-0              1/1     3 (60s ago)   5m\n"
    );
}

#[test]
fn wide_columns_come_only_when_asked_for() {
    assert_eq!(
        printed(Format::Wide, false, vec![]),
        "NAME               READY   RESTARTS      AGE   NOMINATED NODE\n\
         cart-with-a-name   1/1     3 (60s ago)   5m    <none>\n\
         web-0              0/1     3 (60s ago)   5m    <none>\n"
    );
}

#[test]
fn changes_are_lines_with_their_type_and_a_deletion_has_a_version_of_its_own() {
    let ServerFrame::Rows(mut rows) = change() else { panic!("rows") };
    rows.resource_version = "104".into();
    assert_eq!(
        printed(Format::Events, false, vec![ServerFrame::Rows(rows)]),
        "ADDED\ta-b/cart-with-a-name\t101\nADDED\tshop/web-0\t102\n\
         DELETED\ta-b/cart-with-a-name\t104\nADDED\tshop/new\t103\nMODIFIED\tshop/web-0\t102\n"
    );
}

#[test]
fn a_change_that_no_column_prints_is_an_event_and_a_line_of_a_table() {
    let unseen = |is_masked: bool| {
        let ServerFrame::Rows(mut rows) = testing::rows(2, 5, vec![]) else { panic!("rows") };
        let id = testing::pod(2, "", "", "").id;
        rows.masked.extend(is_masked.then_some(id));
        rows.set.push(Patch { id, cells: Default::default(), resource_version: Some("200".into()) });
        vec![ServerFrame::Rows(rows)]
    };
    assert!(printed(Format::Events, false, unseen(false)).ends_with("MODIFIED\tshop/web-0\t200\n"));
    let masked = printed(Format::Events, false, unseen(true));
    assert!(masked.ends_with("MODIFIED\tshop/web-0\t200\tchanged (masked)\n"), "{masked}");
    let json = printed(Format::Ndjson, false, unseen(true));
    assert!(json.contains("\"resourceVersion\":\"200\"") && json.contains("\"masked\":true"), "{json}");
    assert!(!printed(Format::Ndjson, false, unseen(false)).contains("masked"));
    let (before, after) = (printed(Format::Table, true, vec![]), printed(Format::Table, true, unseen(true)));
    let last = before.lines().last().expect("a row");
    assert_eq!(after, format!("{before}{last}\n"), "as `kubectl get -w` prints it");
}

#[test]
fn names_and_types_and_labels_are_printed_as_kubectl_prints_them_and_titles_can_be_left_out() {
    assert_eq!(printed(Format::Name, true, vec![]), "pod/cart-with-a-name\npod/web-0\n");
    let style = |change: &dyn Fn(&mut OutputStyle)| {
        let mut style = OutputStyle::of(Format::Table);
        change(&mut style);
        style
    };
    let untitled = printed_by(printer_of(style(&|style| style.has_header = false), true), vec![]);
    assert!(untitled.starts_with("a-b"), "{untitled}");
    let typed = printed_by(printer_of(style(&|style| style.shows_type = true), true), vec![change()]);
    let starts: Vec<&str> = typed.lines().map(|line| line.get(..15).unwrap_or_default()).collect();
    let expected = [
        "EVENT      NAME",
        "ADDED      a-b ",
        "ADDED      shop",
        "DELETED    a-b ",
        "ADDED      shop",
        "MODIFIED   shop",
    ];
    assert_eq!(starts, expected);
    let labelled = printed_by(printer_of(style(&|style| style.shows_labels = true), true), vec![]);
    assert!(labelled.lines().next().is_some_and(|titles| titles.ends_with("AGE   LABELS")), "{labelled}");
    assert!(labelled.lines().nth(1).is_some_and(|row| row.ends_with("5m    <none>")), "{labelled}");
}

#[test]
fn an_object_with_the_type_of_its_event_is_written_as_kubectl_writes_it() {
    let row = whole(testing::pod(1, "a", "one", "0/1"));
    let printed = |format| {
        let style = OutputStyle { shows_type: true, ..OutputStyle::of(format) };
        printer_of(style, false).object(&Printed::now(RowChange::Deleted, row.clone())).expect("an object")
    };
    assert!(printed(Format::Json).starts_with("{\n    \"type\": \"DELETED\",\n    \"object\": {\n"));
    let yaml = printed(Format::Yaml);
    assert!(yaml.starts_with("object:\n  apiVersion: v1\n") && yaml.ends_with("type: DELETED\n"), "{yaml}");
}

/// With its object.
fn whole(mut row: Row) -> Row {
    let object = json!({ "kind": "Pod", "apiVersion": "v1", "metadata": { "name": row.name } });
    row.extra.get_or_insert_default().object = WholeObject::from_json(object.to_string().into_bytes());
    row
}

/// As `kubectl get -o json -w` and `-o yaml -w` do it.
#[test]
fn each_object_is_a_document_and_so_is_each_change_of_it() {
    let (first, second) =
        (whole(testing::pod(1, "a", "one", "0/1")), whole(testing::pod(2, "a", "two", "0/1")));
    let printed = |format| {
        let mut printer = printer(format, false);
        let rows = [(RowChange::Added, &first), (RowChange::Deleted, &second)];
        rows.iter()
            .filter_map(|(change, row)| printer.object(&Printed::now(*change, (*row).clone())))
            .collect::<String>()
    };
    assert_eq!(
        printed(Format::Yaml),
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: one\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: two\n"
    );
    let json = |name: &str| {
        format!(
            "{{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"Pod\",\n    \"metadata\": {{\n        \"name\": \"{name}\"\n    }}\n}}\n"
        )
    };
    assert_eq!(printed(Format::Json), json("one") + &json("two"));
}

#[test]
fn each_line_of_ndjson_is_an_object_with_its_cells() {
    let text = printed(Format::Ndjson, false, vec![]);
    let first: Value = serde_json::from_str(text.lines().next().expect("a line")).expect("json");
    assert_eq!(first["type"], "ADDED");
    assert_eq!(first["namespace"], "a-b");
    assert_eq!(first["resourceVersion"], "101");
    assert_eq!(first["cells"]["Age"]["age"], testing::NOW_S - 300);
}

#[test]
fn a_terminal_obeys_no_title_namespace_name_or_cell() {
    let hostile = "\u{1b}]0;x\u{7}\u{9b}2J\u{7f}\u{202e}\n";
    let now = Now { now_ms: testing::NOW_S * 1_000, chance: 0.5 };
    for format in [Format::Table, Format::Wide, Format::Json, Format::Yaml, Format::Ndjson, Format::Events] {
        let mut client = Client::new("test", SignIn::Connection);
        let scope = shared::scope::Scope::all(testing::kinds().kinds[0].resource.clone());
        let key = client.open(scope.clone(), now);
        let mut subscribed = testing::subscribed(1, scope);
        subscribed.columns[0].name = hostile.into();
        let frames = [
            ServerFrame::Welcome(Box::new(testing::welcome())),
            ServerFrame::Subscribed(Box::new(subscribed)),
            testing::rows(0, 2, vec![whole(testing::pod(1, hostile, hostile, hostile))]),
        ];
        client.handle(Input::Start, now);
        client.handle(Input::Opened, now);
        for frame in frames {
            client.handle(Input::Frame { frame: Box::new(frame), bytes: 1 }, now);
        }
        let text = printer(format, true).all(client.view(key).expect("open"), testing::NOW_S);
        let obeyed: Vec<char> = text
            .chars()
            .filter(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || *c == '\u{202e}')
            .collect();
        assert!(obeyed.is_empty(), "{format:?}: {obeyed:?} in {text:?}");
        assert!(!text.is_empty());
        if format == Format::Json {
            let object: Value = serde_json::from_str(&text).expect("json");
            assert_eq!(object["metadata"]["name"], hostile);
        }
        if format == Format::Ndjson {
            let line: Value = serde_json::from_str(text.trim()).expect("json");
            assert_eq!(line["name"], hostile);
        }
    }
}
