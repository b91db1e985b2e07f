//! An element of another page that shows one object: a panel without a table beside it. What its reader opens there is
//! told to the host's page. Never a pane, never the address bar.

use replica::client::ViewKey;
use replica::freshness::Freshness;
use replica::now::Now;
use replica::object::Existence;
use shared::state::UnixMillis;

use super::Page;
use super::address_bar::first_pane;
use super::guest::{ProofReport, ViewReport};
use crate::action::{Action, PaneId, PanelAction};
use crate::clipboard::Clip;
use crate::effect::{ActivatedRow, Effect};
use crate::location::{Location, PanelPlace};
use crate::messages;
use crate::model::{EmptyState, PanelModel, PieceShown};
use crate::pane::empty_state::{self, kind_of_place};
use crate::panel::action::PanelOutcome;
use crate::panel::{PanelSlot, Wanted};
use crate::table_view::Client;
use crate::theme::Theme;

/// What stands around the panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GuestObjectModel {
    /// In place of the panel.
    pub empty_state: Option<EmptyState>,
    pub is_closable: bool,
    /// The same object on Dogwatch's own page: path and query.
    pub link: String,
    /// As in [`crate::model::PageModel`].
    pub lacks_panel: bool,
    pub panel_piece: PieceShown,
}

pub(super) struct GuestObject {
    pub(super) id: PaneId,
    pub(super) place: Location,
    pub(super) panel: PanelSlot,
    freshness: Option<Freshness>,
    pub(super) theme: Option<Theme>,
    pub(super) model: GuestObjectModel,
}

impl GuestObject {
    /// Opens what its place names. Returns the views that it no longer uses.
    pub(super) fn follow(&mut self, client: &mut Client, now: Now) -> Vec<ViewKey> {
        let wanted = self.wanted(client);
        let (wanted, empty_state) = match wanted {
            Ok(wanted) => (Some(wanted), None),
            Err(empty_state) => (None, empty_state),
        };
        self.model.empty_state = empty_state.map(|shown| *shown);
        self.panel.follow(client, wanted, now)
    }

    /// `Err`: what stands in its place; nothing until the kinds are known.
    fn wanted(&mut self, client: &Client) -> Result<Wanted, Option<Box<EmptyState>>> {
        let (kind, clusters) = kind_of_place(&mut self.place, client)?;
        let Some(panel) = self.place.panel.clone() else {
            return Err(Some(Box::new(empty_state::titled(messages::ELEMENT_WITHOUT_NAME))));
        };
        if kind.namespaced != panel.namespace.is_some() {
            let title = messages::element_namespace(&kind.resource.to_string(), kind.namespaced);
            return Err(Some(Box::new(empty_state::titled(&title))));
        }
        let cluster = panel.cluster.clone().or(clusters.into_iter().next());
        Ok(Wanted { kind, cluster, table: None, has_rows: false, panel })
    }

    pub(super) fn note_freshness(&mut self, client: &Client, now_ms: UnixMillis) {
        self.freshness = self.panel.freshness(client, now_ms);
    }

    pub(super) fn report(&self, client: &Client) -> ViewReport {
        let empty = self.model.empty_state.as_ref();
        let freshness = self.freshness.as_ref().filter(|_| empty.is_none());
        let exists = self.panel.object(client).and_then(|object| match object.existence {
            Existence::Unknown => None,
            Existence::Exists => Some(true),
            Existence::Deleted => Some(false),
        });
        ViewReport { exists, ..ViewReport::of(freshness, empty) }
    }

    pub(super) fn proof(&self, client: &Client) -> Option<ProofReport> {
        ProofReport::of(&self.panel.object(client)?.subscription)
    }

    fn show(&mut self, panel: PanelPlace) {
        self.place.panel = Some(panel);
    }
}

impl Page {
    /// The elements that show one object, each with what stands around its panel.
    pub fn objects(&self) -> impl Iterator<Item = (PaneId, &GuestObjectModel, &PanelModel)> {
        self.navigator.board.objects.iter().map(|object| (object.id, &object.model, object.panel.model()))
    }

    /// An element that shows the object of this link was added to another page.
    pub fn embed_object(&mut self, link: &str, now: Now) -> PaneId {
        let board = &mut self.navigator.board;
        let mut panel = PanelSlot::new(0.0, None);
        if let Some(make) = board.make_panel {
            panel.fill(make);
        }
        let id = board.next_id();
        let place = first_pane(link).location;
        let model = GuestObjectModel::default();
        board.objects.push(GuestObject { id, place, panel, freshness: None, theme: None, model });
        self.follow(now);
        id
    }

    /// Whether an element that shows an object has a button that closes it, which its host does.
    pub fn set_closable(&mut self, id: PaneId, is_closable: bool) {
        if let Some((object, _)) = self.navigator.board.object_mut(id) {
            object.model.is_closable = is_closable;
        }
    }

    pub(super) fn lead_object(&mut self, id: PaneId, link: &str) {
        if let Some((object, _)) = self.navigator.board.object_mut(id) {
            object.place = first_pane(link).location;
        }
    }

    /// An action in an element that shows an object. What is of a page around it isn't done.
    pub(super) fn update_object(&mut self, id: PaneId, action: Action, now: Now) {
        match action {
            Action::Panel(PanelAction::Open { .. } | PanelAction::Walk(_)) => {}
            Action::Panel(action) => {
                let Some((object, client)) = self.navigator.board.object_mut(id) else { return };
                let outcome = object.panel.update(client, action, now.now_ms);
                self.carry_out_of_object(id, outcome);
            }
            Action::FollowLink(link) => {
                let linked = first_pane(&link).location;
                let row = linked.panel.map(|panel| ActivatedRow::of(linked.resource.into(), panel));
                self.navigator.effects.extend(row.map(|row| Effect::Activated(id, row)));
            }
            Action::Copy(Clip::Link(_)) => {
                let link = self.navigator.board.object(id).map(|object| Clip::ViewLink(object.place.href()));
                self.navigator.effects.extend(link.map(Effect::Copy));
            }
            Action::SetTheme(theme) => self.navigator.board.set_object_theme(id, theme),
            Action::Copy(_) | Action::TryNow | Action::FetchAgain | Action::Reload => {
                self.apply(None, action, now);
            }
            _ => {}
        }
    }

    fn carry_out_of_object(&mut self, id: PaneId, outcome: PanelOutcome) {
        let Some((object, _)) = self.navigator.board.object_mut(id) else { return };
        match outcome {
            PanelOutcome::Push(place) | PanelOutcome::Replace(place) => object.show(place),
            PanelOutcome::Close if object.model.is_closable => {
                self.navigator.effects.push_back(Effect::Closed(id));
            }
            PanelOutcome::Copy(clip) => self.navigator.effects.push_back(Effect::Copy(clip)),
            // The host decides how wide the element is.
            PanelOutcome::Prefer(_) | PanelOutcome::Close | PanelOutcome::Nothing => {}
        }
    }
}
