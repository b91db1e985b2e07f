//! What is said of the clusters of a view.

use shared::name::ClusterName;

use super::{listed, since};

pub const CLUSTERS: &str = "Clusters";
pub const CLUSTERS_ALL: &str = "All clusters";

/// The name of a single cluster, or how many there are; nothing of none.
pub fn clusters_named(names: &[ClusterName]) -> String {
    match names {
        [] => String::new(),
        [only] => only.to_string(),
        several => clusters_of(several.len()),
    }
}

/// In the top bar and the document's title.
pub fn clusters_of(clusters: usize) -> String {
    format!("{clusters} clusters")
}

/// `1 of 3 stale`: the pill's word.
pub fn stale_of(stale: usize, clusters: usize) -> String {
    format!("{stale} of {clusters} stale")
}

/// `eu-2 since 14:02:11`: beside it.
pub fn names_since(names: &[&str], clock: &str) -> String {
    format!("{} {}", listed(names), since(clock))
}

/// `1 of 3 clusters forbidden`: beside the pill's word.
pub fn clusters_refused(refused: usize, clusters: usize, word: &str) -> String {
    format!("{refused} of {clusters} clusters {}", word.to_lowercase())
}

/// The bold part of the notice line.
pub fn clusters_stale_since(names: &[&str], clock: &str) -> String {
    format!("{} {} stale since {clock}.", listed(names), are(names))
}

pub fn clusters_live(names: &[&str]) -> String {
    format!("{} {} live.", listed(names), are(names))
}

/// The bold part of the notice line.
pub fn clusters_not_shown(names: &[&str]) -> String {
    format!("{} {}n't shown.", listed(names), are(names))
}

fn are(names: &[&str]) -> &'static str {
    if names.len() == 1 { "is" } else { "are" }
}

/// `Pod in shop, eu-2`
pub fn of_cluster(what: &str, cluster: &str) -> String {
    format!("{what}, {cluster}")
}

/// `prod, shop`: the cluster and the namespaces of a view, each unless it is empty.
pub fn place_in(cluster: &str, namespaces: &str) -> String {
    [cluster, namespaces].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// `188 rows of 3 clusters`, or `188 rows of 2 of 3 clusters` where one shows none.
pub fn rows_of_clusters(rows: &str, shown: usize, all: usize) -> String {
    let shown_of = if shown == all { String::new() } else { format!("{shown} of ") };
    format!("{rows} of {shown_of}{}", clusters_of(all))
}
