//! The popover "Who am I?": the reader's initials in the top bar, their login, and what they may see.

pub(crate) mod popover;

use crate::dom::html::{button, div};
use crate::prelude::*;
use tachys::html::element::Div;
use tachys::html::event as ev;

use super::fetched::later;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::overlay::on_press_outside_while;
use crate::signals::PageSignals;
use page::action::Action;
use page::who::{Who, words};

pub(crate) fn who(signals: PageSignals, act: Dispatch) -> impl IntoView {
    let is_open = Memo::new(move |_| signals.who.with(Option::is_some));
    let place = NodeRef::<Div>::new();
    let has_rights = Memo::new(move |_| signals.rights.with(Option::is_some));
    let is_shown = move || [is_open, has_rights].iter().any(|open| open.try_get_untracked() == Some(true));
    on_press_outside_while(place, is_shown, move |_| act.send(Action::Rights(false)));
    let label = move || signals.user.with(|user| words::signed_in_as(user));
    let initials = button()
        .class("who")
        .attr("id", "who")
        .attr("hidden", move || signals.user.with(String::is_empty))
        .attr("aria-haspopup", "dialog")
        .attr("aria-expanded", move || is_open.get().to_string())
        .attr("aria-label", label)
        .attr("title", label)
        .on(ev::click, move |_| act.send(Action::Who(!is_open.get_untracked())))
        .child(move || signals.user.with(|user| initials_of(user)));
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
            move || rest.get().map(|shown| later(act, move |views| (views.who)(shown.clone(), ends, act))),
            move || has_rights.get().then(|| later(act, move |views| (views.rights)(signals.rights, act))),
        ))
}

fn initials_of(user: &str) -> String {
    let words = user.split(|c: char| !c.is_alphanumeric());
    let first: String = words.filter_map(|word| word.chars().next()).take(2).collect();
    first.to_uppercase()
}
