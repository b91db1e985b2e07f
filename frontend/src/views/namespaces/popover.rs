//! The list of namespaces: all, some of the listed ones, or typed ones.

use std::sync::Arc;

use crate::dom::html::{div, li, s, span, ul};
use crate::prelude::*;
use page::messages;
use page::namespaces::words;
use tachys::html::event as ev;

use crate::dispatch::Dispatch;
use crate::field::Field;
use crate::views::icons::icon;
use crate::views::search_list::SearchList;
use page::action::{Action, PickerAction};
use page::model::{Beside, PickerModel};
use page::namespaces::{Choice, NamespaceList, NamespaceOption};

#[derive(Clone, Copy)]
struct Popover {
    list: Field<Arc<NamespaceList>>,
    act: Dispatch,
}

pub(crate) fn popover(list: Field<Arc<NamespaceList>>, act: Dispatch) -> AnyView {
    let popover = Popover { list, act };
    let options = Memo::new(move |_| popover.of(|open| open.options.clone()).unwrap_or_default());
    let active = Memo::new(move |_| popover.of(|open| open.active).flatten());
    let groups = move || {
        let groups = groups(options.get());
        groups.into_iter().map(|group| popover.group(group, active)).collect::<Vec<_>>()
    };
    let withdrawn = Memo::new(move |_| popover.of(|open| open.withdrawn.clone()).unwrap_or_default());
    let search = SearchList {
        id: "namespace",
        label: messages::NAMESPACES,
        find: words::FIND,
        described_by: Some("namespace-refused"),
        typed: Memo::new(move |_| popover.of(|open| open.typed.clone()).unwrap_or_default()),
        active,
        is_open: Memo::new(move |_| list.with(|list| list.picker.is_some())),
        of: Action::Namespaces,
        act,
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
                .child(move || popover.of(|open| open.refused.clone())),
            div().class("menu-rule"),
            div().class("menu-foot faint").child(move || popover.of(|open| open.note.clone())),
            div().class("menu-foot faint").child(move || popover.of(|open| open.rights)),
        ))
        .into_any()
}

impl Popover {
    fn of<T>(self, read: impl FnOnce(&PickerModel) -> T) -> Option<T> {
        self.list.with(|list| list.picker.as_ref().map(read))
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
            div().class("menu-head").attr("aria-hidden", "true").child(words::NO_LONGER),
            ul().attr("id", "no-longer")
                .attr("aria-label", words::NO_LONGER)
                .child(names.into_iter().map(line).collect::<Vec<_>>()),
        )
    })
}
