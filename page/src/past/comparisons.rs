//! The views of other times that panes are compared with, and what differs. What is done with them comes with a piece of
//! the program. Never a pane.

use std::sync::Arc;

use replica::client::ViewKey;
use replica::now::Now;
use shared::custom_column::CustomColumns;
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::against::Against;
use super::at::At;
use super::compare::{self, Sides};
use super::model::{InPlaceOfRows, ReplacedRows, ViewComparison};
use crate::action::PaneId;
use crate::location::PanelPlace;
use crate::messages::Zone;
use crate::table_view::{Client, TableView as _};

/// The comparisons of a page, one for each pane that has two times.
#[derive(Default)]
pub(crate) struct Comparisons(Vec<Compared>);

/// A pane that compares two times.
#[derive(Clone, Copy)]
pub(crate) struct PaneTimes<'a> {
    pub(crate) pane: PaneId,
    /// Its view, which is as of the first time.
    pub(crate) view: ViewKey,
    pub(crate) at: At,
    pub(crate) against: Against,
    pub(crate) filter: &'a str,
}

/// The view of the other time beside that of a pane, and what the two differ in. What its reader reads stands still: it is
/// compared again when they ask for it, or look at another time or through another filter.
struct Compared {
    pane: PaneId,
    key: ViewKey,
    of: Of,
    /// When the pane is, and its filter.
    shown: (At, Box<str>),
    model: Option<Arc<InPlaceOfRows>>,
    /// Rows came since the model was made.
    is_old: bool,
    /// The reader asks for what is now since.
    is_asked: bool,
}

/// Which view it is of, and so when another one is needed.
#[derive(PartialEq)]
struct Of {
    view: ViewKey,
    scope: Scope,
    columns: CustomColumns,
    against: Against,
}

/// What is said of a time, and the address of an object's panel.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub(crate) href: &'a dyn Fn(PanelPlace) -> Option<String>,
    pub(crate) now_ms: UnixMillis,
    pub(crate) zone: Zone,
}

impl Comparisons {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn holds(&self, key: ViewKey) -> bool {
        self.0.iter().any(|compared| compared.key == key)
    }

    /// Rows of a view came.
    pub(crate) fn rows_came(&mut self, key: ViewKey) {
        for compared in &mut self.0 {
            compared.is_old |= compared.key == key || compared.of.view == key;
        }
    }

    pub(crate) fn read_again(&mut self) {
        self.0.iter_mut().for_each(|compared| compared.is_asked = true);
    }
}

/// Opens the view of the other time for each pane. Returns those that aren't compared any more.
pub(super) fn follow(
    comparisons: &mut Comparisons,
    panes: &[PaneTimes<'_>],
    client: &mut Client,
    now: Now,
) -> Vec<ViewKey> {
    let mut former = std::mem::take(&mut comparisons.0);
    for times in panes {
        let Some(view) = client.view(times.view) else { continue };
        let asked = view.subscription();
        let (scope, clusters, columns) = (asked.scope.clone(), asked.clusters.clone(), asked.columns.clone());
        let against = times.against;
        let of = Of { view: times.view, scope: scope.clone(), columns: columns.clone(), against };
        let is_it = |compared: &Compared| compared.pane == times.pane && compared.of == of;
        if let Some(place) = former.iter().position(is_it) {
            comparisons.0.push(former.swap_remove(place));
            continue;
        }
        let key = client.open_at(scope, &clusters, (columns, Default::default()), against.at_ms(), now);
        let shown = (times.at, times.filter.into());
        let (pane, model) = (times.pane, None);
        comparisons.0.push(Compared { pane, key, of, shown, model, is_old: false, is_asked: false });
    }
    former.into_iter().map(|compared| compared.key).collect()
}

/// What differs between the two times of a pane. `None`: its other view isn't open.
pub(super) fn shown(
    comparisons: &mut Comparisons,
    times: &PaneTimes<'_>,
    client: &mut Client,
    around: Around<'_>,
) -> ReplacedRows {
    let Around { href, now_ms, zone } = around;
    let Some(compared) = comparisons.0.iter_mut().find(|compared| compared.pane == times.pane) else {
        return ReplacedRows::default();
    };
    let is_other = compared.shown.0 != times.at || *compared.shown.1 != *times.filter;
    let is_waiting =
        !matches!(compared.model.as_deref(), Some(InPlaceOfRows::Comparison(made)) if !made.is_waiting);
    if is_waiting || is_other || compared.is_asked {
        // A live view that no pane shows drops what it kept of deleted rows.
        if let Some(view) = client.view_mut(compared.key) {
            view.expire(&[], now_ms);
        }
        compared.shown = (times.at, times.filter.into());
        (compared.is_old, compared.is_asked) = (false, false);
        let (Some(own), Some(other)) = (client.view(times.view), client.view(compared.key)) else {
            return ReplacedRows::default();
        };
        let is_earlier = times.against.later(times.at) != Some(times.at);
        let (from, to) = if is_earlier { (own, other) } else { (other, own) };
        let sides = Sides { client, from, to, filter: times.filter, href, now_ms, zone };
        let made = InPlaceOfRows::Comparison(compare::compare(&sides));
        // What is the same is drawn once.
        if compared.model.as_deref() != Some(&made) {
            compared.model = Some(Arc::new(made));
        }
    } else if let Some(InPlaceOfRows::Comparison(made)) = compared.model.as_deref()
        && compared.is_old
        && !made.is_old
    {
        let made = ViewComparison { is_old: true, ..made.clone() };
        compared.model = Some(Arc::new(InPlaceOfRows::Comparison(made)));
    }
    ReplacedRows(compared.model.clone())
}
