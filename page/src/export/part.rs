//! What a pane asks of the export menu. What the menu has comes with a piece of the program, and is called through this
//! function alone.

use shared::name::ClusterName;
use shared::resource::Kind;

use super::command::ViewColumns;
use super::model::ExportModel;
use crate::address;
use crate::query::Sort;
use crate::table_view::Client;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// What the open menu has.
    pub(crate) menu: fn(Exported<'_>, &Client) -> ExportModel,
}

/// What the menu is about: the view of a pane, which makes it for each rendering of the open menu.
pub(crate) struct Exported<'a> {
    pub(crate) address: address::Pane,
    pub(crate) kind: &'a Kind,
    pub(crate) clusters: &'a [ClusterName],
    pub(crate) sort: Option<&'a Sort>,
    pub(crate) columns: ViewColumns<'a>,
    pub(crate) count: Count,
}

/// How much a file would have.
#[derive(Clone, Copy)]
pub(crate) enum Count {
    Rows { rows: usize, are_selected: bool },
    Events(usize),
}
