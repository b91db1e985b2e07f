//! The views that are fetched apart, as the others call them: through functions that a piece of the program brings.

use std::cell::Cell;
use std::sync::Arc;

use crate::dom::html::{button, div, span};
use crate::prelude::*;
use js_sys::Function;
use page::action::Action;
use page::clusters::ClusterList;
use page::effect::MayNotify;
use page::login::Login;
use page::messages;
use page::model::{EmptyState, PieceShown};
use page::namespaces::NamespaceList;
use page::palette::PaletteShown;
use page::panel::head::PanelHead;
use page::past::PastBar;
use page::rights::RightsSheet;
use page::tell::TellShown;
use page::who::Who;
use page::wrong::TallyReport;
use tachys::html::element::Input;
use tachys::html::event as ev;

use crate::dispatch::Dispatch;
use crate::dom;
use crate::field::Field;
use crate::signals::{GuestObjectSignals, PaneSignals, PanelSignals, Signals};

/// The parts of a view that a log replaces.
#[derive(Clone, Copy)]
pub(crate) enum LogBand {
    /// With the input that `/` focuses.
    Filter(NodeRef<Input>),
    Body,
    StatusBar,
}

/// What a reader opens: the log, the palette, menus and sheets.
#[derive(Clone, Copy)]
pub(crate) struct MoreViews {
    pub(crate) clusters: fn(Field<Arc<ClusterList>>, Dispatch) -> AnyView,
    /// How much is wrong, in an element of another page.
    pub(crate) chip: ChipView,
    pub(crate) columns: fn(PaneSignals, Dispatch) -> AnyView,
    pub(crate) compare: fn(Field<Option<EmptyState>>, Dispatch) -> AnyView,
    pub(crate) export: fn(PaneSignals, Dispatch) -> AnyView,
    pub(crate) help: fn(Dispatch) -> AnyView,
    pub(crate) log: fn(LogBand, PaneSignals, Dispatch) -> AnyView,
    pub(crate) login: fn(Login, Dispatch) -> AnyView,
    pub(crate) namespaces: fn(Field<Arc<NamespaceList>>, Dispatch) -> AnyView,
    pub(crate) past: fn(Field<Option<PastBar>>, Dispatch) -> AnyView,
    pub(crate) palette: fn(Field<Option<PaletteShown>>, Dispatch) -> AnyView,
    pub(crate) rights: fn(Field<Option<RightsSheet>>, Dispatch) -> AnyView,
    pub(crate) notifications: Notifications,
    pub(crate) tell: fn(Field<Option<TellShown>>, Dispatch) -> AnyView,
    pub(crate) who: fn(Who, Memo<Option<String>>, Dispatch) -> AnyView,
}

/// Makes the chip in its element, whose script hears by the function how it stands.
pub(crate) type ChipView = fn(&dom::Host, &Function) -> ShowTally;

/// Shows what is other than before. The chip goes with it.
pub(crate) type ShowTally = Box<dyn FnMut(TallyReport)>;

/// `None`: its piece isn't there.
pub(crate) fn chip_view() -> Option<ChipView> {
    MORE.get().map(|views| views.chip)
}

/// The browser's notifications.
#[derive(Clone, Copy)]
pub(crate) struct Notifications {
    pub(crate) may: fn() -> MayNotify,
    /// Asks the reader, and says the answer.
    pub(crate) ask: fn(Box<dyn FnOnce(MayNotify)>),
    /// With what a click does.
    pub(crate) show: fn(&str, Box<dyn Fn()>),
    pub(crate) close_all: fn(),
    /// A short tone, if the browser plays one.
    pub(crate) sound: fn(),
}

/// `None`: their piece isn't there.
pub(crate) fn notifications() -> Option<Notifications> {
    MORE.get().map(|views| views.notifications)
}

/// What the panel stands in.
#[derive(Clone, Copy)]
pub(crate) enum PanelFrame {
    /// Beside the panes of Dogwatch's own page.
    Board,
    /// An element of another page.
    Element(GuestObjectSignals),
}

/// The inside of the panel with this generation.
pub(crate) type PanelView = fn(u32, PanelFrame, PanelSignals, Dispatch) -> AnyView;

/// The panel's head, which has what its tab with logs shows.
pub(crate) type PanelHeadField = Field<Option<PanelHead>>;

/// What containers write, in the panel.
pub(crate) type LogsView = fn(PanelHeadField, Dispatch) -> AnyView;

/// Dogwatch's own page.
pub(crate) type ShellView = fn(Signals, Dispatch) -> AnyView;

thread_local! {
    static SHELL: Cell<Option<ShellView>> = const { Cell::new(None) };
    static MORE: Cell<Option<MoreViews>> = const { Cell::new(None) };
    static LOGS: Cell<Option<LogsView>> = const { Cell::new(None) };
    static PANEL: Cell<Option<PanelView>> = const { Cell::new(None) };
}

pub(crate) fn keep_shell(view: ShellView) {
    SHELL.set(Some(view));
}

pub(crate) fn keep_more(views: MoreViews) {
    MORE.set(Some(views));
}

pub(crate) fn keep_panel(view: PanelView) {
    PANEL.set(Some(view));
}

pub(crate) fn keep_logs(view: LogsView) {
    LOGS.set(Some(view));
}

/// The whole page in the place of the static shell, once it is there.
pub(crate) fn page(signals: Signals, act: Dispatch) -> impl IntoView {
    let piece = signals.page.shell_piece;
    move || match (piece.get(), SHELL.get()) {
        (PieceShown::Here, Some(shell)) => {
            dom::page::remove_static_shell();
            shell(signals, act)
        }
        (shown, _) => missing(&shown, act),
    }
}

/// A view of those that a reader opens, or why it isn't there.
pub(super) fn later(act: Dispatch, view: impl Fn(MoreViews) -> AnyView + Send + 'static) -> AnyView {
    let piece = act.more();
    let body = move || match (piece.get(), MORE.get()) {
        (PieceShown::Here, Some(views)) => view(views),
        (shown, _) => missing(&shown, act),
    };
    body.into_any()
}

pub(super) fn logs_view() -> Option<LogsView> {
    LOGS.get()
}

pub(super) fn panel_view() -> Option<PanelView> {
    PANEL.get()
}

/// Says in the place of what a piece shows that it isn't there. Nothing while it comes.
pub(super) fn missing(shown: &PieceShown, act: Dispatch) -> AnyView {
    let (text, word, action) = match shown {
        PieceShown::Coming | PieceShown::Here => return ().into_any(),
        PieceShown::Failed(text) => (text.clone(), messages::TRY_NOW, Action::FetchAgain),
        PieceShown::Gone => (messages::PIECE_GONE.to_owned(), messages::RELOAD, Action::Reload),
    };
    div()
        .class("piece-missing")
        .attr("role", "status")
        .child((
            span().child(text),
            button().class("btn btn-framed").on(ev::click, move |_| act.send(action.clone())).child(word),
        ))
        .into_any()
}
