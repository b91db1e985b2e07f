//! What a client asks for with `subscribe` or `get`. Admission reads the request and a hub answers it, so its type stands
//! below both and knows only the frames.

use shared::custom_column::CustomColumns;
use shared::frame::client::{Get, Projection, RowDetail, Subscribe, SubscriptionId};
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::scope::Scope;
use shared::state::UnixMillis;
use shared::token::Token;

/// A subscription or a `get`. Admission may narrow what the client asked for.
#[derive(Clone, Debug)]
pub struct SubscriptionRequest {
    pub id: SubscriptionId,
    pub scope: Scope,
    pub projection: Projection,
    /// The only object that the request is about.
    pub row: Option<RowId>,
    /// The columns beyond the server's.
    pub columns: CustomColumns,
    /// How changed rows come.
    pub rows: RowDetail,
    /// Each event by itself, which only whole rows can be.
    pub each_event: bool,
    /// Only rows that aren't simply fine.
    pub trouble: bool,
    /// A timeline begins with what the hub still has.
    pub earlier: bool,
    /// As of this time, instead of now.
    pub at_ms: Option<UnixMillis>,
    /// Where the client stands, until a frame moves it.
    pub token: Option<Token>,
    /// Its rows are read beside the session, as events.
    pub seat: Option<Seat>,
    /// The request is a `get`: it is answered with an object once, and nothing follows.
    pub is_get: bool,
}

/// Where the events of a subscription's feed are read. The session has its rights, its state and its limits, and none
/// of its rows.
#[derive(Clone, Debug)]
pub struct Seat {
    pub number: u64,
    /// Where the reader stands.
    pub from: Option<ResourceVersion>,
}

impl From<Subscribe> for SubscriptionRequest {
    fn from(subscribe: Subscribe) -> Self {
        let Subscribe { id, scope, projection, row, columns, rows, .. } = subscribe;
        let Subscribe { each_event, trouble, earlier, at_ms, token, .. } = subscribe;
        let asked = Self { row, columns, rows, projection, ..Self::rows(id, scope) };
        Self { each_event, trouble, earlier, at_ms, token, ..asked }
    }
}

impl From<Get> for SubscriptionRequest {
    fn from(get: Get) -> Self {
        let Get { id, scope, row } = get;
        Self { projection: Projection::Object, row, is_get: true, ..Self::rows(id, scope) }
    }
}

impl SubscriptionRequest {
    /// All that the scope names, from nothing.
    #[must_use]
    pub fn rows(id: SubscriptionId, scope: Scope) -> Self {
        Self {
            id,
            scope,
            projection: Projection::Rows,
            row: None,
            columns: CustomColumns::default(),
            rows: RowDetail::Changes,
            each_event: false,
            trouble: false,
            earlier: false,
            at_ms: None,
            token: None,
            seat: None,
            is_get: false,
        }
    }
}
