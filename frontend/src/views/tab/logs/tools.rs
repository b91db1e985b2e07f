//! What a reader chooses above the lines: what is looked for, which lines, of which pods and containers, from when on, and how
//! they are written.

use crate::dom::html::{b, button, div, input, label, option, select, span};
use crate::prelude::*;
use page::logs::{ChosenCluster, ChosenContainer, ChosenPod, From, LogsAction, Times, words};
use tachys::html::event as ev;

use super::super::super::icons::icon;
use super::shown::Shown;
use crate::dispatch::Dispatch;
use crate::dom;

pub(super) fn tools(shown: Shown, act: Dispatch) -> impl IntoView {
    let chosen = shown.part(|view| view.tools.chosen.clone());
    let is_choosing = shown.part(|view| view.choice.is_some());
    let is_paused = shown.part(|view| view.is_paused);
    let has_clusters = shown.part(|view| view.tools.has_clusters);
    let choose = button()
        .class("btn btn-framed lg-choose")
        .class(("lg-many", move || has_clusters.get()))
        .attr("id", "logs-choose")
        .attr("aria-expanded", move || is_choosing.get().to_string())
        .attr("title", words::SOURCES)
        .on(ev::click, move |_| act.send(LogsAction::Choose(!is_choosing.get_untracked())))
        .child((span().class("cut").child(chosen), icon("#i-down")));
    let pause = button()
        .class("btn btn-icon")
        .attr("id", "logs-pause")
        .attr("aria-label", move || if is_paused.get() { words::RESUME } else { words::PAUSE })
        .attr("title", move || if is_paused.get() { words::RESUME } else { words::PAUSE })
        .on(ev::click, move |_| act.send(LogsAction::Pause))
        .child(move || icon(if is_paused.get() { "#i-play" } else { "#i-pause" }));
    div().class("lg-tools").child((
        div().class("lg-row").child((
            find(shown, act),
            filter(shown, act),
            span().class("lg-acts").child((
                press("logs-copy", words::COPY, "#i-copy", act, || LogsAction::Copy),
                press("logs-download", words::DOWNLOAD, "#i-get", act, || LogsAction::Download),
                pause,
            )),
        )),
        div().class("lg-row").child((choose, selects(shown, act), switches(shown, act))),
    ))
}

/// From when on, and how times are written.
fn selects(shown: Shown, act: Dispatch) -> impl IntoView {
    (
        choices(
            "logs-from",
            words::FROM,
            From::ALL.map(|from| (from.word(), words::from(from))).to_vec(),
            shown.part(|view| view.tools.from.word()),
            move |word| {
                let from = From::ALL.into_iter().find(|from| from.word() == word);
                from.into_iter().for_each(|from| act.send(LogsAction::From(from)));
            },
        ),
        choices(
            "logs-times",
            words::TIMES,
            Times::ALL.map(|times| (times.word(), words::times(times))).to_vec(),
            shown.part(|view| view.tools.times.word()),
            move |word| {
                let times = Times::ALL.into_iter().find(|times| times.word() == word);
                times.into_iter().for_each(|times| act.send(LogsAction::Times(times)));
            },
        ),
    )
}

/// How lines are written, and what stands between them.
fn switches(shown: Shown, act: Dispatch) -> impl IntoView {
    let json = shown.part(|view| (view.tools.has_json, view.tools.is_raw));
    let events = shown.part(|view| view.tools.events);
    let wraps = shown.part(|view| view.tools.wraps);
    let raw = move || {
        let (has_json, is_raw) = json.get();
        has_json.then(|| {
            button()
                .class("btn lg-raw")
                .attr("id", "logs-raw")
                .attr("aria-pressed", is_raw.to_string())
                .attr("aria-label", words::RAW)
                .attr("title", words::RAW)
                .on(ev::click, move |_| act.send(LogsAction::Raw))
                .child("{ }")
        })
    };
    let events = move || {
        events.get().map(|are_shown| {
            button()
                .class("btn")
                .attr("id", "logs-events")
                .attr("aria-pressed", are_shown.to_string())
                .attr("title", words::EVENTS_HINT)
                .on(ev::click, move |_| act.send(LogsAction::Events))
                .child(words::EVENTS)
        })
    };
    let wrap = button()
        .class("btn")
        .attr("id", "logs-wrap")
        .attr("aria-pressed", move || wraps.get().to_string())
        .attr("title", words::WRAP_HINT)
        .on(ev::click, move |_| act.send(LogsAction::Wrap))
        .child(words::WRAP);
    span().class("lg-acts").child((raw, events, wrap))
}

