//! What the gateway counts, for Prometheus: numbers with few labels, never a name of anything in
//! the cluster, nor of a person.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use shared::problem::Reason;

/// Cheap to clone; all clones count together.
#[derive(Clone)]
pub struct Metrics(Arc<Shared>);

struct Shared {
    registry: Registry,
    counts: Counts,
}

/// To add one: a field here, and its line with its help in [`Counts::register`].
#[derive(Default)]
pub struct Counts {
    pub feeds: Gauge,
    pub objects: Gauge,
    pub object_bytes: Gauge,
    pub row_bytes: Gauge,
    pub views: Gauge,
    pub sessions: Gauge,
    pub subscriptions: Gauge,
    pub frames_sent: Counter,
    pub sent_bytes: Counter,
    pub frames_received: Counter,
    pub resets: Counter,
    pub resumes: Counter,
    pub problems: Family<ByReason, Counter>,
    pub upstream_requests: Family<ByVerb, Counter>,
    pub upstream_failures: Family<ByReason, Counter>,
    pub upstream_events: Counter,
    pub upstream_bytes: Counter,
    pub relists: Counter,
    pub ws_rejected: Family<ByRejection, Counter>,
    pub logins: Family<ByOutcome, Counter>,
    pub http_connections: Gauge,
    pub http_requests: Family<ByRoute, Counter>,
    pub connections_refused: Counter,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByReason {
    pub reason: ReasonLabel,
}

/// Kubernetes' reasons, as they are written on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReasonLabel(pub Reason);

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByVerb {
    /// `list`, `watch`, `get`, `discovery`, …
    pub verb: &'static str,
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
pub struct ByRoute {
    /// The template, never the path.
    pub route: &'static str,
    pub code: u16,
}

impl Metrics {
    #[must_use]
    pub fn new() -> Self {
        let counts = Counts::default();
        let mut registry = Registry::with_prefix("dogwatch");
        counts.register(&mut registry);
        Self(Arc::new(Shared { registry, counts }))
    }

    /// The text of `/metrics`.
    ///
    /// # Errors
    /// Never in practice: it writes to a string.
    pub fn encode(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.0.registry)?;
        Ok(text)
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for Metrics {
    type Target = Counts;

    fn deref(&self) -> &Counts {
        &self.0.counts
    }
}

impl Counts {
    fn register(&self, to: &mut Registry) {
        to.register("feeds", "Upstream feeds that run", self.feeds.clone());
        to.register("objects", "Objects held", self.objects.clone());
        to.register("object_bytes", "Bytes of the objects held, compressed", self.object_bytes.clone());
        to.register("row_bytes", "Bytes of the rows held", self.row_bytes.clone());
        to.register("views", "Views with a subscriber", self.views.clone());
        to.register("sessions", "Browsers and tails connected", self.sessions.clone());
        to.register("subscriptions", "Open subscriptions", self.subscriptions.clone());
        to.register("frames_sent", "Frames sent to viewers", self.frames_sent.clone());
        to.register("sent_bytes", "Payload bytes sent to viewers", self.sent_bytes.clone());
        to.register("frames_received", "Frames received from viewers", self.frames_received.clone());
        to.register("resets", "Subscriptions that had to begin anew", self.resets.clone());
        to.register("resumes", "Subscriptions continued from a token", self.resumes.clone());
        to.register("problems", "Problems told to viewers", self.problems.clone());
        to.register("upstream_requests", "Requests to the API server", self.upstream_requests.clone());
        to.register("upstream_failures", "Requests that failed", self.upstream_failures.clone());
        to.register("upstream_events", "Watch events received", self.upstream_events.clone());
        to.register("upstream_bytes", "Bytes received from the API server", self.upstream_bytes.clone());
        to.register("relists", "Lists after the first of a feed", self.relists.clone());
        to.register("ws_rejected", "WebSockets refused before the upgrade", self.ws_rejected.clone());
        to.register("logins", "Codes presented", self.logins.clone());
        to.register("http_connections", "Open connections", self.http_connections.clone());
        to.register("http_requests", "Requests answered", self.http_requests.clone());
        to.register(
            "connections_refused",
            "Connections closed because there were too many",
            self.connections_refused.clone(),
        );
    }
}

impl EncodeLabelValue for ReasonLabel {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
        EncodeLabelValue::encode(&format!("{:?}", self.0).as_str(), encoder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_written_in_the_words_of_prometheus() {
        let metrics = Metrics::new();
        metrics.clone().sessions.inc();
        metrics.ws_rejected.get_or_create(&ByRejection { reason: Rejection::origin }).inc();
        metrics.problems.get_or_create(&ByReason { reason: ReasonLabel(Reason::Gone) }).inc();
        let text = metrics.encode().expect("text");
        for line in [
            "dogwatch_sessions 1",
            "dogwatch_ws_rejected_total{reason=\"origin\"} 1",
            "dogwatch_problems_total{reason=\"Gone\"} 1",
        ] {
            assert!(text.contains(line), "{line} isn't in\n{text}");
        }
    }
}
