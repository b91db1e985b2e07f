//! The page around the view: the navigation, the namespace picker, the health of all views, and the
//! message for all of them. And what stands in their place when nobody is signed in.

use std::sync::Arc;

use crate::location::{Location, Place};
use crate::messages;
use crate::navigation;
use crate::notice;
use replica::freshness::{self, Freshness};
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;

use super::Page;
use crate::action::Action;
use crate::model::{Bar, Health, Login, NamespaceList, NavGroup, NavItem, NavNote, Navigation};
use replica::now::Now;

/// The command that prints a fresh link.
const URL_COMMAND: &str = "dogwatch url";
/// Of an API group with more kinds the navigation shows the name alone, until it is opened.
const OPEN_KINDS_MAX: usize = 5;

pub fn login_needed() -> Login {
    Login {
        title: messages::LOGIN_NEEDED,
        text: messages::LOGIN_NEEDED_WHY.to_owned(),
        command: Some(URL_COMMAND),
    }
}

pub fn login_expired() -> Login {
    Login {
        title: messages::LOGIN_EXPIRED,
        text: messages::LOGIN_EXPIRED_WHY.to_owned(),
        command: Some(URL_COMMAND),
    }
}

pub fn login_unanswered() -> Login {
    Login {
        title: messages::LOGIN_NO_ANSWER,
        text: messages::LOGIN_NO_ANSWER_WHY.to_owned(),
        command: Some(URL_COMMAND),
    }
}

pub(super) fn login_refused(why: String) -> Login {
    Login { title: messages::LOGIN_REFUSED, text: why, command: Some(URL_COMMAND) }
}

/// A pinned kind that isn't served any more, or not yet, isn't shown; it stays pinned.
fn find(groups: &[NavGroup], resource: &str) -> Option<NavItem> {
    let mut items = groups.iter().flat_map(|group| &group.items);
    items.find(|item| item.resource.to_string() == *resource).cloned()
}

impl Page {
    pub(super) fn welcomed(&mut self) {
        let Some(welcome) = self.client.welcome() else { return };
        self.model.cluster = welcome.cluster.name.to_string();
        self.model.user = welcome.user.to_string();
        self.model.login = None;
    }

    /// The list of namespaces is watched while somebody picks from it.
    pub(super) fn pick_namespaces(&mut self, open: bool, now: Now) {
        match (open, self.namespaces.take()) {
            (true, None) => {
                let Ok(resource) = Resource::parse("", "v1", "namespaces") else { return };
                let scope = Scope {
                    cluster: None,
                    resource,
                    namespaces: Namespaces::All,
                    name: None,
                    labels: None,
                    fields: None,
                };
                self.namespaces = Some(self.client.open(scope, now));
            }
            // The same list may be a pane's: that one stays.
            (false, Some(held)) => self.close_unless_held(held),
            (false, None) => {}
            (true, held) => self.namespaces = held,
        }
    }

    pub(super) fn render_navigation(&mut self) {
        let Some(kinds) = self.client.kinds() else { return };
        let current = self.active().and_then(|pane| pane.kind()).map(|kind| kind.resource.clone());
        let mut groups: Vec<NavGroup> =
            navigation::groups(&kinds.kinds).into_iter().map(|group| self.nav_group(group)).collect();
        let welcome = self.client.welcome();
        // The reader's own, else the team's.
        let own = self.preferences.pinned.as_slice();
        let teams = welcome.map(|welcome| welcome.pinned.as_slice()).unwrap_or_default();
        let names = if own.is_empty() { teams } else { own };
        let pinned: Vec<NavItem> = names.iter().filter_map(|name| find(&groups, name)).collect();
        if !pinned.is_empty() {
            let title = messages::PINNED.to_owned();
            groups.insert(0, NavGroup { title, is_api_group: false, starts_open: true, items: pinned });
        }
        let version = welcome.map_or("", |welcome| &welcome.cluster.version);
        let count = self.model.navigation.count.clone();
        let boards = welcome.map(|welcome| welcome.boards.as_slice()).unwrap_or_default();
        let boards = boards.iter().map(|board| (board.name.to_string(), board.link.to_string())).collect();
        let navigation = Navigation {
            groups,
            boards,
            kind_count: kinds.kinds.len(),
            foot: navigation::foot(&kinds.kinds, version),
            current,
            count,
        };
        self.model.navigation = Arc::new(navigation);
    }

