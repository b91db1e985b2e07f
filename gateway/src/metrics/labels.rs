//! The labels of what is counted, with their values. Never a name of an object in the cluster or of a person.

use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByVerb {
    pub verb: Verb,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByAnswer {
    pub verb: Verb,
    /// The status, or [`NO_ANSWER`].
    pub code: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByResource {
    /// As in `deployments.apps`; made by [`super::Counts::label_of`].
    pub resource: String,
}

/// A gateway has [`crate::limits::RECEIVERS_MAX`] at most.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByReceiver {
    /// As its operator named it.
    pub receiver: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByTurn {
    pub turn: Told,
}

/// What a rule told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
#[expect(non_camel_case_types, reason = "the names are the labels' values")]
pub enum Told {
    firing,
    resolved,
    happened,
}

/// A gateway shows [`crate::limits::CLUSTERS_MAX`] at most.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByCluster {
    /// As its operator named it.
    pub cluster: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByResult {
    pub resource: String,
    pub result: Answered,
}

/// How the API server answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
#[expect(non_camel_case_types, reason = "the names are the labels' values")]
pub enum Answered {
    ok,
    refused,
    no_answer,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByResume {
    pub result: Resume,
}

/// Whether a viewer that came with a token was continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
#[expect(non_camel_case_types, reason = "the names are the labels' values")]
pub enum Resume {
    /// The viewer got what had changed.
    continued,
    /// The viewer got all rows.
    anew,
}

/// As Kubernetes' own servers name the checks of their probes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByCheck {
    pub name: &'static str,
    pub r#type: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByDecision {
    pub result: Reviewed,
}

/// What the API server said of a viewer's right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
#[expect(non_camel_case_types, reason = "the names are the labels' values")]
pub enum Reviewed {
    allowed,
    denied,
    /// The API server couldn't decide, which counts as a no.
    unknown,
}

/// Stands for a status if the API server wasn't reached, or didn't answer in time.
pub const NO_ANSWER: u16 = 0;

/// Kubernetes' words for what is asked of the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
#[expect(non_camel_case_types, reason = "the names are the labels' values")]
pub enum Verb {
    list,
    get,
    watch,
    discovery,
    log,
    review,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByRejection {
    pub reason: Rejection,
}

/// Why a WebSocket wasn't opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
#[expect(non_camel_case_types, reason = "the names are the labels' values")]
pub enum Rejection {
    origin,
    host,
    credential,
    limit,
    upgrade,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByOutcome {
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
#[expect(non_camel_case_types, reason = "the names are the labels' values")]
pub enum Outcome {
    accepted,
    refused,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByRenewal {
    pub result: Renewal,
}

/// What an identity provider said when it was asked whether a session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
#[expect(non_camel_case_types, reason = "the names are the labels' values")]
pub enum Renewal {
    confirmed,
    /// It didn't say, and the session goes on for a while.
    unconfirmed,
    ended,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByRoute {
    /// The template, never the path.
    pub route: &'static str,
    pub code: u16,
}
