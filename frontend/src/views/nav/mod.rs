//! The kinds that the cluster serves, in groups, with a filter box. The open kind has the number of its rows.

use std::sync::Arc;

use leptos::ev;
use leptos::html::{Input, a, button, div, input, p, span};
use leptos::prelude::*;
use page::messages;
use page::navigation::{self, Found};

use super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::signals::PageSignals;
use page::action::Action;
use page::model::{NavGroup, NavItem, NavNote, Navigation};

pub(crate) fn nav(signals: PageSignals, drawer: RwSignal<bool>, act: Dispatch) -> impl IntoView {
    let filter = RwSignal::new(String::new());
    let navigation = signals.navigation;
    let toggled = RwSignal::new(Vec::<String>::new());
    let row = Row { navigation, toggled, drawer, act };
    // The count changes often, and must not rebuild the links.
    let tree = Memo::new(move |_| navigation.with(|shown| (shown.groups.clone(), shown.boards.clone())));
    let filter_ref = NodeRef::<Input>::new();
    Effect::new(move |asked: Option<u32>| {
        let now = signals.kinds_asked.get();
        if asked.is_some_and(|asked| asked != now) {
            drawer.set(true);
            if let Some(field) = filter_ref.get_untracked() {
                dom::element::focus(&field);
            }
        }
        now
    });
    leptos::html::nav().class("nav").attr("aria-label", "Kinds").child((
        filter_box(navigation, filter, filter_ref),
        div().class("nav-tree").child(move || {
            let (shown, links) = tree.get();
            let sieve = sieve(&shown, filter);
            let groups = shown.into_iter().enumerate().map(|(at, shown)| group(shown, at, sieve, row));
            (boards(&links, row), groups.collect::<Vec<_>>())
        }),
        p().class("nav-foot").child(move || navigation.with(|navigation| navigation.foot.clone())),
    ))
}

/// What each line of the tree uses.
#[derive(Clone, Copy)]
struct Row {
    navigation: RwSignal<Arc<Navigation>>,
    toggled: RwSignal<Vec<String>>,
    drawer: RwSignal<bool>,
    act: Dispatch,
}

/// The entries of each group that the filter lets through; `None` while it is empty.
type Sieve = Memo<Option<Vec<Found>>>;

fn sieve(groups: &[NavGroup], filter: RwSignal<String>) -> Sieve {
    let text = |group: &NavGroup, item: &NavItem| format!("{} {}", item.label, group.title).to_lowercase();
    let texts: Vec<Vec<String>> =
        groups.iter().map(|group| group.items.iter().map(|item| text(group, item)).collect()).collect();
    Memo::new(move |_| filter.with(|filter| (!filter.is_empty()).then(|| navigation::found(&texts, filter))))
}

fn filter_box(
    navigation: RwSignal<Arc<Navigation>>,
    filter: RwSignal<String>,
    filter_ref: NodeRef<Input>,
) -> impl IntoView {
    div().class("nav-filter").child((
        icon("#i-filter"),
        input()
            .attr("type", "text")
            .node_ref(filter_ref)
            .attr("id", "nav-filter")
            .attr("aria-label", "Filter kinds")
            .attr("autocomplete", "off")
            .attr("spellcheck", "false")
            .attr("placeholder", move || format!("Filter {} kinds", navigation.with(|n| n.kind_count)))
            .prop("value", move || filter.get())
            .on(ev::input, move |event| filter.set(event_target_value(&event).to_lowercase())),
    ))
}

/// The boards of the gateway's configuration.
fn boards(boards: &[(String, String)], row: Row) -> Option<impl IntoView + use<>> {
    let item = |(name, link): &(String, String)| {
        let asked = link.clone();
        a().class("nav-item")
            .attr("href", link.clone())
            .on(ev::click, move |event| {
                if dom::element::is_plain(&event) {
                    event.prevent_default();
                    row.drawer.set(false);
                    row.act.send(Action::OpenLink(asked.clone()));
                }
            })
            .child(span().class("cut").child(name.clone()))
    };
    (!boards.is_empty()).then(|| {
        div().attr("role", "group").attr("aria-label", messages::BOARDS).child((
            div().class("nav-group").child(messages::BOARDS),
            boards.iter().map(item).collect::<Vec<_>>(),
        ))
    })
}

