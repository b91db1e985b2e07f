//! "What may I see?": a line for each kind that was asked for, what isn't known, and the command that asks for the rest.

use crate::dom::html::keyed;
use crate::dom::html::{button, code, div, h1, p, section, span, table, tbody, td, th, thead, tr};
use crate::prelude::*;
use tachys::html::element::Section;
use tachys::html::event as ev;

use super::copy::copy_button;
use super::css;
use super::icons::{glyph, icon};
use super::kind_link::kind_link;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::field::Field;
use page::action::Action;
use page::messages;
use page::model::Clip;
use page::rights::{KindRights, RightsSheet, words};

pub(crate) fn rights(shown: Field<Option<RightsSheet>>, act: Dispatch) -> AnyView {
    let place = NodeRef::<Section>::new();
    place.on_load(|section| dom::element::focus(&section));
    let text = move |read: fn(&RightsSheet) -> String| {
        Memo::new(move |_| shown.with(|shown| shown.as_ref().map(read)).unwrap_or_default())
    };
    let asked = text(|shown| format!("{} {}", shown.asked, shown.decided));
    let command = text(|shown| shown.command.clone());
    let notes = Memo::new(move |_| shown.with(|shown| shown.as_ref().map(|shown| shown.notes.clone())));
    let notes = move || {
        notes
            .get()
            .unwrap_or_default()
            .into_iter()
            .map(|note| p().class("soft").child(note))
            .collect::<Vec<_>>()
    };
    let copied = move || Clip::Text(command.try_get().unwrap_or_default());
    section()
        .class("pop pop-pad pop-rights")
        .attr("id", "rights")
        .attr("role", "dialog")
        .attr("aria-label", messages::WHAT_MAY_I_SEE)
        .attr("tabindex", "-1")
        .node_ref(place)
        .child((
            div().class("help-head").child((
                h1().class("pop-title").child(messages::WHAT_MAY_I_SEE),
                button()
                    .class("btn btn-icon")
                    .attr("aria-label", words::CLOSE_RIGHTS)
                    .on(ev::click, move |_| act.send(Action::Rights(false)))
                    .child(icon("#i-close")),
            )),
            p().class("soft").child(move || asked.get()),
            kinds(shown, act),
            notes,
            p().class("can-line").child(words::CAN_I_LIST),
            div().class("cmd can").child((
                code().child(move || command.get()),
                copy_button(act, "btn btn-icon", "#i-copy", messages::COPY, copied),
            )),
        ))
        .into_any()
}

fn kinds(shown: Field<Option<RightsSheet>>, act: Dispatch) -> impl IntoView {
    let all = Memo::new(move |_| {
        shown.with(|shown| shown.as_ref().map(|shown| shown.kinds.clone())).unwrap_or_default()
    });
    let is_there = Memo::new(move |_| all.with(|all| !all.is_empty()));
    let titles = [words::RIGHTS_KIND, words::RIGHTS_MAY, words::RIGHTS_WHERE, words::RIGHTS_ANSWERED];
    move || {
        let line = move |shown| line(shown, act);
        let lines = keyed(move || all.get(), Clone::clone, line);
        is_there.get().then(|| {
            let titles = titles.map(|title| th().attr("scope", "col").child(title));
            table().class("rights").child((
                thead().child(tr().child(titles.into_iter().collect::<Vec<_>>())),
                tbody().child(lines),
            ))
        })
    }
}

fn line(shown: KindRights, act: Dispatch) -> impl IntoView {
    let KindRights { kind, class, may, place, answered } = shown;
    tr().child((
        td().child(kind_link(kind, "", act)),
        td().child(span().class(css::status(class)).child((glyph(css::glyph(class)), may))),
        td().child(place),
        td().class("faint").child(answered),
    ))
}
