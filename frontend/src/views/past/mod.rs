//! The bar of the past: the slider with the density of changes and of trouble, the span, steps from change to change, a
//! field for a time, and the way back to live.

use crate::dom::html::svg;
use crate::dom::html::{button, div, input, label, option, section, select, span};
use crate::prelude::*;
use tachys::html::element::Input;
use tachys::html::event as ev;

use super::icons::{glyph, icon};
use crate::dispatch::Dispatch;
use crate::dom;
use crate::field::Field;
use page::action::PastAction;
use page::past::{End, PastBar, Span, Stretch, Tick, words};

pub(crate) fn past(shown: Field<Option<PastBar>>, act: Dispatch) -> AnyView {
    let is_there = Memo::new(move |_| shown.with(Option::is_some));
    let bar = move || is_there.get().then(|| inside(shown, act));
    bar.into_any()
}

/// A part of the bar's model, which changes by itself.
fn of<T>(shown: Field<Option<PastBar>>, read: fn(&PastBar) -> T) -> Memo<T>
where
    T: Default + PartialEq + Send + Sync + 'static,
{
    Memo::new(move |_| shown.with(|bar| bar.as_ref().map(read).unwrap_or_default()))
}

fn inside(shown: Field<Option<PastBar>>, act: Dispatch) -> AnyView {
    let is_past = of(shown, |bar| bar.is_past);
    section()
        .class("past")
        .class(("past-on", move || is_past.get()))
        .attr("aria-label", words::TIME)
        .child(
            div().class("past-in").child((
                spans(shown, act),
                // Before all that changes its width, so that they stay under the pointer.
                steps(shown, act),
                div()
                    .class("past-lanes")
                    .attr("aria-hidden", "true")
                    .child((span().child(words::CHANGES), span().child(words::FAILING))),
                track(shown, act),
                div().class("past-tools").child((
                    find(act),
                    field(shown, act),
                    compared(shown, is_past, act),
                    to_end(shown, is_past, act),
                )),
            )),
        )
        .into_any()
}

fn spans(shown: Field<Option<PastBar>>, act: Dispatch) -> AnyView {
    let chosen = of(shown, |bar| bar.span);
    let options = Span::ALL.map(|span| {
        option().attr("value", span.word()).prop("selected", move || chosen.get() == span).child(span.word())
    });
    select()
        .class("past-span")
        .attr("aria-label", words::SPAN)
        .attr("title", words::SPAN)
        .on(ev::change, move |event| {
            if let Some(span) = Span::of(&event_target_value(&event)) {
                act.send(PastAction::Span(span));
            }
        })
        .child(options.into_iter().collect::<Vec<_>>())
        .into_any()
}

