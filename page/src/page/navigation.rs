//! The navigation: the kinds of the cluster in their groups, the pinned ones first, and the team's boards.

use std::sync::Arc;

use shared::frame::server::Cluster;
use shared::resource::Resource;

use crate::cx::Cx;
use crate::kind_link::KindLink;
use crate::kinds::kinds_of;
use crate::location::Location;
use crate::messages;
use crate::navigation;
use crate::navigation::words;

/// The list of kinds and boards beside the views. It is made anew where the kinds, the pins or the active pane change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Navigation {
    pub groups: Vec<NavGroup>,
    /// Name and link.
    pub boards: Vec<(String, String)>,
    pub kind_count: usize,
    pub foot: String,
    pub current: Option<Resource>,
    /// The active pane shows what is wrong.
    pub is_wrong: bool,
    /// How many rows each kind in an open view has, once that is loaded; the active one's first.
    pub counts: Vec<(Resource, NavCount)>,
}

/// How many rows a view has, and how many of them fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NavCount {
    pub rows: String,
    /// Empty where none does.
    pub failing: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NavGroup {
    pub title: String,
    pub kind: NavGroupKind,
    pub starts_open: bool,
    pub items: Vec<NavItem>,
}

/// A reader opened or folded a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NavFold {
    pub is_open: bool,
    /// The kind that was shown then.
    pub at: Option<Resource>,
}

