//! The boards and the kinds that the cluster serves, in groups, with a filter box. The open kind has the number of its
//! rows. The list is one stop of the Tab key: arrows move in it.

use std::sync::Arc;

use crate::dom::html::{a, button, div, input, p, span};
use crate::prelude::*;
use page::messages;
use page::navigation::words;
use page::wrong::words as wrong;
use tachys::html::element::{A, Button, Div, Input};
use tachys::html::event as ev;

use super::icons::{glyph, icon};
use crate::dispatch::Dispatch;
use crate::dom;
use crate::field::Field;
use crate::signals::PageSignals;
use page::action::{Action, PaneAction};
use page::page::navigation::{
    NavCount, NavFold, NavFound, NavGroup, NavGroupKind, NavItem, NavNote, NavSearch, NavTarget, Navigation,
};

pub(crate) fn nav(signals: PageSignals, drawer: RwSignal<bool>, act: Dispatch) -> impl IntoView {
    let filter = RwSignal::new(String::new());
    let navigation = signals.navigation;
    let toggled = RwSignal::new(Vec::<(String, NavFold)>::new());
    // The count changes often, and must not rebuild the links.
    let tree = Memo::new(move |_| navigation.with(|shown| (shown.groups.clone(), shown.boards.clone())));
    let search = Memo::new(move |_| {
        filter.with(|text| tree.with(|(groups, boards)| NavSearch::of(groups, boards, text)))
    });
    let row = Row { navigation, toggled, search, filter, drawer, act, pin: StoredValue::new(None) };
    let (filter_ref, list) = (NodeRef::<Input>::new(), NodeRef::<Div>::new());
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
    follow_pin(tree, list, row);
    let is_inside = RwSignal::new(false);
    let lines = div()
        .class("nav-tree")
        .node_ref(list)
        .attr("role", "group")
        .attr("aria-label", messages::KINDS)
        .attr("tabindex", move || if is_inside.get() { "-1" } else { "0" })
        .on(ev::focus, move |_| focus_current(list))
        .on(ev::focusin, move |_| is_inside.set(true))
        .on(ev::focusout, move |_| is_inside.set(false))
        .on(ev::mousedown, |event| {
            // A press beside the lines scrolls nothing.
            if dom::element::is_on_itself(&event) {
                event.prevent_default();
            }
        })
        .on(ev::keydown, move |event| {
            if move_in_list(&event, list, filter_ref) {
                event.prevent_default();
                event.stop_propagation();
            }
        })
        .child(move || {
            let (shown, links) = tree.get();
            let groups = shown.into_iter().enumerate().map(|(at, shown)| group(shown, at, row));
            (what_is_wrong(row), boards(&links, row), groups.collect::<Vec<_>>())
        });
    crate::dom::html::nav().class("nav").attr("aria-label", messages::KINDS).child((
        filter_box(tree, filter_ref, list, row),
        p().class("nav-none").attr("role", "status").child(move || {
            let finds_nothing = search.with(|found| found.as_ref().is_some_and(|found| found.best.is_none()));
            finds_nothing.then_some(messages::NOTHING_FOUND)
        }),
        lines,
        p().class("nav-foot").child(move || navigation.with(|navigation| navigation.foot.clone())),
    ))
}

type Tree = Memo<(Vec<NavGroup>, Vec<(String, String)>)>;

/// What each line of the list uses.
#[derive(Clone, Copy)]
struct Row {
    navigation: Field<Arc<Navigation>>,
    toggled: RwSignal<Vec<(String, NavFold)>>,
    /// What the filter leaves; `None` while it is empty.
    search: Memo<Option<NavSearch>>,
    filter: RwSignal<String>,
    drawer: RwSignal<bool>,
    act: Dispatch,
    /// The kind whose pin was pressed: the list is rendered anew, and its pin keeps the focus.
    pin: StoredValue<Option<String>>,
}

