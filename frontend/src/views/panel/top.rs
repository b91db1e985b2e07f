//! What stands above the tabs. While the reader is in the panel it keeps the height that it once had, so that the tabs
//! stay under the pointer when a strip leaves or its text becomes shorter.

use crate::dom::html::div;
use crate::prelude::*;
use tachys::html::element::Div;

use super::super::fetched::PanelFrame;
use super::{head, why};
use crate::dispatch::Dispatch;
use crate::dom;
use crate::signals::PanelSignals;

/// Whether the pointer or the keyboard's focus is in the panel.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    pub(super) points: RwSignal<bool>,
    pub(super) focuses: RwSignal<bool>,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self { points: RwSignal::new(false), focuses: RwSignal::new(false) }
    }
}

pub(super) fn top(frame: PanelFrame, signals: PanelSignals, reader: Reader, act: Dispatch) -> impl IntoView {
    let place = NodeRef::<Div>::new();
    let is_inside = Memo::new(move |_| reader.points.get() || reader.focuses.get());
    let kept_px = RwSignal::new(0.0_f64);
    place.on_load(move |element| {
        let observed = element.clone();
        let resize = dom::measure::on_resize(&element, move || {
            let (_, height_px) = dom::measure::size_px(&observed);
            let is_kept = is_inside.try_get_untracked() == Some(true);
            kept_px.try_update(|kept| *kept = if is_kept { kept.max(height_px) } else { height_px });
        });
        // Observes until the panel is unmounted.
        StoredValue::new_local(resize);
    });
    let least = move || if is_inside.get() { format!("{}px", kept_px.get()) } else { "0".to_owned() };
    div()
        .class("panel-top")
        .node_ref(place)
        .style(("min-height", least))
        .child((head::head(frame, signals, act), why::why(signals, act)))
}
