//! Several clusters in one gateway: each answers for itself, and one that is gone takes nothing of the others along.

#![expect(clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use gateway::access::{Authenticator, Caller, Identity, RightsMode};
use gateway::audit::Audit;
use gateway::cluster::{Ceiling, Source};
use gateway::feed::Redaction;
use gateway::hub::FeedBounds;
use gateway::inventory::{Connecting, Entry, Inventory};
use gateway::metrics::Metrics;
use gateway::session::{Context, Limits, Team};
use playground::{Fault, Options, Playground, Rule};
use serde_json::json;
use shared::frame::server::{ServerFrame, Welcome};
use shared::name::ClusterName;
use shared::problem::Reason;
use shared::state::ViewState;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::over_channels::{Client, Gateway};

/// A gateway of several clusters, whose own task runs.
pub struct Several {
    pub gateway: Gateway,
    _ends: DropGuard,
}

pub fn entry(name: &str, url: &str, token: Option<&str>) -> Entry {
    let token = token.map(str::to_owned);
    let source = Source::Url { url: url.to_owned(), token, certificate: None, name: name.to_owned() };
    Entry { name: ClusterName::parse(name).expect("a name"), access: Ok(source) }
}

pub fn entry_of(name: &str, playground: &Playground) -> Entry {
    entry(name, &playground.url(), playground.token().or(Some("token-of-the-gateway")))
}

/// A cluster whose only config map has its name.
async fn cluster(name: &str, seed: u64) -> Playground {
    let playground = Playground::start(Options { seed, ..Options::empty() }).await.expect("a free port");
    mark(&playground, name);
    playground
}

pub fn mark(playground: &Playground, name: &str) {
    let metadata = json!({"name": format!("of-{name}"), "namespace": "default"});
    playground
        .create(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}))
        .expect("created");
}

impl Several {
    /// `home` is the first of the entries, and where the user's own rights count.
    async fn of(home: Playground, entries: Vec<Entry>, limits: Limits) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let identity = Identity::new("alice").expect("a name");
        let authenticator = Authenticator::local(folder.path(), 8484, identity);
        Self::with(home, entries, limits, (authenticator, RightsMode::Shared)).await
    }

    pub async fn with(
        home: Playground,
        entries: Vec<Entry>,
        limits: Limits,
        access: (Authenticator, RightsMode),
    ) -> Self {
        let metrics = Metrics::new();
        let inventory = Inventory::new(Ceiling::default());
        let count = entries.len();
        inventory.configure(entries);
        let context =
            Context::new(inventory, access, limits, metrics.clone(), Team::default(), Redaction::default());
        let needed = Vec::new().into();
        let connecting = Connecting { metrics, impersonates: false, checks_own_rights: false, needed };
        let (registry, cancel) = (context.registry.clone(), CancellationToken::new());
        let keep =
            context.clusters.clone().keep(connecting, Box::new(move || registry.end_gone()), cancel.clone());
        tokio::spawn(keep);
        let mut listed = context.clusters.listed();
        let settled = listed.wait_for(|list| {
            list.len() == count && list.iter().all(|one| one.reached.is_some() || one.problem.is_some())
        });
        drop(settled.await.expect("the task goes on"));
        let gateway = Gateway::around(home, context, Audit::default());
        Self { gateway, _ends: cancel.drop_guard() }
    }

    /// A client that said hello, and the welcome that it got.
    pub async fn welcomed(&self, caller: Caller) -> (Client, Welcome) {
        let mut client = self.gateway.connect(caller);
        client.say(&json!({"hello": {"version": "dogwatch.v2"}}));
        let welcome = client.welcome().await;
        (client, welcome)
    }

    fn configure(&self, entries: Vec<Entry>) {
        self.gateway.context.clusters.configure(entries);
    }
}

pub fn names(welcome: &Welcome) -> Vec<&str> {
    welcome.clusters.iter().map(|cluster| cluster.name.as_str()).collect()
}

pub fn subscribe(client: &Client, id: u32, cluster: Option<&str>) {
    let resource = json!({"group": "", "version": "v1", "resource": "configmaps"});
    let mut scope = json!({"resource": resource});
    if let Some(cluster) = cluster {
        scope["cluster"] = json!(cluster);
    }
    client.say(&json!({"subscribe": {"id": id, "scope": scope}}));
}

