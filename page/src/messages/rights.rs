//! Rights: what the reader may see, what was granted and withdrawn, and which review said no.

use shared::frame::server::ViewerRights;

use super::{count, counted, few_namespaces, listed};

/// Under "You may not list pods": `Asked as alice (groups dev and ops).`
pub fn asked_as(user: &str, groups: &[&str]) -> String {
    match groups {
        [] => format!("Asked as {user}."),
        [one] => format!("Asked as {user} (group {one})."),
        few if few.len() <= NAMED_MAX => format!("Asked as {user} (groups {}).", listed(few)),
        many => {
            let named = many.get(..NAMED_MAX).unwrap_or(many);
            let more = many.len().saturating_sub(named.len());
            format!("Asked as {user} (groups {} and {more} more).", named.join(", "))
        }
    }
}

/// So many names fit two lines of the empty table.
const NAMED_MAX: usize = 6;

/// `why`: the authorizer's reason, if it gave one.
pub fn review_said_no(access: &str, why: &str) -> String {
    let why = if why.is_empty() { String::new() } else { format!(": {}", why.trim_end_matches('.')) };
    format!("The API server's review of {access} said no{why}.")
}

pub const CHECK_YOURSELF: &str = "Check it yourself, with your own kubectl:";

/// `Access to ledger was withdrawn 14:02:11.`
pub fn withdrawn(namespaces: &[&str], clock: &str) -> String {
    if namespaces.is_empty() {
        return String::new();
    }
    format!("Access to {} was withdrawn {clock}.", few_namespaces(namespaces))
}

/// `Its 14 rows were removed from this view.`
pub fn rows_removed(namespaces: usize, rows: usize) -> String {
    let whose = if namespaces == 1 { "Its" } else { "Their" };
    match rows {
        0 => "No row of this view was there.".to_owned(),
        1 => format!("{whose} 1 row was removed from this view."),
        rows => format!("{whose} {} were removed from this view.", counted(rows, "row", "rows")),
    }
}

// What may I see?

pub const WHAT_MAY_I_SEE: &str = "What may I see?";
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
