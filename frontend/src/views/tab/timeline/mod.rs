//! The tab Timeline: the status over time, the entries, newest first, and the comparison of the picked versions.

mod comparison;
mod status_history;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::dom::html::keyed;
use crate::dom::html::{a, b, button, details, div, li, ol, p, span, summary};
use crate::prelude::*;
use page::detail::dated::DatedLine;
use page::detail::history::{Body, FieldLine, Filter, Headline, Item, Story};
use page::messages;
use page::tab::timeline::entries::TimelineModel;
use page::tab::timeline::words;
use shared::resource_version::ResourceVersion;
use tachys::html::event as ev;

use super::super::change::{field, headline};
use super::super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::field::Signal;
use comparison::comparison;
use page::tab::timeline::comparison::ComparisonAction;
use page::tab::timeline::{Fields, TimelineAction};
use status_history::status_history;

/// What every entry needs.
#[derive(Clone, Copy)]
struct Place {
    signals: Fields<Signal>,
    act: Dispatch,
    /// The stories that the reader unfolded. A story that grows gets new elements.
    open: RwSignal<BTreeSet<u64>>,
    /// In the past: what is later than the time of the panel is shown, too.
    with_later: RwSignal<bool>,
}

pub(super) fn timeline(signals: Fields<Signal>, act: Dispatch) -> impl IntoView {
    let at = Place { signals, act, open: RwSignal::new(BTreeSet::new()), with_later: RwSignal::new(false) };
    let of = move |read: fn(&TimelineModel) -> &[Arc<Item>]| {
        listed(Memo::new(move |_| signals.entries.with(|held| read(held).to_vec())), at)
    };
    let later = move |read: fn(&TimelineModel) -> &[Arc<Item>]| {
        let shown = move || signals.entries.with(|held| read(held).to_vec());
        listed(Memo::new(move |_| if at.with_later.get() { shown() } else { Vec::new() }), at)
    };
    let items = (
        later(|held| held.items.get(..held.later).unwrap_or_default()),
        as_of(at, |held| held.before_later == 0),
        of(|held| held.items.get(held.later..).unwrap_or_default()),
    );
    let before_recording = (
        later(|held| held.before.get(..held.before_later).unwrap_or_default()),
        as_of(at, |held| held.before_later > 0),
        of(|held| held.before.get(held.before_later..).unwrap_or_default()),
    );
    let older = Memo::new(move |_| signals.entries.with(|held| held.older));
    let has_recorded = Memo::new(move |_| signals.entries.with(|held| held.has_recorded));
    let recorded = move || {
        has_recorded.get().then(|| {
            button()
                .class("btn")
                .on(ev::click, move |_| act.send(TimelineAction::Older))
                .child(words::OLDER_OF_RECORD)
        })
    };
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
                ol().class("tl").child((items, beginning(at), before_recording, before(signals))),
                more,
                recorded,
            )),
        comparison(signals.comparison, act),
    )
}

/// In the past the timeline begins at the time that is shown. What is later stands above it, where the reader asks for it.
fn as_of(at: Place, is_here: fn(&TimelineModel) -> bool) -> impl IntoView {
    let Place { signals, with_later, .. } = at;
    let later = Memo::new(move |_| signals.entries.with(|held| held.later + held.before_later));
    let toggle = move || {
        (later.get() > 0).then(|| {
            button()
                .class("tl-more")
                .attr("aria-expanded", move || with_later.get().to_string())
                .on(ev::click, move |_| with_later.update(|with_later| *with_later = !*with_later))
                .child(move || {
                    if with_later.get() { words::HIDE_LATER.to_owned() } else { words::later(later.get()) }
                })
        })
    };
    let clock = Memo::new(move |_| {
        signals.entries.with(|held| if is_here(held) { held.as_of.clone() } else { String::new() })
    });
    move || {
        clock.with(|clock| {
            (!clock.is_empty()).then(|| {
                li().class("tl-asof").child((icon("#i-past"), span().child(words::as_of(clock)), toggle))
            })
        })
    }
}

/// The entries of the recording, or of the time before it: both lists are one piece of code.
fn listed(items: Memo<Vec<Arc<Item>>>, at: Place) -> AnyView {
    keyed(move || items.get(), |item: &Arc<Item>| item.key(), move |item| entry(&item, false, at))
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
    let in_words = Memo::new(move |_| signals.entries.with(|held| held.is_in_words));
    let compared = Memo::new(move |_| signals.comparison.with(Option::is_some));
    div().class("tl-tools").child((
        span()
            .class("seg")
            .attr("role", "group")
            .attr("aria-label", words::WHICH_CHANGES)
            .child(move || filters.get().into_iter().map(choice).collect::<Vec<_>>()),
        button()
            .class("btn")
            .attr("id", "in-words")
            .attr("aria-pressed", move || in_words.get().to_string())
            .attr("title", words::WITH_CHILDREN_TITLE)
            .on(ev::click, move |_| act.send(TimelineAction::Words))
            .child(words::WITH_CHILDREN),
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
            .child(words::COMPARE),
    ))
}

/// `is_step`: below the words of a story.
fn entry(item: &Item, is_step: bool, at: Place) -> AnyView {
    let line = item.above.map(|text| li().class("tl-former").child((icon("#i-gone"), span().child(text))));
    (line, entry_itself(item, is_step, at)).into_any()
}

