//! R-AUD-1: what the audit log has of the viewers of `rights.rs`. Never a credential, and nothing of an object's content.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use serde_json::Value;
use testkit::dogwatch::Dogwatch;

pub const AUDIT_LOG: &str = "audit.log";

/// `user event namespaces` of records: those that were asked for, or of all those that are granted.
const EXPECTED: [&str; 8] = [
    "alice login null",
    "alice subscribe [\"team-1\",\"team-2\",\"team-7\"]",
    "alice deny [\"team-3\"]",
    "alice scope [\"team-2\",\"team-7\"]",
    "bob deny null",
    "bob subscribe [\"team-3\"]",
    "carol subscribe null",
    "carol deny null",
];

/// Every kind of decision about every viewer is in the log of this gateway, and none of these texts.
pub fn are_recorded(dogwatch: &Dogwatch, secrets: impl IntoIterator<Item = String>) -> Result<()> {
    let log = std::fs::read_to_string(dogwatch.home().path().join(AUDIT_LOG))?;
    let record = |line: &str| -> Result<String> {
        let record: Value = serde_json::from_str(line)?;
        let shown = if record["granted"].is_null() { &record["namespaces"] } else { &record["granted"] };
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        Ok(format!("{} {} {shown}", text(&record["user"]), text(&record["event"])))
    };
    let records = log.lines().map(record).collect::<Result<BTreeSet<String>>>()?;
    for expected in EXPECTED {
        ensure!(records.contains(expected), "{expected} isn't in {records:?}");
    }
    for secret in secrets {
        ensure!(!log.contains(&secret), "{secret} is in the audit log");
    }
    Ok(())
}