impl Row {
    fn is_best(self, target: NavTarget) -> bool {
        self.search.with(|search| search.as_ref().is_some_and(|search| search.best == Some(target)))
    }

    fn open(self, action: Action) {
        self.drawer.set(false);
        self.filter.set(String::new());
        self.act.send(action);
    }
}

/// Every line that an arrow key reaches.
const LINES: &str = "[data-nav]:not([hidden] *)";

fn focus_current(list: NodeRef<Div>) {
    if let Some(list) = list.get_untracked() {
        dom::list::focus_one_of(&list, &["[aria-current=page]", LINES]);
    }
}

fn follow_pin(tree: Tree, list: NodeRef<Div>, row: Row) {
    Effect::new(move |_| {
        tree.track();
        let Some(key) = row.pin.try_update_value(Option::take).flatten() else { return };
        request_animation_frame(move || {
            if let Some(list) = list.try_get_untracked().flatten() {
                dom::element::focus_where(&list, "data-kind", &key, ".nav-pin");
            }
        });
    });
}

/// Up and down to the lines, and from the first one to the filter. Returns whether the key was one of these.
fn move_in_list(event: &ev::KeyboardEvent, list: NodeRef<Div>, filter_ref: NodeRef<Input>) -> bool {
    let (Some(key), Some(list)) = (dom::element::plain_key(event), list.get_untracked()) else {
        return false;
    };
    match &*key {
        "ArrowDown" => {
            let _ = dom::element::focus_next(event, &list, LINES, 1);
        }
        "ArrowUp" => {
            if !dom::element::focus_next(event, &list, LINES, -1)
                && let Some(field) = filter_ref.get_untracked()
            {
                dom::element::focus(&field);
            }
        }
        "Home" => dom::element::focus_first(&list, LINES),
        "End" => dom::list::focus_last(&list, LINES),
        _ => return false,
    }
    true
}

fn filter_box(tree: Tree, filter_ref: NodeRef<Input>, list: NodeRef<Div>, row: Row) -> impl IntoView {
    let best = move || {
        let best = row.search.with_untracked(|search| search.as_ref().and_then(|search| search.best))?;
        tree.with_untracked(|(groups, boards)| match best {
            NavTarget::Board(at) => Some(Action::OpenLink(boards.get(at)?.1.clone())),
            NavTarget::Kind(group, at) => {
                Some(Action::OpenKind(groups.get(group)?.items.get(at)?.resource.clone()))
            }
        })
    };
    let kinds = move || row.navigation.with(|navigation| words::kinds_filter(navigation.kind_count));
    div().class("nav-filter").child((
        icon("#i-filter"),
        input()
            .attr("type", "text")
            .node_ref(filter_ref)
            .attr("id", "nav-filter")
            .attr("aria-label", words::KINDS_FILTER)
            .attr("autocomplete", "off")
            .attr("spellcheck", "false")
            .attr("placeholder", kinds)
            .prop("value", move || row.filter.get())
            .on(ev::input, move |event| row.filter.set(event_target_value(&event)))
            .on(ev::keydown, move |event| match dom::element::plain_key(&event).as_deref() {
                Some("Enter") => best().into_iter().for_each(|action| row.open(action)),
                Some("ArrowDown") => {
                    event.prevent_default();
                    if let Some(list) = list.get_untracked() {
                        dom::list::focus_one_of(&list, &[".nav-best", LINES]);
                    }
                }
                Some("Escape") if row.filter.with_untracked(String::is_empty) => {
                    row.act.send(PaneAction::ToRows);
                }
                Some("Escape") => row.filter.set(String::new()),
                _ => {}
            }),
    ))
}

