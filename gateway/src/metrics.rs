//! What the gateway counts, for Prometheus: numbers with few labels, never a name of an object in the
//! cluster or of a person.

mod labels;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use shared::name::ClusterName;
use shared::resource::Resource;

use crate::build::Build;
use crate::limits::METRICS_RESOURCES_MAX;
pub use labels::{
    Answered, ByAnswer, ByCheck, ByCluster, ByDecision, ByOutcome, ByReceiver, ByRejection, ByRenewal,
    ByResource, ByResult, ByResume, ByRoute, ByTurn, ByVerb, NO_ANSWER, Outcome, Rejection, Renewal, Resume,
    Reviewed, Told, Verb,
};

/// Cheap to clone; all clones count together.
#[derive(Clone)]
pub struct Metrics(Arc<Shared>);

struct Shared {
    registry: Registry,
    counts: Counts,
}

/// A new metric needs a field here, and its line with its help in [`Counts::register`].
#[derive(Default)]
pub struct Counts {
    pub feeds: Gauge,
    pub objects: Gauge,
    pub sessions: Gauge,
    pub sessions_refused: Counter,
    pub subscriptions: Gauge,
    pub frames_sent: Counter,
    pub sent_bytes: Counter,
    pub frames_received: Counter,
    pub ws_rejected: Family<ByRejection, Counter>,
    pub logins: Family<ByOutcome, Counter>,
    pub renewals: Family<ByRenewal, Counter>,
    pub http_connections: Gauge,
    pub http_requests: Family<ByRoute, Counter>,
    pub connections_refused: Counter,
    pub accepts_failed: Counter,
    pub connections_displaced: Counter,
    pub upstream_requests: Family<ByAnswer, Counter>,
    pub upstream_seconds: UpstreamSeconds,
    pub upstream_lists: Family<ByResult, Counter>,
    pub upstream_watches: Family<ByResult, Counter>,
    pub feed_stale_seconds: Family<ByResource, Counter<f64, AtomicU64>>,
    pub gaps: Family<ByResource, Counter>,
    pub resumes: Family<ByResume, Counter>,
    pub digest_mismatches: Counter,
    pub access_reviews: Family<ByDecision, Counter>,
    pub log_lost: Counter,
    pub audit_lost: Counter,
    cluster_reached: Family<ByCluster, Gauge>,
    pub healthchecks: Family<ByCheck, Gauge>,
    pub spans_lost: Counter,
    pub record_entries: Counter,
    pub record_bytes: Gauge,
    pub record_stopped: Gauge,
    pub rules: Gauge,
    pub rules_feeds: Gauge,
    pub rules_off: Gauge,
    pub rules_firing: Gauge,
    pub notifications: Family<ByTurn, Counter>,
    pub notifications_sent: Family<ByReceiver, Counter>,
    pub notification_failures: Family<ByReceiver, Counter>,
    pub notifications_lost: Family<ByReceiver, Counter>,
    pub notifications_waiting: Family<ByReceiver, Gauge>,
    resources: Mutex<BTreeSet<String>>,
}

/// The seconds from a request to the head of its answer.
pub struct UpstreamSeconds(Family<ByVerb, Histogram>);

impl Default for UpstreamSeconds {
    fn default() -> Self {
        // 1 ms, 2 ms, … 33 s: from a cached answer to the longest timeout.
        Self(Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.001, 2.0, 16))))
    }
}

impl Metrics {
    #[must_use]
    pub fn new() -> Self {
        Self::in_registry(Registry::with_prefix("dogwatch"))
    }

    /// With a line that says which build counts.
    #[must_use]
    pub fn of(build: Build) -> Self {
        let mut registry = Registry::with_prefix("dogwatch");
        let Build { version, commit, profile } = build;
        let labels = Info::new([("version", version), ("commit", commit), ("profile", profile)]);
        registry.register("build", "The build of this gateway", labels);
        Self::in_registry(registry)
    }

    fn in_registry(mut registry: Registry) -> Self {
        let counts = Counts::default();
        counts.register(&mut registry);
        counts.begin_at_zero();
        Self(Arc::new(Shared { registry, counts }))
    }

    /// The text of `/metrics`.
    pub fn encode(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.0.registry)?;
        Ok(text)
    }
}

impl Counts {
    /// A series that first appears as 1 is no increase to Prometheus, so those whose labels are known begin as 0.
    fn begin_at_zero(&self) {
        for result in [Resume::continued, Resume::anew] {
            drop(self.resumes.get_or_create(&ByResume { result }));
        }
        for result in [Reviewed::allowed, Reviewed::denied, Reviewed::unknown] {
            drop(self.access_reviews.get_or_create(&ByDecision { result }));
        }
        for outcome in [Outcome::accepted, Outcome::refused] {
            drop(self.logins.get_or_create(&ByOutcome { outcome }));
        }
        for result in [Renewal::confirmed, Renewal::unconfirmed, Renewal::ended] {
            drop(self.renewals.get_or_create(&ByRenewal { result }));
        }
        for turn in [Told::firing, Told::resolved, Told::happened] {
            drop(self.notifications.get_or_create(&ByTurn { turn }));
        }
        use Rejection::{credential, host, limit, origin, upgrade};
        for reason in [origin, host, credential, limit, upgrade] {
            drop(self.ws_rejected.get_or_create(&ByRejection { reason }));
        }
    }

