//! What one session says and does, decided without a socket: frames and hub messages go in, messages
//! to send and commands to hubs come out.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use shared::codec::{self, DecodeError};
use shared::frame::client::{ClientFrame, Credential, SubscriptionId};
use shared::frame::close;
use shared::frame::server::{Auth, Kinds, Pong, ProblemFrame, ServerFrame};
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use super::credit::Credit;
use super::message::{Ask, Ticket, ToSession};
use super::pace::{MonotonicMs, Pace};
use super::turn::Turn;
use crate::access::{admit, may_show};
use crate::feed::FeedKey;
use crate::hub::{Delivery, Encoded, Filter, Opening};
use crate::limits::{CREDIT_BYTES, MESSAGE_BYTES_MAX, SUBSCRIPTIONS_MAX};
use wish::Wish;

mod moved;
mod refusal;
#[cfg(test)]
mod tests;
mod wish;

/// What a session asks of the gateway around it.
pub trait Hubs {
    /// Where a subscription's hub is reached.
    type Hub: Clone;
    fn ticket(&self) -> Ticket;
    fn fresh_view(&self) -> u32;
    /// # Errors
    /// What the subscriber is told.
    fn open(&self, key: FeedKey, ticket: Ticket, opening: Opening) -> Result<Self::Hub, Problem>;
}

pub struct Conversation<H> {
    subscriptions: HashMap<SubscriptionId, Ticket>,
    open: BTreeMap<Ticket, Open<H>>,
    /// Who has news, each once, in the order of the news.
    waiting: VecDeque<Ticket>,
    queued: HashSet<Ticket>,
    /// A delivery that was asked for and isn't here yet; one at a time.
    pulling: Option<Ticket>,
    turn: Turn,
    /// The turn isn't free, and no hub has it.
    has_turn: bool,
    outbox: VecDeque<Arc<Encoded>>,
    credit: Credit,
    pace: Pace,
}

struct Open<H> {
    hub: H,
    wish: Wish,
    view: (FeedKey, Filter),
}

/// What is to be done besides sending.
pub struct Todo<H> {
    pub asks: Vec<(H, Ask)>,
    /// Subscriptions to [`Conversation::narrow`].
    pub narrow: Vec<Ticket>,
    /// Says who it is now; [`Conversation::authenticated`] follows.
    pub auth: Option<Credential>,
    /// The connection ends with this code, after what is in the outbox.
    pub close: Option<u16>,
}

impl<H> Default for Todo<H> {
    fn default() -> Self {
        Self { asks: Vec::new(), narrow: Vec::new(), auth: None, close: None }
    }
}

impl<H: Clone> Conversation<H> {
    #[must_use]
    pub fn new(now: MonotonicMs) -> Self {
        Self::with_credit(now, CREDIT_BYTES)
    }

    /// Tests shrink the credit.
    #[must_use]
    pub fn with_credit(now: MonotonicMs, credit_bytes: u64) -> Self {
        Self {
            subscriptions: HashMap::new(),
            open: BTreeMap::new(),
            waiting: VecDeque::new(),
            queued: HashSet::new(),
            pulling: None,
            turn: Turn::default(),
            has_turn: true,
            outbox: VecDeque::new(),
            credit: Credit::of(credit_bytes),
            pace: Pace::of_subscribes(now),
        }
    }

    /// For the hubs that it has subscriptions at.
    #[must_use]
    pub fn turn(&self) -> Turn {
        self.turn.clone()
    }

    pub fn say(&mut self, frame: &ServerFrame) {
        self.outbox.extend(Encoded::new(frame).map(Arc::new));
    }

    /// Messages that wait for the socket. Bounded: see `OUTBOX_MESSAGES_MAX`.
    #[must_use]
    pub fn outbox_len(&self) -> usize {
        self.outbox.len()
    }

    pub fn next_message(&mut self) -> Option<Arc<Encoded>> {
        let message = self.outbox.pop_front()?;
        self.credit.spend(message.bytes.len());
        Some(message)
    }

    /// One message of the client.
    pub fn hear(
        &mut self,
        text: &str,
        kinds: &Kinds,
        hubs: &impl Hubs<Hub = H>,
        now: MonotonicMs,
    ) -> Todo<H> {
        match codec::decode_client(text) {
            Ok(frame) => self.obey(frame, kinds, hubs, now),
            Err(error) => self.refuse(text, &error),
        }
    }

