//! The tab Overview: the last lines of a container that fails, facts, containers, conditions, other fields, Events, data, owners and what the object selects, annotations,
//! finalizers. Each part has one place for all kinds, but what rolls out begins with its rollout, pods and Events.

mod list;
mod rollout;
mod tree;

use crate::dom::html::keyed;
use crate::dom::html::{a, b, dd, div, dl, dt, span};
use crate::prelude::*;
use page::detail::event::Event;
use page::detail::summary::{ConditionRow, Container, Fact, Overview, Role, ScalarField, Scalars};
use page::tab::overview::related::EventLine;
use page::tab::overview::words;
use tachys::html::element::Div;

use super::super::icons::icon;
use super::super::panel::head::status;
use crate::dom;
use crate::field::Field;
use crate::field::Signal;
use list::{cell, labelled, part, table};
use page::tab::overview::{Fields, OverviewPart};
use rollout::rollout;
use tree::tree;

/// `last_lines`: of a container that fails, before all else.
pub(super) fn overview(
    signals: Fields<Signal>,
    (jump, followed): (Field<(u32, OverviewPart)>, StoredValue<u32>),
    last_lines: impl IntoView + 'static,
) -> impl IntoView {
    let place = NodeRef::<Div>::new();
    follow_jump(jump, followed, place);
    let has = move |any: fn(&Overview) -> bool| Memo::new(move |_| signals.facts.with(|held| any(held)));
    let rolls = Memo::new(move |_| signals.rollout.with(|held| held.is_some()));
    let body = (
        last_lines,
        // What rolls out is looked at for its pods and Events.
        move || {
            rolls
                .get()
                .then(|| (rollout(signals.rollout), tree(signals.tree), events(signals, "events-fixed")))
        },
        part_of_facts(signals),
        part("containers", words::CONTAINERS, "", has(|held| !held.containers.is_empty()), move || {
            let rows = move || signals.facts.with(|held| held.containers.clone());
            table("list-containers", words::CONTAINER_COLUMNS, rows, container)
        }),
        part("conditions", words::CONDITIONS, "", has(|held| !held.conditions.is_empty()), move || {
            let rows = move || signals.facts.with(|held| held.conditions.clone());
            table("list-conditions", words::CONDITION_COLUMNS, rows, condition)
        }),
        scalars("status", words::STATUS, signals, |held| &held.status),
        scalars("spec", words::SPEC, signals, |held| &held.spec),
        move || (!rolls.get()).then(|| events(signals, "")),
        part("data", words::DATA, "", has(|held| !held.data.is_empty()), move || {
            let note = signals.facts.with(|held| held.data_note);
            let note = (!note.is_empty()).then(|| div().class("faint").child(note));
            (note, pairs(move || signals.facts.with(|held| held.data.clone()))).into_any()
        }),
        move || (!rolls.get()).then(|| tree(signals.tree)),
        part("annotations", words::ANNOTATIONS, "", has(|held| !held.annotations.is_empty()), move || {
            pairs(move || signals.facts.with(|held| held.annotations.clone())).into_any()
        }),
        part("finalizers", words::FINALIZERS, "", has(|held| !held.finalizers.is_empty()), move || {
            let names = move || signals.facts.with(|held| held.finalizers.clone());
            let names =
                move || names().into_iter().map(|name| div().class("mono").child(name)).collect::<Vec<_>>();
            div().class("list").child(names).into_any()
        }),
    );
    div()
        .class("panel-body")
        .attr("id", "tabpanel")
        .attr("role", "tabpanel")
        .attr("aria-labelledby", "tab-overview")
        .attr("tabindex", "0")
        .node_ref(place)
        .child(body)
}

/// Scrolls to the part that a key asked for. The first owner takes the focus.
/// `followed`: the last jump, also of the time before this tab was opened.
fn follow_jump(jump: Field<(u32, OverviewPart)>, followed: StoredValue<u32>, place: NodeRef<Div>) {
    Effect::new(move || {
        let (number, part) = jump.get();
        let id = match part {
            OverviewPart::OwnerTree => "tree",
            OverviewPart::Events => "events",
        };
        if let Some(place) = place.get()
            && followed.get_value() != number
        {
            followed.set_value(number);
            dom::element::scroll_to_part(&place, id);
            if part == OverviewPart::OwnerTree {
                dom::element::focus_first(&place, "#tree a");
            }
        }
    });
}

fn part_of_facts(signals: Fields<Signal>) -> impl IntoView {
    let each = move || signals.facts.with(|held| held.facts.clone());
    let facts = keyed(each, Clone::clone, fact);
    crate::dom::html::section().class("part").attr("id", "facts").child(dl().class("facts").child(facts))
}

fn fact(fact: Fact) -> impl IntoView {
    let title = format!("{} {}", fact.value, fact.note);
    let shown = match fact.href {
        Some(href) => a().attr("href", dom::address::href(href)).child(fact.value).into_any(),
        None if !fact.chips.is_empty() => fact.chips.into_iter().map(chip).collect::<Vec<_>>().into_any(),
        None => fact.value.into_any(),
    };
    let note = (!fact.note.is_empty()).then(|| (" ", span().class("faint").child(fact.note)));
    let value = dd().class(("mono", fact.is_mono)).class(("changed", fact.is_new));
    div()
        .class("fact")
        .class(("wide", fact.is_wide))
        .child((dt().child(fact.label), value.attr("title", title.trim().to_owned()).child((shown, note))))
}

fn chip(text: String) -> impl IntoView {
    (span().class("fact-chip").child(text), " ")
}

