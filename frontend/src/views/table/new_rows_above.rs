//! A tab under the header: rows came in above the window, and a click leads there. Never over a row's
//! text for longer than they are news.

use leptos::ev;
use leptos::html::button;
use leptos::prelude::*;
use page::messages;

use crate::dispatch::Dispatch;
use crate::views::icons::icon;
use page::action::{Key, PaneAction};

pub(super) fn new_rows_above(rows: RwSignal<usize>, act: Dispatch) -> impl IntoView {
    let has_any = Memo::new(move |_| rows.get() > 0);
    move || {
        has_any.get().then(|| {
            button()
                .class("btn btn-framed above")
                .on(ev::click, move |_| act.send(PaneAction::Key(Key::Home)))
                .child((icon("#i-up-sort"), move || messages::rows_above(rows.get())))
        })
    }
}
