//! "Go to": an input, and the hits in groups with the matched letters marked.

use crate::dom::html::{div, input, kbd, section, span};
use crate::prelude::*;
use page::messages;
use page::palette::{Group, Hit, words};
use tachys::html::element::Input;
use tachys::html::event as ev;

use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::overlay::on_press_outside;
use crate::field::Field;
use page::action::PaletteAction;
use page::palette::{PaletteShown, Purpose};

pub(crate) fn palette(shown: Field<Option<PaletteShown>>, act: Dispatch) -> AnyView {
    let place = NodeRef::<tachys::html::element::Section>::new();
    let field_ref = NodeRef::<Input>::new();
    field_ref.on_load(|field| dom::element::focus(&field));
    on_press_outside(place, move |_| act.send(PaletteAction::Close));
    let hits = Memo::new(move |_| shown.with(|p| p.as_ref().map(|p| p.hits.clone()).unwrap_or_default()));
    let chosen = Memo::new(move |_| shown.with(|p| p.as_ref().map_or(0, |p| p.chosen)));
    let typed = move || shown.with(|p| p.as_ref().map(|p| p.text.clone()).unwrap_or_default());
    let purpose = move || shown.with(|p| p.as_ref().map(|p| p.purpose.clone()).unwrap_or_default());
    let field = input()
        .class("filter-input")
        .node_ref(field_ref)
        .attr("type", "text")
        .attr("id", "palette")
        .attr("role", "combobox")
        .attr("aria-label", messages::GO_TO)
        .attr("aria-expanded", "true")
        .attr("aria-controls", "found")
        .attr("aria-activedescendant", move || format!("found-{}", chosen.get()))
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("placeholder", move || match purpose() {
            Purpose::GoTo => words::HINT,
            Purpose::AddView { .. } => words::ADD_VIEW_HINT,
        })
        .prop("value", typed)
        .on(ev::input, move |event| act.send(PaletteAction::Type(event_target_value(&event))))
        .on(ev::keydown, move |event| {
            let asked = match event.key().as_str() {
                "ArrowDown" => PaletteAction::Move(1),
                "ArrowUp" => PaletteAction::Move(-1),
                "Enter" if event.shift_key() => PaletteAction::ChooseBeside(None),
                "Enter" => PaletteAction::Choose(None),
                "Escape" => PaletteAction::Close,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            act.send(asked);
        });
    section()
        .class("pop palette pop-palette")
        .attr("role", "dialog")
        .attr("aria-label", messages::GO_TO)
        .node_ref(place)
        .child((
            div().class("palette-in").child((span().class("palette-mark mono").child(":"), field)),
            div()
                .class("menu menu-scroll")
                .attr("role", "listbox")
                .attr("id", "found")
                .attr("aria-label", words::FOUND)
                .child(move || {
                    let hits = hits.get();
                    if hits.is_empty() {
                        return div().class("menu-item faint").child(messages::NOTHING_FOUND).into_any();
                    }
                    lines(hits, chosen, act).into_any()
                }),
            div().class("menu-rule"),
            div().class("menu-foot faint").child(words::FOOT),
            move || (purpose() == Purpose::GoTo).then(|| div().class("menu-foot faint").child(words::BESIDE)),
        ))
        .into_any()
}

fn lines(hits: Vec<Hit>, chosen: Memo<usize>, act: Dispatch) -> Vec<AnyView> {
    let mut lines = Vec::with_capacity(hits.len() + 4);
    let mut group = None;
    for (number, hit) in hits.into_iter().enumerate() {
        if group != Some(hit.group) {
            group = Some(hit.group);
            lines.push(
                div().class("menu-head").attr("role", "presentation").child(title(hit.group)).into_any(),
            );
        }
        lines.push(line(number, hit, chosen, act).into_any());
    }
    lines
}

fn title(group: Group) -> &'static str {
    match group {
        Group::SameView => words::SAME_VIEW,
        Group::Filtered => words::FILTERED,
        Group::Recent => words::RECENT,
        Group::Kinds => messages::KINDS,
        Group::Clusters => messages::CLUSTERS,
        Group::Namespaces => messages::NAMESPACES,
        Group::Objects => words::OBJECTS,
        Group::Boards => messages::BOARDS,
        Group::Actions => words::ACTIONS,
    }
}

fn line(number: usize, hit: Hit, chosen: Memo<usize>, act: Dispatch) -> impl IntoView {
    let is_chosen = Memo::new(move |_| chosen.get() == number);
    let note = match (hit.group, hit.note.is_empty()) {
        (_, true) => None,
        (Group::Actions, false) => Some(span().class("push").child(kbd().child(hit.note)).into_any()),
        (_, false) => Some(span().class("faint").child(hit.note).into_any()),
    };
    let class = if hit.group == Group::Actions { "" } else { "mono" };
    div()
        .class("menu-item")
        .attr("role", "option")
        .attr("id", format!("found-{number}"))
        .attr("aria-selected", move || is_chosen.get().to_string())
        .on(ev::click, move |event| {
            let beside = event.shift_key();
            let choose = if beside { PaletteAction::ChooseBeside } else { PaletteAction::Choose };
            act.send(choose(Some(number)));
        })
        .child((span().class(class).child(marked(&hit.label, &hit.marks)), note))
}

/// The label, with the matched letters in their own spans.
fn marked(label: &str, marks: &[std::ops::Range<usize>]) -> Vec<AnyView> {
    let mut parts = Vec::new();
    let mut at = 0;
    for mark in marks {
        if mark.start < at {
            continue;
        }
        parts.push(span().child(label.get(at..mark.start).unwrap_or_default().to_owned()).into_any());
        parts.push(
            span().class("hit").child(label.get(mark.clone()).unwrap_or_default().to_owned()).into_any(),
        );
        at = mark.end;
    }
    parts.push(span().child(label.get(at..).unwrap_or_default().to_owned()).into_any());
    parts
}
