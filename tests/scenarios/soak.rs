//! The short form of `cargo xtask soak`: a minute of viewers that come and go, on a real control plane.

use std::time::Duration;

use anyhow::Result;
use testkit::chaos::{Soak, soak};

/// R-REL-10
#[tokio::test(flavor = "multi_thread")]
async fn r_rel_10_fifty_viewers_that_come_and_go_leave_no_memory_and_no_file_behind() -> Result<()> {
    // A debug gateway beside other tests: a pace that the machine holds.
    let plan = Soak { seed: 1, writes_per_s: 30, visitors: 50, length: Duration::from_secs(45) };
    let report = soak(plan).await?;
    assert!(!report.is_broken(), "{report}");
    Ok(())
}
