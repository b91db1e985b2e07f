//! The page's state beside the replica's: which view is open, what is mounted, where it is scrolled.
//! Actions and outputs change it at once; what is seen of that is written by the next flush.

use std::rc::Rc;
use std::sync::Arc;

use replica::client::{Client, Input, ViewKey};
use replica::location::Location;
use replica::moment::{Moment, Steady};
use replica::table::Delta;
use replica::text::Zone;
use replica::widths::Widths;
use replica::window::Viewport;
use shared::frame::client::Credential;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::action::FontSize;
use super::columns::Shown;
use super::model::TableHead;
use super::rail::Recent;
use super::rows::Mounted;
use super::signals::{ShellSignals, ViewSignals};
use crate::dom;
use crate::link::socket::Socket;

pub(super) struct Page {
    pub(super) client: Client,
    pub(super) socket: Option<Socket>,
    /// What the address bar says, and what it shall say.
    pub(super) place: Location,
    pub(super) open: Open,
    /// The list behind the namespace picker, while that is open.
    pub(super) namespaces: Option<ViewKey>,
    pub(super) shell: ShellSignals,
    pub(super) view: ViewSignals,
    pub(super) traffic: Traffic,
    pub(super) screen: Screen,
    clock: Steady,
}

/// What is shown in the view's place.
pub(super) enum Open {
    /// Discovery hasn't said yet what the address means.
    Unresolved,
    /// The cluster serves no such resource.
    Unknown(shared::problem::Problem),
    View {
        key: ViewKey,
        kind: Rc<shared::resource::Kind>,
    },
}

/// What was drawn last, and where the reader is.
pub(super) struct Screen {
    pub(super) viewport: Viewport,
    pub(super) width_px: f64,
    pub(super) font: FontSize,
    pub(super) columns: Vec<Shown>,
    pub(super) head: Arc<TableHead>,
    pub(super) widths: Widths,
    pub(super) mounted: Mounted,
    pub(super) recent: Recent,
    pub(super) focused: Option<RowId>,
    /// The row that the Tab key reaches.
    pub(super) reachable: Option<RowId>,
    /// The focus moved by a key and is to follow in the DOM.
    pub(super) focus_request: u32,
    pub(super) wants_focus: bool,
    /// The row that keeps its pixel, and its distance from the upper edge.
    pub(super) anchor: Option<(RowId, f64)>,
    /// A place that a key asked for.
    pub(super) scroll_to_px: Option<f64>,
    pub(super) rail_drawn_ms: UnixMillis,
    pub(super) rows_changed: bool,
    /// Many rows came at once, or columns did: look for the widest cells.
    pub(super) must_measure: bool,
    pub(super) reader: Reader,
}

/// Whether somebody reads: rows don't move under an eye.
#[derive(Clone, Copy, Default)]
pub(super) struct Reader {
    pub(super) has_focus: bool,
    pub(super) has_pointer: bool,
    pub(super) last_ms: UnixMillis,
}

/// Bytes of the socket's messages.
#[derive(Default)]
pub(super) struct Traffic {
    pub(super) received: u64,
    /// Of this second and of the last whole one.
    pub(super) this_second: (i64, u64),
    pub(super) last_second: u64,
}

/// What a table is before the browser has measured one.
const ROW_PX: f64 = 28.0;
const FONT: FontSize = FontSize { mono_px: 7.3, text_px: 6.9 };

impl Screen {
    fn new() -> Self {
        Self {
            viewport: Viewport { scroll_top_px: 0.0, height_px: 0.0, row_height_px: ROW_PX },
            width_px: 1_000.0,
            font: FONT,
            columns: Vec::new(),
            head: Arc::default(),
            widths: Widths::default(),
            mounted: Mounted::default(),
            recent: Recent::default(),
            focused: None,
            reachable: None,
            focus_request: 0,
            wants_focus: false,
            anchor: None,
            scroll_to_px: None,
            rail_drawn_ms: 0,
            rows_changed: true,
            must_measure: true,
            reader: Reader::default(),
        }
    }

    /// Another view: nothing of the former one is kept but the size of the window.
    pub(super) fn begin_anew(&mut self) {
        let (viewport, width_px, font, focus_request) =
            (self.viewport, self.width_px, self.font, self.focus_request);
        let mut mounted = std::mem::take(&mut self.mounted);
        mounted.clear();
        *self = Self {
            viewport: Viewport { scroll_top_px: 0.0, ..viewport },
            width_px,
            font,
            mounted,
            focus_request,
            scroll_to_px: Some(0.0),
            ..Self::new()
        };
    }
}

impl Traffic {
    pub(super) fn note(&mut self, bytes: u64, now_ms: UnixMillis) {
        self.received += bytes;
        self.turn(now_ms);
        self.this_second.1 += bytes;
    }

    pub(super) fn turn(&mut self, now_ms: UnixMillis) {
        let second = now_ms.div_euclid(1_000);
        if self.this_second.0 != second {
            self.last_second = if self.this_second.0 + 1 == second { self.this_second.1 } else { 0 };
            self.this_second = (second, 0);
        }
    }
}

impl Page {
    pub(super) fn new(
        shell: ShellSignals,
        view: ViewSignals,
        place: Location,
        credential: Option<Credential>,
    ) -> Self {
        Self {
            client: Client::new(concat!("page ", env!("CARGO_PKG_VERSION")), credential),
            socket: None,
            place,
            open: Open::Unresolved,
            namespaces: None,
            shell,
            view,
            traffic: Traffic::default(),
            screen: Screen::new(),
            clock: Steady::default(),
        }
    }

    pub(super) fn now_ms(&mut self) -> UnixMillis {
        self.clock.now_ms(dom::clock::now_ms())
    }

    pub(super) fn moment(&mut self) -> Moment {
        Moment { now_ms: self.now_ms(), chance: dom::clock::chance() }
    }

    pub(super) fn handle(&mut self, input: Input) {
        let moment = self.moment();
        self.client.handle(input, moment);
    }

    pub(super) fn key(&self) -> Option<ViewKey> {
        match &self.open {
            Open::View { key, .. } => Some(*key),
            _ => None,
        }
    }

    /// Rows came: what the pictures of the last minute need to know.
    pub(super) fn rows_came(&mut self, key: ViewKey, delta: &Delta) {
        if self.key() != Some(key) {
            return;
        }
        let now_ms = self.now_ms();
        let was_whole = !delta.first_cut && self.client.view(key).is_some_and(|view| view.table().is_whole());
        self.screen.recent.note(delta, was_whole, now_ms);
        self.screen.rows_changed = true;
        self.screen.must_measure |= delta.first_cut || delta.replaced || delta.columns;
    }

    pub(super) fn zone() -> Zone {
        Zone { ahead_of_utc_s: i64::from(dom::clock::utc_offset_minutes()) * 60 }
    }
}