/// The boards of the gateway's configuration.
/// What is wrong, of all kinds.
fn what_is_wrong(row: Row) -> impl IntoView + use<> {
    let is_current = move || row.navigation.with(|shown| shown.is_wrong);
    let is_filtered = move || row.search.with(Option::is_some);
    a().class("nav-item nav-wrong")
        .attr("href", dom::address::href(wrong::ADDRESS))
        .attr("data-nav", "")
        .attr("tabindex", "-1")
        .attr("aria-keyshortcuts", "0")
        .attr("aria-current", move || is_current().then_some("page"))
        .attr("hidden", is_filtered)
        .on(ev::click, move |event| {
            if dom::element::is_plain(&event) {
                event.prevent_default();
                row.open(Action::WhatIsWrong);
            }
        })
        .child(span().class("cut").child(wrong::LINK))
}

fn boards(boards: &[(String, String)], row: Row) -> Option<impl IntoView + use<>> {
    let item = |(at, (name, link)): (usize, &(String, String))| {
        let asked = link.clone();
        let is_found = move || {
            row.search.with(|search| {
                search.as_ref().is_none_or(|search| search.boards.get(at).copied().unwrap_or_default())
            })
        };
        a().class("nav-item")
            .class(("nav-best", move || row.is_best(NavTarget::Board(at))))
            .attr("href", dom::address::href(link))
            .attr("data-nav", "")
            .attr("tabindex", "-1")
            .attr("hidden", move || !is_found())
            .on(ev::click, move |event| {
                if dom::element::is_plain(&event) {
                    event.prevent_default();
                    row.open(Action::OpenLink(asked.clone()));
                }
            })
            .child(span().class("cut").child(name.clone()))
    };
    let finds_none = move || {
        row.search.with(|search| search.as_ref().is_some_and(|search| !search.boards.contains(&true)))
    };
    (!boards.is_empty()).then(|| {
        div().attr("role", "group").attr("aria-label", messages::BOARDS).attr("hidden", finds_none).child((
            div().class("nav-group").child(messages::BOARDS),
            boards.iter().enumerate().map(item).collect::<Vec<_>>(),
        ))
    })
}

fn group(shown: NavGroup, at: usize, row: Row) -> impl IntoView {
    let of_fold = shown.clone();
    let NavGroup { title, kind, starts_open: _, items } = shown;
    let all = items.len();
    let toggled = title.clone();
    let found = Memo::new(move |_| {
        row.search.with(|search| search.as_ref().and_then(|search| search.groups.get(at).cloned()))
    });
    let count = Memo::new(move |_| found.with(|found| found.as_ref().map_or(all, NavFound::count)));
    let current = Memo::new(move |_| row.navigation.with(|shown| shown.current.clone()));
    let is_open = Memo::new(move |_| {
        row.toggled.with(|folds| {
            let fold = folds.iter().find(|(title, _)| *title == of_fold.title).map(|(_, fold)| fold);
            found.with(|found| match found {
                Some(found) => found.opens || fold.is_some_and(|fold| fold.is_open),
                None => of_fold.is_open(fold, current.read().as_ref()),
            })
        })
    });
    let toggle = move || {
        let fold = NavFold { is_open: !is_open.get_untracked(), at: current.get_untracked() };
        row.toggled.update(|folds| {
            folds.retain(|(title, _)| *title != toggled);
            folds.push((toggled.clone(), fold));
        });
    };
    let toggle_by_key = toggle.clone();
    let head_ref = NodeRef::new();
    let head = button()
        .class("nav-group")
        .node_ref(head_ref)
        .attr("data-nav", "")
        .attr("tabindex", "-1")
        .attr("aria-expanded", move || is_open.get().to_string())
        .on(ev::click, move |_| toggle())
        .on(ev::keydown, move |event| {
            match (dom::element::plain_key(&event).as_deref(), is_open.get_untracked()) {
                (Some("ArrowRight"), false) | (Some("ArrowLeft"), true) => toggle_by_key(),
                _ => {}
            }
        })
        .child((
            move || icon(if is_open.get() { "#i-down" } else { "#i-right" }),
            span().class(if kind == NavGroupKind::ApiGroup { "mono" } else { "" }).child(title),
            move || (!is_open.get()).then(|| span().class("nav-more").child(move || count.get().to_string())),
        ));
    let list = move || {
        is_open.get().then(|| {
            let found = found.get();
            let is_found = |at: usize| {
                found.as_ref().is_none_or(|found| found.entries.get(at).copied().unwrap_or_default())
            };
            let shown = items.iter().enumerate().filter(|(at, _)| is_found(*at));
            shown
                .map(|(entry, shown)| item(shown.clone(), NavTarget::Kind(at, entry), head_ref, row))
                .collect::<Vec<_>>()
        })
    };
    div().attr("role", "group").attr("hidden", move || count.get() == 0).child((head, list))
}

