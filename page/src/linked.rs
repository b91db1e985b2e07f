//! Which rows of a board belong to the object at which its reader stands in another pane: the pods of a node, what a
//! controller owns, the Events of an object, what is in a namespace, and the other way round. By the rows alone, as they
//! are here. Never a subscription, and never a guess from a name.

use std::rc::Rc;

use replica::table::Table;
use shared::cell::Cell;
use shared::column::Column;
use shared::resource::Kind;
use shared::row::Row;

/// What a pane asks. It comes with a piece of the program: a page with one view needs none of it.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) stand: fn(&Row, &Table, &Rc<Kind>, Option<&str>) -> LinkedObject,
    pub(crate) is_linked: fn(&LinkedObject, &Row, &Table, &Kind, Option<&str>) -> bool,
}

/// Named in the piece alone.
pub(crate) const PART: Part = Part { stand, is_linked };

/// The object at which the reader stands, with all by which a row of another view can be held against it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkedObject {
    row: Row,
    kind: Rc<Kind>,
    cluster: Option<Box<str>>,
    is_exact: bool,
    node: Option<Box<str>>,
    subject: Option<Box<str>>,
}

impl LinkedObject {
    pub(crate) fn name(&self) -> &str {
        &self.row.name
    }
}

/// A row as it is compared.
struct Facts<'a> {
    row: &'a Row,
    kind: &'a Kind,
    cluster: Option<&'a str>,
    /// The ids of rows are those of their objects: among several clusters they are others.
    is_exact: bool,
    /// The cell NODE.
    node: Option<&'a str>,
    /// The cell OBJECT of an Event: `pod/web-1`.
    subject: Option<&'a str>,
}

/// `cluster`: that of the view, where it is of one.
fn stand(row: &Row, table: &Table, kind: &Rc<Kind>, cluster: Option<&str>) -> LinkedObject {
    let facts = Facts::of(row, table, kind, cluster);
    LinkedObject {
        cluster: facts.cluster.map(Into::into),
        is_exact: facts.is_exact,
        node: facts.node.map(Into::into),
        subject: facts.subject.map(Into::into),
        row: row.clone(),
        kind: Rc::clone(kind),
    }
}

fn is_linked(object: &LinkedObject, row: &Row, table: &Table, kind: &Kind, cluster: Option<&str>) -> bool {
    let LinkedObject { row: own, kind: of, cluster: in_cluster, is_exact, node, subject } = object;
    let (node, subject, is_exact) = (node.as_deref(), subject.as_deref(), *is_exact);
    let stood = Facts { row: own, kind: of, cluster: in_cluster.as_deref(), is_exact, node, subject };
    let other = Facts::of(row, table, kind, cluster);
    stood.cluster == other.cluster && (stood.is(&other) || stood.names(&other) || other.names(&stood))
}

impl<'a> Facts<'a> {
    fn of(row: &'a Row, table: &'a Table, kind: &'a Kind, cluster: Option<&'a str>) -> Self {
        let columns = table.columns();
        let own_cluster = table.cluster_of(row);
        Self {
            row,
            kind,
            cluster: own_cluster.or(cluster),
            is_exact: own_cluster.is_none(),
            node: text_of(row, columns, "node"),
            subject: text_of(row, columns, "object").filter(|_| &*kind.kind == "Event"),
        }
    }

    /// The same object.
    fn is(&self, other: &Self) -> bool {
        self.kind.resource == other.kind.resource && self.row.place() == other.row.place()
    }

    /// This row says that it belongs to the other one.
    fn names(&self, other: &Self) -> bool {
        let (kind, name) = (&*other.kind.kind, &*other.row.name);
        let namespace = self.row.namespace.as_deref();
        let has_namespace = other.row.namespace.is_none() || other.row.namespace.as_deref() == namespace;
        match kind {
            "Node" if self.node == Some(name) => return true,
            "Namespace" if namespace == Some(name) => return true,
            _ => {}
        }
        if !has_namespace {
            return false;
        }
        let is_subject = self.subject.and_then(|subject| subject.split_once('/'));
        if is_subject.is_some_and(|(word, held)| word.eq_ignore_ascii_case(kind) && held == name) {
            return true;
        }
        let extra = self.row.extra.as_deref();
        let Some(owner) = extra.and_then(|extra| extra.owner.as_ref()) else { return false };
        if *owner.kind == *kind && *owner.name == *name {
            let is_it = owner.row.is_none_or(|id| id == other.row.id);
            return is_it || !(self.is_exact && other.is_exact);
        }
        // The ReplicaSet of a pod is named after its Deployment and the template's hash.
        let hash = extra.and_then(|extra| extra.hash.as_deref());
        let stem = hash.and_then(|hash| owner.name.strip_suffix(hash)?.strip_suffix('-'));
        kind == "Deployment" && &*owner.kind == "ReplicaSet" && stem == Some(name)
    }
}

fn text_of<'a>(row: &'a Row, columns: &[Column], name: &str) -> Option<&'a str> {
    let at = columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))?;
    match row.cells.get(at)? {
        Cell::Text(text) => Some(text),
        _ => None,
    }
}
