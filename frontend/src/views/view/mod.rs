//! One live view in its own shadow root: head, filter, notice line, table, status bar. Another page can embed it, so it
//! uses nothing around it.

mod head;
mod more;

use crate::dom::html::{div, section, slot};
use crate::prelude::*;
use page::messages;
use tachys::html::element::Input;
use tachys::html::event as ev;

use super::copy::announcement;
use super::empty_state::empty_state;
use super::fetched::{LogBand, later};
use super::filter::filter;
use super::icons::sprite;
use super::notice::notice;
use super::root::{self, Mounted};
use super::status_bar::status_bar;
use super::table::table;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::files::Sheet;
use crate::signals::PaneSignals;
use page::model::{Content, Standing};

/// The element with the shadow root. Tests wait for its attributes.
pub(crate) fn host(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let place = NodeRef::<tachys::html::element::Div>::new();
    root::mount(place, Sheet::View, move || inside(signals, act));
    div()
        .class("view-host")
        .attr("data-board", move || signals.standing.get().is_on_board().then_some(""))
        .attr("data-state", move || signals.head.with(|head| head.state.word()))
        .attr("data-resource", move || signals.head.with(|head| head.resource.clone()))
        .attr("data-rv", move || signals.head.with(|head| head.resource_version.clone()))
        .node_ref(place)
}

/// The same view in an element of another page.
pub(crate) fn mount(host: &dom::Host, signals: PaneSignals, act: Dispatch) -> Option<Mounted> {
    root::mount_into(host, Sheet::View, move || inside(signals, act))
}

fn inside(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let filter_ref = NodeRef::<Input>::new();
    let to_filter = window_event_listener(ev::keydown, move |event| {
        let is_slash = dom::element::plain_key(&event).as_deref() == Some("/");
        let is_ours = signals.standing.try_get_untracked().is_some_and(Standing::has_keys);
        if is_slash && is_ours && !dom::element::is_typing(&event) {
            event.prevent_default();
            if let Some(field) = filter_ref.try_get_untracked().flatten() {
                dom::element::focus(&field);
            }
        }
    });
    on_cleanup(move || to_filter.remove());
    let label = move || signals.head.with(|head| messages::view_of(&head.resource, &head.place, &head.query));
    let is_empty = Memo::new(move |_| signals.empty_state.with(Option::is_some));
    let is_log = signals.log.is_shown;
    let is_compared = Memo::new(move |_| {
        signals.empty_state.with(|shown| shown.as_ref().is_some_and(|shown| shown.replaced.0.is_some()))
    });
    // A board has one bar, over its panes.
    let has_bar =
        Memo::new(move |_| signals.clock.get() == Some(true) && signals.standing.get() == Standing::Alone);
    let is_void =
        Memo::new(move |_| signals.is_past.get() && signals.head.with(|head| !head.content.takes_rows()));
    // Dogwatch's own page says once for all of its views what was copied.
    let is_guest = !dom::page::is_ours();
    // A portal may say itself that there is nothing, but not why something may not be seen.
    let is_portals =
        Memo::new(move |_| is_guest && signals.head.with(|head| head.content == Content::NoRows));
    let body = move || {
        if is_log.get() {
            later(act, move |views| (views.log)(LogBand::Body, signals, act))
        } else if is_compared.get() {
            later(act, move |views| (views.compare)(signals.empty_state, act))
        } else if is_empty.get() {
            let shown = move || signals.empty_state.get().map(|shown| empty_state(shown, act));
            let table = div().class("table").class(("table-void", move || is_void.get()));
            match is_portals.get() {
                true => table.child(slot().attr("name", "empty").child(shown)).into_any(),
                false => table.child(shown).into_any(),
            }
        } else {
            table(signals, act).into_any()
        }
    };
    div()
        .class("dw dw-host")
        .attr("data-theme", move || signals.theme.get().attribute())
        .attr("data-density", move || signals.density.get().attribute())
        .child((
            sprite(),
            is_guest.then(|| announcement(act.copied())),
            div().class("view-box").child(
                section()
                    .class("view")
                    .attr("aria-label", label)
                    .on(ev::pointerover, |event| dom::element::tell_cut(&event))
                    .on(ev::focusin, |event| dom::element::tell_cut(&event))
                    .child((
                        head::head(signals, act),
                        move || {
                            has_bar.get().then(|| later(act, move |views| (views.past)(signals.past, act)))
                        },
                        move || {
                            if is_log.get() {
                                later(act, move |views| {
                                    (views.log)(LogBand::Filter(filter_ref), signals, act)
                                })
                            } else {
                                filter(signals, filter_ref, act).into_any()
                            }
                        },
                        notice(signals.notice, signals.out_of_order, act),
                        body,
                        move || {
                            if is_log.get() {
                                later(act, move |views| (views.log)(LogBand::StatusBar, signals, act))
                            } else {
                                status_bar(signals.status_bar).into_any()
                            }
                        },
                    )),
            ),
        ))
}
