//! What the page asks of the browser around it. Carried out in order, and never answered.

use shared::frame::client::ClientFrame;

use crate::preferences::Change;

#[derive(Debug)]
pub enum Effect {
    /// Open a socket to the gateway; drop any other.
    Connect,
    Send(ClientFrame),
    /// Drop the socket.
    Disconnect,
    /// Put a text on the clipboard.
    Copy(String),
    /// Put the page's own address, with its origin, on the clipboard.
    CopyAddress,
    /// A new entry of the history: path and query.
    PushAddress(String),
    /// The entry of the history becomes this one: path and query.
    ReplaceAddress(String),
    Reload,
    /// The document's title.
    SetTitle(String),
    /// Change what the browser keeps, and nothing that another tab kept meanwhile.
    Keep(Change),
    /// The credential was refused: a later visit must not try it again.
    ForgetCredential,
    /// Whether single letters are keys.
    TakeLetters(bool),
    Download(File),
}

/// A file that is made in the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub media_type: &'static str,
    pub text: String,
}
