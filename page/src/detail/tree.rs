//! The dependents of an object: which kinds they have, and which rows they are. Known for Kubernetes' own kinds; the
//! gateway tells which kinds the children of a custom one have. Never a subscription.

mod used_by;

use serde_json::Value;
use shared::cell::Cell;
use shared::column::Column;
use shared::custom_column::{CustomColumn, CustomColumns};
use shared::resource::{Kind, Resource};
use shared::row::{Row, RowId};
use shared::scope::{Namespaces, Scope};
use shared::selector::{FieldSelector, LabelSelector};

use super::reference::Reference;
use super::{read, words};
use crate::cells;
use crate::messages;

/// One kind of dependents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// `ReplicaSet`; empty for a kind that isn't known here.
    pub kind: &'static str,
    pub scope: Scope,
    /// Beyond the server's: what the tie reads.
    pub columns: CustomColumns,
    pub tie: Tie,
    /// The heading under which the rows stand.
    pub title: &'static str,
}

/// Which rows of the branch's scope belong to the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The rows whose controller is the object.
    Controller { kind: String, name: String, row: Option<RowId> },
    /// The rows whose controller is a row of the branch above, of this kind.
    Above { kind: &'static str },
    /// All rows: the scope has a selector for them.
    Selected,
    /// The rows that have this text in one of so many last cells.
    Names { text: String, cells: usize },
}

/// The branches below an object. A branch with [`Tie::Above`] is below the branch before it. `row`: the object's.
pub fn branches(object: &Value, row: Option<RowId>, kinds: &[Kind]) -> Vec<Branch> {
    let Some(itself) = Reference::to(object) else { return Vec::new() };
    let controller = || Tie::Controller { kind: itself.kind.clone(), name: itself.name.clone(), row };
    let below = |group, plural, kind, tie| branch(&itself, kinds, group, plural, kind, tie);
    let pods = |tie| below("", "pods", "Pod", tie).map(|branch| branch.with(&POD_COLUMNS));
    let found = match (&*itself.group, &*itself.kind) {
        ("apps", "Deployment") => vec![
            below("apps", "replicasets", "ReplicaSet", controller()).map(|branch| {
                branch.with(&[
                    (REVISION, ".metadata.annotations['deployment.kubernetes.io/revision']"),
                    (USED_BEFORE, ".metadata.annotations['deployment.kubernetes.io/revision-history']"),
                ])
            }),
            pods(Tie::Above { kind: "ReplicaSet" }),
        ],
        ("apps", "StatefulSet" | "DaemonSet") => {
            let columns = [POD_COLUMNS.as_slice(), &TEMPLATE_COLUMNS].concat();
            vec![below("", "pods", "Pod", controller()).map(|branch| branch.with(&columns))]
        }
        ("apps", "ReplicaSet") | ("batch", "Job") | ("", "ReplicationController") => vec![pods(controller())],
        ("batch", "CronJob") => {
            vec![below("batch", "jobs", "Job", controller()), pods(Tie::Above { kind: "Job" })]
        }
        ("", "Service") => {
            let pods = read::pairs(object, "/spec/selector");
            let pods: Vec<String> = pods.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let of_slices = format!("kubernetes.io/service-name={}", itself.name);
            let slices = below("discovery.k8s.io", "endpointslices", "EndpointSlice", Tie::Selected);
            vec![
                below("", "pods", "Pod", Tie::Selected)
                    .filter(|_| !pods.is_empty())
                    .and_then(|branch| branch.labelled(&pods.join(","), words::PODS_OF_SERVICE)),
                slices.and_then(|branch| branch.labelled(&of_slices, words::ENDPOINT_SLICES)),
            ]
        }
        ("", "Node") => {
            let selector = FieldSelector::parse(&format!("spec.nodeName={}", itself.name)).ok();
            let pods = below("", "pods", "Pod", Tie::Selected);
            vec![pods.zip(selector).map(|(branch, fields)| Branch {
                scope: Scope { fields: Some(fields), ..branch.scope },
                title: words::PODS_ON_NODE,
                ..branch
            })]
        }
        _ => used_by::branches(&itself, kinds),
    };
    found.into_iter().flatten().collect()
}

