//! What a viewer has already when it comes: rows of another hub, or a resourceVersion of an API server.

use shared::frame::client::Projection;
use shared::resource_version::ResourceVersion;

use crate::limits::RESUME_MARGIN_REVISIONS;
use crate::subscription_request::SubscriptionRequest;

/// What a viewer of another hub holds.
pub(super) struct HeldRows {
    pub(super) columns: Box<str>,
    pub(super) digest: u64,
    pub(super) resource_version: ResourceVersion,
}

impl HeldRows {
    /// What the viewer holds; its position is looked for once the first list is complete.
    pub(super) fn of(request: &SubscriptionRequest, cluster: &str) -> Option<Self> {
        let token = request.token.as_ref().filter(|token| *token.cluster == *cluster)?;
        let digest = token.digest().filter(|_| request.projection == Projection::Rows)?;
        let columns = token.columns.clone();
        Some(Self { columns, digest, resource_version: token.resource_version.clone() })
    }
}

/// The version of what a viewer has of another hub, or of an API server.
pub(super) fn held_version(request: &SubscriptionRequest, cluster: &str) -> Option<ResourceVersion> {
    match &request.seat {
        Some(seat) => seat.from.as_ref().map(without_margin),
        None => HeldRows::of(request, cluster).map(|held| held.resource_version),
    }
}

/// A feed begins a little before the position that it is told. A reader of events needs nothing of before its own, and an
/// API server that has just started may have none.
fn without_margin(version: &ResourceVersion) -> ResourceVersion {
    let number = version.as_str().parse::<u64>().ok();
    let after = number.and_then(|number| number.checked_add(RESUME_MARGIN_REVISIONS));
    after.map_or_else(|| version.clone(), |after| ResourceVersion::new(&after.to_string()))
}
