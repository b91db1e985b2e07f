//! A gateway that is stopped, or ended under load: its viewers are told, no change of that time is lost, and
//! no row goes back.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use testkit::dogwatch::Home;
use testkit::gateways::next_frame;

use crate::client::signed_in;
use crate::cluster::{Cluster, subscribed};
use crate::tail::Tail;

#[tokio::test(flavor = "multi_thread")]
async fn r_rel_4_viewers_of_a_stopped_gateway_say_stale_and_no_row_goes_back_when_it_goes_on() {
    let (home, cluster) = (Home::new().expect("a folder"), Cluster::start().await);
    let gateway = cluster.serve(&home, 0);
    let mut tail = Tail::of(&gateway, &["configmaps"]);
    cluster.write(0..200);
    let truth = cluster.now();
    tail.until(|tail| tail.is_live() && truth.is_in(&tail.rows));
    gateway.signal(Signal::STOP).expect("it runs");
    cluster.write(200..400);
    tail.until(|tail| !tail.is_live());
    assert!(tail.said.contains("Stale") || tail.said.contains("gateway"), "{}", tail.said);
    gateway.signal(Signal::CONT).expect("it runs");
    // `Tail` asserts that no object's resourceVersion goes back.
    let truth = cluster.now();
    tail.until(|tail| tail.is_live() && truth.is_in(&tail.rows));
}

#[tokio::test(flavor = "multi_thread")]
async fn r_rel_7_a_gateway_that_ends_under_load_says_when_to_come_back_and_loses_nothing() {
    let (home, cluster) = (Home::new().expect("a folder"), Cluster::start().await);
    let mut gateway = cluster.serve(&home, 0);
    let (port, socket) = (gateway.port(), gateway.socket().expect("a socket"));
    let mut tails: Vec<Tail> = (0..3).map(|_| Tail::of(&gateway, &["configmaps"])).collect();
    for tail in &mut tails {
        tail.until(|tail| tail.is_live());
    }
    let page = signed_in(&gateway).await;
    let mut readers = Vec::new();
    for _ in 0..10 {
        readers.push(subscribed(&gateway, &page).await);
    }
    let never_reads = subscribed(&gateway, &page).await;
    cluster.write(0..500);
    gateway.signal(Signal::TERM).expect("it runs");
    let asked = Instant::now();
    cluster.write(500..1_000);
    for reader in &mut readers {
        let mut spread_ms = None;
        let code = loop {
            match next_frame(reader).await {
                Ok(frame) => spread_ms = frame["goaway"]["spread_ms"].as_u64().or(spread_ms),
                Err(code) => break code,
            }
        };
        assert_eq!((spread_ms, code), (Some(500), 1012));
    }
    let (status, _) = gateway.wait().expect("it ends");
    assert!(status.success(), "{status}");
    assert!(asked.elapsed() <= Duration::from_secs(25), "{:?}", asked.elapsed());
    assert!(!socket.exists(), "its socket went with it");
    drop(never_reads);
    let _again = cluster.serve(&home, port);
    cluster.write(1_000..1_500);
    let truth = cluster.now();
    for tail in &mut tails {
        tail.until(|tail| truth.is_in(&tail.rows));
    }
}
