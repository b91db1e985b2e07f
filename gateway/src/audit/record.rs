//! One record of the audit log, as `docs/CONFIGURATION.md` describes it. Pure: the time is an argument.

use jiff::Timestamp;
use serde::Serialize;
use shared::frame::client::{Projection, SubscriptionId};
use shared::name::Namespace;
use shared::resource::Resource;
use shared::row::RowId;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use super::decision::{AuditEvent, Decision};
use crate::access::{Identity, Rights};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Allow,
    Deny,
}

/// The viewer that a record is about.
#[derive(Clone, Copy, Debug)]
pub struct Viewer<'a> {
    pub identity: &'a Identity,
    pub rights: &'a Rights,
}

/// The origin of a record: the same for all records of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordOrigin<'a> {
    pub(super) mode: &'a str,
    pub(super) cluster: &'a str,
    pub(super) address: &'a str,
    pub(super) connection: &'a str,
}

/// The keys of a record in their order. A key without a value is left out.
#[derive(Serialize)]
struct Record<'a> {
    time: String,
    event: AuditEvent,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Outcome>,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<&'a str>,
    mode: &'a str,
    address: &'a str,
    connection: &'a str,
    cluster: &'a str,
    #[serde(flatten)]
    asked: Option<Asked<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
}

/// What was asked for.
#[derive(Serialize)]
struct Asked<'a> {
    subscription: SubscriptionId,
    resource: &'a Resource,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespaces: Option<&'a [Namespace]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    granted: Option<&'a [Namespace]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<RowId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    projection: Option<Projection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<&'a str>,
    /// The time that a view of the past is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of: Option<String>,
}

/// One line without its end. `left_out`: the refused logins before it that have no record.
pub(super) fn line(
    now_ms: UnixMillis,
    place: &RecordOrigin<'_>,
    viewer: Option<Viewer<'_>>,
    decision: &Decision,
    left_out: Option<u64>,
) -> Option<String> {
    let subject = viewer.and_then(|viewer| viewer.rights.subject());
    let record = Record {
        time: written(now_ms),
        event: decision.event,
        decision: outcome(decision.event),
        reason: &decision.reason,
        user: viewer.map(|viewer| viewer.identity.name()),
        uid: subject.map(|subject| &*subject.uid).filter(|uid| !uid.is_empty()),
        groups: subject.into_iter().flat_map(|subject| subject.groups.iter().map(|group| &**group)).collect(),
        mode: place.mode,
        address: place.address,
        connection: place.connection,
        cluster: asked_of(decision).unwrap_or(place.cluster),
        asked: asked(decision),
        left_out,
    };
    serde_json::to_string(&record).ok()
}

pub(super) fn written(at_ms: UnixMillis) -> String {
    Timestamp::from_millisecond(at_ms).map(|at| format!("{at:.3}")).unwrap_or_default()
}

/// The cluster that a subscription names.
fn asked_of(decision: &Decision) -> Option<&str> {
    decision.request.as_ref()?.scope.cluster.as_ref().map(|name| name.as_str())
}

fn outcome(event: AuditEvent) -> Option<Outcome> {
    match event {
        AuditEvent::Login
        | AuditEvent::Unconfirmed
        | AuditEvent::Subscribe
        | AuditEvent::Get
        | AuditEvent::Scope
        | AuditEvent::Rights
        | AuditEvent::Past
        | AuditEvent::Log
        | AuditEvent::Children => Some(Outcome::Allow),
        AuditEvent::LoginRefused | AuditEvent::Deny | AuditEvent::Revoke | AuditEvent::RightsRefused => {
            Some(Outcome::Deny)
        }
        AuditEvent::Logout | AuditEvent::Unmasked | AuditEvent::Rule | AuditEvent::End => None,
    }
}

fn asked(decision: &Decision) -> Option<Asked<'_>> {
    let request = decision.request.as_ref()?;
    let scope = &request.scope;
    Some(Asked {
        subscription: request.id,
        resource: &scope.resource,
        namespaces: names(&scope.namespaces),
        granted: decision.granted.as_ref().and_then(names),
        name: scope.name.as_ref().map(|name| name.as_str()),
        row: request.row,
        labels: scope.labels.as_ref().map(ToString::to_string),
        fields: scope.fields.as_ref().map(|fields| fields.as_str()),
        projection: decision.container.is_none().then_some(request.projection),
        container: decision.container.as_deref(),
        as_of: request.at_ms.map(written),
    })
}

/// `None`: all of them, or the kind has none.
fn names(namespaces: &Namespaces) -> Option<&[Namespace]> {
    match namespaces {
        Namespaces::All => None,
        Namespaces::These(names) => Some(names),
    }
}