    /// The same for the counts of a feed, when the first feed of this resource begins.
    pub fn begin_feed_at_zero(&self, resource: &ByResource) {
        drop(self.feed_stale_seconds.get_or_create(resource));
        drop(self.gaps.get_or_create(resource));
    }

    /// The same for the counts of a receiver.
    pub fn begin_receiver_at_zero(&self, receiver: &ByReceiver) {
        for family in [&self.notifications_sent, &self.notification_failures, &self.notifications_lost] {
            drop(family.get_or_create(receiver));
        }
        drop(self.notifications_waiting.get_or_create(receiver));
    }

    /// A resource as a label. A user who may define resources could make any number of them, so those beyond a bound
    /// share one label.
    pub fn label_of(&self, resource: &Resource) -> String {
        let name = resource.to_string();
        let mut known = self.resources.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(&name) || (known.len() < METRICS_RESOURCES_MAX && known.insert(name.clone())) {
            return name;
        }
        "other".to_owned()
    }

    /// A list or a watch of a resource.
    pub fn count_list_or_watch(&self, is_watch: bool, resource: &Resource, result: Answered) {
        let family = if is_watch { &self.upstream_watches } else { &self.upstream_lists };
        family.get_or_create(&ByResult { resource: self.label_of(resource), result }).inc();
    }

    /// Whether a cluster of the gateway's answers.
    pub fn count_cluster(&self, name: &ClusterName, is_reached: bool) {
        let label = ByCluster { cluster: name.to_string() };
        self.cluster_reached.get_or_create(&label).set(i64::from(is_reached));
    }

    /// The gateway doesn't show it any more.
    pub fn forget_cluster(&self, name: &ClusterName) {
        self.cluster_reached.remove(&ByCluster { cluster: name.to_string() });
    }

    /// One request to the API server, and how long the head of its answer took.
    pub fn count_upstream(&self, verb: Verb, code: u16, took: Duration) {
        self.upstream_requests.get_or_create(&ByAnswer { verb, code }).inc();
        self.upstream_seconds.0.get_or_create(&ByVerb { verb }).observe(took.as_secs_f64());
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
        to.register("sessions", "Browsers and tails connected", self.sessions.clone());
        to.register(
            "sessions_refused",
            "Sessions closed because their identity had too many",
            self.sessions_refused.clone(),
        );
        to.register("subscriptions", "Open subscriptions", self.subscriptions.clone());
        to.register("frames_sent", "Frames sent to viewers", self.frames_sent.clone());
        to.register("sent_bytes", "Payload bytes sent to viewers", self.sent_bytes.clone());
        to.register("frames_received", "Frames received from viewers", self.frames_received.clone());
        to.register("ws_rejected", "WebSockets refused before the upgrade", self.ws_rejected.clone());
        to.register("logins", "Codes presented", self.logins.clone());
        to.register(
            "renewals",
            "Sessions that an identity provider was asked about, by what came of it",
            self.renewals.clone(),
        );
        to.register("http_connections", "Open connections", self.http_connections.clone());
        to.register("http_requests", "Requests answered", self.http_requests.clone());
        to.register(
            "connections_refused",
            "Connections closed because there were too many",
            self.connections_refused.clone(),
        );
        to.register(
            "accepts_failed",
            "Tries to accept a connection that failed, for want of file descriptors most often",
            self.accepts_failed.clone(),
        );
        to.register(
            "connections_displaced",
            "Connections without a request that made room for others",
            self.connections_displaced.clone(),
        );
        to.register(
            "upstream_requests",
            "Requests to the API server; the code 0 stands for no answer",
            self.upstream_requests.clone(),
        );
        to.register(
            "upstream_head_seconds",
            "From a request to the API server to the head of its answer",
            self.upstream_seconds.0.clone(),
        );
        to.register(
            "upstream_lists",
            "Lists begun, by resource and by how the API server answered",
            self.upstream_lists.clone(),
        );
        to.register(
            "upstream_watches",
            "Watches opened, by resource and by how the API server answered",
            self.upstream_watches.clone(),
        );
        to.register(
            "feed_stale_seconds",
            "Seconds in which a feed was stale, of all feeds of a resource together",
            self.feed_stale_seconds.clone(),
        );
        to.register(
            "record_entries",
            "Entries that were written into the record of the past",
            self.record_entries.clone(),
        );
        to.register("record_bytes", "Bytes of the record of the past", self.record_bytes.clone());
        to.register(
            "record_stopped",
            "1 while the record of the past takes nothing, because its place is full or fails",
            self.record_stopped.clone(),
        );
        self.register_rules(to);
        to.register(
            "gaps",
            "Times that changes of a feed went unseen and it was listed anew",
            self.gaps.clone(),
        );
        to.register(
            "resumes",
            "Viewers that came back with a token, by whether they were continued or began anew",
            self.resumes.clone(),
        );
        to.register(
            "digest_mismatches",
            "Times that a viewer's rows were not the gateway's, and it loaded them anew",
            self.digest_mismatches.clone(),
        );
        to.register(
            "access_reviews",
            "Rights of viewers that the API server was asked for, by its answer",
            self.access_reviews.clone(),
        );
        to.register(
            "audit_lost",
            "Records that could not be written to the audit log",
            self.audit_lost.clone(),
        );
        to.register(
            "healthcheck",
            "1 for each check of a probe that passes, 0 for one that fails",
            self.healthchecks.clone(),
        );
        to.register(
            "log_lost",
            "Lines that could not be written to the gateway's own log",
            self.log_lost.clone(),
        );
        to.register("spans_lost", "Spans that could not be sent to the collector", self.spans_lost.clone());
        to.register("cluster_reached", "Whether a cluster answers: 1 or 0", self.cluster_reached.clone());
    }

