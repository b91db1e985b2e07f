//! What a request means for a hub's objects and for the view that answers it, and what all subscriptions of one session
//! have in common at their hubs. Whether the client may have it is decided before.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use shared::frame::client::{Projection, RowDetail};
use shared::frame::server::ViewId;
use shared::row::{Row, RowId, WholeObject};
use shared::scope::Scope;

use super::columns::{ColumnsAsked, SetId};
use super::store::Stored;
use crate::feed::labels::Labels;
use crate::subscription_request::SubscriptionRequest;

/// What a request means for the objects of a hub.
impl SubscriptionRequest {
    /// Whether one view answers both, in one feed.
    pub(crate) fn is_of_same_view(&self, other: &Self) -> bool {
        self.projection == other.projection
            && self.row == other.row
            && self.scope.namespaces == other.scope.namespaces
            && self.scope.name == other.scope.name
            && self.scope.labels == other.scope.labels
            && self.scope.fields == other.scope.fields
            && self.columns == other.columns
            && self.rows == other.rows
            && (self.each_event, self.trouble) == (other.each_event, other.trouble)
            && self.seat.is_some() == other.seat.is_some()
    }

    /// Whether rows are always sent whole, and those that leave with their names.
    pub(super) fn has_whole_rows(&self) -> bool {
        self.rows != RowDetail::Changes
    }

    /// Whether each event is told by itself.
    pub(crate) fn wants_events(&self) -> bool {
        self.each_event && self.projection == Projection::Rows && self.has_whole_rows()
    }

    /// The row as its view shows it. `None`: its cells aren't read yet.
    pub(super) fn row_of(&self, stored: &Stored, set: Option<SetId>) -> Option<Arc<Row>> {
        let row = stored.row_in(set)?;
        if self.rows != RowDetail::Objects {
            return Some(row);
        }
        let mut row = Row::clone(&row);
        row.extra.get_or_insert_default().object = stored.body.unpack().and_then(WholeObject::from_json);
        Some(Arc::new(row))
    }

    pub(super) fn matches(&self, stored: &Stored) -> bool {
        self.accepts_row(&stored.row, &stored.labels)
    }

    pub(crate) fn accepts_row(&self, row: &Row, labels: &Labels) -> bool {
        self.accepts(row.id, row.place(), labels, row.health().is_some())
    }

    /// `is_trouble`: it isn't simply fine.
    pub(super) fn accepts(
        &self,
        id: RowId,
        place: (Option<&str>, &str),
        labels: &Labels,
        is_trouble: bool,
    ) -> bool {
        self.seat.is_none()
            && (is_trouble || !self.trouble)
            && self.row.is_none_or(|row| row == id)
            && self.scope.may_hold(place)
            && self.scope.labels.as_ref().is_none_or(|wanted| wanted.matches(|key| labels.get(key)))
    }

    /// Whether its view has every object of a feed.
    pub(super) fn is_of_all(&self) -> bool {
        let Scope { namespaces, name, labels, .. } = &self.scope;
        self.row.is_none() && !self.trouble && namespaces.is_all() && name.is_none() && labels.is_none()
    }

    /// `None`: the server's own columns alone.
    pub(super) fn columns_asked(&self) -> Option<ColumnsAsked> {
        (!self.columns.is_empty()).then(|| ColumnsAsked {
            columns: self.columns.clone(),
            scope: Scope { cluster: None, labels: None, ..self.scope.clone() },
        })
    }
}

/// A request on its way to the hub, with how its session is reached.
#[derive(Debug)]
pub struct Open<S> {
    pub key: SubscriberKey,
    pub request: Arc<SubscriptionRequest>,
    /// The id of its view if the view is new. Unique in the gateway, because a session has views of many hubs.
    pub fresh_view: ViewId,
    /// The connection has this view already, so this one gets an id of its own.
    pub is_second: bool,
    pub session: S,
    pub permit: SendPermit,
}

impl Open<()> {
    /// For tests and benches that pull by themselves.
    #[must_use]
    pub fn alone(fresh_view: ViewId, request: SubscriptionRequest) -> Self {
        Self {
            key: fresh_view.into(),
            request: Arc::new(request),
            fresh_view,
            is_second: false,
            session: (),
            permit: SendPermit::default(),
        }
    }
}

/// One subscription of one session, unique in the gateway.
pub type SubscriberKey = u64;

/// The right to send one session its next delivery. While the session is ready for one, it offers the
/// permit; the first hub with news takes it and delivers. So one delivery is on its way at a time, and a
/// change needs no question and answer. Cheap to clone: all clones of one session's are the same permit.
#[derive(Clone, Debug, Default)]
pub struct SendPermit {
    of_session: Arc<OfSession>,
}

/// Which of a session's subscriptions may send the next delivery, and among how many feeds its timelines and its views
/// of each event share their memory.
#[derive(Debug, Default)]
struct OfSession {
    is_offered: AtomicBool,
    log_feeds: AtomicUsize,
}

/// A session among those that live.
pub(super) type SessionNumber = usize;

impl SendPermit {
    pub(crate) fn offer(&self) {
        self.of_session.is_offered.store(true, Ordering::Release);
    }

    /// Whether the caller has it now.
    #[must_use]
    pub(crate) fn take(&self) -> bool {
        self.of_session.is_offered.swap(false, Ordering::Acquire)
    }

    pub(crate) fn set_log_feeds(&self, count: usize) {
        self.of_session.log_feeds.store(count, Ordering::Relaxed);
    }

    /// The feeds in which the session has timelines or views of each event, at least one.
    pub(crate) fn log_feeds(&self) -> usize {
        self.of_session.log_feeds.load(Ordering::Relaxed).max(1)
    }

    pub(super) fn session(&self) -> SessionNumber {
        Arc::as_ptr(&self.of_session).addr()
    }
}
