//! The namespace picker: all, or some of the listed namespaces, or typed ones where they can't be listed.

use std::sync::Arc;

use leptos::ev;
use leptos::html::{Div, button, div, input, span};
use leptos::prelude::*;
use page::limits::NAMESPACES_SHOWN_MAX;
use page::messages;
use shared::name::Namespace;
use shared::scope::Namespaces;

use super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::overlay::on_press_outside;
use page::action::Action;
use page::model::NamespaceList;

#[derive(Clone, Copy)]
struct Picker {
    list: RwSignal<Arc<NamespaceList>>,
    typed: RwSignal<String>,
    is_open: RwSignal<bool>,
    act: Dispatch,
}

pub(crate) fn picker(list: RwSignal<Arc<NamespaceList>>, act: Dispatch) -> impl IntoView {
    let picker = Picker { list, typed: RwSignal::new(String::new()), is_open: RwSignal::new(false), act };
    let place = NodeRef::<Div>::new();
    on_press_outside(place, move |_| {
        if picker.is_open.try_get_untracked() == Some(true) {
            picker.open(false);
        }
    });
    div()
        .class("anchor")
        .node_ref(place)
        .on(ev::keydown, move |event| {
            if dom::element::plain_key(&event).as_deref() == Some("Escape") {
                picker.open(false);
            }
        })
        .child((picker.button(), move || picker.is_open.get().then(|| picker.popover())))
}

impl Picker {
    fn open(self, open: bool) {
        self.is_open.set(open);
        self.typed.set(String::new());
        self.act.send(Action::PickNamespaces(open));
    }

    fn button(self) -> impl IntoView {
        button()
            .class("picker")
            .attr("id", "namespaces")
            .attr("aria-haspopup", "dialog")
            .attr("aria-expanded", move || self.is_open.get().to_string())
            .on(ev::click, move |_| self.open(!self.is_open.get_untracked()))
            .child((
                span().class("picker-label").child("namespaces"),
                span().class("mono cut").child(move || summary(&self.list.read().chosen).0),
                span().class("faint").child(move || summary(&self.list.read().chosen).1),
                icon("#i-down"),
            ))
    }

    fn popover(self) -> impl IntoView {
        let search = NodeRef::<leptos::html::Input>::new();
        search.on_load(|input| dom::element::focus(&input));
        let matching = Memo::new(move |_| self.matching());
        let foot = move || match matching.read().1 {
            0 => self.list.read().note.clone(),
            more => format!("{} {}", self.list.read().note, messages::namespaces_more(more)),
        };
        div().class("pop menu pop-namespaces").attr("role", "dialog").attr("aria-label", "Namespaces").child(
            (
                div().class("palette-in").child((
                    icon("#i-find"),
                    input()
                        .class("filter-input")
                        .node_ref(search)
                        .attr("type", "text")
                        .attr("aria-label", "Find or name a namespace")
                        .attr("placeholder", "Find or name a namespace")
                        .attr("autocomplete", "off")
                        .attr("spellcheck", "false")
                        .prop("value", move || self.typed.get())
                        .on(ev::input, move |event| {
                            self.typed.set(event_target_value(&event).trim().to_lowercase())
                        })
                        .on(ev::keydown, move |event| {
                            if dom::element::plain_key(&event).as_deref() == Some("Enter") {
                                self.toggle_typed();
                            }
                        }),
                )),
                div()
                    .class("menu-scroll")
                    .attr("role", "listbox")
                    .attr("aria-multiselectable", "true")
                    .attr("aria-label", "Namespaces")
                    .child((
                        move || self.all_option(),
                        move || self.options(matching.get().0),
                        move || self.typed_option(),
                    )),
                div().class("menu-rule"),
                div().class("menu-foot faint").child(foot),
            ),
        )
    }

    fn all_option(self) -> impl IntoView {
        let chosen = self.list.read().chosen.is_all();
        option("all namespaces".to_owned(), false, chosen, move || {
            self.act.send(Action::SetNamespaces(Namespaces::All));
        })
    }

    /// The names to choose from, and how many more there are.
    fn matching(self) -> (Vec<String>, usize) {
        let list = self.list.get();
        let typed = self.typed.get();
        let mut names: Vec<String> = list.names.clone();
        if let Namespaces::These(chosen) = &list.chosen {
            // A chosen namespace that isn't listed can still be removed.
            names.extend(chosen.iter().map(|name| name.as_str().to_owned()));
        }
        names.retain(|name| name.contains(&typed));
        // Chosen names and those that begin with the typed text come first, so that they aren't cut off.
        let is_chosen = |name: &str| !list.chosen.is_all() && list.chosen.contains(Some(name));
        names.sort_by_cached_key(|name| (!is_chosen(name), !name.starts_with(&typed), name.clone()));
        names.dedup();
        let more = names.len().saturating_sub(NAMESPACES_SHOWN_MAX);
        names.truncate(NAMESPACES_SHOWN_MAX);
        names.sort();
        (names, more)
    }

    fn options(self, names: Vec<String>) -> impl IntoView {
        let chosen = self.list.read().chosen.clone();
        let options = names.into_iter().map(|name| {
            let is_chosen = !chosen.is_all() && chosen.contains(Some(&name));
            let asked = name.clone();
            option(name, true, is_chosen, move || self.toggle(&asked))
        });
        options.collect::<Vec<_>>()
    }

    fn typed_option(self) -> Option<AnyView> {
        let typed = self.typed.get();
        if typed.is_empty() || self.list.read().names.contains(&typed) || Namespace::parse(&typed).is_err() {
            return None;
        }
        Some(option(format!("take {typed}"), true, false, move || self.toggle_typed()).into_any())
    }

    fn toggle_typed(self) {
        let typed = self.typed.get_untracked();
        if !typed.is_empty() {
            self.toggle(&typed);
            self.typed.set(String::new());
        }
    }

    fn toggle(self, name: &str) {
        let Ok(name) = Namespace::parse(name) else { return };
        let mut names = match &self.list.read_untracked().chosen {
            Namespaces::All => Vec::new(),
            Namespaces::These(names) => names.clone(),
        };
        match names.iter().position(|held| *held == name) {
            Some(at) => drop(names.remove(at)),
            None => names.push(name),
        }
        // When the last one is removed, all are chosen.
        let namespaces = Namespaces::these(names).unwrap_or(Namespaces::All);
        self.act.send(Action::SetNamespaces(namespaces));
    }
}

fn option(text: String, mono: bool, is_chosen: bool, choose: impl Fn() + Clone + 'static) -> impl IntoView {
    let by_key = choose.clone();
    div()
        .class("menu-item")
        .attr("role", "option")
        .attr("tabindex", "0")
        .attr("aria-selected", is_chosen.to_string())
        .on(ev::click, move |_| choose())
        .on(ev::keydown, move |event| {
            if matches!(dom::element::plain_key(&event).as_deref(), Some("Enter" | " ")) {
                event.prevent_default();
                by_key();
            }
        })
        .child((
            span()
                .class(if is_chosen { "box box-on" } else { "box" })
                .child(is_chosen.then(|| icon("#i-tick"))),
            span().class(if mono { "mono" } else { "" }).child(text),
        ))
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
