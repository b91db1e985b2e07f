//! The guarantees of the wire, one by one; the random sequences are in the view's tests.

use shared::cell::Cell;
use shared::frame::server::Patch;

use super::*;
use crate::testing::{column, id, row, subscribed, table_of};

fn names(table: &Table) -> Vec<String> {
    let mut names: Vec<String> = table.rows().map(Row::order_key).collect();
    names.sort();
    names
}

fn frame(from: u64, to: u64) -> Rows {
    Rows { view: 7, from, to, ..Rows::default() }
}

#[test]
fn rows_of_the_first_load_are_shown_as_they_arrive() {
    let mut table = Table::default();
    table.subscribed(&subscribed(1, "e", &["Name"]));
    let part = Rows { put: vec![row(1, "a/1", &["1"])], more: true, ..frame(0, 1) };
    let delta = table.apply(part).expect("chained");
    assert!(!delta.cut && !table.is_whole());
    assert_eq!(names(&table), ["a/1"]);
    assert_eq!(table.token(), None, "no cut, no token");
    let rest = Rows { put: vec![row(2, "a/2", &["2"])], ..frame(1, 2) };
    assert!(table.apply(rest).expect("chained").first_cut);
    assert_eq!(table.token().and_then(Token::sequence), Some(2));
}

#[test]
fn a_reset_keeps_the_old_rows_until_the_new_cut_is_whole() {
    let mut table = table_of(&["Name"], vec![row(1, "a/1", &["1"]), row(2, "a/2", &["2"])]);
    let part = Rows { put: vec![row(3, "a/3", &["3"])], reset: true, more: true, ..frame(50, 51) };
    assert_eq!(table.apply(part), Ok(Delta::default()));
    assert_eq!(names(&table), ["a/1", "a/2"]);
    assert_eq!(table.incoming_count(), Some(1));
    let rest = Rows { put: vec![row(2, "a/2", &["two"])], ..frame(51, 60) };
    let delta = table.apply(rest).expect("chained");
    assert!(delta.cut && delta.replaced);
    assert_eq!((delta.added.len(), delta.changed.len(), delta.removed.len()), (1, 1, 1));
    assert_eq!(names(&table), ["a/2", "a/3"]);
}

#[test]
fn other_columns_come_with_their_rows_and_not_before() {
    let mut table = table_of(&["Name"], vec![row(1, "a/1", &["1"])]);
    table.subscribed(&subscribed(1, "e2", &["Name", "Age"]));
    assert_eq!(table.columns().len(), 1);
    let delta = table.apply(Rows { put: vec![row(1, "a/1", &["1", "5m"])], ..frame(0, 9) }).expect("chained");
    assert!(delta.columns && delta.replaced);
    assert_eq!(table.columns().len(), 2);
}

#[test]
fn columns_that_come_after_the_first_answer_are_taken() {
    let mut table = Table::default();
    let mut first = subscribed(1, "e", &[]);
    first.columns_hash = "".into();
    table.subscribed(&first);
    table.subscribed(&subscribed(1, "e", &["Name"]));
    assert!(table.apply(Rows { put: vec![row(1, "a/1", &["1"])], ..frame(0, 1) }).is_ok());
    assert_eq!(table.columns().len(), 1);
}

#[test]
fn a_frame_that_does_not_continue_ours_is_refused_by_name() {
    let patch = |number, cell: u16| Patch {
        id: id(number),
        cells: [(cell, shared::cell::Cell::text("x"))].into(),
        resource_version: None,
    };
    for (broken, expected) in [
        (frame(5, 6), Broken::NotChained { from: 5, position: Some(1) }),
        (frame(1, 0), Broken::Backwards { from: 1, to: 0 }),
        (Rows { set: vec![patch(9, 0)], ..frame(1, 2) }, Broken::UnknownRow(id(9))),
        (Rows { set: vec![patch(1, 7)], ..frame(1, 2) }, Broken::UnknownCell(id(1), 7)),
    ] {
        let mut table = table_of(&["Name"], vec![row(1, "a/1", &["1"])]);
        assert_eq!(table.apply(broken), Err(expected));
    }
}

#[test]
fn a_delete_of_an_unknown_row_is_no_error() {
    let mut table = table_of(&["Name"], vec![row(1, "a/1", &["1"])]);
    let delta = table.apply(Rows { delete: vec![id(9), id(1), id(1)], ..frame(1, 2) }).expect("chained");
    assert_eq!(delta.removed.len(), 1);
    assert!(table.is_empty());
}

