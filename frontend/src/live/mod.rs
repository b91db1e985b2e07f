//! The only writer of the signals that show the cluster's state: once an animation frame it asks
//! the replica what is to be seen and writes what differs. Never a row, a word or a rule of its own.
//!
//! [`Live`] is the one owner of the page's state. What happens (the socket, a timer, a reader) goes
//! in through [`Live::drive`] and [`Live::act`]; nothing is drawn while the page is hidden.

pub(crate) mod action;
pub(crate) mod dispatch;
pub(crate) mod model;
pub(crate) mod preferences;
pub(crate) mod signals;

mod act;
pub(crate) mod detail;
mod navigate;
mod page;
mod palette;
pub(crate) mod pane;
mod panel;
mod shell;
mod traffic;

pub(crate) use shell::{login_expired, login_needed, login_unanswered};

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use replica::client::{Input, Output};
use shared::codec;
use shared::frame::client::Credential;

use crate::dom;
use crate::dom::timing::{Alarm, Frame};
use crate::link::login;
use crate::link::socket::{Event, Socket};
use action::Action;
use page::Page;
use pane::PaneId;
use signals::{PaneSignals, ShellSignals};

#[derive(Clone)]
pub(crate) struct Live(Rc<Core>);

struct Core {
    page: RefCell<Page>,
    frame: Frame,
    /// When the replica has something to do.
    due: Alarm,
    /// Ages, the ring, marks: once a second.
    second: Alarm,
}

const SECOND_MS: i64 = 1_000;

impl Live {
    pub(crate) fn new(shell: ShellSignals, credential: Option<Credential>) -> Self {
        let core = Rc::new_cyclic(|core: &Weak<Core>| {
            let later = |react: fn(&Live)| {
                let core = core.clone();
                move || {
                    if let Some(core) = core.upgrade() {
                        react(&Live(core));
                    }
                }
            };
            let acting = core.clone();
            let react = move |pane: PaneId, action: Action| {
                if let Some(core) = acting.upgrade() {
                    Live(core).act_in(Some(pane), action);
                }
            };
            Core {
                page: RefCell::new(Page::new(shell, credential, Rc::new(react))),
                frame: Frame::new(later(Live::flush)),
                due: Alarm::new(later(|live| live.drive(Input::Timer))),
                second: Alarm::new(later(Live::second)),
            }
        });
        Self(core)
    }

    /// Dials, and listens to what concerns the page as a whole.
    pub(crate) fn begin(&self) {
        let live = self.clone();
        dom::page::on_visibility(move || {
            live.drive(if dom::page::is_hidden() { Input::Hidden } else { Input::Visible });
        });
        let live = self.clone();
        dom::page::on_online(move || live.drive(Input::Online));
        if self.0.page.borrow().has_address {
            let live = self.clone();
            dom::address::on_change(move || live.address_changed());
            self.address_changed();
        }
        self.second();
        self.drive(Input::Start);
    }

    /// In other people's page: the address bar is theirs, and every element is a pane.
    pub(crate) fn embedded(shell: ShellSignals, credential: Option<Credential>) -> Self {
        let live = Self::new(shell, credential);
        live.0.page.borrow_mut().has_address = false;
        live
    }

    pub(crate) fn embed(&self, link: &str) -> Option<PaneSignals> {
        let mut page = self.0.page.borrow_mut();
        let id = page.embed(link);
        self.follow(&mut page);
        page.panes.iter().find(|pane| pane.id == id).map(pane::Pane::signals)
    }

    pub(crate) fn lead(&self, pane: PaneId, link: &str) {
        let mut page = self.0.page.borrow_mut();
        page.lead(pane, link);
        self.follow(&mut page);
    }

    pub(crate) fn unembed(&self, pane: PaneId) {
        let mut page = self.0.page.borrow_mut();
        page.unembed(pane);
        self.follow(&mut page);
    }

    pub(crate) fn sign_in(&self, credential: Credential) {
        self.drive(Input::Credential(Some(credential)));
    }

