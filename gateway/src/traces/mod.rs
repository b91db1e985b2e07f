//! Traces of requests whose caller asks for one: spans for an OTLP collector (<https://opentelemetry.io/docs/specs/otlp/>).
//! A span is made only within a request that brings a sampled `traceparent` (<https://www.w3.org/TR/trace-context/>).
//! Its texts are the program's own words, routes and kinds; never a name, an object's content or a credential.
//!
//! Read in this order: [`context`] (which trace), [`span`] (what is timed), [`encode`] (its bytes), [`endpoint`] (where
//! they go).

mod context;
mod encode;
mod endpoint;
mod span;

use tokio::sync::mpsc;

pub use context::{Context, current, viewer_is_known, within};
pub use endpoint::Endpoint;
pub use span::{Kind, Pending, Span, Spanned};

use crate::limits::{SPANS_AT_ONCE_MAX, SPANS_OF_STRANGERS_WAITING_MAX, SPANS_WAITING_MAX};
use crate::metrics::Metrics;
use span::Ended;

/// The queues that spans are sent to. Cheap to clone; without an endpoint no span is made.
#[derive(Clone, Default)]
pub struct Traces(Option<Sink>);

#[derive(Clone)]
struct Sink {
    of_viewers: mpsc::Sender<Ended>,
    of_strangers: mpsc::Sender<Ended>,
    metrics: Metrics,
}

impl Traces {
    /// With the spans that wait to be sent.
    #[must_use]
    pub fn collected(metrics: Metrics) -> (Self, EndedSpans) {
        let (of_viewers, viewers) = mpsc::channel(SPANS_WAITING_MAX);
        let (of_strangers, strangers) = mpsc::channel(SPANS_OF_STRANGERS_WAITING_MAX);
        (Self(Some(Sink { of_viewers, of_strangers, metrics })), EndedSpans { viewers, strangers })
    }

    /// The span of a request that asks to be traced.
    #[must_use]
    pub fn of_request(&self, headers: &http::HeaderMap, name: String) -> Option<Span> {
        let sink = self.0.clone()?;
        let context = Context::of_headers(headers, sink)?;
        Span::below(&context, name, Kind::Server)
    }
}

impl Sink {
    /// A full queue drops the span and counts it: no request waits for a collector.
    fn take(&self, span: Ended, is_known: bool) {
        let queue = if is_known { &self.of_viewers } else { &self.of_strangers };
        if queue.try_send(span).is_err() {
            self.metrics.spans_lost.inc();
        }
    }
}

/// Spans that have ended. Those of requests without a login that holds stand in a small queue of their own, so that
/// strangers can't crowd out the others'.
pub struct EndedSpans {
    viewers: mpsc::Receiver<Ended>,
    strangers: mpsc::Receiver<Ended>,
}

/// The body of a request to the collector.
pub struct Batch {
    pub count: u64,
    pub bytes: Vec<u8>,
}

impl EndedSpans {
    /// The spans that wait now, up to a bound; those of viewers first.
    pub fn batch(&mut self) -> Option<Batch> {
        let mut spans = Vec::new();
        while spans.len() < SPANS_AT_ONCE_MAX
            && let Ok(span) = self.viewers.try_recv().or_else(|_| self.strangers.try_recv())
        {
            spans.push(span);
        }
        let bytes = (!spans.is_empty()).then(|| encode::request(&spans))?;
        Some(Batch { count: spans.len() as u64, bytes })
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::*;

    #[tokio::test]
    async fn r_net_3_spans_of_strangers_take_no_place_of_a_viewers() {
        let metrics = Metrics::new();
        let (traces, mut ended) = Traces::collected(metrics.clone());
        let sampled = HeaderValue::from_static("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        let headers: HeaderMap =
            [(http::HeaderName::from_static("traceparent"), sampled)].into_iter().collect();
        let span = |name: &str| traces.of_request(&headers, name.to_owned()).expect("asked for");
        for _ in 0..SPANS_WAITING_MAX {
            drop(span("stranger"));
        }
        let lost = (SPANS_WAITING_MAX - SPANS_OF_STRANGERS_WAITING_MAX) as u64;
        assert_eq!(metrics.spans_lost.get(), lost);
        let of_viewer = span("viewer");
        within(Some(of_viewer.context()), async {
            drop(Spanned::begin("review before the login"));
            viewer_is_known();
            drop(Spanned::begin("review of the viewer"));
        })
        .await;
        drop(of_viewer);
        assert_eq!(metrics.spans_lost.get(), lost + 1, "it was a stranger's so far");
        let batch = ended.batch().expect("spans");
        let place = |text: &str| batch.bytes.windows(text.len()).position(|bytes| bytes == text.as_bytes());
        assert!(place("review of the viewer") < place("stranger") && place("viewer").is_some());
        assert_eq!(batch.count, SPANS_OF_STRANGERS_WAITING_MAX as u64 + 2);
    }
}
