//! Small tables and a client with one row, for the tests of this crate and of those that stand upon it.

use shared::cell::Cell;
use shared::column::Column;
use shared::frame::client::ClientFrame;
use shared::frame::server::{
    Cluster, LoginMode, Rows, ServerFrame, StateFrame, Subscribed, Sync, TimelineFrame, Viewer, ViewerRights,
    Welcome,
};
use shared::name::ClusterName;
use shared::resource::Resource;
use shared::row::{Row, RowId};
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, UnixMillis, ViewState};

use crate::client::{Client, Input, Output, SignIn, ViewKey};
use crate::now::Now;
use crate::observer::RowObserver;
use crate::subscription::Subscription;
use crate::table::{Broken, Delta, Table};
use crate::timeline::TimelineView;
use crate::view::View;

pub fn column(name: &str) -> Column {
    Column {
        name: name.into(),
        kind: "string".into(),
        format: "".into(),
        description: "".into(),
        priority: 0,
        path: "".into(),
    }
}

pub fn scope(resource: &str) -> Scope {
    Scope {
        cluster: None,
        resource: Resource::parse("", "v1", resource).expect("a resource"),
        namespaces: Namespaces::All,
        name: None,
        labels: None,
        fields: None,
    }
}

/// A proof of this moment. The cluster's clock says another time than the client's.
pub fn sync(view: u32, position: u64, digest: Option<&str>, now_ms: i64, cluster_now_ms: i64) -> Sync {
    Sync {
        view,
        at: position,
        resource_version: "9".into(),
        proof_ms: now_ms + GATEWAY_AHEAD_MS,
        now_ms: now_ms + GATEWAY_AHEAD_MS,
        cluster_now_ms,
        spread_ms: 500,
        digest: digest.map(Into::into),
    }
}

pub fn subscribed(id: u32, epoch: &str, columns: &[&str]) -> Subscribed {
    Subscribed {
        id,
        view: 7,
        scope: scope("pods"),
        projection: Default::default(),
        at: None,
        cluster: "c".into(),
        columns_hash: columns.join(",").into(),
        epoch: epoch.into(),
        columns: columns.iter().map(|name| column(name)).collect(),
        state: StateReport::of(ViewState::Live),
    }
}

/// An id that is its number.
pub fn id(number: u64) -> RowId {
    RowId::from_hash(number << 4)
}

pub fn row(number: u64, key: &str, cells: &[&str]) -> Row {
    let (namespace, name) = key.split_once('/').expect("namespace/name");
    Row {
        id: id(number),
        resource_version: "1".into(),
        namespace: Some(namespace.into()),
        name: name.into(),
        created: None,
        cells: cells.iter().map(|text| Cell::text(text)).collect(),
        extra: None,
    }
}

pub fn table_of(columns: &[&str], rows: Vec<Row>) -> Table {
    table_with(columns.iter().map(|name| column(name)).collect(), rows)
}

pub fn table_with(columns: Vec<Column>, rows: Vec<Row>) -> Table {
    let mut table = Table::default();
    table.subscribed(&Subscribed { columns, ..subscribed(1, "e", &["any"]) });
    let frame = Rows { view: 7, from: 0, to: 1, put: rows, ..Rows::default() };
    table.apply(frame).expect("a first frame");
    table
}

pub fn named_table(keys: &[&str]) -> Table {
    let rows = keys.iter().zip(1..).map(|(key, number)| row(number, key, &[key])).collect();
    table_of(&["Name"], rows)
}

pub fn at(now_ms: i64) -> Now {
    Now { now_ms, chance: 0.5 }
}

/// A client with one view of pods.
pub struct ClientRig<O = ()> {
    pub client: Client<O>,
    pub key: ViewKey,
}

pub const GATEWAY_AHEAD_MS: i64 = 500;

impl<O: RowObserver> ClientRig<O> {
    pub fn new() -> Self {
        let mut client = Client::new("test", SignIn::Connection);
        let key = client.open(scope("pods"), at(0));
        Self { client, key }
    }