#[test]
fn a_deleted_row_keeps_its_slot_until_it_is_removed_and_may_come_back() {
    let mut table = table_of(&["Name"], vec![row(1, "a/1", &["1"])]);
    let slot = table.slot_of(id(1)).expect("here");
    table.apply(Rows { delete: vec![id(1)], ..frame(1, 2) }).expect("chained");
    assert!(table.entry(slot).is_some_and(Entry::is_tombstone));
    let back = table.apply(Rows { put: vec![row(1, "a/1", &["again"])], ..frame(2, 3) }).expect("chained");
    assert_eq!(back.added, [slot]);
    table.remove_tombstone(slot);
    assert!(table.entry(slot).is_some(), "the living aren't removed");
    table.apply(Rows { delete: vec![id(1)], ..frame(3, 4) }).expect("chained");
    table.remove_tombstone(slot);
    assert!(table.entry(slot).is_none());
}

#[test]
fn digests_are_compared_at_the_same_position_only() {
    let table = table_of(&["Name"], vec![row(1, "a/1", &["1"])]);
    assert_eq!(table.agrees(1, &table.digest()), Some(true));
    assert_eq!(table.agrees(1, "0000000000000000"), Some(false));
    assert_eq!(table.agrees(2, &table.digest()), None);
}

#[test]
fn a_token_carries_the_digest_of_its_cut_and_none_while_the_rows_are_beyond_it() {
    let mut table = table_of(&["Name"], vec![row(1, "a/1", &["1"])]);
    let digest = |table: &Table| table.token().and_then(|token| token.digest.clone()).map(String::from);
    assert_eq!(digest(&table), Some(table.digest()));
    let half = Rows { put: vec![row(2, "a/2", &["1"])], more: true, ..frame(1, 2) };
    table.apply(half).expect("chained");
    assert_eq!(digest(&table), None);
    table.apply(frame(2, 3)).expect("chained");
    assert_eq!(digest(&table), Some(table.digest()));
    table.detach();
    table.subscribed(&Subscribed { at: Some(70), ..subscribed(2, "of another gateway", &["Name"]) });
    assert_eq!((table.position(), digest(&table)), (Some(70), Some(table.digest())));
}

#[test]
fn joined_cells_follow_their_rows_and_no_digest_counts_them() {
    let mut table = table_of(&["Name"], vec![row(1, "a/1", &["1"]), row(2, "a/2", &["2"])]);
    let digest = table.digest();
    let cells = [("a/1".into(), vec![Cell::text("60m")]), ("a/3".into(), vec![Cell::text("3m")])].into();
    let joined = Joined { columns: vec![column("CPU")], cells };
    let delta = table.join(joined.clone());
    assert!(delta.columns && table.columns().len() == 2);
    assert_eq!(table.digest(), digest);
    let last = |table: &Table, number| {
        let slot = table.slot_of(id(number)).expect("a row");
        table.entry(slot).and_then(|entry| entry.row().cells.get(1).cloned())
    };
    assert_eq!((last(&table, 1), last(&table, 2)), (Some(Cell::text("60m")), Some(Cell::Null)));

    let patch =
        Patch { id: id(1), resource_version: Some("1".into()), cells: [(0, Cell::text("one"))].into() };
    let frame = Rows { put: vec![row(3, "a/3", &["3"])], set: vec![patch], ..frame(1, 2) };
    table.apply(frame).expect("chained");
    assert_eq!((last(&table, 1), last(&table, 3)), (Some(Cell::text("60m")), Some(Cell::text("3m"))));
    let rows = vec![row(1, "a/1", &["one"]), row(2, "a/2", &["2"]), row(3, "a/3", &["3"])];
    assert_eq!(table.digest(), table_of(&["Name"], rows).digest());
    let beyond = Patch { id: id(1), resource_version: None, cells: [(1, Cell::text("wire"))].into() };
    let frame = Rows { set: vec![beyond], ..self::frame(2, 3) };
    assert_eq!(table.clone().apply(frame), Err(Broken::UnknownCell(id(1), 1)), "frames don't know them");

    assert_eq!(table.join(joined), Delta::default(), "nothing changed");
    assert!(table.join(Joined::default()).columns && last(&table, 1).is_none());
}
