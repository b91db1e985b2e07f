//! A gateway that is stopped, or ended under load: its viewers are told, no change of that time is lost, and
//! no row goes back.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::cluster::{Cluster, subscribed};
use crate::process::Home;
use crate::process::client::{secret, text};
use crate::process::tail::Tail;

#[tokio::test(flavor = "multi_thread")]
async fn r_rel_4_viewers_of_a_stopped_gateway_say_stale_and_no_row_goes_back_when_it_goes_on() {
    let (home, cluster) = (Home::new(), Cluster::start().await);
    let mut gateway = cluster.serve(&home, "127.0.0.1:0");
    let mut tail = Tail::of(&home, &["configmaps"]);
    cluster.write(0..200);
    let truth = cluster.now();
    tail.until(|tail| tail.is_live() && truth.is_in(&tail.rows));
    gateway.signal(Signal::STOP);
    cluster.write(200..400);
    tail.until(|tail| !tail.is_live());
    assert!(tail.said.contains("Stale") || tail.said.contains("gateway"), "{}", tail.said);
    gateway.signal(Signal::CONT);
    // `Tail` asserts that no object's resourceVersion goes back.
    let truth = cluster.now();
    tail.until(|tail| tail.is_live() && truth.is_in(&tail.rows));
}

#[tokio::test(flavor = "multi_thread")]
async fn r_rel_7_a_gateway_that_ends_under_load_says_when_to_come_back_and_loses_nothing() {
    let (home, cluster) = (Home::new(), Cluster::start().await);
    let mut gateway = cluster.serve(&home, "127.0.0.1:0");
    let address = gateway.address();
    let mut tails: Vec<Tail> = (0..3).map(|_| Tail::of(&home, &["configmaps"])).collect();
    for tail in &mut tails {
        tail.until(Tail::is_live);
    }
    let secret = secret(&gateway).await;
    let mut readers = Vec::new();
    for _ in 0..10 {
        readers.push(subscribed(&gateway, &secret).await);
    }
    let never_reads = subscribed(&gateway, &secret).await;
    cluster.write(0..500);
    gateway.signal(Signal::TERM);
    let asked = Instant::now();
    cluster.write(500..1_000);
    for reader in &mut readers {
        let mut spread_ms = None;
        let code = loop {
            match text(reader).await {
                Ok(frame) => spread_ms = frame["goaway"]["spread_ms"].as_u64().or(spread_ms),
                Err(code) => break code,
            }
        };
        assert_eq!((spread_ms, code), (Some(500), 1012));
    }
    assert_eq!(gateway.exit_code(), Some(0));
    assert!(asked.elapsed() <= Duration::from_secs(25), "{:?}", asked.elapsed());
    assert!(home.sockets().is_empty(), "its socket went with it");
    drop((gateway, never_reads));
    let _again = cluster.serve(&home, &address);
    cluster.write(1_000..1_500);
    let truth = cluster.now();
    for tail in &mut tails {
        tail.until(|tail| truth.is_in(&tail.rows));
    }
}
