//! What an action in the panel asks of the page.

use crate::clipboard::Clip;
use crate::effect::file::File;
use crate::location::{PanelPlace, Tab};
use crate::preferences::Change;

pub(crate) enum PanelOutcome {
    Nothing,
    /// Another tab: pushes an entry of the history.
    Push(PanelPlace),
    Replace(PanelPlace),
    Close,
    Copy(Clip),
    Download(File),
    Prefer(Change),
    /// Why a key did nothing.
    Say(&'static str),
}

impl PanelOutcome {
    pub(crate) fn to_tab(place: PanelPlace, tab: Tab) -> Self {
        if place.tab == tab { Self::Nothing } else { Self::Push(PanelPlace { tab, ..place }) }
    }
}
