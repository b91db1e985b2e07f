//! Forgets old changes in time, as a real API server compacts etcd: every so often, what happened before
//! the last time. It never touches an object.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::cluster::Cluster;

/// Runs until the playground stops.
pub(crate) async fn run(cluster: Arc<Cluster>, every: Duration, stop: CancellationToken) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last_time = 0;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = ticks.tick() => {}
        }
        let mut state = cluster.state();
        state.store.forget_until(last_time);
        last_time = state.store.revision();
    }
}
