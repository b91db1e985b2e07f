//! What a client wants of a hub, from the frame that asks for it. Never whether it may have it.

use shared::custom_column::CustomColumns;
use shared::frame::client::{Get, Projection, Subscribe, SubscriptionId};
use shared::row::RowId;
use shared::scope::Scope;
use shared::token::Token;

/// What a client wants of a hub: for as long as it likes, or once.
#[derive(Clone)]
pub(super) struct Wish {
    pub(super) id: SubscriptionId,
    pub(super) scope: Scope,
    pub(super) projection: Projection,
    pub(super) row: Option<RowId>,
    pub(super) columns: CustomColumns,
    /// Where the client stands, until it was told anything.
    pub(super) token: Option<Token>,
    pub(super) is_get: bool,
    /// Its namespaces are those that it gets, not those that it asked for.
    pub(super) is_granted: bool,
}

impl From<Subscribe> for Wish {
    fn from(subscribe: Subscribe) -> Self {
        let Subscribe { id, scope, projection, row, columns, token } = subscribe;
        Self { id, scope, projection, row, columns, token, is_get: false, is_granted: false }
    }
}

impl Wish {
    pub(super) fn of_get(get: Get) -> Self {
        let Get { id, scope, row } = get;
        let (projection, columns) = (Projection::Object, CustomColumns::default());
        Self { id, scope, projection, row, columns, token: None, is_get: true, is_granted: false }
    }
}
