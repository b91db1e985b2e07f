//! The column CLUSTER, which stands first in a table of several clusters. No gateway sends it.

use shared::cell::Cell;
use shared::column::Column;
use shared::digest;
use shared::name::ClusterName;
use shared::row::{Row, RowId};

/// What marks the column: a kind may have one of this name itself.
const FORMAT: &str = "dogwatch-cluster";
const NAME: &str = "Cluster";

pub(crate) fn column() -> Column {
    Column {
        name: NAME.into(),
        kind: "string".into(),
        format: FORMAT.into(),
        description: "".into(),
        priority: 0,
        path: "".into(),
    }
}

/// Whether the cells of a column name the clusters of the rows.
#[must_use]
pub fn names_clusters(column: &Column) -> bool {
    *column.format == *FORMAT
}

/// The cluster of a row; `None` in a table of one cluster.
#[must_use]
pub fn named_in<'a>(row: &'a Row, columns: &[Column]) -> Option<&'a str> {
    columns.first().filter(|column| names_clusters(column))?;
    match row.cells.first()? {
        Cell::Text(name) => Some(name),
        _ => None,
    }
}

/// The id of an object's row in a table of several clusters: two of them may have objects of one uid, as a cluster that
/// was restored from another's backup has. Applied twice it is the object's own id again.
#[must_use]
pub fn row_id(own: RowId, cluster: &ClusterName) -> RowId {
    own.mixed(digest::of(cluster))
}
