//! What "go to" says, its actions among it. What a key of the page does in the same words stands in `messages`.

pub const HINT: &str = "Kind, namespace, object or action";
pub const ADD_VIEW_HINT: &str = "What to show beside it: a kind or a namespace";
pub const FOOT: &str = "Searches kinds, namespaces, actions and the objects in open views. To find others, write their kind before: svc checkout.";
/// Enter alone takes the place of the active view.
pub const BESIDE: &str = "Shift+Enter or Shift+click opens a kind beside this view.";
/// The list of hits, for a screen reader.
pub const FOUND: &str = "Results";
pub const FILTERED: &str = "Filter rows";
pub const SAME_VIEW: &str = "The same view again";
pub const RECENT: &str = "Recent";
pub const OBJECTS: &str = "Objects in open views";
pub const ACTIONS: &str = "Actions";

pub const TROUBLE_FIRST: &str = "Trouble first, or in the usual order";
pub const FAILING_ONLY: &str = "Failing rows only, or all";
pub const CHANGING_ONLY: &str = "Changing rows only, or all";
pub const ROLLOUTS: &str = "Rollouts and scaling: changing deployments";
pub const NEXT_FAILING: &str = "Next failing row, or changing one";
pub const TIMELINE: &str = "Timeline of this object";
pub const COMPARE: &str = "Compare two versions of this object";
pub const OWNERS: &str = "Owners and children of this object";
pub const EVENTS: &str = "Events of this object";
pub const YAML: &str = "YAML of this object";
pub const PAUSE: &str = "Pause or resume";
pub const PAUSE_ALL: &str = "Pause or resume all views";
pub const WIDE: &str = "Wide columns: auto, narrow, wide";
pub const SORT: &str = "Sort by a column";
pub const COLUMNS: &str = "Choose columns";
pub const LABELS: &str = "Filter by labels";
pub const FIELDS: &str = "Filter by fields of the API server";
pub const CHOOSE_CLUSTERS: &str = "Choose clusters";
pub const CHOOSE_NAMESPACES: &str = "Choose namespaces";
pub const COPY: &str = "Copy name or selected rows";
pub const MOVE: &str = "Move this view";
pub const CLOSE: &str = "Close this view";
pub const ALL_NAMESPACES: &str = "All namespaces";
pub const THEME: &str = "Next theme";
pub const COMPACT: &str = "Compact rows";
pub const NORMAL: &str = "Rows of normal height";

pub fn rows_that_match(kind: &str, text: &str) -> String {
    format!("{kind} that match \"{text}\"")
}

/// An order of the view that is open.
pub fn sort_by(column: &str) -> String {
    format!("Sort by {column}")
}

pub fn in_namespace(namespace: &str) -> String {
    format!("in {namespace}")
}
pub const PAST: &str = "Earlier times, back to live";
pub const COMPARE_TIMES: &str = "What changed until now";
pub const PREVIOUS_CHANGE: &str = "Previous change";
pub const NEXT_CHANGE: &str = "Next change";
