//! Is it alive, may it get traffic, and its numbers. In the form that Kubernetes' own servers use,
//! and without a name of anything in a cluster.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{RawQuery, State};
use axum::response::Response;
use http::StatusCode;

use super::{Edge, answer};

/// What stands in the way of new viewers.
#[derive(Default)]
pub struct Readiness {
    leaving: AtomicBool,
    checks: Vec<Check>,
}

/// Names what it found, for `?verbose`; it doesn't make the gateway unready, for a page that says
/// what is wrong is worth more than none.
pub struct Check {
    pub name: &'static str,
    pub look: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
}

impl Readiness {
    #[must_use]
    pub fn new(checks: Vec<Check>) -> Self {
        Self { leaving: AtomicBool::new(false), checks }
    }

    /// From now on nobody should come any more.
    pub fn leave(&self) {
        self.leaving.store(true, Ordering::Release);
    }

    fn is_ready(&self) -> bool {
        !self.leaving.load(Ordering::Acquire)
    }

    fn verbose(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, found: Result<(), String>| {
            let written = match found {
                Ok(()) => writeln!(text, "[+]{name} ok"),
                Err(why) => writeln!(text, "[-]{name} failed: {why}"),
            };
            debug_assert!(written.is_ok(), "a string takes everything");
        };
        line("serving", if self.is_ready() { Ok(()) } else { Err("shutting down".to_owned()) });
        for check in &self.checks {
            line(check.name, (check.look)());
        }
        text
    }
}

pub(super) async fn healthz() -> Response {
    answer::text(StatusCode::OK, "ok")
}

pub(super) async fn readyz(State(edge): State<Arc<Edge>>, RawQuery(query): RawQuery) -> Response {
    let ready = edge.readiness.is_ready();
    let (status, verdict) =
        if ready { (StatusCode::OK, "ok") } else { (StatusCode::SERVICE_UNAVAILABLE, "shutting down") };
    let wants_all =
        query.is_some_and(|query| query.split('&').any(|pair| pair.split('=').next() == Some("verbose")));
    let text = if wants_all {
        format!("{}readyz: {verdict}\n", edge.readiness.verbose())
    } else {
        verdict.to_owned()
    };
    answer::text(status, text)
}

pub(super) async fn metrics(State(edge): State<Arc<Edge>>) -> Response {
    match edge.metrics.encode() {
        Ok(text) => {
            answer::typed(StatusCode::OK, "application/openmetrics-text; version=1.0.0; charset=utf-8", text)
        }
        Err(_) => answer::text(StatusCode::INTERNAL_SERVER_ERROR, "the numbers can't be written"),
    }
}
