//! What the command asks for, what it says, and what it leaves.

use std::path::Path;
use std::sync::Arc;

use clap::Parser;
use history::{Bounds, Keepers, PastState, Segments, Share, Store, Told, Version};
use serde_json::{Value, json};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};

use super::*;
use crate::feed::RedactionSettings;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    history: HistoryArgs,
}

fn run(flags: &[&str]) -> Result<String, String> {
    let cli =
        Cli::try_parse_from(["history", "purge"].iter().chain(flags)).map_err(|error| error.to_string())?;
    execute(&cli.history).map_err(|problem| problem.message)
}

fn open(folder: &Path) -> Keepers {
    let open = |share: Share, bounds| {
        let path = share.folder().map_or(folder.to_owned(), |name| folder.join(name));
        Segments::open(&path, bounds).map(|(segments, _)| Box::new(segments) as Box<dyn Store>)
    };
    Keepers::open(open, Bounds { bytes: 1 << 30, age_ms: i64::MAX }, (1, NOW_MS)).expect("a record")
}

const NOW_MS: i64 = 1_790_000_000_000;

fn doors() -> KindKey {
    let resource = Resource::parse("example.org", "v1", "doors").expect("a resource");
    KindKey { cluster: "c".into(), resource }
}

fn row() -> RowId {
    RowId::from_hash(7 << 20)
}

/// A door of two versions, each with its badge, recorded under the usual masks.
fn record(folder: &Path) {
    let mut keepers = open(folder);
    let columns = json!([{ "name": "Name", "type": "string", "format": "name" }, { "name": "Badge", "type": "string" }]);
    let columns: Vec<Column> = serde_json::from_value(columns).expect("columns");
    keepers.tell(&doors(), Told::Columns(columns.into()), NOW_MS);
    keepers.tell(&doors(), Told::Begun, NOW_MS);
    for number in 1..=2 {
        let badge = format!("b4dge-{number}");
        let version = Version {
            row: Arc::new(Row {
                id: row(),
                resource_version: ResourceVersion::new(&number.to_string()),
                namespace: Some("shop".into()),
                name: "front".into(),
                created: None,
                cells: vec![Cell::text("front"), Cell::text(&badge)],
                extra: None,
            }),
            labels: "".into(),
            body: json!({ "spec": { "badge": badge, "open": number } }).to_string().into(),
            masks: Box::default(),
            rules: Redaction::default().digest(),
            writers: Vec::new(),
            relisted: false,
            about: None,
        };
        keepers.tell(&doors(), Told::Version(Box::new(version)), NOW_MS + number * 1_000);
        if number == 1 {
            keepers.tell(&doors(), Told::Loaded { resource_version: "1".into() }, NOW_MS + 1_000);
        }
    }
    keepers.commit(NOW_MS + 3_000);
}

/// The bodies and the cells of the badge, the newest first.
fn recorded(folder: &Path) -> Vec<(Value, Cell)> {
    let versions = open(folder).past().versions(&doors(), row(), i64::MAX, 9).expect("read");
    let there = versions.into_iter().map(|version| match version.state {
        PastState::There { head, body } => {
            (serde_json::from_slice(&body).expect("JSON"), head.cells[1].clone())
        }
        other => panic!("{other:?}"),
    });
    there.collect()
}

#[test]
fn a_purge_needs_a_filter_a_record_and_a_yes_and_each_mistake_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    record(folder.path());
    let place = format!("--history={}/", folder.path().display());
    let says = |flags: &[&str], word: &str| {
        let said = run(flags).expect_err("refused");
        assert!(said.contains(word), "{flags:?}: {said}");
    };
    says(&[&place, "--yes"], "at least one of --kind, --namespace, --path, --masked and --before");
    says(&[&place, "--kind=Doors!"], "is no kind, such as");
    says(&[&place, "--path=.spec["], "at character");
    says(&[&place, "--path=$"], "leave it out");
    says(&[&place, "--path=.spec", "--masked"], "cannot be used with");
    says(&[&place, "--before=tomorrow"], "is no time");
    says(&["--history=memory", "--kind=doors", "--yes"], "in a folder or in PostgreSQL");
    says(&["--history=/nonexistent/record", "--kind=doors", "--yes"], "there is no folder");
    // A test has no terminal.
    says(&[&place, "--kind=doors"], "to be removed: 2 versions of 1 object (kind doors). Say --yes");
    says(&[&place, "--kind=doors", "--yes", "--audit-log=/nonexistent/audit"], "can't be opened");
    assert_eq!(recorded(folder.path()).len(), 2, "nothing was removed by any of them");
    let keepers = open(folder.path());
    says(&[&place, "--kind=doors", "--yes"], "a gateway records into");
    drop(keepers);
}

#[test]
fn a_path_is_removed_from_body_and_cell_and_the_audit_log_has_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    record(folder.path());
    let (place, log) = (format!("--history={}/", folder.path().display()), folder.path().join("audit.log"));
    let log_flag = format!("--audit-log={}", log.display());
    let flags = [&*place, "--kind=*.example.org", "--namespace=shop", "--path=.spec.badge", &*log_flag];
    let dry = run(&[&flags[..], &["--dry-run"]].concat()).expect("counted");
    let what = "(kind *.example.org, namespace shop, path .spec.badge)";
    assert_eq!(dry, format!("something would be removed from 2 versions of 1 object {what}\n"));
    assert!(!log.exists() && recorded(folder.path())[0].0["spec"]["badge"] == "b4dge-2");
    let done = run(&[&flags[..], &["--yes"]].concat()).expect("purged");
    assert_eq!(done, format!("something was removed from 2 versions of 1 object {what}\n"));
    let mask = crate::feed::masks::MASK;
    let expected = |open: i64| (json!({ "spec": { "badge": mask, "open": open } }), Cell::text(mask));
    assert_eq!(recorded(folder.path()), [expected(2), expected(1)]);
    let line = std::fs::read_to_string(&log).expect("a log");
    let line: Value = serde_json::from_str(line.trim_end()).expect("one line");
    assert_eq!((&line["event"], &line["reason"]), (&json!("purge"), &json!(done.trim_end())));
    assert!(line["time"].is_string() && line["uid"].is_string());
}

#[test]
fn what_is_masked_now_is_masked_in_the_record_once() {
    let folder = tempfile::tempdir().expect("a folder");
    record(folder.path());
    let place = format!("--history={}/", folder.path().display());
    let flags = [&*place, "--masked", "--masked-name=badge", "--yes"];
    assert_eq!(
        run(&flags).expect("purged"),
        "something was removed from 2 versions of 1 object (what is masked now)\n"
    );
    let mask = crate::feed::masks::MASK;
    for (body, cell) in recorded(folder.path()) {
        assert_eq!((&body["spec"]["badge"], cell), (&json!(mask), Cell::text(mask)));
    }
    assert!(run(&flags).expect("purged").contains(" 0 versions of 0 objects"));
    let redaction = RedactionSettings { credential_names: vec!["badge".into()], ..Default::default() };
    let digest = Redaction::of(&redaction).digest();
    let is_of_now = |_: &KindKey, _: &[Column], head: Head, _: Vec<u8>| head.rules == digest;
    assert_eq!(open(folder.path()).find_last(9, is_of_now), Some(doors()));
}
