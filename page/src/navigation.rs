//! The kinds of a cluster in groups: Kubernetes' own by purpose, all others by their API group. Never a kind that
//! discovery didn't name.

use std::collections::BTreeMap;

use shared::resource::Kind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<'a> {
    pub title: &'a str,
    /// The title is an API group's name.
    pub is_api_group: bool,
    pub entries: Vec<Entry<'a>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub kind: &'a Kind,
    /// As typed after `kubectl get`; if two kinds have the same plural, with the Kind.
    pub label: String,
}

/// In the order of the page: by purpose first, then API groups by name.
pub fn groups(kinds: &[Kind]) -> Vec<Group<'_>> {
    // By purpose in the order of `PURPOSES`, then by the name of the API group.
    let mut groups: BTreeMap<(bool, Option<usize>, &str), Vec<Entry<'_>>> = BTreeMap::new();
    for kind in kinds.iter().filter(|kind| !is_repeated(kinds, kind)) {
        let purpose = purpose(kind);
        let title = purpose.unwrap_or(kind.resource.group.as_str());
        let place = PURPOSES.iter().position(|known| Some(*known) == purpose);
        let entry = Entry { kind, label: label(kinds, kind) };
        groups.entry((place.is_none(), place, title)).or_default().push(entry);
    }
    let groups = groups.into_iter().map(|((is_api_group, _, title), mut entries)| {
        entries.sort_by(|a, b| a.label.cmp(&b.label));
        Group { title, is_api_group, entries }
    });
    groups.collect()
}

/// The entries of one group that match the filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// For each entry: whether it is found.
    pub entries: Vec<bool>,
    /// Its entries are shown at once, because few kinds stand before them; other groups show a count.
    pub opens: bool,
}

impl Found {
    pub fn count(&self) -> usize {
        self.entries.iter().filter(|is_found| **is_found).count()
    }
}

/// Kinds that a filter shows at once: more is no help.
const FOUND_OPEN_MAX: usize = 100;

/// `groups`: the texts of each group's entries, in lower case.
pub fn found(groups: &[Vec<String>], filter: &str) -> Vec<Found> {
    let mut open = 0;
    let of_group = |texts: &Vec<String>| {
        let entries = texts.iter().map(|text| text.contains(filter)).collect();
        let mut found = Found { entries, opens: false };
        let count = found.count();
        found.opens = open == 0 || open + count <= FOUND_OPEN_MAX;
        open += count;
        found
    };
    groups.iter().map(of_group).collect()
}

/// The last line of the navigation.
pub fn foot(kinds: &[Kind], server_version: &str) -> String {
    let shut = kinds.iter().filter(|kind| kind.disabled.is_some()).count();
    let open = kinds.len() - shut;
    let mut text = format!("{open} {}", if open == 1 { "kind" } else { "kinds" });
    if shut > 0 {
        text += &format!(", {shut} not served");
    }
    text += ".";
    if !server_version.is_empty() {
        text += &format!(" Kubernetes {server_version}");
    }
    text
}

const WORKLOADS: &str = "Workloads";
const NETWORK: &str = "Network";
const STORAGE: &str = "Storage";
const CONFIG: &str = "Config";
const ACCESS_CONTROL: &str = "Access control";
const CLUSTER: &str = "Cluster";
/// In the order of the page.
const PURPOSES: [&str; 6] = [WORKLOADS, NETWORK, STORAGE, CONFIG, ACCESS_CONTROL, CLUSTER];

