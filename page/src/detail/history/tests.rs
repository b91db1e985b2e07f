//! Tests of what an entry says.

use serde_json::{Value, json};
use shared::frame::server::Gap;
use shared::frame::timeline::Field;
use shared::problem::Reason;

use super::*;

fn field(path: &str, old: Option<Value>, new: Option<Value>, by: Option<u16>) -> Field {
    Field { path: path.into(), old, old_bytes: None, new, new_bytes: None, by }
}

fn writer(manager: &str, subresource: &str) -> Writer {
    Writer {
        manager: manager.into(),
        operation: "Update".into(),
        subresource: subresource.into(),
        time: None,
    }
}

fn modified(changed: &[Area], fields: Vec<Field>) -> Entry {
    let context = [("/status/conditions/0/type", "Ready"), ("/status/containerStatuses/0/name", "app")];
    let context = context.map(|(path, name)| (path.into(), json!(name))).into();
    Entry { changed: changed.to_vec(), fields, context, ..Entry::of(EntryType::Modified, 1_795_228_981_020) }
}

fn said(entry: &Entry) -> Item {
    item(3, entry, |ms| ms, Zone::default())
}

fn lines(entry: &Entry) -> Vec<String> {
    let Body::Change { fields, .. } = said(entry).body else { return Vec::new() };
    fields.iter().map(FieldLine::text).collect()
}

#[test]
fn a_change_says_where_what_it_was_and_what_it_became() {
    let entry = modified(
        &[Area::Status, Area::Labels],
        vec![
            field("/status/phase", Some(json!("Pending")), Some(json!("Running")), Some(0)),
            field("/status/podIP", None, Some(json!("10.0.0.1")), Some(0)),
            field("/status/conditions/0/status", Some(json!("True")), Some(json!("False")), Some(0)),
            field("/metadata/labels/app.kubernetes.io~1name", Some(json!("a")), None, Some(1)),
            field("/spec/x", Some(json!(null)), Some(json!({"a": [1]})), None),
        ],
    );
    assert_eq!(
        lines(&entry),
        [
            "status.phase Pending → Running",
            "status.podIP set to 10.0.0.1",
            "status.conditions[Ready].status True → False",
            "metadata.labels[app.kubernetes.io/name] removed, was a",
            "spec.x null → {\"a\":[1]}",
        ]
    );
}

#[test]
fn a_containers_state_that_gives_way_to_another_is_one_line() {
    let at = |key: &str| format!("/status/containerStatuses/0/{key}");
    let entry = modified(
        &[Area::Status],
        vec![
            field(&at("state/terminated"), Some(json!({"reason": "Error", "exitCode": 1})), None, None),
            field(&at("state/waiting"), None, Some(json!({"reason": "CrashLoopBackOff"})), None),
            field(&at("restartCount"), Some(json!(7)), Some(json!(8)), None),
            field(&at("lastState/terminated/exitCode"), Some(json!(1)), Some(json!(137)), None),
        ],
    );
    assert_eq!(
        lines(&entry),
        [
            "status.containerStatuses[app].state terminated: Error, exit code 1 → waiting: CrashLoopBackOff",
            "status.containerStatuses[app].restartCount 7 → 8",
            "status.containerStatuses[app].lastState.terminated.exitCode 1 → 137",
        ]
    );
}

#[test]
fn whoever_wrote_is_named_and_nobody_else() {
    let mut entry = modified(
        &[Area::Status],
        vec![
            field("/status/a", None, Some(json!(1)), Some(0)),
            field("/spec/b", None, Some(json!(1)), Some(2)),
        ],
    );
    entry.writers = vec![writer("kubelet", "status"), writer("idle", ""), writer("hpa", "scale")];
    let Body::Change { writers, .. } = said(&entry).body else { panic!("a change") };
    let expected = [("kubelet", "status"), ("hpa", "scale")];
    assert_eq!(writers, expected.map(|(name, part)| (name.to_owned(), part.to_owned())));
    let nobody = modified(&[Area::Spec], vec![field("/spec/b", None, Some(json!(1)), None)]);
    let Body::Change { writers, .. } = said(&nobody).body else { panic!("a change") };
    assert_eq!(writers, []);
}

