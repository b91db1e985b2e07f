//! The navigation: the kinds of the cluster in their groups, the pinned ones first, and the team's boards.

use std::sync::Arc;

use shared::resource::Resource;

use crate::location::{Location, Place};
use crate::messages;
use crate::navigation;
use crate::preferences::Preferences;
use crate::table_view::Client;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Navigation {
    pub groups: Vec<NavGroup>,
    /// Name and link.
    pub boards: Vec<(String, String)>,
    pub kind_count: usize,
    pub foot: String,
    pub current: Option<Resource>,
    /// The number of rows of the active view, once it is loaded.
    pub count: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NavGroup {
    pub title: String,
    pub is_api_group: bool,
    pub starts_open: bool,
    pub items: Vec<NavItem>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NavItem {
    pub resource: Resource,
    pub label: String,
    pub href: String,
    pub note: NavNote,
    pub is_pinned: bool,
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
        client: &Client,
        preferences: &Preferences,
        here: &Location,
        current: Option<Resource>,
        count: Option<String>,
    ) -> Option<Self> {
        let kinds = &client.kinds()?.kinds;
        let welcome = client.welcome();
        let is_other = welcome.is_some_and(|welcome| here.is_of_other_cluster(welcome.cluster.name.as_str()));
        if let Some(other) = here.cluster.as_deref().filter(|_| is_other) {
            return Some(Self { foot: messages::no_kinds_of(other), ..Self::default() });
        }
        let groups = navigation::groups(kinds).into_iter();
        let mut groups: Vec<NavGroup> = groups.map(|group| nav_group(group, here, preferences)).collect();
        // The reader's own, else the team's.
        let own = preferences.pinned.as_slice();
        let teams = welcome.map(|welcome| welcome.pinned.as_slice()).unwrap_or_default();
        let names = if own.is_empty() { teams } else { own };
        let pinned: Vec<NavItem> = names.iter().filter_map(|name| find(&groups, name)).collect();
        if !pinned.is_empty() {
            let title = messages::PINNED.to_owned();
            groups.insert(0, NavGroup { title, is_api_group: false, starts_open: true, items: pinned });
        }
        let version = welcome.map_or("", |welcome| &welcome.cluster.version);
        let boards = welcome.map(|welcome| welcome.boards.as_slice()).unwrap_or_default();
        Some(Self {
            groups,
            boards: boards.iter().map(|board| (board.name.to_string(), board.link.to_string())).collect(),
            kind_count: kinds.len(),
            foot: navigation::foot(kinds, version),
            current,
            count,
        })
    }

    /// Sets the number of rows beside the current kind.
    pub(super) fn set_count(navigation: &mut Arc<Self>, rows: Option<usize>) {
        let count = rows.map(messages::count);
        if navigation.count != count {
            *navigation = Arc::new(Self { count, ..(**navigation).clone() });
        }
    }
}

/// A pinned kind that isn't served isn't shown, but stays pinned.
fn find(groups: &[NavGroup], resource: &str) -> Option<NavItem> {
    let mut items = groups.iter().flat_map(|group| &group.items);
    items.find(|item| item.resource.to_string() == *resource).cloned()
}

fn nav_group(group: navigation::Group<'_>, here: &Location, preferences: &Preferences) -> NavGroup {
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
        is_pinned: preferences.is_pinned(&entry.kind.resource.to_string()),
        resource: entry.kind.resource.clone(),
    };
    NavGroup {
        title: group.title.to_owned(),
        is_api_group: group.is_api_group,
        starts_open,
        items: group.entries.into_iter().map(item).collect(),
    }
}
