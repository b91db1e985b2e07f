//! Cells that were printed under other columns than those that they stand under now. PostgreSQL keeps each version once, so
//! an object that didn't change since has the cells of before.

use std::sync::Arc;

use shared::cell::Cell;
use shared::column::Column;
use shared::state::UnixMillis;

use crate::store::columns_at;
use crate::version::Head;

/// The columns of a kind, each with the time since when: the oldest first.
pub(crate) type ColumnsSince = Vec<(UnixMillis, Arc<[Column]>)>;

/// Puts the cells of a version under these columns, by their names. What wasn't printed then has no value. `at_ms`: when the
/// version was written, if that is known.
pub(crate) fn put_under(
    columns: &[Column],
    all: &[(UnixMillis, Arc<[Column]>)],
    head: &mut Head,
    at_ms: Option<UnixMillis>,
) {
    let count = head.cells.len();
    let fits = |then: &Arc<[Column]>| then.len() == count;
    let of_time = at_ms.map(|at_ms| columns_at(all, at_ms)).filter(fits);
    if of_time.is_none() && count == columns.len() {
        return;
    }
    // Two replicas differ a little in when the columns changed.
    let of_count = || all.iter().rev().map(|(_, then)| then).find(|then| fits(then)).cloned();
    let then = of_time.or_else(of_count).unwrap_or_default();
    if *then == *columns {
        return;
    }
    let cells = columns.iter().map(|column| {
        let place = then.iter().position(|other| other.name == column.name);
        let known = place.and_then(|place| head.cells.get(place)).cloned();
        known.unwrap_or_else(|| if &*column.format == "name" { Cell::text(&head.name) } else { Cell::Null })
    });
    head.cells = cells.collect();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn columns(names: &[&str]) -> Arc<[Column]> {
        let column = |name: &&str| {
            let format = if *name == "Name" { "name" } else { "" };
            json!({ "name": name, "type": "string", "format": format })
        };
        let columns: Vec<_> = names.iter().map(column).collect();
        serde_json::from_value::<Vec<Column>>(columns.into()).expect("columns").into()
    }

    #[test]
    fn cells_stand_under_the_columns_of_their_names_whichever_columns_came_since() {
        let [narrow, wide] = [columns(&["Name", "Status"]), columns(&["Name", "Ready", "Status"])];
        let all = [(10, narrow.clone()), (20, wide.clone()), (30, columns(&["Name", "Age"]))];
        let put = |now: &Arc<[Column]>, cells: &[&str], at_ms| {
            let head = json!({ "v": "1", "n": "web", "c": [] });
            let mut head: Head = serde_json::from_value(head).expect("a head");
            head.cells = cells.iter().map(|cell| Cell::text(cell)).collect();
            put_under(now, &all, &mut head, at_ms);
            head.cells
        };
        let text = |text: &str| Cell::text(text);
        assert_eq!(put(&wide, &["web", "Running"], Some(12)), [text("web"), Cell::Null, text("Running")]);
        assert_eq!(put(&narrow, &["web", "1/1", "Running"], Some(25)), [text("web"), text("Running")]);
        assert_eq!(put(&all[2].1, &["web", "Running"], Some(12)), [text("web"), Cell::Null], "as many");
        // Another replica had the columns a little later.
        assert_eq!(put(&wide, &["web", "1/1", "Running"], Some(19)).len(), 3);
        assert_eq!(put(&wide, &["web", "1/1", "Running"], Some(19))[1], text("1/1"));
        assert_eq!(put(&wide, &["web", "Running"], None), [text("web"), Cell::Null, Cell::Null]);
        assert_eq!(put(&wide, &["web", "1", "2", "3"], Some(25)), [text("web"), Cell::Null, Cell::Null]);
    }
}