fn press(
    id: &'static str,
    name: &'static str,
    sign: &'static str,
    act: Dispatch,
    action: fn() -> LogsAction,
) -> impl IntoView {
    button()
        .class("btn btn-icon")
        .attr("id", id)
        .attr("aria-label", name)
        .attr("title", name)
        .on(ev::click, move |_| act.send(action()))
        .child(icon(sign))
}

fn find(shown: Shown, act: Dispatch) -> impl IntoView {
    let text = shown.part(|view| view.tools.find.clone());
    let hits = shown.part(|view| view.tools.hits.clone());
    let step = move |sign: &'static str, name: &'static str, is_forward: bool| {
        button()
            .class("btn btn-icon")
            .attr("aria-label", name)
            .attr("title", name)
            .on(ev::click, move |_| act.send(LogsAction::NextHit { is_forward }))
            .child(icon(sign))
    };
    let why = shown.part(|view| view.tools.hits_why);
    let steps = move || {
        (!hits.read().is_empty()).then(|| {
            (step("#i-up-sort", words::FIND_PREVIOUS, false), step("#i-down-sort", words::FIND_NEXT, true))
        })
    };
    span().class("lg-field").attr("role", "search").attr("aria-label", words::FIND_HINT).child((
        icon("#i-find"),
        input()
            .attr("type", "text")
            .attr("id", "logs-find")
            .attr("aria-label", words::FIND_HINT)
            .attr("title", words::FIND_HINT)
            .attr("aria-keyshortcuts", "/")
            .attr("placeholder", words::FIND)
            .attr("autocomplete", "off")
            .attr("spellcheck", "false")
            .prop("value", move || text.get())
            .on(ev::input, move |event| act.send(LogsAction::Find(event_target_value(&event))))
            .on(ev::keydown, move |event| match event.key().as_str() {
                "Enter" => act.send(LogsAction::NextHit { is_forward: !event.shift_key() }),
                "Escape" => leave(&event, act, LogsAction::Find(String::new())),
                _ => {}
            }),
        span().class("faint").attr("id", "logs-hits").attr("role", "status").attr("title", why).child(hits),
        steps,
    ))
}

fn filter(shown: Shown, act: Dispatch) -> impl IntoView {
    let text = shown.part(|view| view.tools.filter.clone());
    let is_unread = shown.part(|view| view.tools.is_filter_unread);
    span().class("lg-field").child((
        icon("#i-filter"),
        input()
            .attr("type", "text")
            .attr("id", "logs-filter")
            .attr("aria-label", words::FILTER_HINT)
            .attr("title", words::FILTER_HINT)
            .attr("aria-invalid", move || is_unread.get().to_string())
            .attr("placeholder", words::FILTER)
            .attr("autocomplete", "off")
            .attr("spellcheck", "false")
            .prop("value", move || text.get())
            .on(ev::input, move |event| act.send(LogsAction::Filter(event_target_value(&event))))
            .on(ev::keydown, move |event| {
                if event.key() == "Escape" {
                    leave(&event, act, LogsAction::Filter(String::new()));
                }
            }),
    ))
}

/// The first Escape empties the field, the next one leaves it, the third closes the panel.
fn leave(event: &ev::KeyboardEvent, act: Dispatch, emptied: LogsAction) {
    event.stop_propagation();
    if event_target_value(event).is_empty() {
        dom::element::focus_around(event, ".panel");
    }
    dom::element::clear(event);
    act.send(emptied);
}