    fn nav_group(&self, group: navigation::Group<'_>) -> NavGroup {
        let here = self.active().map(|pane| pane.place.clone()).unwrap_or_default();
        let starts_open = !group.is_api_group && matches!(group.title, "Workloads" | "Network" | "Config")
            || group.is_api_group && group.entries.len() <= OPEN_KINDS_MAX
            || group.entries.iter().any(|entry| entry.kind.resource.to_string() == *here.resource);
        let item = |entry: navigation::Entry<'_>| NavItem {
            href: Location {
                resource: entry.kind.resource.to_string().into(),
                cluster: here.cluster.clone(),
                place: if entry.kind.namespaced { here.place.clone() } else { Place::Cluster },
                ..Location::default()
            }
            .href(),
            note: match (&entry.kind.disabled, entry.kind.watch) {
                (Some(why), _) => NavNote::Shut(messages::sentence(why)),
                (None, false) => NavNote::Polled,
                (None, true) => NavNote::None,
            },
            label: entry.label,
            is_pinned: self.preferences.is_pinned(&entry.kind.resource.to_string()),
            resource: entry.kind.resource.clone(),
        };
        NavGroup {
            title: group.title.to_owned(),
            is_api_group: group.is_api_group,
            starts_open,
            items: group.entries.into_iter().map(item).collect(),
        }
    }

    /// What changes with the rows: the count beside the open kind.
    pub(super) fn render_count(&mut self, now_ms: UnixMillis) {
        let rows = self.active().and_then(|pane| pane.count(&self.client, now_ms));
        let count = rows.map(|rows| messages::count(u64::try_from(rows).unwrap_or(u64::MAX)));
        if self.model.navigation.count != count {
            self.model.navigation = Arc::new(Navigation { count, ..(*self.model.navigation).clone() });
        }
    }

    pub(super) fn render_namespaces(&mut self) {
        let pane = self.active();
        let is_cluster_scoped = pane.and_then(|pane| pane.kind()).is_some_and(|kind| !kind.namespaced);
        let view = self.namespaces.and_then(|key| self.client.view(key));
        let mut names: Vec<String> = view
            .map(|view| view.table().rows().map(|row| row.name.to_string()).collect())
            .unwrap_or_default();
        names.sort();
        let refused = view.is_some_and(|view| view.subscription().ended().is_some());
        let note = match view {
            _ if is_cluster_scoped => messages::CLUSTER_SCOPED.to_owned(),
            Some(view) if view.table().is_whole() => messages::namespaces_named(names.len()),
            Some(view) if refused || view.report().is_some_and(|report| report.problem.is_some()) => {
                messages::NAMESPACES_TYPED.to_owned()
            }
            _ => messages::NAMESPACES_ASKED.to_owned(),
        };
        let chosen = pane.map(|pane| pane.place.namespaces(&[])).unwrap_or_default();
        self.model.namespaces = Arc::new(NamespaceList { chosen, names, note, is_cluster_scoped });
    }

    pub(super) fn render_health(&mut self, now_ms: UnixMillis) {
        let zone = self.zone;
        let mut live = 0;
        let mut others: Vec<(String, usize)> = Vec::new();
        let (mut is_bad, mut is_busy) = (false, false);
        // Two panes over the same rows are two views to who looks at them.
        for pane in &self.panes {
            let Some(view) = pane.key().and_then(|key| self.client.view(key)) else { continue };
            let state = freshness::of(&self.client, view, now_ms);
            is_bad |= state.is_stale() || matches!(state.worst(), Freshness::Failed { .. });
            is_busy |= matches!(state.worst(), Freshness::Syncing { .. } | Freshness::Resuming { .. });
            if state.is_current() {
                live += 1;
                continue;
            }
            let word = crate::pill::pill(&state, "", now_ms, zone).word;
            match others.iter_mut().find(|(held, _)| *held == word) {
                Some((_, number)) => *number += 1,
                None => others.push((word, 1)),
            }
        }
        let glyph = if is_bad {
            "#g-warn"
        } else if live == 0 && others.is_empty() {
            "#g-idle"
        } else if others.is_empty() {
            "#g-ok"
        } else if is_busy {
            "#g-busy"
        } else {
            "#g-unknown"
        };
        let others: Vec<(&str, usize)> =
            others.iter().map(|(word, number)| (word.as_str(), *number)).collect();
        self.model.health = Health { text: messages::health(live, &others), glyph, is_bad };
        let bar = notice::bar(&self.client, now_ms, zone).map(|notice| Bar {
            strong: notice.bold,
            text: notice.sentence,
            action: notice.action.map(|offer| (offer.label(), offer.into())),
            is_stale: true,
        });
        self.model.bar = bar.or_else(|| self.unread_bar());
    }

    /// Links come from strangers: what of one couldn't be read is named, the rest is used.
    fn unread_bar(&self) -> Option<Bar> {
        let unknown = self.panes.iter().filter_map(|pane| pane.unknown_sort(&self.client));
        let unknown: Vec<String> = unknown
            .map(|column| messages::location_unread("sort", column, messages::NO_SUCH_COLUMN))
            .collect();
        let problems = self.unread.iter().map(|problem| &*problem.message);
        let problems: Vec<&str> = problems.chain(unknown.iter().map(String::as_str)).collect();
        Some(Bar {
            strong: messages::LINK_UNREAD.to_owned(),
            text: messages::link_unread(&problems)?,
            action: Some((messages::DISMISS, Action::DismissUnread)),
            is_stale: false,
        })
    }
}
