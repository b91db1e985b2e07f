//! What a session and the owner of a hub say to each other. A reader is told at most once that there
//! is news, and gets what it pulls, or one delivery unasked when it is ready for it: so no channel
//! between them can overflow.

use std::sync::Arc;

use shared::problem::Problem;
use tokio::sync::mpsc;

use super::turn::Turn;
use crate::hub::{Delivery, Opening};

/// One subscription of one session, unique in the gateway.
pub type Ticket = u64;

/// To the owner of a hub, from a session that has a subscription there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    Close(Ticket),
    /// The next delivery, please.
    Pull(Ticket),
    /// Try the upstream now.
    Retry,
}

/// To the owner of a hub.
pub(super) enum HubCommand {
    Open { ticket: Ticket, opening: Box<Opening>, reader: mpsc::Sender<ToSession>, turn: Turn },
    Ask(Ask),
}

/// To a session.
#[derive(Debug)]
pub enum ToSession {
    /// There is something to pull.
    News(Ticket),
    /// The answer to a pull; it may be empty.
    Delivery(Ticket, Delivery),
    /// Unasked, with the session's turn, which comes back with it.
    Pushed(Ticket, Delivery),
    /// The upstream may not list what the hub is to hold.
    Forbidden(Ticket),
    /// The hub is gone and with it the subscription.
    Ended(Ticket, Problem),
}

/// Where a subscription's hub is reached.
#[derive(Clone)]
pub(super) struct HubHandle {
    pub(super) commands: mpsc::Sender<HubCommand>,
    /// Tells two incarnations of the same key apart.
    pub(super) identity: Arc<()>,
}