/// The branches below an object of a custom kind, whose children have these kinds.
pub fn branches_of_children(object: &Value, children: &[Resource], kinds: &[Kind]) -> Vec<Branch> {
    let Some(itself) = Reference::to(object) else { return Vec::new() };
    let (Some(uid), Some(whole)) = (&itself.uid, itself.namespaces()) else { return Vec::new() };
    let owned = |resource: &Resource| {
        let kind = kinds.iter().find(|kind| kind.serves(resource))?;
        let namespaces = if kind.namespaced { whole.clone() } else { Namespaces::All };
        let scope = Scope { namespaces, ..Scope::all(resource.clone()) };
        let (group, plural) = (resource.group.as_str(), resource.resource.as_str());
        let (kind, columns, _) = below_known(group, plural);
        let tie = Tie::Names { text: uid.clone(), cells: 1 };
        let branch =
            Branch { kind, scope, columns: CustomColumns::default(), tie, title: messages::CHILDREN };
        Some(branch.with(&[columns, &[OWNERS]].concat()))
    };
    let with_below = |resource: &Resource| {
        let mut branches: Vec<Branch> = owned(resource).into_iter().collect();
        if branches.is_empty() {
            return branches;
        }
        let (mut above, _, mut next) = below_known(resource.group.as_str(), resource.resource.as_str());
        while let Some((group, plural)) = next {
            let (kind, columns, below) = below_known(group, plural);
            let Some(found) = branch(&itself, kinds, group, plural, kind, Tie::Above { kind: above }) else {
                break;
            };
            branches.push(found.with(columns));
            (above, next) = (kind, below);
        }
        branches
    };
    children.iter().take(CHILD_KINDS_MAX).flat_map(with_below).collect()
}

/// Kinds of children that are subscribed to, with what stands below each.
const CHILD_KINDS_MAX: usize = 12;

/// The uids of the owners of an object.
const OWNERS: (&str, &str) = ("OWNERS", ".metadata.ownerReferences[*].uid");

type Columns = &'static [(&'static str, &'static str)];

/// A kind that controllers make: its name, the columns that it has here, and the kind below it.
fn below_known(group: &str, plural: &str) -> (&'static str, Columns, Option<(&'static str, &'static str)>) {
    const PODS: Option<(&str, &str)> = Some(("", "pods"));
    match (group, plural) {
        ("", "pods") => ("Pod", &POD_COLUMNS, None),
        ("", "replicationcontrollers") => ("ReplicationController", &[], PODS),
        ("apps", "deployments") => ("Deployment", &[], Some(("apps", "replicasets"))),
        ("apps", "replicasets") => ("ReplicaSet", &[ROLLOUT_REVISION], PODS),
        ("apps", "statefulsets") => ("StatefulSet", &[], PODS),
        ("apps", "daemonsets") => ("DaemonSet", &[], PODS),
        ("batch", "cronjobs") => ("CronJob", &[], Some(("batch", "jobs"))),
        ("batch", "jobs") => ("Job", &[], PODS),
        _ => ("", &[], None),
    }
}

fn branch(
    above: &Reference,
    kinds: &[Kind],
    group: &str,
    plural: &str,
    kind: &'static str,
    tie: Tie,
) -> Option<Branch> {
    let (resource, namespaces) = (served(kinds, group, plural)?, above.namespaces()?);
    let scope = Scope { cluster: None, resource, namespaces, name: None, labels: None, fields: None };
    Some(Branch { kind, scope, columns: CustomColumns::default(), tie, title: messages::CHILDREN })
}

/// The column that tells the ReplicaSets of a Deployment apart.
pub const REVISION: &str = "REVISION";
/// The revisions for which a ReplicaSet was used before: a rollback, or a template that comes again, uses it anew.
pub const USED_BEFORE: &str = "USED BEFORE";
/// As an Argo Rollout numbers its ReplicaSets.
const ROLLOUT_REVISION: (&str, &str) = (REVISION, ".metadata.annotations['rollout.argoproj.io/revision']");
/// The column that says of a pod why it stands on no node.
pub const UNSCHEDULED: &str = "UNSCHEDULED";
/// The columns that say of a pod whether it counts among those of its controller, and whether it is ready.
pub const PHASE: &str = "PHASE";
pub const IS_READY: &str = "IS READY";
/// What an object's pods say beyond the server's columns.
const POD_COLUMNS: [(&str, &str); 3] = [
    (UNSCHEDULED, ".status.conditions[?(@.type==\"PodScheduled\")].message"),
    (PHASE, ".status.phase"),
    (IS_READY, ".status.conditions[?(@.type==\"Ready\")].status"),
];
/// The columns that tell which template a pod was made from, where no ReplicaSet does.
pub const POD_REVISION: &str = "POD REVISION";
pub const POD_GENERATION: &str = "POD GENERATION";
pub const POD_IMAGES: &str = "POD IMAGES";
const TEMPLATE_COLUMNS: [(&str, &str); 3] = [
    (POD_REVISION, ".metadata.labels['controller-revision-hash']"),
    (POD_GENERATION, ".metadata.labels['pod-template-generation']"),
    (POD_IMAGES, ".spec.containers[*].image"),
];

/// The text of a row in the column of this name, unless it has none.
pub fn text_in<'a>(columns: &[Column], row: &'a Row, name: &str) -> Option<&'a str> {
    let at = columns.iter().position(|column| &*column.name == name)?;
    match row.cells.get(at)? {
        Cell::Text(text) if **text != *"<none>" => Some(text),
        _ => None,
    }
}

