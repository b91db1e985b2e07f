//! The page around the views, as the signals hold it.

use page::palette::Hit;
use shared::resource::Resource;
use shared::scope::Namespaces;

use crate::live::action::Action;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Login {
    pub(crate) title: &'static str,
    pub(crate) text: String,
    pub(crate) command: Option<&'static str>,
}

/// The message for the whole page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bar {
    pub(crate) strong: String,
    pub(crate) text: String,
    /// With its label.
    pub(crate) action: Option<(&'static str, Action)>,
    /// Every view has stopped.
    pub(crate) is_stale: bool,
}

/// "Go to".
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PaletteShown {
    pub(crate) text: String,
    pub(crate) hits: Vec<Hit>,
    pub(crate) chosen: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Health {
    pub(crate) text: String,
    pub(crate) glyph: &'static str,
    pub(crate) is_bad: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Navigation {
    pub(crate) groups: Vec<NavGroup>,
    /// Name and link.
    pub(crate) boards: Vec<(String, String)>,
    pub(crate) kind_count: usize,
    pub(crate) foot: String,
    pub(crate) current: Option<Resource>,
    /// Rows of the open view, once they are whole.
    pub(crate) count: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NavGroup {
    pub(crate) title: String,
    pub(crate) is_api_group: bool,
    pub(crate) starts_open: bool,
    pub(crate) items: Vec<NavItem>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NavItem {
    pub(crate) resource: Resource,
    pub(crate) label: String,
    pub(crate) href: String,
    pub(crate) note: NavNote,
    pub(crate) is_pinned: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NavNote {
    None,
    Polled,
    /// With why.
    Shut(String),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NamespaceList {
    /// What the link says.
    pub(crate) chosen: Namespaces,
    pub(crate) names: Vec<String>,
    /// Why there are no names, or what these are.
    pub(crate) note: String,
    /// The open kind has no namespaces.
    pub(crate) is_cluster_scoped: bool,
}
