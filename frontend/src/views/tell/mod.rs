//! "Tell me when": the bell in the top bar, and the sheet with a question to write, what was asked, and what was told.

use crate::dom::html::{a, b, button, div, h1, h2, input, p, section, span};
use crate::prelude::*;
use page::action::{Action, TellAction};
use page::clipboard::Clip;
use page::messages;
use page::tell::{Draft, Pick, QuestionLine, TellSheet, TellShown, ToldLine, Which, words};
use tachys::html::element::{Div, Section};
use tachys::html::event as ev;

use super::copy::is_copied;
use super::css;
use super::fetched::later;
use super::icons::{glyph, icon};
use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::overlay::on_press_outside_while;
use crate::field::Field;
use crate::signals::PageSignals;

/// The bell, and what it opens.
pub(crate) fn bell(signals: PageSignals, act: Dispatch) -> impl IntoView {
    let is_open = Memo::new(move |_| signals.tell.with(Option::is_some));
    let place = NodeRef::<Div>::new();
    let is_shown = move || is_open.try_get_untracked() == Some(true);
    on_press_outside_while(place, is_shown, move |_| act.send(TellAction::Close));
    let unseen = move || signals.bell.get().unwrap_or_default();
    div()
        .class("who-place")
        .node_ref(place)
        .on(ev::keydown, move |event| {
            if is_shown() && event.key() == "Escape" {
                event.stop_propagation();
                act.send(TellAction::Close);
            }
        })
        .child((
            button()
                .class("btn btn-icon tell-bell")
                .attr("id", "tell")
                .attr("aria-haspopup", "dialog")
                .attr("aria-expanded", move || is_open.get().to_string())
                .attr("aria-keyshortcuts", "!")
                .attr("aria-label", move || words::bell(unseen()))
                .attr("title", move || words::bell(unseen()))
                .on(ev::click, move |_| {
                    let action = if is_open.get_untracked() { TellAction::Close } else { TellAction::Open };
                    act.send(action);
                })
                .child((icon("#i-bell"), move || {
                    let unseen = unseen();
                    (unseen > 0).then(|| span().class("tell-count").child(unseen.to_string()))
                })),
            move || is_open.get().then(|| later(act, move |views| (views.tell)(signals.tell, act))),
        ))
}

pub(crate) fn sheet(shown: Field<Option<TellShown>>, act: Dispatch) -> AnyView {
    let place = NodeRef::<Section>::new();
    place.on_load(|section| {
        dom::element::focus(&section);
        dom::element::focus_first(&section, "#tell-form");
    });
    let part = Memo::new(move |_| {
        shown.with(|shown| shown.as_ref().and_then(TellShown::sheet).cloned()).unwrap_or_default()
    });
    let asks = Memo::new(move |_| part.with(|shown| (shown.subjects.clone(), shown.is_single, shown.picks)));
    let lists = Memo::new(move |_| part.with(|shown| (shown.questions.clone(), shown.told.clone())));
    section()
        .class("pop pop-pad pop-tell")
        .attr("id", "tell-sheet")
        .attr("role", "dialog")
        .attr("aria-label", words::TITLE)
        .attr("tabindex", "-1")
        .node_ref(place)
        .child((
            div().class("help-head").child((
                h1().class("pop-title").child(words::TITLE),
                button()
                    .class("btn btn-icon")
                    .attr("aria-label", words::CLOSE)
                    .on(ev::click, move |_| act.send(TellAction::Close))
                    .child(icon("#i-close")),
            )),
            move || {
                let linked = || p().class("tell-linked").attr("role", "status").child(words::LINKED);
                part.with(|shown| shown.is_linked).then(linked)
            },
            move || {
                let (subjects, is_single, picks) = asks.get();
                match subjects.is_empty() {
                    true => p().class("soft").child(words::NO_SUBJECT).into_any(),
                    false => question(&subjects, is_single, picks, part, act),
                }
            },
            p().class("tell-why").attr("role", "alert").child(move || part.with(|shown| shown.why.clone())),
            move || {
                let (questions, told) = lists.get();
                (asked(&questions, act), told_list(&told, act))
            },
            p().class("soft").child((
                move || part.with(|shown| shown.notes.clone()),
                " ",
                move || {
                    let allow = || {
                        button()
                            .class("btn btn-framed")
                            .on(ev::click, move |_| act.send(TellAction::Allow))
                            .child(words::ALLOW)
                    };
                    part.with(|shown| shown.can_ask).then(allow)
                },
            )),
        ))
        .into_any()
}

