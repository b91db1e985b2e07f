//! The frames of a gateway with a few pods, for the tests of this folder.

use shared::cell::{Ago, Cell};
use shared::frame::server::{Kinds, Rows, ServerFrame, Subscribed, Sync, Welcome};
use shared::name::{ClusterName, Namespace};
use shared::resource::{Kind, Resource};
use shared::row::{Row, RowId};
use shared::scope::Scope;

/// The cluster's clock in every frame, in seconds.
pub(super) const NOW_S: i64 = 1_763_690_300;

pub(super) fn kinds() -> Kinds {
    let kind = |group: &str, plural: &str, kind: &str, namespaced| Kind {
        singular: kind.to_lowercase().into(),
        disabled: (plural == "secrets").then(|| "secrets aren't enabled on this gateway".into()),
        ..Kind::new(Resource::parse(group, "v1", plural).expect("a resource"), kind, namespaced)
    };
    Kinds::new(
        ClusterName::parse("kind").expect("a name"),
        vec![
            kind("", "pods", "Pod", true),
            kind("", "nodes", "Node", false),
            kind("", "secrets", "Secret", true),
        ],
        Vec::new(),
    )
}

pub(super) fn welcome() -> Welcome {
    let mut welcome = replica::testing::welcome(0);
    for cluster in &mut welcome.clusters {
        cluster.context = None;
        cluster.namespaces = vec![Namespace::parse("shop").expect("a namespace")];
    }
    Welcome { now_ms: NOW_S * 1_000, ..welcome }
}

pub(super) fn subscribed(id: u32, scope: Scope) -> Subscribed {
    let columns = ["Name", "Ready", "Restarts", "Age", "Nominated Node"];
    let mut subscribed = replica::testing::subscribed(id, "e", &columns);
    if let Some(wide) = subscribed.columns.last_mut() {
        wide.priority = 1;
    }
    Subscribed { scope, ..subscribed }
}

pub(super) fn pod(number: u64, namespace: &str, name: &str, ready: &str) -> Row {
    Row {
        id: RowId::from_hash(number << 4),
        resource_version: (100 + number).to_string().as_str().into(),
        namespace: Some(namespace.into()),
        name: name.into(),
        created: Some(NOW_S - 300),
        cells: vec![
            Cell::text(name),
            Cell::text(ready),
            Cell::Ago(Box::new(Ago { text: "3".into(), at: NOW_S - 60 })),
            Cell::Age(Some(NOW_S - 300)),
            Cell::text("<none>"),
        ],
        extra: None,
    }
}

pub(super) fn rows(from: u64, to: u64, put: Vec<Row>) -> ServerFrame {
    ServerFrame::Rows(Rows { view: 7, from, to, put, ..Rows::default() })
}

pub(super) fn sync(at: u64) -> ServerFrame {
    ServerFrame::Sync(Sync {
        view: 7,
        at,
        resource_version: "110".into(),
        proof_ms: NOW_S * 1_000,
        now_ms: NOW_S * 1_000,
        cluster_now_ms: NOW_S * 1_000,
        spread_ms: 0,
        digest: None,
    })
}
