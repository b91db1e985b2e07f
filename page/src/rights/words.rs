//! What the sheet "What may I see?" says, and the line over the kinds that may be seen where one is forbidden.

use shared::frame::server::ViewerRights;

use crate::messages::{NAMED_MAX, count, counted, few_namespaces, listed};

pub const CLOSE_RIGHTS: &str = "Close \"What may I see?\"";
pub const RIGHTS_KIND: &str = "KIND";
pub const RIGHTS_MAY: &str = "YOU MAY";
pub const RIGHTS_WHERE: &str = "WHERE";
pub const RIGHTS_ANSWERED: &str = "ANSWERED";
pub const RIGHTS_NOW: &str = "now";
pub const CLUSTER_WIDE: &str = "cluster-wide";

/// Above the kinds, where the gateway has several clusters.
pub fn about_clusters(clusters: &[&str]) -> String {
    match clusters {
        [] => String::new(),
        [only] => format!("About the cluster {only}."),
        several => format!("About the clusters {}.", names(several)),
    }
}

/// `us: ledger and shop`, where several clusters are shown.
pub fn may_in_cluster(cluster: &str, place: &str) -> String {
    if place.is_empty() { cluster.to_owned() } else { format!("{cluster}: {place}") }
}

/// By whose answers it is known what the reader may see.
pub fn decided_by(rights: ViewerRights) -> &'static str {
    match rights {
        ViewerRights::Gateway => {
            "The API server answers each list and watch of this gateway's own kubeconfig; nothing else is reviewed."
        }
        ViewerRights::Viewer | ViewerRights::Token | ViewerRights::Impersonated => {
            "Decided by the API server's reviews (SubjectAccessReview) of list and watch."
        }
    }
}

/// What the answers of a view say about a kind.
pub fn may(is_granted: bool, is_polled: bool) -> &'static str {
    match (is_granted, is_polled) {
        (true, false) => "list and watch",
        (true, true) => "list",
        (false, _) => "neither",
    }
}

/// `payments and shop, not in ledger`
pub fn may_in(granted: &[&str], refused: &[&str]) -> String {
    let granted = names(granted);
    match (granted.as_str(), refused) {
        (_, []) => granted,
        ("", _) => format!("not in {}", names(refused)),
        _ => format!("{granted}, not in {}", names(refused)),
    }
}

/// The first ones, and how many more there are.
fn names(all: &[&str]) -> String {
    match all.split_at_checked(NAMED_MAX) {
        Some((named, more)) if !more.is_empty() => {
            format!("{} and {} more", named.join(", "), count(more.len()))
        }
        _ => listed(all),
    }
}

/// Under the list. Where nothing is reviewed, only a view is answered.
pub fn not_known(kinds: usize, is_reviewed: bool) -> String {
    match (kinds, is_reviewed) {
        (0, _) => String::new(),
        (kinds, true) => format!("No answer yet about {}.", counted(kinds, "kind", "kinds")),
        (kinds, false) => {
            let were = counted(kinds, "kind wasn't", "kinds weren't");
            format!("{were} opened yet, and nothing is known of a kind before.")
        }
    }
}

pub fn hidden_from_all(kinds: &[&str]) -> String {
    if kinds.is_empty() {
        String::new()
    } else {
        format!("Hidden by this gateway from everybody: {}.", names(kinds))
    }
}

/// `kubectl auth can-i --list -n payments`
pub fn can_i_list(namespace: Option<&str>) -> String {
    let place = namespace.map(|name| format!(" -n {name}")).unwrap_or_default();
    format!("kubectl auth can-i --list{place}")
}

pub const CAN_I_LIST: &str = "For all verbs, ask with your own kubectl:";

/// Over the kinds that may be seen where one is forbidden, in these namespaces or in all.
pub fn may_see(namespaces: &[&str]) -> String {
    match namespaces {
        [] => "You may see:".to_owned(),
        some => format!("In {} you may see:", few_namespaces(some)),
    }
}