/// Changes one part of what is written.
fn write(part: Memo<TellSheet>, act: Dispatch, change: impl FnOnce(&mut Draft)) {
    let mut draft = part.with_untracked(|shown| shown.draft.clone());
    change(&mut draft);
    act.send(TellAction::Write(draft));
}

fn question(
    subjects: &[String],
    is_single: bool,
    picks: &[Pick],
    part: Memo<TellSheet>,
    act: Dispatch,
) -> AnyView {
    let choice = |said: String, is_on: Memo<bool>, change: fn(&mut Draft, usize), at: usize| {
        button()
            .attr("aria-pressed", move || is_on.get().to_string())
            .on(ev::click, move |_| write(part, act, |draft| change(draft, at)))
            .child(said)
    };
    let subject = |(at, said): (usize, &String)| {
        let is_on = Memo::new(move |_| part.with(|shown| shown.draft.subject == at));
        choice(said.clone(), is_on, |draft, at| draft.subject = at, at)
    };
    let which = |(at, which): (usize, Which)| {
        let is_on = Memo::new(move |_| part.with(|shown| shown.draft.which == which));
        let choose = |draft: &mut Draft, at| draft.which = Which::ALL.get(at).copied().unwrap_or_default();
        choice(which.word().to_owned(), is_on, choose, at)
    };
    let subjects: Vec<_> = subjects.iter().enumerate().map(subject).collect();
    let of = (!is_single).then(|| {
        let all: Vec<_> = Which::ALL.into_iter().enumerate().map(which).collect();
        (
            span().class("seg").attr("role", "group").attr("aria-label", words::OF).child(all),
            span().child(words::OF),
        )
    });
    let pick = |pick: &Pick| {
        let pick = *pick;
        button()
            .class("tell-pick")
            .attr("title", pick.form)
            .attr("aria-pressed", move || part.with(|shown| pick.is_chosen(&shown.draft)).to_string())
            .on(ev::click, move |_| write(part, act, |draft| pick.choose(draft)))
            .child(pick.said)
    };
    let picks: Vec<_> = picks.iter().map(pick).collect();
    let send = move |event: ev::KeyboardEvent| {
        if event.key() == "Enter" {
            act.send(TellAction::Ask);
        }
    };
    div()
        .class("tell-ask")
        .child((
            div().class("tell-of").child((
                of,
                span().class("seg").attr("role", "group").attr("aria-label", words::TITLE).child(subjects),
            )),
            div().class("tell-form").child((
                input()
                    .class("input mono")
                    .attr("id", "tell-form")
                    .attr("type", "text")
                    .attr("aria-label", words::FORM)
                    .attr("title", words::FORM_HINT)
                    .attr("autocomplete", "off")
                    .attr("spellcheck", "false")
                    .prop("value", move || part.with(|shown| shown.draft.form.clone()))
                    .on(ev::input, move |event| {
                        let form = event_target_value(&event);
                        write(part, act, |draft| draft.form = form);
                    })
                    .on(ev::keydown, send),
                span().child(words::HOLD),
                input()
                    .class("input mono tell-hold")
                    .attr("type", "text")
                    .attr("aria-label", words::HOLD)
                    .attr("placeholder", words::HOLD_HINT)
                    .attr("autocomplete", "off")
                    .prop("value", move || part.with(|shown| shown.draft.hold.clone()))
                    .on(ev::input, move |event| {
                        let hold = event_target_value(&event);
                        write(part, act, |draft| draft.hold = hold);
                    })
                    .on(ev::keydown, send),
                button()
                    .class("btn btn-framed")
                    .attr("aria-pressed", move || part.with(|shown| shown.draft.repeats).to_string())
                    .on(ev::click, move |_| write(part, act, |draft| draft.repeats = !draft.repeats))
                    .child(words::EACH_TIME),
                button()
                    .class("btn btn-framed tell-sound")
                    .attr("title", words::SOUND_HINT)
                    .attr("aria-pressed", move || part.with(|shown| shown.draft.has_sound).to_string())
                    .on(ev::click, move |_| write(part, act, |draft| draft.has_sound = !draft.has_sound))
                    .child(words::SOUND),
                button()
                    .class("btn btn-framed tell-send")
                    .on(ev::click, move |_| act.send(TellAction::Ask))
                    .child(words::ASK),
            )),
            div().class("tell-picks").attr("role", "group").attr("aria-label", words::FORM).child(picks),
            p().class("soft tell-hint").child(words::FORM_HINT),
        ))
        .into_any()
}

