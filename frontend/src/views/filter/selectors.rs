//! Selectors by labels and by fields as chips, which are added, edited and removed here.

use crate::dom::html::{button, div, input, span};
use crate::prelude::*;
use page::messages;
use tachys::html::element::Input;
use tachys::html::event as ev;

use super::super::icons::icon;
use super::suggest::{Pressed, Suggest};
use crate::dispatch::Dispatch;
use crate::dom;
use crate::signals::PaneSignals;
use page::action::{PaneAction, SelectorAction, SelectorKind};
use page::model::Selector;
use page::query::Suggestion;

pub(super) fn selectors(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let chips = Memo::new(move |_| signals.selectors.with(|selectors| selectors.chips.clone()));
    let editing = Memo::new(move |_| signals.selectors.with(|selectors| selectors.editing));
    let shown = move || {
        let shown = chips.get().into_iter().filter(|chip| editing.get() != Some(chip.kind));
        shown.map(|shown| chip(&shown, act)).collect::<Vec<_>>()
    };
    let is_view = Memo::new(move |_| signals.head.with(|head| head.content.is_view()));
    let absent = move || {
        let chips = chips.get();
        let has = |kind| chips.iter().any(|chip| chip.kind == kind);
        let kinds = [SelectorKind::Labels, SelectorKind::Fields].into_iter();
        kinds.filter(|kind| !has(*kind)).map(|kind| add(kind, is_view, act)).collect::<Vec<_>>()
    };
    let add = move || editing.get().is_none().then(absent);
    (shown, move || editing.get().map(|kind| editor(kind, signals, act)), add)
}

fn send(act: Dispatch, action: SelectorAction) {
    act.send(PaneAction::Selector(action));
}

fn chip(shown: &Selector, act: Dispatch) -> impl IntoView + use<> {
    let kind = shown.kind;
    let title = format!("{} {}", shown.word, shown.place);
    span().class("chip").attr("data-selector", shown.word).attr("title", title).child((
        span().class("chip-kind").child(shown.word),
        button()
            .class("chip-text mono")
            .on(ev::click, move |_| send(act, SelectorAction::Edit(kind)))
            .child(shown.text.clone()),
        span().class("sr").child(shown.place),
        button()
            .class("chip-close")
            .attr("aria-label", messages::selector_remove(shown.word))
            .on(ev::click, move |_| send(act, SelectorAction::Remove(kind)))
            .child(icon("#i-close")),
    ))
}

/// What it selects by, and where that stands in an object.
fn words(kind: SelectorKind) -> (&'static str, &'static str) {
    match kind {
        SelectorKind::Labels => (messages::SELECTOR_LABELS, messages::SELECTOR_LABELS_WHERE),
        SelectorKind::Fields => (messages::SELECTOR_FIELDS, messages::SELECTOR_FIELDS_WHERE),
    }
}

fn add(kind: SelectorKind, is_view: Memo<bool>, act: Dispatch) -> impl IntoView {
    let (id, word) = match kind {
        SelectorKind::Labels => ("add-labels", messages::SELECTOR_LABELS_ADD),
        SelectorKind::Fields => ("add-fields", messages::SELECTOR_FIELDS_ADD),
    };
    let (what, place) = words(kind);
    let label = messages::selector_by(what);
    button()
        .class("btn add-selector")
        .attr("id", id)
        .attr("aria-label", format!("{word}: {label}"))
        .attr("title", format!("{label}, {place}"))
        .attr("aria-disabled", move || (!is_view.get()).then_some("true"))
        .on(ev::click, move |_| send(act, SelectorAction::Edit(kind)))
        .child((icon("#i-plus"), word))
}

fn editor(kind: SelectorKind, signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let field = NodeRef::<Input>::new();
    let suggest = Suggest::new(signals.selector_suggestions, field, "selector-list");
    field.on_load(move |input| {
        dom::element::focus(&input);
        let text = signals.selectors.with_untracked(|selectors| selectors.text.clone());
        dom::element::write(&input, &text, text.len());
    });
    let error = Memo::new(move |_| signals.selectors.with(|selectors| selectors.error.clone()));
    let (word, place) = words(kind);
    let left = move |event: ev::FocusEvent| {
        if dom::element::leaves(&event)
            && let Some(input) = field.try_get_untracked().flatten()
        {
            send(act, SelectorAction::Left(dom::element::typed(&input).0));
        }
    };
    div().class("chip chip-edit").attr("data-selector", word).on(ev::focusout, left).child((
        span().class("chip-kind").attr("title", place).child(word),
        written(suggest, field, error, word, act),
        button()
            .class("chip-close")
            .attr("aria-label", messages::SELECTOR_CANCEL)
            .attr("title", messages::SELECTOR_CANCEL)
            .on(ev::click, move |_| send(act, SelectorAction::Cancel))
            .child(icon("#i-close")),
        span().class("filter-unread").attr("id", "selector-error").attr("role", "status").child(error),
        suggest.list(move |item| took(item, act)),
    ))
}

fn took(item: Suggestion, act: Dispatch) {
    send(act, SelectorAction::Taken(item.whole, item.caret));
}

fn written(
    suggest: Suggest,
    field: NodeRef<Input>,
    error: Memo<String>,
    word: &'static str,
    act: Dispatch,
) -> impl IntoView {
    let typed = move || field.try_get_untracked().flatten().map(|input| dom::element::typed(&input));
    let tell = move || {
        if let Some((text, caret)) = typed() {
            send(act, SelectorAction::Typed(text, caret));
        }
    };
    input()
        .class("filter-input mono")
        .node_ref(field)
        .attr("type", "text")
        .attr("id", "selector")
        .attr("role", "combobox")
        .attr("aria-label", messages::selector_by(word))
        .attr("aria-autocomplete", "list")
        .attr("aria-expanded", move || suggest.is_open().to_string())
        .attr("aria-controls", "selector-list")
        .attr("aria-activedescendant", move || suggest.option_id())
        .attr("aria-describedby", "selector-error")
        .attr("aria-invalid", move || (!error.read().is_empty()).then_some("true"))
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .on(ev::input, move |_| tell())
        .on(ev::click, move |_| tell())
        .on(ev::keydown, move |event| match suggest.key(&event.key()) {
            Pressed::Moved => event.prevent_default(),
            Pressed::Taken(item) => {
                event.prevent_default();
                match event.key().as_str() {
                    // It completes the text, which goes on.
                    "Tab" => send(act, SelectorAction::Typed(item.whole, item.caret)),
                    _ => took(item, act),
                }
            }
            Pressed::Other => match event.key().as_str() {
                "Enter" => {
                    let Some((text, _)) = typed() else { return };
                    match suggest.only(&text) {
                        Some(item) => took(item, act),
                        None => send(act, SelectorAction::Apply(text)),
                    }
                }
                "Escape" => {
                    event.stop_propagation();
                    send(act, SelectorAction::Cancel);
                    act.send(PaneAction::ToRows);
                }
                _ => {}
            },
        })
}