    /// What happened outside.
    pub(crate) fn drive(&self, input: Input) {
        let mut page = self.0.page.borrow_mut();
        page.handle(input);
        self.follow(&mut page);
    }

    /// What a reader did: in a pane, else in the page around them.
    pub(crate) fn act(&self, action: Action) {
        self.act_in(None, action);
    }

    fn act_in(&self, pane: Option<PaneId>, action: Action) {
        let mut page = self.0.page.borrow_mut();
        page.act(pane, action);
        self.follow(&mut page);
    }

    /// What another tab of this browser kept.
    pub(crate) fn kept_elsewhere(&self) {
        self.0.page.borrow_mut().kept_elsewhere();
    }

    fn address_changed(&self) {
        // A printed link that was opened in this tab: its code is exchanged as at any start.
        if login::code_in(&dom::address::fragment()).is_some() {
            return dom::address::reload();
        }
        let mut page = self.0.page.borrow_mut();
        page.go_where_the_address_says();
        self.follow(&mut page);
    }

    fn flush(&self) {
        let mut page = self.0.page.borrow_mut();
        page.flush();
        self.follow_timer(&mut page);
    }

    fn second(&self) {
        let mut page = self.0.page.borrow_mut();
        page.second();
        let now_ms = dom::clock::now_ms();
        self.0.second.set(now_ms - now_ms.rem_euclid(SECOND_MS) + SECOND_MS, now_ms);
        self.0.frame.request();
    }

    /// Does what the replica asks for, until it asks for nothing.
    fn follow(&self, page: &mut Page) {
        page.follow_panel();
        while let Some(output) = page.client.poll_output() {
            match output {
                Output::Connect => self.connect(page),
                Output::Send(frame) => {
                    if let (Some(socket), Ok(text)) = (&page.socket, serde_json::to_string(&frame)) {
                        socket.send(&text);
                    }
                }
                Output::Close { .. } => page.socket = None,
                Output::Rows(key, delta) => {
                    page.rows_came(key, &delta);
                    page.panel_news(key);
                }
                Output::View(key) | Output::Ended(key) | Output::Object(key) | Output::Timeline(key, _) => {
                    page.panel_news(key);
                }
                Output::Got(id, answer) => page.got(id, answer),
                Output::Link => page.link_changed(),
                Output::Welcome => page.welcomed(),
                Output::Kinds => page.kinds_came(),
                Output::Problem(_) | Output::Auth(_) => {}
            }
        }
        self.follow_timer(page);
        self.0.frame.request();
    }

    fn follow_timer(&self, page: &mut Page) {
        if let Some(due_ms) = page.client.timer_ms() {
            let now_ms = page.now_ms();
            self.0.due.set(due_ms, now_ms);
        }
    }

    fn connect(&self, page: &mut Page) {
        let core = Rc::downgrade(&self.0);
        let url = format!("{}/api/ws", dom::address::socket_origin());
        // The former one goes first: nothing of it may come in any more.
        page.socket = None;
        page.socket = Socket::open(&url, move |event| {
            if let Some(core) = core.upgrade() {
                Live(core).heard(event);
            }
        });
        if page.socket.is_none() {
            page.handle(Input::Closed { code: None });
        }
    }

    fn heard(&self, event: Event) {
        let input = match event {
            Event::Opened => Input::Opened,
            Event::Closed { code } => Input::Closed { code: Some(code) },
            Event::Message(message) => {
                let bytes = u64::try_from(message.byte_count()).unwrap_or(u64::MAX);
                let mut page = self.0.page.borrow_mut();
                let now_ms = page.now_ms();
                page.traffic.note(bytes, now_ms);
                match codec::decode_server(&message) {
                    Ok(frame) => Input::Frame { frame: Box::new(frame), bytes },
                    Err(_) => Input::Unreadable { bytes },
                }
            }
        };
        self.drive(input);
    }
}
