//! The viewer's end of the wire as a whole: what happened goes in, what to do comes out. The page
//! and `dogwatch tail` are drivers around it; it never touches a socket, a timer or the DOM.
//!
//! A driver does this: it passes every [`Input`] with its now, then takes outputs until there
//! are none, then sets one timer for [`Client::timer_ms`]. On [`Output::Connect`] it drops the
//! former socket, and nothing of that one may come in any more.

mod offset;
mod opening;
pub(crate) mod parts;
mod subscriptions;
mod viewed;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use shared::frame::client::{ClientFrame, Credential, SubscriptionId};
use shared::frame::server::{Auth, Kinds, ObjectFrame, ServerFrame, Welcome};
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use crate::connection::Connection;
use crate::limits::HIDDEN_MS;
use crate::messages;
use crate::now::Now;
use crate::observer::RowObserver;
use crate::subscription::Phase;
use crate::table::Delta;
use offset::Offset;
use viewed::Viewed;

/// A view's name within this client; it outlives connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ViewKey(u32);

#[derive(Debug)]
pub enum Input {
    /// Begin: dial.
    Start,
    /// The socket is open.
    Opened,
    /// The socket is closed, or never opened; the close code where there was one.
    Closed {
        code: Option<u16>,
    },
    /// A message, decoded, and its payload bytes as they came.
    Frame {
        frame: Box<ServerFrame>,
        bytes: u64,
    },
    /// A message that couldn't be decoded. Nobody knows whose it was: every view continues from its
    /// last cut, in a subscription of its own.
    Unreadable {
        bytes: u64,
    },
    /// The browser says that there is a network again.
    Online,
    Visible,
    Hidden,
    /// "Try now".
    Retry,
    /// Another credential, after the former was refused or taken away.
    Credential(Option<Credential>),
    /// The timer.
    Timer,
}

#[derive(Debug)]
pub enum Output {
    /// Open a socket; drop any other.
    Connect,
    Send(ClientFrame),
    Close {
        code: u16,
    },
    /// The link's state changed.
    Link,
    Welcome,
    Kinds,
    /// A view's columns, state or proof changed, not its rows.
    View(ViewKey),
    Rows(ViewKey, Box<Delta>),
    /// An object view has another state of its object.
    Object(ViewKey),
    /// So many entries came to a log.
    Timeline(ViewKey, usize),
    /// The answer to [`Client::get`].
    Got(SubscriptionId, Result<Box<ObjectFrame>, Problem>),
    /// Whom the gateway takes the viewer for, and when that ends; then it wants another credential.
    Auth(Auth),
    /// The gateway ended a view's subscription; [`Subscription::ended`] says why.
    Ended(ViewKey),
    /// Something that no view asked for.
    Problem(Problem),
}

#[derive(Debug)]
pub struct Client<O = ()> {
    connection: Connection,
    views: BTreeMap<ViewKey, Viewed<O>>,
    /// Objects that were asked for once and haven't come.
    gets: BTreeSet<SubscriptionId>,
    welcome: Option<Box<Welcome>>,
    kinds: Option<Kinds>,
    outputs: VecDeque<Output>,
    next_view: u32,
    next_id: SubscriptionId,
    hidden: Hidden,
    offset: Offset,
    unreadable: u64,
}

/// Whether the page is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hidden {
    No,
    Since(UnixMillis),
    /// Long enough that everything was given back.
    Parked,
}

impl<O: RowObserver> Client<O> {
    /// `client` is who speaks, for the gateway's log.
    #[must_use]
    pub fn new(client: &str, credential: Option<Credential>) -> Self {
        Self {
            connection: Connection::new(client, credential),
            views: BTreeMap::new(),
            gets: BTreeSet::new(),
            welcome: None,
            kinds: None,
            outputs: VecDeque::new(),
            next_view: 1,
            next_id: 1,
            hidden: Hidden::No,
            offset: Offset::default(),
            unreadable: 0,
        }
    }

    /// The one way in for what happens outside.
    pub fn handle(&mut self, input: Input, now: Now) {
        let link = std::mem::discriminant(self.connection.link());
        match input {
            Input::Start | Input::Online => self.wake(now),
            Input::Retry => {
                self.retry_upstreams();
                self.wake(now);
            }
            Input::Opened => self.connection.opened(now, &mut self.outputs),
            Input::Closed { code } => {
                self.connection.closed(code, now);
                self.disconnected();
            }
            Input::Frame { frame, bytes } => {
                self.connection.heard(bytes, now, &mut self.outputs);
                self.frame(*frame, now);
            }
            Input::Unreadable { bytes } => {
                self.unreadable += 1;
                self.connection.heard(bytes, now, &mut self.outputs);
                self.unread(now);
            }
            Input::Visible => {
                self.hidden = Hidden::No;
                self.wake(now);
            }
            Input::Hidden => {
                if self.hidden == Hidden::No {
                    self.hidden = Hidden::Since(now.now_ms);
                }
            }
            Input::Credential(credential) => {
                self.connection.set_credential(credential, now, &mut self.outputs);
            }
            Input::Timer => self.timer(now),
        }
        self.tend_parts(now);
        if std::mem::discriminant(self.connection.link()) != link {
            self.outputs.push_back(Output::Link);
        }
    }

