//! All rows as a column of bars: long ones are rows in trouble, short ones changed in the last minute, and the frame is
//! the window. It scrolls like a scrollbar: by click, drag and wheel. Hidden from screen readers, which have the counts
//! and the key `n`.

use std::sync::Arc;

use crate::dom::html::svg;
use crate::dom::html::{b, div, span};
use crate::prelude::*;
use tachys::html::event as ev;

use crate::dispatch::Dispatch;
use crate::dom;
use crate::field::Field;
use page::action::{MinimapAction, PaneAction};
use page::model::{Minimap, MinimapTip};

pub(super) fn minimap(shown: Field<Arc<Minimap>>, act: Dispatch) -> impl IntoView {
    let here = Memo::new(move |_| shown.with(|map| map.here));
    let tip = Memo::new(move |_| shown.with(|map| map.tip.clone()));
    let is_held = StoredValue::new(false);
    let send = move |action: MinimapAction| act.send(PaneAction::Minimap(action));
    let release = move || {
        is_held.set_value(false);
        send(MinimapAction::Release);
    };
    div()
        .class("rail")
        .attr("aria-hidden", "true")
        .on(ev::pointerdown, move |event| {
            if let Some((across, down)) = dom::element::part_of(&event).filter(|_| event.button() == 0) {
                is_held.set_value(true);
                dom::element::capture(&event);
                event.prevent_default();
                // The bars of trouble are in the lane beside the rows.
                let is_mirrored = dom::element::is_mirrored(&event);
                let is_on_bars = (across < BARS_PART) != is_mirrored;
                send(MinimapAction::Press { at: down, is_on_bars });
            }
        })
        .on(ev::pointermove, move |event| {
            if let Some((_, down)) = dom::element::part_of(&event) {
                send(if is_held.get_value() {
                    MinimapAction::Drag(down)
                } else {
                    MinimapAction::Point(down)
                });
            }
        })
        .on(ev::pointerup, move |_| release())
        .on(ev::pointercancel, move |_| release())
        .on(ev::pointerleave, move |_| send(MinimapAction::Leave))
        .on(ev::wheel, move |event| dom::element::pass_wheel(&event, ".tbody"))
        .child((
            svg::svg().attr("viewBox", "0 0 18 600").attr("preserveAspectRatio", "none").child((
                svg::path().attr("class", "rail-bad").attr("d", move || shown.with(|map| map.bad.clone())),
                svg::path().attr("class", "rail-new").attr("d", move || shown.with(|map| map.new.clone())),
                svg::rect()
                    .attr("class", "rail-here")
                    .attr("x", "1")
                    .attr("width", "16")
                    .attr("rx", "1")
                    .attr("y", move || here.get().0.to_string())
                    .attr("height", move || here.get().1.to_string()),
            )),
            move || tip.get().map(label),
        ))
}

/// The bars of trouble take the first 12 of 18 units of the width.
const BARS_PART: f64 = 12.0 / 18.0;

fn label(tip: MinimapTip) -> impl IntoView {
    div().class("rail-tip").style(("inset-block-start", format!("{:.1}%", tip.at * 100.0))).child((
        b().class("mono").child(tip.name),
        " ",
        span().class("faint").child(tip.place),
    ))
}