    fn register_rules(&self, to: &mut Registry) {
        to.register("rules", "Rules that are evaluated", self.rules.clone());
        to.register(
            "rules_feeds",
            "Feeds that rules listen to, and have heard the whole of",
            self.rules_feeds.clone(),
        );
        to.register("rules_off", "Rules that took too long and are switched off", self.rules_off.clone());
        to.register("rules_firing", "Groups of objects for which a rule fires", self.rules_firing.clone());
        to.register(
            "notifications",
            "Notifications that rules made, by what they tell",
            self.notifications.clone(),
        );
        to.register("notifications_sent", "Requests that a receiver took", self.notifications_sent.clone());
        to.register(
            "notification_failures",
            "Requests that a receiver didn't take",
            self.notification_failures.clone(),
        );
        to.register(
            "notifications_lost",
            "Notifications that a receiver never got: its queue was full, or it failed for a day",
            self.notifications_lost.clone(),
        );
        to.register(
            "notifications_waiting",
            "Notifications that wait for a receiver",
            self.notifications_waiting.clone(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_written_in_the_words_of_prometheus() {
        let metrics = Metrics::of(Build { version: "1.2.3", commit: "0123456789ab", profile: "release" });
        metrics.clone().sessions.inc();
        metrics.ws_rejected.get_or_create(&ByRejection { reason: Rejection::origin }).inc();
        metrics.count_upstream(Verb::watch, 410, Duration::from_millis(3));
        metrics.count_upstream(Verb::list, NO_ANSWER, Duration::from_secs(30));
        let text = metrics.encode().expect("text");
        for line in [
            "dogwatch_sessions 1",
            "dogwatch_ws_rejected_total{reason=\"origin\"} 1",
            "dogwatch_subscriptions 0",
            "dogwatch_upstream_requests_total{verb=\"watch\",code=\"410\"} 1",
            "dogwatch_upstream_requests_total{verb=\"list\",code=\"0\"} 1",
            "dogwatch_upstream_head_seconds_bucket{le=\"0.004\",verb=\"watch\"} 1",
            "dogwatch_build_info{version=\"1.2.3\",commit=\"0123456789ab\",profile=\"release\"} 1",
        ] {
            assert!(text.contains(line), "{line} isn't in\n{text}");
        }
    }

    #[test]
    fn resources_beyond_the_bound_share_a_label() {
        let metrics = Metrics::new();
        let resource =
            |number: usize| Resource::parse("x.example", "v1", &format!("r{number}")).expect("valid");
        for number in 0..METRICS_RESOURCES_MAX {
            assert_eq!(metrics.label_of(&resource(number)), format!("r{number}.x.example"));
        }
        assert_eq!(metrics.label_of(&resource(METRICS_RESOURCES_MAX)), "other");
        assert_eq!(metrics.label_of(&resource(3)), "r3.x.example");
    }

    #[test]
    fn the_document_names_every_metric() {
        let document = include_str!("../../docs/CONFIGURATION.md");
        let text = Metrics::new().encode().expect("text");
        let described = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
        for (name, kind) in described {
            let suffix = match kind {
                "counter" => "_total",
                "info" => "_info",
                _ => "",
            };
            assert!(document.contains(&format!("`{name}{suffix}`")), "{name}{suffix}");
        }
    }
}
