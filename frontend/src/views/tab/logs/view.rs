//! The lines and what stands around them. It comes with a piece of the program. Only the rows of the window are mounted.

use std::rc::Rc;

use crate::dom::html::{b, button, div, keyed, p, span};
use crate::prelude::*;
use page::logs::{LastView, LogsAction, LogsFoot, LogsOffer, words};
use page::panel::head::PanelHead;
use tachys::html::element::Div;
use tachys::html::event as ev;

use super::super::super::fetched::PanelHeadField;
use super::shown::Shown;
use super::{last, line, tools};
use crate::dispatch::Dispatch;
use crate::dom;

/// The tab, or the last lines where the panel has those.
pub(crate) fn view(head: PanelHeadField, act: Dispatch) -> AnyView {
    let has_last =
        |head: &Option<PanelHead>| head.as_ref().is_some_and(|head| head.logs.read::<LastView>().is_some());
    if head.with_untracked(has_last) { last::last(head, act) } else { all(head, act) }
}

fn all(head: PanelHeadField, act: Dispatch) -> AnyView {
    let shown = Shown::new(head);
    let notes = shown.part(|view| view.notes.clone());
    let notes = move || {
        let notes: Vec<_> = notes.get().into_iter().map(|note| p().child(note)).collect();
        (!notes.is_empty()).then(|| div().class("lg-said").attr("role", "status").child(notes))
    };
    (
        tools::tools(shown, act),
        tools::choice(shown, act),
        notes,
        lines(shown, act),
        foot(shown, act),
        div().class("sr").attr("role", "status").child(shown.part(|view| view.announced.clone())),
    )
        .into_any()
}

fn lines(shown: Shown, act: Dispatch) -> impl IntoView {
    let scroller = NodeRef::<Div>::new();
    let space = NodeRef::<Div>::new();
    follow_size(scroller, act);
    follow_extent(shown, scroller, space);
    let row_px = shown.part(|view| view.row_px);
    let rows = keyed(
        move || shown.with(|view| view.rows.clone()),
        Rc::clone,
        move |row| line::line(&row, row_px, act),
    );
    let label = shown.part(|view| view.label_characters);
    let empty = shown.part(|view| view.empty.clone());
    let is_paused = shown.part(|view| view.is_paused);
    div()
        .class("lg-body panel-body")
        .class(("lg-paused", move || is_paused.get()))
        .class(("lg-solo", move || label.get() == 0))
        .attr("id", "logs")
        .attr("role", "log")
        .attr("aria-live", "off")
        .attr("aria-label", words::LOG)
        .attr("tabindex", "0")
        .node_ref(scroller)
        .on(ev::scroll, move |_| {
            if let Some(scroller) = scroller.try_get_untracked().flatten() {
                act.send(LogsAction::Scrolled { top_px: dom::element::scroll_top_px(&scroller) });
            }
        })
        .child((
            div().class("lg-line lg-probe").attr("aria-hidden", "true").child(span().child("0000000000")),
            div()
                .class("lg-space")
                .style(("--lg-label", move || format!("{}ch", label.get())))
                .node_ref(space)
                .child(rows),
            move || {
                empty.get().map(|(strong, why)| {
                    div()
                        .class("lg-empty")
                        .attr("role", "status")
                        .child((b().child(strong), span().child(why)))
                })
            },
        ))
}

fn foot(shown: Shown, act: Dispatch) -> impl IntoView {
    let foot = shown.part(|view| view.foot.clone());
    let is_paused = shown.part(|view| view.is_paused);
    let said = move || {
        let LogsFoot { strong, text, offer, count } = foot.get();
        let offer = offer.map(|offer| match offer {
            LogsOffer::Follow => button()
                .class("lg-act")
                .attr("id", "logs-follow")
                .attr("title", words::FOLLOW_HINT)
                .on(ev::click, move |_| act.send(LogsAction::Follow))
                .child(words::FOLLOW),
            LogsOffer::Resume => button()
                .class("lg-act")
                .attr("id", "logs-resume")
                .on(ev::click, move |_| act.send(LogsAction::Pause))
                .child(words::RESUME),
        });
        let text = (!text.is_empty()).then(|| span().class("cut").child(text));
        (
            b().attr("id", "logs-state").child(strong),
            text,
            offer,
            span().attr("id", "logs-count").child(count),
        )
    };
    div()
        .class("lg-foot")
        .class(("lg-waits", move || is_paused.get()))
        .child((said, span().class("push cut").attr("title", words::AS_GIVEN_WHY).child(words::AS_GIVEN)))
}

fn follow_size(scroller: NodeRef<Div>, act: Dispatch) {
    scroller.on_load(move |element| {
        let observed = element.clone();
        let resize = dom::measure::on_resize(&element, move || {
            let (width_px, height_px) = dom::measure::size_px(&observed);
            let character_px = dom::measure::character_px(&observed, ".lg-probe > span");
            let row_px = dom::measure::height_px(&observed, ".lg-probe");
            act.send(LogsAction::Resized { width_px, height_px, row_px, character_px });
        });
        // Observes until the tab is unmounted.
        StoredValue::new_local(resize);
    });
}

/// Sets the height before the scroll position, which it limits.
fn follow_extent(shown: Shown, scroller: NodeRef<Div>, space: NodeRef<Div>) {
    Effect::new(move |followed: Option<u32>| {
        let (height_px, (number, top_px)) = shown.with(|view| (view.height_px, view.scroll));
        if let Some(space) = space.get() {
            dom::element::set_height_px(&space, height_px);
        }
        if let Some(scroller) = scroller.get()
            && followed.unwrap_or_default() != number
        {
            dom::element::scroll_to_px(&scroller, top_px);
        }
        number
    });
}
