//! The task that sends spans to the collector, a batch at a time. A collector that doesn't answer costs its spans, and
//! nothing else.

use std::mem::replace;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, header};
use shared::problem::Problem;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::access::https::Https;
use crate::config::Config;
use crate::limits::SPANS_EVERY_MS;
use crate::metrics::Metrics;
use crate::traces::{Batch, EndedSpans, Endpoint, Traces};

pub(super) struct Collector {
    endpoint: Endpoint,
    https: Https,
    waiting: EndedSpans,
    metrics: Metrics,
    is_failing: bool,
}

impl Collector {
    /// Without a collector there are no traces.
    ///
    /// # Errors
    /// TLS can't be set up.
    pub(super) fn of(config: &Config, metrics: &Metrics) -> Result<(Traces, Option<Self>), Problem> {
        let Some(endpoint) = config.collector.clone() else { return Ok((Traces::default(), None)) };
        let (traces, waiting) = Traces::collected(metrics.clone());
        let (https, metrics) = (Https::new(None)?, metrics.clone());
        Ok((traces, Some(Self { endpoint, https, waiting, metrics, is_failing: false })))
    }

    /// Until it is cancelled; then it sends what waits, once.
    pub(super) async fn run(mut self, cancel: CancellationToken) {
        let mut due = tokio::time::interval(Duration::from_millis(SPANS_EVERY_MS));
        due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let is_last = cancel.run_until_cancelled(due.tick()).await.is_none();
            if let Some(batch) = self.waiting.batch() {
                self.send(batch).await;
            }
            if is_last {
                return;
            }
        }
    }

    async fn send(&mut self, Batch { count, bytes }: Batch) {
        let headers = [(header::CONTENT_TYPE, "application/x-protobuf")];
        let sent =
            match self.https.send(Method::POST, self.endpoint.uri(), &headers, Bytes::from(bytes)).await {
                Ok(answer) if answer.status.is_success() => Ok(()),
                Ok(answer) => Err(format!("it answered {}", answer.status.as_u16())),
                Err(why) => Err(why.to_string()),
            };
        let was_failing = replace(&mut self.is_failing, sent.is_err());
        if let Err(why) = sent {
            self.metrics.spans_lost.inc_by(count);
            // Only the first failure of a series.
            if !was_failing {
                tracing::warn!("spans can't be sent to the collector and are dropped: {why}");
            }
        }
    }
}
