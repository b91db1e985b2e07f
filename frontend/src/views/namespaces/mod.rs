//! The namespace picker: all, some of the listed namespaces, or typed ones.

use std::sync::Arc;

use leptos::ev;
use leptos::html::{Button, Div, button, div, li, s, span, ul};
use leptos::prelude::*;
use page::messages;
use shared::name::Namespace;
use shared::scope::Namespaces;

use super::icons::icon;
use super::search_list::SearchList;
use crate::dispatch::Dispatch;
use crate::dom::overlay::on_press_outside_while;
use crate::field::Field;
use page::action::{Action, PickerAction};
use page::model::{Beside, Choice, NamespaceList, NamespaceOption, PickerModel};

#[derive(Clone, Copy)]
struct Picker {
    list: Field<Arc<NamespaceList>>,
    act: Dispatch,
}

pub(crate) fn picker(list: Field<Arc<NamespaceList>>, act: Dispatch) -> impl IntoView {
    let picker = Picker { list, act };
    let is_open = Memo::new(move |_| list.with(|list| list.picker.is_some()));
    let is_cluster_scoped = Memo::new(move |_| list.with(|list| list.is_cluster_scoped));
    let place = NodeRef::<Div>::new();
    let button_ref = NodeRef::<Button>::new();
    let is_shown = move || is_open.try_get_untracked() == Some(true);
    on_press_outside_while(place, is_shown, move |_| act.send(Action::Namespaces(PickerAction::Close)));
    div().class("anchor").node_ref(place).child(move || {
        if is_cluster_scoped.get() {
            return span()
                .class("picker picker-fixed picker-label")
                .attr("title", messages::CLUSTER_SCOPED_WHY)
                .child(messages::CLUSTER_SCOPED)
                .into_any();
        }
        let popover = move || is_open.get().then(|| picker.popover(is_open, button_ref));
        (picker.button(is_open, button_ref), popover).into_any()
    })
}

impl Picker {
    fn of<T>(self, read: impl FnOnce(&PickerModel) -> T) -> Option<T> {
        self.list.with(|list| list.picker.as_ref().map(read))
    }

    fn button(self, is_open: Memo<bool>, button_ref: NodeRef<Button>) -> impl IntoView {
        let toggle = move || if is_open.get_untracked() { PickerAction::Close } else { PickerAction::Open };
        button()
            .class("picker")
            .node_ref(button_ref)
            .attr("id", "namespaces")
            .attr("aria-haspopup", "dialog")
            .attr("aria-expanded", move || is_open.get().to_string())
            .on(ev::click, move |_| self.act.send(Action::Namespaces(toggle())))
            .child((
                span().class("picker-label").child(messages::NAMESPACES_LABEL),
                span().class("mono cut").child(move || self.list.with(|list| summary(&list.chosen).0)),
                span().class("faint").child(move || self.list.with(|list| summary(&list.chosen).1)),
                icon("#i-down"),
            ))
    }

    fn popover(self, is_open: Memo<bool>, button_ref: NodeRef<Button>) -> impl IntoView {
        let options = Memo::new(move |_| self.of(|open| open.options.clone()).unwrap_or_default());
        let active = Memo::new(move |_| self.of(|open| open.active).flatten());
        let groups = move || {
            let groups = groups(options.get());
            groups.into_iter().map(|group| self.group(group, active)).collect::<Vec<_>>()
        };
        let withdrawn = Memo::new(move |_| self.of(|open| open.withdrawn.clone()).unwrap_or_default());
        let search = SearchList {
            id: "namespace",
            label: messages::NAMESPACES,
            find: messages::NAMESPACES_FIND,
            described_by: Some("namespace-refused"),
            typed: Memo::new(move |_| self.of(|open| open.typed.clone()).unwrap_or_default()),
            active,
            is_open,
            button: button_ref,
            of: Action::Namespaces,
            act: self.act,
        };
        div()
            .class("pop menu pop-namespaces")
            .attr("role", "dialog")
            .attr("aria-label", messages::NAMESPACES)
            .child((
                search.field(),
                search.list(groups),
                move || no_longer(withdrawn.get()),
                div()
                    .class("menu-foot bad")
                    .attr("id", "namespace-refused")
                    .attr("role", "status")
                    .child(move || self.of(|open| open.refused.clone())),
                div().class("menu-rule"),
                div().class("menu-foot faint").child(move || self.of(|open| open.note.clone())),
                div().class("menu-foot faint").child(move || self.of(|open| open.rights)),
            ))
    }

