//! The viewer's end of the wire as a whole: what happened goes in, what to do comes out. It never touches a
//! socket, a timer or the DOM; the page and [`crate::driver`] do that for it.

mod any_view;
mod clock_offset;
mod gateway;
mod lifecycle;
mod merge;
mod open;
pub(crate) mod part;
mod requests;
mod rights;
mod views;

use std::collections::VecDeque;

use shared::frame::server::{Cluster, Kinds, ServerFrame, Welcome};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use crate::connection::{Connection, GATEWAY_GONE};
pub use crate::events::{Input, Output, ViewKey};
use crate::now::Now;
use crate::observer::RowObserver;
pub use crate::sign_in::SignIn;
use gateway::Gateway;
use lifecycle::Lifecycle;
use requests::{Requests, Sender};
use views::Views;

/// The client of the wire: one connection to a gateway, and the views that are open over one connection after another.
///
/// A driver passes every [`Input`] with its now to [`Client::handle`], then takes outputs from [`Client::poll_output`]
/// until there are none, then sets one timer for [`Client::timer_ms`]. On [`Output::Connect`] it drops the earlier
/// socket, and passes nothing of that socket on any more. The page calls it for a browser, [`crate::driver`] for
/// `dogwatch tail` and the tests. A caller that shows something opens a view, keeps its [`ViewKey`], and reads the view
/// when an output names the key.
///
/// The client itself keeps the order in which its owners are asked, and decides nothing else:
///
/// 1. `connection` decides when to dial, what to send to be let in, and when a silent socket is given up. It knows
///    nothing of views.
/// 2. `gateway` is what the gateway said of itself: clusters, kinds, rules, and its clock against the viewer's.
/// 3. `views` has every view with its subscription, its rows and its chain. A view outlives connections: it keeps its
///    rows and continues from its token. A view that may not be had as a whole, or that is of several clusters, is
///    split into parts, which are views of their own and whose rows stand in the one that was opened.
/// 4. `requests` numbers what is asked for, and knows the calls without an answer.
/// 5. `lifecycle` says whether a reader can see the page: one that is hidden for long gives its subscriptions back.
///
/// After every input the views that are split take over what changed in their parts, and the driver is told if the
/// state of the link is another one. Frames are applied where they belong: the rows of a view move by frames alone.
///
/// When a connection ends, nothing is dropped: views are detached, and nothing applies to them before the gateway's
/// answers on the next one. When the gateway says that it shows less than before, everything that is held is dropped
/// before the new welcome is believed.
#[derive(Debug)]
pub struct Client<O = ()> {
    connection: Connection,
    gateway: Gateway,
    views: Views<O>,
    requests: Requests,
    lifecycle: Lifecycle,
    outputs: VecDeque<Output>,
    /// Messages that couldn't be decoded.
    unreadable: u64,
}

impl<O: RowObserver> Client<O> {
    /// `client` names the program in the gateway's log: `page 0.1.0`.
    #[must_use]
    pub fn new(client: &str, sign_in: SignIn) -> Self {
        Self {
            connection: Connection::new(client, sign_in),
            gateway: Gateway::default(),
            views: Views::default(),
            requests: Requests::default(),
            lifecycle: Lifecycle::default(),
            outputs: VecDeque::new(),
            unreadable: 0,
        }
    }

