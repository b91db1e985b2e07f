//! The popover of the reader's login.

use crate::dom::html::{button, dd, div, dl, dt, h2, p, section, span};
use crate::prelude::*;
use tachys::html::event as ev;

use crate::dispatch::Dispatch;
use page::action::Action;
use page::messages;
use page::who::{Who, words};

/// `ends`: what counts down.
pub(crate) fn popover(shown: Who, ends: Memo<Option<String>>, act: Dispatch) -> AnyView {
    let Who { user, signed_in_by, groups, more_groups, provider, rights, note, signs_out, .. } = shown;
    let groups = (!groups.is_empty()).then(|| {
        let names = groups.into_iter().map(|name| span().class("mono").child(name)).collect::<Vec<_>>();
        let more = (!more_groups.is_empty()).then(|| span().class("faint").child(more_groups));
        (dt().child(words::GROUPS), dd().class("who-groups").child((names, more)))
    });
    let provider = provider.map(|host| (dt().child(words::PROVIDER), dd().class("mono").child(host)));
    let ends = move || ends.get().map(|ends| (dt().child(words::LOGIN_ENDS), dd().child(ends)));
    let may = button()
        .class("btn")
        .attr("id", "what-may-i-see")
        .on(ev::click, move |_| act.send(Action::Rights(true)))
        .child(messages::WHAT_MAY_I_SEE);
    let out = signs_out.then(|| {
        button()
            .class("btn btn-framed")
            .attr("id", "sign-out")
            .on(ev::click, move |_| act.send(Action::SignOut))
            .child(words::SIGN_OUT)
    });
    section()
        .class("pop pop-who")
        .attr("id", "who-pop")
        .attr("role", "dialog")
        .attr("aria-label", words::signed_in_as(&user))
        .child((
            div()
                .class("who-part")
                .child((h2().class("who-name").child(user), p().class("faint").child(signed_in_by))),
            dl().class("who-facts").child((
                groups,
                provider,
                (dt().child(words::RIGHTS_OF), dd().child(rights)),
                ends,
            )),
            note.map(|note| p().class("pop-foot who-note").child(note)),
            div().class("who-foot").child((may, out)),
        ))
        .into_any()
}