/// The names in the first frames of rows of `count` subscriptions; under 0 those of one that was answered before.
async fn rows(client: &mut Client, count: usize) -> BTreeMap<u32, Vec<String>> {
    let (mut ids, mut rows) = (BTreeMap::new(), BTreeMap::<u32, Vec<String>>::new());
    while rows.len() < count {
        match client.next().await {
            ServerFrame::Subscribed(said) => {
                ids.insert(said.view, said.id);
            }
            ServerFrame::Rows(said) => {
                let names: Vec<String> = said.put.iter().map(|row| row.name.to_string()).collect();
                let id = ids.get(&said.view).copied().unwrap_or_default();
                if !names.is_empty() {
                    rows.entry(id).or_default().extend(names);
                }
            }
            ServerFrame::Problem(said) => panic!("{said:?}"),
            _ => {}
        }
    }
    rows
}

/// The problem that ends a subscription.
async fn ended(client: &mut Client, id: u32) -> (Reason, String) {
    client
        .until(|frame| match frame {
            ServerFrame::Problem(said) if said.id == Some(id) => {
                Some((said.problem.reason, said.problem.message))
            }
            _ => None,
        })
        .await
}

#[tokio::test]
async fn each_cluster_answers_for_itself_and_one_that_is_not_named_is_the_home_cluster() {
    let (a, b) = (cluster("a", 7).await, cluster("b", 8).await);
    let entries = vec![entry_of("a", &a), entry_of("b", &b)];
    let several = Several::of(a, entries, Limits::default()).await;
    let (mut client, welcome) = several.welcomed(Caller::SameUser).await;
    assert_eq!(names(&welcome), ["a", "b"]);
    assert!(welcome.clusters.iter().all(|one| one.problem.is_none() && !one.version.is_empty()));
    assert_ne!(welcome.clusters[0].id, welcome.clusters[1].id);
    let mut kinds = Vec::new();
    while kinds.len() < 2 {
        if let ServerFrame::Kinds(said) = client.next().await {
            assert!(said.kinds.len() > 10);
            kinds.push(said.cluster.to_string());
        }
    }
    assert_eq!(kinds, ["a", "b"]);
    subscribe(&client, 1, None);
    subscribe(&client, 2, Some("b"));
    subscribe(&client, 3, Some("a"));
    let rows = rows(&mut client, 3).await;
    let of = |id: u32, name: &str| rows[&id].iter().any(|row| row == name);
    assert!(of(1, "of-a") && of(3, "of-a") && of(2, "of-b"), "{rows:?}");
    assert!(!of(1, "of-b") && !of(2, "of-a"), "{rows:?}");
    subscribe(&client, 4, Some("c"));
    let (reason, message) = ended(&mut client, 4).await;
    assert_eq!(reason, Reason::NotFound);
    assert!(message.contains("shows no cluster \"c\""), "{message}");
    several.gateway.context.registry.shutdown().await;
}

/// A port of loopback on which nothing answers.
pub fn silent_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("bound").port()
}

#[tokio::test]
async fn a_cluster_that_never_answered_is_listed_with_its_problem_and_its_view_becomes_live_when_it_does() {
    let a = cluster("a", 7).await;
    let port = silent_port();
    let entries = vec![entry_of("a", &a), entry("late", &format!("http://127.0.0.1:{port}"), None)];
    let several = Several::of(a, entries, Limits::default()).await;
    let (mut client, first) = several.welcomed(Caller::SameUser).await;
    let late = &first.clusters[1];
    let problem = late.problem.as_deref().expect("it doesn't answer");
    assert_eq!(problem.problem.reason, Reason::ConnectionRefused);
    assert!(problem.problem.message.contains(&port.to_string()), "on one's own machine, all of it");
    assert!(late.version.is_empty() && late.id.is_empty() && late.namespaces.is_empty());
    subscribe(&client, 1, Some("late"));
    let state = client
        .until(|frame| match frame {
            ServerFrame::Subscribed(said) => Some(said.state),
            _ => None,
        })
        .await;
    assert!(matches!(state.state, ViewState::Stale { .. }), "{state:?}");
    assert_eq!(state.problem.map(|problem| problem.reason), Some(Reason::ConnectionRefused));
    // What is answered once is refused, and the other cluster goes on.
    let resource = json!({"group": "", "version": "v1", "resource": "configmaps"});
    let scope = json!({"cluster": "late", "resource": resource, "namespaces": ["default"], "name": "x"});
    client.say(&json!({"get": {"id": 9, "scope": scope}}));
    assert_eq!(ended(&mut client, 9).await.0, Reason::ConnectionRefused);
    subscribe(&client, 2, Some("a"));
    assert!(rows(&mut client, 1).await[&2].contains(&"of-a".to_owned()));
    let options = Options { port, seed: 8, ..Options::empty() };
    let playground = Playground::start(options).await.expect("the port is free still");
    mark(&playground, "late");
    client.say(&json!({"retry": {"id": 1}}));
    let again = client.welcome().await;
    assert!(again.clusters[1].problem.is_none() && !again.clusters[1].version.is_empty());
    assert!(rows(&mut client, 1).await[&1].contains(&"of-late".to_owned()));
    several.gateway.context.registry.shutdown().await;
}

