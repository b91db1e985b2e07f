//! An event as a line, as a Server-Sent Event or as a CloudEvent. Pure; the time is an argument.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use shared::row::order_key;
use shared::state::UnixMillis;

use super::event::{About, StreamEvent};
use super::query::Format;
use crate::cloud_event::{self, CloudEvent};

pub(super) struct Writer {
    format: Format,
    /// The name of this stream, for the ids of CloudEvents.
    name: Box<str>,
    count: u64,
}

/// What an event is of.
pub(super) struct EventSource<'a> {
    pub(super) cluster: &'a str,
    pub(super) resource: &'a str,
}

impl Writer {
    /// `name`: no other stream has it.
    pub(super) fn new(format: Format, name: Box<str>) -> Self {
        Self { format, name, count: 0 }
    }

    /// What stands before the first event: how long a browser waits before it comes back.
    pub(super) fn head(&self) -> &'static str {
        match self.format {
            Format::Sse | Format::CloudEventsSse => "retry: 1000\n\n",
            Format::Ndjson | Format::CloudEvents => "",
        }
    }

    /// JSON has no line breaks, so each is one line. Messages of Server-Sent Events have no name: each says its type.
    pub(super) fn write(
        &mut self,
        event: &StreamEvent,
        source: &EventSource<'_>,
        now_ms: UnixMillis,
    ) -> String {
        self.count += 1;
        let json = match self.format {
            Format::Ndjson | Format::Sse => serde_json::to_string(event),
            Format::CloudEvents | Format::CloudEventsSse => {
                serde_json::to_string(&self.cloud_event(event, source, now_ms))
            }
        };
        // What frames hold is always JSON.
        let json = json.unwrap_or_default();
        match (self.format, &event.resume) {
            (Format::Ndjson | Format::CloudEvents, _) => json + "\n",
            (Format::Sse | Format::CloudEventsSse, Some(resume)) => format!("id: {resume}\ndata: {json}\n\n"),
            (Format::Sse | Format::CloudEventsSse, None) => format!("data: {json}\n\n"),
        }
    }

    fn cloud_event<'a>(
        &self,
        event: &'a StreamEvent,
        source: &EventSource<'_>,
        now_ms: UnixMillis,
    ) -> CloudEvent<&'a StreamEvent> {
        let EventSource { cluster, resource } = source;
        let word = event.kind.word();
        let (id, kind, subject) = match &event.about {
            // The same change has the same id on every stream of every gateway.
            Some(About { id, place: (namespace, name), version }) => (
                format!("{id}.{version}.{word}"),
                format!("dev.dogwatch.object.{word}"),
                format!("{resource}/{}", order_key(namespace.as_deref(), name)),
            ),
            None => (
                format!("{}.{}", self.name, self.count),
                format!("dev.dogwatch.stream.{word}"),
                (*resource).to_owned(),
            ),
        };
        let source = format!("/clusters/{}", utf8_percent_encode(cluster, NON_ALPHANUMERIC));
        let about = cloud_event::About { id, source, kind, subject };
        CloudEvent::new(about, event.time_ms.unwrap_or(now_ms), event)
    }
}
