//! The envelope of an event, as CloudEvents 1.0 has it in JSON
//! (<https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md>), for the stream and for webhooks.

use jiff::Timestamp;
use serde::Serialize;
use shared::state::UnixMillis;

/// The attributes of an event, and its data.
#[derive(Serialize)]
pub(crate) struct CloudEvent<D> {
    specversion: &'static str,
    id: String,
    source: String,
    #[serde(rename = "type")]
    kind: String,
    subject: String,
    time: String,
    datacontenttype: &'static str,
    data: D,
}

/// What names an event.
pub(crate) struct About {
    /// The same event has the same one.
    pub(crate) id: String,
    pub(crate) source: String,
    pub(crate) kind: String,
    pub(crate) subject: String,
}

impl<D: Serialize> CloudEvent<D> {
    pub(crate) fn new(about: About, at_ms: UnixMillis, data: D) -> Self {
        let About { id, source, kind, subject } = about;
        let (specversion, datacontenttype) = ("1.0", "application/json");
        Self { specversion, id, source, kind, subject, time: instant(at_ms), datacontenttype, data }
    }
}

/// As RFC 3339 has it. What is out of its range is 1970.
pub(crate) fn instant(ms: UnixMillis) -> String {
    Timestamp::from_millisecond(ms).unwrap_or_default().to_string()
}