fn entry_itself(item: &Item, is_step: bool, at: Place) -> AnyView {
    let (kind, shown, writers, fields, more) = match &item.body {
        Body::Event { headline: shown } => {
            let by = span().class("tl-by").child(span().class("tl-type").child(words::EVENT_WORD));
            return li().class("tl-item").child((first_cells(item, at), said(item, shown), by)).into_any();
        }
        Body::Story(story) => return told_in_words(item, story, at),
        Body::Gap { bold, sentence, dated } => {
            let said = span().child((b().class("strong").child(bold.clone()), " ", sentence.clone()));
            let gap = li().class("tl-gap").child((icon("#i-gap"), said));
            return (gap, told(dated)).into_any();
        }
        Body::Change { kind, headline, writers, fields, more } => (*kind, headline, writers, fields, more),
    };
    let more = more.clone().map(|more| div().class("chg faint").child(more));
    if is_step {
        return step(item, shown, (kind, writers), fields, at);
    }
    let (routine, telling): (Vec<&FieldLine>, Vec<&FieldLine>) =
        fields.iter().partition(|field| field.is_routine);
    let folded = (!routine.is_empty()).then(|| {
        let label = summary().child(messages::routine_fields(routine.len()));
        let fields = div().class("folded").child(routine.into_iter().map(field).collect::<Vec<_>>());
        details().class("more").child((label, fields))
    });
    li().class("tl-item")
        .child((
            first_cells(item, at),
            said(item, shown),
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

/// The circle of a version, and the time.
fn first_cells(item: &Item, at: Place) -> AnyView {
    let circle = match item.resource_version.clone() {
        Some(version) => pick(version, &item.clock, at.signals, at.act).into_any(),
        None => span().into_any(),
    };
    let time = (item.clock.clone(), span().class("faint").child(item.millis.clone()));
    (circle, span().class("tl-time").child(time)).into_any()
}

/// The headline, after the name of another object than the panel's.
fn said(item: &Item, shown: &Headline) -> AnyView {
    let of = item.subject.as_ref().map(|of| {
        let name = span().class("mono").child(of.name.clone());
        let inside = (of.kind.clone(), " ", name);
        let link = match of.href.clone() {
            Some(href) => a().attr("href", dom::address::href(href)).child(inside).into_any(),
            None => inside.into_any(),
        };
        (span().class("tl-of").attr("title", of.whole.clone()).child(link), " ")
    });
    div().class("tl-said").child((of, headline(shown))).into_any()
}

/// A step is a line in words. Its fields come where the reader asks for them.
fn step(
    item: &Item,
    shown: &Headline,
    (kind, writers): (&'static str, &[(String, String)]),
    fields: &[FieldLine],
    at: Place,
) -> AnyView {
    let lines = StoredValue::new(fields.to_vec());
    let is_open = RwSignal::new(false);
    let more = (!fields.is_empty()).then(|| {
        button()
            .class("tl-more")
            .attr("aria-expanded", move || is_open.get().to_string())
            .on(ev::click, move |_| is_open.update(|is_open| *is_open = !*is_open))
            .child(messages::further_fields(fields.len()))
    });
    let writer = span().class("tl-writer").child(written_by(kind, writers));
    let by = span().class("tl-by").child((writer, " ", more));
    let below = move || {
        let lines = || lines.with_value(|lines| lines.iter().map(field).collect::<Vec<_>>());
        is_open.get().then(|| div().class("tl-fields").child(lines()))
    };
    li().class("tl-item").child((first_cells(item, at), said(item, shown), by, below)).into_any()
}

/// The words, and below them what they stand for, if the reader wants it.
fn told_in_words(item: &Item, story: &Story, at: Place) -> AnyView {
    let number = item.number;
    let is_open = Memo::new(move |_| at.open.with(|open| open.contains(&number)));
    let items = StoredValue::new(story.items.clone());
    let steps = move || {
        is_open.get().then(|| {
            let steps =
                items.with_value(|items| items.iter().map(|item| entry(item, true, at)).collect::<Vec<_>>());
            ol().class("tl-steps").child(steps)
        })
    };
    let toggle = move |_| {
        at.open.update(|open| {
            if !open.remove(&number) {
                open.insert(number);
            }
        });
    };
    let more = button()
        .class("tl-more")
        .attr("aria-expanded", move || is_open.get().to_string())
        .on(ev::click, toggle)
        .child((icon("#i-right"), story.steps.clone()));
    let writers = (!story.writers.is_empty()).then(|| written_by("", &story.writers));
    li().class("tl-item tl-story")
        .child((
            first_cells(item, at),
            said(item, &story.headline),
            span().class("tl-by").child(writers),
            div().class("tl-fields").child((more, steps)),
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
fn beginning(at: Place) -> impl IntoView {
    let Place { signals, act, with_later, .. } = at;
    // It is later than the time of the panel.
    let is_later = Memo::new(move |_| {
        signals.entries.with(|held| !held.as_of.is_empty() && held.later == held.items.len())
    });
    let opened = Memo::new(move |_| signals.entries.with(|held| held.opened.clone()));
    let first = Memo::new(move |_| signals.entries.with(|held| held.first.clone()));
    let circle = move || first.get().map(|version| pick(version, "", signals, act));
    li().class("tl-note")
        .attr("hidden", move || is_later.get() && !with_later.get())
        .child((circle, span().child(opened)))
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