fn choices(
    id: &'static str,
    name: &'static str,
    all: Vec<(&'static str, &'static str)>,
    chosen: Memo<&'static str>,
    choose: impl Fn(String) + 'static,
) -> impl IntoView {
    let options = move || {
        let option = |(word, said): &(&'static str, &'static str)| {
            option().attr("value", *word).prop("selected", chosen.get() == *word).child(*said)
        };
        all.iter().map(option).collect::<Vec<_>>()
    };
    select()
        .class("lg-select")
        .attr("id", id)
        .attr("aria-label", name)
        .attr("title", name)
        .on(ev::change, move |event| choose(event_target_value(&event)))
        .child(options)
}

/// The clusters that can be read, and the pods and containers that there are, each of which can be left out.
pub(super) fn choice(shown: Shown, act: Dispatch) -> impl IntoView {
    let choice = shown.part(|view| view.choice.clone());
    move || {
        choice.get().map(|choice| {
            let all = choice.is_some.then(|| {
                button()
                    .class("btn btn-framed")
                    .on(ev::click, move |_| act.send(LogsAction::AllPods))
                    .child(words::ALL_PODS)
            });
            let containers: Vec<_> =
                choice.containers.into_iter().map(|chosen| container(chosen, act)).collect();
            div().class("lg-sources").attr("role", "group").attr("aria-label", words::SOURCES).child((
                clusters(choice.clusters, act),
                choice.pods.into_iter().map(|chosen| pod(chosen, act)).collect::<Vec<_>>(),
                div().class("lg-conts").child((
                    containers,
                    label().child((
                        tick(choice.is_previous).on(ev::change, move |_| act.send(LogsAction::Previous)),
                        words::PREVIOUS_RUN,
                    )),
                    all,
                )),
            ))
        })
    }
}

/// The object's own cluster is always read.
fn clusters(chosen: Vec<ChosenCluster>, act: Dispatch) -> impl IntoView {
    let cluster = move |ChosenCluster { name, is_on, is_own, why }: ChosenCluster| {
        let key = name.clone();
        let own = (is_own && why.is_empty()).then(|| span().class("faint").child(words::OWN_CLUSTER));
        label().child((
            tick(is_on)
                .prop("disabled", is_own)
                .on(ev::change, move |_| act.send(LogsAction::ToggleCluster(key.clone()))),
            span().class("mono").child(name),
            own,
            (!why.is_empty()).then(|| span().class("lg-why").child(why)),
        ))
    };
    (!chosen.is_empty()).then(|| {
        div()
            .class("lg-clusters")
            .attr("role", "group")
            .attr("aria-label", words::CLUSTERS)
            .child((b().child(words::CLUSTERS), chosen.into_iter().map(cluster).collect::<Vec<_>>()))
    })
}

fn pod(chosen: ChosenPod, act: Dispatch) -> impl IntoView {
    let ChosenPod { key, cluster, name, colour, is_on, state } = chosen;
    let cluster = (!cluster.is_empty()).then(|| span().class("faint").child((cluster, " ")));
    label().class("lg-source").child((
        tick(is_on).on(ev::change, move |_| act.send(LogsAction::TogglePod(key.clone()))),
        span().class(format!("lg-dot lg-p{colour}")),
        span().class("mono cut").child((cluster, name)),
        span().class("faint").child(state),
    ))
}

fn container(chosen: ChosenContainer, act: Dispatch) -> impl IntoView {
    let name = chosen.name.clone();
    let kind = (!chosen.kind.is_empty()).then(|| span().class("faint").child(chosen.kind));
    label().child((
        tick(chosen.is_on).on(ev::change, move |_| act.send(LogsAction::ToggleContainer(name.clone()))),
        span().class("mono").child(chosen.name),
        kind,
    ))
}

fn tick(is_on: bool) -> crate::dom::html::El {
    input().attr("type", "checkbox").prop("checked", is_on)
}