#[tokio::test]
async fn a_cluster_that_is_taken_away_ends_its_views_alone_and_one_that_comes_is_shown() {
    let (a, b) = (cluster("a", 7).await, cluster("b", 8).await);
    let (of_a, of_b) = (entry_of("a", &a), entry_of("b", &b));
    let several = Several::of(a, vec![of_a.clone(), of_b.clone()], Limits::default()).await;
    let (mut client, _) = several.welcomed(Caller::SameUser).await;
    subscribe(&client, 1, None);
    subscribe(&client, 2, Some("b"));
    rows(&mut client, 2).await;
    several.configure(vec![of_a.clone()]);
    assert_eq!(names(&client.welcome().await), ["a"]);
    let (reason, message) = ended(&mut client, 2).await;
    assert_eq!((reason, message.contains("\"b\"")), (Reason::NotFound, true), "{message}");
    mark(&several.gateway.playground, "a-again");
    rows(&mut client, 1).await;
    several.configure(vec![of_a.clone(), of_b]);
    assert_eq!(names(&client.welcome().await), ["a", "b"]);
    // Another way to the same name: what is open begins anew by itself.
    client
        .until(|frame| match frame {
            ServerFrame::Kinds(said) if said.cluster.as_str() == "b" && !said.kinds.is_empty() => Some(()),
            _ => None,
        })
        .await;
    subscribe(&client, 3, Some("b"));
    assert!(rows(&mut client, 1).await[&3].contains(&"of-b".to_owned()));
    let c = cluster("c", 9).await;
    several.configure(vec![of_a, entry_of("b", &c)]);
    loop {
        if rows(&mut client, 1).await.values().flatten().any(|row| row == "of-c") {
            break;
        }
    }
    drop(b);
    several.gateway.context.registry.shutdown().await;
}

/// R-NET-3
#[tokio::test]
async fn r_net_3_feeds_are_counted_over_all_clusters() {
    let (a, b) = (cluster("a", 7).await, cluster("b", 8).await);
    let entries = vec![entry_of("a", &a), entry_of("b", &b)];
    let feeds = FeedBounds { per_identity: 1, total: 8 };
    let several = Several::of(a, entries, Limits { feeds, ..Limits::default() }).await;
    let (mut client, _) = several.welcomed(Caller::SameUser).await;
    subscribe(&client, 1, Some("a"));
    rows(&mut client, 1).await;
    subscribe(&client, 2, Some("b"));
    assert_eq!(ended(&mut client, 2).await.0, Reason::Limit);
    several.gateway.context.registry.shutdown().await;
}

#[tokio::test]
async fn a_cluster_that_stops_to_answer_is_told_of_and_so_is_its_return() {
    let (a, b) = (cluster("a", 7).await, cluster("b", 8).await);
    let entries = vec![entry_of("a", &a), entry_of("b", &b)];
    let several = Several::of(a, entries, Limits::default()).await;
    let (mut client, first) = several.welcomed(Caller::SameUser).await;
    assert!(first.clusters[1].problem.is_none());
    b.fault(Rule::new(Fault::Unavailable { retry_after_s: 1 }));
    let gone = client.welcome().await;
    assert!(gone.clusters[0].problem.is_none());
    let problem = gone.clusters[1].problem.as_deref().expect("it doesn't answer");
    assert_eq!(problem.problem.reason, Reason::ServiceUnavailable, "{}", problem.problem);
    assert!(!gone.clusters[1].version.is_empty(), "what is known of it stays");
    b.clear_faults();
    assert!(client.welcome().await.clusters[1].problem.is_none());
    several.gateway.context.registry.shutdown().await;
}
