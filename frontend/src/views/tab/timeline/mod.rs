//! The tab Timeline: the status over time, the entries, newest first, and the comparison of the picked versions.

mod comparison;
mod status_history;

use std::sync::Arc;

use leptos::ev;
use leptos::html::{b, button, details, div, li, ol, p, span, summary};
use leptos::prelude::*;
use page::detail::dated::DatedLine;
use page::detail::history::{Body, FieldLine, Filter, Item};
use page::messages;
use page::tab::timeline::words;
use shared::resource_version::ResourceVersion;

use super::super::change::{field, headline};
use super::super::icons::icon;
use crate::dispatch::Dispatch;
use crate::field::Signal;
use comparison::comparison;
use page::tab::timeline::comparison::ComparisonAction;
use page::tab::timeline::{Fields, TimelineAction};
use status_history::status_history;

pub(super) fn timeline(signals: Fields<Signal>, act: Dispatch) -> impl IntoView {
    let each = move || signals.entries.with(|held| held.items.clone());
    let items = For(ForProps {
        each,
        // The line above an entry may come later.
        key: |item: &Arc<Item>| (item.number, item.above),
        children: move |item| entry(&item, signals, act),
    });
    let older = Memo::new(move |_| signals.entries.with(|held| held.older));
    let more = move || {
        (older.get() > 0).then(|| {
            let label = move || words::older_entries(older.get());
            button().class("btn").on(ev::click, move |_| act.send(TimelineAction::Older)).child(label)
        })
    };
    (
        tools(signals, act),
        div()
            .class("panel-body")
            .attr("id", "tabpanel")
            .attr("role", "tabpanel")
            .attr("aria-labelledby", "tab-timeline")
            .attr("tabindex", "0")
            .child((
                status_history(signals.status_history),
                ol().class("tl").child((items, beginning(signals, act), before(signals))),
                more,
            )),
        comparison(signals.comparison, act),
    )
}

fn tools(signals: Fields<Signal>, act: Dispatch) -> impl IntoView {
    let filters = Memo::new(move |_| signals.entries.with(|held| held.filters.clone()));
    let chosen = Memo::new(move |_| signals.entries.with(|held| held.filter));
    let choice = move |(filter, label): (Filter, String)| {
        button()
            .attr("aria-pressed", move || (chosen.get() == filter).to_string())
            .on(ev::click, move |_| act.send(TimelineAction::Filter(filter)))
            .child(label)
    };
    let compared = Memo::new(move |_| signals.comparison.with(Option::is_some));
    div().class("tl-tools").child((
        span()
            .class("seg")
            .attr("role", "group")
            .attr("aria-label", words::WHICH_CHANGES)
            .child(move || filters.get().into_iter().map(choice).collect::<Vec<_>>()),
        span().class("push"),
        button()
            .class("btn")
            .attr("id", "compare")
            .attr("aria-pressed", move || compared.get().to_string())
            .attr("aria-keyshortcuts", "d")
            .attr("title", words::PICK_TWO)
            .on(ev::click, move |_| {
                act.send(if compared.get_untracked() {
                    ComparisonAction::Close
                } else {
                    ComparisonAction::LastChange
                });
            })
            .child(words::COMPARE_A_B),
    ))
}

fn entry(item: &Item, signals: Fields<Signal>, act: Dispatch) -> impl IntoView + use<> {
    let line = item.above.map(|text| li().class("tl-former").child((icon("#i-gone"), span().child(text))));
    (line, entry_itself(item, signals, act))
}

