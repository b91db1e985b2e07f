//! What either form of discovery found, before it is checked.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource;
use shared::problem::{Problem, Reason};

/// One group's versions, the preferred one first.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) versions: Vec<GroupVersion>,
}

pub(super) struct GroupVersion {
    pub(super) version: String,
    pub(super) found: Result<Vec<APIResource>, Problem>,
}

pub(super) fn unreachable_group(group: &str, version: &str) -> Problem {
    Problem::new(
        Reason::ServiceUnavailable,
        format!("the server of {group}/{version} doesn't answer: its kinds are missing or out of date"),
    )
}
