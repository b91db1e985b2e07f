//! What a session and a hub say to each other. The hub announces news at most once until the session
//! pulls, and delivers unasked only with the session's permit, so no channel between them can overflow.

use shared::problem::Problem;

use super::permit::SubscriberKey;
use super::request::Open;
use super::subscriber::Delivery;
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
