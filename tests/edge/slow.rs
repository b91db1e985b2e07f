//! R-NET-4: a viewer that doesn't read costs its credit and nothing more, and other viewers nothing.

use serde_json::json;
use testkit::dogwatch::Home;
use testkit::process::resident_mib;

use crate::client::signed_in;
use crate::cluster::{Cluster, subscribed};
use crate::feeds::send;
use crate::tail::Tail;
use crate::{expect_alive, neighbour};

#[tokio::test(flavor = "multi_thread")]
async fn r_net_4_viewers_that_never_read_cost_less_than_4_mib_each_and_the_others_are_exact() {
    const STALLED: usize = 8;
    const CHANGES: usize = 2_500;
    const MIB_MAX: f64 = 4.0;
    let (home, cluster) = (Home::new().expect("a folder"), Cluster::start().await);
    let gateway = cluster.serve(&home, 0);
    let page = signed_in(&gateway).await;
    let mut tail = Tail::of(&gateway, &["configmaps"]);
    // The gateway has allocated what so many changes take.
    cluster.write(0..CHANGES);
    let truth = cluster.now();
    tail.until(|tail| tail.is_live() && truth.is_in(&tail.rows));
    let before = resident_mib(gateway.pid()).expect("it runs");
    let mut stalled = Vec::new();
    for _ in 0..STALLED {
        stalled.push(subscribed(&gateway, &page).await);
    }
    cluster.write(CHANGES..2 * CHANGES);
    let truth = cluster.now();
    tail.until(|tail| tail.is_live() && truth.is_in(&tail.rows));
    let grown = resident_mib(gateway.pid()).expect("it runs") - before;
    assert!(grown <= STALLED as f64 * MIB_MAX, "{grown} MiB for {STALLED} viewers");
    // Their connections live: when they read again, they get the latest state.
    for socket in &mut stalled {
        expect_alive(socket).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r_net_4_viewers_of_256_timelines_that_never_read_cost_less_than_6_mib_each() {
    const STALLED: usize = 4;
    const TIMELINES: usize = 256;
    const CHANGES: usize = 2_500;
    // 4 for what waits, and 2 for the subscriptions themselves.
    const MIB_MAX: f64 = 6.0;
    let (home, cluster) = (Home::new().expect("a folder"), Cluster::start().await);
    let gateway = cluster.serve(&home, 0);
    let page = signed_in(&gateway).await;
    let mut tail = Tail::of(&gateway, &["configmaps"]);
    cluster.write(0..CHANGES);
    let truth = cluster.now();
    tail.until(|tail| tail.is_live() && truth.is_in(&tail.rows));
    let before = resident_mib(gateway.pid()).expect("it runs");
    let resource = json!({ "group": "", "version": "v1", "resource": "configmaps" });
    let mut stalled = Vec::new();
    for viewer in 0..STALLED {
        let mut socket = neighbour(&gateway, &page).await;
        for id in 0..TIMELINES {
            let scope = json!({ "resource": resource, "labels": format!("none!=x-{viewer}-{id}") });
            let subscribe = json!({ "id": id, "scope": scope, "projection": "timeline" });
            send(&mut socket, json!({ "subscribe": subscribe })).await;
        }
        expect_alive(&mut socket).await;
        stalled.push(socket);
    }
    cluster.write(CHANGES..2 * CHANGES);
    let truth = cluster.now();
    tail.until(|tail| tail.is_live() && truth.is_in(&tail.rows));
    let grown = resident_mib(gateway.pid()).expect("it runs") - before;
    assert!(grown <= STALLED as f64 * MIB_MAX, "{grown} MiB for {STALLED} viewers");
    for socket in &mut stalled {
        expect_alive(socket).await;
    }
}
