//! A button under the header: how many rows were added above the window. A click scrolls to them.

use crate::dom::html::button;
use crate::prelude::*;
use page::pane::words;
use tachys::html::event as ev;

use crate::dispatch::Dispatch;
use crate::field::Field;
use crate::views::icons::icon;
use page::action::{Key, PaneAction};

pub(super) fn new_rows_above(rows: Field<usize>, act: Dispatch) -> impl IntoView {
    let has_any = Memo::new(move |_| rows.get() > 0);
    move || {
        has_any.get().then(|| {
            button()
                .class("btn btn-framed above")
                .on(ev::click, move |_| act.send(PaneAction::Key(Key::Home)))
                .child((icon("#i-up-sort"), move || words::rows_above(rows.get())))
        })
    }
}