impl NavGroup {
    /// The group of the shown kind is open, unless the reader folded it while that kind was shown.
    pub fn is_open(&self, fold: Option<&NavFold>, current: Option<&Resource>) -> bool {
        let holds = self.items.iter().any(|item| Some(&item.resource) == current);
        match fold {
            Some(fold) if holds => fold.is_open || fold.at.as_ref() != current,
            Some(fold) => fold.is_open,
            None => self.starts_open || holds,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NavGroupKind {
    /// Its kinds stand in their own groups too, so that a filter leaves it out.
    Shortcuts,
    Purpose,
    ApiGroup,
}

/// A kind in the list: its link and its pin. [`Navigation::of`] makes it; the view draws it, and a search finds it.
#[derive(Clone, Debug, PartialEq)]
pub struct NavItem {
    pub resource: Resource,
    pub label: String,
    pub href: String,
    pub note: NavNote,
    pub is_pinned: bool,
    /// It stands among the shortcuts, too.
    pub is_repeated: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum NavNote {
    None,
    Polled,
    /// Not available, and why.
    Shut(String),
}

/// An API group with more kinds starts closed: only its name is shown.
const OPEN_KINDS_MAX: usize = 5;

impl Navigation {
    /// `here` and `current`: the place and the kind of the active pane. `None` before discovery.
    pub(super) fn of(
        here: &Location,
        current: Option<Resource>,
        counts: Vec<(Resource, NavCount)>,
        cx: &Cx,
    ) -> Option<Self> {
        let Cx { client, preferences, .. } = cx;
        let welcome = client.welcome();
        let named = here.clusters(client.clusters());
        let clusters: Vec<&Cluster> =
            named.iter().filter_map(|name| client.cluster_named(Some(name))).collect();
        if let Some(other) = here.cluster.as_deref().filter(|_| clusters.is_empty() && welcome.is_some()) {
            return Some(Self { foot: words::no_kinds_of(other), ..Self::default() });
        }
        let kinds = &*kinds_of(&clusters, client)?;
        let teams = welcome.map(|welcome| welcome.pinned.as_slice()).unwrap_or_default();
        let pins: Vec<&str> = preferences.pins(teams).collect();
        let groups = navigation::groups(kinds).into_iter();
        let mut own: Vec<NavGroup> = groups.map(|group| nav_group(group, here, &pins)).collect();
        let often = navigation::OFTEN.into_iter().filter(|name| !pins.contains(name));
        let shortcuts = [
            shortcuts(words::PINNED, pins.iter().filter_map(|name| find(&own, name))),
            shortcuts(words::OFTEN, often.filter_map(|name| find(&own, name)).filter(NavItem::is_served)),
        ];
        for item in own.iter_mut().flat_map(|group| &mut group.items) {
            let is_it = |shortcut: &NavItem| shortcut.resource == item.resource;
            item.is_repeated = shortcuts.iter().flat_map(|group| &group.items).any(is_it);
        }
        let shortcuts = shortcuts.into_iter().filter(|group| !group.items.is_empty());
        let groups = shortcuts.chain(own).collect();
        let mut versions: Vec<&str> = clusters.iter().map(|cluster| &*cluster.version).collect();
        versions.retain(|version| !version.is_empty());
        versions.dedup();
        let boards = welcome.map(|welcome| welcome.boards.as_slice()).unwrap_or_default();
        Some(Self {
            groups,
            boards: boards.iter().map(|board| (board.name.to_string(), board.link.to_string())).collect(),
            kind_count: kinds.len(),
            foot: navigation::foot(kinds, &versions.join(", ")),
            current,
            is_wrong: false,
            counts,
        })
    }

    /// Sets the number of rows beside each kind that an open view shows, and of those that fail. Nothing is asked for the
    /// others. Where several views show a kind, the first of them counts, and that of the active pane before all.
    pub(super) fn set_counts<'a>(
        navigation: &mut Arc<Self>,
        shown: impl Iterator<Item = (&'a Resource, (usize, usize))>,
    ) {
        let mut counts: Vec<(Resource, NavCount)> = Vec::new();
        for (resource, (rows, failing)) in shown {
            if counts.iter().all(|(held, _)| held != resource) {
                let failing = if failing > 0 { messages::count(failing) } else { String::new() };
                counts.push((resource.clone(), NavCount { rows: messages::count(rows), failing }));
            }
        }
        if navigation.counts != counts {
            *navigation = Arc::new(Self { counts, ..(**navigation).clone() });
        }
    }

    pub fn count_of(&self, resource: &Resource) -> Option<&NavCount> {
        self.counts.iter().find(|(held, _)| held == resource).map(|(_, count)| count)
    }
}

impl NavItem {
    fn is_served(&self) -> bool {
        !matches!(self.note, NavNote::Shut(_))
    }
}

fn shortcuts(title: &str, items: impl Iterator<Item = NavItem>) -> NavGroup {
    let (title, items) = (title.to_owned(), items.collect());
    NavGroup { title, kind: NavGroupKind::Shortcuts, starts_open: true, items }
}

/// A pinned kind that isn't served isn't shown, but stays pinned.
fn find(groups: &[NavGroup], resource: &str) -> Option<NavItem> {
    let mut items = groups.iter().flat_map(|group| &group.items);
    items.find(|item| item.resource.to_string() == *resource).cloned()
}

fn nav_group(group: navigation::Group<'_>, here: &Location, pins: &[&str]) -> NavGroup {
    let starts_open = !group.is_api_group && matches!(group.title, "Workloads" | "Network" | "Config")
        || group.is_api_group && group.entries.len() <= OPEN_KINDS_MAX
        || group.entries.iter().any(|entry| entry.kind.resource.to_string() == *here.resource);
    let item = |entry: navigation::Entry<'_>| NavItem {
        href: KindLink::of(entry.kind, here).href,
        note: match (&entry.kind.disabled, entry.kind.watch) {
            (Some(why), _) => NavNote::Shut(messages::sentence(why)),
            (None, false) => NavNote::Polled,
            (None, true) => NavNote::None,
        },
        label: entry.label,
        is_pinned: pins.contains(&&*entry.kind.resource.to_string()),
        is_repeated: false,
        resource: entry.kind.resource.clone(),
    };
    NavGroup {
        title: group.title.to_owned(),
        kind: if group.is_api_group { NavGroupKind::ApiGroup } else { NavGroupKind::Purpose },
        starts_open,
        items: group.entries.into_iter().map(item).collect(),
    }
}

/// What a text in the kinds' filter leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NavSearch {
    /// For each board: whether it is found.
    pub boards: Vec<bool>,
    pub groups: Vec<NavFound>,
    /// Where the Enter key leads; `None`: nothing is found.
    pub best: Option<NavTarget>,
}

/// The entries of one group that match the filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NavFound {
    /// For each entry: whether it is found.
    pub entries: Vec<bool>,
    /// Its entries are shown at once, because few kinds stand before them; other groups show a count.
    pub opens: bool,
}

/// By their places: a board, or a group and an entry of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NavTarget {
    Board(usize),
    Kind(usize, usize),
}

/// How well a name fits; the best is the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Whole,
    Begins,
    Contains,
    /// Only its group's title fits.
    Group,
}

/// Kinds that a filter shows at once: more is no help.
const FOUND_OPEN_MAX: usize = 100;

impl NavFound {
    pub fn count(&self) -> usize {
        self.entries.iter().filter(|is_found| **is_found).count()
    }
}

impl NavSearch {
    /// `None` without a text.
    pub fn of(groups: &[NavGroup], boards: &[(String, String)], text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return None;
        }
        let mut search = Self::default();
        let mut best: Option<(Fit, NavTarget)> = None;
        let mut note = |fit: Option<Fit>, target| {
            if let Some(fit) = fit
                && best.is_none_or(|(held, _)| fit < held)
            {
                best = Some((fit, target));
            }
            fit.is_some()
        };
        for (at, (name, _)) in boards.iter().enumerate() {
            search.boards.push(note(fit(name, "", &text), NavTarget::Board(at)));
        }
        let mut open = 0;
        for (group_at, group) in groups.iter().enumerate() {
            let is_searched = group.kind != NavGroupKind::Shortcuts;
            let entry = |(at, item): (usize, &NavItem)| {
                let fit = fit(&item.label, &group.title, &text).filter(|_| is_searched);
                note(fit, NavTarget::Kind(group_at, at))
            };
            let entries = group.items.iter().enumerate().map(entry).collect();
            let mut found = NavFound { entries, opens: false };
            let count = found.count();
            found.opens = open == 0 || open + count <= FOUND_OPEN_MAX;
            open += count;
            search.groups.push(found);
        }
        search.best = best.map(|(_, target)| target);
        Some(search)
    }
}

