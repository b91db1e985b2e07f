//! What a pane has beside its rows: the subscription to what they use, what a pause or a log keeps of them, and what its
//! link says of columns that aren't there.

use replica::client::ViewKey;
use replica::now::Now;
use replica::table::Delta;
use shared::state::UnixMillis;

use super::Pane;
use crate::table_view::Client;

impl Pane {
    /// Opens what the rows use, where the cluster measures it. Returns a view that isn't needed any more.
    pub(crate) fn follow_usage(
        &mut self,
        client: &mut Client,
        is_other_view: bool,
        now: Now,
    ) -> Option<ViewKey> {
        let kind = self.kind()?.clone();
        let measured = (&*kind, self.place.namespaces(&[]), self.clusters.as_slice());
        self.usage.open(client, &self.displayed, measured, is_other_view, now)
    }

    /// A view dropped all that it held: a copy of it that was paused goes on, and so does its log.
    pub(crate) fn purged(&mut self, key: ViewKey) {
        if self.displayed.key() == Some(key) {
            self.displayed.drop_copy();
        }
        if let Some(log) = self.log.as_mut().filter(|log| log.key == key) {
            log.purged();
        }
    }

    pub(crate) fn shows_nodes(&self) -> bool {
        self.kind().is_some_and(|kind| kind.resource.to_string() == "nodes")
    }

    pub(crate) fn stand_beside_nodes(&mut self, has_nodes: bool) {
        self.grid.columns.stand_beside_nodes(has_nodes);
    }

    /// Rows came of any view: a selector's suggestions may be read from it, or what the rows use.
    pub(crate) fn source_rows_came(
        &mut self,
        client: &mut Client,
        key: ViewKey,
        delta: &Delta,
        now_ms: UnixMillis,
    ) {
        self.selectors.rows_came(client, &self.displayed, key);
        self.usage.rows_came(client, &self.displayed, (key, delta), now_ms);
    }

    /// What the link says of columns that the table has not, as sentences.
    pub(crate) fn unknown_columns(&self, client: &Client) -> Vec<String> {
        self.displayed.rows(client).map(|rows| self.chooser.unknown(&self.place, &rows)).unwrap_or_default()
    }

    pub(crate) fn forget_unknown_columns(&mut self, client: &Client) {
        if let Some(rows) = self.displayed.rows(client) {
            self.chooser.forget_unknown(&mut self.place, &rows);
        }
    }
}
