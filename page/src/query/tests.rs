//! A filter matches the same rows, whatever was typed before it.

use proptest::prelude::*;
use shared::cell::Cell;
use shared::frame::server::Rows;

use super::*;
use replica::table::Table;
use replica::testing;

fn table() -> Table {
    let rows = (0..60_u8).map(|number| {
        let key = format!("{}/cart-{number}", if number % 2 == 0 { "shop" } else { "pay" });
        let mut row = testing::row(number.into(), &key, &[&key]);
        let status = ["Running", "Pending", "ÄRGER"][usize::from(number % 3)];
        row.cells.extend([Cell::Int(i64::from(number % 7)), Cell::text(status)]);
        row
    });
    testing::table_of(&["Name", "Restarts", "Status"], rows.collect())
}

fn matching(table: &Table, filters: &[&str]) -> Vec<replica::table::Slot> {
    let mut index = Index::of(table);
    for filter in filters {
        index.set_filter(table, Filter::parse(filter));
    }
    index.slots().to_vec()
}

#[test]
fn a_filter_that_is_typed_on_matches_what_it_matches_at_once() {
    let table = table();
    for steps in [
        &["c", "ca", "cart-1", "cart-1 restarts>2", "cart restarts>2", ""] as &[&str],
        &["cart shop", "cart-5 shop", "cart-5"],
        &["!cart", "!cart-1", "!cart-12", "!cart-1", "!cart-1 !pay", "!pay", ""],
        &["status=r", "status=running", "status=running,ärger", "status=Ärger"],
        &["restarts>", "restarts>1", "restarts>15", "restarts>1 namespace=shop"],
        &["/cart-1/", "/cart-1$/", "/cart-"],
    ] {
        for end in 1..=steps.len() {
            let typed = steps.get(..end).expect("inside");
            let last = typed.last().copied().expect("one");
            assert_eq!(matching(&table, typed), matching(&table, &[last]), "{typed:?}");
        }
    }
    assert_eq!(matching(&table, &["status=Ärger"]).len(), 20);
}

#[test]
fn a_kept_row_is_decided_anew_by_a_filter_that_lets_more_through() {
    let mut table = table();
    let mut index = Index::of(&table);
    index.set_filter(&table, Filter::parse("status=pending cart-1"));
    let slot = *index.slots().first().expect("a pending row");
    index.keep(&table, vec![slot]);
    let mut row = table.entry(slot).expect("a row").row().clone();
    *row.cells.last_mut().expect("a status") = Cell::text("Running");
    let delta =
        table.apply(Rows { view: 7, from: 1, to: 2, put: vec![row], ..Rows::default() }).expect("a change");
    index.apply(&table, &delta);
    assert!(index.is_kept(slot) && index.shows(slot));
    index.set_filter(&table, Filter::parse("status=pending"));
    assert_eq!((index.shows(slot), index.len()), (false, 19));
}

proptest! {
    #[test]
    fn whatever_is_typed_the_last_text_decides(
        typed in proptest::collection::vec("[cart0-2!/ ]{0,6}( restarts[<>=][0-6])?", 1..5),
    ) {
        let table = table();
        let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
        let last = typed.last().copied().unwrap_or_default();
        prop_assert_eq!(matching(&table, &typed), matching(&table, &[last]));
    }
}
