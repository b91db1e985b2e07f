//! The options of the namespace picker: the choices that fit the typed text, in groups by right where those are reviewed.

use std::collections::BTreeMap;

use shared::name::Namespace;
use shared::scope::Namespaces;
use shared::sorted;
use shared::state::UnixMillis;

use super::{Beside, Choice, NamespaceOption, Picked, RIGHTS_WITHDRAWN_SHOWN_MAX};
use crate::limits::NAMESPACES_SHOWN_MAX;
use crate::messages;

/// What the options are made of.
pub(super) struct Listing<'a> {
    /// Sorted.
    pub(super) names: Vec<Box<str>>,
    pub(super) chosen: &'a Namespaces,
    /// In lower case.
    pub(super) typed: String,
    pub(super) resource: String,
    pub(super) picked: Picked<'a>,
    pub(super) rows: Option<&'a BTreeMap<Namespace, usize>>,
}

impl Listing<'_> {
    /// The best first, and how many more there are.
    pub(super) fn options(&self) -> (Vec<NamespaceOption>, usize) {
        let typed = &*self.typed;
        let mut found: Vec<&str> = self.names.iter().map(|name| &**name).collect();
        if let Namespaces::These(chosen) = self.chosen {
            // A chosen namespace that isn't listed can still be removed.
            found.extend(chosen.iter().map(Namespace::as_str));
        }
        found.retain(|name| name.contains(typed) && !(typed.is_empty() && self.is_withdrawn(name)));
        // Without a text, chosen names and then those with a right come first so that they aren't cut off.
        sorted::sort_by_key(&mut found, |name| {
            (typed.is_empty() && !self.is_chosen(name), self.group(name), !name.starts_with(typed), *name)
        });
        found.dedup();
        let more = found.len().saturating_sub(NAMESPACES_SHOWN_MAX);
        found.truncate(NAMESPACES_SHOWN_MAX);
        if typed.is_empty() {
            sorted::sort(&mut found);
            let (first, others): (Vec<&str>, Vec<&str>) = found.iter().partition(|name| !self.group(name));
            found = [first, others].concat();
        }
        let mut group = None;
        let named = found.iter().filter_map(|name| {
            let parsed = Namespace::parse(name).ok()?;
            let is_first = group.replace(self.group(name)) != Some(self.group(name));
            Some(NamespaceOption {
                head: self.head(name).filter(|_| is_first),
                beside: self.beside(&parsed),
                choice: Choice::Listed(parsed),
                ..self.option(name, Choice::All, self.is_chosen(name))
            })
        });
        let all = || self.option(messages::ALL_NAMESPACES, Choice::All, self.chosen.is_all());
        let mut options: Vec<NamespaceOption> = typed.is_empty().then(all).into_iter().chain(named).collect();
        if typed == "*" || !typed.is_empty() && messages::ALL_NAMESPACES.starts_with(typed) {
            options.push(all());
        }
        if let Ok(name) = Namespace::parse(typed)
            && !found.contains(&typed)
        {
            options.push(self.option(&messages::namespace_unlisted(typed), Choice::Typed(name), false));
        }
        (options, more)
    }

    fn option(&self, text: &str, choice: Choice, is_chosen: bool) -> NamespaceOption {
        NamespaceOption { text: text.to_owned(), choice, is_chosen, head: None, beside: Beside::Nothing }
    }

    fn is_chosen(&self, name: &str) -> bool {
        !self.chosen.is_all() && self.chosen.contains(Some(name))
    }

    /// Withdrawn names stand apart, unless the reader chose them.
    fn is_withdrawn(&self, name: &str) -> bool {
        let withdrawn = self.picked.known.into_iter().flat_map(|known| known.withdrawn());
        !self.is_chosen(name) && withdrawn.into_iter().any(|(withdrawn, _)| withdrawn.as_str() == name)
    }

    /// Names with a right come before the others, as far as all of them are known and no text is typed.
    fn group(&self, name: &str) -> bool {
        let known = self.picked.known.filter(|_| self.typed.is_empty());
        known.is_some_and(|known| known.is_limited() && !known.is_granted(name))
    }

    fn head(&self, name: &str) -> Option<String> {
        let known = self.picked.known.filter(|_| self.typed.is_empty())?;
        if known.is_everywhere() {
            return Some(messages::may_list_everywhere(&self.resource));
        }
        let (count, since_ms) = known.count(self.picked.cx.now_ms())?;
        Some(match self.group(name) {
            true => messages::OTHER_NAMESPACES.to_owned(),
            false => {
                let since = since_ms.map(|ms| self.clock(ms));
                messages::may_list_in(&self.resource, count, since.as_deref())
            }
        })
    }

    fn beside(&self, name: &Namespace) -> Beside {
        let Some(known) = self.picked.known else { return Beside::Nothing };
        match known.change(name.as_str()) {
            Some((true, at_ms)) => Beside::Granted(messages::granted_at(&self.clock(at_ms))),
            Some((false, at_ms)) => Beside::Withdrawn(messages::withdrawn_at(&self.clock(at_ms))),
            None => {
                let rows = self.rows.and_then(|rows| rows.get(name));
                rows.map_or(Beside::Nothing, |rows| Beside::Rows(messages::count(*rows)))
            }
        }
    }

    /// The latest first.
    pub(super) fn withdrawn(&self) -> Vec<(String, String)> {
        let withdrawn = self.picked.known.into_iter().flat_map(|known| known.withdrawn());
        let mut withdrawn: Vec<_> = withdrawn.filter(|(name, _)| !self.is_chosen(name.as_str())).collect();
        let mut shown = Vec::new();
        while shown.len() < RIGHTS_WITHDRAWN_SHOWN_MAX {
            let latest = withdrawn.iter().enumerate().max_by_key(|(_, (_, at_ms))| *at_ms);
            let Some((at, _)) = latest else { break };
            let (name, at_ms) = withdrawn.remove(at);
            shown.push((name.to_string(), messages::withdrawn_at(&self.clock(at_ms))));
        }
        shown
    }

    fn clock(&self, ms: UnixMillis) -> String {
        self.picked.clock(ms)
    }
}

pub(super) fn refused(typed: &str) -> String {
    match Namespace::parse(&typed.trim().to_lowercase()) {
        Err(problem) => messages::sentence(&problem.message),
        Ok(_) => String::new(),
    }
}