/// The slider. Its place is a part of its width; arrows go from change to change.
fn track(shown: Field<Option<PastBar>>, act: Dispatch) -> AnyView {
    let is_held = StoredValue::new(false);
    let drag = move |event: &ev::PointerEvent| {
        if let Some((across, _)) = dom::element::part_of(event).filter(|_| is_held.get_value()) {
            act.send(PastAction::Drag(across));
        }
    };
    let release = move || {
        if is_held.get_value() {
            is_held.set_value(false);
            act.send(PastAction::Drop);
        }
    };
    let thumb = of(shown, |bar| bar.thumb.clone());
    let said = of(shown, |bar| bar.said.clone());
    let note = of(shown, |bar| bar.note.clone());
    let now = move || thumb.with(|thumb| thumb.as_ref().map_or(100.0, |thumb| thumb.at));
    div()
        .class("past-track")
        .attr("role", "slider")
        .attr("tabindex", "0")
        .attr("aria-label", words::AS_OF)
        .attr("aria-valuemin", "0")
        .attr("aria-valuemax", "100")
        .attr("aria-valuenow", move || format!("{:.1}", now()))
        .attr("aria-valuetext", said)
        .attr("title", of(shown, |bar| bar.hint.clone()))
        .on(ev::pointerdown, move |event| {
            if event.button() == 0 {
                is_held.set_value(true);
                dom::element::capture(&event);
                drag(&event);
            }
        })
        .on(ev::pointermove, move |event| drag(&event))
        .on(ev::pointerup, move |_| release())
        .on(ev::pointercancel, move |_| release())
        .on(ev::keydown, move |event| {
            let action = match dom::element::plain_key(&event).as_deref() {
                Some("ArrowLeft" | "ArrowDown") => PastAction::Step(-1),
                Some("ArrowRight" | "ArrowUp") => PastAction::Step(1),
                Some("PageDown") => PastAction::Page(-1),
                Some("PageUp") => PastAction::Page(1),
                Some("Home") => PastAction::Start,
                Some("End") => PastAction::Live,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            act.send(action);
        })
        .child((
            chart(shown),
            svg::svg().attr("class", "past-scale").attr("aria-hidden", "true").child((
                move || of_ticks(shown),
                move || thumb.get().map(at),
                line("past-now-line", 100.0, ("2", "39")),
                move || {
                    // The time that is shown has the room first.
                    let is_now = shown.with(|bar| bar.as_ref().is_none_or(|bar| bar.end == End::Now));
                    let has_room = is_now && (now() < NOW_PERCENT || now() >= 100.0);
                    has_room.then(|| {
                        svg::text()
                            .attr("class", "past-now")
                            .attr("x", "100%")
                            .attr("y", "50")
                            .attr("text-anchor", "end")
                            .child(words::NOW)
                    })
                },
            )),
            move || {
                note.with(|note| (!note.is_empty()).then(|| span().class("past-note").child(note.clone())))
            },
        ))
        .into_any()
}

/// Changes over trouble, the times in which nothing was recorded, and those of which something was removed.
fn chart(shown: Field<Option<PastBar>>) -> AnyView {
    let changes = of(shown, |bar| bar.changes.clone());
    let trouble = of(shown, |bar| bar.trouble.clone());
    let stretches = of(shown, |bar| (bar.gaps.clone(), bar.removed.clone()));
    let stretch = |class: &'static str| {
        move |Stretch { from, to }: Stretch| {
            div()
                .class(class)
                .style(("left", format!("{from:.2}%")))
                .style(("width", format!("{:.2}%", to - from)))
        }
    };
    let bars = svg::svg()
        .attr("class", "past-chart")
        .attr("viewBox", "0 0 180 36")
        .attr("preserveAspectRatio", "none")
        .attr("aria-hidden", "true")
        .child((
            svg::path().attr("class", "past-changes").attr("d", changes),
            svg::path().attr("class", "past-trouble").attr("d", trouble),
        ));
    let stretches = move || {
        let (gaps, removed) = stretches.get();
        let gaps = gaps.into_iter().map(stretch("past-gap"));
        gaps.chain(removed.into_iter().map(stretch("past-removed"))).collect::<Vec<_>>()
    };
    (bars, stretches).into_any()
}

fn of_ticks(shown: Field<Option<PastBar>>) -> AnyView {
    let ticks = shown.with(|bar| bar.as_ref().map(|bar| bar.ticks.clone()).unwrap_or_default());
    let tick = |Tick { at, label }: Tick| {
        let text = (!label.is_empty()).then(|| {
            svg::text().attr("x", percent(at)).attr("y", "50").attr("text-anchor", "middle").child(label)
        });
        (line("past-tick", at, ("35", "39")), text)
    };
    ticks.into_iter().map(tick).collect::<Vec<_>>().into_any()
}

