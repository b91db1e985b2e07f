//! What a viewer in a team hears of several clusters: in each its own reviews decide.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gateway::access::proxy::headers::HeaderNames;
use gateway::access::proxy::{Proxy, ProxySettings, Trust};
use gateway::access::{self, Authenticator, Caller, Identity, Login, RightsMode};
use gateway::cluster::{Ceiling, Cluster, Source, Subject};
use gateway::metrics::Metrics;
use gateway::session::Limits;
use playground::{Options, Playground, User};
use serde_json::{Value, json};
use shared::frame::server::{LoginMode, Rights, ServerFrame};
use shared::problem::{Problem, Reason};
use shared::state::ViewState;
use tokio::time::timeout;

use crate::over_channels::Client;
use crate::several::{Several, entry, entry_of, mark, names, silent_port, subscribe};

fn users() -> Vec<User> {
    vec![User::new("dogwatch", "token-of-the-gateway", &["system:masters"])]
}

/// `alice` may read config maps, and ask what the cluster serves.
fn allow(playground: &Playground) {
    let api = "rbac.authorization.k8s.io/v1";
    let subject = json!({"kind": "User", "name": "alice", "apiGroup": "rbac.authorization.k8s.io"});
    for object in [
        json!({"apiVersion": api, "kind": "ClusterRole", "metadata": {"name": "reader"},
            "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]},
                {"nonResourceURLs": ["/apis"], "verbs": ["get"]}]}),
        json!({"apiVersion": api, "kind": "ClusterRoleBinding", "metadata": {"name": "alice"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader"},
            "subjects": [subject]}),
    ] {
        playground.create(object).expect("created");
    }
}

fn asked_for(playground: &Playground, path: &str) -> usize {
    playground.requests().iter().filter(|request| request.path_and_query.contains(path)).count()
}

/// R-AUTHZ-1
#[tokio::test]
async fn r_authz_1_in_each_cluster_its_own_reviews_decide_and_of_another_a_viewer_hears_the_name_alone() {
    let with_users = |seed| Options { seed, users: users(), ..Options::empty() };
    let a = Playground::start(with_users(7)).await.expect("a free port");
    let b = Playground::start(with_users(8)).await.expect("a free port");
    for (playground, name) in [(&a, "a"), (&b, "b")] {
        mark(playground, name);
    }
    allow(&b);
    let port = silent_port();
    let dead = entry("dead", &format!("http://127.0.0.1:{port}"), None);
    let c = Playground::start(with_users(9)).await.expect("a free port");
    // Every user who is logged in may ask what a cluster serves, until this binding is deleted.
    c.delete("clusterrolebindings.rbac.authorization.k8s.io", "", "system:discovery").expect("deleted");
    let entries = vec![entry_of("a", &a), entry_of("b", &b), entry_of("c", &c), dead];
    let header = |name: &str| name.parse().expect("a name");
    let headers = HeaderNames { user: header("x-user"), groups: header("x-group"), separator: None };
    let proxy = ProxySettings { headers, trust: Trust::Addresses(Vec::new()) };
    let authenticator = Authenticator::proxy(Proxy::new(proxy).expect("made"));
    let access = (authenticator, RightsMode::Shared);
    let several = Several::with(a, entries, Limits::default(), access).await;
    let subject = Subject { user: "alice".into(), uid: "".into(), groups: [].into(), extra: BTreeMap::new() };
    let login = Login {
        identity: Identity::new("alice").expect("a name"),
        expires_ms: None,
        session: None,
        rights: access::Rights::OfViewer(Arc::new(subject)),
        mode: LoginMode::Proxy,
        provider: None,
    };
    let (mut client, welcome) = several.welcomed(Caller::Known(Box::new(login))).await;
    assert_eq!(names(&welcome), ["a", "b", "c", "dead"]);
    let problem = welcome.clusters[3].problem.as_deref().expect("it doesn't answer");
    assert_eq!(problem.problem.reason, Reason::ConnectionRefused);
    assert!(!problem.problem.message.contains(&port.to_string()), "{}", problem.problem);
    let before = asked_for(&several.gateway.playground, "/configmaps");
    subscribe(&client, 1, Some("a"));
    subscribe(&client, 2, Some("b"));
    subscribe(&client, 3, Some("dead"));
    subscribe(&client, 4, Some("c"));
    let (mut states, mut has_rows) = (BTreeMap::new(), false);
    let mut of_c = None;
    let is_refused = |state: &ViewState| matches!(state, ViewState::Forbidden { .. });
    // Her rows of b come, and of c it is known that she may not even ask what it serves.
    while !(has_rows && states.len() == 4 && of_c.is_some()) {
        match client.next().await {
            ServerFrame::Subscribed(said) => {
                if said.id == 4 && is_refused(&said.state.state) {
                    of_c = said.state.problem.clone();
                }
                states.insert(said.id, (is_refused(&said.state.state), said.state.problem));
            }
            ServerFrame::State(said) if is_refused(&said.report.state) => of_c = said.report.problem,
            ServerFrame::Rows(said) => has_rows |= !said.put.is_empty(),
            ServerFrame::Kinds(said) if said.cluster.as_str() == "c" => {
                assert!(said.kinds.is_empty(), "what c serves isn't hers to know");
            }
            ServerFrame::Welcome(welcome) => {
                let c = &welcome.clusters[2];
                assert!(c.id.is_empty() && c.version.is_empty() && c.context.is_none(), "{c:?}");
            }
            _ => {}
        }
    }
    assert!(states[&1].0, "alice may nothing in a: {states:?}");
    assert!(!states[&2].0 && !states[&3].0, "{states:?}");
    let of_c = of_c.map(|problem| problem.message).unwrap_or_default();
    assert!(of_c.contains("you may not ask what the cluster c serves"), "{of_c}");
    assert_eq!(asked_for(&c, "/configmaps"), 0);
    let why = states[&3].1.as_ref().map(|problem| problem.message.clone()).unwrap_or_default();
    assert!(why.contains("its log says more") && !why.contains(&port.to_string()), "{why}");
    assert_eq!(asked_for(&several.gateway.playground, "/configmaps"), before, "nothing was asked of a");
    several.gateway.context.registry.shutdown().await;
}