    fn obey(
        &mut self,
        frame: ClientFrame,
        kinds: &Kinds,
        hubs: &impl Hubs<Hub = H>,
        now: MonotonicMs,
    ) -> Todo<H> {
        let mut todo = Todo::default();
        match frame {
            ClientFrame::Hello(_) => {
                self.problem(None, Problem::bad_request("hello was said already"));
            }
            ClientFrame::Subscribe(subscribe) => {
                let id = subscribe.id;
                if let Err(problem) = self.begin((*subscribe).into(), kinds, hubs, now) {
                    self.problem(Some(id), problem);
                }
            }
            ClientFrame::Auth(auth) => todo.auth = Some(auth.credential),
            ClientFrame::Get(get) => {
                let id = get.id;
                if let Err(problem) = self.begin(Wish::of_get(*get), kinds, hubs, now) {
                    self.problem(Some(id), problem);
                }
            }
            ClientFrame::Unsubscribe(unsubscribe) => match self.forget(unsubscribe.id) {
                Some((ticket, open)) => todo.asks.push((open.hub, Ask::Close(ticket))),
                None => self.unknown(unsubscribe.id),
            },
            ClientFrame::Retry(retry) => {
                match self.subscriptions.get(&retry.id).and_then(|ticket| self.open.get(ticket)) {
                    Some(open) => todo.asks.push((open.hub.clone(), Ask::Retry)),
                    None => self.unknown(retry.id),
                }
            }
            ClientFrame::Ack(ack) => self.credit.acknowledge(ack.bytes),
            ClientFrame::Ping(ping) => self.say(&ServerFrame::Pong(Pong { n: ping.n })),
        }
        self.pull(&mut todo);
        todo
    }

    fn begin(
        &mut self,
        wish: Wish,
        kinds: &Kinds,
        hubs: &impl Hubs<Hub = H>,
        now: MonotonicMs,
    ) -> Result<(), Problem> {
        if self.subscriptions.contains_key(&wish.id) {
            return Err(Problem::bad_request(format!("subscription {} is open already", wish.id)));
        }
        if self.open.len() >= SUBSCRIPTIONS_MAX {
            let message =
                format!("a connection has at most {SUBSCRIPTIONS_MAX} subscriptions; close one first");
            return Err(Problem::new(Reason::Limit, message));
        }
        if !self.pace.take(now) {
            return Err(Problem::new(
                Reason::Limit,
                "too many subscriptions in a short time; try again in a second",
            ));
        }
        let key = admit(kinds, &wish.scope, wish.projection, wish.row)?;
        may_show(&key, wish.projection, &wish.columns)?;
        self.open(wish, key, hubs)
    }

    fn open(&mut self, wish: Wish, key: FeedKey, hubs: &impl Hubs<Hub = H>) -> Result<(), Problem> {
        let (row, projection, columns) = (wish.row, wish.projection, wish.columns.clone());
        let filter = Filter { row, projection, columns, ..Filter::of(&wish.scope) };
        let view = (key.clone(), filter);
        let ticket = hubs.ticket();
        let opening = Opening {
            subscription: wish.id,
            scope: wish.scope.clone(),
            projection: wish.projection,
            row: wish.row,
            columns: wish.columns.clone(),
            is_get: wish.is_get,
            is_granted: wish.is_granted,
            token: wish.token.clone(),
            fresh_view: hubs.fresh_view(),
            is_second: self.open.values().any(|open| open.view == view),
        };
        let hub = hubs.open(key, ticket, opening)?;
        self.subscriptions.insert(wish.id, ticket);
        self.open.insert(ticket, Open { hub, wish, view });
        Ok(())
    }

    /// One message of a hub.
    pub fn take(&mut self, message: ToSession) -> Todo<H> {
        let mut todo = Todo::default();
        match message {
            ToSession::News(ticket) => self.queue(ticket),
            ToSession::Delivery(ticket, delivery) => {
                if self.pulling == Some(ticket) {
                    self.pulling = None;
                }
                self.receive(ticket, delivery, &mut todo);
            }
            ToSession::Pushed(ticket, delivery) => {
                self.has_turn = true;
                self.receive(ticket, delivery, &mut todo);
            }
            ToSession::Forbidden(ticket) => {
                if self.open.get(&ticket).is_some_and(|open| open.narrower().is_some()) {
                    todo.narrow.push(ticket);
                }
            }
            ToSession::Ended(ticket, problem) => {
                if let Some(subscription) = self.open.get(&ticket).map(|open| open.wish.id) {
                    self.forget(subscription);
                    self.problem(Some(subscription), problem);
                }
            }
        }
        self.pull(&mut todo);
        todo
    }

