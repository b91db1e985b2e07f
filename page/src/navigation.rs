//! The kinds of a cluster in the groups in which people look for them: Kubernetes' own by purpose,
//! all others by their API group. Never a kind that discovery didn't name.

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
    /// As typed after `kubectl get`; where two kinds share the word, with the Kind.
    pub label: String,
}

/// In the order of the page: by purpose first, then API groups by name.
#[must_use]
pub fn groups(kinds: &[Kind]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Purpose::ALL
        .iter()
        .map(|purpose| Group { title: purpose.title(), is_api_group: false, entries: Vec::new() })
        .collect();
    let mut others: Vec<Group<'_>> = Vec::new();
    for kind in kinds.iter().filter(|kind| !is_repeated(kinds, kind)) {
        let entry = Entry { kind, label: label(kinds, kind) };
        match purpose(kind) {
            Some(purpose) => {
                if let Some(group) = groups.iter_mut().find(|group| group.title == purpose.title()) {
                    group.entries.push(entry);
                }
            }
            None => {
                let title = kind.resource.group.as_str();
                match others.iter_mut().find(|group| group.title == title) {
                    Some(group) => group.entries.push(entry),
                    None => others.push(Group { title, is_api_group: true, entries: vec![entry] }),
                }
            }
        }
    }
    others.sort_by_key(|group| group.title);
    groups.extend(others);
    groups.retain(|group| !group.entries.is_empty());
    for group in &mut groups {
        group.entries.sort_by(|a, b| a.label.cmp(&b.label));
    }
    groups
}

/// What a filter leaves of one group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// For each entry: whether it is found.
    pub entries: Vec<bool>,
    /// Few enough kinds stand before it, so its own are shown at once; other groups show their count.
    pub opens: bool,
}

impl Found {
    #[must_use]
    pub fn count(&self) -> usize {
        self.entries.iter().filter(|is_found| **is_found).count()
    }
}

/// A reader scans no more kinds than these, and each costs its place in the page.
const FOUND_OPEN_MAX: usize = 100;

/// What the filter leaves of each group; `groups` holds the entries' texts in lower case.
#[must_use]
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
#[must_use]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Workloads,
    Network,
    Storage,
    Config,
    AccessControl,
    Cluster,
}

impl Purpose {
    const ALL: [Self; 6] =
        [Self::Workloads, Self::Network, Self::Storage, Self::Config, Self::AccessControl, Self::Cluster];

    fn title(self) -> &'static str {
        match self {
            Self::Workloads => "Workloads",
            Self::Network => "Network",
            Self::Storage => "Storage",
            Self::Config => "Config",
            Self::AccessControl => "Access control",
            Self::Cluster => "Cluster",
        }
    }
}

/// `None`: not one of Kubernetes' own API groups.
fn purpose(kind: &Kind) -> Option<Purpose> {
    let resource = kind.resource.resource.as_str();
    let purpose = match kind.resource.group.as_str() {
        "" => match resource {
            "pods" | "replicationcontrollers" | "podtemplates" => Purpose::Workloads,
            "services" | "endpoints" => Purpose::Network,
            "persistentvolumes" | "persistentvolumeclaims" => Purpose::Storage,
            "configmaps" | "secrets" | "limitranges" | "resourcequotas" => Purpose::Config,
            "serviceaccounts" => Purpose::AccessControl,
            _ => Purpose::Cluster,
        },
        "apps" | "batch" => Purpose::Workloads,
        "networking.k8s.io" | "discovery.k8s.io" => Purpose::Network,
        "storage.k8s.io" => Purpose::Storage,
        "autoscaling" | "policy" => Purpose::Config,
        "rbac.authorization.k8s.io"
        | "authentication.k8s.io"
        | "authorization.k8s.io"
        | "certificates.k8s.io" => Purpose::AccessControl,
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
        | "storagemigration.k8s.io" => Purpose::Cluster,
        _ => return None,
    };
    Some(purpose)
}

/// Events are served by two groups; they are the same objects, and people mean the core ones.
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
