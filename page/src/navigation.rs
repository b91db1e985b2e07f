//! The kinds of a cluster in groups: Kubernetes' own by purpose, all others by their API group. Never a kind that
//! discovery didn't name.

pub mod words;

use litemap::LiteMap;
use shared::resource::Kind;
use shared::sorted;

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
    let mut groups: LiteMap<(bool, Option<usize>, &str), Vec<Entry<'_>>> = LiteMap::new();
    for kind in kinds.iter().filter(|kind| !is_repeated(kinds, kind)) {
        let purpose = purpose(kind);
        let title = purpose.unwrap_or(kind.resource.group.as_str());
        let place = PURPOSES.iter().position(|known| Some(*known) == purpose);
        let entry = Entry { kind, label: label(kinds, kind) };
        groups.entry((place.is_none(), place, title)).or_default().push(entry);
    }
    let groups = groups.into_iter().map(|((is_api_group, _, title), mut entries)| {
        sorted::sort_by(&mut entries, |a, b| a.label.cmp(&b.label));
        Group { title, is_api_group, entries }
    });
    groups.collect()
}

/// The last line of the navigation.
pub fn foot(kinds: &[Kind], server_version: &str) -> String {
    let shut = kinds.iter().filter(|kind| kind.disabled.is_some()).count();
    words::kinds_foot(kinds.len(), shut, server_version)
}

/// The kinds that readers open most, as typed after `kubectl get`.
pub const OFTEN: [&str; 5] = ["pods", "deployments.apps", "nodes", "events", "namespaces"];

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
    fn the_foot_counts_the_kinds_and_those_that_are_hidden() {
        let mut secrets = kind("", "secrets", "Secret");
        secrets.disabled = Some("Secrets are off".into());
        let kinds = [kind("", "pods", "Pod"), secrets];
        assert_eq!(foot(&kinds, "v1.36.3"), "2 kinds, 1 hidden. Kubernetes v1.36.3");
        assert_eq!(foot(&[], ""), "0 kinds.");
    }
}
