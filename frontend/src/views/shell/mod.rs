//! The page around the views: top bar, navigation, the message for all, and the place where the
//! live view is mounted in its shadow root.

use leptos::ev;
use leptos::html::{div, main};
use leptos::prelude::*;

use super::bar::bar;
use super::icons::sprite;
use super::login::login;
use super::nav::nav;
use super::panel::panel;
use super::top::top;
use super::view;
use crate::dom;
use crate::live::action::Action;
use crate::live::dispatch::Dispatch;
use crate::live::model::Standing;
use crate::live::signals::{PaneSignals, ShellSignals};

pub(crate) fn shell(signals: ShellSignals, act: Dispatch) -> impl IntoView {
    let must_log_in = Memo::new(move |_| signals.login.with(Option::is_some));
    let body = move || {
        if must_log_in.get() {
            signals.login.get().map(|shown| login(shown, act)).into_any()
        } else {
            page(signals, act).into_any()
        }
    };
    (sprite(), body)
}

fn page(signals: ShellSignals, act: Dispatch) -> impl IntoView {
    let drawer = RwSignal::new(false);
    let is_board = Memo::new(move |_| signals.panes.with(|panes| panes.len() > 1));
    // A click beside the drawer closes it; one on a kind has done its work and closes it too.
    div()
        .class("page")
        .class(("page-drawer", move || drawer.get()))
        .class(("page-board", move || is_board.get()))
        .on(ev::keydown, move |event| {
            if dom::element::plain_key(&event).as_deref() == Some("Escape") {
                drawer.set(false);
            }
        })
        .child((
            top(signals, drawer, act),
            nav(signals, drawer, act),
            main().class("main main-column").child((bar(signals.bar, act), split(signals, act))),
        ))
}

/// The panes, and beside them the panel of one object; where there is no room for both, it covers them.
fn split(signals: ShellSignals, act: Dispatch) -> impl IntoView {
    let detail = signals.detail;
    let is_open = Memo::new(move |_| detail.head.with(Option::is_some));
    div()
        .class("split")
        .class(("split-open", move || is_open.get()))
        .style(("--dw-panel-width", move || format!("{}px", detail.width_px.get())))
        .child((panes(signals), panel(detail, act)))
}

/// One view fills the page; several share it, and one of them has the reader.
fn panes(signals: ShellSignals) -> impl IntoView {
    let pane = move |pane: PaneSignals| {
        let standing = pane.view.standing;
        let activate = move || pane.act.send(Action::Activate(pane.id));
        div()
            .class("pane")
            .class(("pane-active", move || standing.get() == Standing::Active))
            .on(ev::focusin, move |_| activate())
            .on(ev::pointerdown, move |_| activate())
            .child(view::host(pane.view, pane.act))
    };
    let each = move || signals.panes.get();
    div()
        .class("panes")
        .attr("data-panes", move || signals.panes.with(|panes| panes.len().to_string()))
        .child(For(ForProps { each, key: |pane| pane.id, children: pane }))
}
