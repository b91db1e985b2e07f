//! The login page: one sentence, and the way in: a command that prints a link, a field for a token, or a button that leads
//! to where the reader signs in.

use crate::dom::html::{b, button, code, div, form, h1, input, label, main, p, span};
use crate::prelude::*;
use page::status::Class;
use tachys::html::element::Input;
use tachys::html::event as ev;

use super::copy::{announcement, copy_button};
use super::css;
use super::icons::{glyph, icon};
use crate::dispatch::Dispatch;
use crate::dom;
use page::action::Action;
use page::login::{Login, WayIn, words};
use page::messages;
use page::model::Clip;

pub(crate) fn login(shown: Login, act: Dispatch) -> AnyView {
    let Login { title, text, refusal, way_in, can_return, .. } = shown;
    let is_token = way_in == WayIn::Token;
    let (at_field, above) = if is_token { (refusal, None) } else { (None, refusal) };
    let command =
        way_in.command(&location().port().unwrap_or_default(), &dom::address::path()).map(|command| {
            let held = StoredValue::new(command.clone());
            let copied = move || Clip::Text(held.try_get_value().unwrap_or_default());
            div().class("cmd cmd-gap").child((
                code().child(command),
                copy_button(act, "btn btn-icon", "#i-copy", messages::COPY, copied),
            ))
        });
    main()
        .class("login login-page")
        .attr("data-state", "login")
        .child(div().class("login-box").child((
            div().class("login-brand").child((icon("#i-watch"), "Dogwatch")),
            above.map(refused),
            h1().class("blank-title").child(title),
            p().class("soft").child(text),
            command,
            is_token.then(|| token(at_field, act)),
            actions(way_in, can_return, act),
            p().class("faint").child(words::READS_ONLY),
            announcement(act.copied()),
        )))
        .into_any()
}

fn refused(why: String) -> impl IntoView {
    div().class("refused").attr("role", "alert").child((
        p().class("refused-line").child((
            span().class("bad-ink").child(glyph(css::glyph(Class::Bad))),
            b().child(messages::LOGIN_REFUSED),
        )),
        p().child(why),
    ))
}

/// What is pressed below: all but the button of the token's form.
fn actions(way_in: WayIn, can_return: bool, act: Dispatch) -> impl IntoView {
    let way_in = match way_in {
        WayIn::Provider => Some((words::SIGN_IN, Action::SignInAgain)),
        WayIn::Proxy => Some((words::TRY_AGAIN, Action::Reload)),
        WayIn::Link | WayIn::Token => None,
    };
    let way_in = way_in.map(|(label, action)| {
        button()
            .class("btn btn-main")
            .attr("id", "sign-in")
            .on(ev::click, move |_| act.send(action.clone()))
            .child(label)
    });
    let back = can_return.then(|| {
        button()
            .class("btn")
            .attr("id", "back-to-views")
            .on(ev::click, move |_| act.send(Action::ReturnToViews))
            .child(words::BACK_TO_VIEWS)
    });
    (way_in.is_some() || back.is_some()).then(|| div().class("login-actions").child((way_in, back)))
}

/// The token is read once, and leaves the field with that.
fn token(refusal: Option<String>, act: Dispatch) -> impl IntoView {
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
    let is_refused = refusal.is_some();
    let why = refusal.map(|why| {
        p().class("in-error")
            .attr("id", "token-refused")
            .attr("role", "alert")
            .child((glyph(css::glyph(Class::Bad)), span().child(why)))
    });
    form().class("login-actions").on(ev::submit, submit).child((
        label().class("in-label").attr("for", "token").child(words::TOKEN),
        input()
            .class("text-field")
            .attr("id", "token")
            .attr("type", "password")
            .attr("autocomplete", "off")
            .attr("spellcheck", "false")
            .attr("aria-invalid", is_refused.then_some("true"))
            .attr("aria-describedby", is_refused.then_some("token-refused"))
            .node_ref(field),
        why,
        button().class("btn btn-main").attr("id", "sign-in").attr("type", "submit").child(words::SIGN_IN),
    ))
}