    /// Connected, with one row at position 1 and a first proof, at 1 s.
    pub fn live() -> Self {
        let mut rig = Self::new();
        rig.connect(0);
        rig.answer(1, "e");
        rig.rows(0, 1, vec![row(1, "a/1", &["1"])], 900);
        rig.sync(1, None, 1_000);
        rig.said();
        rig
    }

    pub fn connect(&mut self, now_ms: i64) {
        self.client.handle(Input::Start, at(now_ms));
        self.client.handle(Input::Opened, at(now_ms));
        self.frame(ServerFrame::Welcome(Box::new(welcome(now_ms))), now_ms);
    }

    pub fn frame(&mut self, frame: ServerFrame, now_ms: i64) {
        self.client.handle(Input::Frame { frame: Box::new(frame), bytes: 0 }, at(now_ms));
    }

    pub fn answer(&mut self, id: u32, epoch: &str) {
        self.frame(ServerFrame::Subscribed(Box::new(subscribed(id, epoch, &["Name"]))), 800);
    }

    pub fn answer_at(&mut self, id: u32, epoch: &str, at: u64) {
        let answer = Subscribed { at: Some(at), ..subscribed(id, epoch, &["Name"]) };
        self.frame(ServerFrame::Subscribed(Box::new(answer)), 800);
    }

    pub fn rows(&mut self, from: u64, to: u64, put: Vec<Row>, now_ms: i64) {
        self.frame(ServerFrame::Rows(Rows { view: 7, from, to, put, ..Rows::default() }), now_ms);
    }

    pub fn state(&mut self, report: StateReport, now_ms: i64) {
        self.frame(ServerFrame::State(StateFrame { view: 7, report }), now_ms);
    }

    pub fn sync(&mut self, position: u64, digest: Option<&str>, now_ms: i64) {
        self.frame(ServerFrame::Sync(sync(7, position, digest, now_ms, now_ms + 7_000)), now_ms);
    }

    pub fn view(&self) -> &View<O> {
        self.client.view(self.key).expect("open")
    }

    /// The outputs so far, in short words.
    pub fn said(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        while let Some(output) = self.client.poll_output() {
            said.push(match output {
                Output::Connect => "connect".to_owned(),
                Output::Send(ClientFrame::Hello(_)) => "hello".to_owned(),
                Output::Send(ClientFrame::Subscribe(frame)) => match &frame.token {
                    Some(token) => format!("subscribe {} from {}", frame.id, token.sequence),
                    None => format!("subscribe {}", frame.id),
                },
                Output::Send(ClientFrame::Unsubscribe(frame)) => {
                    format!("unsubscribe {}{}", frame.id, if frame.differed { " differed" } else { "" })
                }
                Output::Send(ClientFrame::Retry(frame)) => format!("retry {}", frame.id),
                Output::Close { code } => format!("close {code}"),
                Output::Ended(_) => "ended".to_owned(),
                _ => continue,
            });
        }
        said
    }
}

pub fn welcome(now_ms: i64) -> Welcome {
    Welcome {
        version: shared::frame::VERSION.into(),
        gateway: "0.1.0".into(),
        clusters: vec![Cluster {
            name: ClusterName::parse("kind").expect("a name"),
            id: "c".into(),
            context: Some("Kind".into()),
            version: "v1.36.3".into(),
            namespaces: vec![],
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
        records: false,
        logs: false,
        replays: None,
        file: None,
        rules: "".into(),
        credit_bytes: 524_288,
        now_ms: now_ms + GATEWAY_AHEAD_MS,
    }
}

/// A view of pods that no gateway has answered yet, moved by hand.
pub fn view<O: RowObserver>() -> View<O> {
    View::new(Subscription::new(scope("pods"), 0))
}

pub fn apply<O: RowObserver>(view: &mut View<O>, frame: Rows, now_ms: UnixMillis) -> Result<Delta, Broken> {
    view.apply(frame, now_ms)
}

pub fn table_mut<O: RowObserver>(view: &mut View<O>) -> &mut Table {
    view.table_mut()
}

/// A log of pods, moved by hand.
pub fn timeline() -> TimelineView {
    TimelineView::new(Subscription::new(scope("pods"), 0))
}

pub fn log(timeline: &mut TimelineView, frame: TimelineFrame) {
    timeline.apply(frame).expect("a chained frame");
}