fn asked(questions: &[QuestionLine], act: Dispatch) -> Option<AnyView> {
    let line = |shown: &QuestionLine| {
        let number = shown.number;
        div().class("tell-line").attr("role", "listitem").child((
            span()
                .class(css::status(shown.class))
                .child((glyph(css::glyph(shown.class)), shown.state.clone())),
            span().class("tell-text").child(shown.text.clone()),
            copy(shown, act),
            button()
                .class("btn btn-icon")
                .attr("aria-label", format!("{} {}", words::REMOVE, shown.text))
                .on(ev::click, move |_| act.send(TellAction::Remove(number)))
                .child(icon("#i-close")),
        ))
    };
    (!questions.is_empty()).then(|| {
        let lines: Vec<_> = questions.iter().map(line).collect();
        (h2().class("tell-title").child(words::ASKED), div().attr("role", "list").child(lines)).into_any()
    })
}

/// The link of a view that carries the question.
fn copy(shown: &QuestionLine, act: Dispatch) -> AnyView {
    let clip = Clip::ViewLink(shown.link.clone());
    let copied = clip.clone();
    let is_done = is_copied(act, move |clip| *clip == copied);
    button()
        .class("btn btn-icon tell-copy")
        .attr("aria-label", format!("{} {}", words::COPY_LINK, shown.text))
        .attr("title", messages::COPY_LINK)
        .on(ev::click, move |_| act.send(Action::Copy(clip.clone())))
        .child(move || icon(if is_done.get() { "#i-tick" } else { "#i-link" }))
        .into_any()
}

fn told_list(told: &[ToldLine], act: Dispatch) -> Option<AnyView> {
    let line = |shown: &ToldLine| {
        let text = match shown.href.clone() {
            Some(href) => {
                let link = href.clone();
                a().class("tell-text")
                    .attr("href", dom::address::href(&href))
                    .on(ev::click, move |event| {
                        if dom::element::is_plain(&event) {
                            event.prevent_default();
                            act.send(TellAction::Close);
                            act.send(Action::OpenLink(link.clone()));
                        }
                    })
                    .child(shown.text.clone())
                    .into_any()
            }
            None => b().class("tell-text").child(shown.text.clone()).into_any(),
        };
        let proof = span().class("faint").child(shown.proof.clone());
        div().class("tell-line").attr("role", "listitem").child((
            span().class("mono").child(shown.at.clone()),
            span().class("tell-told").child((text, proof)),
        ))
    };
    (!told.is_empty()).then(|| {
        let lines: Vec<_> = told.iter().map(line).collect();
        (h2().class("tell-title").child(words::TOLD), div().attr("role", "list").child(lines)).into_any()
    })
}
