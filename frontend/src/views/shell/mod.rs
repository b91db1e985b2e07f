//! The page around the views: top bar, navigation, the bar with a message, the panes and the panel.

use crate::dom::html::keyed;
use crate::dom::html::{a, div, main};
use crate::prelude::*;
use tachys::html::event as ev;

use super::bar::bar;
use super::board;
use super::copy::{announcement, hint};
use super::fetched::{MoreViews, PanelFrame, later};
use super::icons::sprite;
use super::nav::nav;
use super::panel_place::panel_place;
use super::top::top;
use super::view;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::signals::{PageSignals, PaneHandle, Signals};
use page::action::{Action, PaletteAction, PaneAction, PanelAction, PickerAction, TwoLetters, of_rows};
use page::model::{PieceShown, Standing};
use page::page::words;

pub(crate) fn shell(signals: Signals, act: Dispatch) -> AnyView {
    let must_log_in = Memo::new(move |_| signals.page.login.with(Option::is_some));
    let body = move || {
        if must_log_in.get() {
            signals
                .page
                .login
                .get()
                .map(|shown| later(act, move |views| (views.login)(shown.clone(), act)))
                .into_any()
        } else {
            page(signals, act).into_any()
        }
    };
    (sprite(), body).into_any()
}

fn page(signals: Signals, act: Dispatch) -> impl IntoView {
    let drawer = RwSignal::new(false);
    let is_board = Memo::new(move |_| signals.panes.with(|panes| panes.len() > 1));
    page_keys(signals, act);
    div()
        .class("page")
        .class(("page-drawer", move || drawer.get()))
        .class(("page-board", move || is_board.get()))
        .on_capture(ev::keydown, move |event| type_ahead(signals.page, act, &event))
        .on(ev::keydown, move |event| {
            if dom::element::plain_key(&event).as_deref() == Some("Escape") {
                drawer.set(false);
            }
        })
        .child((
            div()
                .class("sr")
                .attr("id", "spoken")
                .attr("aria-live", "polite")
                .child(move || signals.page.announced.get()),
            skip_link(act),
            announcement(signals.page.copied),
            hint(signals.page.hint),
            opened(signals.page, act),
            top(signals.page, drawer, act),
            nav(signals.page, drawer, act),
            main().class("main main-column").attr("id", "main").child((
                board::frame(signals.page.board, signals.page.past, act),
                bar(signals.page.bar, act),
                split(signals, act),
            )),
        ))
}

/// While the palette or a picker is open and hasn't come yet, or hasn't the focus yet, what is typed waits in it, and is no
/// key of the page.
fn type_ahead(signals: PageSignals, act: Dispatch, event: &ev::KeyboardEvent) {
    let is_there = signals.more_piece.get_untracked() == PieceShown::Here;
    if is_there && (dom::element::is_typing(event) || dom::element::is_within(event, ".pop")) {
        return;
    }
    let Some((mut text, of)) = waiting(signals) else { return };
    let action = match dom::element::plain_key(event).as_deref() {
        Some("Enter") => PickerAction::Choose(None),
        Some("Escape") => PickerAction::Close,
        Some(key) if key.chars().count() == 1 => {
            text.push_str(key);
            PickerAction::Type(text)
        }
        _ => return,
    };
    event.stop_propagation();
    event.prevent_default();
    act.send(of(action));
}

/// Which box an action is in.
type InBox = fn(PickerAction) -> Action;

/// The text of the box that is open, and where its actions go.
fn waiting(signals: PageSignals) -> Option<(String, InBox)> {
    let palette = signals.palette.with_untracked(|shown| shown.as_ref().map(|shown| shown.text.clone()));
    if let Some(text) = palette {
        return Some((text, in_palette));
    }
    let namespaces = signals.namespaces.with_untracked(|list| Some(list.picker.as_ref()?.typed.clone()));
    if let Some(text) = namespaces {
        return Some((text, Action::Namespaces));
    }
    let clusters = signals.clusters.with_untracked(|list| Some(list.picker.as_ref()?.typed.clone()));
    Some((clusters?, Action::Clusters))
}

fn in_palette(action: PickerAction) -> Action {
    Action::Palette(match action {
        PickerAction::Open => PaletteAction::Open,
        PickerAction::Close => PaletteAction::Close,
        PickerAction::Type(text) => PaletteAction::Type(text),
        PickerAction::Move(by) => PaletteAction::Move(by),
        PickerAction::Choose(number) => PaletteAction::Choose(number),
    })
}

/// The palette and the sheet of keys.
fn opened(signals: PageSignals, act: Dispatch) -> impl IntoView {
    let has_palette = Memo::new(move |_| signals.palette.with(Option::is_some));
    let palette = move |views: MoreViews| (views.palette)(signals.palette, act);
    (
        move || has_palette.get().then(|| later(act, palette)),
        move || signals.help.get().then(|| later(act, move |views| (views.help)(act))),
    )
}

