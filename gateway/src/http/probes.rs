//! Whether the gateway is alive and ready, in the form that Kubernetes' own servers use. Never a name of
//! anything in a cluster.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::response::Response;
use http::StatusCode;

use super::answer;
use crate::metrics::{ByCheck, Metrics};

/// Whether new viewers may come.
#[derive(Default)]
pub struct Readiness {
    leaving: AtomicBool,
    checks: Vec<Check>,
}

/// One line of `?verbose`. A failed check doesn't make the gateway unready: the page then says what is wrong.
pub struct Check {
    pub name: &'static str,
    pub look: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
}

impl Readiness {
    pub fn new(checks: Vec<Check>) -> Self {
        Self { leaving: AtomicBool::new(false), checks }
    }

    /// From now on `/readyz` answers that the gateway is shutting down.
    pub fn leave(&self) {
        self.leaving.store(true, Ordering::Release);
    }

    fn is_ready(&self) -> bool {
        !self.leaving.load(Ordering::Acquire)
    }

    fn results(&self) -> impl Iterator<Item = (&'static str, Result<(), String>)> {
        let serving = if self.is_ready() { Ok(()) } else { Err("shutting down".to_owned()) };
        let checks = self.checks.iter().map(|check| (check.name, (check.look)()));
        [("serving", serving)].into_iter().chain(checks)
    }

    fn verbose(&self) -> String {
        let mut text = String::new();
        for (name, found) in self.results() {
            let written = match found {
                Ok(()) => writeln!(text, "[+]{name} ok"),
                Err(why) => writeln!(text, "[-]{name} failed: {why}"),
            };
            debug_assert!(written.is_ok(), "a string takes everything");
        }
        text
    }

    /// What the checks say now, as numbers.
    pub(super) fn count(&self, metrics: &Metrics) {
        for (name, found) in self.results() {
            metrics.healthchecks.get_or_create(&ByCheck { name, r#type: "readyz" }).set(found.is_ok().into());
        }
    }

    pub(super) fn answer(&self, query: Option<&str>) -> Response {
        let (status, verdict) = if self.is_ready() {
            (StatusCode::OK, "ok")
        } else {
            (StatusCode::SERVICE_UNAVAILABLE, "shutting down")
        };
        let wants_all =
            query.is_some_and(|query| query.split('&').any(|pair| pair.split('=').next() == Some("verbose")));
        let text =
            if wants_all { format!("{}readyz: {verdict}\n", self.verbose()) } else { verdict.to_owned() };
        answer::text(status, text)
    }
}
