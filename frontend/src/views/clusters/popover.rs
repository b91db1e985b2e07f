//! The list of clusters: each with its own state, version and rows.

use std::sync::Arc;

use crate::dom::html::{div, h2, p, section, span};
use crate::prelude::*;
use tachys::html::element::Section;
use tachys::html::event as ev;

use crate::dispatch::Dispatch;
use crate::dom;
use crate::field::Field;
use crate::views::css;
use crate::views::icons::{glyph, icon};
use crate::views::search_list::SearchList;
use page::action::{Action, PickerAction};
use page::clusters::words;
use page::clusters::{ClusterList, ClusterPickerModel};
use page::messages;
use page::model::{ClusterOption, PillState};
use page::pill::Pill;
use page::status::Class;

#[derive(Clone, Copy)]
struct Popover {
    list: Field<Arc<ClusterList>>,
    act: Dispatch,
}

pub(crate) fn popover(list: Field<Arc<ClusterList>>, act: Dispatch) -> AnyView {
    let popover = Popover { list, act };
    if let Some(record) = popover.of(|open| open.record.clone()).filter(|record| !record.is_empty()) {
        return about_record(record, act);
    }
    let options = Memo::new(move |_| popover.of(|open| open.options.clone()).unwrap_or_default());
    let active = Memo::new(move |_| popover.of(|open| open.active).flatten());
    let search = SearchList {
        id: "cluster",
        label: messages::CLUSTERS,
        find: words::FIND,
        described_by: None,
        typed: Memo::new(move |_| popover.of(|open| open.typed.clone()).unwrap_or_default()),
        active,
        is_open: Memo::new(move |_| list.with(|list| list.picker.is_some())),
        of: Action::Clusters,
        act,
    };
    let options = move || {
        let options = options.get().into_iter().enumerate();
        options.map(|(at, option)| popover.option(at, option, active)).collect::<Vec<_>>()
    };
    div()
        .class("pop menu pop-clusters")
        .attr("role", "dialog")
        .attr("aria-label", messages::CLUSTERS)
        .child((
            search.field(),
            search.list(options),
            div().class("menu-rule"),
            div()
                .class("menu-foot faint")
                .attr("role", "status")
                .child(move || popover.of(|open| open.note.clone())),
        ))
        .into_any()
}

/// A record that is replayed leaves nothing to choose.
fn about_record(record: Vec<String>, act: Dispatch) -> AnyView {
    let place = NodeRef::<Section>::new();
    place.on_load(|place| dom::element::focus(&place));
    section()
        .class("pop pop-clusters pop-pad")
        .node_ref(place)
        .attr("role", "dialog")
        .attr("aria-label", words::RECORD)
        .attr("tabindex", "-1")
        .on(ev::keydown, move |event| {
            if event.key() == "Escape" {
                event.prevent_default();
                event.stop_propagation();
                act.send(Action::Clusters(PickerAction::Close));
                act.send(Action::ReturnFocus);
            }
        })
        .child((
            h2().class("pop-title").child(words::RECORD),
            record.into_iter().map(|said| p().child(said)).collect::<Vec<_>>(),
        ))
        .into_any()
}

impl Popover {
    fn of<T>(self, read: impl FnOnce(&ClusterPickerModel) -> T) -> Option<T> {
        self.list.with(|list| list.picker.as_ref().map(read))
    }

    fn option(self, at: usize, option: ClusterOption, active: Memo<Option<usize>>) -> impl IntoView {
        let ClusterOption { name, text, is_chosen, can_choose, pill, version, rows } = option;
        div()
            .class(if can_choose { "menu-item cl" } else { "menu-item cl cl-off" })
            .class(("menu-active", move || active.get() == Some(at)))
            .attr("role", "option")
            .attr("id", format!("cluster-{at}"))
            .attr("aria-selected", is_chosen.to_string())
            .attr("aria-disabled", (!can_choose).then_some("true"))
            .on(ev::click, move |_| self.act.send(Action::Clusters(PickerAction::Choose(Some(at)))))
            .child((
                span()
                    .class(if is_chosen { "box box-on" } else { "box" })
                    .child(is_chosen.then(|| icon("#i-tick"))),
                span().class(if name.is_some() { "mono strong cut" } else { "cut" }).child(text),
                span().class("cl-state").child(pill.map(state)),
                span().class("cl-ver faint").child(version),
                span().class("cl-rows").child(rows),
            ))
    }
}

/// The pill's words. It has no ring here: the words say how old its proof is.
fn state(pill: Pill) -> impl IntoView {
    let Pill { state, word, detail, .. } = pill;
    let sign = match css::pill_icon(state) {
        Some(shown) => icon(css::icon(shown)).into_any(),
        None if state == PillState::Live => {
            span().class("status-okglyph").child(glyph(css::glyph(Class::Ok))).into_any()
        }
        None => glyph(css::glyph(Class::Busy)).into_any(),
    };
    span()
        .class(if state == PillState::Stale { "cl-said cl-stale" } else { "cl-said" })
        .child((sign, span().class("cut").child((span().class("strong").child(word), detail))))
}
