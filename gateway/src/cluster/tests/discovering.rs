//! How often discovery is asked where definitions can't be watched, and how long it may lag behind them. Time
//! is paused; the playground is the server.

use std::time::Duration;

use playground::{Fault, Options, Playground, Rule};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::cluster::Cluster;
use crate::cluster::testing::{connect, definition};
use crate::limits::{DISCOVERY_LAG_MS_MAX, DISCOVERY_POLL_S, DISCOVERY_SETTLE_MS, DISCOVERY_STEP_MS};
use crate::test_log;

/// A cluster with its discovery kept current until the test is over.
struct Discovering {
    playground: Playground,
    cluster: Cluster,
    _until: DropGuard,
}

impl Discovering {
    async fn at(playground: Playground) -> Self {
        test_log::listen();
        let cluster = connect(&playground).await;
        let cancel = CancellationToken::new();
        tokio::spawn(cluster.clone().keep_discovering(cancel.clone()));
        Self { playground, cluster, _until: cancel.drop_guard() }
    }

    /// Defines the `hidden` resources, which are never served, and then `plural`; returns how long it took until
    /// that was listed.
    async fn define(&self, hidden: &[&str], plural: &str) -> Duration {
        let mut kinds = self.cluster.kinds();
        let started = Instant::now();
        for plural in hidden {
            self.playground.create(definition(plural, "Namespaced", false)).expect("created");
        }
        self.playground.create(definition(plural, "Namespaced", true)).expect("created");
        let listed = kinds.wait_for(|kinds| {
            kinds.kinds.iter().any(|kind| kind.resource.to_string() == format!("{plural}.example.org"))
        });
        drop(listed.await.expect("discovery goes on"));
        started.elapsed()
    }
}

/// For the definitions and for the API services.
fn refuse_definitions(playground: &Playground, rule: &Rule) {
    for resource in ["customresourcedefinitions.apiextensions.k8s.io", "apiservices.apiregistration.k8s.io"] {
        playground.fault(rule.clone().resource(resource));
    }
}

#[tokio::test(start_paused = true)]
async fn where_definitions_may_not_be_listed_discovery_is_asked_every_half_minute_and_the_log_says_so() {
    let playground = Playground::start(Options::empty()).await.expect("a free port");
    refuse_definitions(&playground, &Rule::new(Fault::Forbidden));
    let discovering = Discovering::at(playground).await;
    discovering.define(&[], "boats").await;
    // From one round to the next.
    let took = discovering.define(&[], "ships").await;
    let due = Duration::from_secs(DISCOVERY_POLL_S);
    let slack = Duration::from_millis(2 * DISCOVERY_SETTLE_MS);
    assert!((due..due + slack).contains(&took), "{took:?}");
    // A feed that meets a 404 doesn't wait for that round.
    discovering.cluster.discover_soon();
    let took = discovering.define(&[], "rafts").await;
    assert!(took < due / 2, "{took:?}");
    let said = test_log::lines_with("discovery is asked every 30 s");
    assert!(matches!(said.as_slice(), [once] if once.contains("grant list and watch")), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_comes_back_and_refuses_for_a_moment_is_asked_again_at_once() {
    let discovering = Discovering::at(Playground::start(Options::empty()).await.expect("a free port")).await;
    discovering.define(&[], "boats").await;
    refuse_definitions(&discovering.playground, &Rule::new(Fault::Forbidden).verb("list").times(3));
    discovering.define(&[], "ships").await;
    let took = discovering.define(&[], "rafts").await;
    assert!(took < Duration::from_secs(DISCOVERY_POLL_S) / 2, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn discovery_that_lags_behind_a_definition_is_waited_for_once_and_the_log_names_it() {
    let discovering = Discovering::at(Playground::start(Options::empty()).await.expect("a free port")).await;
    let at_once = discovering.define(&[], "boats").await;
    let lag = Duration::from_millis(DISCOVERY_LAG_MS_MAX);
    assert!(at_once < lag, "{at_once:?}");
    let late = discovering.define(&["hidden"], "ships").await;
    let slack = Duration::from_millis(2 * DISCOVERY_SETTLE_MS + DISCOVERY_STEP_MS);
    assert!((lag..lag + slack).contains(&late), "{late:?}");
    let again = discovering.define(&[], "rafts").await;
    assert!(again < lag, "waited for it again: {again:?}");
    let said = test_log::lines_with("hidden.example.org");
    assert!(matches!(said.as_slice(), [once] if once.contains("kubectl describe crd")), "{said:?}");
}