    fn receive(&mut self, ticket: Ticket, delivery: Delivery, todo: &mut Todo<H>) {
        let Some(open) = self.open.get_mut(&ticket) else { return };
        if !delivery.messages.is_empty() && !delivery.is_undecided {
            open.wish.token = None;
        }
        let subscription = open.wish.id;
        if let Some(bytes) = delivery.messages.iter().map(|message| message.bytes.len()).max()
            && bytes > MESSAGE_BYTES_MAX
        {
            return self.refuse_large(subscription, bytes, todo);
        }
        self.outbox.extend(delivery.messages);
        if delivery.more {
            self.queue(ticket);
        }
        if delivery.is_over
            && let Some((ticket, open)) = self.forget(subscription)
        {
            todo.asks.push((open.hub, Ask::Close(ticket)));
        }
    }

    /// What no socket of ours would take ends its subscription, and not the connection.
    fn refuse_large(&mut self, subscription: SubscriptionId, bytes: usize, todo: &mut Todo<H>) {
        if let Some((ticket, open)) = self.forget(subscription) {
            todo.asks.push((open.hub, Ask::Close(ticket)));
        }
        let message = format!(
            "this needs a message of {bytes} bytes, and one has at most {MESSAGE_BYTES_MAX}; look at the object with `kubectl get -o yaml`"
        );
        self.problem(Some(subscription), Problem::new(Reason::TooLarge, message));
    }

    /// Asks for the next delivery, when the last one has gone out and there is credit for another. If
    /// nobody has news, the turn is offered.
    pub fn pull(&mut self, todo: &mut Todo<H>) {
        // A hub that has it delivers; nothing is asked for until then.
        self.has_turn = self.has_turn || self.turn.take();
        if !self.has_turn || self.pulling.is_some() || !self.outbox.is_empty() || !self.credit.is_left() {
            return;
        }
        while let Some(ticket) = self.waiting.pop_front() {
            self.queued.remove(&ticket);
            if let Some(open) = self.open.get(&ticket) {
                self.pulling = Some(ticket);
                return todo.asks.push((open.hub.clone(), Ask::Pull(ticket)));
            }
        }
        self.has_turn = false;
        self.turn.offer();
    }

    /// Everything that is open, to be closed with the connection.
    pub fn end(&mut self) -> Todo<H> {
        let open = std::mem::take(&mut self.open);
        let asks = open.into_iter().map(|(ticket, open)| (open.hub, Ask::Close(ticket))).collect();
        Todo { asks, ..Todo::default() }
    }

    fn queue(&mut self, ticket: Ticket) {
        if self.open.contains_key(&ticket) && self.queued.insert(ticket) {
            self.waiting.push_back(ticket);
        }
    }

    fn forget(&mut self, id: SubscriptionId) -> Option<(Ticket, Open<H>)> {
        let ticket = self.subscriptions.remove(&id)?;
        // Its delivery, should one be on its way, is dropped when it comes: nobody waits for it.
        if self.pulling == Some(ticket) {
            self.pulling = None;
        }
        Some((ticket, self.open.remove(&ticket)?))
    }

    /// The answer to a new credential: the same person goes on, nobody and anybody else don't.
    pub fn authenticated(
        &mut self,
        user: &str,
        now: Result<(Box<str>, Option<UnixMillis>), Problem>,
    ) -> Todo<H> {
        let (problem, code) = match now {
            Ok((name, expires_ms)) if *name == *user => {
                self.say(&ServerFrame::Auth(Auth { user: name, expires_ms }));
                return Todo::default();
            }
            Ok(_) => {
                let message = "this connection is another person's; open one of your own";
                (Problem::new(Reason::Forbidden, message), close::OTHER_IDENTITY)
            }
            Err(problem) => (problem, close::UNAUTHORIZED),
        };
        self.problem(None, problem);
        Todo { close: Some(code), ..Todo::default() }
    }

    fn unknown(&mut self, id: SubscriptionId) {
        self.problem(None, Problem::bad_request(format!("there is no subscription {id}")));
    }

    pub(super) fn problem(&mut self, id: Option<SubscriptionId>, problem: Problem) {
        self.say(&ServerFrame::Problem(ProblemFrame { id, problem }));
    }

    fn refuse(&mut self, text: &str, error: &DecodeError) -> Todo<H> {
        let refusal = refusal::of(text, error);
        self.problem(refusal.subscription, refusal.problem);
        Todo { close: refusal.close, ..Todo::default() }
    }
}
