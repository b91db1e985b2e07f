//! A credential counts at its own cluster alone.

use gateway::cluster::Ceiling;
use playground::Options;
use serde_json::json;
use shared::frame::close;
use shared::frame::server::ServerFrame;
use shared::problem::Reason;

use crate::over_channels::Gateway;
use crate::rights::{ALICE, Viewer, closed, config_maps, gateway, options, upstream_requests, user};

#[tokio::test]
async fn r_authn_13_a_token_of_one_cluster_shows_nothing_of_another() {
    let gateway = gateway().await;
    gateway.bind("team-a", "reader", &user("alice"));
    let mut alice = Viewer::of(&gateway, ALICE, config_maps(&[]));
    alice.until("team-a/of-team-a").await;
    let asked = || upstream_requests(&gateway, "/configmaps") + upstream_requests(&gateway, "accessreviews");
    let before = asked();
    let scope =
        json!({"cluster": "elsewhere", "resource": {"group": "", "version": "v1", "resource": "configmaps"}});
    let mut client = gateway.bearer(ALICE);
    client.say(&json!({"subscribe": {"id": 1, "scope": scope}}));
    let refused = client
        .until(|frame| match frame {
            ServerFrame::Problem(frame) => Some(frame.problem),
            ServerFrame::Subscribed(shown) => panic!("it is shown: {shown:?}"),
            _ => None,
        })
        .await;
    assert_eq!(refused.reason, Reason::NotFound, "{}", refused.message);
    assert_eq!(asked(), before, "refused before the cluster was asked for anything");

    let users = options().users.into_iter().take(1).collect();
    let elsewhere = Gateway::for_bearers(Ceiling::default(), Options { users, ..options() }).await;
    assert_eq!(closed(&elsewhere, ALICE).await, close::UNAUTHORIZED);
    assert_eq!(upstream_requests(&elsewhere, "/configmaps"), 0);
}
