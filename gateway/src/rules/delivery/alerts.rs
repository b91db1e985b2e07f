//! What an Alertmanager is told (`POST /api/v2/alerts`,
//! <https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml>): all that fires, again and again, and for a
//! while what is over. Alertmanager removes doubles, so a failure and a restart of either cost nothing. Pure.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use serde::Serialize;
use shared::state::UnixMillis;

use super::super::notification::{FeedPlace, Notification, Turn};
use crate::cloud_event::instant;
use crate::limits::{
    ALERT_LASTS_MS, ALERT_OVER_MS, ALERT_REPEAT_MS, ALERT_UNPROVEN_MS, ALERTS_MAX, NOTIFICATION_AGE_MS,
    NOTIFICATION_PAUSE_FIRST_MS, STALE_AFTER_MS,
};

pub(super) struct Alerts {
    source: Box<str>,
    alerts: BTreeMap<Labels, Alert>,
    proven_ms: HashMap<FeedPlace, UnixMillis>,
    next_ms: UnixMillis,
    tries: u32,
}

/// By which Alertmanager knows an alert again.
type Labels = BTreeMap<&'static str, Box<str>>;

struct Alert {
    annotations: BTreeMap<&'static str, Box<str>>,
    place: FeedPlace,
    starts_ms: UnixMillis,
    /// `None`: it fires.
    ended: Option<Ended>,
    noted_ms: UnixMillis,
}

struct Ended {
    at_ms: UnixMillis,
    /// By the gateway's clock.
    noted_ms: UnixMillis,
    is_told: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Posted<'a> {
    labels: &'a Labels,
    annotations: BTreeMap<&'static str, Box<str>>,
    starts_at: String,
    ends_at: String,
    #[serde(rename = "generatorURL")]
    generator_url: &'a str,
}

impl Alerts {
    pub(super) fn new(source: &str) -> Self {
        let (alerts, proven_ms) = (BTreeMap::new(), HashMap::new());
        Self { source: source.into(), alerts, proven_ms, next_ms: 0, tries: 0 }
    }

    /// Returns how many alerts were lost, because there are too many.
    pub(super) fn note(&mut self, told: &Notification, now_ms: UnixMillis) -> u64 {
        let labels = labels(told);
        let ended_at_ms = match told.turn {
            Turn::Firing => None,
            Turn::Resolved => Some(told.proven_ms),
            Turn::Happened => Some(told.proven_ms + ALERT_LASTS_MS),
        };
        if self.alerts.len() >= ALERTS_MAX && !self.alerts.contains_key(&labels) {
            return 1;
        }
        let ended = ended_at_ms.map(|at_ms| Ended { at_ms, noted_ms: now_ms, is_told: false });
        let place = told.place.clone();
        self.proven_ms.insert(place.clone(), now_ms);
        let starts_ms = told.since_s * 1_000;
        let alert = Alert { annotations: annotations(told), place, starts_ms, ended, noted_ms: now_ms };
        self.alerts.insert(labels, alert);
        self.next_ms = self.next_ms.min(now_ms);
        0
    }

    pub(super) fn proven(&mut self, place: &FeedPlace, now_ms: UnixMillis) {
        if let Some(known) = self.proven_ms.get_mut(place) {
            *known = now_ms;
        }
    }

    /// Forgets what was over for long, and what is unproven for a day. Returns how many alerts were never told.
    pub(super) fn expire(&mut self, now_ms: UnixMillis) -> u64 {
        let before = self.alerts.values().filter(|alert| !alert.is_told()).count();
        let proven_ms = &self.proven_ms;
        self.alerts.retain(|_, alert| match &alert.ended {
            Some(ended) if ended.is_told => now_ms - ended.noted_ms < ALERT_OVER_MS,
            Some(ended) => now_ms - ended.noted_ms < NOTIFICATION_AGE_MS,
            None => proven_ms.get(&alert.place).is_some_and(|at_ms| now_ms - at_ms < ALERT_UNPROVEN_MS),
        });
        let left = self.alerts.values().filter(|alert| !alert.is_told()).count();
        u64::try_from(before - left).unwrap_or_default()
    }

    /// The body of the next request, if one is due.
    pub(super) fn next(&self, now_ms: UnixMillis) -> Option<Bytes> {
        if self.alerts.is_empty() || now_ms < self.next_ms {
            return None;
        }
        let posted: Vec<Posted<'_>> =
            self.alerts.iter().map(|(labels, alert)| self.posted(labels, alert, now_ms)).collect();
        serde_json::to_vec(&posted).ok().map(Bytes::from)
    }

