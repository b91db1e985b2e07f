//! The end of a gateway whose connections don't end.

use std::time::Duration;

use tokio::time::Instant;

use super::running::{Running, WELCOME, first};
use crate::limits::DRAIN_S;
use crate::told;

#[tokio::test(start_paused = true)]
async fn connections_that_do_not_leave_are_cut_after_fifteen_seconds_and_the_log_counts_them() {
    told::listen();
    let gateway = Running::start().await;
    let mut sockets = Vec::new();
    for _ in 0..3 {
        let mut socket = gateway.open_local().await.expect("opened");
        assert_eq!(first(&mut socket).await.as_deref(), Some(WELCOME));
        sockets.push(socket);
    }
    // `leaving` isn't cancelled: these sessions would stay for ever.
    let started = Instant::now();
    gateway.connections.drain(Duration::from_secs(DRAIN_S)).await;
    assert_eq!(started.elapsed().as_secs(), DRAIN_S);
    assert_eq!(gateway.edge.metrics.http_connections.get(), 0);
    let said = told::lines_with("were cut");
    assert!(matches!(said.as_slice(), [once] if once.contains("connections=3")), "{said:?}");
}
