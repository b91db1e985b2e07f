//! The viewer's end of the wire as a whole: what happened goes in, what to do comes out. It never touches a
//! socket, a timer or the DOM; the page and [`crate::driver`] do that for it.
//!
//! A driver passes every [`Input`] with its now, then takes outputs until there are none, then sets one
//! timer for [`Client::timer_ms`]. On [`Output::Connect`] it drops the earlier socket, and passes nothing
//! of that socket on any more.

mod any_view;
mod clock_offset;
mod clusters;
pub(crate) mod part;
mod parts;
mod purge;
mod rights;
mod subscriptions;
mod views;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use shared::frame::client::{Has, SubscriptionId};
use shared::frame::server::{Cluster, Kinds, ServerFrame, Welcome};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use crate::connection::{Connection, GATEWAY_GONE};
pub use crate::events::{Input, Output, ViewKey};
use crate::limits::HIDDEN_MS;
use crate::now::Now;
use crate::observer::RowObserver;
pub use crate::sign_in::SignIn;
use crate::subscription::Phase;
use any_view::AnyView;
use clock_offset::ClockOffset;

#[derive(Debug)]
pub struct Client<O = ()> {
    connection: Connection,
    views: BTreeMap<ViewKey, AnyView<O>>,
    /// Calls of [`Client::get`] without an answer.
    gets: BTreeSet<SubscriptionId>,
    welcome: Option<Box<Welcome>>,
    /// Of each cluster.
    kinds: BTreeMap<ClusterName, Kinds>,
    outputs: VecDeque<Output>,
    next_view: u32,
    next_id: SubscriptionId,
    visibility: Visibility,
    /// After [`Input::Leave`].
    has_left: bool,
    clock_offset: ClockOffset,
    unreadable: u64,
}

/// Whether the reader can see the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visibility {
    Visible,
    HiddenSince(UnixMillis),
    /// Hidden for so long that every subscription was given back.
    Parked,
}

impl<O: RowObserver> Client<O> {
    /// `client` names the program in the gateway's log: `page 0.1.0`.
    #[must_use]
    pub fn new(client: &str, sign_in: SignIn) -> Self {
        Self {
            connection: Connection::new(client, sign_in),
            views: BTreeMap::new(),
            gets: BTreeSet::new(),
            welcome: None,
            kinds: BTreeMap::new(),
            outputs: VecDeque::new(),
            next_view: 1,
            next_id: 1,
            visibility: Visibility::Visible,
            has_left: false,
            clock_offset: ClockOffset::default(),
            unreadable: 0,
        }
    }

    /// The one way in for what happens outside.
    pub fn handle(&mut self, input: Input, now: Now) {
        let link = std::mem::discriminant(&self.connection.link);
        match input {
            Input::Start => {
                self.has_left = false;
                self.wake(now);
            }
            Input::Leave => {
                self.has_left = true;
                if self.connection.leave(&mut self.outputs) {
                    self.disconnected();
                }
            }
            Input::Online => self.wake(now),
            Input::Retry => {
                self.retry_upstreams();
                self.wake(now);
            }
            Input::Opened => self.connection.opened(self.has(), now, &mut self.outputs),
            Input::Closed { code } => {
                self.connection.closed(code, now);
                self.disconnected();
            }
            Input::Frame { frame, bytes } => {
                self.connection.received(bytes, now, &mut self.outputs);
                self.frame(*frame, now);
            }
            Input::Unreadable { bytes } => {
                self.unreadable += 1;
                self.connection.received(bytes, now, &mut self.outputs);
                self.unreadable_message(now);
            }
            Input::Visible => {
                self.visibility = Visibility::Visible;
                self.wake(now);
            }
            Input::Hidden => {
                if self.visibility == Visibility::Visible {
                    self.visibility = Visibility::HiddenSince(now.now_ms);
                }
            }
            Input::Renewed => {
                if self.connection.renewed(now, &mut self.outputs) {
                    self.disconnected();
                }
            }
            Input::SignIn(sign_in) => self.connection.set_sign_in(sign_in, now, &mut self.outputs),
            Input::Proved { nonce, proof } => {
                self.connection.proved(&nonce, proof, self.has(), now, &mut self.outputs);
            }
            Input::Timer => self.timer(now),
        }
        self.update_parts(now);
        if std::mem::discriminant(&self.connection.link) != link {
            self.outputs.push_back(Output::Link);
        }
    }

    pub fn poll_output(&mut self) -> Option<Output> {
        Some(match self.outputs.pop_front()? {
            // A part ends without its view.
            Output::Ended(key) if self.whole_of(key) != key => Output::View(self.whole_of(key)),
            Output::View(key) => Output::View(self.whole_of(key)),
            output => output,
        })
    }

    /// When [`Input::Timer`] is due.
    #[must_use]
    pub fn timer_ms(&self) -> Option<UnixMillis> {
        let parking = match self.visibility {
            Visibility::HiddenSince(since_ms) => Some(since_ms + HIDDEN_MS),
            _ => None,
        };
        let resyncs = self.views.values().filter_map(|view| match view.subscription().phase {
            Phase::Resyncing { at_ms } => Some(at_ms),
            _ => None,
        });
        self.connection.timer_ms().into_iter().chain(parking).chain(resyncs).min()
    }

