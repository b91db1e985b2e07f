//! The short form of `cargo xtask chaos`: a few faults on a real control plane, under a writer.

use anyhow::Result;
use testkit::chaos::{self, Length, Plan};

/// R-REL-1, R-REL-2, R-REL-3
#[tokio::test(flavor = "multi_thread")]
async fn every_replica_is_exact_after_every_fault_and_no_guarantee_breaks_on_the_way() -> Result<()> {
    // A debug gateway beside everything else that is tested: a pace that the machine holds.
    let report = chaos::run(Plan { seed: 1, writes_per_s: 50, length: Length::Short }).await?;
    assert!(!report.is_broken(), "{report}");
    Ok(())
}
