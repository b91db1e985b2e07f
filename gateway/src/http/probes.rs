//! Whether the gateway is alive and ready, in the form that Kubernetes' own servers use. Never a name of
//! anything in a cluster, and to strangers never why a check has failed.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::response::Response;
use http::StatusCode;

use super::answer;
use crate::metrics::{ByCheck, Metrics};

/// To whom a probe answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Over the listener of the metrics, or the user's own socket.
    Operator,
    /// Anything that reaches the gateway.
    Stranger,
}

/// Whether new viewers may come.
#[derive(Default)]
pub struct Readiness {
    leaving: AtomicBool,
    checks: Vec<Check>,
}

/// One line of `?verbose`. A check that fails makes the gateway unready only as long as it `blocks`: else the page says
/// what is wrong.
pub struct Check {
    pub name: &'static str,
    pub look: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
    pub blocks: Box<dyn Fn() -> bool + Send + Sync>,
}

impl Check {
    /// One that never blocks.
    pub fn new(name: &'static str, look: impl Fn() -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self { name, look: Box::new(look), blocks: Box::new(|| false) }
    }
}

impl Readiness {
    pub fn new(checks: Vec<Check>) -> Self {
        Self { leaving: AtomicBool::new(false), checks }
    }

    /// From now on `/readyz` answers that the gateway is shutting down.
    pub fn leave(&self) {
        self.leaving.store(true, Ordering::Release);
    }

    fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Acquire)
    }

    fn results(&self) -> impl Iterator<Item = (&'static str, Result<(), String>)> {
        let serving = if self.is_leaving() { Err("shutting down".to_owned()) } else { Ok(()) };
        let checks = self.checks.iter().map(|check| (check.name, (check.look)()));
        [("serving", serving)].into_iter().chain(checks)
    }

    fn verbose(&self, reader: Reader) -> String {
        let mut text = String::new();
        for (name, found) in self.results() {
            let written = match found {
                Ok(()) => writeln!(text, "[+]{name} ok"),
                Err(why) if reader == Reader::Operator => writeln!(text, "[-]{name} failed: {why}"),
                // The words of kube-apiserver.
                Err(_) => writeln!(text, "[-]{name} failed: reason withheld"),
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

    pub(crate) fn answer(&self, query: Option<&str>, reader: Reader) -> Response {
        let is_blocked = self.checks.iter().any(|check| (check.blocks)());
        let (status, verdict) = if self.is_leaving() {
            (StatusCode::SERVICE_UNAVAILABLE, "shutting down")
        } else if is_blocked {
            (StatusCode::SERVICE_UNAVAILABLE, "not ready")
        } else {
            (StatusCode::OK, "ok")
        };
        let is_asked = |query: &str| query.split('&').any(|pair| pair.split('=').next() == Some("verbose"));
        // As Kubernetes' own servers answer: an operator who sees that it isn't ready asks why.
        let wants_all = is_blocked || query.is_some_and(is_asked);
        let text = if wants_all {
            format!("{}readyz: {verdict}\n", self.verbose(reader))
        } else {
            verdict.to_owned()
        };
        answer::text(status, text)
    }
}
