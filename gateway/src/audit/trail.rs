//! The records of one connection: what is known of it is added to each decision. Never a decision.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use shared::problem::Problem;

use super::decision::{AuditEvent, Decision};
use super::record::{self, RecordOrigin, Viewer};
use super::writer::{AuditFile, Writer};
use crate::access::{Login, Peer};
use crate::clock::wall_ms;
use crate::metrics::Metrics;
use crate::rate_limiter::RateLimiter;

/// The audit log of a gateway; without a file it records nothing. Cheap to clone.
#[derive(Clone, Default)]
pub struct Audit(Option<Arc<Log>>);

/// What all connections of a gateway share to write audit records.
struct Log {
    writer: Writer,
    mode: &'static str,
    cluster: Box<str>,
    /// The number of the next connection, counted from a random one: names of two gateways don't meet in one log.
    next: AtomicU64,
    refusals: Mutex<Refusals>,
    started: Instant,
}

/// How many refused logins are recorded.
struct Refusals {
    pace: RateLimiter,
    left_out: u64,
}

/// One connection, or a request that didn't become one.
#[derive(Clone, Default)]
pub struct Trail {
    audit: Audit,
    /// The peer's address, or `unix`.
    address: Box<str>,
    connection: Box<str>,
}

impl Audit {
    /// `mode`: how people prove who they are. Without a file nothing is recorded.
    ///
    /// # Errors
    /// The system starts no thread for it.
    pub fn start(
        file: Option<AuditFile>,
        mode: &'static str,
        cluster: &str,
        metrics: Metrics,
    ) -> Result<Self, Problem> {
        let Some(file) = file else { return Ok(Self::default()) };
        let log = Log {
            writer: Writer::start(file, metrics)?,
            mode,
            cluster: cluster.into(),
            next: AtomicU64::new(getrandom::u64().unwrap_or_default()),
            refusals: Mutex::new(Refusals { pace: RateLimiter::of_audited_refusals(0), left_out: 0 }),
            started: Instant::now(),
        };
        Ok(Self(Some(Arc::new(log))))
    }

    #[must_use]
    pub fn trail(&self, peer: Peer) -> Trail {
        let number = self.0.as_ref().map(|log| log.next.fetch_add(1, Ordering::Relaxed));
        let connection = number.map(|number| format!("{number:016x}").into()).unwrap_or_default();
        Trail { audit: self.clone(), address: peer.to_string().into(), connection }
    }

    /// Records that the operator has objects shown with all their values. `which`: one sentence.
    pub fn unmasked(&self, which: String) {
        let trail = Trail { audit: self.clone(), ..Trail::default() };
        trail.write(None, &Decision::announced(AuditEvent::Unmasked, which), None);
    }

    /// Records that a rule tells receivers what it finds. `which`: one sentence.
    pub fn rule(&self, which: String) {
        let trail = Trail { audit: self.clone(), ..Trail::default() };
        trail.write(None, &Decision::announced(AuditEvent::Rule, which), None);
    }

    /// Opens the file by its name again: what was there was moved away.
    pub fn reopen(&self) {
        if let Some(log) = &self.0 {
            log.writer.reopen();
        }
    }

    /// For the readiness probe.
    ///
    /// # Errors
    /// How many records were lost, while none can be written.
    pub fn check(&self) -> Result<(), String> {
        self.0.as_ref().map_or(Ok(()), |log| log.writer.check())
    }

    /// Returns when all is written that was recorded before, and after a second at the latest.
    pub async fn end(&self) {
        if let Some(log) = &self.0 {
            log.writer.end().await;
        }
    }
}

impl Trail {
    /// `how`: one sentence.
    pub fn logged_in(&self, login: &Login, how: &'static str) {
        let decision = Decision {
            event: AuditEvent::Login,
            reason: how.into(),
            request: None,
            granted: None,
            container: None,
        };
        self.write(Some(viewer_of(login)), &decision, None);
    }

    /// A credential was refused, or its owner. Strangers may send any number of them, so only some have a record.
    pub fn refused(&self, login: Option<&Login>, problem: &Problem) {
        let Some(log) = &self.audit.0 else { return };
        let left_out = {
            let mut refusals = log.refusals.lock().unwrap_or_else(PoisonError::into_inner);
            let now = u64::try_from(log.started.elapsed().as_millis()).unwrap_or(u64::MAX);
            if !refusals.pace.take(now) {
                refusals.left_out += 1;
                return;
            }
            std::mem::take(&mut refusals.left_out)
        };
        let left_out = (left_out > 0).then_some(left_out);
        self.write(login.map(viewer_of), &Decision::refused(problem), left_out);
    }

    pub fn decided(&self, viewer: Viewer<'_>, decision: &Decision) {
        self.write(Some(viewer), decision, None);
    }

    /// The connection ended. `why`: one sentence.
    pub fn ended(&self, viewer: Viewer<'_>, why: &str) {
        let decision = Decision {
            event: AuditEvent::End,
            reason: why.to_owned().into(),
            request: None,
            granted: None,
            container: None,
        };
        self.write(Some(viewer), &decision, None);
    }

    fn write(&self, viewer: Option<Viewer<'_>>, decision: &Decision, left_out: Option<u64>) {
        let Some(log) = &self.audit.0 else { return };
        let place = RecordOrigin {
            mode: log.mode,
            cluster: &log.cluster,
            address: &self.address,
            connection: &self.connection,
        };
        if let Some(line) = record::line(wall_ms(), &place, viewer, decision, left_out) {
            log.writer.write(line);
        }
    }
}

fn viewer_of(login: &Login) -> Viewer<'_> {
    Viewer { identity: &login.identity, rights: &login.rights }
}
