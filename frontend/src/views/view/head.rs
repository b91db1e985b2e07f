//! The head of a view: its resource, its freshness, and its actions.

use leptos::ev;
use leptos::html::{button, div, h1, header, span};
use leptos::prelude::*;
use page::messages;

use super::super::columns::columns;
use super::super::copy::is_copied;
use super::super::export::export;
use super::super::icons::icon;
use super::super::pill::pill;
use crate::dispatch::Dispatch;
use crate::signals::PaneSignals;
use page::action::{Action, ColumnsAction, PaneAction};
use page::model::{Clip, Standing};

pub(super) fn head(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let resource = Memo::new(move |_| signals.head.with(|head| head.resource.clone()));
    let version = Memo::new(move |_| signals.head.with(|head| head.group_version.clone()));
    let place = Memo::new(move |_| signals.head.with(|head| head.place.clone()));
    let query = Memo::new(move |_| signals.head.with(|head| head.query.clone()));
    let is_guest = Memo::new(move |_| signals.standing.get() == Standing::Guest);
    let is_on_board = Memo::new(move |_| signals.standing.get().is_on_board());
    let whereabouts = move || {
        is_on_board.get().then(|| {
            (
                move || (!place.read().is_empty()).then(|| span().class("pane-where").child(place)),
                span().class("pane-query mono").child(query),
            )
        })
    };
    header().class("view-head anchor").child((
        h1().class("view-title").child((resource, " ", span().class("view-gv").child(version))),
        whereabouts,
        pill(signals.pill, signals.proof),
        div().class("view-actions").child((
            wide(signals, act),
            choose(signals, act),
            look(signals, act),
            labelled("#i-prompt", "kubectl", "kubectl", "K", move || {
                let is_open = signals.export.with_untracked(Option::is_some);
                act.send(PaneAction::ShowExport(!is_open));
            }),
            move || (!is_guest.get()).then(|| copy_link(act)),
            move || {
                (!is_guest.get())
                    .then(|| labelled("#i-split", "beside", "Beside", "b", move || act.send(Action::Split)))
            },
            pause(signals, act),
            move || is_on_board.get().then(|| close(resource, act)),
        )),
        export(signals.export, signals.log.is_shown, act),
        columns(signals.columns, act),
    ))
}

/// A button with a word, which a narrow view hides.
fn labelled(
    sign: &'static str,
    id: &'static str,
    word: &'static str,
    key: &'static str,
    choose: impl Fn() + 'static,
) -> impl IntoView {
    button()
        .class("btn")
        .attr("id", id)
        .attr("aria-label", word)
        .attr("title", format!("{word} ({key})"))
        .attr("aria-keyshortcuts", key)
        .on(ev::click, move |_| choose())
        .child((icon(sign), span().class("btn-text").child(word)))
}

/// Says that it copied, also if the key did it.
fn copy_link(act: Dispatch) -> impl IntoView {
    let is_done = is_copied(act, |clip| *clip == Clip::Link);
    button()
        .class("btn")
        .attr("id", "copy-link")
        .attr("aria-label", messages::COPY_LINK)
        .attr("title", format!("{} (L)", messages::COPY_LINK))
        .attr("aria-keyshortcuts", "L")
        .on(ev::click, move |_| act.send(Action::CopyLink))
        .child((
            move || icon(if is_done.get() { "#i-tick" } else { "#i-link" }),
            span()
                .class("btn-text")
                .child(move || if is_done.get() { messages::COPIED } else { messages::COPY_LINK }),
        ))
}

/// Switches between table and log.
fn look(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    move || {
        let (sign, word) = if signals.log.is_shown.get() {
            ("#i-columns", messages::TABLE)
        } else {
            ("#i-log", messages::CHANGES)
        };
        labelled(sign, "look", word, "l", move || act.send(Action::ToggleLog))
    }
}

/// The button of the column chooser, with `5/9` while some are hidden.
fn choose(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let count = Memo::new(move |_| signals.head.with(|head| head.columns_shown.clone()));
    let is_open = Memo::new(move |_| signals.columns.with(Option::is_some));
    button()
        .class("btn")
        .attr("id", "columns")
        .attr("aria-label", move || format!("{} {}", messages::COLUMNS, count.read()).trim_end().to_owned())
        .attr("title", format!("{} (c)", messages::COLUMNS))
        .attr("aria-keyshortcuts", "c")
        .attr("aria-haspopup", "dialog")
        .attr("aria-expanded", move || is_open.get().to_string())
        .attr("hidden", move || signals.log.is_shown.get())
        .on(ev::click, move |_| {
            let open = !is_open.get_untracked();
            act.send(PaneAction::Columns(ColumnsAction::Open(open)));
        })
        .child((icon("#i-columns"), span().class("btn-text").child(messages::COLUMNS), move || {
            (!count.read().is_empty()).then(|| span().class("faint").child(count))
        }))
}

/// Pauses the view: its rows stay, and changes are counted.
fn pause(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let is_paused = signals.is_paused;
    let label = move || if is_paused.get() { "Resume (Space)" } else { "Pause (Space)" };
    button()
        .class("btn btn-icon")
        .attr("id", "pause")
        .attr("aria-label", label)
        .attr("title", label)
        .attr("aria-pressed", move || is_paused.get().to_string())
        .on(ev::click, move |_| act.send(PaneAction::TogglePause))
        .child(move || icon(if is_paused.get() { "#i-play" } else { "#i-pause" }))
}

fn close(resource: Memo<String>, act: Dispatch) -> impl IntoView {
    button()
        .class("btn btn-icon")
        .attr("id", "close")
        .attr("aria-label", move || format!("Close {}", resource.get()))
        .on(ev::click, move |_| act.send(Action::ClosePane))
        .child(icon("#i-close"))
}

/// Shown if the server has wide columns.
fn wide(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let is_on = Memo::new(move |_| signals.head.with(|head| head.wide));
    let is_there = Memo::new(move |_| signals.head.with(|head| head.has_wide));
    button()
        .class("switch narrow-hide")
        .attr("id", "wide")
        .attr("role", "switch")
        .attr("aria-checked", move || is_on.get().to_string())
        .attr("aria-keyshortcuts", "w")
        .attr("hidden", move || !is_there.get() || signals.log.is_shown.get())
        .on(ev::click, move |_| act.send(PaneAction::ToggleWide))
        .child((span().class("switch-track"), "Wide"))
}