    pub fn poll_output(&mut self) -> Option<Output> {
        Some(match self.outputs.pop_front()? {
            // A part ends without its view.
            Output::Ended(key) if self.driven(key) != key => Output::View(self.driven(key)),
            Output::View(key) => Output::View(self.driven(key)),
            output => output,
        })
    }

    /// When [`Input::Timer`] is due.
    #[must_use]
    pub fn timer_ms(&self) -> Option<UnixMillis> {
        let parking = match self.hidden {
            Hidden::Since(since_ms) => Some(since_ms + HIDDEN_MS),
            _ => None,
        };
        let mending = self.views.values().filter_map(|view| match view.subscription().phase {
            Phase::Mending { at_ms } => Some(at_ms),
            _ => None,
        });
        self.connection.timer_ms().into_iter().chain(parking).chain(mending).min()
    }

    fn wake(&mut self, now: Now) {
        self.connection.dial(now, &mut self.outputs);
        if self.connection.is_open() {
            self.subscribe_all(now);
        }
    }

    fn timer(&mut self, now: Now) {
        if let Hidden::Since(since_ms) = self.hidden
            && now.now_ms.saturating_sub(since_ms) >= HIDDEN_MS
        {
            self.hidden = Hidden::Parked;
            self.park_all();
        }
        if self.hidden == Hidden::Parked {
            self.connection.rest();
        }
        if self.connection.timer(now, &mut self.outputs) {
            self.disconnected();
        }
        self.mend_due(now);
    }

    fn frame(&mut self, frame: ServerFrame, now: Now) {
        match frame {
            ServerFrame::Welcome(welcome) => self.welcomed(welcome, now),
            ServerFrame::Kinds(kinds) => {
                self.kinds = Some(kinds);
                self.outputs.push_back(Output::Kinds);
                self.ask_again_for_unknown();
            }
            ServerFrame::Subscribed(answer) => self.subscribed(&answer),
            ServerFrame::Rows(rows) => self.rows(rows, now),
            ServerFrame::Object(frame) => self.object_frame(*frame, now),
            ServerFrame::Timeline(frame) => self.timeline_frame(frame, now),
            ServerFrame::Scope(frame) => self.scope(&frame),
            ServerFrame::Auth(auth) => self.outputs.push_back(Output::Auth(auth)),
            ServerFrame::Sync(sync) => self.sync(&sync, now),
            ServerFrame::State(state) => self.state(state),
            ServerFrame::Problem(frame) => match frame.id {
                Some(id) => self.ended(id, frame.problem, now),
                None => {
                    self.connection.complained(frame.problem.clone());
                    self.outputs.push_back(Output::Problem(frame.problem));
                }
            },
            ServerFrame::Goaway(goaway) => {
                self.connection.spread(goaway.spread_ms);
                self.connection.complained(goaway.problem);
            }
            ServerFrame::Pong(_) => {}
        }
    }

    fn welcomed(&mut self, welcome: Box<Welcome>, now: Now) {
        if let Err(problem) = self.connection.welcomed(&welcome.version, now, &mut self.outputs) {
            self.outputs.push_back(Output::Problem(problem));
            return;
        }
        self.offset = Offset::default();
        self.offset.learn(welcome.now_ms, now.now_ms);
        self.welcome = Some(welcome);
        self.outputs.push_back(Output::Welcome);
        if self.hidden != Hidden::Parked {
            self.subscribe_all(now);
        }
    }

    fn disconnected(&mut self) {
        for (key, view) in self.views.iter_mut().filter(|(_, view)| !view.is_split()) {
            view.subscription_mut().disconnected();
            view.detached();
            self.outputs.push_back(Output::View(*key));
        }
        self.give_up_gets(&Problem::new(Reason::ConnectionClosed, messages::gateway_gone()));
        if self.hidden == Hidden::Parked {
            self.connection.rest();
        }
    }

    fn unread(&mut self, now: Now) {
        let asked = self.views.iter().filter(|(_, view)| view.subscription().wire_id().is_some());
        for key in asked.map(|(key, _)| *key).collect::<Vec<_>>() {
            self.broken(key, now);
        }
        self.give_up_gets(&Problem::new(Reason::InternalError, messages::unreadable_message()));
    }

    fn give_up_gets(&mut self, problem: &Problem) {
        for id in std::mem::take(&mut self.gets) {
            self.outputs.push_back(Output::Got(id, Err(problem.clone())));
        }
    }

    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    #[must_use]
    pub fn welcome(&self) -> Option<&Welcome> {
        self.welcome.as_deref()
    }

    #[must_use]
    pub fn kinds(&self) -> Option<&Kinds> {
        self.kinds.as_ref()
    }

    /// The viewer's instant of one of the gateway's.
    #[must_use]
    pub fn local_ms(&self, gateway_ms: UnixMillis) -> UnixMillis {
        gateway_ms.saturating_sub(self.offset.ahead_ms())
    }

    /// Messages that couldn't be decoded, for the bug report.
    #[must_use]
    pub fn unreadable_count(&self) -> u64 {
        self.unreadable
    }
}

fn is_unknown_resource(problem: &Problem) -> bool {
    matches!(problem.reason, Reason::NotFound | Reason::Gone)
}

#[cfg(test)]
mod tests;
