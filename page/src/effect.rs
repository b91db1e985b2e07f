//! What the page asks of the browser. Effects are carried out in order. A copy, a proof, a renewal and a
//! logout have an answer: the browser may refuse the first and have no key for the second, the gateway may refuse the others.

pub(crate) mod file;

use serde::Serialize;
use shared::frame::client::ClientFrame;

use crate::action::PaneId;
use crate::clipboard::Clip;
use crate::location::PanelPlace;
use crate::piece::Piece;
use crate::preferences::Change;
pub use file::File;

#[derive(Debug)]
pub enum Effect {
    /// Open a socket to the gateway; drop any other.
    Connect,
    Send(ClientFrame),
    /// Sign this with the page's key, and answer with `Input::Proved`.
    Prove(Box<str>),
    /// Drop the socket.
    Disconnect,
    /// Fetch a piece of the program, and answer with [`crate::Page::brought`] or [`crate::Page::not_brought`].
    Fetch(Piece),
    /// Put this on the clipboard, and answer with [`crate::Page::copied`].
    Copy(Clip),
    /// Push an entry of the history with this path and query.
    PushAddress(String),
    /// Replace the entry of the history by this path and query.
    ReplaceAddress(String),
    Reload,
    /// Lead to this link of the gateway, where the reader signs in. By itself: in place of this entry of the history.
    SignIn {
        link: String,
        is_by_itself: bool,
    },
    /// A way through the provider has ended here: other tabs may go on as well.
    SignedIn,
    /// Ask the gateway to renew the login, once for all tabs, and answer with [`crate::Page::renewed`].
    Renew,
    /// Ask the gateway to end the login, and answer with [`crate::Page::signed_out`].
    SignOut,
    /// Tell the other tabs that the login has ended.
    TellSignedOut,
    /// Replace this document: with the one at this address, or with the page for readers who aren't signed in.
    Leave(Option<String>),
    /// Set the document's title, and the icon of its tab.
    SetTitle(String, TabIcon),
    /// Change one stored preference, and none that another tab stored meanwhile.
    Keep(Change),
    /// Remove the stored session, which was refused.
    ForgetSession,
    /// Whether single letters are keys of the page.
    TakeLetters(bool),
    Download(File),
    /// Show a notification of the browser, which leads to this path and query.
    Notify {
        text: String,
        href: Option<String>,
    },
    /// Ask the reader whether notifications may be shown, and answer with [`crate::Page::may_notify`].
    AskToNotify,
    /// Sound a short tone, if the browser lets this page.
    Sound,
    /// Close the notifications of this page.
    CloseNotifications,
    /// Tell the host's page of this element that its reader opened a row.
    Activated(PaneId, ActivatedRow),
    /// Tell the host's page of this element that its reader closed the object.
    Closed(PaneId),
}

/// The object of a row that the reader opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActivatedRow {
    /// As `deployments.apps`.
    pub resource: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    pub name: String,
    /// In a view of several clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

impl ActivatedRow {
    pub(crate) fn of(resource: String, place: PanelPlace) -> Self {
        let namespace = place.namespace.map(|namespace| namespace.as_str().to_owned());
        let cluster = place.cluster.map(|cluster| cluster.as_str().to_owned());
        Self { resource, namespace, name: place.name.as_str().to_owned(), cluster }
    }
}

/// Whether the browser shows notifications of this page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MayNotify {
    /// The reader wasn't asked yet.
    #[default]
    Asks,
    Yes,
    No,
    /// It has none, or not in this frame.
    NotHere,
}

/// What a tab without room for its title shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TabIcon {
    Usual,
    /// Rows of its views fail.
    Failing,
    /// The open object rolls out.
    Rollout,
    /// A view isn't current.
    Stale,
}
