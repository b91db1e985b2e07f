//! Connects [`page::Page`] to the browser: passes events to it, carries out its effects, and writes its model to the
//! signals: with the next animation frame for what arrives, at once for what the reader did. Never a decision.

mod guest;

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use crate::prelude::*;
use page::action::{Action, PaneId};
use page::effect::Effect;
use page::model::Clip;
use page::piece::Piece;
use page::{Elsewhere, Environment, Host, LastLogin, Page, TOLD_IN, TOLD_OUT};
use replica::client::{Input, SignIn};
use replica::now::{MonotonicClock, Now};
use shared::codec;

use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::timing::{Alarm, Frame};
use crate::link::key;
use crate::link::socket::{Event, Socket};
use crate::pieces;
use crate::signals::{PaneHandle, PaneSignals, Signals};
use crate::stopped::is_stopped;
use crate::storage;
use crate::views::fetched::notifications;
pub(crate) use guest::file_json;
use guest::{Guests, MountedObject};

/// One page, and the timers that drive it.
#[derive(Clone)]
pub(crate) struct App(Rc<Core>);

/// What all clones of the app share: the page, the signals, and the timers that make it run.
struct Core {
    /// Its address, which ends with a slash. An element's page has another one.
    gateway: Box<str>,
    state: RefCell<State>,
    signals: Signals,
    guests: RefCell<Guests>,
    frame: Frame,
    /// Rings when the page has something to do.
    due: Alarm,
    /// Ages, the ring, marks: once a second.
    second: Alarm,
}

/// The page and what the browser holds for it: its socket, its clock, and the mounted panes and objects.
struct State {
    page: Page,
    socket: Option<Socket>,
    clock: MonotonicClock,
    panes: Vec<MountedPane>,
    /// The mounted elements that show one object.
    objects: Vec<MountedObject>,
    /// Closed panes: their signals are read until the next frame has unmounted them.
    leaving: Vec<MountedPane>,
}

struct MountedPane {
    handle: PaneHandle,
    /// Owns the signals. It has no parent, because the current owner may be dropped before the pane is.
    _owner: Owner,
}

const SECOND_MS: i64 = 1_000;

impl App {
    /// `gateway`: its address, which ends with a slash.
    pub(crate) fn new(host: Host, gateway: &str, sign_in: SignIn, signals: Signals) -> Self {
        let preferences = storage::preferences();
        let environment = Environment {
            preferences,
            sign_in,
            last_login: storage::last_login(),
            told: storage::told().into(),
            width_px: dom::page::width_px(),
        };
        let core = Rc::new_cyclic(|core: &Weak<Core>| {
            let later = |on_event: fn(&App)| {
                let core = core.clone();
                move || App::alive(&core).iter().for_each(on_event)
            };
            Core {
                gateway: gateway.into(),
                state: RefCell::new(State {
                    page: Page::new(host, environment),
                    socket: None,
                    clock: MonotonicClock::default(),
                    panes: Vec::new(),
                    objects: Vec::new(),
                    leaving: Vec::new(),
                }),
                signals,
                guests: RefCell::default(),
                frame: Frame::new(later(App::render)),
                due: Alarm::new(later(|app| app.handle(Input::Timer))),
                second: Alarm::new(later(App::second)),
            }
        });
        let app = Self(core);
        app.write(&mut app.0.state.borrow_mut());
        app
    }

    /// Nothing once the program has broken: the awaited would break the one in its place.
    fn alive(core: &Weak<Core>) -> Option<Self> {
        core.upgrade().filter(|_| !is_stopped()).map(Self)
    }

    /// Asks for what the page is shown with, before anything is known of the reader.
    pub(crate) fn ask_for_pieces(&self) {
        self.with_page(|page, now| page.render(now.now_ms));
    }

    /// Connects, and listens to events of the whole page.
    pub(crate) fn begin(&self, host: Host) {
        let app = self.clone();
        dom::page::on_visibility(move || {
            app.handle(if dom::page::is_hidden() { Input::Hidden } else { Input::Visible });
        });
        let app = self.clone();
        dom::on_window("online", move || app.handle(Input::Online));
        let app = self.clone();
        dom::on_window("resize", move || app.0.state.borrow_mut().page.set_width(dom::page::width_px()));
        if host == Host::Dogwatch {
            let app = self.clone();
            dom::on_window("popstate", move || app.address_changed());
            self.address_changed();
        }
        self.second();
        self.handle(Input::Start);
    }

    /// An input of the client.
    pub(crate) fn handle(&self, input: Input) {
        self.with_page(|page, now| page.handle(input, now));
    }

    /// An action of the reader, in a pane or in the page around the panes.
    pub(crate) fn update(&self, pane: Option<PaneId>, action: Action) {
        let waits = action.waits_for_frame();
        self.with_page(|page, now| page.update(pane, action, now));
        // At once: the next key may belong to a box that this action opened.
        if !waits {
            self.write(&mut self.0.state.borrow_mut());
        }
    }