    /// The one way in for what happens outside.
    pub fn handle(&mut self, input: Input, now: Now) {
        let link = std::mem::discriminant(self.connection.link());
        match input {
            Input::Start => {
                self.lifecycle.started();
                self.wake(now);
            }
            Input::Leave => {
                self.lifecycle.left();
                if self.connection.leave(&mut self.outputs) {
                    self.disconnected();
                }
            }
            Input::Online => self.wake(now),
            Input::Retry => {
                self.with_views(Views::retry);
                self.wake(now);
            }
            Input::Opened => self.connection.opened(self.gateway.has(), now, &mut self.outputs),
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
                self.lifecycle.visible();
                self.wake(now);
            }
            Input::Hidden => self.lifecycle.hidden(now.now_ms),
            Input::Renewed => {
                if self.connection.renewed(now, &mut self.outputs) {
                    self.disconnected();
                }
            }
            Input::SignIn(sign_in) => self.connection.set_sign_in(sign_in, now, &mut self.outputs),
            Input::Proved { nonce, proof } => {
                self.connection.proved(&nonce, proof, self.gateway.has(), now, &mut self.outputs);
            }
            Input::Timer => self.timer(now),
        }
        self.with_views(|views, sender| views.update_parts(now, sender));
        if std::mem::discriminant(self.connection.link()) != link {
            self.outputs.push_back(Output::Link);
        }
    }

    /// Whether the reader waits for something that a hidden page tells by its title: it keeps its subscriptions for longer.
    pub fn follow(&mut self, is_followed: bool) {
        self.lifecycle.follow(is_followed);
    }

    pub fn poll_output(&mut self) -> Option<Output> {
        Some(match self.outputs.pop_front()? {
            // A part ends without its view.
            Output::Ended(key) if self.views.whole_of(key) != key => Output::View(self.views.whole_of(key)),
            Output::View(key) => Output::View(self.views.whole_of(key)),
            output => output,
        })
    }

    /// When [`Input::Timer`] is due.
    #[must_use]
    pub fn timer_ms(&self) -> Option<UnixMillis> {
        let timers = [self.connection.timer_ms(), self.lifecycle.timer_ms(), self.views.timer_ms()];
        timers.into_iter().flatten().min()
    }

    fn wake(&mut self, now: Now) {
        if self.lifecycle.has_left() {
            return;
        }
        self.connection.dial(now, &mut self.outputs);
        if self.connection.is_open() {
            self.with_views(|views, sender| views.ask_all(now, sender));
        }
    }

    fn timer(&mut self, now: Now) {
        if self.lifecycle.parks(now.now_ms) {
            self.with_views(Views::park);
        }
        if self.lifecycle.is_parked() {
            self.connection.rest();
        }
        if self.connection.timer(now, &mut self.outputs) {
            self.disconnected();
        }
        self.with_views(|views, sender| views.ask_due(now, sender));
    }

    fn frame(&mut self, frame: ServerFrame, now: Now) {
        match frame {
            ServerFrame::Challenge(asked) => {
                self.connection.challenged(asked, self.gateway.has(), now, &mut self.outputs);
            }
            ServerFrame::Welcome(welcome) => self.welcomed(welcome, now),
            ServerFrame::Kinds(kinds) => {
                self.gateway.set_kinds(kinds);
                self.outputs.push_back(Output::Kinds);
                self.with_views(Views::ask_unknown);
            }
            ServerFrame::Subscribed(answer) => {
                let ahead_ms = self.gateway.ahead_ms();
                self.with_views(|views, sender| views.subscribed(&answer, ahead_ms, now, sender));
            }
            ServerFrame::Rows(rows) => self.with_views(|views, sender| views.rows(rows, now, sender)),
            ServerFrame::Object(frame) => match frame.id {
                Some(id) if self.requests.is_answered(id) => {
                    self.outputs.push_back(Output::Got(id, Ok(frame)));
                }
                Some(_) => {}
                None => self.with_views(|views, sender| views.object(*frame, now, sender)),
            },
            ServerFrame::Timeline(frame) => {
                self.with_views(|views, sender| views.timeline(frame, now, sender));
            }
            ServerFrame::Auth(auth) => self.outputs.push_back(Output::Auth(auth)),
            ServerFrame::Children(found) => self.requests.children_came(found),
            ServerFrame::Rights(rights) => self.outputs.push_back(Output::Rights(rights)),
            ServerFrame::Past(answer) => {
                if self.requests.is_past_answered(answer.id) {
                    self.outputs.push_back(Output::Past(answer));
                }
            }
            ServerFrame::Sync(sync) => {
                self.connection.spread(sync.spread_ms);
                let said_ms = self.gateway.said_ms(sync.now_ms, now.now_ms);
                self.with_views(|views, sender| views.sync(&sync, said_ms, now, sender));
            }
            ServerFrame::State(state) => {
                let ahead_ms = self.gateway.ahead_ms();
                self.with_views(|views, sender| views.state(&state, ahead_ms, now, sender));
            }
            ServerFrame::Problem(frame) => match frame.id {
                Some(id) if self.requests.is_answered(id) => {
                    self.outputs.push_back(Output::Got(id, Err(frame.problem)));
                }
                Some(id) if self.requests.is_past_answered(id) => {
                    self.outputs.push_back(Output::Unanswered(id, frame.problem));
                }
                Some(id) => self.with_views(|views, sender| views.ended(id, frame.problem, now, sender)),
                None => {
                    self.connection.set_problem(frame.problem.clone());
                    self.outputs.push_back(Output::Problem(frame.problem));
                }
            },
            ServerFrame::Goaway(goaway) => {
                self.connection.spread(goaway.spread_ms);
                self.connection.set_problem(goaway.problem);
            }
            ServerFrame::Log(answer) => {
                self.outputs.push_back(Output::Logs(answer.id));
                self.requests.logs_came(answer);
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
        if self.gateway.has_other_rules(&welcome) {
            self.with_views(|views, sender| views.purge(now, sender));
        }
        self.gateway.welcomed(welcome, now.now_ms);
        self.outputs.push_back(if is_second { Output::Team } else { Output::Welcome });
        if !self.lifecycle.is_parked() {
            self.with_views(|views, sender| views.ask_all(now, sender));
        }
    }

    fn disconnected(&mut self) {
        self.with_views(Views::disconnected);
        self.requests.fail(&Problem::new(Reason::ConnectionClosed, GATEWAY_GONE), &mut self.outputs);
        if self.lifecycle.is_parked() {
            self.connection.rest();
        }
    }

    fn unreadable_message(&mut self, now: Now) {
        self.with_views(|views, sender| views.all_broken(now, sender));
        let message = "a message of the gateway could not be read; ask again";
        self.requests.fail(&Problem::new(Reason::InternalError, message), &mut self.outputs);
    }

    /// Lends the views beside the way on which they ask.
    fn with_views<R>(&mut self, change: impl FnOnce(&mut Views<O>, &mut Sender<'_>) -> R) -> R {
        let mut sender = Sender {
            requests: &mut self.requests,
            outputs: &mut self.outputs,
            is_open: self.connection.is_open(),
            is_parked: self.lifecycle.is_parked(),
        };
        change(&mut self.views, &mut sender)
    }

    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    #[must_use]
    pub fn welcome(&self) -> Option<&Welcome> {
        self.gateway.welcome()
    }

    /// The cluster that the gateway shows.
    #[must_use]
    pub fn cluster(&self) -> Option<&Cluster> {
        self.gateway.cluster(None)
    }

    /// The clusters that the gateway has, its own one first.
    #[must_use]
    pub fn clusters(&self) -> &[Cluster] {
        self.gateway.clusters()
    }

    /// A cluster by its name; the gateway's own one without a name.
    #[must_use]
    pub fn cluster_named(&self, name: Option<&ClusterName>) -> Option<&Cluster> {
        self.gateway.cluster(name)
    }

    /// How the scope of a view of one cluster names it: the gateway's own one goes without saying.
    #[must_use]
    pub fn in_scope(&self, cluster: &ClusterName) -> Option<ClusterName> {
        (self.cluster()?.name != *cluster).then(|| cluster.clone())
    }

    /// Those of the gateway's own cluster.
    #[must_use]
    pub fn kinds(&self) -> Option<&Kinds> {
        self.gateway.kinds(None)
    }

    /// The kinds of a cluster, once they came; those of the gateway's own one without a name.
    #[must_use]
    pub fn kinds_of(&self, cluster: Option<&ClusterName>) -> Option<&Kinds> {
        self.gateway.kinds(cluster)
    }

    /// An instant of the gateway's clock by the viewer's.
    #[must_use]
    pub fn local_ms(&self, gateway_ms: UnixMillis) -> UnixMillis {
        self.gateway.local_ms(gateway_ms)
    }

    /// An instant of the viewer's clock by the gateway's, as questions about the past name it.
    #[must_use]
    pub fn gateway_ms(&self, local_ms: UnixMillis) -> UnixMillis {
        self.gateway.gateway_ms(local_ms)
    }

    /// Messages that couldn't be decoded, for the bug report.
    #[must_use]
    pub fn unreadable_count(&self) -> u64 {
        self.unreadable
    }
}

#[cfg(test)]
mod tests;
