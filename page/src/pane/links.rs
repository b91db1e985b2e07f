//! The address of each row's panel, so that a row's name is a link. An address is made once for a row, and again when
//! the page's own changes. Never in a page that isn't Dogwatch's.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use replica::table::Table;
use shared::row::{Row, RowId};

use crate::address::Address;
use crate::location::PanelPlace;
use crate::past::At;

/// What the page shows, of which a row's address is a variation.
pub(crate) struct PageLinks(pub(crate) Address);

/// The links of one pane's rows.
#[derive(Default)]
pub(super) struct RowLinks {
    page: Option<Rc<PageLinks>>,
    /// The pane's place on the board.
    at: usize,
    hrefs: HashMap<RowId, Arc<str>>,
}

/// More rows than any window mounts; a long scroll begins anew.
const KEPT_MAX: usize = 500;

impl RowLinks {
    pub(super) fn follow(&mut self, page: Option<Rc<PageLinks>>, at: usize) {
        let is_same = match (&self.page, &page) {
            (Some(held), Some(page)) => Rc::ptr_eq(held, page) && self.at == at,
            (held, page) => held.is_none() && page.is_none(),
        };
        if !is_same {
            *self = Self { page, at, hrefs: HashMap::new() };
        }
    }

    pub(super) fn of(&mut self, row: &Row, table: &Table) -> Option<Arc<str>> {
        if let Some(held) = self.hrefs.get(&row.id) {
            return Some(Arc::clone(held));
        }
        let panel = PanelPlace::of_row(row, table)?;
        let href: Arc<str> = self.page.as_ref()?.of_panel(self.at, panel).into();
        if self.hrefs.len() >= KEPT_MAX {
            self.hrefs.clear();
        }
        self.hrefs.insert(row.id, Arc::clone(&href));
        Some(href)
    }
}

impl PageLinks {
    /// The same as of a time.
    pub(crate) fn of_panel_at(&self, at: usize, panel: PanelPlace, time: At) -> String {
        let mut address = self.0.clone();
        for (place, pane) in address.panes.iter_mut().enumerate() {
            pane.location.panel = (place == at).then(|| panel.clone());
            (pane.location.at, pane.location.against) = (Some(time), None);
        }
        address.href()
    }

    /// The address of the page with this panel open, and no other.
    pub(crate) fn of_panel(&self, at: usize, panel: PanelPlace) -> String {
        let mut address = self.0.clone();
        for (place, pane) in address.panes.iter_mut().enumerate() {
            pane.location.panel = (place == at).then(|| panel.clone());
        }
        address.href()
    }
}
