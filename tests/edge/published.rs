//! Weaknesses of other gateways that were published, tried on the binary. Each test is called after one.

use std::collections::BTreeSet;

use futures_util::SinkExt;
use playground::{Options, Playground, User};
use serde_json::json;
use testkit::dogwatch::Home;
use testkit::gateways::next_frame;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::client::socket_url;

/// The headers that would reach another proxy: an identity, and the order to remove it.
const CLAIMS: [(&str, &str); 9] = [
    ("impersonate-user", "system:admin"),
    ("impersonate-group", "system:masters"),
    ("impersonate-extra-canary", "canary"),
    ("x-remote-user", "system:admin"),
    ("x-remote-group", "system:masters"),
    ("x-forwarded-user", "system:admin"),
    ("x_forwarded_user", "system:admin"),
    ("x-forwarded-for", "127.0.0.1"),
    ("connection", "Upgrade, Impersonate-User, Authorization"),
];

/// Rancher: headers of a client were passed on, or dropped where the client asked for it.
#[tokio::test(flavor = "multi_thread")]
async fn cve_2021_31999_no_header_of_a_client_says_who_it_is_and_none_is_passed_on() {
    let users = vec![
        User::new("dogwatch", "token-of-the-gateway", &["system:masters"]),
        User::new("alice", "token-of-alice", &[]),
    ];
    let playground = Playground::start(Options { users, ..Options::quiet() }).await.expect("a free port");
    let home = Home::new().expect("a folder");
    let kubeconfig = home.kubeconfig_of(&playground).expect("written");
    let kubeconfig = kubeconfig.to_str().expect("text");
    let flags = ["--auth", "bearer", "--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0"];
    let gateway = home.serve(&flags).expect("it starts");

    let mut request = socket_url(&gateway).into_client_request().expect("a request");
    for (name, value) in CLAIMS {
        request.headers_mut().insert(name, value.parse().expect("a value"));
    }
    request.headers_mut().insert("authorization", "Bearer token-of-alice".parse().expect("a value"));
    let stream = TcpStream::connect(gateway.address()).await.expect("connected");
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await.expect("opened");
    let hello = json!({ "hello": { "version": "dogwatch.v2" } });
    socket.send(Message::text(hello.to_string())).await.expect("sent");
    let scope = json!({ "resource": { "group": "", "version": "v1", "resource": "pods" } });
    let subscribe = json!({ "subscribe": { "id": 1, "scope": scope } });
    socket.send(Message::text(subscribe.to_string())).await.expect("sent");
    let mut user = None;
    let state = loop {
        let frame = next_frame(&mut socket).await.expect("it goes on");
        user = frame["welcome"]["viewer"]["user"].as_str().map(str::to_owned).or(user);
        if !frame["subscribed"].is_null() {
            break frame["subscribed"]["state"].clone();
        }
    };
    assert_eq!(user.as_deref(), Some("alice"));
    assert!(state["state"]["forbidden"]["to"] == "you", "alice has no right: {state}");

    let asked = playground.requests();
    assert!(asked.iter().any(|asked| asked.path_and_query.contains("subjectaccessreviews")));
    let sent: BTreeSet<&str> = asked.iter().flat_map(|asked| &asked.headers).map(String::as_str).collect();
    let own = ["accept", "authorization", "content-length", "content-type", "host", "user-agent"];
    let strange: Vec<_> = sent.iter().filter(|name| !own.contains(name)).collect();
    assert!(strange.is_empty(), "{strange:?}");
}