fn entry_itself(item: &Item, signals: Fields<Signal>, act: Dispatch) -> AnyView {
    let (kind, shown, writers, fields, more) = match &item.body {
        Body::Gap { bold, sentence, dated } => {
            let said = span().child((b().class("strong").child(bold.clone()), " ", sentence.clone()));
            let gap = li().class("tl-gap").child((icon("#i-gap"), said));
            return (gap, told(dated)).into_any();
        }
        Body::Change { kind, headline, writers, fields, more } => (*kind, headline, writers, fields, more),
    };
    let more = more.clone().map(|more| div().class("chg faint").child(more));
    let (routine, telling): (Vec<&FieldLine>, Vec<&FieldLine>) =
        fields.iter().partition(|field| field.is_routine);
    let folded = (!routine.is_empty()).then(|| {
        let label = summary().child(messages::routine_fields(routine.len()));
        let fields = div().class("folded").child(routine.into_iter().map(field).collect::<Vec<_>>());
        details().class("more").child((label, fields))
    });
    li().class("tl-item")
        .child((
            item.resource_version.clone().map(|version| pick(version, &item.clock, signals, act)),
            span()
                .class("tl-time")
                .child((item.clock.clone(), span().class("faint").child(item.millis.clone()))),
            headline(shown),
            span().class("tl-by").child((
                span().class("tl-type").child(kind),
                " ",
                span().class("tl-writer").child(written_by(kind, writers)),
            )),
            div().class("tl-fields").child((
                telling.into_iter().map(field).collect::<Vec<_>>(),
                more,
                folded,
            )),
        ))
        .into_any()
}

/// managedFields don't name who created or deleted an object.
fn written_by(kind: &str, writers: &[(String, String)]) -> AnyView {
    if writers.is_empty() {
        return if kind == "MODIFIED" { words::WRITER_NOT_KNOWN.into_any() } else { ().into_any() };
    }
    let named = |(place, (manager, part)): (usize, &(String, String))| {
        let comma = if place > 0 { ", " } else { "" };
        let part = if part.is_empty() { String::new() } else { format!(" {part}") };
        (comma, span().class("mono").child(manager.clone()), part)
    };
    writers.iter().enumerate().map(named).collect::<Vec<_>>().into_any()
}

/// The button that picks a version for the comparison: A or B while it is picked.
fn pick(
    version: ResourceVersion,
    clock: &str,
    signals: Fields<Signal>,
    act: Dispatch,
) -> impl IntoView + use<> {
    let held = version.clone();
    let letter = Memo::new(move |_| {
        signals.picks.with(|picks| match (&picks.a, &picks.b) {
            (Some(a), _) if *a == held => "A",
            (_, Some(b)) if *b == held => "B",
            _ => "",
        })
    });
    button()
        .class("tl-pick")
        .attr("aria-label", format!("{} {clock}", words::PICK_VERSION))
        .attr("aria-pressed", move || (!letter.get().is_empty()).to_string())
        .on(ev::click, move |_| act.send(ComparisonAction::Pick(version.clone())))
        .child(letter)
}

/// The beginning of the log.
fn beginning(signals: Fields<Signal>, act: Dispatch) -> impl IntoView {
    let opened = Memo::new(move |_| signals.entries.with(|held| held.opened.clone()));
    let first = Memo::new(move |_| signals.entries.with(|held| held.first.clone()));
    let circle = move || first.get().map(|version| pick(version, "", signals, act));
    li().class("tl-note").child((circle, span().child(opened)))
}

/// What the object tells of the time before the log.
fn before(signals: Fields<Signal>) -> impl IntoView {
    let dated = Memo::new(move |_| signals.entries.with(|held| held.dated.clone()));
    move || dated.with(|dated| told(dated))
}

/// The dates that an object carries, apart from what was observed.
fn told(dated: &[DatedLine]) -> Option<impl IntoView + use<>> {
    let line = |DatedLine { clock, headline: said }: &DatedLine| {
        div()
            .class("tl-dated")
            .attr("role", "listitem")
            .child((span().class("tl-time").child(clock.clone()), headline(said)))
    };
    let lines = dated.iter().map(line).collect::<Vec<_>>();
    (!dated.is_empty()).then(|| {
        li().class("tl-told").child((
            p().class("tl-told-head").child(words::FROM_THE_OBJECT),
            div().attr("role", "list").child(lines),
        ))
    })
}
