//! The page around the views, as it is on the screen.

use crate::palette::Hit;
use shared::resource::Resource;
use shared::scope::Namespaces;

use crate::action::Action;

#[derive(Clone, Debug, PartialEq)]
pub struct Login {
    pub title: &'static str,
    pub text: String,
    pub command: Option<&'static str>,
}

/// The message for the whole page.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub strong: String,
    pub text: String,
    /// With its label.
    pub action: Option<(&'static str, Action)>,
    /// Every view has stopped.
    pub is_stale: bool,
}

/// "Go to".
#[derive(Clone, Debug, PartialEq)]
pub struct PaletteShown {
    pub text: String,
    pub hits: Vec<Hit>,
    pub chosen: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Health {
    pub text: String,
    pub glyph: &'static str,
    pub is_bad: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Navigation {
    pub groups: Vec<NavGroup>,
    /// Name and link.
    pub boards: Vec<(String, String)>,
    pub kind_count: usize,
    pub foot: String,
    pub current: Option<Resource>,
    /// Rows of the open view, once they are whole.
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
    /// With why.
    Shut(String),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamespaceList {
    /// What the link says.
    pub chosen: Namespaces,
    pub names: Vec<String>,
    /// Why there are no names, or what these are.
    pub note: String,
    /// The open kind has no namespaces.
    pub is_cluster_scoped: bool,
}