    fn posted<'a>(&'a self, labels: &'a Labels, alert: &Alert, now_ms: UnixMillis) -> Posted<'a> {
        let mut annotations = alert.annotations.clone();
        let proven_ms = self.proven_ms.get(&alert.place).copied().unwrap_or(alert.noted_ms);
        if alert.ended.is_none() && now_ms - proven_ms > STALE_AFTER_MS {
            annotations.insert("unknown_since", instant(proven_ms).into());
        }
        // One that fires ends if the gateway doesn't repeat it, as Prometheus has it.
        let ends_ms = alert.ended.as_ref().map_or(now_ms + 4 * ALERT_REPEAT_MS, |ended| ended.at_ms);
        Posted {
            labels,
            annotations,
            starts_at: instant(alert.starts_ms.min(ends_ms)),
            ends_at: instant(ends_ms),
            generator_url: &self.source,
        }
    }

    pub(super) fn due_ms(&self) -> Option<UnixMillis> {
        (!self.alerts.is_empty()).then_some(self.next_ms)
    }

    /// The last request was taken. What came since then is sent at once.
    pub(super) fn taken(&mut self, sent_ms: UnixMillis, now_ms: UnixMillis) {
        self.tries = 0;
        let mut has_news = false;
        for alert in self.alerts.values_mut() {
            let is_news = alert.noted_ms > sent_ms;
            has_news |= is_news;
            if let Some(ended) = alert.ended.as_mut().filter(|_| !is_news) {
                ended.is_told = true;
            }
        }
        self.next_ms = if has_news { now_ms } else { now_ms + ALERT_REPEAT_MS };
    }

    pub(super) fn failed(&mut self, now_ms: UnixMillis, chance: f64) {
        let doubled = NOTIFICATION_PAUSE_FIRST_MS << self.tries.min(6);
        self.tries += 1;
        let pause_ms = doubled.min(ALERT_REPEAT_MS);
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a pause is small")]
        let shorter_ms = (pause_ms as f64 / 2.0 * chance.clamp(0.0, 1.0)) as i64;
        self.next_ms = now_ms + pause_ms - shorter_ms;
    }

    pub(super) fn len(&self) -> usize {
        self.alerts.values().filter(|alert| !alert.is_told()).count()
    }
}

impl Alert {
    /// Whether nothing of it waits: it is over, and that is told.
    fn is_told(&self) -> bool {
        self.ended.as_ref().is_none_or(|ended| ended.is_told)
    }
}

fn labels(told: &Notification) -> Labels {
    let first = told.objects.first();
    let namespace = first.and_then(|object| object.namespace.clone());
    let mut labels = Labels::from([
        ("alertname", told.rule.name.clone()),
        ("cluster", told.place.cluster.as_str().into()),
        ("kind", told.place.resource.to_string().into()),
        ("group", told.group.0.clone()),
        ("source", "dogwatch".into()),
    ]);
    labels.extend(told.rule.severity.clone().map(|severity| ("severity", severity)));
    // Members of a group by a value may stand in several namespaces, if the feed has several.
    let is_of_one = told.rule.grouping.once_per.is_none() || told.place.namespace.is_some();
    labels.extend(namespace.filter(|_| is_of_one).map(|namespace| ("namespace", namespace)));
    labels
}

fn annotations(told: &Notification) -> BTreeMap<&'static str, Box<str>> {
    let mut annotations = BTreeMap::new();
    let count = told.object_count;
    let what = told.rule.form.to_string();
    annotations
        .insert("summary", format!("{} {}: {what} ({count})", told.place.resource, told.group.0).into());
    annotations.insert("proven", instant(told.proven_ms).into());
    annotations.insert("count", count.to_string().into());
    if let Some(first) = told.objects.first() {
        annotations.extend(first.reason.clone().map(|reason| ("reason", reason)));
        annotations.insert("resource_version", first.resource_version.as_str().into());
        let names: Vec<&str> = told.objects.iter().map(|object| &*object.name).collect();
        annotations.insert("objects", names.join(", ").into());
        let changed = first.changed.iter().map(|change| {
            let text =
                |value: &Option<serde_json::Value>| value.as_ref().map_or("-".into(), ToString::to_string);
            format!("{}: {} → {}", change.path, text(&change.before), text(&change.after))
        });
        annotations.insert("changed", changed.collect::<Vec<_>>().join("; ").into());
    }
    annotations
}
