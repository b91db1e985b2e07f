//! The page around the views: top bar, navigation, the message for all, and the place where the
//! live view is mounted in its shadow root.

use leptos::ev;
use leptos::html::{div, main};
use leptos::prelude::*;

use super::bar::bar;
use super::icons::sprite;
use super::login::login;
use super::nav::nav;
use super::top::top;
use super::view;
use crate::dom;
use crate::live::dispatch::Dispatch;
use crate::live::signals::{ShellSignals, ViewSignals};

pub(crate) fn shell(signals: ShellSignals, view: ViewSignals, act: Dispatch) -> impl IntoView {
    let must_log_in = Memo::new(move |_| signals.login.with(Option::is_some));
    let body = move || {
        if must_log_in.get() {
            signals.login.get().map(|shown| login(shown, act)).into_any()
        } else {
            page(signals, view, act).into_any()
        }
    };
    (sprite(), body)
}

fn page(signals: ShellSignals, view: ViewSignals, act: Dispatch) -> impl IntoView {
    let drawer = RwSignal::new(false);
    // A click beside the drawer closes it; one on a kind has done its work and closes it too.
    div()
        .class("page")
        .class(("page-drawer", move || drawer.get()))
        .on(ev::keydown, move |event| {
            if dom::element::plain_key(&event).as_deref() == Some("Escape") {
                drawer.set(false);
            }
        })
        .child((
            top(signals, drawer, act),
            nav(signals, drawer, act),
            main().class("main main-column").child((bar(signals.bar, act), view::host(view, act))),
        ))
}
