//! The login page: one sentence, and the command that prints a new link.

use leptos::html::{code, div, h1, p};
use leptos::prelude::*;

use super::copy::{announcement, copy_button};
use super::icons::icon;
use crate::dispatch::Dispatch;
use page::messages;
use page::model::{Clip, Login};

pub(crate) fn login(shown: Login, act: Dispatch) -> impl IntoView {
    let command = div().class("cmd cmd-gap").child((
        code().child(shown.command),
        copy_button(act, "btn btn-icon", "#i-copy", messages::COPY, move || {
            Clip::Text(shown.command.to_owned())
        }),
    ));
    div().class("login login-page").attr("data-state", "login").child(div().class("login-box").child((
        div().class("login-brand").child((icon("#i-watch"), "Dogwatch")),
        h1().class("blank-title").child(shown.title),
        p().class("soft").child(shown.text),
        command,
        announcement(act.copied()),
    )))
}
