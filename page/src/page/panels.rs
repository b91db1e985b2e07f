//! All panels of the page: the one beside its panes, and those of elements in another page.

use replica::client::ViewKey;
use replica::now::Now;
use shared::state::UnixMillis;

use super::board::Board;
use super::guest_object::GuestObject;
use crate::action::PaneId;
use crate::messages::Zone;
use crate::model::PieceShown;
use crate::panel::{MakePanel, PanelSlot};
use crate::table_view::Client;
use crate::theme::Theme;

impl Board {
    /// The panel beside the panes, and that of each object.
    pub(super) fn panels_held(&self) -> impl Iterator<Item = &PanelSlot> {
        std::iter::once(&self.panel).chain(self.objects.iter().map(|object| &object.panel))
    }

    pub(super) fn panels(&mut self) -> impl Iterator<Item = &mut PanelSlot> {
        std::iter::once(&mut self.panel).chain(self.objects.iter_mut().map(|object| &mut object.panel))
    }

    /// Entries or rows of a view arrived.
    pub(super) fn panel_news(&mut self, key: ViewKey) {
        self.panels().for_each(|panel| panel.news(key));
    }
}

impl Board {
    pub(super) fn object(&self, id: PaneId) -> Option<&GuestObject> {
        self.objects.iter().find(|object| object.id == id)
    }

    pub(super) fn object_mut(&mut self, id: PaneId) -> Option<(&mut GuestObject, &mut Client)> {
        Some((self.objects.iter_mut().find(|object| object.id == id)?, &mut self.client))
    }

    /// Opens what each object's place names.
    pub(super) fn follow_objects(&mut self, now: Now) {
        let Self { client, objects, .. } = self;
        let left: Vec<ViewKey> = objects.iter_mut().flat_map(|object| object.follow(client, now)).collect();
        self.close_unless_held(left);
    }

    pub(super) fn remove_object(&mut self, id: PaneId, now: Now) {
        let Some(at) = self.objects.iter().position(|object| object.id == id) else { return };
        let mut object = self.objects.remove(at);
        let left = object.panel.follow(&mut self.client, None, now);
        self.close_unless_held(left);
    }

    /// The piece with the panel has come.
    pub(super) fn fill_panels(&mut self, make: MakePanel) {
        self.make_panel = Some(make);
        self.panels().for_each(|panel| panel.fill(make));
    }

    pub(super) fn objects_second(&mut self, now_ms: UnixMillis) {
        for object in &mut self.objects {
            object.note_freshness(&self.client, now_ms);
        }
    }

    pub(super) fn render_objects(&mut self, theme: Theme, now_ms: UnixMillis, zone: Zone) {
        for object in &mut self.objects {
            object.note_freshness(&self.client, now_ms);
            object.panel.render(&self.client, object.theme.unwrap_or(theme), now_ms, zone);
            object.model.link = object.place.href();
        }
    }

    pub(super) fn render_lacking_panel(&mut self, piece: &PieceShown) {
        for GuestObject { model, panel, .. } in &mut self.objects {
            model.lacks_panel = panel.lacks_piece();
            model.panel_piece.clone_from(piece);
        }
    }

    pub(super) fn set_object_theme(&mut self, id: PaneId, theme: Theme) {
        if let Some((object, _)) = self.object_mut(id) {
            object.theme = Some(theme);
        }
    }
}
