//! The login page: one sentence, and the command that prints a new link.

use leptos::ev;
use leptos::html::{button, code, div, h1, p};
use leptos::prelude::*;

use super::icons::icon;
use crate::dispatch::Dispatch;
use page::action::Action;
use page::model::Login;

pub(crate) fn login(shown: Login, act: Dispatch) -> impl IntoView {
    let command = div().class("cmd cmd-gap").child((
        code().child(shown.command),
        button()
            .class("btn btn-icon")
            .attr("aria-label", "Copy")
            .on(ev::click, move |_| act.send(Action::Copy(shown.command.to_owned())))
            .child(icon("#i-copy")),
    ));
    div().class("login login-page").attr("data-state", "login").child(div().class("login-box").child((
        div().class("login-brand").child((icon("#i-watch"), "Dogwatch")),
        h1().class("blank-title").child(shown.title),
        p().class("soft").child(shown.text),
        command,
    )))
}