    fn wake(&mut self, now: Now) {
        if self.has_left {
            return;
        }
        self.connection.dial(now, &mut self.outputs);
        if self.connection.is_open() {
            self.subscribe_all(now);
        }
    }

    fn timer(&mut self, now: Now) {
        if let Visibility::HiddenSince(since_ms) = self.visibility
            && now.now_ms.saturating_sub(since_ms) >= HIDDEN_MS
        {
            self.visibility = Visibility::Parked;
            self.park_all();
        }
        if self.visibility == Visibility::Parked {
            self.connection.rest();
        }
        if self.connection.timer(now, &mut self.outputs) {
            self.disconnected();
        }
        self.resync_due(now);
    }

    fn frame(&mut self, frame: ServerFrame, now: Now) {
        match frame {
            ServerFrame::Challenge(asked) => {
                self.connection.challenged(asked, self.has(), now, &mut self.outputs);
            }
            ServerFrame::Welcome(welcome) => self.welcomed(welcome, now),
            ServerFrame::Kinds(kinds) => {
                self.kinds.insert(kinds.cluster.clone(), kinds);
                self.outputs.push_back(Output::Kinds);
                self.subscribe_unknown();
            }
            ServerFrame::Subscribed(answer) => self.subscribed(&answer, now),
            ServerFrame::Rows(rows) => self.rows(rows, now),
            ServerFrame::Object(frame) => self.object_frame(*frame, now),
            ServerFrame::Timeline(frame) => self.timeline_frame(frame, now),
            ServerFrame::Auth(auth) => self.outputs.push_back(Output::Auth(auth)),
            ServerFrame::Rights(rights) => self.outputs.push_back(Output::Rights(rights)),
            ServerFrame::Sync(sync) => self.sync(&sync, now),
            ServerFrame::State(state) => self.state(&state),
            ServerFrame::Problem(frame) => match frame.id {
                Some(id) => self.ended(id, frame.problem, now),
                None => {
                    self.connection.set_problem(frame.problem.clone());
                    self.outputs.push_back(Output::Problem(frame.problem));
                }
            },
            ServerFrame::Goaway(goaway) => {
                self.connection.spread(goaway.spread_ms);
                self.connection.set_problem(goaway.problem);
            }
            ServerFrame::Pong(_) => {}
        }
    }

    fn welcomed(&mut self, welcome: Box<Welcome>, now: Now) {
        let is_second = self.connection.is_open();
        if let Err(problem) = self.connection.welcomed(&welcome.version, now, &mut self.outputs) {
            self.outputs.push_back(Output::Problem(problem));
            return;
        }
        if !welcome.rules.is_empty() && self.rules() != &*welcome.rules {
            self.purge(now);
        }
        self.clock_offset = ClockOffset::default();
        self.clock_offset.learn(welcome.now_ms, now.now_ms);
        self.kinds.retain(|name, _| welcome.clusters.iter().any(|cluster| cluster.name == *name));
        self.welcome = Some(welcome);
        self.outputs.push_back(if is_second { Output::Team } else { Output::Welcome });
        if self.visibility != Visibility::Parked {
            self.subscribe_all(now);
        }
    }

    fn disconnected(&mut self) {
        for view in self.views.values_mut() {
            view.subscription_mut().give_back_of_all();
        }
        for (key, view) in self.views.iter_mut().filter(|(_, view)| !view.is_split()) {
            view.subscription_mut().disconnected();
            view.detach();
            self.outputs.push_back(Output::View(*key));
        }
        self.fail_gets(&Problem::new(Reason::ConnectionClosed, GATEWAY_GONE));
        if self.visibility == Visibility::Parked {
            self.connection.rest();
        }
    }

    fn unreadable_message(&mut self, now: Now) {
        for key in self.keys(|subscription| subscription.wire_id().is_some()) {
            self.broken(key, now);
        }
        let message = "a message of the gateway could not be read; ask again";
        self.fail_gets(&Problem::new(Reason::InternalError, message));
    }

    fn fail_gets(&mut self, problem: &Problem) {
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

    /// The name of what the gateway shows and masks.
    fn rules(&self) -> &str {
        self.welcome.as_ref().map_or("", |welcome| &welcome.rules)
    }

    /// The cluster that the gateway shows.
    #[must_use]
    pub fn cluster(&self) -> Option<&Cluster> {
        self.welcome.as_ref()?.cluster()
    }

    /// Those of the gateway's own cluster.
    #[must_use]
    pub fn kinds(&self) -> Option<&Kinds> {
        self.kinds_of(None)
    }

    /// The kinds that needn't be sent again.
    fn has(&self) -> Vec<Has> {
        let known =
            self.clusters().iter().filter_map(|cluster| Some((cluster, self.kinds.get(&cluster.name)?)));
        known
            .map(|(cluster, kinds)| Has { cluster: cluster.id.clone(), kinds: kinds.digest.clone() })
            .collect()
    }

    /// An instant of the gateway's clock by the viewer's.
    #[must_use]
    pub fn local_ms(&self, gateway_ms: UnixMillis) -> UnixMillis {
        gateway_ms.saturating_sub(self.clock_offset.ahead_ms())
    }

    /// Messages that couldn't be decoded, for the bug report.
    #[must_use]
    pub fn unreadable_count(&self) -> u64 {
        self.unreadable
    }
}

#[cfg(test)]
mod tests;
