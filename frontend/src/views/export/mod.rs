//! The export popover: the kubectl command that shows the same, and the rows as a file.

use leptos::ev;
use leptos::html::{Section, button, code, div, h2, p, section, span};
use leptos::prelude::*;
use page::export::Format;
use page::messages;

use super::copy::copy_button;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::overlay::on_press_outside;
use page::action::{Action, LogAction, PaneAction};
use page::model::{Clip, ExportModel};

pub(crate) fn export(
    shown: RwSignal<Option<ExportModel>>,
    is_log: RwSignal<bool>,
    act: Dispatch,
) -> impl IntoView {
    let is_open = Memo::new(move |_| shown.with(Option::is_some));
    move || is_open.get().then(|| popover(shown, is_log, act))
}

fn popover(shown: RwSignal<Option<ExportModel>>, is_log: RwSignal<bool>, act: Dispatch) -> impl IntoView {
    let place = NodeRef::<Section>::new();
    on_press_outside(place, move |event| {
        if !dom::element::is_on(event, "kubectl") {
            act.send(PaneAction::ShowExport(false));
        }
    });
    place.on_load(|section| dom::element::focus(&section));
    let of = move |read: fn(&ExportModel) -> String| {
        Memo::new(move |_| shown.with(|export| export.as_ref().map(read).unwrap_or_default()))
    };
    let words = Memo::new(move |_| {
        shown.with(|export| export.as_ref().map(|export| export.words.clone()).unwrap_or_default())
    });
    let line = of(|export| export.line.clone());
    let notes = of(|export| export.notes.join(" "));
    let rows = of(|export| export.rows.clone());
    let command = move || words.get().into_iter().map(word).collect::<Vec<_>>();
    section()
        .class("pop pop-pad pop-kubectl")
        .attr("role", "dialog")
        .attr("aria-label", messages::SAME_IN_KUBECTL)
        .attr("tabindex", "-1")
        .node_ref(place)
        .on(ev::keydown, move |event| {
            if dom::element::plain_key(&event).as_deref() == Some("Escape") {
                event.stop_propagation();
                act.send(PaneAction::ShowExport(false));
                act.send(PaneAction::ToRows);
            }
        })
        .child((
            h2().class("pop-title").child(messages::SAME_IN_KUBECTL),
            div().class("cmd").child((code().attr("id", "command").child(command), copy(line, act))),
            p().class("pop-foot").child(notes),
            h2().class("pop-title").child(messages::AS_A_FILE),
            div().class("take-files").child((move || files(is_log.get(), act), span().child(rows))),
        ))
}

fn word((text, is_flag): (String, bool)) -> impl IntoView {
    (span().class(if is_flag { "cmd-flag" } else { "" }).child(text), " ")
}

fn copy(line: Memo<String>, act: Dispatch) -> impl IntoView {
    copy_button(act, "btn btn-icon", "#i-copy", "Copy the command", move || Clip::Text(line.get()))
}

fn files(is_log: bool, act: Dispatch) -> AnyView {
    let file = |label: &'static str, action: Action| {
        button().class("btn btn-framed").on(ev::click, move |_| act.send(action.clone())).child(label)
    };
    if is_log {
        return file("NDJSON", LogAction::Save.into()).into_any();
    }
    let rows = |format| PaneAction::Export(format).into();
    (file("CSV", rows(Format::Csv)), file("JSON", rows(Format::Json))).into_any()
}
