//! The menu of a narrow view: the order of its rows, its selectors, its link. A wide view has them elsewhere.

use crate::dom::html::{button, div, li, span, ul};
use crate::prelude::*;
use page::messages;
use tachys::html::element::Div;
use tachys::html::event as ev;

use super::super::copy::{THE_PAGES, is_copied};
use super::super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::overlay::on_press_outside_while;
use crate::signals::PaneSignals;
use page::action::{Action, PaneAction, PastAction, SelectorAction, SelectorKind};
use page::model::HeadCell;
use page::past::words as past;
use page::query::Direction;

pub(super) fn more(signals: PaneSignals, act: Dispatch) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let place = NodeRef::<Div>::new();
    let is_shown = move || is_open.try_get_untracked() == Some(true);
    on_press_outside_while(place, is_shown, move |_| is_open.set(false));
    let opener = button()
        .class("btn btn-icon")
        .attr("id", "more")
        .attr("aria-label", messages::MORE)
        .attr("title", messages::MORE)
        .attr("aria-haspopup", "menu")
        .attr("aria-expanded", move || is_open.get().to_string())
        .on(ev::click, move |_| is_open.update(|open| *open = !*open))
        .child(icon("#i-more"));
    div()
        .class("view-more")
        .node_ref(place)
        .on(ev::keydown, move |event| {
            let by = match dom::element::key(&event).as_str() {
                "ArrowDown" => 1,
                "ArrowUp" => -1,
                "Escape" if is_open.get_untracked() => {
                    event.stop_propagation();
                    is_open.set(false);
                    return act.send(PaneAction::ToRows);
                }
                _ => return,
            };
            if is_open.get_untracked() {
                event.prevent_default();
                dom::element::focus_beside(&event, "button", by);
            }
        })
        .child((opener, move || is_open.get().then(|| menu(signals, is_open, act))))
}

fn menu(signals: PaneSignals, is_open: RwSignal<bool>, act: Dispatch) -> impl IntoView {
    let is_copied = is_copied(act, |clip| *clip == THE_PAGES);
    let item = move |action: Action, name: String, sort: Option<Direction>| {
        let copies = matches!(action, Action::Copy(_));
        let sign = move || match sort {
            Some(Direction::Ascending) => Some(icon("#i-up-sort")),
            Some(Direction::Descending) => Some(icon("#i-down-sort")),
            None => (copies && is_copied.get()).then(|| icon("#i-tick")),
        };
        li().attr("role", "none").child(
            button()
                .class("menu-item")
                .attr("role", "menuitem")
                .on(ev::click, move |_| {
                    act.send(action.clone());
                    // An order is chosen by its second press, too.
                    if !matches!(action, Action::In(PaneAction::Sort(_)) | Action::Copy(_)) {
                        is_open.set(false);
                    }
                })
                .child((span().class("cut").child(name), span().class("push").child(sign))),
        )
    };
    let plain = move |action: Action, name: &'static str| item(action, name.to_owned(), None);
    let orders = move || {
        let sort = |column: &HeadCell| {
            item(PaneAction::Sort(column.index).into(), messages::sort_by(&column.title), column.sort)
        };
        let has_rows = signals.head.with(|head| head.content.has_rows());
        signals.table.with(|table| table.columns.iter().filter(|_| has_rows).map(sort).collect::<Vec<_>>())
    };
    let edit = |kind| Action::In(PaneAction::Selector(SelectorAction::Edit(kind)));
    let is_guest = signals.standing.get_untracked() == page::model::Standing::Guest;
    let list = ul().attr("role", "menu").attr("aria-label", messages::MORE);
    div().class("pop menu pop-more").child(list.child((
        move || {
            let name = if signals.is_past.get() { past::BACK_BY_KEY } else { past::SHOW_EARLIER_BY_KEY };
            signals.clock.get().is_some().then(|| plain(PastAction::Toggle.into(), name))
        },
        orders,
        move || {
            signals.head.with(|head| head.content.is_view()).then(|| {
                (
                    plain(edit(SelectorKind::Labels), messages::EDIT_LABELS),
                    plain(edit(SelectorKind::Fields), messages::EDIT_FIELDS),
                )
            })
        },
        (!is_guest).then(|| {
            (
                plain(Action::Copy(THE_PAGES), messages::COPY_LINK),
                plain(Action::Split, messages::ACTION_SPLIT),
                plain(Action::Help(true), messages::KEYS_AND_HELP),
            )
        }),
    )))
}
