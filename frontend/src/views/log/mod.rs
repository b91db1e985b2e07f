//! The event log: one line for each event, the newest last. Only the lines of the window are mounted.

mod filter;
mod line;

use crate::dom::html::keyed;
use crate::dom::html::{b, button, div, footer, span};
use crate::prelude::*;
use page::log::words;
use page::messages;
use tachys::html::element::Div;
use tachys::html::event as ev;

use super::empty_state::empty_state;
use super::fetched::LogBand;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::signals::{LogSignals, PaneSignals};
use page::action::{LogAction, TwoLetters, of_rows};
use page::model::{EmptyState, LogBody};

pub(crate) fn log(part: LogBand, signals: PaneSignals, act: Dispatch) -> AnyView {
    match part {
        LogBand::Filter(box_ref) => filter::filter(signals, box_ref, act).into_any(),
        LogBand::Body => body(signals, act).into_any(),
        LogBand::StatusBar => status_bar(signals, act).into_any(),
    }
}

fn body(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let shown = signals.log;
    let scroller = NodeRef::<Div>::new();
    let space = NodeRef::<Div>::new();
    follow_size(scroller, act);
    scroller.on_load(move |element| {
        if shown.takes_focus.get_untracked() {
            dom::element::focus(&element);
        }
    });
    follow_extent(shown, scroller, space);
    let head: Vec<_> =
        words::COLUMNS.iter().map(|title| span().attr("role", "columnheader").child(*title)).collect();
    let first = Memo::new(move |_| shown.extent.with(|extent| extent.first));
    let lines = keyed(
        move || shown.lines.get(),
        // A line never changes: one that has the focus, is unfolded or has another body is another one.
        |line| {
            let is_routine = matches!(line.body, LogBody::Routine(_));
            (line.number, line.part, line.has_focus, line.is_unfolded, is_routine)
        },
        move |shown| line::line(shown, act),
    );
    let focused = move || {
        shown.lines.with(|lines| lines.iter().find(|line| line.has_focus).map(|line| line::id(line.number)))
    };
    Effect::new(move |before: Option<u32>| {
        let asked = shown.focus.get();
        if before.is_some_and(|before| before != asked)
            && let Some(scroller) = scroller.get_untracked()
        {
            dom::element::focus(&scroller);
        }
        asked
    });
    let letters = StoredValue::new(TwoLetters::default());
    let is_empty = Memo::new(move |_| shown.row_count.get() == 0);
    let nothing = move || {
        let cell = || div().attr("role", "gridcell").child(empty_state(none(signals), act));
        is_empty.get().then(|| div().attr("role", "row").child(cell()))
    };
    div()
        .class("log")
        .class(("log-narrow", move || shown.is_narrow.get()))
        .attr("id", "log")
        .attr("role", "treegrid")
        .attr("aria-activedescendant", focused)
        .attr("aria-label", move || {
            signals.head.with(|head| format!("{} {}", head.resource, head.group_version))
        })
        .attr("aria-rowcount", move || (shown.row_count.get() + 1).to_string())
        .attr("tabindex", "0")
        .node_ref(scroller)
        .on(ev::scroll, move |_| {
            if let Some(scroller) = scroller.try_get_untracked().flatten() {
                let (_, height_px) = dom::measure::size_px(&scroller);
                act.send(LogAction::Scrolled { top_px: dom::element::scroll_top_px(&scroller), height_px });
            }
        })
        .on(ev::keydown, move |event| act.send_key(&event, letters, |name| of_rows(name, true)))
        .child((
            div().class("log-row log-head").attr("role", "row").attr("aria-rowindex", "1").child(head),
            div().class("log-space").attr("role", "rowgroup").node_ref(space).child(
                div()
                    .class("log-lines")
                    .attr("role", "presentation")
                    .attr("data-first", move || first.get().to_string())
                    .style(("top", move || format!("{}px", shown.extent.get().offset_px)))
                    .child(lines),
            ),
            nothing,
        ))
}

fn none(signals: PaneSignals) -> EmptyState {
    let shown = signals.log;
    let has_filter = shown.text.with(|text| !text.is_empty()) || shown.predicate.with(Option::is_some);
    let content = signals.head.with(|head| head.content);
    EmptyState::of_log(has_filter, signals.empty_state.get(), content, signals.pill.with(|pill| pill.state))
}

fn follow_size(scroller: NodeRef<Div>, act: Dispatch) {
    scroller.on_load(move |element| {
        let observed = element.clone();
        let resize = dom::measure::on_resize(&element, move || {
            let (width_px, height_px) = dom::measure::size_px(&observed);
            act.send(LogAction::Resized { width_px, height_px });
        });
        StoredValue::new_local(resize);
    });
}

/// Sets the height before the scroll position, which it limits.
fn follow_extent(shown: LogSignals, scroller: NodeRef<Div>, space: NodeRef<Div>) {
    Effect::new(move |_| {
        let extent = shown.extent.get();
        if let Some(space) = space.get() {
            dom::element::set_height_px(&space, extent.height_px);
        }
        if let (Some(top_px), Some(scroller)) = (extent.scroll_to_px, scroller.get()) {
            dom::element::scroll_to_px(&scroller, top_px);
        }
    });
}

/// The last band, of a log.
fn status_bar(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let shown = signals.log;
    let strong = Memo::new(move |_| shown.count.with(|count| count.0.clone()));
    let rest = Memo::new(move |_| shown.count.with(|count| count.1.clone()));
    let following = move || match (signals.is_paused.get(), shown.follows.get()) {
        (true, _) => messages::VIEW_PAUSED,
        (false, true) => words::FOLLOWING,
        (false, false) => words::NOT_FOLLOWING,
    };
    let is_behind = Memo::new(move |_| !signals.is_paused.get() && !shown.follows.get());
    let follow = move || {
        is_behind.get().then(|| {
            button()
                .class("strip-act")
                .attr("id", "log-follow")
                .attr("title", messages::with_key(words::FOLLOW, "End"))
                .on(ev::click, move |_| act.send(LogAction::Follow))
                .child(words::FOLLOW)
        })
    };
    let version = Memo::new(move |_| signals.status_bar.with(|bar| bar.resource_version.clone()));
    footer().class("strip").child((
        span().class("strip-item").attr("id", "row-count").child((b().child(strong), rest)),
        span().class("strip-item").child((following, follow)),
        span().class("push"),
        move || {
            let version = Some(version.get()).filter(|version| !version.is_empty());
            version.map(|version| {
                let version = span().class("mono").child(version);
                span().class("strip-item strip-wide").child((messages::RESOURCE_VERSION, version))
            })
        },
    ))
}