#[test]
fn a_gap_says_between_when_nothing_was_seen() {
    let gap = Gap { from_ms: 1_000, to_ms: 219_000, reason: Reason::Expired };
    let entry = Entry { gap: Some(gap), ..Entry::of(EntryType::Gap, 219_000) };
    let Body::Gap { bold, sentence, .. } = said(&entry).body else { panic!("a gap") };
    assert_eq!(bold, "Gap, 00:00:01 to 00:03:39.");
    assert_eq!(
        sentence,
        "Expired: relisted. Changes in these 3m38s were not seen; the state after them is exact."
    );
    let lost = Entry { lost: Some(400), ..Entry::of(EntryType::Gap, 9_000) };
    let Body::Gap { sentence, .. } = said(&lost).body else { panic!("a gap") };
    assert!(sentence.contains("400 changes"), "{sentence}");
}

#[test]
fn predicates_are_asked_about_changes_alone() {
    let entries = [
        modified(&[Area::Spec], Vec::new()),
        modified(&[Area::Status], Vec::new()),
        modified(&[Area::Status, Area::Labels], Vec::new()),
        Entry::of(EntryType::Added, 1),
        Entry::of(EntryType::Gap, 2),
        Entry::of(EntryType::Bookmark, 3),
    ];
    let labels = Filter::ALL.map(|filter| filter.label(entries.iter()));
    assert_eq!(labels, ["All 4", "Spec 1", "Status 2", "Metadata 1"]);
    let passing = |filter: Filter| entries.iter().filter(|entry| filter.passes(entry)).count();
    assert_eq!(Filter::ALL.map(passing), [6, 4, 5, 4]);
    assert_eq!(entries.iter().filter(|entry| is_shown(entry)).count(), 5);
}

#[test]
fn what_is_long_is_cut_and_what_turns_text_is_shown() {
    let long = "x".repeat(10_000);
    let entry = modified(
        &[Area::Spec],
        vec![field("/spec/a\u{202e}", Some(json!(long)), Some(json!("b\u{202e}\u{1b}")), None)],
    );
    let lines = lines(&entry);
    assert!(lines[0].starts_with("spec.a⟨202E⟩ xxx") && lines[0].ends_with("x → b⟨202E⟩␛"), "{}", lines[0]);
    assert!(lines[0].chars().count() < 600);
    let huge = Field { old_bytes: Some(612), new_bytes: Some(8_400), ..field("/data/a", None, None, None) };
    let entry = modified(&[Area::Other], vec![huge]);
    assert_eq!(super::tests::lines(&entry), ["data.a 612 B → 8.4 kB"]);
}

fn headline(fields: Vec<Field>) -> String {
    let Body::Change { headline, .. } = said(&modified(&[Area::Status], fields)).body else { panic!() };
    format!("{:?}: {}", headline.class, headline.text())
}

