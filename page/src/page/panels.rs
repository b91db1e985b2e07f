//! All panels of the page: the one beside its panes, and those of elements in another page.

use replica::client::ViewKey;

use super::board::Board;
use crate::panel::PanelSlot;

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
