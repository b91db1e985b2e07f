//! What the page asks of the browser. Effects are carried out in order. Only a copy and a proof have an answer: the
//! browser may refuse the one, and have no key for the other.

use shared::frame::client::ClientFrame;

use crate::clipboard::Clip;
use crate::preferences::Change;

#[derive(Debug)]
pub enum Effect {
    /// Open a socket to the gateway; drop any other.
    Connect,
    Send(ClientFrame),
    /// Sign this with the page's key, and answer with `Input::Proved`.
    Prove(Box<str>),
    /// Drop the socket.
    Disconnect,
    /// Put this on the clipboard, and answer with [`crate::Page::copied`].
    Copy(Clip),
    /// Push an entry of the history with this path and query.
    PushAddress(String),
    /// Replace the entry of the history by this path and query.
    ReplaceAddress(String),
    Reload,
    /// Set the document's title.
    SetTitle(String),
    /// Change one stored preference, and none that another tab stored meanwhile.
    Keep(Change),
    /// Remove the stored session, which was refused.
    ForgetSession,
    /// Whether single letters are keys of the page.
    TakeLetters(bool),
    Download(File),
}

/// A file that the page made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub media_type: &'static str,
    pub text: String,
}
