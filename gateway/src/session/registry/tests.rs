//! What one hub takes at once, who may come in, and how far reconnects are spread.

use playground::{Options, Playground};
use shared::name::ClusterName;
use shared::resource::Resource;

use super::*;
use crate::cluster::Source;
use crate::limits::SPREAD_MS_MIN;
use crate::session::message::ToSession;
use crate::session::testing;
use crate::session::turn::Turn;

async fn registry(per_identity_max: usize) -> (Playground, Registry) {
    let playground = Playground::start(Options::quiet()).await.expect("a free port");
    let token = playground.token().map(str::to_owned);
    let source = Source::Url { url: playground.url(), token, name: "demo".into() };
    let cluster = Cluster::connect(source).await.expect("the playground answers");
    let registry = Registry::admitting(per_identity_max, cluster, FeedOptions::default(), Metrics::new());
    (playground, registry)
}

fn identity(name: &str) -> access::Identity {
    access::Identity::new(name, &[]).expect("a name")
}

/// R-NET-3
#[tokio::test]
async fn r_net_3_a_person_has_so_many_connections_and_another_person_as_many() {
    let (_playground, registry) = registry(2).await;
    let (first, _second) =
        (registry.enter(&identity("alice")).expect("one"), registry.enter(&identity("alice")).expect("two"));
    let problem = registry.enter(&identity("alice")).err().expect("one too many");
    assert_eq!(problem.reason, Reason::Limit);
    assert!(problem.message.contains("alice has 2 connections"), "{problem}");
    assert_eq!(registry.inner.metrics.sessions_refused.get(), 1);
    assert!(registry.enter(&identity("bob")).is_ok());
    drop(first);
    assert!(registry.enter(&identity("alice")).is_ok());
}

/// R-NET-6
#[tokio::test]
async fn r_net_6_reconnects_are_spread_over_a_second_for_each_thousand() {
    let (_playground, registry) = registry(10_000).await;
    assert_eq!(registry.spread_ms(), SPREAD_MS_MIN);
    let present: Vec<_> = (0..10_000).map(|_| registry.enter(&identity("alice"))).collect();
    assert!(present.iter().all(Result::is_ok));
    assert_eq!(registry.spread_ms(), 10_000);
}

#[tokio::test]
async fn a_hub_that_is_asked_too_much_at_once_refuses_with_limit_and_goes_on() {
    let (_playground, registry) = registry(1).await;
    let cluster = ClusterName::parse("demo").expect("a name");
    let key = FeedKey::of(cluster, Resource::parse("", "v1", "pods").expect("a resource"));
    let (reader, mut messages) = mpsc::channel(2 * HUB_COMMANDS_MAX);
    let command = |ticket| {
        let opening = testing::opening(u32::try_from(ticket).expect("few"));
        HubCommand::Open { ticket, opening: Box::new(opening), reader: reader.clone(), turn: Turn::default() }
    };
    // The hub's task had no turn yet.
    let many = HUB_COMMANDS_MAX as u64;
    for ticket in 0..many {
        assert!(registry.open(key.clone(), command(ticket)).is_ok(), "{ticket}");
    }
    let problem = registry.open(key.clone(), command(many)).err().expect("one too many");
    assert_eq!(problem.reason, Reason::Limit);
    // It takes its turn, and there is room again.
    assert!(matches!(messages.recv().await, Some(ToSession::News(_))));
    assert!(registry.open(key, command(many)).is_ok());
    registry.shutdown().await;
}
