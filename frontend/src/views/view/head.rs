//! The head of a view: its resource, its freshness, and its actions.

use crate::dom::html::{button, div, h1, header, slot, span};
use crate::prelude::*;
use page::messages;
use page::pane::words;
use page::past::words as past;
use tachys::html::event as ev;

use super::super::copy::copy_link;
use super::super::export::BUTTON;
use super::super::fetched::later;
use super::super::icons::icon;
use super::super::pill::pill;
use super::super::wide::wide_columns;
use super::more::more;
use crate::dispatch::Dispatch;
use crate::signals::PaneSignals;
use page::action::{Action, ColumnsAction, PaneAction, PastAction};
use page::model::{Content, Standing};

pub(super) fn head(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let resource = Memo::new(move |_| signals.head.with(|head| head.resource.clone()));
    let version = Memo::new(move |_| signals.head.with(|head| head.group_version.clone()));
    let place = Memo::new(move |_| signals.head.with(|head| head.place.clone()));
    let query = Memo::new(move |_| signals.head.with(|head| head.query.clone()));
    let is_guest = Memo::new(move |_| signals.standing.get() == Standing::Guest);
    let is_on_board = Memo::new(move |_| signals.standing.get().is_on_board());
    let is_alone = move || !is_guest.get() && !is_on_board.get();
    let is_long = move || resource.read().chars().count() > LONG_CHARACTERS;
    let whereabouts = move || {
        is_on_board.get().then(|| {
            div().class("pane-facts").child((
                move || (!place.read().is_empty()).then(|| span().class("pane-where").child(place)),
                move || (!query.read().is_empty()).then(|| span().class("pane-query mono").child(query)),
            ))
        })
    };
    header().class("view-head anchor").class(("view-long", is_long)).attr("part", "bar").child((
        move || is_on_board.get().then(grip),
        h1().class("view-title").attr("title", resource).child((
            span().class("cut").child(resource),
            " ",
            span().class("view-gv").child(version),
        )),
        whereabouts,
        pill(signals.pill, signals.proof),
        div().class("view-actions").class(("view-room", is_alone)).child((
            move || is_guest.get().then(|| slot().attr("name", "toolbar")),
            wide(signals, act),
            choose(signals, act),
            look(signals, act),
            labelled(
                "#i-get",
                (BUTTON, "K"),
                messages::EXPORT,
                offered(signals, Content::is_view),
                move || {
                    let is_open = signals.export.with_untracked(Option::is_some);
                    act.send(PaneAction::ShowExport(!is_open));
                },
            ),
            move || (!is_guest.get()).then(|| copy_link(act, "copy-link")),
            move || {
                (!is_guest.get()).then(|| {
                    let always = offered(signals, |_| true);
                    labelled("#i-split", ("beside", "b"), words::SPLIT, always, move || {
                        act.send(Action::Split);
                    })
                })
            },
            pause(signals, act),
            clock(signals, act),
            more(signals, act),
            move || is_on_board.get().then(|| close(resource, act)),
        )),
        opened(signals, act),
    ))
}

/// A kind with a longer name leaves less room to the pill.
const LONG_CHARACTERS: usize = 14;

/// The export menu and the column chooser.
fn opened(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let exports = Memo::new(move |_| signals.export.with(Option::is_some));
    let chooses = Memo::new(move |_| signals.columns.with(Option::is_some));
    (
        move || exports.get().then(|| later(act, move |views| (views.export)(signals, act))),
        move || chooses.get().then(|| later(act, move |views| (views.columns)(signals, act))),
    )
}

/// Drags the pane to the place of another one. The page around the panes listens to it.
fn grip() -> impl IntoView {
    span()
        .class("grip pane-grip")
        .attr("aria-hidden", "true")
        .attr("title", words::PANE_MOVE)
        .attr("data-grip", "")
        .child("⋮⋮")
}

/// A button that can do nothing keeps its place and the focus.
fn offered(signals: PaneSignals, is_offered: fn(Content) -> bool) -> Memo<bool> {
    Memo::new(move |_| is_offered(signals.head.with(|head| head.content)))
}

/// A button with a word, which a narrow view hides.
fn labelled(
    sign: &'static str,
    (id, key): (&'static str, &'static str),
    word: &'static str,
    is_offered: Memo<bool>,
    choose: impl Fn() + 'static,
) -> impl IntoView {
    button()
        .class("btn")
        .attr("id", id)
        .attr("aria-label", word)
        .attr("title", messages::with_key(word, key))
        .attr("aria-keyshortcuts", key)
        .attr("aria-disabled", move || (!is_offered.get()).then_some("true"))
        .on(ev::click, move |_| choose())
        .child((icon(sign), span().class("btn-text").child(word)))
}

