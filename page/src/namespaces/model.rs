//! What the page shows of its namespaces: the button of the picker, and the open picker.

use shared::name::Namespace;
use shared::scope::Namespaces;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamespaceList {
    /// The namespaces of the active pane.
    pub chosen: Namespaces,
    /// The active pane's kind has no namespaces.
    pub is_cluster_scoped: bool,
    /// The open picker.
    pub picker: Option<PickerModel>,
}

/// The open picker: its options, and what it says of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PickerModel {
    pub typed: String,
    pub options: Vec<NamespaceOption>,
    /// The option that the Enter key takes.
    pub active: Option<usize>,
    /// How many names there are, or why there are none.
    pub note: String,
    /// Why the typed text is no namespace.
    pub refused: String,
    /// Names that were withdrawn since the page was opened, and when. They aren't offered.
    pub withdrawn: Vec<(String, String)>,
    /// How rights change a view; empty where nothing is reviewed.
    pub rights: &'static str,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NamespaceOption {
    pub text: String,
    pub choice: Choice,
    pub is_chosen: bool,
    /// Stands over it and over those after it, up to the next one with a head.
    pub head: Option<String>,
    pub beside: Beside,
}

/// What stands at the end of an option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Beside {
    #[default]
    Nothing,
    /// How many rows of it the view has.
    Rows(String),
    Granted(String),
    Withdrawn(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    All,
    Listed(Namespace),
    /// A name that isn't in the list.
    Typed(Namespace),
}
