//! What pods and nodes use, as columns beside the server's: the figures of `metrics.k8s.io`, rounded as `kubectl top`
//! rounds them. Never a subscription.

use shared::cell::Cell;
use shared::column::Column;
use shared::custom_column::{CustomColumn, CustomColumns};
use shared::resource::Kind;
use shared::row::Row;

use crate::query::value::quantity;
use crate::table_view::View;
use replica::table::Joined;

pub const GROUP: &str = "metrics.k8s.io";
/// Marks the columns, of which the server knows nothing. Their cells are quantities.
const FORMAT: &str = "quantity of usage";

/// The kind that measures the objects of this one, where the cluster serves it.
pub fn measured_by<'a>(kinds: &'a [Kind], measured: &Kind) -> Option<&'a Kind> {
    let resource = &measured.resource.resource;
    let is_measured = measured.resource.is_core() && matches!(resource.as_str(), "pods" | "nodes");
    let measures = |kind: &&Kind| {
        kind.resource.group.as_str() == GROUP
            && kind.resource.resource == *resource
            && kind.disabled.is_none()
    };
    kinds.iter().find(measures).filter(|_| is_measured)
}

/// The columns to ask of that kind.
pub fn asked(measured: &Kind) -> CustomColumns {
    let of = if measured.namespaced { ".containers[*].usage" } else { ".usage" };
    let columns = ["cpu", "memory"].map(|what| CustomColumn::parse(what, &format!("{of}.{what}")));
    CustomColumns::these(columns.into_iter().flatten().collect()).unwrap_or_default()
}

pub fn columns() -> Vec<Column> {
    let column = |name: &str| Column {
        name: name.into(),
        kind: "string".into(),
        format: FORMAT.into(),
        description: "".into(),
        priority: 0,
        path: "".into(),
    };
    ["cpu", "mem"].map(column).into()
}

pub fn is_usage(column: &Column) -> bool {
    *column.format == *FORMAT
}

/// The rows of the kind that measures, to be joined with those that it measures.
pub fn joined(measures: &View) -> Joined {
    let table = measures.table();
    let at =
        |name: &str| table.columns().iter().position(|column| column.is_custom() && &*column.name == name);
    let (cpu, memory) = (at("cpu"), at("memory"));
    let cells_of = |row: &Row| {
        let sum = |at: Option<usize>| sum(row.cells.get(at?)?);
        let cell = |text: Option<String>| text.map_or(Cell::Null, |text| Cell::text(&text));
        vec![cell(sum(cpu).map(cpu_text)), cell(sum(memory).map(memory_text))]
    };
    let entries = table.iter().map(|(_, entry)| entry).filter(|entry| !entry.is_tombstone());
    let cells = entries.map(|entry| (entry.key().into(), cells_of(entry.row()))).collect();
    Joined { columns: columns(), cells }
}

/// The figures of a row that they were joined to: CPU in cores and memory in bytes.
pub fn of_row(view: &View, row: &Row) -> (Option<f64>, Option<f64>) {
    let figure = |name: &str| {
        let is_it = |column: &Column| is_usage(column) && &*column.name == name;
        match row.cells.get(view.table().columns().iter().position(is_it)?)? {
            Cell::Text(text) => quantity(text),
            _ => None,
        }
    };
    (figure("cpu"), figure("mem"))
}

/// The quantities of all containers, in billionths.
fn sum(cell: &Cell) -> Option<i128> {
    let Cell::Text(text) = cell else { return None };
    #[expect(clippy::cast_possible_truncation, reason = "no node has 2^53 bytes or nanocores")]
    let billionths = |text: &str| Some((quantity(text)? * 1e9).round() as i128);
    text.split(',').map(billionths).sum()
}

const BILLION: i128 = 1_000_000_000;
const MILLIONTH: i128 = 1_000_000;
const MEBIBYTE: i128 = 1_048_576;

/// A begun thousandth counts as a whole one.
fn cpu_text(billionths: i128) -> String {
    format!("{}m", short((billionths + MILLIONTH - 1).div_euclid(MILLIONTH)))
}

/// A begun mebibyte doesn't count.
fn memory_text(billionths: i128) -> String {
    format!("{}Mi", short(billionths.div_euclid(BILLION * MEBIBYTE)))
}

/// What is shown is far below its bound, and no other number of the page is as long.
fn short(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_kubectl_top() {
        for (cpu, expected) in [
            ("60639553n", "61m"),
            ("60m", "60m"),
            ("1", "1000m"),
            ("57m,3m", "60m"),
            ("0", "0m"),
            ("1n,1n", "1m"),
        ] {
            assert_eq!(sum(&Cell::text(cpu)).map(cpu_text).as_deref(), Some(expected), "{cpu}");
        }
        for (memory, expected) in
            [("114740Ki", "112Mi"), ("1Gi,1Mi", "1025Mi"), ("1048575", "0Mi"), ("2M", "1Mi")]
        {
            assert_eq!(sum(&Cell::text(memory)).map(memory_text).as_deref(), Some(expected), "{memory}");
        }
        assert_eq!(sum(&Cell::text("<none>")), None);
        assert_eq!(sum(&Cell::Null), None);
    }
}