/// What the subscription is answered with next: whether it has rows, or why it has none.
async fn answer_of(client: &mut Client, id: u32) -> Result<(), Problem> {
    timeout(Duration::from_secs(20), answer_in_time(client, id)).await.expect("an answer")
}

async fn answer_in_time(client: &mut Client, id: u32) -> Result<(), Problem> {
    let mut view = None;
    loop {
        match client.next().await {
            ServerFrame::Subscribed(said) if said.id == id => {
                if matches!(said.state.state, ViewState::Forbidden { .. }) {
                    return Err(said.state.problem.expect("why"));
                }
                view = Some(said.view);
            }
            ServerFrame::State(said) if Some(said.view) == view => {
                if matches!(said.report.state, ViewState::Forbidden { .. }) {
                    return Err(said.report.problem.expect("why"));
                }
            }
            ServerFrame::Rows(said) if Some(said.view) == view && !said.put.is_empty() => return Ok(()),
            _ => {}
        }
    }
}

async fn rights_of(client: &mut Client, id: u32) -> Rights {
    loop {
        match client.next().await {
            ServerFrame::Rights(said) if said.id == id => return *said,
            _ => {}
        }
    }
}

/// R-AUTHZ-1
#[tokio::test]
async fn r_authz_1_a_login_renewed_with_other_groups_is_asked_again_what_it_may_hear_of_a_cluster() {
    let (in_ops, in_none) = ("token-of-alice-in-ops", "token-of-alice");
    let mut of_home = users();
    of_home.extend([User::new("alice", in_ops, &["ops"]), User::new("alice", in_none, &[])]);
    let a = Playground::start(Options { seed: 7, users: of_home, ..Options::empty() }).await.expect("a port");
    let b = Playground::start(Options { seed: 8, users: users(), ..Options::empty() }).await.expect("a port");
    mark(&b, "b");
    b.delete("clusterrolebindings.rbac.authorization.k8s.io", "", "system:discovery").expect("deleted");
    // Every user may read config maps in b, and the group `ops` alone may ask what b serves.
    let of_group = |role: &str, group: &str, rule: Value| {
        let (api, kind) = ("rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io");
        let metadata = json!({"name": role});
        for object in [
            json!({"apiVersion": api, "kind": "ClusterRole", "metadata": metadata, "rules": [rule]}),
            json!({"apiVersion": api, "kind": "ClusterRoleBinding", "metadata": metadata,
                "roleRef": {"apiGroup": kind, "kind": "ClusterRole", "name": role},
                "subjects": [{"kind": "Group", "name": group, "apiGroup": kind}]}),
        ] {
            b.create(object).expect("created");
        }
    };
    let reading = json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]});
    of_group("reader", "system:authenticated", reading);
    of_group("asker", "ops", json!({"nonResourceURLs": ["/apis"], "verbs": ["get"]}));

    let token = Some("token-of-the-gateway".to_owned());
    let source = Source::Url { url: a.url(), token, certificate: None, name: "a".into() };
    let home = Cluster::connect(source, Ceiling::default(), Metrics::new()).await.expect("it answers");
    let access = (Authenticator::bearer(home), RightsMode::Shared);
    let entries = vec![entry_of("a", &a), entry_of("b", &b)];
    let several = Several::with(a, entries, Limits::default(), access).await;
    let mut client = several.gateway.bearer(in_ops);
    client.welcome().await;
    subscribe(&client, 1, Some("b"));
    assert_eq!(answer_of(&mut client, 1).await, Ok(()));
    let log_in = |token: &str| json!({"auth": {"credential": {"bearer": token}}});
    client.say(&log_in(in_none));
    let refused = answer_of(&mut client, 1).await.expect_err("b isn't hers to know any more");
    assert!(refused.message.contains("you may not ask what the cluster b serves"), "{refused}");
    client.say(&log_in(in_ops));
    assert_eq!(answer_of(&mut client, 1).await, Ok(()));
    // What she may list is answered for the cluster that the question names, and for the home cluster without a name.
    for (id, cluster, is_granted) in [(8, Some("b"), true), (9, None, false)] {
        let resource = json!({"group": "", "version": "v1", "resource": "configmaps"});
        let mut question = json!({"id": id, "resource": resource});
        if let Some(cluster) = cluster {
            question["cluster"] = json!(cluster);
        }
        client.say(&json!({"rights": question}));
        let rights = timeout(Duration::from_secs(20), rights_of(&mut client, id)).await.expect("an answer");
        assert_eq!(rights.cluster.as_ref().map(|name| name.as_str()), cluster);
        assert_eq!(rights.problem.is_none(), is_granted, "{rights:?}");
    }
    several.gateway.context.registry.shutdown().await;
}
