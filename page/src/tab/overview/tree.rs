//! A row of the objects around an object, and their groups, each under its own heading.

use shared::column::Column;
use shared::row::Row;

use super::words;
use crate::cells;
use crate::detail::{Now, tree};
use crate::names;
use crate::status::{Class, StatusColumns};
use crate::table_view::View;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeGroup {
    pub title: &'static str,
    /// Beside the title, fainter.
    pub note: String,
    pub rows: Vec<TreeRow>,
    /// The ReplicaSets of former revisions, which have no pods.
    pub former: Vec<TreeRow>,
}

/// One line of the tree of owners and what they own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TreeRow {
    pub depth: usize,
    pub kind: String,
    /// Where there is no room, the first part is cut: the end is what tells objects of one owner apart.
    pub name: (String, String),
    /// After the name: what else tells it from the others.
    pub mark: String,
    pub href: Option<String>,
    pub ready: String,
    pub status: Option<(Class, String)>,
    pub age: String,
    pub is_here: bool,
    /// In place of an object: why it isn't shown.
    pub note: Option<TreeNote>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TreeNote {
    pub is_locked: bool,
    pub text: String,
}

/// The revision and the images of a Deployment's ReplicaSet.
fn rollout(columns: &[Column], row: &Row) -> Option<String> {
    let cell = |name: &str| tree::text_in(columns, row, name);
    let revision = cell(tree::REVISION).filter(|_| tree::revision(columns, row).is_some())?;
    let images = cell("Images").unwrap_or_default().split(',');
    let images: Vec<&str> = images.map(|image| image.rsplit('/').next().unwrap_or(image)).collect();
    Some(words::revision(&cells::shown(revision), &cells::shown(&images.join(", "))))
}

/// Why a pod stands on no node, where it stands on none.
pub(super) fn unscheduled(view: &View, row: &Row) -> String {
    let said = tree::text_in(view.table().columns(), row, tree::UNSCHEDULED);
    said.map(|text| cells::shown(text).into_owned()).unwrap_or_default()
}

pub(super) fn of_row(view: &View, row: &Row, kind: &str, depth: usize, now: Now) -> TreeRow {
    let columns = StatusColumns::of(view.table().columns());
    let ready = columns.ready().and_then(|index| row.cells.get(index));
    let status =
        columns.read(row, now.cluster_s).map(|(word, class)| (class, cells::shown(word).into_owned()));
    TreeRow {
        ready: ready.map(|cell| cells::text(cell, now.cluster_s)).unwrap_or_default(),
        status,
        age: row.created.map(|at| now.age(at)).unwrap_or_default(),
        depth,
        kind: kind.to_owned(),
        name: names::with_end(names::parts(row)),
        mark: rollout(view.table().columns(), row).unwrap_or_default(),
        ..TreeRow::default()
    }
}

#[cfg(test)]
mod tests {
    use shared::custom_column::CustomColumn;

    use super::*;

    #[test]
    fn a_replica_set_says_which_revision_it_is_and_what_it_runs() {
        let column = |name: &str| CustomColumn::parse(name, ".a").expect("a path").column();
        let columns = ["Name", "Images", tree::REVISION].map(column);
        for (images, revision, expected) in [
            ("reg.example/shop/cart:1.42", "3", Some("revision 3, cart:1.42")),
            ("a:1,reg.example/b:2", "12", Some("revision 12, a:1, b:2")),
            ("cart:1.42", "<none>", None),
        ] {
            let row = replica::testing::row(1, "shop/cart-7", &["cart-7", images, revision]);
            assert_eq!(rollout(&columns, &row).as_deref(), expected);
        }
        assert_eq!(rollout(&[column("Name")], &replica::testing::row(1, "shop/cart-7", &[])), None);
    }
}
