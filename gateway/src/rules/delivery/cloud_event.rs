//! A notification as a CloudEvent: <https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md>.

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;

use super::super::notification::{Notification, ToldObject};
use crate::cloud_event::{About, CloudEvent, instant};

pub(super) const CONTENT_TYPE: &str = "application/cloudevents+json; charset=utf-8";

/// What is told. docs/CONFIGURATION.md names each field.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    rule: &'a str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'a str>,
    when: String,
    for_seconds: i64,
    cluster: &'a str,
    kind: String,
    group: &'a str,
    since: String,
    proven: String,
    count: usize,
    objects: Vec<Object<'a>>,
}

/// One object that a rule found.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Object<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    name: &'a str,
    uid: &'a str,
    resource_version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    changed: Vec<Change<'a>>,
}

#[derive(Serialize)]
struct Change<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a Value>,
}

/// `source`: the URL of this gateway.
pub(super) fn body(told: &Notification, source: &str) -> Bytes {
    let about = About {
        id: told.id.to_string(),
        source: format!("{source}/clusters/{}", told.place.cluster),
        kind: format!("dev.dogwatch.rule.{}", told.turn.word()),
        subject: format!("{} {}", told.place.resource, told.group.0),
    };
    let data = Told {
        rule: &told.rule.name,
        state: told.turn.word(),
        severity: told.rule.severity.as_deref(),
        when: told.rule.form.to_string(),
        for_seconds: told.rule.for_s,
        cluster: told.place.cluster.as_str(),
        kind: told.place.resource.to_string(),
        group: &told.group.0,
        since: instant(told.since_s * 1_000),
        proven: instant(told.proven_ms),
        count: told.object_count,
        objects: told.objects.iter().map(object).collect(),
    };
    let event = CloudEvent::new(about, told.proven_ms, data);
    // Texts and numbers are always written.
    serde_json::to_vec(&event).unwrap_or_default().into()
}

fn object(told: &ToldObject) -> Object<'_> {
    let changed = told.changed.iter();
    Object {
        namespace: told.namespace.as_deref(),
        name: &told.name,
        uid: &told.uid,
        resource_version: told.resource_version.as_str(),
        reason: told.reason.as_deref(),
        changed: changed
            .map(|it| Change { path: &it.path, before: it.before.as_ref(), after: it.after.as_ref() })
            .collect(),
    }
}
