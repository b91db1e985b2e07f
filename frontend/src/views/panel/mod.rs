//! The panel of one object, in its own shadow root: the head, and one of the tabs. Every text of the object is a text
//! node.

pub(super) mod head;
mod top;
mod why;

use crate::dom::html::{aside, div};
use crate::prelude::*;
use page::location::Tab;
use page::panel::words;
use page::tab::logs;
use tachys::html::element::Aside;
use tachys::html::event as ev;

use super::fetched::PanelFrame;
use super::icons::sprite;
use super::tab;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::signals::PanelSignals;
use page::action::{Action, PanelAction, TwoLetters, of_panel};

/// The panel of one object. Another object gets new elements, so that no scroll position, text or popover of the former
/// one stays.
pub(crate) fn panel(generation: u32, frame: PanelFrame, signals: PanelSignals, act: Dispatch) -> AnyView {
    let root = NodeRef::<Aside>::new();
    let reader = top::Reader::new();
    follow_focus(generation, signals, root);
    let label =
        move || signals.head.with(|head| head.as_ref().map(|head| format!("{} {}", head.kind, head.name)));
    let tab = Memo::new(move |_| signals.tab.get());
    let has_body =
        Memo::new(move |_| signals.note.with(|note| note.as_ref().is_none_or(|note| note.has_body)));
    // Also of an object that is gone.
    let has_events = Memo::new(move |_| signals.tabs.overview.events.with(|held| !held.events.is_empty()));
    let letters = StoredValue::new(TwoLetters::default());
    let is_of_board = matches!(frame, PanelFrame::Board);
    let has_focus = move |has_focus| {
        if is_of_board {
            act.send(PanelAction::HasFocus(has_focus));
        }
    };
    let jumped = StoredValue::new(signals.jump.get_untracked().0);
    let body = move || match (has_body.get(), tab.get()) {
        (true, shown) => tab::tab(shown, signals, jumped, act),
        (false, Tab::Overview) if has_events.get() => tab::tab(Tab::Overview, signals, jumped, act),
        (false, _) => div().class("panel-body").into_any(),
    };
    div()
        .class("dw dw-host")
        .attr("data-theme", move || signals.theme.get().attribute())
        .child((
            sprite(),
            is_of_board.then(|| grip(signals, act)),
            aside()
                .class("panel view")
                .class(("panel-stale", move || signals.is_stale.get()))
                .attr("id", "panel")
                .attr("aria-label", label)
                .attr("tabindex", "-1")
                .node_ref(root)
                .on(ev::pointerenter, move |_| reader.points.set(true))
                .on(ev::pointerleave, move |_| reader.points.set(false))
                .on(ev::focusin, move |_| {
                    reader.focuses.set(true);
                    has_focus(true);
                })
                .on(ev::focusout, move |_| {
                    reader.focuses.set(false);
                    has_focus(false);
                })
                .on(ev::keydown, move |event| {
                    if dom::element::is_typing(&event) {
                        return;
                    }
                    if let Some(root) = root.get_untracked() {
                        dom::element::scroll_by_key(&event, &root, ".panel-body");
                        if tab.get_untracked() == Tab::Logs && tab::logs::takes_key(&event, &root) {
                            return;
                        }
                    }
                    let own = |name: &str| {
                        let is_open = tab.get_untracked() == Tab::Logs;
                        let head = signals.head.get_untracked().filter(|_| is_open)?;
                        logs::key(name, &head.logs).map(Action::from)
                    };
                    act.send_key(&event, letters, |name| own(name).or_else(|| of_panel(name)));
                })
                .on(ev::click, move |event| {
                    // A new tab is the browser's.
                    let link = dom::element::around(&event, "href");
                    let link = link.and_then(|link| dom::address::below_base(&link));
                    let link = link.filter(|link| link.starts_with("/v/"));
                    if let Some(link) = link.filter(|_| dom::element::is_plain(&event)) {
                        event.prevent_default();
                        act.send(Action::FollowLink(link));
                    }
                })
                .child((
                    top::top(frame, signals, reader, act),
                    head::tabs(signals, act),
                    // Below the tabs, which must not move while a notice comes and goes.
                    head::note(signals),
                    body,
                )),
        ))
        .into_any()
}

/// Takes the focus when a key opened the panel or walked to it, also before the panel was mounted.
fn follow_focus(generation: u32, signals: PanelSignals, root: NodeRef<Aside>) {
    Effect::new(move |followed: Option<u32>| {
        let (number, of) = signals.focus.get();
        if let Some(root) = root.get()
            && followed != Some(number)
            && of == generation
        {
            dom::element::focus(&root);
        }
        number
    });
}

/// The panel's edge: dragged, or moved by `[` and `]`.
fn grip(signals: PanelSignals, act: Dispatch) -> impl IntoView {
    let is_held = RwSignal::new(false);
    let moved = window_event_listener(ev::pointermove, move |event| {
        if is_held.try_get_untracked() == Some(true) {
            act.send(PanelAction::Width(dom::page::to_end_px(event.client_x())));
        }
    });
    let released = window_event_listener(ev::pointerup, move |_| {
        if is_held.try_get_untracked() == Some(true) {
            is_held.set(false);
            act.send(PanelAction::KeepWidth);
        }
    });
    on_cleanup(move || {
        moved.remove();
        released.remove();
    });
    div()
        .class("panel-grip")
        .attr("role", "separator")
        .attr("aria-orientation", "vertical")
        .attr("aria-label", words::RESIZE)
        .attr("aria-valuenow", move || format!("{:.0}", signals.width_px.get()))
        .attr("tabindex", "0")
        .on(ev::pointerdown, move |event| {
            event.prevent_default();
            is_held.set(true);
        })
        .on(ev::keydown, move |event| {
            let asked = match dom::element::plain_key(&event).as_deref() {
                Some("ArrowLeft") => PanelAction::of_panel("["),
                Some("ArrowRight") => PanelAction::of_panel("]"),
                Some(key) => PanelAction::of_panel(key),
                None => None,
            };
            if let Some(asked) = asked {
                event.prevent_default();
                act.send(asked);
            }
        })
}