/// The first stop of the Tab key.
fn skip_link(act: Dispatch) -> impl IntoView {
    a().class("skip")
        .attr("href", "#main")
        .on(ev::click, move |event| {
            event.prevent_default();
            act.send(PaneAction::ToRows);
        })
        .child(words::SKIP_TO_ROWS)
}

/// The panes and the panel. If there is no room for both, the panel covers the panes.
fn split(signals: Signals, act: Dispatch) -> impl IntoView {
    let detail = signals.panel;
    let lacking = (signals.page.lacks_panel, signals.page.panel_piece);
    let is_open = Memo::new(move |_| detail.head.with(Option::is_some) || signals.page.lacks_panel.get());
    div()
        .class("split")
        .class(("split-open", move || is_open.get()))
        .style(("--dw-panel-width", move || format!("{}px", detail.width_px.get())))
        .child((panes(signals), panel_place(lacking, PanelFrame::Board, detail, act)))
}

/// Keys of the whole page, which don't work in an input.
fn page_keys(signals: Signals, act: Dispatch) {
    let letters = StoredValue::new(TwoLetters::default());
    let keys = window_event_listener(ev::keydown, move |event| {
        // A key that something else takes is no first letter.
        let mut begun = std::mem::take(&mut *letters.write_value());
        let opens = dom::element::with_control_key(&event) && event.key() == "k";
        let plain = dom::element::plain_key(&event).filter(|_| !dom::element::is_typing(&event));
        let asked: Option<Action> = match plain.as_deref() {
            _ if opens => Some(PaletteAction::Open.into()),
            Some(":") => Some(PaletteAction::Open.into()),
            Some("?") => Some(Action::Help(!signals.page.help.get_untracked())),
            // What had the focus in the panel is gone.
            Some("Escape") if dom::page::has_no_focus() && !dom::element::is_within(&event, ".pop") => {
                Some(PanelAction::Back.into())
            }
            Some(name) if !event.default_prevented() && is_for_rows(name, &event) => {
                let asked = begun.action(name, |name| of_rows(name, shows_log(signals)));
                letters.set_value(begun);
                asked.or_else(|| no_key(name).filter(|_| !begun.is_begun()))
            }
            Some(name) if !event.default_prevented() && !dom::element::is_within(&event, ".pop") => {
                no_key(name)
            }
            _ => None,
        };
        if let Some(asked) = asked {
            event.prevent_default();
            act.send(asked);
        }
    });
    on_cleanup(move || keys.remove());
}

/// A letter that nothing takes is answered.
fn no_key(name: &str) -> Option<Action> {
    let is_letter = name.chars().count() == 1 && name.chars().all(char::is_alphabetic);
    is_letter.then(|| Action::NoKey(name.to_owned()))
}

/// What had the focus in the rows is gone, or a letter was typed at a button of the page. A popover and the panel have
/// their own letters, and at a button the other keys are the browser's.
fn is_for_rows(key: &str, event: &ev::KeyboardEvent) -> bool {
    dom::page::has_no_focus()
        || dom::element::is_letter(key) && !dom::element::is_within(event, ".pop, .panel")
}

/// Whether the active view shows its log.
fn shows_log(signals: Signals) -> bool {
    let is_active = |pane: &&PaneHandle| pane.view.standing.get_untracked() == Standing::Active;
    signals.panes.with_untracked(|panes| {
        panes.iter().find(is_active).is_some_and(|pane| pane.view.log.is_shown.get_untracked())
    })
}

/// The panes of the board; one of them is active.
fn panes(signals: Signals) -> impl IntoView {
    let dragged = StoredValue::new(None::<PaneHandle>);
    let pane = move |pane: PaneHandle| {
        let standing = pane.view.standing;
        let activate = move || pane.act.send(Action::Activate(pane.id));
        div()
            .class("pane")
            .class(("pane-active", move || standing.get() == Standing::Active))
            .style(("--dw-pane-columns", move || pane.view.slot.with(|slot| slot.columns.to_string())))
            .on(ev::focusin, move |_| activate())
            .on(ev::pointerdown, move |event| {
                activate();
                let is_grip = dom::element::around(&event, "data-grip").is_some();
                // A drag that ended elsewhere is forgotten.
                dragged.set_value(is_grip.then_some(pane));
                if is_grip {
                    event.prevent_default();
                }
            })
            .on(ev::pointerup, move |_| {
                if let Some(moved) = dragged.try_update_value(Option::take).flatten() {
                    moved.act.send(Action::PlacePane(pane.id));
                }
            })
            .child((view::host(pane.view, pane.act), board::edges(pane)))
    };
    let each = move || signals.panes.get();
    div()
        .class("panes")
        .attr("data-panes", move || signals.panes.with(|panes| panes.len().to_string()))
        .style(("--dw-board-rows", move || board::rows(signals.page.board)))
        .child(keyed(each, |pane| pane.id, pane))
}
