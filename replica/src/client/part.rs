//! One namespace of a table that may not be read as a whole: its own rows, and which of them the view shows.

use std::sync::Arc;

use shared::column::Column;
use shared::frame::server::Rows;
use shared::name::Namespace;
use shared::resource_version::ResourceVersion;

use crate::events::ViewKey;
use crate::source::Source;
use crate::subscription::Subscription;
use crate::table::{Broken, Delta, Table};

/// One namespace of a view.
#[derive(Debug)]
pub(crate) struct Part {
    pub(super) view: ViewKey,
    pub(crate) source: Source,
    /// The columns under which its rows stand in the view's table. They don't stand there while it is
    /// refused, nor while the view has other columns.
    pub(super) shown: Option<Arc<[Column]>>,
}

impl Part {
    pub(super) fn new(view: ViewKey, subscription: Subscription) -> Self {
        Self { view, source: Source::new(subscription), shown: None }
    }

    /// Its view has dropped its rows already, or will.
    pub(super) fn purge(&mut self) {
        self.source.table = Table::default();
        self.shown = None;
    }

    pub(crate) fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    pub(crate) fn namespace(&self) -> Option<&Namespace> {
        self.source.subscription.scope.namespaces.only()
    }

    /// Applies a frame, and returns how the view's table has to change; `None` where the part's rows don't
    /// stand there under these columns.
    pub(super) fn apply(&mut self, frame: Rows) -> Result<Option<Rows>, Broken> {
        let delta = self.source.table.apply(frame)?;
        let is_shown = self.shown.as_ref() == Some(self.source.table.own_columns());
        let changes = is_shown.then(|| self.changes(&delta));
        for slot in delta.removed {
            self.source.table.remove_tombstone(slot);
        }
        Ok(changes)
    }

    fn changes(&self, delta: &Delta) -> Rows {
        let table = &self.source.table;
        let row = |slot| Some(table.entry(slot)?.row());
        let put = delta.added.iter().copied().chain(delta.changed.iter().map(|changed| changed.slot));
        Rows {
            put: put.filter_map(row).cloned().collect(),
            delete: delta.removed.iter().copied().filter_map(row).map(|row| row.id).collect(),
            masked: delta.masked.iter().copied().filter_map(row).map(|row| row.id).collect(),
            resource_version: self.resource_version(),
            gap: delta.gap.clone(),
            ..Rows::default()
        }
    }

    /// Adds its rows to a view with these columns, or takes them out.
    pub(super) fn show_or_hide(&mut self, columns: &Arc<[Column]>, changes: &mut Rows) {
        let table = &self.source.table;
        let shows = self.source.shows_rows() && table.own_columns() == columns;
        match (&self.shown, shows) {
            (None, true) => changes.put.extend(table.rows().cloned()),
            (Some(_), false) => changes.delete.extend(table.rows().map(|row| row.id)),
            _ => return,
        }
        changes.resource_version = self.resource_version();
        self.shown = shows.then(|| columns.clone());
    }

    fn resource_version(&self) -> ResourceVersion {
        self.source.table.token().map(|token| token.resource_version.clone()).unwrap_or_default()
    }
}
