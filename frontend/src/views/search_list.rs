//! The box and the list of an open picker. The focus stays in the box: arrows move, Enter chooses, Escape closes.

use crate::dom::html::{div, input};
use crate::prelude::*;
use page::action::{Action, PickerAction};
use tachys::html::element::{Div, Input};
use tachys::html::event as ev;

use super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;

/// What a picker says of itself: its ids and texts, its signals, and where its actions go.
#[derive(Clone, Copy)]
pub(super) struct SearchList {
    /// What the ids of its options begin with.
    pub(super) id: &'static str,
    pub(super) label: &'static str,
    pub(super) find: &'static str,
    /// The id of what describes the box.
    pub(super) described_by: Option<&'static str>,
    pub(super) typed: Memo<String>,
    /// The option that the Enter key takes.
    pub(super) active: Memo<Option<usize>>,
    pub(super) is_open: Memo<bool>,
    /// The action of the picker that this list belongs to.
    pub(super) of: fn(PickerAction) -> Action,
    pub(super) act: Dispatch,
}

impl SearchList {
    pub(super) fn field(self) -> AnyView {
        let Self { id, find, typed, active, .. } = self;
        let search = NodeRef::<Input>::new();
        search.on_load(|input| dom::element::focus(&input));
        let field = input()
            .class("filter-input")
            .node_ref(search)
            .attr("type", "text")
            .attr("role", "combobox")
            .attr("aria-label", find)
            .attr("aria-autocomplete", "list")
            .attr("aria-expanded", "true")
            .attr("aria-controls", format!("{id}-list"))
            .attr("aria-describedby", self.described_by)
            .attr("aria-activedescendant", move || active.get().map(|at| format!("{id}-{at}")))
            .attr("placeholder", find)
            .attr("autocomplete", "off")
            .attr("spellcheck", "false")
            .prop("value", move || typed.get())
            .on(ev::input, move |event| self.send(PickerAction::Type(event_target_value(&event))))
            .on(ev::keydown, move |event| {
                let action = match event.key().as_str() {
                    "ArrowDown" => PickerAction::Move(1),
                    "ArrowUp" => PickerAction::Move(-1),
                    "Enter" => PickerAction::Choose(None),
                    "Escape" => PickerAction::Close,
                    // The focus goes on from here.
                    "Tab" => return self.send(PickerAction::Close),
                    _ => return,
                };
                event.prevent_default();
                event.stop_propagation();
                self.send(action);
                if !self.is_open.get_untracked() {
                    self.act.send(Action::ReturnFocus);
                }
            });
        div().class("palette-in").child((icon("#i-find"), field)).into_any()
    }

    pub(super) fn list(self, options: impl IntoView + 'static) -> AnyView {
        let Self { id, label, active, .. } = self;
        let list = NodeRef::<Div>::new();
        Effect::new(move |_| {
            let Some(at) = active.get() else { return };
            request_animation_frame(move || {
                if let Some(list) = list.try_get_untracked().flatten() {
                    dom::list::show(&list, &format!("#{id}-{at}"));
                }
            });
        });
        div()
            .class("menu-scroll")
            .node_ref(list)
            .attr("role", "listbox")
            .attr("id", format!("{id}-list"))
            .attr("aria-multiselectable", "true")
            .attr("aria-label", label)
            // A press on the list keeps the focus in the box.
            .on(ev::pointerdown, |event| event.prevent_default())
            .on(ev::mousedown, |event| event.prevent_default())
            .child(options.into_any())
            .into_any()
    }

    pub(super) fn send(self, action: PickerAction) {
        self.act.send((self.of)(action));
    }
}