    fn group(self, group: Group, active: Memo<Option<usize>>) -> impl IntoView {
        let Group { head, options } = group;
        let options = options.into_iter().map(|(at, option)| self.option(at, option, active));
        let role = head.is_some().then_some("group");
        let title = head.clone().map(|head| div().class("menu-head").attr("aria-hidden", "true").child(head));
        div().attr("role", role).attr("aria-label", head).child((title, options.collect::<Vec<_>>()))
    }

    fn option(self, at: usize, option: NamespaceOption, active: Memo<Option<usize>>) -> impl IntoView {
        let is_name = matches!(option.choice, Choice::Listed(_));
        let is_chosen = option.is_chosen;
        div()
            .class("menu-item")
            .class(("menu-active", move || active.get() == Some(at)))
            .attr("role", "option")
            .attr("id", format!("namespace-{at}"))
            .attr("aria-selected", is_chosen.to_string())
            .on(ev::click, move |_| self.act.send(Action::Namespaces(PickerAction::Choose(Some(at)))))
            .child((
                span()
                    .class(if is_chosen { "box box-on" } else { "box" })
                    .child(is_chosen.then(|| icon("#i-tick"))),
                span().class(if is_name { "mono cut" } else { "cut" }).child(option.text),
                beside(option.beside),
            ))
    }
}

/// Options with their places among all, below one head.
struct Group {
    head: Option<String>,
    options: Vec<(usize, NamespaceOption)>,
}

fn groups(options: Vec<NamespaceOption>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (at, option) in options.into_iter().enumerate() {
        match groups.last_mut().filter(|_| option.head.is_none()) {
            Some(group) => group.options.push((at, option)),
            None => groups.push(Group { head: option.head.clone(), options: vec![(at, option)] }),
        }
    }
    groups
}

fn beside(shown: Beside) -> impl IntoView {
    let (class, sign, text) = match shown {
        Beside::Nothing => return None,
        Beside::Rows(count) => ("push faint", None, count),
        Beside::Granted(when) => ("push ns-new", Some(("gutter-add", "+")), when),
        Beside::Withdrawn(when) => ("push ns-gone", Some(("gutter-del", "−")), when),
    };
    let sign = sign.map(|(class, sign)| span().class(class).attr("aria-hidden", "true").child(sign));
    Some(span().class(class).child((sign, text)))
}

/// Withdrawn namespaces, which can't be chosen.
fn no_longer(names: Vec<(String, String)>) -> impl IntoView {
    (!names.is_empty()).then(|| {
        let line = |(name, when): (String, String)| {
            li().class("menu-item ns-gone").child((
                span().class("box"),
                s().class("mono cut").child(name),
                beside(Beside::Withdrawn(when)),
            ))
        };
        (
            div().class("menu-rule"),
            div().class("menu-head").attr("aria-hidden", "true").child(messages::NO_LONGER),
            ul().attr("id", "no-longer")
                .attr("aria-label", messages::NO_LONGER)
                .child(names.into_iter().map(line).collect::<Vec<_>>()),
        )
    })
}

/// The first two names, and how many more there are.
fn summary(chosen: &Namespaces) -> (String, String) {
    match chosen {
        Namespaces::All => ("all".to_owned(), String::new()),
        Namespaces::These(names) => {
            let first: Vec<&str> = names.iter().take(2).map(Namespace::as_str).collect();
            let more = names.len().saturating_sub(first.len());
            (first.join(", "), if more == 0 { String::new() } else { format!("+{more}") })
        }
    }
}
