//! The top bar: the cluster, the namespaces, the health of all views, the theme, the user.

use crate::dom;
use crate::dom::html::{a, button, header, kbd, span};
use crate::prelude::*;
use page::messages;
use page::page::words;
use page::status::Class;
use tachys::html::event as ev;

use super::clusters;
use super::css;
use super::icons::{glyph, icon};
use super::namespaces::picker;
use super::tell::bell;
use super::who::who;
use super::wrong;
use crate::dispatch::Dispatch;
use crate::signals::PageSignals;
use page::action::{Action, PaletteAction};

pub(crate) fn top(signals: PageSignals, drawer: RwSignal<bool>, act: Dispatch) -> impl IntoView {
    let menu = button()
        .class("btn btn-icon brand-menu")
        .attr("aria-label", messages::KINDS)
        .attr("aria-expanded", move || drawer.get().to_string())
        .on(ev::click, move |_| drawer.update(|open| *open = !*open))
        .child(icon("#i-menu"));
    let brand = a()
        .class("brand")
        .attr("href", dom::address::href(page::wrong::words::ADDRESS))
        .attr("title", page::wrong::words::OPEN_BY_KEY)
        .on(ev::click, move |event| {
            if dom::element::is_plain(&event) {
                event.prevent_default();
                act.send(Action::WhatIsWrong);
            }
        })
        .child((icon("#i-watch"), span().class("brand-name").child("Dogwatch")));
    header().class("top").child((
        menu,
        brand,
        clusters::picker(signals.clusters, act),
        picker(signals.namespaces, act),
        move || {
            let panes = signals.pane_count.get();
            (panes > 1).then(|| span().class("board-sum top-extra").child(messages::board_of(panes)))
        },
        find(act),
        (wrong::tally(signals.wrong, act), health(signals)),
        span().class("top-rule"),
        (bell(signals, act), help(act)),
        theme(signals, act),
        who(signals, act),
    ))
}

fn find(act: Dispatch) -> impl IntoView {
    button()
        .class("find")
        .attr("id", "find")
        .attr("aria-keyshortcuts", ": Control+K")
        .attr("aria-label", messages::GO_TO)
        .on(ev::click, move |_| act.send(PaletteAction::Open))
        .child((
            icon("#i-find"),
            span().class("find-text").child(messages::GO_TO),
            span().class("find-keys").child(kbd().child(":")),
        ))
}

fn help(act: Dispatch) -> impl IntoView {
    let label = messages::with_key(messages::KEYS_AND_HELP, "?");
    button()
        .class("btn btn-icon top-extra")
        .attr("id", "help-button")
        .attr("aria-label", label.clone())
        .attr("title", label)
        .on(ev::click, move |_| act.send(Action::Help(true)))
        .child(icon("#i-help"))
}

fn health(signals: PageSignals) -> impl IntoView {
    let is_bad = Memo::new(move |_| signals.health.with(|health| health.is_bad));
    let class = Memo::new(move |_| signals.health.with(|health| health.class));
    let is_past = Memo::new(move |_| signals.health.with(|health| health.is_past));
    let sign = move || match is_past.get() {
        true => icon("#i-past").into_any(),
        false => glyph(css::glyph(class.get())).into_any(),
    };
    span()
        .class("health")
        .class(("health-bad", move || is_bad.get()))
        .class(("health-past", move || is_past.get()))
        .attr("id", "health")
        .attr("role", "status")
        .child((
            span()
                .class(move || if class.get() == Class::Ok { "status-okglyph" } else { "health-glyph" })
                .child(sign),
            span().class("health-text").child(move || signals.health.with(|health| health.text.clone())),
        ))
}

fn theme(signals: PageSignals, act: Dispatch) -> impl IntoView {
    let label = move || words::theme_is(signals.theme.get());
    button()
        .class("btn btn-icon top-extra")
        .attr("id", "theme")
        .attr("aria-label", label)
        .attr("title", label)
        .on(ev::click, move |_| act.send(Action::NextTheme))
        .child(icon("#i-theme"))
}
