//! What goes into a client and what comes out of it.

use shared::frame::client::{ClientFrame, Proof, SubscriptionId};
use shared::frame::server::{Auth, ObjectFrame, PastAnswer, Rights, ServerFrame};
use shared::problem::Problem;

use crate::sign_in::SignIn;
use crate::table::Delta;

/// A view's name within this client; it outlives connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ViewKey(pub(crate) u32);

#[derive(Debug)]
pub enum Input {
    /// Connect.
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
    /// A message that couldn't be decoded. It may have been for any view, so each of them subscribes again
    /// from its last cut.
    Unreadable {
        bytes: u64,
    },
    /// The browser says that there is a network again.
    Online,
    Visible,
    Hidden,
    /// The connection isn't wanted any more: close it, and open none before the next [`Input::Start`].
    Leave,
    /// The reader asks to try now.
    Retry,
    /// Another way in, after the last one was refused or taken away.
    SignIn(SignIn),
    /// The login that the upgrade carries was renewed: the next connection has it.
    Renewed,
    /// The answer to [`Output::Prove`]; `None`: there is no key.
    Proved {
        nonce: Box<str>,
        proof: Option<Proof>,
    },
    /// `Client::timer_ms` has come.
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
    /// The key is to sign this for the gateway.
    Prove {
        nonce: Box<str>,
    },
    /// The link's state changed.
    Link,
    Welcome,
    /// Another welcome on the same connection: what a team shows has changed.
    Team,
    Kinds,
    /// A view's columns, state or proof changed, not its rows.
    View(ViewKey),
    Rows(ViewKey, Box<Delta>),
    /// An object view has another state of its object.
    Object(ViewKey),
    /// The number of entries that came to a timeline.
    Timeline(ViewKey, usize),
    /// The answer to `Client::get`.
    Got(SubscriptionId, Result<Box<ObjectFrame>, Problem>),
    /// The answer to `Client::ask_rights`.
    Rights(Box<Rights>),
    /// The answer to [`crate::Client::ask_past`].
    Past(PastAnswer),
    /// A part of the logs came that [`crate::Client::open_logs`] asked for.
    Logs(SubscriptionId),
    /// Why a question about the past has no other answer, or why logs end before they are over.
    Unanswered(SubscriptionId, Problem),
    /// The gateway named the viewer, and says when it will want another credential.
    Auth(Auth),
    /// The view dropped what came by a right that ended, or all that it held: nothing that was made from it may be shown any more.
    Purged(ViewKey),
    /// The gateway ended a view's subscription; its `ended` says why.
    Ended(ViewKey),
    /// A problem that belongs to no view.
    Problem(Problem),
}
