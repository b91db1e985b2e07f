//! The model as signals, one for each field, which `page` declares. [`Signals`] has those of the whole page. `write` is
//! their only writer; the views read them.

use crate::prelude::*;
use page::action::PaneId;
use page::log::LogFields;
use page::model::{PageFields, PageModel, PaneFields};
use page::page::guest_object::GuestObjectFields;
use page::panel::{PanelFields, PanelModel};

use crate::dispatch::Dispatch;
use crate::field::Signal;

pub(crate) type PageSignals = PageFields<Signal>;
pub(crate) type PaneSignals = PaneFields<Signal>;
pub(crate) type LogSignals = LogFields<Signal>;
pub(crate) type PanelSignals = PanelFields<Signal>;
pub(crate) type GuestObjectSignals = GuestObjectFields<Signal>;

/// One pane: its signals, and where its actions go.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct PaneHandle {
    pub(crate) id: PaneId,
    pub(crate) view: PaneSignals,
    pub(crate) act: Dispatch,
}

/// One object in an element of another page.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct ObjectHandle {
    pub(crate) id: PaneId,
    pub(crate) around: GuestObjectSignals,
    pub(crate) panel: PanelSignals,
    pub(crate) act: Dispatch,
}

/// All signals.
#[derive(Clone, Copy)]
pub(crate) struct Signals {
    pub(crate) page: PageSignals,
    pub(crate) panes: RwSignal<Vec<PaneHandle>>,
    pub(crate) panel: PanelSignals,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self {
            page: PageSignals::new(PageModel::default()),
            panes: RwSignal::new(Vec::new()),
            panel: PanelSignals::new(PanelModel::default()),
        }
    }
}
