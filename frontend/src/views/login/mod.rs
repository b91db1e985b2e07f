//! The login page: one sentence, the command that prints what is needed, and a field for it if that is a token.

use leptos::ev;
use leptos::html::{Input, button, code, div, form, h1, input, label, p};
use leptos::prelude::*;

use super::copy::{announcement, copy_button};
use super::icons::icon;
use crate::dispatch::Dispatch;
use page::action::Action;
use page::messages;
use page::model::{Clip, Login, WayIn};

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
        (shown.way_in == WayIn::Token).then(|| token(act)),
        announcement(act.copied()),
    )))
}

/// The token is read once, and leaves the field with that.
fn token(act: Dispatch) -> impl IntoView {
    let field = NodeRef::<Input>::new();
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let Some(field) = field.get() else { return };
        let typed = field.value();
        field.set_value("");
        if !typed.trim().is_empty() {
            act.send(Action::SignIn(typed));
        }
    };
    form().class("login-actions").on(ev::submit, submit).child((
        label().attr("for", "token").child(messages::TOKEN),
        input()
            .class("text-field")
            .attr("id", "token")
            .attr("type", "password")
            .attr("autocomplete", "off")
            .attr("spellcheck", "false")
            .node_ref(field),
        button()
            .class("btn btn-framed")
            .attr("id", "sign-in")
            .attr("type", "submit")
            .child(messages::SIGN_IN),
        p().class("soft").child(messages::READS_ONLY),
    ))
}
