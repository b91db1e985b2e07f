//! The place of the panel beside the panes: its host, while an object is open.

use crate::dom::html::div;
use crate::dom::html::keyed;
use crate::prelude::*;

use super::fetched::{PanelFrame, missing, panel_view};
use super::root;
use crate::dispatch::Dispatch;
use crate::field::Field;
use crate::files::Sheet;
use crate::signals::PanelSignals;
use page::model::PieceShown;

/// Tests wait for its attributes.
pub(super) fn panel_place(
    (lacks_panel, piece): (Field<bool>, Field<PieceShown>),
    frame: PanelFrame,
    signals: PanelSignals,
    act: Dispatch,
) -> impl IntoView {
    let generation = Memo::new(move |_| signals.head.with(|head| head.as_ref().map(|head| head.generation)));
    let each = move || generation.get().into_iter().collect::<Vec<_>>();
    let lacking = move || lacks_panel.get().then(|| missing(&piece.get(), act));
    // Another object gets new elements, so that no scroll position, text or popover of the former one stays.
    let hosts =
        keyed(each, |generation| *generation, move |generation| host(generation, frame, signals, act));
    (lacking, hosts)
}

fn host(generation: u32, frame: PanelFrame, signals: PanelSignals, act: Dispatch) -> impl IntoView {
    let place = NodeRef::<tachys::html::element::Div>::new();
    root::mount(place, Sheet::Panel, move || {
        panel_view().map(|inside| inside(generation, frame, signals, act))
    });
    div()
        .class("panel-host")
        .attr("data-tab", move || signals.tab.get().word())
        .attr("data-object", move || signals.head.with(|head| head.as_ref().map(|head| head.name.clone())))
        .node_ref(place)
}