/// Switches between table and log.
fn look(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let takes_rows = offered(signals, Content::takes_rows);
    let of_past = Memo::new(move |_| {
        signals.empty_state.with(|shown| shown.as_ref().is_some_and(|shown| shown.replaced.is_changes()))
    });
    let is_log = move || signals.log.is_shown.get() || of_past.get();
    let is_offered = Memo::new(move |_| is_log() || takes_rows.get());
    move || {
        let (sign, word) =
            if is_log() { ("#i-columns", messages::TABLE) } else { ("#i-log", messages::CHANGES) };
        labelled(sign, ("look", "l"), word, is_offered, move || act.send(Action::ToggleLog))
    }
}

/// The button of the column chooser, with `5/9` while some are hidden.
fn choose(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let count = Memo::new(move |_| signals.head.with(|head| head.columns_shown.clone()));
    let is_open = Memo::new(move |_| signals.columns.with(Option::is_some));
    let is_offered = offered(signals, Content::has_rows);
    button()
        .class("btn")
        .attr("id", "columns")
        .attr("aria-label", move || format!("{} {}", messages::COLUMNS, count.read()).trim_end().to_owned())
        .attr("title", messages::with_key(messages::COLUMNS, "c"))
        .attr("aria-keyshortcuts", "c")
        .attr("aria-haspopup", "dialog")
        .attr("aria-disabled", move || (!is_offered.get()).then_some("true"))
        .attr("aria-expanded", move || is_open.get().to_string())
        .attr("hidden", move || signals.log.is_shown.get())
        .on(ev::click, move |_| {
            let open = !is_open.get_untracked();
            act.send(PaneAction::Columns(ColumnsAction::Open(open)));
        })
        .child((icon("#i-columns"), span().class("btn-text").child(messages::COLUMNS), move || {
            // The space parts the two words of the name.
            let shown = count.get();
            (!shown.is_empty()).then(|| span().class("faint").child(format!(" {shown}")))
        }))
}

/// Pauses the view: its rows stay, and changes are counted.
fn pause(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let is_paused = signals.is_paused;
    let label = move || {
        let word = if is_paused.get() { messages::RESUME } else { words::PAUSE };
        messages::with_key(word, messages::SPACE)
    };
    button()
        .class("btn btn-icon")
        .attr("id", "pause")
        .attr("aria-label", label)
        .attr("title", label)
        .attr("aria-pressed", move || is_paused.get().to_string())
        .attr("hidden", move || signals.is_past.get())
        .attr("aria-disabled", move || {
            let content = signals.head.with(|head| head.content);
            (!content.can_pause(is_paused.get(), signals.log.is_shown.get())).then_some("true")
        })
        .on(ev::click, move |_| act.send(PaneAction::TogglePause))
        .child(move || icon(if is_paused.get() { "#i-play" } else { "#i-pause" }))
}

/// Earlier times, and the way back. One icon, so that it never moves.
fn clock(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let is_there = Memo::new(move |_| signals.clock.get().is_some());
    let is_open = move || signals.clock.get() == Some(true);
    let label = move || match signals.is_past.get() {
        true => past::BACK_BY_KEY,
        false => past::SHOW_EARLIER_BY_KEY,
    };
    move || {
        is_there.get().then(|| {
            button()
                .class("btn btn-icon clock")
                .attr("id", "clock")
                .attr("aria-label", label)
                .attr("title", label)
                .attr("aria-keyshortcuts", "h")
                .attr("aria-expanded", move || is_open().to_string())
                .on(ev::click, move |_| act.send(PastAction::Toggle))
                .child(icon("#i-clock"))
        })
    }
}

fn close(resource: Memo<String>, act: Dispatch) -> impl IntoView {
    button()
        .class("btn btn-icon")
        .attr("id", "close")
        .attr("aria-label", move || words::close_view(&resource.read()))
        .on(ev::click, move |_| act.send(Action::ClosePane))
        .child(icon("#i-close"))
}

/// Which wide columns are shown, if the server has any.
fn wide(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let is_there = Memo::new(move |_| signals.head.with(|head| head.has_wide));
    div()
        .class("wide")
        .attr("id", "wide")
        .attr("hidden", move || !is_there.get() || signals.log.is_shown.get())
        .child(wide_columns(signals, act))
}
