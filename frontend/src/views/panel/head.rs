//! The head of the panel, which doesn't scroll: the object, its freshness, its top facts, its notice, and the tabs.

use crate::dom::html::{b, button, div, h2, header, keyed, span};
use crate::prelude::*;
use page::cells;
use page::location::Tab;
use page::messages;
use page::panel::words;
use tachys::html::event as ev;

use super::super::copy::copy_button;
use super::super::css;
use super::super::fetched::PanelFrame;
use super::super::icons::{glyph, icon};
use super::super::pill::pill;
use super::super::said::said;
use crate::dispatch::Dispatch;
use crate::signals::PanelSignals;
use page::action::PanelAction;
use page::model::{Clip, LinkButton};
use page::panel::head::{PanelNote, PanelNoteKind, TopFact};

pub(super) fn head(frame: PanelFrame, signals: PanelSignals, act: Dispatch) -> impl IntoView {
    let kind = Memo::new(move |_| signals.head.with(|head| head.clone().unwrap_or_default().kind));
    let name = Memo::new(move |_| signals.head.with(|head| head.clone().unwrap_or_default().name));
    let kubectl = move || signals.head.with(|head| head.clone().unwrap_or_default().kubectl);
    header().class("panel-head anchor").child((
        div().class("panel-line").child((
            span().class("panel-kind").child(kind),
            span().class("panel-pill").child(pill(signals.pill, signals.proof)),
            span().class("push"),
            copy_button(act, "btn btn-icon", "#i-prompt", words::COPY_KUBECTL, move || Clip::Text(kubectl())),
            copy_button(act, "btn btn-icon", "#i-link", messages::COPY_LINK, move || match frame {
                PanelFrame::Board => Clip::Link(LinkButton::Panel),
                PanelFrame::Element(around) => Clip::ViewLink(around.link.get()),
            }),
            move || has_close(frame).then(|| close(act)),
        )),
        h2().class("panel-name").child((
            move || name.with(|name| cells::shown(name).into_owned()),
            " ",
            copy_button(act, "copy", "#i-copy", words::COPY_NAME, move || Clip::Text(name.get())),
        )),
        div().class("panel-state").child(move || signals.top.get().into_iter().map(fact).collect::<Vec<_>>()),
    ))
}

/// An element's host may have no use for it.
fn has_close(frame: PanelFrame) -> bool {
    match frame {
        PanelFrame::Board => true,
        PanelFrame::Element(around) => around.is_closable.get(),
    }
}

fn close(act: Dispatch) -> impl IntoView {
    button()
        .class("btn btn-icon")
        .attr("aria-label", words::CLOSE)
        .attr("title", words::CLOSE)
        .on(ev::click, move |_| act.send(PanelAction::Close))
        .child(icon("#i-close"))
}

fn fact(fact: TopFact) -> AnyView {
    if let Some(class) = fact.class {
        return status(class, fact.text).into_any();
    }
    let note = (!fact.note.is_empty()).then(|| (" ", span().class("faint").child(fact.note)));
    let title = (!fact.title.is_empty()).then_some((fact.title, " "));
    span().child((title, b().class("strong").child(fact.text), note)).into_any()
}

pub(in crate::views) fn status(class: page::status::Class, word: String) -> impl IntoView {
    span().class(css::status(class)).child((glyph(css::glyph(class)), span().class("cut").child(word)))
}

pub(super) fn note(signals: PanelSignals) -> impl IntoView {
    move || signals.note.get().map(band)
}

fn band(note: PanelNote) -> impl IntoView {
    let (class, sign) = match note.kind {
        PanelNoteKind::Forbidden => ("notice-bad", "#i-lock"),
        PanelNoteKind::KindGone => ("notice-bad", "#i-gone"),
        PanelNoteKind::Failed => ("notice-bad", "#i-alert"),
        PanelNoteKind::Deleted => ("notice-gap", "#i-gone"),
        PanelNoteKind::Recreated => ("notice-gap", "#i-retry"),
        PanelNoteKind::NotThere => ("", "#i-gone"),
        PanelNoteKind::FirstLoad => ("", "#i-clock"),
    };
    div().class(format!("notice panel-note {class}")).attr("id", "panel-note").attr("role", "status").child((
        icon(sign),
        span().class("notice-text").child((b().child(note.strong), " ", said(&note.text))),
    ))
}

pub(super) fn tabs(signals: PanelSignals, act: Dispatch) -> impl IntoView {
    let tab = move |tab: Tab| {
        let count =
            (tab == Tab::Timeline).then(|| span().class("tab-count").child(move || signals.changes.get()));
        let is_chosen = move || signals.tab.get() == tab;
        button()
            .class("tab")
            .attr("role", "tab")
            .attr("id", format!("tab-{}", tab.word()))
            .attr("aria-controls", "tabpanel")
            .attr("aria-selected", move || is_chosen().to_string())
            .attr("tabindex", move || if is_chosen() { "0" } else { "-1" })
            .on(ev::click, move |_| act.send(PanelAction::Tab(tab)))
            .child((tab.title(), " ", count))
    };
    // One that a link names is there all the same, and says why it is empty.
    let offered = move || {
        let has_logs = signals.head.with(|head| head.as_ref().is_some_and(|head| head.has_logs));
        let is_offered = |tab: &Tab| *tab != Tab::Logs || has_logs || signals.tab.get() == *tab;
        Tab::ALL.into_iter().filter(is_offered).collect::<Vec<_>>()
    };
    div()
        .class("tabs")
        .attr("role", "tablist")
        .on(ev::keydown, move |event| {
            let step = match crate::dom::element::plain_key(&event).as_deref() {
                Some("ArrowRight") => 1,
                Some("ArrowLeft") => Tab::ALL.len() - 1,
                _ => return,
            };
            let all = offered();
            let held = signals.tab.get_untracked();
            let place = all.iter().position(|tab| *tab == held).unwrap_or_default();
            let step = step.min(all.len() - 1);
            if let Some(next) = all.get((place + step) % all.len()) {
                event.prevent_default();
                act.send(PanelAction::Tab(*next));
            }
        })
        .child(keyed(offered, |tab| *tab, tab))
}
