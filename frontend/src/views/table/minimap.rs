//! All rows as a column of bars: long ones are rows in trouble, short ones changed in the last minute, and the frame is
//! the window. Hidden from screen readers, which have the counts and the key `n`.

use std::sync::Arc;

use leptos::html::div;
use leptos::prelude::*;
use leptos::svg;

use page::model::Minimap;

pub(super) fn minimap(shown: RwSignal<Arc<Minimap>>) -> impl IntoView {
    let here = Memo::new(move |_| shown.with(|map| map.here));
    div().class("rail").attr("aria-hidden", "true").child(
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
    )
}
