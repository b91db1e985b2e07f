//! Comparisons as a reader types them, against the cells of a row.

use shared::cell::{Ago, Span};

use super::*;
use crate::query::Filter;
use replica::testing;

const NOW: UnixSeconds = 1_763_690_000;

fn columns() -> Vec<Column> {
    let mut columns = ["Value", "Restarts", "Nominated Node", "Age"].map(testing::column);
    columns[1].kind = "integer".into();
    columns.to_vec()
}

fn matches(filter: &str, cell: Cell) -> bool {
    let mut row = testing::row(1, "shop/cart", &[]);
    row.cells = vec![cell, Cell::Int(3), Cell::text("<none>")];
    let table = testing::table_with(columns(), vec![row]);
    let mut filter = Filter::parse(filter);
    filter.bind(&columns(), None);
    assert!(filter.unread().is_none(), "{:?}", filter.terms());
    filter.matches(table.iter().next().expect("one row").1, NOW)
}

#[test]
fn a_cell_is_compared_as_what_it_is() {
    let text = |text: &str| Cell::text(text);
    let age = |seconds: i64| Cell::Age(Some(NOW - seconds));
    let ago = |text: &str| Cell::Ago(Box::new(Ago { text: text.into(), at: NOW - 240 }));
    let span = |seconds: i64, end: Option<i64>| Cell::Span(Box::new(Span { start: NOW - seconds, end }));
    for (filter, cell, expected) in [
        ("value>5", Cell::Int(6), true),
        ("value>5", Cell::Int(5), false),
        ("value>=5", Cell::Int(5), true),
        ("value>9", ago("10"), true),
        ("value=3", ago("3"), true),
        ("value<1", text("1/2"), true),
        ("value<1", text("2/2"), false),
        ("value=1/2", text("1/2"), true),
        ("value<2h", age(7_199), true),
        ("value<2h", age(7_201), false),
        ("value>1h30m", age(5_401), true),
        ("value>1m", span(61, None), true),
        ("value>1m", span(61, Some(NOW - 30)), false),
        ("value>1m", text("61s"), true),
        ("value>=500m", text("0.5"), true),
        ("value>1Gi", text("1025Mi"), true),
        ("value=running", text("Running"), true),
        ("value=Running,Completed", text("Completed"), true),
        ("value!=Running,Completed", text("Completed"), false),
        ("value!=Running,Completed", text("Pending"), true),
        ("value~^run", text("Running"), true),
        ("value!~ing$", text("Running"), false),
        ("value<b", text("Alpha"), true),
        ("value~\"probe failed\"", text("Readiness probe failed: 503"), true),
        ("value=\"a, b\"", text("a, b"), true),
        ("\"probe failed\"", text("Readiness probe failed: 503"), true),
        ("\"failed probe\"", text("Readiness probe failed: 503"), false),
        ("crashloop", text("CrashLoopBackOff"), true),
        ("!crashloop", text("CrashLoopBackOff"), false),
        ("value>0", text("<none>"), false),
        ("value>0", Cell::Null, false),
        ("value!=x", Cell::Null, true),
        ("namespace=shop", Cell::Null, true),
        ("nominated-node=<none>", Cell::Null, true),
        ("restarts>2 restarts<4", Cell::Null, true),
        ("RESTARTS>2 !pay cart", Cell::Null, true),
    ] {
        assert_eq!(matches(filter, cell.clone()), expected, "{filter} on {cell:?}");
    }
}

#[test]
fn what_cannot_be_compared_says_why_and_where() {
    for (written, why) in [
        ("restart>2", "no column \"restart\". Did you mean restarts?"),
        ("colour=red", "no column \"colour\". A label? Use Labels (g l)"),
        (">2", "> needs a column before it"),
        ("restarts>=", "restarts>= needs a value"),
        ("restarts>many", "restarts needs a number, not \"many\""),
        ("age<2", "age needs a duration such as 30s, 5m or 2d, not \"2\""),
        ("age=old", "age needs a duration"),
        ("health=good", "health is = or != one of failing"),
        ("health>fine", "health is = or != one of failing"),
        ("value~(", "not a regex"),
    ] {
        let text = format!("cart {written}");
        let mut filter = Filter::parse(&text);
        filter.bind(&columns(), None);
        let term = filter.terms().last().expect("two terms");
        assert!(term.unread().is_some_and(|said| said.starts_with(why)), "{written}: {:?}", term.unread());
        assert_eq!(text.get(term.span.clone()), Some(written));
    }
}

#[test]
fn before_the_columns_are_known_nothing_is_compared_and_only_a_filter_by_age_is_timed() {
    for (filter, is_timed) in [("value<2h", true), ("restarts>5", false)] {
        let mut filter = Filter::parse(filter);
        filter.bind(&[], None);
        assert!(filter.is_empty());
        filter.bind(&columns(), None);
        assert_eq!((filter.is_empty(), filter.is_timed()), (false, is_timed));
    }
}
