//! An element of another page that shows one object: a panel without a table beside it. What its reader opens there is
//! told to the host's page. Never a pane, never the address bar.

use super::address_bar::first_pane;
use super::guest::{ProofReport, ViewReport};
use crate::action::{Action, PaneId, PanelAction};
use crate::clipboard::Clip;
use crate::cx::Cx;
use crate::effect::{ActivatedRow, Effect};
use crate::element::words;
use crate::fields::model;
use crate::location::Location;
use crate::model::{EmptyState, PieceShown};
use crate::pane::empty_state::{self, kind_of_place};
use crate::panel::{PanelOutcome, PanelSlot, Wanted};
use crate::past::At;
use crate::table_view::Client;
use crate::theme::Theme;
use replica::client::ViewKey;
use replica::freshness::Freshness;
use replica::object::Existence;
use shared::state::UnixMillis;

model! {
    /// What stands around the panel.
    pub struct GuestObjectModel = GuestObjectFields {
        /// In place of the panel.
        empty_state: Option<EmptyState>,
        is_closable: bool,
        /// The same object on Dogwatch's own page: path and query.
        link: String,
        /// As in [`crate::model::PageModel`].
        lacks_panel: bool,
        panel_piece: PieceShown,
    } shared {
    } nested {
    }
}

/// One element with an object: the place that its link names, its panel, and how the object stands. [`super::Page`] calls
/// it by its id.
pub(super) struct GuestObject {
    id: PaneId,
    place: Location,
    panel: PanelSlot,
    freshness: Option<Freshness>,
    theme: Option<Theme>,
    model: GuestObjectModel,
}

impl GuestObject {
    pub(super) fn new(id: PaneId, link: &str, panel: PanelSlot) -> Self {
        let (place, model) = (first_pane(link).location, GuestObjectModel::default());
        Self { id, place, panel, freshness: None, theme: None, model }
    }

    pub(super) fn id(&self) -> PaneId {
        self.id
    }

    pub(super) fn panel(&self) -> &PanelSlot {
        &self.panel
    }

    pub(super) fn panel_mut(&mut self) -> &mut PanelSlot {
        &mut self.panel
    }

    pub(super) fn model(&self) -> &GuestObjectModel {
        &self.model
    }

    /// The link of the element changed.
    pub(super) fn lead(&mut self, link: &str) {
        self.place = first_pane(link).location;
    }

    /// Whether the element has a button that closes it, which its host does.
    pub(super) fn set_closable(&mut self, is_closable: bool) {
        self.model.is_closable = is_closable;
    }

    /// Opens what its place names. Returns the views that it no longer uses.
    pub(super) fn follow(&mut self, cx: &mut Cx) -> Vec<ViewKey> {
        let wanted = self.wanted(&cx.client, cx.now_ms());
        let (wanted, empty_state) = match wanted {
            Ok(wanted) => (Some(wanted), None),
            Err(empty_state) => (None, empty_state),
        };
        self.model.empty_state = empty_state.map(|shown| *shown);
        self.panel.follow(&mut cx.client, wanted, cx.now)
    }

    /// `Err`: what stands in its place; nothing until the kinds are known.
    fn wanted(&mut self, client: &Client, now_ms: UnixMillis) -> Result<Wanted, Option<Box<EmptyState>>> {
        let (kind, clusters) = kind_of_place(&mut self.place, client)?;
        let Some(panel) = self.place.panel.clone() else {
            return Err(Some(Box::new(empty_state::titled(words::ELEMENT_WITHOUT_NAME))));
        };
        if kind.namespaced != panel.namespace.is_some() {
            let title = words::element_namespace(&kind.resource.to_string(), kind.namespaced);
            return Err(Some(Box::new(empty_state::titled(&title))));
        }
        let cluster = panel.cluster.clone().or(clusters.into_iter().next());
        // What isn't yet can't be looked at, as in a view.
        let at_ms = self.place.at.map(At::ms).filter(|at_ms| *at_ms <= client.gateway_ms(now_ms));
        Ok(Wanted { kind, cluster, table: None, has_rows: false, panel, at_ms })
    }

    pub(super) fn note_freshness(&mut self, cx: &Cx) {
        self.freshness = self.panel.freshness(&cx.client, cx.now_ms());
    }

    pub(super) fn report(&self, client: &Client) -> ViewReport {
        let empty = self.model.empty_state.as_ref();
        let freshness = self.freshness.as_ref().filter(|_| empty.is_none());
        let exists = self.panel.object(client).and_then(|object| match object.existence {
            Existence::Unknown => None,
            Existence::Exists => Some(true),
            Existence::Deleted => Some(false),
        });
        ViewReport { exists, ..ViewReport::of(freshness, empty, client.connection().link()) }
    }

    pub(super) fn proof(&self, client: &Client) -> Option<ProofReport> {
        ProofReport::of(&self.panel.object(client)?.subscription)
    }

    pub(super) fn render(&mut self, theme: Theme, cx: &Cx) {
        self.note_freshness(cx);
        self.panel.render(&cx.client, self.theme.unwrap_or(theme), cx.now_ms(), cx.zone);
        self.model.link = self.place.href();
    }

    pub(super) fn render_lacking(&mut self, piece: &PieceShown) {
        self.model.lacks_panel = self.panel.lacks_piece();
        self.model.panel_piece.clone_from(piece);
    }

    /// What concerns a page around the element isn't done. Returns the action where the page does it.
    pub(super) fn update(&mut self, action: Action, cx: &mut Cx) -> Option<Action> {
        match action {
            Action::Panel(PanelAction::Open { .. } | PanelAction::Walk(_)) => {}
            Action::Panel(action) => {
                let outcome = self.panel.update(&cx.client, action, cx.now_ms());
                self.carry_out(outcome, cx);
            }
            Action::FollowLink(link) => {
                let linked = first_pane(&link).location;
                let row = linked.panel.map(|panel| ActivatedRow::of(linked.resource.into(), panel));
                cx.effects.extend(row.map(|row| Effect::Activated(self.id, row)));
            }
            Action::Copy(Clip::Link(_)) => cx.effect(Effect::Copy(Clip::ViewLink(self.place.href()))),
            Action::SetTheme(theme) => self.theme = Some(theme),
            Action::Copy(_) | Action::TryNow | Action::FetchAgain | Action::Reload => return Some(action),
            _ => {}
        }
        None
    }

    fn carry_out(&mut self, outcome: PanelOutcome, cx: &mut Cx) {
        match outcome {
            PanelOutcome::Push(place) | PanelOutcome::Replace(place) => self.place.panel = Some(place),
            PanelOutcome::Close if self.model.is_closable => cx.effect(Effect::Closed(self.id)),
            PanelOutcome::Copy(clip) => cx.effect(Effect::Copy(clip)),
            PanelOutcome::Download(file) => cx.effect(Effect::Download(file)),
            // The host decides how wide the element is.
            PanelOutcome::Prefer(_) | PanelOutcome::Close | PanelOutcome::Say(_) | PanelOutcome::Nothing => {}
        }
    }
}
