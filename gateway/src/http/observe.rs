//! Each request is counted and has one line in the log, with the template of its route and its status. It has a span
//! if its caller asks for one. The URL is never written, because it names what the viewer looks at.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::metrics::{ByRoute, Metrics};
use crate::traces::{Span, Traces, within};

#[derive(Clone)]
pub(super) struct Observer {
    pub(super) metrics: Metrics,
    pub(super) traces: Traces,
    pub(super) templates: Arc<[&'static str]>,
}

pub(super) async fn observe(State(observer): State<Observer>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let matched = request.extensions().get::<MatchedPath>();
    let route =
        matched.and_then(|path| observer.templates.iter().find(|template| **template == path.as_str()));
    let route = route.copied().unwrap_or("none");
    let method = request.method().clone();
    let mut span = observer.traces.of_request(request.headers(), format!("{method} {route}"));
    let response = within(span.as_ref().map(Span::context), next.run(request)).await;
    let code = response.status().as_u16();
    if let Some(span) = &mut span {
        span.text("http.request.method", method.as_str());
        span.text("http.route", route);
        span.number("http.response.status_code", i64::from(code));
        if response.status().is_server_error() {
            span.fail();
        }
    }
    observer.metrics.http_requests.get_or_create(&ByRoute { route, code }).inc();
    let elapsed_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    tracing::debug!(%method, route, code, elapsed_us, "answered");
    response
}
