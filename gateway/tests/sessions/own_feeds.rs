//! Feeds of each viewer's own: by their token, or impersonated by the gateway. What they see is what the API server
//! answers to them.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use gateway::access::RightsMode;
use playground::{Fault, LoggedRequest, Rule};
use serde_json::{Value, json};

use crate::over_channels::Gateway;
use crate::rights::{ALICE, BOB, Viewer, config_maps, gateway_with, upstream_requests, user};

const OWN: [RightsMode; 2] = [RightsMode::Passthrough, RightsMode::Impersonate];
const ALL_TEAMS: &str = "team-a/of-team-a team-b/of-team-b team-c/of-team-c";

impl Gateway {
    /// The requests for config maps: each is in the name of one of these viewers, and in no other's.
    fn are_in_the_name_of(&self, rights: RightsMode, names: &[&str]) {
        let requests = self.playground.requests();
        let asked: Vec<&LoggedRequest> =
            requests.iter().filter(|request| request.path_and_query.contains("/configmaps")).collect();
        assert!(!asked.is_empty());
        for request in &asked {
            let (whom, token) = match rights {
                RightsMode::Passthrough => (&request.token_of, &request.token_of),
                _ => (&request.impersonates, &request.token_of),
            };
            assert!(names.contains(&whom.as_str()), "{request:?}");
            let expected = if rights == RightsMode::Passthrough { whom } else { "dogwatch" };
            assert_eq!(token, expected, "{request:?}");
            assert_eq!(request.impersonates.is_empty(), rights == RightsMode::Passthrough, "{request:?}");
        }
        for name in names {
            let is_theirs = |request: &&LoggedRequest| {
                [&request.impersonates, &request.token_of].contains(&&(*name).to_owned())
            };
            assert!(asked.iter().any(is_theirs), "nothing was asked for {name}");
        }
    }

    fn may_see_all(&self, name: &str, subject: &Value) {
        let all = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": name}, "subjects": [subject],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}});
        self.playground.create(all).expect("created");
    }
}

#[tokio::test]
async fn r_authz_13_each_viewer_sees_their_own_and_every_request_is_in_their_name() {
    for rights in OWN {
        let gateway = gateway_with(rights).await;
        gateway.may_see_all("bob", &user("bob"));
        gateway.bind("team-a", "reader", &user("alice"));
        let dev = json!({"kind": "Group", "name": "dev", "apiGroup": "rbac.authorization.k8s.io"});
        gateway.bind("team-b", "reader", &dev);
        let mut alice = Viewer::of(&gateway, ALICE, config_maps(&[]));
        alice.until("team-a/of-team-a team-b/of-team-b").await;
        let mut bob = Viewer::of(&gateway, BOB, config_maps(&[]));
        bob.until(ALL_TEAMS).await;
        let mut one = Viewer::of(&gateway, ALICE, config_maps(&["team-b"]));
        one.until("team-b/of-team-b").await;
        let mut named = Viewer::of(&gateway, ALICE, config_maps(&["team-a", "team-b"]));
        named.until("team-a/of-team-a team-b/of-team-b").await;
        for other in ["kube-system", "team-c"] {
            assert!(!alice.heard.contains(other), "{}", alice.heard);
        }
        gateway.are_in_the_name_of(rights, &["alice", "bob"]);
    }
}

#[tokio::test]
async fn r_authz_1_nothing_is_asked_in_the_name_of_who_has_no_right() {
    for rights in OWN {
        let gateway = gateway_with(rights).await;
        let mut alice = Viewer::of(&gateway, ALICE, config_maps(&[]));
        alice
            .until("forbidden: you may not list configmaps; ask `kubectl auth can-i list configmaps -A`")
            .await;
        let mut alice = Viewer::of(&gateway, ALICE, config_maps(&["team-a"]));
        alice.until_it(|shown| shown.starts_with("forbidden: you may not list configmaps")).await;
        assert_eq!(upstream_requests(&gateway, "/configmaps"), 0);
    }
}

#[tokio::test]
async fn r_authz_4_a_right_that_ends_takes_its_rows_along_and_one_that_comes_brings_them() {
    for rights in OWN {
        let gateway = gateway_with(rights).await;
        let mut alice = Viewer::of(&gateway, ALICE, config_maps(&[]));
        alice.until_it(|shown| shown.starts_with("forbidden")).await;
        gateway.bind("team-a", "reader", &user("alice"));
        alice.until("team-a/of-team-a").await;
        gateway.bind("team-b", "reader", &user("alice"));
        gateway.bind("team-c", "reader", &user("alice"));
        alice.until(ALL_TEAMS).await;
        gateway.unbind("team-a");
        alice.until("team-b/of-team-b team-c/of-team-c").await;
        let patch = json!({"data": {"canary": "4711"}});
        gateway.playground.patch("configmaps", "team-a", "of-team-a", patch).expect("patched");
        gateway.unbind("team-b");
        alice.until("team-c/of-team-c").await;
        gateway.unbind("team-c");
        alice.until_it(|shown| shown.starts_with("forbidden: you may not list configmaps")).await;
        gateway.may_see_all("alice", &user("alice"));
        alice.until(ALL_TEAMS).await;
    }
}

#[tokio::test]
async fn equal_viewers_share_one_watch_and_others_have_their_own() {
    for rights in OWN {
        let gateway = gateway_with(rights).await;
        gateway.may_see_all("alice", &user("alice"));
        gateway.may_see_all("bob", &user("bob"));
        let mut viewers = [ALICE, ALICE, BOB].map(|token| Viewer::of(&gateway, token, config_maps(&[])));
        for viewer in &mut viewers {
            viewer.until(ALL_TEAMS).await;
        }
        let mut part = Viewer::of(&gateway, ALICE, config_maps(&["team-a"]));
        part.until("team-a/of-team-a").await;
        assert_eq!(gateway.playground.open_watches("configmaps"), 2, "{rights:?}");
    }
}

#[tokio::test]
async fn a_token_that_the_api_server_takes_no_longer_is_told_and_the_next_one_goes_on() {
    let gateway = gateway_with(RightsMode::Passthrough).await;
    gateway.may_see_all("alice", &user("alice"));
    let refused = Rule::new(Fault::Unauthorized).resource("configmaps");
    let fault = gateway.playground.fault(refused).expect("a fault");
    let mut alice = Viewer::of(&gateway, ALICE, config_maps(&[]));
    alice.until("failed: the API server doesn't accept your token any more; log in again").await;
    gateway.playground.remove_fault(fault);
    alice.socket.say(&json!({"auth": {"credential": {"bearer": ALICE}}}));
    alice.until(ALL_TEAMS).await;
}
