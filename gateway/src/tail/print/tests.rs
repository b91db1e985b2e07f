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
    let now = Now { now_ms: testing::NOW_S * 1_000, chance: 0.5 };
    let mut client = Client::new("test", SignIn::Connection);
    let scope = shared::scope::Scope::all(testing::kinds().kinds[0].resource.clone());
    let key = client.open(scope.clone(), now);
    let mut printer = Printer::new(format, shows_namespace);
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
fn changes_are_lines_with_their_type() {
    assert_eq!(
        printed(Format::Events, false, vec![change()]),
        "ADDED\ta-b/cart-with-a-name\t101\nADDED\tshop/web-0\t102\n\
         DELETED\ta-b/cart-with-a-name\t101\nADDED\tshop/new\t103\nMODIFIED\tshop/web-0\t102\n"
    );
}

#[test]
fn a_change_that_no_column_prints_is_an_event_and_no_line_of_a_table() {
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
    assert_eq!(printed(Format::Table, true, unseen(true)), printed(Format::Table, true, vec![]));
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
        let mut printer = Printer::new(format, false);
        let rows = [(RowChange::Added, &first), (RowChange::Deleted, &second)];
        rows.iter().filter_map(|(_, row)| printer.object(row)).collect::<String>()
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
        let text = Printer::new(format, true).all(client.view(key).expect("open"), testing::NOW_S);
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
