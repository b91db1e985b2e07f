//! R-NET-4: a viewer that doesn't read costs its credit and nothing more, and other viewers nothing.

use crate::process::Home;
use crate::process::client::secret;
use crate::process::tail::Tail;

use super::cluster::{Cluster, subscribed};
use super::expect_alive;

#[tokio::test(flavor = "multi_thread")]
async fn r_net_4_viewers_that_never_read_cost_less_than_4_mib_each_and_the_others_are_exact() {
    const STALLED: usize = 8;
    const CHANGES: usize = 2_500;
    const BYTES_MAX: u64 = 4 * 1024 * 1024;
    let (home, cluster) = (Home::new(), Cluster::start().await);
    let gateway = cluster.serve(&home, "127.0.0.1:0");
    let secret = secret(&gateway).await;
    let mut tail = Tail::of(&home, &["configmaps"]);
    // The gateway has allocated what so many changes take.
    cluster.write(0..CHANGES);
    let truth = cluster.now();
    tail.until(|tail| tail.is_live() && truth.is_in(&tail.rows));
    let before = gateway.resident_bytes();
    let mut stalled = Vec::new();
    for _ in 0..STALLED {
        stalled.push(subscribed(&gateway, &secret).await);
    }
    cluster.write(CHANGES..2 * CHANGES);
    let truth = cluster.now();
    tail.until(|tail| tail.is_live() && truth.is_in(&tail.rows));
    let grown = gateway.resident_bytes().saturating_sub(before);
    assert!(grown <= STALLED as u64 * BYTES_MAX, "{grown} bytes for {STALLED} viewers");
    // They were not cut: when they read again, they get the latest state.
    for socket in &mut stalled {
        expect_alive(socket).await;
    }
}