#[test]
fn an_entry_has_one_headline() {
    let at = |key: &str| format!("/status/containerStatuses/0/{key}");
    let ended = json!({"reason": "Error", "exitCode": 1});
    let crashed = vec![
        field(&at("restartCount"), Some(json!(39)), Some(json!(40)), None),
        field(&at("state/running"), Some(json!({})), None, None),
        field(&at("state/waiting"), None, Some(json!({"reason": "CrashLoopBackOff"})), None),
        field(&at("lastState/terminated"), None, Some(ended.clone()), None),
        field("/status/conditions/0/status", Some(json!("True")), Some(json!("False")), None),
        field("/status/conditions/0/lastTransitionTime", Some(json!("a")), Some(json!("b")), None),
    ];
    assert_eq!(headline(crashed), "Bad: CrashLoopBackOff, restart 40, exit code 1");
    let one =
        |path: &str, old: Option<Value>, new: Option<Value>| headline(vec![field(path, old, new, None)]);
    for (path, old, new, expected) in [
        (&*at("state/terminated"), None, Some(ended), "Bad: Error, exit code 1"),
        (&at("state/running"), None, Some(json!({})), "Ok: Started"),
        ("/spec/replicas", Some(json!(3)), Some(json!(4)), "Idle: Scaled 3 → 4"),
        (
            "/spec/template/spec/containers/0/image",
            Some(json!("a:1")),
            Some(json!("a:2")),
            "Idle: Image a:1 → a:2",
        ),
        ("/status/conditions/0/status", Some(json!("True")), Some(json!("False")), "Warn: Ready → not ready"),
        ("/status/phase", Some(json!("Pending")), Some(json!("Running")), "Idle: Pending → Running"),
        ("/metadata/labels/app~1debug", None, Some(json!("on")), "Idle: Label app/debug set to on"),
        ("/metadata/annotations/note", Some(json!("x")), None, "Idle: Annotation note removed"),
        ("/metadata/deletionTimestamp", None, Some(json!("2026")), "Unknown: Deletion began"),
        (
            "/metadata/deletionTimestamp",
            Some(json!("2026")),
            Some(json!("2025")),
            "Unknown: Deletion brought forward",
        ),
        (
            "/status/conditions/0",
            None,
            Some(json!({"type": "Ready", "status": "False", "reason": "ContainersNotReady"})),
            "Idle: Ready False, ContainersNotReady",
        ),
        (
            "/status/containerStatuses",
            None,
            Some(json!([{"name": "app", "state": {"waiting": {"reason": "ContainerCreating"}}}])),
            "Busy: ContainerCreating",
        ),
        ("/data/b", Some(json!("1")), Some(json!("2")), "Idle: data.b 1 → 2"),
        ("/metadata/managedFields", None, None, "Idle: Times and counters"),
    ] {
        assert_eq!(one(path, old, new), expected, "{path}");
    }
}

#[test]
fn a_headline_has_what_stands_beside_the_changed_field() {
    let at = |key: &str| format!("/status/containerStatuses/0/{key}");
    let mut entry = modified(
        &[Area::Status],
        vec![field(&at("state/waiting"), None, Some(json!({"reason": "CrashLoopBackOff"})), None)],
    );
    entry.context.insert(at("restartCount").into(), json!(40));
    entry.context.insert(at("lastState/terminated/exitCode").into(), json!(137));
    let Body::Change { headline, .. } = said(&entry).body else { panic!("a change") };
    assert_eq!((&*headline.strong, &*headline.rest), ("CrashLoopBackOff", ", restart 40, exit code 137"));
}

#[test]
fn what_always_changes_with_the_others_stands_last() {
    let entry = modified(
        &[Area::Status],
        vec![
            field("/status/conditions/0/lastTransitionTime", None, Some(json!("b")), None),
            field("/status/sync/nextProbeTime", None, Some(json!("b")), None),
            field("/spec/startingTime", None, Some(json!("b")), None),
            field("/status/containerStatuses/0/containerID", None, Some(json!("c")), None),
            field("/status/phase", None, Some(json!("Running")), None),
        ],
    );
    let Body::Change { fields, .. } = said(&entry).body else { panic!("a change") };
    assert_eq!(
        fields.iter().map(|field| (&*field.path, field.is_routine)).collect::<Vec<_>>(),
        [
            ("spec.startingTime", false),
            ("status.phase", false),
            ("status.conditions[Ready].lastTransitionTime", true),
            ("status.sync.nextProbeTime", true),
            ("status.containerStatuses[app].containerID", true),
        ]
    );
}

#[test]
fn a_value_that_changed_behind_its_mask_says_so_and_no_value() {
    let mask = || Some(json!("••••••••"));
    let entry = modified(&[Area::Other], vec![field("/data/colour", mask(), mask(), None)]);
    assert_eq!(lines(&entry), [""; 0], "the headline says it, once");
    assert_eq!(headline(entry.fields), "Idle: data.colour changed (masked)");
}