/// The time that is shown.
fn at(Tick { at, label }: Tick) -> AnyView {
    // A label at an end would be cut.
    let anchor = match at {
        at if at < LABEL_PERCENT => "start",
        at if at > 100.0 - LABEL_PERCENT => "end",
        _ => "middle",
    };
    (
        svg::line()
            .attr("class", "past-done")
            .attr("x1", "0")
            .attr("x2", percent(at))
            .attr("y1", "34")
            .attr("y2", "34"),
        line("past-at", at, ("1", "34")),
        svg::rect()
            .attr("class", "past-thumb")
            .attr("x", percent(at))
            .attr("y", "27")
            .attr("width", "11")
            .attr("height", "12")
            .attr("rx", "2")
            .attr("transform", "translate(-5.5 0)"),
        svg::text()
            .attr("class", "past-at-text")
            .attr("x", percent(at))
            .attr("y", "50")
            .attr("text-anchor", anchor)
            .child(label),
    )
        .into_any()
}

const LABEL_PERCENT: f64 = 3.0;
/// Behind this place the label of the present has no room beside that of the thumb.
const NOW_PERCENT: f64 = 88.0;

fn line(class: &'static str, at: f64, (from, to): (&'static str, &'static str)) -> impl IntoView {
    let x = percent(at);
    svg::line().attr("class", class).attr("x1", x.clone()).attr("x2", x).attr("y1", from).attr("y2", to)
}

fn percent(at: f64) -> String {
    format!("{at:.2}%")
}

fn steps(shown: Field<Option<PastBar>>, act: Dispatch) -> AnyView {
    let step = |sign, word: &'static str, by: i8, can: Memo<bool>| {
        button()
            .class("btn btn-icon")
            .attr("aria-label", word)
            .attr("title", word)
            .attr("aria-disabled", move || (!can.get()).then_some("true"))
            .on(ev::click, move |_| act.send(PastAction::Step(by)))
            .child(icon(sign))
    };
    span()
        .class("past-step")
        .attr("role", "group")
        .attr("aria-label", words::STEP_BY_CHANGE)
        .child((
            step("#i-prev", words::PREVIOUS, -1, of(shown, |bar| bar.has_earlier)),
            span().class("past-word").child(words::CHANGE),
            step("#i-right", words::NEXT, 1, of(shown, |bar| bar.has_later)),
        ))
        .into_any()
}

/// A time is typed: Enter goes there, Escape takes it back.
fn field(shown: Field<Option<PastBar>>, act: Dispatch) -> AnyView {
    let typed = of(shown, |bar| bar.typed.clone());
    let error = of(shown, |bar| bar.error.to_owned());
    // After Enter the hint is gone, until something else is typed.
    let is_sent = RwSignal::new(false);
    let place = NodeRef::<Input>::new();
    let reset = move || {
        if let Some(field) = place.get_untracked() {
            field.set_value(&typed.get_untracked());
        }
    };
    label()
        .class("past-time")
        .class(("past-time-bad", move || error.with(|error| !error.is_empty())))
        .child((
            span().child(words::AS_OF_SHORT),
            input()
                .node_ref(place)
                .attr("type", "text")
                .attr("aria-label", words::TYPE_A_TIME)
                .attr("title", move || {
                    error.with(
                        |error| if error.is_empty() { words::TYPE_A_TIME.to_owned() } else { error.clone() },
                    )
                })
                .attr("aria-invalid", move || error.with(|error| (!error.is_empty()).then_some("true")))
                .attr("autocomplete", "off")
                .attr("spellcheck", "false")
                .prop("value", move || typed.get())
                .on(ev::input, move |_| is_sent.set(false))
                .on(ev::focus, move |_| {
                    is_sent.set(false);
                    if let Some(field) = place.get_untracked() {
                        field.select();
                    }
                })
                .on(ev::keydown, move |event| match event.key().as_str() {
                    "Enter" => {
                        is_sent.set(true);
                        act.send(PastAction::Type(event_target_value(&event)));
                    }
                    "Escape" => {
                        event.stop_propagation();
                        reset();
                        act.send(page::action::PaneAction::ToRows);
                    }
                    _ => {}
                }),
            move || {
                error.with(|error| match error.is_empty() {
                    true if is_sent.get() => span(),
                    true => span().class("past-hint").attr("aria-hidden", "true").child(words::TIMES_TAKEN),
                    false => span().class("past-hint past-error").attr("role", "alert").child(error.clone()),
                })
            },
        ))
        .into_any()
}

