//! The views of other times that panes are compared with, and what differs. Never how it is computed, which comes with a
//! piece of the program.

use std::sync::Arc;

use replica::client::ViewKey;
use shared::custom_column::CustomColumns;
use shared::scope::Scope;
use shared::state::UnixMillis;

use crate::action::PaneId;
use crate::cx::Cx;
use crate::location::PanelPlace;
use crate::pane::Pane;
use crate::pane::links::PageLinks;
use crate::past::compare::Sides;
use crate::past::{Against, At, ViewComparison};
use crate::table_view::TableView as _;

/// One for each pane of a page that compares two times.
#[derive(Default)]
pub(super) struct Comparisons(Vec<Compared>);

/// The view of the other time beside that of a pane, and what the two differ in. It is compared again when rows of either
/// came, once a second at most.
struct Compared {
    pane: PaneId,
    key: ViewKey,
    of: Of,
    /// When the pane is.
    at: At,
    model: Option<Arc<ViewComparison>>,
    /// Rows came since the model was made.
    is_new: bool,
    made_ms: UnixMillis,
}

/// Which view it is of, and so when another one is needed.
#[derive(PartialEq)]
struct Of {
    pane: ViewKey,
    scope: Scope,
    columns: CustomColumns,
    against: Against,
}

/// Thousands of rows are compared in some milliseconds, and a live view changes often.
const AGAIN_MS: i64 = 1_000;

impl Comparisons {
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.0.iter().any(|compared| compared.key == key)
    }

    /// Rows of a view came.
    pub(super) fn rows_came(&mut self, key: ViewKey) {
        for compared in &mut self.0 {
            compared.is_new |= compared.key == key || compared.of.pane == key;
        }
    }

    /// Opens the view of the other time for each pane. Returns those that aren't compared any more.
    pub(super) fn follow(&mut self, panes: &[Pane], is_own_page: bool, cx: &mut Cx) -> Vec<ViewKey> {
        let mut former = std::mem::take(&mut self.0);
        for pane in panes.iter().filter(|_| is_own_page) {
            let (Some(at), Some(against)) = (pane.place().at, pane.place().against) else { continue };
            let Some((key, view)) = pane.key().and_then(|key| Some((key, cx.client.view(key)?))) else {
                continue;
            };
            let asked = view.subscription();
            let (scope, clusters) = (asked.scope.clone(), asked.clusters.clone());
            let columns = asked.columns.clone();
            let of = Of { pane: key, scope: scope.clone(), columns: columns.clone(), against };
            let is_it = |compared: &Compared| compared.pane == pane.id() && compared.of == of;
            if let Some(place) = former.iter().position(is_it) {
                let compared = former.swap_remove(place);
                // What was shown is of another time.
                let model = compared.model.clone().filter(|_| compared.at == at);
                self.0.push(Compared { at, model, ..compared });
                continue;
            }
            let columns = (columns, Default::default());
            let key = cx.client.open_at(scope, &clusters, columns, against.at_ms(), cx.now);
            self.0.push(Compared { pane: pane.id(), key, of, at, model: None, is_new: true, made_ms: 0 });
        }
        former.into_iter().map(|compared| compared.key).collect()
    }

    /// Once a second: a live view that no pane shows drops what it kept of deleted rows.
    pub(super) fn second(&self, panes: &[Pane], cx: &mut Cx) {
        let now_ms = cx.now_ms();
        let keys = self.0.iter().map(|compared| compared.key);
        for key in keys.filter(|key| !panes.iter().any(|pane| pane.holds(*key))) {
            if let Some(view) = cx.client.view_mut(key) {
                view.expire(&[], now_ms);
            }
        }
    }

    /// Shows what differs in place of the rows.
    pub(super) fn render(&mut self, panes: &mut [Pane], links: Option<&PageLinks>, cx: &Cx) {
        let now_ms = cx.now_ms();
        for (place, pane) in panes.iter_mut().enumerate() {
            let Some(compared) = self.0.iter_mut().find(|compared| compared.pane == pane.id()) else {
                pane.show_comparison(None);
                continue;
            };
            let is_waiting = compared.model.as_ref().is_none_or(|model| model.is_waiting);
            let is_due = is_waiting || compared.is_new && now_ms - compared.made_ms >= AGAIN_MS;
            if is_due
                && let Some(part) = cx.more.map(|more| more.past)
                && let (Some(own), Some(other)) =
                    (cx.client.view(compared.of.pane), cx.client.view(compared.key))
            {
                let is_earlier = compared.of.against.later(compared.at) != Some(compared.at);
                let (from, to) = if is_earlier { (own, other) } else { (other, own) };
                let href = |panel: PanelPlace| Some(links?.of_panel(place, panel));
                let filter = &pane.place().query;
                let sides =
                    Sides { client: &cx.client, from, to, filter, href: &href, now_ms, zone: cx.zone };
                compared.model = Some(Arc::new((part.compare)(&sides)));
                (compared.is_new, compared.made_ms) = (false, now_ms);
            }
            pane.show_comparison(compared.model.clone());
        }
    }
}