    /// Another tab of this browser stored something.
    pub(crate) fn kept_elsewhere(&self) {
        let elsewhere = Elsewhere {
            preferences: storage::preferences(),
            is_signed_in: storage::is_signed_in(),
            told: storage::told().into(),
        };
        self.with_page(|page, now| page.kept_elsewhere(elsewhere, now));
        self.write(&mut self.0.state.borrow_mut());
    }

    fn address_changed(&self) {
        self.with_page(|page, now| page.address_changed(&dom::address::path(), now));
    }

    fn second(&self) {
        let zone = dom::clock::zone();
        self.with_page(|page, now| {
            page.set_zone(zone);
            page.second(now);
        });
        self.tell_guests(&self.0.state.borrow().page);
        let now_ms = dom::clock::now_ms();
        self.0.second.set(now_ms - now_ms.rem_euclid(SECOND_MS) + SECOND_MS, now_ms);
    }

    /// Changes the page, and carries out its effects.
    fn with_page<T>(&self, change: impl FnOnce(&mut Page, Now) -> T) -> T {
        let state = &mut *self.0.state.borrow_mut();
        let now = state.now();
        let changed = change(&mut state.page, now);
        self.carry_out_all(state);
        self.follow_timer(state);
        self.0.frame.request();
        changed
    }

    fn carry_out_all(&self, state: &mut State) {
        while let Some(effect) = state.page.poll_effect() {
            self.carry_out(state, effect);
        }
    }

    fn carry_out(&self, state: &mut State, effect: Effect) {
        match effect {
            Effect::Connect => self.connect(state),
            Effect::Send(frame) => {
                if let (Some(socket), Ok(text)) = (&state.socket, serde_json::to_string(&frame)) {
                    socket.send(&text);
                }
            }
            Effect::Disconnect => state.socket = None,
            Effect::Fetch(piece) => self.fetch(piece),
            Effect::Copy(clip) => self.copy(clip),
            Effect::PushAddress(address) => dom::address::push(&address),
            Effect::ReplaceAddress(address) => dom::address::replace(&address),
            Effect::Reload => dom::address::reload(),
            Effect::SetTitle(title, icon) => {
                dom::page::set_title(&title);
                dom::page::set_icon(icon);
            }
            Effect::Keep(change) => storage::keep(&change),
            Effect::Prove(nonce) => self.prove(nonce),
            Effect::ForgetSession => {
                storage::forget_session();
                wasm_bindgen_futures::spawn_local(key::forget());
            }
            Effect::SignIn { link, is_by_itself } => {
                storage::remember_login(LastLogin::Led);
                dom::address::lead(&link, is_by_itself);
            }
            Effect::SignedIn => {
                storage::remember_login(LastLogin::None);
                storage::tell(TOLD_IN, dom::clock::now_ms());
            }
            Effect::Renew => self.renew(),
            Effect::SignOut => self.sign_out(),
            Effect::TellSignedOut => storage::tell(TOLD_OUT, dom::clock::now_ms()),
            Effect::Leave(to) => {
                storage::remember_login(LastLogin::Left);
                dom::address::leave(to.as_deref());
            }
            Effect::Notify { text, href } => self.notify(&text, href),
            Effect::AskToNotify => self.ask_to_notify(),
            Effect::Sound => {
                notifications().inspect(|all| (all.sound)());
            }
            Effect::CloseNotifications => {
                notifications().inspect(|all| (all.close_all)());
            }
            Effect::TakeLetters(takes) => dom::element::take_letters(takes),
            Effect::Activated(pane, row) => self.tell_of_row(pane, &row),
            Effect::Closed(pane) => self.tell_closed(pane),
            Effect::Download(file) => dom::page::download(&file.name, file.media_type, &file.text),
        }
    }

    fn copy(&self, clip: Clip) {
        let text = match &clip {
            Clip::Text(text) | Clip::Yaml(text) | Clip::Rows(text) => text.clone(),
            Clip::Link(_) => dom::address::below(&dom::address::root(), &dom::address::path()),
            Clip::ViewLink(href) => dom::address::below(&self.0.gateway, href),
        };
        let core = Rc::downgrade(&self.0);
        dom::page::copy(text, move |is_done| {
            if let Some(app) = App::alive(&core) {
                app.with_page(|page, now| page.copied(clip, is_done, now));
            }
        });
    }

    fn fetch(&self, piece: Piece) {
        let core = Rc::downgrade(&self.0);
        wasm_bindgen_futures::spawn_local(async move {
            let answer = pieces::fetch(piece).await;
            if let Some(app) = App::alive(&core) {
                app.with_page(|page, now| match answer {
                    Ok(brought) => {
                        page.brought(brought, now);
                        notifications().inspect(|all| page.may_notify((all.may)()));
                    }
                    Err(why) => page.not_brought(piece, why, now.now_ms),
                });
            }
        });
    }

    fn prove(&self, nonce: Box<str>) {
        let core = Rc::downgrade(&self.0);
        wasm_bindgen_futures::spawn_local(async move {
            let proof = key::prove(&nonce).await;
            if let Some(app) = App::alive(&core) {
                app.handle(Input::Proved { nonce, proof });
            }
        });
    }

