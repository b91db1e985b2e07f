//! What the picker of namespaces says.

use crate::messages::count;

/// On the button.
pub const LABEL: &str = "namespaces";
pub const CLUSTER_SCOPED: &str = "cluster-scoped";
pub const CLUSTER_SCOPED_WHY: &str = "This kind belongs to no namespace.";

pub const FIND: &str = "Find a namespace, or type one";
pub const ASKED: &str = "Asked for the list of namespaces.";
pub const TYPED: &str = "The namespaces can't be listed here: type the ones to look in.";
pub const OTHERS_TYPED: &str = "Other namespaces can't be listed here: type the one to look in.";

/// Under the list.
pub fn named(names: usize) -> String {
    if names == 1 { "1 namespace, live.".to_owned() } else { format!("{names} namespaces, live.") }
}

pub fn more(more: usize) -> String {
    format!("{} more: type a part of the name.", count(more))
}

/// An option for a typed name.
pub fn unlisted(name: &str) -> String {
    format!("Use \"{name}\" (not in the list)")
}

/// Over the namespaces that a view of all of them shows. `since`: nothing confirms it any more from then on.
pub fn may_list_in(resource: &str, namespaces: usize, since: Option<&str>) -> String {
    let since = since.map(|clock| format!(", as of {clock}")).unwrap_or_default();
    format!("You may list {resource} in {}{since}", count(namespaces))
}

pub fn may_list_everywhere(resource: &str) -> String {
    format!("You may list {resource} in all namespaces")
}

pub const OTHERS: &str = "Other namespaces";
pub const NO_LONGER: &str = "No longer";

pub fn granted_at(clock: &str) -> String {
    format!("granted {clock}")
}

pub fn withdrawn_at(clock: &str) -> String {
    format!("withdrawn {clock}")
}

pub const RIGHTS_ALL: &str =
    "Rights are asked again every 30 s. A namespace that is granted joins this view by itself.";
pub const RIGHTS_CHOSEN: &str = "Rights are asked again every 30 s. This view keeps its namespaces: a granted one is listed here, and joins views of all.";
