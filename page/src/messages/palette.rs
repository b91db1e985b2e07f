//! What "go to" and the keys say beside others.

pub const GO_TO: &str = "Go to kind, object or view";
pub const NOTHING_FOUND: &str = "No kind, namespace, action or object in an open view has this name.";
/// A key needs a row, and none has the focus.
pub const NO_ROW_FOCUSED: &str = "Choose a row first: click it, or press j.";
/// A key or button can do nothing over the view as it is.
pub const NO_ROWS_FOR_IT: &str = "Nothing to do here: this view has no rows now.";
/// The view can't be closed, because no other one is there.
pub const ONLY_VIEW: &str = "This is the only view: it stays.";

pub const ONE_CLUSTER: &str = "This gateway has one cluster.";

pub fn no_key(name: &str) -> String {
    format!("{name} is no key here. ? shows the keys.")
}

pub const KINDS: &str = "Kinds";
pub const NAMESPACES: &str = "Namespaces";
pub const ACTION_EXPORT: &str = "Export: link, kubectl command, file, HTML";
pub const ACTION_SPLIT: &str = "Split: add a view beside this one";

/// A link in the panel led to an object of another kind, whose view took the place of this one.
pub fn back_returns_to(resource: &str) -> String {
    format!("The browser's Back returns to {resource}.")
}

/// A link in the panel led to an object in another namespace than those that the reader chose.
pub fn namespace_added(namespace: &str, object: &str) -> String {
    format!("{object} is in {namespace}, which was added to your namespaces.")
}
