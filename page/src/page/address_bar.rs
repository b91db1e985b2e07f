//! The address bar: what it shows, what of it couldn't be read, and which entry of the history a change
//! makes. Filter and sort replace the entry; another kind, other namespaces or another pane push one.

use shared::problem::Problem;

use crate::address::{self, Address, Pane};
use crate::effect::Effect;

/// Whose page this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// Dogwatch's own: the address bar belongs to it.
    Dogwatch,
    /// Another page, with elements of Dogwatch in it.
    Portal,
}

pub(super) struct AddressBar {
    host: Host,
    /// Path and query, as the browser shows them.
    shown: String,
    /// Single letters are keys.
    letters: bool,
    /// What of the link couldn't be read.
    unread: Vec<Problem>,
}

impl AddressBar {
    pub(super) fn new(host: Host) -> Self {
        Self { host, shown: String::new(), letters: true, unread: Vec::new() }
    }

    pub(super) fn host(&self) -> Host {
        self.host
    }

    /// The browser shows this path and query. Answers the panes that it asks for.
    pub(super) fn read(&mut self, address: &str) -> (Vec<Pane>, Effect) {
        address.clone_into(&mut self.shown);
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let read = address::parse(path, query);
        self.unread = read.problems;
        self.letters = read.address.letters;
        (read.address.panes, Effect::TakeLetters(self.letters))
    }

    pub(super) fn unread(&self) -> impl Iterator<Item = &str> {
        self.unread.iter().map(|problem| &*problem.message)
    }

    pub(super) fn dismiss_unread(&mut self) {
        self.unread.clear();
    }

    /// The entry of the history becomes what the page shows.
    pub(super) fn replace(&mut self, panes: Vec<Pane>) -> Option<Effect> {
        let href = self.href(panes);
        if self.host == Host::Portal || href == self.shown {
            return None;
        }
        self.shown.clone_from(&href);
        Some(Effect::ReplaceAddress(href))
    }

    /// The history gets an entry for what the page shows.
    pub(super) fn push(&mut self, panes: Vec<Pane>) -> Option<Effect> {
        if self.host == Host::Portal {
            return None;
        }
        self.shown = self.href(panes);
        Some(Effect::PushAddress(self.shown.clone()))
    }

    fn href(&self, panes: Vec<Pane>) -> String {
        Address { panes, letters: self.letters }.href()
    }
}

/// An element shows one view: the first one of a board's link.
pub(super) fn first_pane(link: &str) -> Pane {
    let (path, query) = link.split_once('?').unwrap_or((link, ""));
    address::parse(path, query).address.panes.into_iter().next().unwrap_or_default()
}
