//! The export menu: the view's link, the kubectl command that shows the same, the rows as a file, and the HTML that shows
//! the view in another page.

use crate::dom::html::{button, code, div, h2, p, section, span};
use crate::prelude::*;
use page::export::{self, Format, GATEWAY, words};
use page::messages;
use tachys::html::element::Section;
use tachys::html::event as ev;

use super::copy::{copy_button, is_copied};
use super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::overlay::on_press_outside;
use crate::signals::PaneSignals;
use page::action::{Action, LogAction, PaneAction};
use page::model::{Clip, ExportModel, Standing};

/// The button that opens it.
pub(crate) const BUTTON: &str = "export";

pub(crate) fn export(signals: PaneSignals, act: Dispatch) -> AnyView {
    let place = NodeRef::<Section>::new();
    on_press_outside(place, move |event| {
        if !dom::element::is_on(event, BUTTON) {
            act.send(PaneAction::ShowExport(false));
        }
    });
    place.on_load(|section| dom::element::focus(&section));
    let is_log = signals.log.is_shown;
    let rows = of(signals, |export| export.rows.clone());
    // An element in another page has no address of its own.
    let is_guest = signals.standing.get_untracked() == Standing::Guest;
    section()
        .class("pop pop-export")
        .attr("role", "dialog")
        .attr("aria-label", messages::EXPORT)
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
            (!is_guest).then(|| link(signals, act)),
            command(signals, act),
            (!is_guest).then(|| through(signals, act)),
            div().class("export-part").child((
                h2().class("pop-title").child((
                    words::DOWNLOAD,
                    " ",
                    span().class("faint export-rows").child(rows),
                )),
                div().class("export-files").child(move || files(is_log.get(), act)),
            )),
            (!is_guest).then(|| embed(signals, act)),
        ))
        .into_any()
}

/// A part of the menu's model, which changes by itself.
fn of<T>(signals: PaneSignals, read: fn(&ExportModel) -> T) -> Memo<T>
where
    T: Default + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |_| signals.export.with(|export| export.as_ref().map(read).unwrap_or_default()))
}

fn link(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let href = of(signals, |export| export.link.clone());
    let gateway = dom::address::root();
    let whole = move || href.with(|href| dom::address::below(&gateway, href));
    let copy =
        copy_button(act, "btn btn-icon", "#i-copy", messages::COPY_LINK, move || Clip::ViewLink(href.get()));
    div().class("export-part").child((
        h2().class("pop-title").child(words::LINK_TO_VIEW),
        div().class("cmd").child((code().child(whole), copy)),
    ))
}

fn command(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let line = of(signals, |export| export.line.clone());
    let notes = of(signals, |export| export.notes.join(" "));
    let words = of(signals, |export| export.words.clone());
    let words = move || words.get().into_iter().map(word).collect::<Vec<_>>();
    let copy =
        copy_button(act, "btn btn-icon", "#i-copy", messages::COPY_COMMAND, move || Clip::Text(line.get()));
    div().class("export-part").child((
        h2().class("pop-title").child(words::SAME_IN_KUBECTL),
        div().class("cmd").child((code().attr("id", "command").child(words), copy)),
        p().class("export-note").child(notes),
    ))
}

fn through(signals: PaneSignals, act: Dispatch) -> AnyView {
    let gateway = dom::address::root();
    let through = of(signals, |export| export.through.clone().unwrap_or_default());
    let line = Memo::new(move |_| through.with(|through| through.line.clone()));
    let setup = Memo::new(move |_| {
        through.with(|through| through.setup.replace(GATEWAY, gateway.trim_end_matches('/')))
    });
    let is_shown = Memo::new(move |_| !line.with(String::is_empty));
    let shown = move || {
        is_shown.get().then(|| {
            div().class("export-part").child((
                h2().class("pop-title").child(words::THROUGH_GATEWAY),
                command_line(line, act),
                p().class("export-note").child(words::KUBECONFIG_ONCE),
                command_line(setup, act),
            ))
        })
    };
    shown.into_any()
}

fn command_line(line: Memo<String>, act: Dispatch) -> AnyView {
    let copy =
        copy_button(act, "btn btn-icon", "#i-copy", messages::COPY_COMMAND, move || Clip::Text(line.get()));
    div().class("cmd").child((code().child(line), copy)).into_any()
}

fn embed(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let gateway = dom::address::root();
    let html = of(signals, |export| export.element.clone());
    let html = Memo::new(move |_| html.with(|element| export::html(&gateway, element)));
    let copy = copy_button(act, "btn btn-icon", "#i-copy", words::COPY_HTML, move || Clip::Text(html.get()));
    div().class("export-part").child((
        h2().class("pop-title").child(words::EMBED),
        div().class("cmd").child((code().attr("id", "html").child(html), copy)),
        p().class("export-note").child(words::EMBED_NOTE),
    ))
}

fn word((text, is_flag): (String, bool)) -> impl IntoView {
    (span().class(if is_flag { "cmd-flag" } else { "" }).child(text), " ")
}

fn files(is_log: bool, act: Dispatch) -> AnyView {
    let file = |label: &'static str, action: Action| {
        button()
            .class("btn btn-framed")
            .on(ev::click, move |_| act.send(action.clone()))
            .child((icon("#i-get"), label))
    };
    if is_log {
        return file("NDJSON", LogAction::Save.into()).into_any();
    }
    let rows = |format| PaneAction::Export(format).into();
    let is_done = is_copied(act, |clip| matches!(clip, Clip::Rows(_)));
    let copy =
        button().class("btn btn-framed").on(ev::click, move |_| act.send(PaneAction::CopyRows)).child((
            move || icon(if is_done.get() { "#i-tick" } else { "#i-copy" }),
            move || if is_done.get() { messages::COPIED } else { words::COPY_AS_TSV },
        ));
    (file("CSV", rows(Format::Csv)), file("JSON", rows(Format::Json)), copy).into_any()
}
