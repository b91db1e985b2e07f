//! Tokens in the head of an upgrade, over real sockets, before a playground that knows one viewer.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use playground::{Options, Playground, User};
use testkit::dogwatch::Home;
use tokio::net::TcpStream;

use crate::proxied::upgraded;

const TOKEN: &str = "token-of-alice";

fn protocol(token: &[u8]) -> String {
    format!("base64url.bearer.authorization.k8s.io.{}", URL_SAFE_NO_PAD.encode(token))
}

#[tokio::test(flavor = "multi_thread")]
async fn r_authn_7_a_token_that_is_wrong_in_form_opens_nothing_and_a_good_one_is_echoed_nowhere() {
    let users = vec![
        User::new("dogwatch", "token-of-the-gateway", &["system:masters"]),
        User::new("alice", TOKEN, &[]),
    ];
    let playground = Playground::start(Options { users, ..Options::quiet() }).await.expect("it starts");
    let home = Home::new().expect("a folder");
    let kubeconfig = home.kubeconfig_of(&playground).expect("written");
    let kubeconfig = kubeconfig.to_string_lossy();
    let flags = ["--auth", "bearer", "--listen", "127.0.0.1:0", "--kubeconfig", &kubeconfig];
    let gateway = home.serve_with(&flags, &[("DOGWATCH_LOG", "trace")]).expect("it starts");
    let (ours, good) = ("dogwatch.v2", protocol(TOKEN.as_bytes()));
    let twenty_kib = protocol(&[b'x'; 20 * 1024]);
    let lines = [
        format!("sec-websocket-protocol: {good}, {good}, {ours}"),
        format!("sec-websocket-protocol: {good}***, {ours}"),
        format!("sec-websocket-protocol: {}, {ours}", protocol(b"\xff\xfe")),
        format!("sec-websocket-protocol: {good}"),
        format!("sec-websocket-protocol: {good}, dogwatch.v{TOKEN}"),
        format!("sec-websocket-protocol: {}, {ours}", protocol(b"token-of-nobody")),
        format!("sec-websocket-protocol: {twenty_kib}, {ours}"),
        format!("authorization: Bearer {TOKEN}\r\nsec-websocket-protocol: {good}, {ours}"),
        format!("authorization: Basic {TOKEN}\r\nsec-websocket-protocol: {ours}"),
    ];
    let upgrade = async |line: &str| {
        let stream = TcpStream::connect(gateway.address()).await.expect("connected");
        upgraded(stream, &gateway.address(), &[line]).await
    };
    for line in lines {
        let (status, answer) = upgrade(&line).await;
        let shown: String = line.chars().take(80).collect();
        assert!([400, 401, 431].contains(&status), "{status} for {shown}");
        assert!(!answer.contains(TOKEN) && !answer.contains(&good), "{shown}: {answer}");
    }
    let (status, answer) = upgrade(&format!("sec-websocket-protocol: {good}, {ours}")).await;
    assert_eq!(status, 101, "{answer}");
    assert!(answer.to_lowercase().contains(&format!("sec-websocket-protocol: {ours}")), "{answer}");
    let (status, unselected) = upgrade(&format!("sec-websocket-protocol: dogwatch.v{TOKEN}")).await;
    assert_eq!(status, 101, "{unselected}");
    let said = answer + &unselected + &gateway.stderr();
    assert!(!said.contains(TOKEN) && !said.contains(&good), "{said}");
}
