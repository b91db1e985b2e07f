//! A subscriber is where it stands, and what it has yet to be told. There is no queue here.

use std::sync::Arc;

use shared::frame::client::SubscriptionId;
use shared::problem::Problem;

use super::defect::{self, Defect};
use super::frames::Encoded;
use super::state::Held;
use super::view::ViewKey;

/// The hub's own number of a subscriber.
pub type SubscriberId = u64;

pub(super) struct Subscriber {
    /// The client's number, for `subscribed`.
    pub(super) subscription: SubscriptionId,
    pub(super) view: ViewKey,
    /// It has all up to here.
    pub(super) cursor: u64,
    /// Where its last frame ended: where it believes that it stands. Behind `cursor` while nothing
    /// happens in its view.
    pub(super) told: u64,
    /// Of a timeline: the entries that it has, or was told to have missed.
    pub(super) read: u64,
    /// It wants one object, once, and nothing after that.
    pub(super) is_get: bool,
    /// It can't be had, and is told so.
    pub(super) refused: Option<Problem>,
    /// Where the hub stood when it began from nothing; 0 for one that resumed.
    pub(super) start: u64,
    /// Where its token was continued in this epoch.
    pub(super) resumed_at: Option<u64>,
    /// What it has of another hub, until it is known where that stands here. It gets no rows before.
    pub(super) held: Option<Held>,
    /// The next frame replaces all that the client has.
    pub(super) reset: bool,
    /// Its rows are the view as it was at `cursor`; in the middle of a walk they aren't, for what
    /// changed meanwhile is further on.
    pub(super) is_whole: bool,
    /// It has had a frame without `more` and nothing since that wasn't one.
    pub(super) at_cut: bool,
    pub(super) owed: Owed,
    /// The next `sync` after this carries a digest.
    pub(super) digest_due_ms: i64,
}

/// What goes out with the next delivery.
#[derive(Clone, Copy, Default)]
pub(super) struct Owed {
    pub(super) subscribed: bool,
    /// Which namespaces it gets, after `subscribed`.
    pub(super) scope: bool,
    pub(super) state: bool,
    pub(super) sync: bool,
    /// The first `sync` after a resume carries a digest, so that a wrong continuation is found.
    pub(super) digest: bool,
}

/// What one pull of one subscriber gives: in this order, and nothing more until it pulls again.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    pub messages: Vec<Arc<Encoded>>,
    /// Its token is still worth something: it may be continued with it here, or elsewhere.
    pub is_undecided: bool,
    /// It stands behind the head: pull again.
    pub more: bool,
    /// It has all that it asked for: the subscription is over.
    pub is_over: bool,
}

impl Subscriber {
    /// Its next frame replaces all that it has.
    pub(super) fn begin_anew(&mut self, head: u64) {
        self.cursor = 0;
        self.told = 0;
        self.start = head;
        self.resumed_at = None;
        self.held = None;
        self.reset = true;
        self.is_whole = false;
        self.at_cut = false;
    }

    /// It has all up to there, and nothing else.
    pub(super) fn go_on(&mut self, position: u64) {
        self.cursor = position;
        self.told = position;
        self.start = 0;
        self.resumed_at = Some(position);
        self.held = None;
        self.reset = false;
        self.is_whole = true;
        self.at_cut = true;
        self.owed.digest = true;
    }

    /// The deletes that it may have missed: those after what it saw, or after it began.
    pub(super) fn needs_reset(&self, horizon: u64) -> bool {
        let start = if defect::is_on(Defect::NaiveReset) { 0 } else { self.start };
        horizon > self.cursor.max(start)
    }
}
