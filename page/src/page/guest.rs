//! An element's side of the page: what its host's page may ask for. Never a cell of a row.

mod report;

use replica::now::Now;
use shared::row::RowId;

use super::Page;
use super::address_bar::first_pane;
use super::guest_object::GuestObjectModel;
use crate::action::{LogAction, PaneAction, PaneId};
use crate::address::Look;
use crate::cx::Cx;
use crate::effect::{ActivatedRow, Effect, File};
use crate::export::Format;
use crate::location::Location;
use crate::pane::Pane;
use crate::panel::PanelModel;
use crate::theme::Density;
use crate::wrong::TallyReport;
use report::report;
pub use report::{LinkReport, ProofReport, ViewReport};

/// The elements of another page.
impl Page {
    /// An element was added to another page.
    pub fn embed(&mut self, link: &str, now: Now) -> PaneId {
        self.cx.now = now;
        let id = self.panes.add_empty();
        self.lead_pane(id, link);
        self.follow();
        id
    }

    /// The link of an element changed.
    pub fn lead(&mut self, id: PaneId, link: &str, now: Now) {
        self.cx.now = now;
        self.lead_pane(id, link);
        if let Some(object) = self.panels.object_mut(id) {
            object.lead(link);
        }
        self.follow();
    }

    fn lead_pane(&mut self, id: PaneId, link: &str) {
        let first = first_pane(link);
        let location = Location { panel: None, ..first.location };
        self.change_pane(id, |pane| pane.lead_to(first.look, location));
    }

    /// An element was removed from its page.
    pub fn unembed(&mut self, id: PaneId, now: Now) {
        self.cx.now = now;
        let held = held_elsewhere!(self);
        self.panes.remove(id, &held, &mut self.cx);
        let left = self.panels.remove_object(id, &mut self.cx);
        self.close_unused(left);
        self.follow();
    }

    /// The elements that show one object, each with what stands around its panel.
    pub fn objects(&self) -> impl Iterator<Item = (PaneId, &GuestObjectModel, &PanelModel)> {
        self.panels.objects()
    }

    /// An element that shows the object of this link was added to another page.
    pub fn embed_object(&mut self, link: &str, now: Now) -> PaneId {
        self.cx.now = now;
        let id = self.panes.next_id();
        self.panels.add_object(id, link);
        self.follow();
        id
    }

    /// Whether an element that shows an object has a button that closes it, which its host does.
    pub fn set_closable(&mut self, id: PaneId, is_closable: bool) {
        if let Some(object) = self.panels.object_mut(id) {
            object.set_closable(is_closable);
        }
    }

    /// How much is wrong where an element looks. `None`: what says it isn't there yet, or the element shows something else.
    pub fn tally_report(&self, id: PaneId) -> Option<TallyReport> {
        self.panes.wrong_report(id, &self.cx)
    }

    pub fn view_report(&self, id: PaneId) -> Option<ViewReport> {
        let of_object = || Some(self.panels.object(id)?.report(&self.cx.client));
        self.panes.get(id).map(|pane| report(pane, &self.cx)).or_else(of_object)
    }

    /// `None`: nothing has proven the view yet.
    pub fn proof_report(&self, id: PaneId) -> Option<ProofReport> {
        let client = &self.cx.client;
        if let Some(object) = self.panels.object(id) {
            return object.proof(client);
        }
        ProofReport::of(client.view(self.panes.get(id)?.key()?)?.subscription())
    }

    pub fn link_report(&self) -> LinkReport {
        LinkReport::of(&self.cx, &self.model.user, self.session.expires_ms())
    }

    /// Pauses a view, or resumes it.
    pub fn set_paused(&mut self, pane: PaneId, is_paused: bool, now: Now) {
        if self.panes.get(pane).is_some_and(|pane| pane.is_paused() != is_paused) {
            self.update(Some(pane), PaneAction::TogglePause.into(), now);
        }
    }

    /// The density that the host's page sets for an element; `None`: the reader's.
    pub fn set_density(&mut self, pane: PaneId, density: Option<Density>) {
        if let Some(pane) = self.panes.get_mut(pane) {
            pane.set_density(density);
        }
    }

    /// The rows of a view as a file; its changes are lines of JSON whatever the format.
    pub fn export(&mut self, pane: PaneId, format: Format, now: Now) -> Option<File> {
        self.cx.now = now;
        let pane = self.panes.get_mut(pane)?;
        let action = match pane.look() {
            Look::Table => PaneAction::Export(format),
            Look::Log => PaneAction::Log(LogAction::Save),
            Look::Wrong => return None,
        };
        match pane.update(action, &mut self.cx)? {
            Effect::Download(file) => Some(file),
            _ => None,
        }
    }
}

/// The row that the reader opened in an element, for its host's page.
pub(super) fn activated(pane: &Pane, row: Option<RowId>, cx: &Cx) -> Option<ActivatedRow> {
    let place = pane.panel_place(row, cx)?;
    let resource = match &place.resource {
        Some(resource) => resource.to_string(),
        None => pane.kind()?.resource.to_string(),
    };
    Some(ActivatedRow::of(resource, place))
}