/// The revision of a Deployment's ReplicaSet.
pub fn revision(columns: &[Column], set: &Row) -> Option<u64> {
    text_in(columns, set, REVISION)?.parse().ok()
}

impl Branch {
    /// Whether these are the pods on a node.
    pub fn is_of_node(&self) -> bool {
        self.title == words::PODS_ON_NODE
    }

    /// Beside its heading, once it is known that it has no object. Empty: the heading isn't shown.
    pub fn none(&self) -> &'static str {
        words::none_under(self.title)
    }

    /// With columns of its own after the server's, each by name and path.
    fn with(self, columns: &[(&str, &str)]) -> Self {
        let columns =
            columns.iter().filter_map(|(name, path)| CustomColumn::parse(name, path).ok()).collect();
        Self { columns: CustomColumns::these(columns).unwrap_or_default(), ..self }
    }

    /// The rows with these labels, under this heading.
    fn labelled(self, labels: &str, title: &'static str) -> Option<Self> {
        let labels = Some(LabelSelector::parse(labels).ok()?);
        Some(Self { scope: Scope { labels, ..self.scope }, title, ..self })
    }
}

pub(super) fn served(kinds: &[Kind], group: &str, plural: &str) -> Option<Resource> {
    let is_it =
        |kind: &&Kind| kind.resource.group.as_str() == group && kind.resource.resource.as_str() == plural;
    kinds.iter().find(is_it).map(|kind| kind.resource.clone())
}

impl Tie {
    /// A row names its controller by the id of its row. A former gateway says kind and name alone, which objects of
    /// several groups may share.
    pub fn holds(&self, row: &Row) -> bool {
        let owner = row.extra.as_deref().and_then(|extra| extra.owner.as_ref());
        match self {
            Self::Controller { kind, name, row: ours } => owner.is_some_and(|owner| {
                let is_named = *owner.kind == **kind && *owner.name == **name;
                owner.row.zip(*ours).map_or(is_named, |(owner, ours)| owner == ours)
            }),
            Self::Above { kind } => owner.is_some_and(|owner| *owner.kind == **kind),
            Self::Selected => true,
            Self::Names { text, cells } => row.cells.iter().rev().take(*cells).any(|cell| match cell {
                Cell::Text(held) => held.split(',').any(|held| held == text),
                _ => false,
            }),
        }
    }

    /// Whether the row belongs to the object, or to this row of the branch above.
    pub fn is_of(&self, row: &Row, above: Option<&Row>) -> bool {
        above.map_or_else(|| self.holds(row), |above| self.is_below(row, above))
    }

    /// Whether the row belongs to this row of the branch above.
    pub fn is_below(&self, row: &Row, above: &Row) -> bool {
        let owner = row.extra.as_deref().and_then(|extra| extra.owner.as_ref());
        matches!(self, Self::Above { .. })
            && owner.is_some_and(|owner| {
                let is_named = owner.name == above.name && row.namespace == above.namespace;
                owner.row.map_or(is_named, |owner| owner == above.id)
            })
    }
}

/// The selector that the objects below this one fulfil by rule of its kind. `None`: they are found by their owner alone.
pub fn selector(object: &Value) -> Option<LabelSelector> {
    let is_one = matches!(
        read::group_and_kind(object)?,
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet") | ("batch", "Job")
    );
    let labels = read::pairs(object, "/spec/selector/matchLabels").into_iter();
    let mut terms: Vec<String> = labels.map(|(key, value)| format!("{key}={value}")).collect();
    for expression in read::list(object, "/spec/selector/matchExpressions") {
        let key = read::raw(expression, "/key")?;
        let values = || {
            let values = read::list(expression, "/values").iter().filter_map(Value::as_str);
            values.collect::<Vec<_>>().join(",")
        };
        terms.push(match read::raw(expression, "/operator")? {
            "In" => format!("{key} in ({})", values()),
            "NotIn" => format!("{key} notin ({})", values()),
            "Exists" => key.to_owned(),
            _ => format!("!{key}"),
        });
    }
    let selector = LabelSelector::parse(&terms.join(",")).ok().filter(|_| is_one)?;
    (!selector.is_empty()).then_some(selector)
}

