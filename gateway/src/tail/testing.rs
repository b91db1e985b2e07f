//! The frames of a gateway with a few pods, for the tests of this folder.

use shared::cell::{Ago, Cell};
use shared::column::Column;
use shared::frame::VERSION;
use shared::frame::server::{
    Cluster, Kinds, LoginMode, Rows, ServerFrame, Subscribed, Sync, Viewer, ViewerRights, Welcome,
};
use shared::name::{ClusterName, Namespace};
use shared::resource::{Kind, Resource};
use shared::row::{Row, RowId};
use shared::scope::Scope;
use shared::state::{StateReport, ViewState};

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
    Welcome {
        version: VERSION.into(),
        gateway: "0.1.0".into(),
        clusters: vec![Cluster {
            name: ClusterName::parse("kind").expect("a name"),
            id: "c".into(),
            context: None,
            version: "".into(),
            namespaces: vec![Namespace::parse("shop").expect("a namespace")],
            kinds: "".into(),
            problem: None,
        }],
        viewer: Viewer {
            user: "m".into(),
            groups: Vec::new(),
            mode: LoginMode::Local,
            provider: None,
            rights: ViewerRights::Gateway,
            signs_out: false,
            expires_ms: None,
        },
        pinned: Vec::new(),
        boards: Vec::new(),
        rules: "".into(),
        credit_bytes: 524_288,
        now_ms: NOW_S * 1_000,
    }
}

pub(super) fn subscribed(id: u32, scope: Scope) -> Subscribed {
    let column = |name: &str, kind: &str, priority| Column {
        name: name.into(),
        kind: kind.into(),
        format: "".into(),
        description: "".into(),
        priority,
        path: "".into(),
    };
    Subscribed {
        id,
        view: 7,
        scope,
        projection: Default::default(),
        at: None,
        cluster: "c".into(),
        columns_hash: "h".into(),
        epoch: "e".into(),
        columns: vec![
            column("Name", "string", 0),
            column("Ready", "string", 0),
            column("Restarts", "string", 0),
            column("Age", "string", 0),
            column("Nominated Node", "string", 1),
        ],
        state: StateReport::of(ViewState::Live),
    }
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
