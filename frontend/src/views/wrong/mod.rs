//! What is wrong, in place of the rows of a view: a tally, and a line for each story, which opens.

pub(crate) mod chip;

use crate::dom::html::{a, b, button, div, span};
use crate::prelude::*;
use page::action::{Action, TellAction, TwoLetters, WrongAction, of_wrong};
use page::past::{InPlaceOfRows, ReplacedRows};
use page::tell::words as tell;
use page::wrong::{WrongCount, WrongLine, WrongList, WrongStory, words};
use tachys::html::event as ev;

use super::compare::{Does, region};
use super::css;
use super::icons::{glyph, icon};
use crate::dispatch::Dispatch;
use crate::dom;

pub(super) fn wrong(shown: Memo<ReplacedRows>, act: Dispatch) -> AnyView {
    let shown = Memo::new(move |_| {
        shown.with(|shown| match shown.0.as_deref() {
            Some(InPlaceOfRows::Wrong(made)) => Some(made.clone()),
            _ => None,
        })
    });
    let inside = (
        move || shown.get().map(|shown| head(&shown, act)),
        move || shown.get().map(|shown| body(&shown, act)),
    );
    let does = Does { key: of_wrong, link: Action::FollowLink };
    region(|| Some(words::TITLE.to_owned()), inside.into_any(), does, act)
}

fn head(shown: &WrongList, act: Dispatch) -> AnyView {
    let counts: Vec<_> = shown.counts.iter().map(|entry| count(entry, act)).collect();
    let unknown = |said: &String| {
        div()
            .class("wrong-unknown")
            .attr("role", "status")
            .child((icon("#i-alert"), span().child(said.clone())))
    };
    let unknown: Vec<_> = shown.unknown.iter().map(unknown).collect();
    div()
        .class("wrong-head")
        .child((
            div()
                .class("wrong-counts")
                .attr("role", "group")
                .attr("aria-label", words::BY_HEALTH)
                .child(counts),
            button()
                .class("btn btn-framed wrong-order")
                .attr("title", words::TURN)
                .on(ev::click, move |_| act.send(WrongAction::Turn))
                .child(words::order(shown.order)),
            unknown,
        ))
        .into_any()
}

fn count(shown: &WrongCount, act: Dispatch) -> AnyView {
    let health = shown.health;
    let is_none = shown.count == "0";
    let entry = button()
        .class(if is_none { "tally tally-none" } else { "tally" })
        .attr("aria-pressed", shown.is_chosen.to_string())
        .on(ev::click, move |_| act.send(WrongAction::Only(health)));
    span()
        .class(css::status(shown.class))
        .child(entry.child((
            glyph(css::glyph(shown.class)),
            span().class("tally-count").child(shown.count.clone()),
            " ",
            span().class("tally-word").child(shown.word),
        )))
        .into_any()
}

fn body(shown: &WrongList, act: Dispatch) -> AnyView {
    let note = (!shown.note.is_empty()).then(|| div().class("wrong-note").child(shown.note.clone()));
    let stories: Vec<_> = shown.stories.iter().map(|shown| story(shown, act)).collect();
    let list = (!stories.is_empty()).then(|| div().attr("role", "list").child(stories));
    let more = (!shown.more.is_empty()).then(|| div().class("wrong-note faint").child(shown.more.clone()));
    let foot =
        div().class("wrong-note faint").attr("title", shown.looked_more.clone()).child(shown.looked.clone());
    (note, list, more, foot).into_any()
}