    fn notify(&self, text: &str, href: Option<String>) {
        let core = Rc::downgrade(&self.0);
        let choose = move || {
            if let (Some(app), Some(href)) = (App::alive(&core), &href) {
                app.update(None, Action::OpenLink(href.clone()));
            }
        };
        notifications().inspect(|all| (all.show)(text, Box::new(choose)));
    }

    fn ask_to_notify(&self) {
        let core = Rc::downgrade(&self.0);
        let answer = move |answer| {
            if let Some(app) = App::alive(&core) {
                app.with_page(|page, _| page.may_notify(answer));
            }
        };
        notifications().inspect(|all| (all.ask)(Box::new(answer)));
    }

    fn renew(&self) {
        let core = Rc::downgrade(&self.0);
        wasm_bindgen_futures::spawn_local(async move {
            let answer = key::renew().await;
            if let Some(app) = App::alive(&core) {
                app.with_page(|page, now| page.renewed(answer, now));
            }
        });
    }

    fn sign_out(&self) {
        let core = Rc::downgrade(&self.0);
        wasm_bindgen_futures::spawn_local(async move {
            let answer = key::sign_out().await;
            if let Some(app) = App::alive(&core) {
                app.with_page(|page, now| page.signed_out(answer, now));
                // At once: the browser may keep the document as it is now.
                app.write(&mut app.0.state.borrow_mut());
            }
        });
    }

    fn connect(&self, state: &mut State) {
        let core = Rc::downgrade(&self.0);
        let url = dom::address::socket(&self.0.gateway);
        // Drop the previous socket first, so that no event of it arrives any more.
        state.socket = None;
        state.socket = Socket::open(&url, move |event| {
            if let Some(app) = App::alive(&core) {
                app.heard(event);
            }
        });
        if state.socket.is_none() {
            let now = state.now();
            state.page.handle(Input::Closed { code: None }, now);
        }
    }

    fn heard(&self, event: Event) {
        let input = match event {
            Event::Opened => Input::Opened,
            Event::Closed { code } => Input::Closed { code: Some(code) },
            Event::Message(message) => {
                let bytes = u64::try_from(message.byte_count()).unwrap_or(u64::MAX);
                let state = &mut *self.0.state.borrow_mut();
                let now_ms = state.now().now_ms;
                state.page.received(bytes, now_ms);
                match codec::decode_server(&message) {
                    Ok(frame) => Input::Frame { frame: Box::new(frame), bytes },
                    Err(_) => Input::Unreadable { bytes },
                }
            }
        };
        self.handle(input);
    }

    fn follow_timer(&self, state: &mut State) {
        if let Some(due_ms) = state.page.timer_ms() {
            let now_ms = state.now().now_ms;
            self.0.due.set(due_ms, now_ms);
        }
    }

    /// Once an animation frame; a hidden page gets none.
    fn render(&self) {
        let state = &mut *self.0.state.borrow_mut();
        let now_ms = state.now().now_ms;
        // The last frame has unmounted these.
        let gone = std::mem::take(&mut state.leaving);
        state.page.render(now_ms);
        self.carry_out_all(state);
        self.write(state);
        drop(gone);
        self.follow_timer(state);
    }

    /// The only writer of the signals.
    fn write(&self, state: &mut State) {
        let signals = self.0.signals;
        signals.page.write(state.page.model());
        signals.panel.write(state.page.panel_model());
        self.write_objects(state);
        self.tell_guests(&state.page);
        let mut panes = Vec::new();
        for (id, model) in state.page.panes() {
            let held = state.panes.iter().position(|pane| pane.handle.id == id);
            let pane = match held {
                Some(at) => state.panes.swap_remove(at),
                None => self.mount_pane(id),
            };
            pane.handle.act.write(state.page.model());
            pane.handle.view.write(model);
            panes.push(pane);
        }
        state.leaving.append(&mut state.panes);
        state.panes = panes;
        let handles: Vec<PaneHandle> = state.panes.iter().map(|pane| pane.handle).collect();
        if signals.panes.with_untracked(|held| *held != handles) {
            signals.panes.set(handles);
        }
    }

    fn mount_pane(&self, id: PaneId) -> MountedPane {
        let owner = Owner::default();
        let view = owner.with(|| PaneSignals::new(page::model::PaneModel::default()));
        MountedPane { handle: PaneHandle { id, view, act: self.dispatch(id, &owner) }, _owner: owner }
    }

    /// Where the actions of a pane go, or those of an element's object.
    fn dispatch(&self, id: PaneId, owner: &Owner) -> Dispatch {
        let core = Rc::downgrade(&self.0);
        let act = move |action: Action| {
            if let Some(app) = App::alive(&core) {
                app.update(Some(id), action);
            }
        };
        owner.with(|| Dispatch::apart(act))
    }
}

impl State {
    fn now(&mut self) -> Now {
        Now { now_ms: self.clock.now_ms(dom::clock::now_ms()), chance: dom::clock::chance() }
    }
}
