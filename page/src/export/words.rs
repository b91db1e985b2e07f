//! What the export menu says.

use crate::messages::{counted, listed};

pub const LINK_TO_VIEW: &str = "Link to this view";
pub const SAME_IN_KUBECTL: &str = "Equivalent kubectl command";
pub const THROUGH_GATEWAY: &str = "Through this gateway";
pub const KUBECONFIG_ONCE: &str = "Write its kubeconfig once:";
pub const DOWNLOAD: &str = "Download";
pub const EMBED: &str = "Embed in a web page";
pub const COPY_HTML: &str = "Copy HTML";
pub const EMBED_NOTE: &str = "The gateway must name that page's site: --allowed-origin.";
pub const COPY_AS_TSV: &str = "Copy as TSV";

/// `16 visible rows, current columns`
pub fn rows_to_export(rows: usize, are_selected: bool) -> String {
    let which = if are_selected { "selected" } else { "visible" };
    format!("{}, current columns", counted(rows, &format!("{which} row"), &format!("{which} rows")))
}

pub fn events_to_export(events: usize) -> String {
    counted(events, "visible entry", "visible entries")
}

// What the kubectl command prints otherwise

/// The gateway runs in a pod, where no kubeconfig names the cluster.
pub const CURRENT_CONTEXT: &str = "kubectl asks its current context: check that it is this cluster.";
pub const ONLY_NOW: &str = "kubectl shows the present, and not the time of this view.";
/// In a record that is replayed.
pub const ONLY_THE_END: &str = "kubectl shows the end of the record, whatever time this view has.";
pub const COLUMN_ORDER: &str = "Columns stand in the API server's order.";
pub const AGE: &str = "AGE is printed as the time of creation.";
pub const NO_LOG_FILTER: &str = "Only this page filters the changes.";
pub const NO_FIELDS: &str = "kubectl prints the row after each change, not the changed fields.";

pub fn no_filter(query: &str) -> String {
    format!("kubectl can't express the filter {query}; only this page applies it.")
}

pub fn no_sort(column: &str) -> String {
    format!("Sorted by {column} only on this page.")
}

/// kubectl asks one cluster at a time. The contexts of a reader's own kubeconfig aren't known.
pub fn one_cluster(others: &[&str]) -> String {
    format!("kubectl asks one cluster at a time; run it again in your context of {}.", listed(others))
}

/// The same where they are.
pub fn one_context(others: &[&str]) -> String {
    format!("kubectl asks one cluster at a time; run it again with --context {}.", listed(others))
}

pub fn one_namespace(of: usize) -> String {
    format!("kubectl takes one namespace at a time: this is the first of {of}.")
}

pub fn no_columns(titles: &str) -> String {
    format!("Left out: {titles}. kubectl can't print that beside custom columns.")
}

pub fn more_columns(titles: &str) -> String {
    format!("kubectl also prints {titles}, hidden here.")
}

pub fn no_usage(titles: &str, resource: &str) -> String {
    format!("Left out: {titles}. kubectl top {resource} prints that.")
}
