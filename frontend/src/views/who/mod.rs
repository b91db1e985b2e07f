//! "Who am I?": the reader's initials in the top bar, the popover of their login, and what they may see.

pub(super) mod rights;

use leptos::ev;
use leptos::html::{Div, button, dd, div, dl, dt, h2, p, section, span};
use leptos::prelude::*;

use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::overlay::on_press_outside_while;
use crate::signals::PageSignals;
use page::action::Action;
use page::messages;
use page::model::Who;

pub(crate) fn who(signals: PageSignals, act: Dispatch) -> impl IntoView {
    let is_open = Memo::new(move |_| signals.who.with(Option::is_some));
    let place = NodeRef::<Div>::new();
    let has_rights = Memo::new(move |_| signals.rights.with(Option::is_some));
    let is_shown = move || [is_open, has_rights].iter().any(|open| open.try_get_untracked() == Some(true));
    on_press_outside_while(place, is_shown, move |_| act.send(Action::Rights(false)));
    let label = move || messages::signed_in_as(&signals.user.read());
    let initials = button()
        .class("who")
        .attr("id", "who")
        .attr("hidden", move || signals.user.with(String::is_empty))
        .attr("aria-haspopup", "dialog")
        .attr("aria-expanded", move || is_open.get().to_string())
        .attr("aria-label", label)
        .attr("title", label)
        .on(ev::click, move |_| act.send(Action::Who(!is_open.get_untracked())))
        .child(move || initials_of(&signals.user.read()));
    // What counts down is a text of its own, so that the rest keeps its focus.
    let ends = Memo::new(move |_| signals.who.with(|who| who.as_ref().and_then(|who| who.ends.clone())));
    let rest = Memo::new(move |_| signals.who.with(|who| who.clone().map(|who| Who { ends: None, ..who })));
    div()
        .class("who-place")
        .node_ref(place)
        .on(ev::keydown, move |event| {
            if is_shown() && dom::element::plain_key(&event).as_deref() == Some("Escape") {
                event.stop_propagation();
                act.send(Action::Rights(false));
                if let Some(place) = place.get_untracked() {
                    dom::element::focus_first(&place, "#who");
                }
            }
        })
        .child((
            initials,
            move || rest.get().map(|shown| popover(shown, ends, act)),
            move || has_rights.get().then(|| rights::sheet(signals.rights, act)),
        ))
}

fn initials_of(user: &str) -> String {
    let words = user.split(|c: char| !c.is_alphanumeric());
    let first: String = words.filter_map(|word| word.chars().next()).take(2).collect();
    first.to_uppercase()
}

fn popover(shown: Who, ends: Memo<Option<String>>, act: Dispatch) -> impl IntoView {
    let Who { user, signed_in_by, groups, more_groups, provider, rights, note, signs_out, .. } = shown;
    let groups = (!groups.is_empty()).then(|| {
        let names = groups.into_iter().map(|name| span().class("mono").child(name)).collect::<Vec<_>>();
        let more = (!more_groups.is_empty()).then(|| span().class("faint").child(more_groups));
        (dt().child(messages::GROUPS), dd().class("who-groups").child((names, more)))
    });
    let provider = provider.map(|host| (dt().child(messages::PROVIDER), dd().class("mono").child(host)));
    let ends = move || ends.get().map(|ends| (dt().child(messages::LOGIN_ENDS), dd().child(ends)));
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
            .child(messages::SIGN_OUT)
    });
    section()
        .class("pop pop-who")
        .attr("id", "who-pop")
        .attr("role", "dialog")
        .attr("aria-label", messages::signed_in_as(&user))
        .child((
            div()
                .class("who-part")
                .child((h2().class("who-name").child(user), p().class("faint").child(signed_in_by))),
            dl().class("who-facts").child((
                groups,
                provider,
                (dt().child(messages::RIGHTS_OF), dd().child(rights)),
                ends,
            )),
            note.map(|note| p().class("pop-foot who-note").child(note)),
            div().class("who-foot").child((may, out)),
        ))
}
