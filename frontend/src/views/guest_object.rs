//! One object in an element of another page: its panel, or why there is none. Another page can embed it, so it uses
//! nothing around it.

use crate::dom::html::{div, section};
use crate::prelude::*;

use super::copy::announcement;
use super::empty_state::empty_state;
use super::fetched::PanelFrame;
use super::icons::sprite;
use super::panel_place::panel_place;
use super::root::{self, Mounted};
use crate::dom;
use crate::files::Sheet;
use crate::signals::ObjectHandle;

pub(crate) fn mount(host: &dom::Host, object: ObjectHandle) -> Option<Mounted> {
    root::mount_into(host, Sheet::View, move || inside(object))
}

fn inside(object: ObjectHandle) -> impl IntoView {
    let ObjectHandle { around, panel, act, .. } = object;
    let lacking = (around.lacks_panel, around.panel_piece);
    let is_empty = Memo::new(move |_| around.empty_state.with(Option::is_some));
    let body = move || match is_empty.get() {
        true => {
            let shown = move || around.empty_state.get().map(|shown| empty_state(shown, act));
            section().class("view").child(shown).into_any()
        }
        false => panel_place(lacking, PanelFrame::Element(around), panel, act).into_any(),
    };
    div().class("dw dw-host").attr("data-theme", move || panel.theme.get().attribute()).child((
        sprite(),
        announcement(act.copied()),
        div().class("view-box").child(body),
    ))
}
