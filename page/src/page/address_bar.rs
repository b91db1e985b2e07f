//! The address bar: what it shows, which parts couldn't be read, and whether a change pushes or replaces an entry
//! of the history.

use std::rc::Rc;

use shared::problem::Problem;

use crate::address::{self, Address, Look, Pane};
use crate::effect::Effect;
use crate::pane::links::PageLinks;

/// The page that the program runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// Dogwatch's own page, which controls the address bar.
    Dogwatch,
    /// Another page with elements of Dogwatch.
    Portal,
}

/// It owns what the address bar shows and what of it isn't a view: the keys, the question of a link, and the parts that couldn't
/// be read. A change of the panes goes through it, so that equal pages have equal addresses.
pub(super) struct AddressBar {
    host: Host,
    /// Path and query, as the browser shows them.
    shown: String,
    /// Single letters are keys.
    letters: bool,
    /// The question of the link, until its reader has asked it or has not.
    question: Box<str>,
    /// The parts of the link that couldn't be read.
    unread: Vec<Problem>,
    /// For links of rows, as of `shown`.
    links: Option<(String, Rc<PageLinks>)>,
}

impl AddressBar {
    pub(super) fn new(host: Host) -> Self {
        Self {
            host,
            shown: String::new(),
            letters: true,
            question: Box::default(),
            unread: Vec::new(),
            links: None,
        }
    }

    pub(super) fn host(&self) -> Host {
        self.host
    }

    /// Reads the path and query that the browser shows. Returns what they name.
    pub(super) fn read(&mut self, address: &str) -> (Address, Effect) {
        address.clone_into(&mut self.shown);
        let (read, unread) = address::parse(address);
        (self.unread, self.letters, self.question) =
            (unread, read.letters, address::question_of(address).into());
        (read, Effect::TakeLetters(self.letters))
    }

    /// Path and query, as the browser shows them.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    pub(super) fn question(&self) -> &str {
        &self.question
    }

    /// It was asked, or can't be read.
    pub(super) fn answer_question(&mut self, unread: Option<Problem>) {
        self.question = Box::default();
        self.unread.extend(unread);
    }

    pub(super) fn unread(&self) -> impl Iterator<Item = &str> {
        self.unread.iter().map(|problem| &*problem.message)
    }

    pub(super) fn dismiss_unread(&mut self) {
        self.unread.clear();
    }

    /// Replaces the entry of the history by what the page shows.
    pub(super) fn replace(&mut self, shown: Address) -> Option<Effect> {
        let href = self.href(shown);
        if self.host == Host::Portal || href == self.shown {
            return None;
        }
        self.shown.clone_from(&href);
        Some(Effect::ReplaceAddress(href))
    }

    /// Pushes an entry of the history for what the page shows.
    pub(super) fn push(&mut self, shown: Address) -> Option<Effect> {
        if self.host == Host::Portal {
            return None;
        }
        self.shown = self.href(shown);
        Some(Effect::PushAddress(self.shown.clone()))
    }

    /// From which the links of rows are made; `None`: the page isn't Dogwatch's. The same as long as the address is.
    pub(super) fn links(&mut self, shown: impl FnOnce() -> Address) -> Option<Rc<PageLinks>> {
        if self.host == Host::Portal {
            return None;
        }
        let held = self.links.take().filter(|(shown, _)| *shown == self.shown);
        let letters = self.letters;
        let links =
            held.unwrap_or_else(|| (self.shown.clone(), Rc::new(PageLinks(Address { letters, ..shown() }))));
        Some(Rc::clone(&self.links.insert(links).1))
    }

    fn href(&self, shown: Address) -> String {
        let mut href = Address { letters: self.letters, ..shown }.href();
        address::add(&mut href, &self.question);
        href
    }
}

/// An element shows one view: of a board's link the first one.
pub(super) fn first_pane(link: &str) -> Pane {
    let mut pane = address::parse(link).0.panes.into_iter().next().unwrap_or_default();
    let path = link.split('?').next().unwrap_or_default().trim_matches('/');
    if pane.location.resource.is_empty() && pane.look != Look::Wrong && !path.is_empty() {
        // No kind has this name, so the element says what it was given.
        pane.location.resource = format!("/{path}").chars().take(LINK_SHOWN_CHARACTERS).collect();
    }
    pane
}

/// Characters of an unreadable link that an element shows.
const LINK_SHOWN_CHARACTERS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_keeps_a_link_that_names_no_view() {
        for (link, resource) in
            [("", ""), ("/", ""), ("/v/pods?q=a", "pods"), ("garbage", "/garbage"), ("/b", "/b")]
        {
            assert_eq!(&*first_pane(link).location.resource, resource, "{link}");
        }
    }
}