fn story(shown: &WrongStory, act: Dispatch) -> AnyView {
    let key = shown.key.clone();
    let fold = (!shown.folded.is_empty()).then(|| {
        button()
            .class("wrong-fold")
            .attr("aria-expanded", shown.is_open.to_string())
            .attr("aria-label", words::fold(shown.is_open, &shown.folded))
            .on(ev::click, move |_| act.send(WrongAction::Fold(key.clone())))
            .child((icon(if shown.is_open { "#i-down" } else { "#i-right" }), shown.folded.clone()))
    });
    let leaves: Vec<_> =
        shown.leaves.iter().map(|leaf| line(leaf, "wrong-line wrong-leaf", None, act)).collect();
    let more = (!shown.more.is_empty()).then(|| div().class("wrong-note faint").child(shown.more.clone()));
    div()
        .class("wrong-story")
        .attr("role", "listitem")
        .child((line(&shown.root, "wrong-line", fold.map(|fold| fold.into_any()), act), leaves, more))
        .into_any()
}

fn line(shown: &WrongLine, class: &'static str, fold: Option<AnyView>, act: Dispatch) -> AnyView {
    let name = match &shown.href {
        Some(href) => {
            a().class("cmpv-name").attr("href", dom::address::href(href)).child(shown.name.clone()).into_any()
        }
        None => b().class("cmpv-name").child(shown.name.clone()).into_any(),
    };
    let since = if shown.since.is_empty() { words::BEFORE.to_owned() } else { shown.since.clone() };
    let event =
        (!shown.event.is_empty()).then(|| span().class("wrong-event faint").child(shown.event.clone()));
    let about = StoredValue::new(shown.about.clone());
    let ask = move || about.get_value().map(|about| TellAction::About(about).into());
    let letters = StoredValue::new(TwoLetters::default());
    let label = tell::about(&shown.kind, &shown.name);
    let to = shown.href.clone();
    let bell = shown.about.is_some().then(|| {
        button()
            .class("btn btn-icon wrong-tell")
            .attr("aria-label", label)
            .attr("title", tell::OPEN_BY_KEY)
            .on(ev::click, move |_| ask().into_iter().for_each(|ask: Action| act.send(ask)))
            .child(icon("#i-bell"))
    });
    div()
        .class(class)
        .class(("wrong-stale", shown.is_stale))
        .class(("wrong-opens", to.is_some()))
        .on(ev::click, move |event| {
            // A link or a button in the line does what it says, and text that was just selected stays.
            let is_of_line = dom::element::is_plain(&event) && !dom::element::is_within(&event, "a, button");
            if let Some(to) = to.clone().filter(|_| is_of_line && !dom::selection::is_text_selected(&event)) {
                act.send(Action::FollowLink(to));
            }
        })
        .on(ev::keydown, move |event| {
            // The line that has the focus is meant, and not the list.
            let of_line = |key: &str| if key == "!" { ask() } else { None };
            act.send_key(&event, letters, of_line);
            if event.default_prevented() {
                event.stop_propagation();
            }
        })
        .child((
            span().class(format!("wrong-what {}", css::status(shown.class))).child((
                glyph(css::glyph(shown.class)),
                span().class("wrong-names").child((
                    span().class("wrong-kind").child(shown.kind.clone()),
                    name,
                    span().class("cmpv-place faint").child(shown.place.clone()),
                )),
            )),
            span().class("wrong-why").child((
                span().class("wrong-reason").child(shown.why.clone()),
                fold,
                event,
            )),
            span()
                .class("wrong-since")
                .class(("faint", shown.since.is_empty()))
                .attr("title", shown.since_when.clone())
                .child((since, bell)),
        ))
        .into_any()
}

/// In the top bar: how much is wrong.
pub(crate) fn tally(shown: crate::field::Field<Option<page::wrong::WrongTally>>, act: Dispatch) -> AnyView {
    let view = move || {
        shown.get().map(|shown| {
            button()
                .class("wrong-tally")
                .class(("wrong-old", shown.is_stale))
                .attr("id", "wrong")
                .attr("aria-keyshortcuts", "0")
                .attr("title", words::OPEN_BY_KEY)
                .on(ev::click, move |_| act.send(Action::WhatIsWrong))
                .child((
                    span().class(css::status(shown.class)).child(glyph(css::glyph(shown.class))),
                    span().class("health-text").child(shown.text.clone()),
                ))
        })
    };
    view.into_any()
}