fn group(shown: NavGroup, at: usize, sieve: Sieve, row: Row) -> impl IntoView {
    let NavGroup { title, is_api_group, starts_open, items } = shown;
    let all = items.len();
    let key = title.clone();
    let toggle = title.clone();
    let found =
        Memo::new(move |_| sieve.with(|groups| groups.as_ref().and_then(|groups| groups.get(at).cloned())));
    let count = Memo::new(move |_| found.with(|found| found.as_ref().map_or(all, Found::count)));
    let is_open = Memo::new(move |_| {
        let is_toggled = row.toggled.with(|keys| keys.contains(&key));
        found.with(|found| match found {
            Some(found) => found.opens || is_toggled,
            None => is_toggled != starts_open,
        })
    });
    let head = button()
        .class("nav-group")
        .attr("aria-expanded", move || is_open.get().to_string())
        .on(ev::click, move |_| {
            row.toggled.update(|keys| match keys.iter().position(|key| *key == toggle) {
                Some(at) => drop(keys.remove(at)),
                None => keys.push(toggle.clone()),
            });
        })
        .child((
            move || icon(if is_open.get() { "#i-down" } else { "#i-right" }),
            span().class(if is_api_group { "mono" } else { "" }).child(title),
            move || (!is_open.get()).then(|| span().class("nav-more").child(move || count.get().to_string())),
        ));
    let list = move || {
        is_open.get().then(|| {
            let found = found.get();
            let is_found = |at: usize| {
                found.as_ref().is_none_or(|found| found.entries.get(at).copied().unwrap_or_default())
            };
            let shown = items.iter().enumerate().filter(|(at, _)| is_found(*at));
            shown.map(|(_, shown)| item(shown.clone(), row)).collect::<Vec<_>>()
        })
    };
    div().attr("role", "group").attr("hidden", move || count.get() == 0).child((head, list))
}

fn item(shown: NavItem, row: Row) -> impl IntoView {
    let NavItem { resource, label, href, note, is_pinned } = shown;
    let asked = resource.clone();
    let pinned = resource.clone();
    let pin_label = format!("{} {label}", if is_pinned { "Unpin" } else { "Pin" });
    let is_current = Memo::new(move |_| row.navigation.with(|n| n.current.as_ref() == Some(&resource)));
    let count = move || is_current.get().then(|| row.navigation.with(|n| n.count.clone())).flatten();
    let (class, title) = match &note {
        NavNote::Shut(why) => ("nav-item nav-shut", Some(why.clone())),
        _ => ("nav-item", None),
    };
    let pin = button()
        .class("nav-pin")
        .class(("nav-pinned", is_pinned))
        .attr("aria-label", pin_label.clone())
        .attr("title", pin_label)
        .attr("aria-pressed", is_pinned.to_string())
        .on(ev::click, move |_| row.act.send(Action::Pin(pinned.clone())))
        .child(icon("#i-pin"));
    let link = a()
        .class(class)
        .attr("href", href)
        .attr("title", title)
        .attr("aria-current", move || is_current.get().then_some("page"))
        .on(ev::click, move |event| {
            if dom::element::is_plain(&event) {
                event.prevent_default();
                row.drawer.set(false);
                row.act.send(Action::OpenKind(asked.clone()));
            }
        })
        .child((span().class("cut").child(label), move || match count() {
            Some(count) => span().class("nav-count").child(count).into_any(),
            None => note_view(&note).into_any(),
        }));
    div().class("nav-line").child((link, pin))
}

fn note_view(note: &NavNote) -> impl IntoView + use<> {
    match note {
        NavNote::None => None,
        NavNote::Polled => Some(span().class("nav-note").child("polled").into_any()),
        NavNote::Shut(_) => Some(
            span()
                .class("nav-note")
                .child((icon("#i-lock"), span().class("sr").child("not to be had")))
                .into_any(),
        ),
    }
}