/// `None`: not one of Kubernetes' own API groups.
fn purpose(kind: &Kind) -> Option<&'static str> {
    let resource = kind.resource.resource.as_str();
    let purpose = match kind.resource.group.as_str() {
        "" => match resource {
            "pods" | "replicationcontrollers" | "podtemplates" => WORKLOADS,
            "services" | "endpoints" => NETWORK,
            "persistentvolumes" | "persistentvolumeclaims" => STORAGE,
            "configmaps" | "secrets" | "limitranges" | "resourcequotas" => CONFIG,
            "serviceaccounts" => ACCESS_CONTROL,
            _ => CLUSTER,
        },
        "apps" | "batch" => WORKLOADS,
        "networking.k8s.io" | "discovery.k8s.io" => NETWORK,
        "storage.k8s.io" => STORAGE,
        "autoscaling" | "policy" => CONFIG,
        "rbac.authorization.k8s.io"
        | "authentication.k8s.io"
        | "authorization.k8s.io"
        | "certificates.k8s.io" => ACCESS_CONTROL,
        "admissionregistration.k8s.io"
        | "apiextensions.k8s.io"
        | "apiregistration.k8s.io"
        | "coordination.k8s.io"
        | "events.k8s.io"
        | "flowcontrol.apiserver.k8s.io"
        | "internal.apiserver.k8s.io"
        | "node.k8s.io"
        | "resource.k8s.io"
        | "scheduling.k8s.io"
        | "storagemigration.k8s.io" => CLUSTER,
        _ => return None,
    };
    Some(purpose)
}

/// Two API groups serve the same Events; only those of the core group are shown.
fn is_repeated(kinds: &[Kind], kind: &Kind) -> bool {
    kind.resource.group.as_str() == "events.k8s.io"
        && kinds
            .iter()
            .any(|other| other.resource.is_core() && other.resource.resource == kind.resource.resource)
}

fn label(kinds: &[Kind], kind: &Kind) -> String {
    let plural = kind.resource.resource.as_str();
    let is_shared = kinds.iter().any(|other| {
        other.resource.resource.as_str() == plural && other.resource.group != kind.resource.group
    });
    if is_shared && purpose(kind).is_none() { format!("{plural} ({})", kind.kind) } else { plural.to_owned() }
}

#[cfg(test)]
mod tests {
    use shared::resource::Resource;

    use super::*;

    fn kind(group: &str, resource: &str, kind: &str) -> Kind {
        Kind::new(Resource::parse(group, "v1", resource).expect("a resource"), kind, true)
    }

    #[test]
    fn a_filter_opens_the_first_groups_and_counts_the_others() {
        let group = |name: &str, size: usize| (0..size).map(|at| format!("{name}{at} {name}")).collect();
        let groups: [Vec<String>; 4] =
            [group("a", 30), group("wide", 90), group("widgets", 60), group("w", 1)];
        let opened = |filter: &str| {
            let found = found(&groups, filter);
            found.iter().map(|found| (found.count(), found.opens)).collect::<Vec<_>>()
        };
        assert_eq!(opened("wid"), [(0, true), (90, true), (60, false), (0, false)]);
        assert_eq!(opened("widgets"), [(0, true), (0, true), (60, true), (0, true)]);
        assert_eq!(opened("widgets7 "), [(0, true), (0, true), (1, true), (0, true)]);
    }

    #[test]
    fn own_kinds_stand_by_purpose_and_others_by_their_group() {
        let kinds = [
            kind("", "pods", "Pod"),
            kind("", "events", "Event"),
            kind("events.k8s.io", "events", "Event"),
            kind("apps", "deployments", "Deployment"),
            kind("cert-manager.io", "certificates", "Certificate"),
            kind("argoproj.io", "rollouts", "Rollout"),
            kind("metrics.k8s.io", "pods", "PodMetrics"),
        ];
        let seen: Vec<String> = groups(&kinds)
            .iter()
            .map(|group| {
                let labels: Vec<&str> = group.entries.iter().map(|entry| entry.label.as_str()).collect();
                format!("{}: {}", group.title, labels.join(", "))
            })
            .collect();
        assert_eq!(
            seen,
            [
                "Workloads: deployments, pods",
                "Cluster: events",
                "argoproj.io: rollouts",
                "cert-manager.io: certificates",
                "metrics.k8s.io: pods (PodMetrics)",
            ]
        );
    }

    #[test]
    fn the_foot_counts_what_is_served_and_what_is_not() {
        let mut secrets = kind("", "secrets", "Secret");
        secrets.disabled = Some("Secrets are off".into());
        let kinds = [kind("", "pods", "Pod"), secrets];
        assert_eq!(foot(&kinds, "v1.36.3"), "1 kind, 1 not served. Kubernetes v1.36.3");
        assert_eq!(foot(&[], ""), "0 kinds.");
    }
}