/// Kind and name of the object, as its line of the tree shows them.
pub fn kind_and_name(object: &Value) -> (String, String) {
    let (_, kind) = read::group_and_kind(object).unwrap_or_default();
    (cells::shown(kind).into_owned(), read::text(object, "/metadata/name").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::row::{Extra, Owner};

    use super::super::testing::kind;
    use super::*;

    fn kinds() -> [Kind; 4] {
        [
            kind("", "pods", "Pod", true),
            kind("apps", "replicasets", "ReplicaSet", true),
            kind("batch", "jobs", "Job", true),
            kind("discovery.k8s.io", "endpointslices", "EndpointSlice", true),
        ]
    }

    fn check(api_version: &str, name: &str, namespace: Option<&str>, expected: &[&str]) {
        let object = json!({"apiVersion": api_version, "kind": name,
            "metadata": {"name": "cart", "namespace": namespace}});
        let found: Vec<String> = branches(&object, None, &kinds())
            .iter()
            .map(|branch| {
                let scope = serde_json::to_value(&branch.scope).expect("json");
                let of = |key: &str| scope.get(key).map(Value::to_string).unwrap_or_default();
                let resource = &branch.scope.resource;
                format!("{resource} {}{}{}", of("namespaces"), of("labels"), of("fields"))
            })
            .collect();
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn each_kind_is_asked_for_where_its_dependents_are() {
        let shop = Some("shop");
        check("apps/v1", "Deployment", shop, &[r#"replicasets.apps ["shop"]"#, r#"pods ["shop"]"#]);
        check("apps/v1", "DaemonSet", shop, &[r#"pods ["shop"]"#]);
        check("batch/v1", "CronJob", shop, &[r#"jobs.batch ["shop"]"#, r#"pods ["shop"]"#]);
        let slices = r#"endpointslices.discovery.k8s.io ["shop"]"kubernetes.io/service-name=cart""#;
        check("v1", "Service", shop, &[slices]);
        check("v1", "PersistentVolumeClaim", shop, &[r#"pods ["shop"]"#]);
        check("v1", "Secret", shop, &[r#"pods ["shop"]"#]);
        check("v1", "Node", None, &[r#"pods "spec.nodeName=cart""#]);
        check("example.com/v1", "Deployment", shop, &[]);
        check("v1", "Namespace", None, &[]);
    }

    #[test]
    fn what_a_workload_owns_is_selected_as_its_controller_selects_it() {
        let said = |api_version: &str, kind: &str, selector: Value| {
            let object = json!({"apiVersion": api_version, "kind": kind, "spec": {"selector": selector}});
            super::selector(&object).map(|selector| selector.to_string())
        };
        let both = json!({"matchLabels": {"app": "web"}, "matchExpressions": [
            {"key": "tier", "operator": "In", "values": ["a", "b"]}, {"key": "old", "operator": "DoesNotExist"}]});
        assert_eq!(
            said("apps/v1", "Deployment", both.clone()).as_deref(),
            Some("app=web,!old,tier in (a,b)")
        );
        assert_eq!(said("example.com/v1", "Deployment", both), None);
        assert_eq!(said("apps/v1", "DaemonSet", json!({})), None, "nothing would be everything");
        assert_eq!(said("v1", "Service", json!({"app": "web"})), None);
    }

    #[test]
    fn a_row_belongs_to_what_controls_it() {
        let row = |name: &str, kind: &str, owner: &str| {
            let owner = Some(Owner { kind: kind.into(), name: owner.into(), row: None });
            let extra = Some(Box::new(Extra { owner, ..Extra::default() }));
            Row { extra, ..replica::testing::row(1, &format!("shop/{name}"), &[]) }
        };
        let set = row("cart-7", "Deployment", "cart");
        let pod = row("cart-7-x", "ReplicaSet", "cart-7");
        let tie = Tie::Controller { kind: "Deployment".to_owned(), name: "cart".to_owned(), row: None };
        assert!(tie.holds(&set) && !tie.holds(&pod));
        let above = Tie::Above { kind: "ReplicaSet" };
        assert!(above.holds(&pod) && above.is_below(&pod, &set) && !above.is_below(&set, &pod));
    }

    #[test]
    fn a_row_whose_controller_has_only_the_name_and_the_kind_of_the_object_is_not_its_child() {
        let (ours, other) = (RowId::from_hash(7 << 4), RowId::from_hash(8 << 4));
        let pod = |owner: RowId| {
            let owner = Some(Owner { kind: "StatefulSet".into(), name: "web".into(), row: Some(owner) });
            let extra = Some(Box::new(Extra { owner, ..Extra::default() }));
            Row { extra, ..replica::testing::row(1, "shop/web-0", &[]) }
        };
        let tie = |row| Tie::Controller { kind: "StatefulSet".to_owned(), name: "web".to_owned(), row };
        assert!(tie(Some(ours)).holds(&pod(ours)) && !tie(Some(ours)).holds(&pod(other)));
        assert!(tie(None).holds(&pod(other)), "by name, where the object's id isn't known");
        let above = Row { id: ours, ..replica::testing::row(2, "shop/web", &[]) };
        let below = Tie::Above { kind: "StatefulSet" };
        assert!(below.is_below(&pod(ours), &above) && !below.is_below(&pod(other), &above));
    }
}
