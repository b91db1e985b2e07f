//! The frames that [`TestGateway`](super::TestGateway) sends, and the resources that it serves.

use serde_json::Value;
use shared::column::Column;
use shared::frame::client::{Projection, Subscribe, SubscriptionId};
use shared::frame::server::{ObjectFrame, ProblemFrame, Rows, ServerFrame, Subscribed, Sync};
use shared::problem::{Problem, Reason};
use shared::row::{Row, RowId};
use shared::scope::Scope;
use shared::state::{StateReport, UnixMillis, ViewState, Whom};

use replica::testing;

/// A subscription, and the position up to which it was sent.
pub(super) struct Open {
    pub(super) asked: Subscribe,
    pub(super) at: u64,
}

impl Open {
    pub(super) fn view(&self) -> u32 {
        self.asked.id + 1_000
    }

    pub(super) fn has(&self, row: &Row) -> bool {
        let scope = &self.asked.scope;
        self.asked.row.is_none_or(|id| id == row.id)
            && scope.name.as_ref().is_none_or(|name| name.as_str() == &*row.name)
            && (row.namespace.is_none() || scope.namespaces.contains(row.namespace.as_deref()))
    }

    /// The health of a row is one that is asked for.
    pub(super) fn takes(&self, row: &Row) -> bool {
        !self.asked.trouble || row.health().is_some()
    }

    pub(super) fn is_of(&self, resource: &str, projection: Projection) -> bool {
        self.asked.scope.resource.to_string() == resource && self.asked.projection == projection
    }

    /// The range of the next frame, which has one step.
    pub(super) fn step(&mut self) -> (u64, u64) {
        self.at += 1;
        (self.at - 1, self.at)
    }

    /// The next frame of rows, still without one.
    pub(super) fn next_rows(&mut self) -> Rows {
        let ((from, to), view) = (self.step(), self.view());
        Rows { view, from, to, resource_version: to.to_string().as_str().into(), ..Rows::default() }
    }
}

/// Name, group, kind and columns of the resources that every test cluster serves. `*` marks a wide column.
pub(super) const RESOURCES: &[(&str, &str, &str, &[&str])] = &[
    ("pods", "", "Pod", &["Name", "Ready", "Status", "Restarts", "Age", "*IP", "*Node"]),
    ("nodes", "", "Node", &["Name", "Status", "Age"]),
    ("namespaces", "", "Namespace", &["Name", "Status", "Age"]),
    ("services", "", "Service", &["Name", "Type", "Age"]),
    ("configmaps", "", "ConfigMap", &["Name", "Data", "Age"]),
    ("persistentvolumeclaims", "", "PersistentVolumeClaim", &["Name", "Status", "Age"]),
    ("events", "", "Event", &["Last Seen", "Type", "Reason", "Object", "Message"]),
    ("deployments", "apps", "Deployment", &["Name", "Ready", "Age"]),
    (
        "replicasets",
        "apps",
        "ReplicaSet",
        &["Name", "Desired", "Current", "Ready", "Age", "*Containers", "*Images"],
    ),
    ("statefulsets", "apps", "StatefulSet", &["Name", "Ready", "Age"]),
    ("widgets", "example.com", "Widget", &["Name", "Age"]),
    ("pods", "metrics.k8s.io", "PodMetrics", &["Name"]),
    ("customresourcedefinitions", "apiextensions.k8s.io", "CustomResourceDefinition", &["Name", "Age"]),
];

/// Kinds whose objects have a status.
pub(super) const WITH_STATUS: &[&str] = &["pods", "nodes", "namespaces", "deployments", "replicasets"];

pub(super) const CLUSTER_SCOPED: &[&str] = &["nodes", "namespaces", "customresourcedefinitions"];

pub(super) fn column(name: &str) -> Column {
    let (name, priority) = name.strip_prefix('*').map_or((name, 0), |name| (name, 1));
    let format = if name == "Name" { "name" } else { "" };
    Column { priority, format: format.into(), ..testing::column(name) }
}

pub(super) fn sync(open: &Open, now_ms: UnixMillis) -> ServerFrame {
    ServerFrame::Sync(Sync {
        view: open.view(),
        at: open.at,
        resource_version: "9".into(),
        proof_ms: now_ms,
        now_ms,
        cluster_now_ms: now_ms,
        spread_ms: 0,
        digest: None,
    })
}

pub(super) fn object_frame(
    view: u32,
    (from, to): (u64, u64),
    row: Option<RowId>,
    object: Option<&Value>,
) -> ObjectFrame {
    ObjectFrame {
        id: None,
        view,
        from,
        to,
        resource_version: to.to_string().as_str().into(),
        row,
        object: object.cloned(),
        patch: Vec::new(),
        deleted: object.is_none(),
        gap: None,
        reset: from == 0,
    }
}

pub(super) fn problem_frame(id: SubscriptionId, problem: Problem) -> ServerFrame {
    ServerFrame::Problem(ProblemFrame { id: Some(id), problem })
}

/// A review said no. The subscription stays, because the right may come.
pub(super) fn refused_frame(asked: &Subscribe) -> ServerFrame {
    let resource = &asked.scope.resource;
    let problem = Problem::new(
        Reason::Forbidden,
        format!("you may not list {resource} (no rule); ask `kubectl auth can-i list {resource}`"),
    );
    ServerFrame::Subscribed(Box::new(Subscribed {
        view: asked.id + 1_000,
        scope: asked.scope.clone(),
        projection: asked.projection,
        cluster: "".into(),
        state: StateReport::of(ViewState::Forbidden { to: Whom::You }).because(problem),
        ..testing::subscribed(asked.id, "", &[])
    }))
}

pub(super) fn scope_text(projection: Projection, scope: &Scope) -> String {
    let what = match projection {
        Projection::Rows => "",
        Projection::Object => "object of ",
        Projection::Timeline => "log of ",
    };
    let name = scope.name.as_ref().map_or_else(String::new, |name| format!("/{name}"));
    let namespaces: Option<Vec<_>> = scope.namespaces.clone().into();
    let place = namespaces.map_or_else(String::new, |names| {
        format!(" in {}", names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(","))
    });
    let labels = scope.labels.as_ref().map_or_else(String::new, |labels| format!(" -l {labels}"));
    let fields = scope.fields.as_ref().map_or_else(String::new, |fields| format!(" -f {}", fields.as_str()));
    let cluster = scope.cluster.as_ref().map_or_else(String::new, |cluster| format!("@{cluster}"));
    format!("{what}{}{cluster}{name}{place}{labels}{fields}", scope.resource)
}
