//! The settings of the record alone, for what works on it without a gateway.

use shared::problem::Problem;

use super::history;
use super::resolve::{audit_target, redaction};
use super::settings::{ServeFlags, Settings};
use crate::audit::AuditTarget;
use crate::feed::RedactionSettings;
use crate::past::HistorySettings;

/// Where the record is, where it is written down who changes it, and what is masked.
#[derive(Debug)]
pub struct RecordConfig {
    pub history: HistorySettings,
    pub audit_log: Option<AuditTarget>,
    pub redaction: RedactionSettings,
}

impl ServeFlags {
    /// # Errors
    /// A setting of these can't be used.
    pub fn record(&self) -> Result<RecordConfig, Problem> {
        let settings = Settings::of(self)?;
        Ok(RecordConfig {
            history: history::of(&settings.record, false, &settings.demo_minutes)?,
            redaction: redaction(&settings)?,
            audit_log: settings.audit_log.map(audit_target).transpose()?,
        })
    }
}
