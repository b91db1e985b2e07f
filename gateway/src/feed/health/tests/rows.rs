//! Rows of the configuration: which of them applies, what wins over what, and what is refused.

use super::*;
use crate::feed::health::rows::{HealthRow, RowsOfKind, WrittenRow};

fn row<'a>(kind: &'a str, path: &'a str, value: Option<&'a str>, class: &'a str) -> WrittenRow<'a> {
    WrittenRow { kind, path, value, class, why: None }
}

/// What is said of the object with these rows.
fn with(rows: &[WrittenRow<'_>], kind: &str, object: &str) -> String {
    let rows: Vec<HealthRow> = rows.iter().map(|row| HealthRow::read(row).expect("a row")).collect();
    let rows = RowsOfKind::of(&resource(kind), &rows);
    said_by(rows.as_ref(), kind, object)
}

#[test]
fn a_row_wins_over_the_built_in_rule_and_deletion_over_the_row() {
    const THINGS: &str = "things.acme.test";
    let failed = row(THINGS, ".status.phase", Some("Failed"), "failing");
    let any = row(THINGS, ".status.error", None, "not-ready");
    let fine = row(THINGS, "{.status.phase}", Some("Idle"), "fine");
    let ready = "'conditions': [{'type': 'Ready', 'status': 'False', 'reason': 'Down'}]";
    for (rows, object, expected) in [
        // What no rule reads is unknown.
        (&[] as &[WrittenRow<'_>], "{'status': {'phase': 'Failed'}}".to_owned(), "unknown"),
        (&[failed], "{'status': {'phase': 'Failed'}}".to_owned(), "failing Failed"),
        (&[failed], "{'status': {'phase': 'Running'}}".to_owned(), "unknown"),
        (&[failed, fine], "{'status': {'phase': 'Idle'}}".to_owned(), "fine Idle"),
        (&[any], "{'status': {'error': {'code': 3}}}".to_owned(), "not-ready"),
        (&[any], "{'status': {'error': null}}".to_owned(), "not-ready"),
        (&[any], "{'status': {}}".to_owned(), "fine"),
        // The first that applies.
        (&[any, failed], "{'status': {'phase': 'Failed', 'error': 'x'}}".to_owned(), "not-ready"),
        (&[failed, any], "{'status': {'phase': 'Failed', 'error': 'x'}}".to_owned(), "failing Failed"),
        // Over the built-in rules, also where they say less.
        (&[fine], format!("{{'status': {{'phase': 'Idle', {ready}}}}}"), "fine Idle"),
        (
            &[failed],
            "{'spec': {'suspend': true}, 'status': {'phase': 'Failed'}}".to_owned(),
            "failing Failed",
        ),
        (
            &[failed],
            "{'metadata': {'deletionTimestamp': 'T+0'}, 'status': {'phase': 'Failed'}}".to_owned(),
            "changing Terminating since 0",
        ),
    ] {
        assert!(
            with(rows, THINGS, &object).starts_with(expected),
            "{object}: {}",
            with(rows, THINGS, &object)
        );
    }
    let kinds = [row("pods", ".spec.nodeName", Some("old"), "failing")];
    assert_eq!(with(&kinds, "pods", "{'spec': {'nodeName': 'old'}}"), "failing old");
    assert_ne!(with(&kinds, "things.acme.test", "{'spec': {'nodeName': 'old'}}"), "failing old");
}

#[test]
fn values_are_compared_as_kubectl_prints_them() {
    for (path, value, object, applies) in [
        (".status.n", "3", "{'status': {'n': 3}}", true),
        (".status.on", "true", "{'status': {'on': true}}", true),
        (".status.on", "true", "{'status': {'on': 'true'}}", true),
        (".status.list[*].state", "bad", "{'status': {'list': [{'state': 'good'}, {'state': 'bad'}]}}", true),
        (
            ".status.list[?(@.type==\"A\")].state",
            "bad",
            "{'status': {'list': [{'type': 'B', 'state': 'bad'}]}}",
            false,
        ),
        (".status.phase", "Fail", "{'status': {'phase': 'Failed'}}", false),
        (".status.phase.deep", "x", "{'status': {'phase': 'Failed'}}", false),
    ] {
        let rows = [row("things.acme.test", path, Some(value), "failing")];
        assert_eq!(
            with(&rows, "things.acme.test", object).starts_with("failing"),
            applies,
            "{path} {object}"
        );
    }
}

#[test]
fn a_row_that_cannot_be_used_says_what_to_write() {
    let long = "x".repeat(121);
    for (written, words) in [
        (row("", ".a", None, "failing"), "kind \"\" is not the name of a resource; write it as"),
        (row("Things", ".a", None, "failing"), "kind \"Things\" is not"),
        (row("things", "", None, "failing"), "path \"\""),
        (row("things", "$", None, "failing"), "name a field"),
        (row("things", ".a[", None, "failing"), "can't be read: unterminated array"),
        (
            row("things", ".a", None, "ill"),
            "class \"ill\" is none; write one of failing, not-ready, changing, fine",
        ),
        (row("things", ".a", None, "unknown"), "write one of"),
        (WrittenRow { why: Some(&long), ..row("things", ".a", None, "fine") }, "no line of 120 characters"),
        (WrittenRow { why: Some("a\u{1b}b"), ..row("things", ".a", None, "fine") }, "no line of"),
    ] {
        let why = HealthRow::read(&written).expect_err(words);
        assert!(why.contains(words), "{why}");
    }
}