/// The button that searches the record for a word.
fn find(act: Dispatch) -> AnyView {
    button()
        .class("btn btn-icon past-find")
        .attr("aria-label", words::FIND)
        .attr("title", words::FIND_BY_KEY)
        .on(ev::click, move |_| act.send(PastAction::Find))
        .child(icon("#i-find"))
        .into_any()
}

/// The button that compares with now; beside two times, the field of the other one.
fn compared(shown: Field<Option<PastBar>>, is_past: Memo<bool>, act: Dispatch) -> AnyView {
    let against = of(shown, |bar| bar.against.clone());
    let is_on = Memo::new(move |_| against.with(|against| !against.is_empty()));
    let place = NodeRef::<Input>::new();
    let reset = move || {
        if let Some(field) = place.get_untracked() {
            field.set_value(&against.get_untracked());
        }
    };
    let end = of(shown, |bar| bar.end);
    let body = move || match (is_past.get() && end.get() != (End::OfReplay { is_here: true }), is_on.get()) {
        (false, _) => ().into_any(),
        (true, false) => {
            let (word, short) = match end.get() {
                End::Now => (words::COMPARE_NOW, words::COMPARE_NOW_SHORT),
                End::OfReplay { .. } => (words::COMPARE_END, words::COMPARE_END_SHORT),
            };
            button()
                .class("btn btn-framed past-compare")
                .attr("title", words::COMPARE_NOW_BY_KEY)
                .attr("aria-label", word)
                .on(ev::click, move |_| act.send(PastAction::Compare))
                .child((span().class("past-word").child(word), span().class("past-short").child(short)))
                .into_any()
        }
        (true, true) => label()
            .class("past-time past-compared")
            .child((
                span().child(words::COMPARED_WITH),
                input()
                    .node_ref(place)
                    .attr("type", "text")
                    .attr("aria-label", words::COMPARED_WITH_A_TIME)
                    .attr("title", words::COMPARED_WITH_A_TIME)
                    .attr("autocomplete", "off")
                    .attr("spellcheck", "false")
                    .prop("value", move || against.get())
                    .on(ev::focus, move |_| {
                        if let Some(field) = place.get_untracked() {
                            field.select();
                        }
                    })
                    .on(ev::keydown, move |event| match event.key().as_str() {
                        "Enter" => act.send(PastAction::CompareWith(event_target_value(&event))),
                        "Escape" => {
                            event.stop_propagation();
                            reset();
                        }
                        _ => {}
                    }),
                button()
                    .class("btn btn-icon")
                    .attr("aria-label", words::END_COMPARISON)
                    .attr("title", words::END_COMPARISON)
                    .on(ev::click, move |_| act.send(PastAction::Compare))
                    .child(icon("#i-close")),
            ))
            .into_any(),
    };
    body.into_any()
}

fn to_end(shown: Field<Option<PastBar>>, is_past: Memo<bool>, act: Dispatch) -> AnyView {
    let end = of(shown, |bar| bar.end);
    let leads = move |title, word| {
        button()
            .class("btn btn-framed past-live")
            .attr("title", title)
            .on(ev::click, move |_| act.send(PastAction::Live))
            .child((word, icon("#i-end")))
            .into_any()
    };
    let button = move || match (end.get(), is_past.get()) {
        (End::Now, true) => leads(words::BACK_BY_KEY, words::LIVE),
        (End::OfReplay { is_here: false }, _) => leads(words::TO_THE_END_BY_KEY, words::END),
        (End::Now, false) => span()
            .class("btn past-live")
            .attr("aria-current", "time")
            .child((glyph("#g-ok"), words::LIVE))
            .into_any(),
        (End::OfReplay { is_here: true }, _) => {
            span().class("btn past-live").attr("aria-current", "time").child(words::END).into_any()
        }
    };
    button.into_any()
}
