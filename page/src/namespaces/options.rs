//! The options of the namespace picker: the choices that fit the typed text, in groups by right where those are reviewed.

use litemap::LiteMap;
use shared::name::Namespace;
use shared::scope::Namespaces;
use shared::sorted;
use shared::state::UnixMillis;

use super::model::{Beside, Choice, NamespaceOption};
use super::part::{Open, Shown};
use super::words;
use crate::limits::{NAMESPACES_SHOWN_MAX, RIGHTS_WITHDRAWN_SHOWN_MAX};
use crate::messages;
use crate::rights::Known;

/// What the options are made of.
pub(super) struct Listing<'a> {
    shown: &'a Shown<'a>,
    /// Those that are known, and those with a right. Sorted.
    names: Vec<Box<str>>,
    /// In lower case.
    typed: String,
    resource: String,
    rows: Option<&'a LiteMap<Namespace, usize>>,
}

impl<'a> Listing<'a> {
    pub(super) fn of(open: &'a Open, shown: &'a Shown<'a>) -> Self {
        let mut names = shown.names.clone();
        names.extend(shown.known.into_iter().flat_map(Known::granted).map(|name| name.as_str().into()));
        sorted::sort(&mut names);
        names.dedup();
        let resource = shown.view.map(|(_, view)| view.subscription().scope.resource.to_string());
        Self {
            shown,
            names,
            typed: open.typed.text.trim().to_lowercase(),
            resource: resource.unwrap_or_default(),
            rows: open.counted.as_ref().map(|counted| &counted.rows),
        }
    }

    /// How many names there are.
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    /// Why the typed text is no namespace; empty where it is one.
    pub(super) fn refused(&self) -> String {
        match Namespace::parse(&self.typed) {
            Err(problem) => messages::sentence(&problem.message),
            Ok(_) => String::new(),
        }
    }

    /// The best first, and how many more there are.
    pub(super) fn options(&self) -> (Vec<NamespaceOption>, usize) {
        let typed = &*self.typed;
        let mut found: Vec<&str> = self.names.iter().map(|name| &**name).collect();
        if let Namespaces::These(chosen) = self.shown.chosen {
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
        let all = || self.option(messages::ALL_NAMESPACES, Choice::All, self.shown.chosen.is_all());
        let mut options: Vec<NamespaceOption> = typed.is_empty().then(all).into_iter().chain(named).collect();
        if typed == "*" || !typed.is_empty() && messages::ALL_NAMESPACES.starts_with(typed) {
            options.push(all());
        }
        if let Ok(name) = Namespace::parse(typed)
            && !found.contains(&typed)
        {
            options.push(self.option(&words::unlisted(typed), Choice::Typed(name), false));
        }
        (options, more)
    }

    fn option(&self, text: &str, choice: Choice, is_chosen: bool) -> NamespaceOption {
        NamespaceOption { text: text.to_owned(), choice, is_chosen, head: None, beside: Beside::Nothing }
    }

    fn is_chosen(&self, name: &str) -> bool {
        !self.shown.chosen.is_all() && self.shown.chosen.contains(Some(name))
    }

    /// Withdrawn names stand apart, unless the reader chose them.
    fn is_withdrawn(&self, name: &str) -> bool {
        let withdrawn = self.shown.known.into_iter().flat_map(|known| known.withdrawn());
        !self.is_chosen(name) && withdrawn.into_iter().any(|(withdrawn, _)| withdrawn.as_str() == name)
    }

    /// Names with a right come before the others, as far as all of them are known and no text is typed.
    fn group(&self, name: &str) -> bool {
        let known = self.shown.known.filter(|_| self.typed.is_empty());
        known.is_some_and(|known| known.is_limited() && !known.is_granted(name))
    }

    fn head(&self, name: &str) -> Option<String> {
        let known = self.shown.known.filter(|_| self.typed.is_empty())?;
        if known.is_everywhere() {
            return Some(words::may_list_everywhere(&self.resource));
        }
        let (count, since_ms) = known.count(self.shown.now_ms)?;
        Some(match self.group(name) {
            true => words::OTHERS.to_owned(),
            false => {
                let since = since_ms.map(|ms| self.clock(ms));
                words::may_list_in(&self.resource, count, since.as_deref())
            }
        })
    }

    fn beside(&self, name: &Namespace) -> Beside {
        let Some(known) = self.shown.known else { return Beside::Nothing };
        match known.change(name.as_str()) {
            Some((true, at_ms)) => Beside::Granted(words::granted_at(&self.clock(at_ms))),
            Some((false, at_ms)) => Beside::Withdrawn(words::withdrawn_at(&self.clock(at_ms))),
            None => {
                let rows = self.rows.and_then(|rows| rows.get(name));
                rows.map_or(Beside::Nothing, |rows| Beside::Rows(messages::count(*rows)))
            }
        }
    }

    /// The latest first.
    pub(super) fn withdrawn(&self) -> Vec<(String, String)> {
        let withdrawn = self.shown.known.into_iter().flat_map(|known| known.withdrawn());
        let mut withdrawn: Vec<_> = withdrawn.filter(|(name, _)| !self.is_chosen(name.as_str())).collect();
        let mut shown = Vec::new();
        while shown.len() < RIGHTS_WITHDRAWN_SHOWN_MAX {
            let latest = withdrawn.iter().enumerate().max_by_key(|(_, (_, at_ms))| *at_ms);
            let Some((at, _)) = latest else { break };
            let (name, at_ms) = withdrawn.remove(at);
            shown.push((name.to_string(), words::withdrawn_at(&self.clock(at_ms))));
        }
        shown
    }

    fn clock(&self, ms: UnixMillis) -> String {
        messages::instant(ms, self.shown.now_ms, self.shown.zone)
    }
}