fn fit(name: &str, group: &str, text: &str) -> Option<Fit> {
    let name = name.to_lowercase();
    if name == *text {
        Some(Fit::Whole)
    } else if name.starts_with(text) {
        Some(Fit::Begins)
    } else if name.contains(text) {
        Some(Fit::Contains)
    } else {
        format!("{name} {}", group.to_lowercase()).contains(text).then_some(Fit::Group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(title: &str, kind: NavGroupKind, labels: &[&str]) -> NavGroup {
        let item = |label: &&str| NavItem {
            resource: Resource::parse("", "v1", "pods").expect("a resource"),
            label: (*label).to_owned(),
            href: String::new(),
            note: NavNote::None,
            is_pinned: false,
            is_repeated: false,
        };
        NavGroup {
            title: title.to_owned(),
            kind,
            starts_open: true,
            items: labels.iter().map(item).collect(),
        }
    }

    /// The found labels, and the one that Enter takes.
    fn found(text: &str) -> (String, String) {
        let groups = [
            group("Often", NavGroupKind::Shortcuts, &["nodes"]),
            group("Storage", NavGroupKind::Purpose, &["csinodes", "persistentvolumes"]),
            group("Cluster", NavGroupKind::Purpose, &["events", "nodes"]),
        ];
        let boards = [("On call".to_owned(), "/b".to_owned())];
        let search = NavSearch::of(&groups, &boards, text).expect("a text");
        let label = |group: usize, at: usize| groups[group].items[at].label.clone();
        let mut labels = Vec::new();
        for (group, found) in search.groups.iter().enumerate() {
            let places = found.entries.iter().enumerate().filter(|(_, is_found)| **is_found);
            labels.extend(places.map(|(at, _)| label(group, at)));
        }
        let boards_found = boards.iter().zip(search.boards).filter(|(_, is_found)| *is_found);
        labels.extend(boards_found.map(|(board, _)| board.0.clone()));
        let best = match search.best {
            Some(NavTarget::Kind(group, at)) => label(group, at),
            Some(NavTarget::Board(at)) => boards[at].0.clone(),
            None => String::new(),
        };
        (labels.join(" "), best)
    }

    #[test]
    fn a_filter_finds_kinds_and_boards_and_enter_takes_the_one_that_fits_best() {
        for (text, labels, best) in [
            (" Nodes", "csinodes nodes", "nodes"),
            ("node", "csinodes nodes", "nodes"),
            ("storage", "csinodes persistentvolumes", "csinodes"),
            ("call", "On call", "On call"),
            ("zzz", "", ""),
        ] {
            assert_eq!(found(text), (labels.to_owned(), best.to_owned()), "{text}");
        }
        assert_eq!(NavSearch::of(&[], &[], " "), None);
    }

    #[test]
    fn the_group_of_the_shown_kind_is_open_unless_it_was_folded_while_that_kind_was_shown() {
        let [pods, claims] = ["pods", "claims"].map(|name| Resource::parse("", "v1", name).ok());
        let mut storage = group("Storage", NavGroupKind::Purpose, &["claims"]);
        storage.starts_open = false;
        storage.items[0].resource = claims.clone().expect("a resource");
        let fold = |is_open: bool, at: &Option<Resource>| Some(NavFold { is_open, at: at.clone() });
        for (fold, current, expected) in [
            (None, &pods, false),
            (None, &claims, true),
            (fold(true, &pods), &pods, true),
            (fold(true, &pods), &claims, true),
            (fold(false, &pods), &claims, true),
            (fold(false, &claims), &claims, false),
            (fold(false, &claims), &pods, false),
        ] {
            let is_open = storage.is_open(fold.as_ref(), current.as_ref());
            assert_eq!(is_open, expected, "{fold:?} {current:?}");
        }
    }

    #[test]
    fn a_filter_opens_the_first_groups_and_counts_the_others() {
        let groups = [("a", 30), ("wide", 90), ("widgets", 60), ("w", 1)].map(|(name, size)| {
            let labels: Vec<String> = (0..size).map(|at| format!("{name}{at}")).collect();
            group(name, NavGroupKind::ApiGroup, &labels.iter().map(String::as_str).collect::<Vec<_>>())
        });
        let opened = |text: &str| {
            let search = NavSearch::of(&groups, &[], text).expect("a text");
            search.groups.iter().map(|found| (found.count(), found.opens)).collect::<Vec<_>>()
        };
        assert_eq!(opened("wid"), [(0, true), (90, true), (60, false), (0, false)]);
        assert_eq!(opened("widgets7 "), [(0, true), (0, true), (1, true), (0, true)]);
    }
}
