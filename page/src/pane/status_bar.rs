//! The status bar below the rows: how many there are, which are seen, how many change, the resourceVersion.

pub mod words;

use crate::messages;
use crate::model::StatusBar;
use crate::query::Index;
use crate::table_view::{TableView, View};
use crate::window::Window;
use replica::freshness::Freshness;
use replica::table::Slot;
use shared::name::Namespace;
use shared::scope::Namespaces;

use super::displayed::resource_version;
use super::notice::Bands;
use super::selection::Selection;

impl Bands<'_> {
    pub(super) fn status_bar(&self, said: Option<&str>, selection: &Selection, window: &Window) -> StatusBar {
        let Self { cx, rows, freshness, recent, .. } = *self;
        let (traffic, now_ms, zone) = (&cx.traffic, cx.now_ms(), cx.zone);
        let (selected, hidden) = selection.count(&rows);
        let (strong, row_count) = row_count(rows.view, rows.index, freshness);
        let has_rows = !window.seen.is_empty() && freshness.shows_rows();
        let is_changing = !freshness.is_stale() && freshness.shows_rows() && freshness.past().is_none();
        let strong_is_empty = strong.is_empty();
        StatusBar {
            strong,
            rows: match &rows.view.subscription().granted {
                Some(Namespaces::These(granted)) if !strong_is_empty => {
                    let names: Vec<&str> = granted.iter().map(Namespace::as_str).collect();
                    words::rows_that_you_may_see(&row_count, &names)
                }
                _ if !strong_is_empty && !self.clusters.is_empty() => {
                    let shown = self.clusters.iter().filter(|cluster| cluster.freshness.shows_rows()).count();
                    messages::rows_of_clusters(&row_count, shown, self.clusters.len())
                }
                _ => row_count,
            },
            window: if has_rows {
                words::rows_seen(window.seen.start + 1, window.seen.end)
            } else {
                String::new()
            },
            said: said.unwrap_or_default().to_owned(),
            selected: words::selected(selected, hidden),
            linked: String::new(),
            rate: is_changing.then(|| messages::count(u64::from(recent.rate(now_ms)))),
            quiet_since: match freshness {
                Freshness::Stale { since_ms, .. } | Freshness::OtherVersion { since_ms, .. }
                    if rows.view.table().is_whole() =>
                {
                    words::no_change_since(&messages::instant(*since_ms, now_ms, zone))
                }
                _ => String::new(),
            },
            spark: if is_changing { recent.spark(now_ms) } else { String::new() },
            resource_version: resource_version(rows.view),
            received: messages::bytes(traffic.received),
            per_second: words::received(traffic.last_second),
        }
    }
}

/// The number in strong letters, and the text after it. Deleted rows that are still shown don't count.
fn row_count(view: &View, index: &Index, freshness: &Freshness) -> (String, String) {
    let all = view.table().len();
    match freshness {
        Freshness::Syncing { n, .. } if *n > 0 => words::rows_so_far(all, *n),
        // The number isn't known yet, or the reader may not know it.
        state if !state.shows_rows() || matches!(state, Freshness::Syncing { .. }) => Default::default(),
        Freshness::Stale { .. } if !view.table().is_whole() => Default::default(),
        _ if !index.narrows_rows() => words::rows_of(all, all),
        _ => {
            let is_deleted = |slot: &Slot| index.shows(*slot) && !index.is_kept(*slot);
            let others = index.kept_count() + view.marks().tombstones().filter(is_deleted).count();
            words::rows_of(index.len().saturating_sub(others).min(all), all)
        }
    }
}