fn container(shown: Container) -> impl IntoView {
    let role = (shown.role != Role::Main).then(|| (" ", span().class("faint").child(shown.role.word())));
    let last_class = if shown.last_state.is_empty() { "list-none" } else { "soft" };
    let details = (!shown.details.is_empty())
        .then(|| div().class("list-more faint").attr("role", "cell").child(shown.details));
    div().class("list-row").class(("changed", shown.is_new)).attr("role", "row").child((
        cell("mono", (shown.name, role)),
        cell("", status(shown.class, shown.state)),
        labelled("", words::RESTARTS, (shown.restarts, span().class("faint").child(shown.restarted))),
        labelled(last_class, words::LAST_STATE, shown.last_state),
        details,
    ))
}

fn condition(shown: ConditionRow) -> impl IntoView {
    let ConditionRow { condition, since, is_new } = shown;
    let message =
        (!condition.message.is_empty()).then(|| (" ", span().class("soft").child(condition.message)));
    div().class("list-row").class(("changed", is_new)).attr("role", "row").child((
        cell("mono", condition.kind),
        cell("", status(condition.class, condition.status)),
        cell("list-text", (condition.reason, message)),
        labelled("faint", words::LAST_TRANSITION, since),
    ))
}

/// The fields of a kind that has no facts of its own.
fn scalars(
    id: &'static str,
    title: &'static str,
    signals: Fields<Signal>,
    of: fn(&Overview) -> &Scalars,
) -> impl IntoView {
    let is_there = Memo::new(move |_| signals.facts.with(|held| !of(held).fields.is_empty()));
    let field = |ScalarField { path, value, is_wide, is_new }: ScalarField| {
        let term = dt().class("mono").class(("wide", is_wide)).attr("title", path.clone()).child(path);
        (term, dd().class("mono").class(("changed", is_new)).attr("title", value.clone()).child(value))
    };
    part(id, title, "", is_there, move || {
        let each = move || signals.facts.with(|held| of(held).fields.clone());
        let more = Memo::new(move |_| signals.facts.with(|held| of(held).more));
        let more = move || {
            (more.get() > 0).then(|| div().class("list-note faint").child(words::more_in_yaml(more.get())))
        };
        (dl().class("pairs fields").child(keyed(each, Clone::clone, field)), more).into_any()
    })
}

/// `height`: the class of the list, if it has a height of its own.
fn events(signals: Fields<Signal>, height: &'static str) -> impl IntoView {
    let note = Memo::new(move |_| signals.events.with(|held| held.note.clone()));
    let is_locked = Memo::new(move |_| signals.events.with(|held| held.is_locked));
    let has_rows =
        Memo::new(move |_| signals.events.with(|held| !held.events.is_empty() || !held.of_record.is_empty()));
    let is_there = Memo::new(move |_| has_rows.get() || !note.read().is_empty());
    part("events", words::EVENTS, words::EVENTS_NOTE, is_there, move || {
        let of_server = |event: &Event| EventLine::Event(Box::new(event.clone()));
        let rows = move || {
            signals.events.with(|held| {
                held.events.iter().map(of_server).chain(held.of_record.iter().cloned()).collect::<Vec<_>>()
            })
        };
        let table =
            move || has_rows.get().then(|| table("list-events", words::EVENT_COLUMNS, rows, event_line));
        let lock = move || is_locked.get().then(|| icon("#i-lock"));
        let note =
            move || (!note.read().is_empty()).then(|| div().class("list-note faint").child((lock, note)));
        let owner = |(words, href): (String, String)| a().attr("href", dom::address::href(href)).child(words);
        let owners = move || signals.events.with(|held| held.owners.clone());
        let owners = move || {
            let owners = owners();
            let links = owners.into_iter().map(owner).collect::<Vec<_>>();
            (!links.is_empty()).then(|| div().class("list-note").child(links))
        };
        // What scrolls is reached by the keyboard.
        let is_fixed = Memo::new(move |_| !height.is_empty() && has_rows.get());
        div()
            .class(move || if is_fixed.get() { height } else { "" })
            .attr("tabindex", move || is_fixed.get().then_some("0"))
            .child((table, note, owners))
            .into_any()
    })
}

fn event_line(line: EventLine) -> AnyView {
    let said = |class: &'static str, text: String| {
        let cell = div().attr("role", "cell").child(text);
        div().class(class).attr("role", "row").child(cell).into_any()
    };
    match line {
        EventLine::Event(shown) => event(*shown).into_any(),
        EventLine::Begin(text) => said("list-line faint", text),
        EventLine::Gap(text) => said("list-line list-gap", text),
    }
}

fn event(shown: Event) -> impl IntoView {
    let seen = match shown.href {
        Some(href) => {
            let link = a().attr("href", dom::address::href(href)).attr("title", words::OPEN_EVENT);
            link.child(shown.last_seen).into_any()
        }
        None => shown.last_seen.into_any(),
    };
    div().class("list-row").attr("role", "row").child((
        cell("", seen),
        cell("", status(shown.class, shown.kind)),
        cell(
            "list-text",
            (b().class("strong").child(shown.reason), " ", span().class("soft").child(shown.message)),
        ),
        labelled("list-count", words::COUNT, shown.count),
    ))
}

fn pairs(each: impl Fn() -> Vec<(String, String)> + Send + Sync + 'static) -> impl IntoView {
    let pair = |(key, value): (String, String)| {
        (dt().class("mono").child(key), dd().class("mono").attr("title", value.clone()).child(value))
    };
    dl().class("pairs").child(keyed(each, Clone::clone, pair))
}
