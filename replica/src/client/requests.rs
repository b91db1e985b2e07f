//! The requests of a client: their numbers on the wire, the calls without an answer, and the way on which views send
//! theirs.

use std::collections::VecDeque;

use shared::frame::client::{ClientFrame, SubscriptionId, Unsubscribe};
use shared::frame::server::{Children, LogAnswer};
use shared::problem::Problem;

use crate::events::Output;
use crate::limits::CHILDREN_ANSWERS_MAX;

#[derive(Debug)]
pub(super) struct Requests {
    next_id: SubscriptionId,
    /// Calls of [`super::Client::get`] without an answer.
    gets: Vec<SubscriptionId>,
    /// Questions about the past without an answer, and logs that aren't over.
    past: Vec<SubscriptionId>,
    /// Parts of logs that weren't taken yet.
    logs: Vec<LogAnswer>,
    /// Answers about kinds of children that weren't taken yet.
    children: VecDeque<Children>,
}

impl Default for Requests {
    fn default() -> Self {
        Self { next_id: 1, gets: Vec::new(), past: Vec::new(), logs: Vec::new(), children: VecDeque::new() }
    }
}

impl Requests {
    /// The number of the next request.
    pub(super) fn number(&mut self) -> SubscriptionId {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        id
    }

    /// The number of the next call for one object.
    pub(super) fn get(&mut self) -> SubscriptionId {
        let id = self.number();
        self.gets.push(id);
        id
    }

    /// The number of the next question about the past, or for logs.
    pub(super) fn ask_past(&mut self) -> SubscriptionId {
        let id = self.number();
        self.past.push(id);
        id
    }

    /// Whether this answers a question about the past, which each is once, or ends logs.
    pub(super) fn is_past_answered(&mut self, id: SubscriptionId) -> bool {
        let at = self.past.iter().position(|asked| *asked == id);
        at.map(|at| self.past.swap_remove(at)).is_some()
    }

    /// Whether this answers a call for one object. Each is answered once.
    pub(super) fn is_answered(&mut self, id: SubscriptionId) -> bool {
        let at = self.gets.iter().position(|asked| *asked == id);
        at.map(|at| self.gets.swap_remove(at)).is_some()
    }

    /// An answer that stays for long is to a question that was dropped.
    pub(super) fn children_came(&mut self, found: Children) {
        if self.children.len() >= CHILDREN_ANSWERS_MAX {
            self.children.pop_front();
        }
        self.children.push_back(found);
    }

    /// What comes of logs that were ended meanwhile is dropped. The others are taken at once, so there are few.
    pub(super) fn logs_came(&mut self, answer: LogAnswer) {
        if self.past.contains(&answer.id) {
            self.logs.push(answer);
        }
    }

    pub(super) fn take_logs(&mut self, id: SubscriptionId) -> Vec<LogAnswer> {
        self.logs.extract_if(.., |answer| answer.id == id).collect()
    }

    pub(super) fn take_children(&mut self, id: SubscriptionId) -> Option<Children> {
        let at = self.children.iter().position(|found| found.id == id)?;
        self.children.remove(at)
    }

    /// No answer will come to the calls so far.
    pub(super) fn fail(&mut self, problem: &Problem, outputs: &mut VecDeque<Output>) {
        for id in std::mem::take(&mut self.gets) {
            outputs.push_back(Output::Got(id, Err(problem.clone())));
        }
        for id in std::mem::take(&mut self.past) {
            outputs.push_back(Output::Unanswered(id, problem.clone()));
        }
    }
}

/// The way from the views to the gateway and to the driver, for as long as one input is handled.
#[derive(Debug)]
pub(super) struct Sender<'a> {
    pub(super) requests: &'a mut Requests,
    pub(super) outputs: &'a mut VecDeque<Output>,
    /// Whether the gateway has welcomed the client.
    pub(super) is_open: bool,
    /// The page is hidden, and its subscriptions were given back.
    pub(super) is_parked: bool,
}

impl Sender<'_> {
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether a view that is opened now is asked for at once.
    pub(super) fn may_ask(&self) -> bool {
        self.is_open && !self.is_parked
    }

    pub(super) fn number(&mut self) -> SubscriptionId {
        self.requests.number()
    }

    pub(super) fn say(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    pub(super) fn send(&mut self, frame: ClientFrame) {
        self.say(Output::Send(frame));
    }

    /// `differed`: because the rows aren't the gateway's.
    pub(super) fn unsubscribe(&mut self, id: SubscriptionId, differed: bool) {
        if self.is_open {
            self.send(ClientFrame::Unsubscribe(Unsubscribe { id, differed }));
        }
    }
}
