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

pub use context::{Context, current, within};
pub use endpoint::Endpoint;
pub use span::{Kind, Pending, Span, Spanned};

use crate::limits::{SPANS_AT_ONCE_MAX, SPANS_WAITING_MAX};
use crate::metrics::Metrics;
use span::Ended;

/// The queue that spans are sent to. Cheap to clone; without an endpoint no span is made.
#[derive(Clone, Default)]
pub struct Traces(Option<Sink>);

#[derive(Clone)]
struct Sink {
    ended: mpsc::Sender<Ended>,
    metrics: Metrics,
}

impl Traces {
    /// With the spans that wait to be sent.
    #[must_use]
    pub fn collected(metrics: Metrics) -> (Self, EndedSpans) {
        let (ended, waiting) = mpsc::channel(SPANS_WAITING_MAX);
        (Self(Some(Sink { ended, metrics })), EndedSpans(waiting))
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
    fn take(&self, span: Ended) {
        if self.ended.try_send(span).is_err() {
            self.metrics.spans_lost.inc();
        }
    }
}

/// Spans that have ended.
pub struct EndedSpans(mpsc::Receiver<Ended>);

/// The body of a request to the collector.
pub struct Batch {
    pub count: u64,
    pub bytes: Vec<u8>,
}

impl EndedSpans {
    /// The spans that wait now, up to a bound.
    pub fn batch(&mut self) -> Option<Batch> {
        let mut spans = Vec::new();
        while spans.len() < SPANS_AT_ONCE_MAX
            && let Ok(span) = self.0.try_recv()
        {
            spans.push(span);
        }
        let bytes = (!spans.is_empty()).then(|| encode::request(&spans))?;
        Some(Batch { count: spans.len() as u64, bytes })
    }
}
