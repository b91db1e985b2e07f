//! One count and one log line for each request, with the route's template and the status. Never the URL: it
//! names what the viewer looks at.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::metrics::{ByRoute, Metrics};

#[derive(Clone)]
pub(super) struct Observer {
    pub(super) metrics: Metrics,
    pub(super) templates: Arc<[&'static str]>,
}

pub(super) async fn observe(State(observer): State<Observer>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let matched = request.extensions().get::<MatchedPath>();
    let route =
        matched.and_then(|path| observer.templates.iter().find(|template| **template == path.as_str()));
    let route = route.copied().unwrap_or("none");
    let method = request.method().clone();
    let response = next.run(request).await;
    let code = response.status().as_u16();
    observer.metrics.http_requests.get_or_create(&ByRoute { route, code }).inc();
    let elapsed_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    tracing::debug!(%method, route, code, elapsed_us, "answered");
    response
}
