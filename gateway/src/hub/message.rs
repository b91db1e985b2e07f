//! What a session and a hub say to each other. The hub announces news at most once until the session
//! pulls, and delivers unasked only with the session's permit, so no channel between them can overflow.

use std::sync::Arc;

use shared::problem::Problem;

use super::listen::Listen;
use super::request::{Open, SubscriberKey};
use super::views::Encoded;
use crate::feed::{FeedCommand, FeedOutput};

/// What a session asks of a hub at which it has a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HubRequest {
    Close(SubscriberKey),
    /// Send the next delivery.
    Pull(SubscriberKey),
    /// Try the upstream now.
    Retry,
}

/// All that can happen to a hub.
pub enum HubAction<S> {
    Feed(FeedOutput),
    Open(Box<Open<S>>),
    Request(HubRequest),
    /// The deadline has passed, or cells can be read.
    Continue,
    /// Another one listens to what the hub hears.
    Listen(Box<dyn Listen>),
    /// The feed or the gateway ends.
    End,
}

/// What follows at once from an action. Messages with news follow from [`super::Hub::settle`].
#[derive(Debug, Default)]
pub struct HubEffects {
    pub to_session: Option<(SubscriberKey, ToSession)>,
    pub to_feed: Option<FeedCommand>,
}

/// What a hub tells a session.
#[derive(Debug)]
pub enum ToSession {
    /// There is something to pull.
    News(SubscriberKey),
    /// The answer to a pull, which may be empty.
    Delivery(SubscriberKey, Delivery),
    /// A delivery that wasn't asked for. It gives the session's permit back.
    Pushed(SubscriberKey, Delivery),
    /// The upstream may not list what the hub is to hold.
    Forbidden(SubscriberKey),
    /// The hub is gone and with it the subscription.
    Ended(SubscriberKey, Problem),
}

/// What one subscriber is sent at once, in this order: after its pull, or pushed by the permit of its session.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    pub messages: Vec<Arc<Encoded>>,
    /// It isn't decided whether the token can be continued, so it is still worth something.
    pub is_undecided: bool,
    /// There is more: pull again.
    pub more: bool,
    /// It has all that it asked for, and the subscription is over.
    pub is_over: bool,
}

/// What happened since it was asked for last, for the gateway's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HubCounts {
    /// Changes went unseen, and a list showed what is there now.
    pub gaps: u64,
    /// Viewers with a token that got what had changed.
    pub continued: u64,
    /// Viewers with a token that got all rows.
    pub began_anew: u64,
}
