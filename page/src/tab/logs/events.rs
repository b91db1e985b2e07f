//! The Events of the pods whose logs are read. A pod's panel has its own Events anyway; for what owns pods, those of all pods of
//! the namespace are subscribed to while the tab is open. A reader who may not list them sees none.

use replica::client::ViewKey;
use replica::now::Now;
use shared::frame::server::LogTime;
use shared::row::Row;
use shared::scope::Scope;
use shared::state::ViewState;

use crate::cells;
use crate::detail::event;
use crate::logs::{EventsTold, PodEvent, is_withheld};
use crate::panel::object::{PanelObject, ShownObject, open_rows, uid};
use crate::status::Class;
use crate::table_view::{Client, View};

#[derive(Default)]
pub(super) struct PodEvents {
    view: Option<ViewKey>,
    /// The object that they were asked for.
    of: Option<Box<str>>,
    /// In which second all of them were read last, and of how many pods.
    read: Option<(i64, usize)>,
}

const POD: &str = "Pod";
const MS_PER_S: i64 = 1_000;
/// In the last millisecond of its second.
const LAST_MS: i64 = 999;

impl PodEvents {
    pub(super) fn keys(&self) -> Vec<ViewKey> {
        self.view.into_iter().collect()
    }

    /// Asks for them while the tab is open. What isn't used any more is no longer among the keys.
    pub(super) fn follow(&mut self, is_open: bool, object: &PanelObject, client: &mut Client, now: Now) {
        let value = object.value.as_ref().filter(|_| is_open && object.at_ms.is_none());
        let Some((value, of)) = value.and_then(|value| Some((value, uid(value)?))) else {
            *self = Self::default();
            return;
        };
        if self.of.as_deref() == Some(of) {
            return;
        }
        let cluster = object.cluster.as_ref();
        let Some(kinds) = client.kinds_of(cluster).map(|kinds| kinds.kinds.clone()) else { return };
        let is_pod = value.get("kind").and_then(|kind| kind.as_str()) == Some(POD);
        let scope =
            if is_pod { event::scope(value, &kinds) } else { event::scope_of_kind(value, POD, &kinds) };
        let in_scope = cluster.and_then(|name| client.in_scope(name));
        self.view = scope.map(|scope| open_rows(client, Scope { cluster: in_scope, ..scope }, None, now));
        self.of = Some(of.into());
    }

    /// The newest Events of these pods. `None`: they were read within this second. A namespace may have thousands of Events, and
    /// lines come many times a second.
    pub(super) fn of(&mut self, shown: ShownObject<'_>, pods: &[&str]) -> Option<EventsTold> {
        let client = shown.client;
        let view = self.view.and_then(|key| client.view(key)).filter(|view| !is_withdrawn(view));
        let Some(view) = view else {
            self.read = None;
            return Some(EventsTold::Withdrawn);
        };
        let reading = Some((shown.now.ms.div_euclid(MS_PER_S), pods.len()));
        if self.read == reading {
            return None;
        }
        self.read = reading.filter(|_| view.table().is_whole());
        let columns = view.table().columns();
        let place = columns.iter().position(|column| column.name.eq_ignore_ascii_case("object"));
        let pod = |row: &Row| {
            let object = cells::text(row.cells.get(place?)?, shown.now.cluster_s);
            object.split_once('/').map(|(_, name)| name.to_owned())
        };
        let rows = view.table().rows().filter(|row| pod(row).is_some_and(|pod| pods.contains(&&*pod)));
        let (events, _) = event::events(columns, rows, shown.now.cluster_s);
        let of_pod = |event: event::Event| {
            let is_warning = event.class == Class::Warn;
            // Events say whole seconds. What went wrong stands behind the lines of that second, which may be its cause.
            let ms = event.at?.saturating_mul(MS_PER_S) + if is_warning { LAST_MS } else { 0 };
            let pod = event.object.split_once('/')?.1.into();
            let at = LogTime { ms, ns: 0 };
            let (reason, message, count) = (event.reason, event.message, event.count.parse().unwrap_or(1));
            Some(PodEvent { row: event.id, pod, at, is_warning, reason, message, count })
        };
        Some(EventsTold::Now(events.into_iter().filter_map(of_pod).collect()))
    }
}

/// The reader may not see the rows, or not any more. Without this they are missing because the API server has deleted them.
fn is_withdrawn(view: &View) -> bool {
    let is_forbidden =
        view.report().is_some_and(|report| matches!(report.state, ViewState::Forbidden { .. }));
    is_forbidden || view.subscription().ended().is_some_and(is_withheld)
}
