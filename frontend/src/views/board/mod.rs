//! The frame of a board: its title, Add a view, Copy link and Pause all; and the edges between its panes.

use crate::dom::html::{button, div, input, section, span};
use crate::prelude::*;
use page::page::words;
use tachys::html::element::Input;
use tachys::html::event as ev;

use super::copy::copy_link;
use super::fetched::later;
use super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::field::Field;
use crate::signals::PaneHandle;
use page::action::Action;
use page::address::COLUMNS;
use page::model::{BoardFrame, Side};
use page::past::PastBar;

pub(crate) fn frame(
    board: Field<Option<BoardFrame>>,
    past: Field<Option<PastBar>>,
    act: Dispatch,
) -> impl IntoView {
    let is_board = Memo::new(move |_| board.with(Option::is_some));
    let has_past = Memo::new(move |_| past.with(Option::is_some));
    (
        move || is_board.get().then(|| bar(board, act)),
        move || has_past.get().then(|| later(act, move |views| (views.past)(past, act))),
    )
}

fn bar(board: Field<Option<BoardFrame>>, act: Dispatch) -> impl IntoView {
    let is_paused =
        Memo::new(move |_| board.with(|board| board.as_ref().is_some_and(|board| board.is_paused)));
    let is_past = Memo::new(move |_| board.with(|board| board.as_ref().is_some_and(|board| board.is_past)));
    let pause = move || {
        let (sign, word) = match is_paused.get() {
            true => ("#i-play", words::RESUME_ALL),
            false => ("#i-pause", words::PAUSE_ALL),
        };
        (!is_past.get()).then(|| labelled(sign, "pause-all", word, Action::PauseAll, act))
    };
    section().class("sub").attr("aria-label", words::BOARD).child((
        title(board, act),
        labelled("#i-plus", "add-view", words::ADD_VIEW, Action::Split, act),
        copy_link(act, "copy-board"),
        pause,
    ))
}

/// A title is edited in its place: Enter keeps it, Escape takes it back.
fn title(board: Field<Option<BoardFrame>>, act: Dispatch) -> impl IntoView {
    let title = Memo::new(move |_| {
        board.with(|board| board.as_ref().map(|board| board.title.clone()).unwrap_or_default())
    });
    let field = NodeRef::<Input>::new();
    input()
        .class("board-name")
        .node_ref(field)
        .attr("type", "text")
        .attr("id", "board-title")
        .attr("aria-label", words::BOARD_TITLE)
        .attr("placeholder", words::BOARD_UNTITLED)
        .attr("title", words::BOARD_TITLE)
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("maxlength", "100")
        .prop("value", move || title.get())
        .on(ev::change, move |event| act.send(Action::SetTitle(event_target_value(&event))))
        .on(ev::keydown, move |event| {
            let Some(field) = field.get_untracked() else { return };
            match event.key().as_str() {
                "Enter" => dom::list::blur(&field),
                "Escape" => {
                    field.set_value(&title.get_untracked());
                    dom::list::blur(&field);
                }
                _ => {}
            }
        })
}

fn labelled(
    sign: &'static str,
    id: &'static str,
    word: &'static str,
    action: Action,
    act: Dispatch,
) -> impl IntoView {
    button()
        .class("btn")
        .attr("id", id)
        .attr("aria-label", word)
        .attr("title", word)
        .on(ev::click, move |_| act.send(action.clone()))
        .child((icon(sign), span().class("btn-text").child(word)))
}

/// The heights of the rows, for the grid.
pub(crate) fn rows(board: Field<Option<BoardFrame>>) -> String {
    let weights = board.with(|board| board.as_ref().map(|board| board.weights.clone()).unwrap_or_default());
    weights.iter().map(|weight| format!("minmax(0, {weight}fr)")).collect::<Vec<_>>().join(" ")
}

/// The edges to the next pane and to the next row. A drag moves them, and so do the keys `<`, `>`, `+` and `-`.
pub(crate) fn edges(pane: PaneHandle) -> impl IntoView {
    let slot = pane.view.slot;
    let has_next = Memo::new(move |_| slot.with(|slot| slot.has_next));
    let has_below = Memo::new(move |_| slot.with(|slot| slot.has_below));
    (
        move || has_next.get().then(|| edge(pane, Side::Width)),
        move || has_below.get().then(|| edge(pane, Side::Height)),
    )
}

fn edge(pane: PaneHandle, side: Side) -> impl IntoView {
    let is_dragged = RwSignal::new(false);
    let class = match side {
        Side::Width => "edge edge-end",
        Side::Height => "edge edge-below",
    };
    let note = move || {
        (side == Side::Width && is_dragged.get()).then(|| {
            let columns = pane.view.slot.with(|slot| slot.columns);
            span().class("edge-note").child(words::pane_width(columns, COLUMNS))
        })
    };
    div()
        .class(class)
        .class(("edge-dragged", move || is_dragged.get()))
        .attr("aria-hidden", "true")
        .on(ev::pointerdown, move |event| {
            event.prevent_default();
            dom::element::capture(&event);
            is_dragged.set(true);
        })
        .on(ev::pointermove, move |event| {
            if is_dragged.get_untracked()
                && let Some((across, down)) = dom::list::part_between(&event, ".pane", ".panes")
            {
                let part = if side == Side::Width { across } else { down };
                pane.act.send(Action::SizePane(side, part));
            }
        })
        .on(ev::pointerup, move |_| is_dragged.set(false))
        .on(ev::pointercancel, move |_| is_dragged.set(false))
        .child(note)
}