fn item(shown: NavItem, target: NavTarget, head: NodeRef<Button>, row: Row) -> impl IntoView {
    let NavItem { resource, label, href, note, is_pinned, is_repeated } = shown;
    let asked = resource.clone();
    let key = resource.to_string();
    let (link_ref, pin_ref) = (NodeRef::<A>::new(), NodeRef::<Button>::new());
    let current = resource.clone();
    // A kind that stands among the shortcuts is lit there alone. A search leaves the shortcuts out.
    let is_lit = move || !is_repeated || row.search.with(Option::is_some);
    let is_current =
        Memo::new(move |_| is_lit() && row.navigation.with(|n| n.current.as_ref() == Some(&current)));
    let counted = resource.clone();
    let count = Memo::new(move |_| {
        is_lit().then(|| row.navigation.with(|n| n.count_of(&counted).cloned())).flatten()
    });
    let (class, title) = match &note {
        NavNote::Shut(why) => ("nav-item nav-shut", Some(why.clone())),
        _ => ("nav-item", None),
    };
    let pin_label = words::pin(is_pinned, &label);
    let pin = button()
        .class("nav-pin")
        .class(("nav-pinned", is_pinned))
        .node_ref(pin_ref)
        .attr("tabindex", "-1")
        .attr("aria-label", pin_label.clone())
        .attr("title", pin_label)
        .attr("aria-pressed", is_pinned.to_string())
        .on(ev::click, move |_| {
            row.pin.set_value(Some(resource.to_string()));
            row.act.send(Action::Pin(resource.clone()));
        })
        .on(ev::keydown, move |event| dom::list::focus_on(&event, "ArrowLeft", link_ref))
        .child(icon("#i-pin"));
    let link = a()
        .class(class)
        .class(("nav-best", move || row.is_best(target)))
        .node_ref(link_ref)
        .attr("href", dom::address::href(href))
        .attr("title", title)
        .attr("data-nav", "")
        .attr("tabindex", "-1")
        .attr("aria-current", move || is_current.get().then_some("page"))
        .on(ev::keydown, move |event| {
            dom::list::focus_on(&event, "ArrowRight", pin_ref);
            dom::list::focus_on(&event, "ArrowLeft", head);
        })
        .on(ev::click, move |event| {
            if dom::element::is_plain(&event) {
                event.prevent_default();
                row.open(Action::OpenKind(asked.clone()));
            }
        })
        .child((span().class("cut").child(label), move || match count.get() {
            Some(NavCount { rows, failing }) => {
                let failing = (!failing.is_empty()).then(|| {
                    let title = words::failing_rows(&failing);
                    span().class("nav-failing").attr("title", title).child((glyph("#g-bad"), failing))
                });
                (failing, span().class("nav-count").child(rows)).into_any()
            }
            None => note_view(&note).into_any(),
        }));
    div().class("nav-line").attr("data-kind", key).child((link, pin))
}

fn note_view(note: &NavNote) -> impl IntoView + use<> {
    match note {
        NavNote::None => None,
        NavNote::Polled => Some(span().class("nav-note").child(words::KIND_POLLED).into_any()),
        NavNote::Shut(_) => Some(
            span()
                .class("nav-note")
                .child((icon("#i-lock"), span().class("sr").child(words::NOT_AVAILABLE)))
                .into_any(),
        ),
    }
}
