//! A gateway below a base path: everything is there, nothing is beside it but the probes, and every check holds in both
//! places.

use super::running::{Running, WELCOME, first, upgrade};
use crate::http::routes::{Access, ROUTES};
use tokio::net::{TcpStream, UnixStream};

const BASE: &str = "/dogwatch";

/// A path that each template serves.
fn example(template: &str) -> String {
    template.replace("{*path}", "start-0a.js").replace("{*view}", "pods@c/*")
}

#[tokio::test]
async fn r_authz_12_below_the_path_is_what_else_is_at_the_root_and_beside_it_nothing_but_the_probes() {
    let (below, root) = (Running::below(BASE).await, Running::start().await);
    for route in &ROUTES {
        let (path, method) = (example(route.template), route.method.as_str());
        let read = below.ask(method, &format!("{BASE}{path}"), &[], "").await;
        assert_eq!(read.status, root.ask(method, &path, &[], "").await.status, "{path}");
        assert_eq!(read.status == 401, route.access == Access::Identified, "{path}");
        let beside = below.ask(method, &path, &[], "").await;
        let is_probe = ["/healthz", "/readyz"].contains(&route.template);
        assert_eq!(beside.status, if is_probe { 200 } else { 404 }, "{path}");
        assert!(!read.body.contains(WELCOME) && !beside.body.contains(WELCOME), "{path}");
    }
    for path in ["/dogwatchers/v", "/dogwatch/nothing", "/dogwatch/dogwatch/v"] {
        let read = below.get(path, &["accept: text/html"]).await;
        assert_eq!((read.status, read.body.contains("<a href=\"/dogwatch/\">")), (404, true), "{path}");
    }
}

#[tokio::test]
async fn r_brow_5_a_rebound_host_is_refused_below_the_path_and_beside_it() {
    let gateway = Running::below(BASE).await;
    let host = format!("host: evil.example:{}", gateway.address.port());
    for route in &ROUTES {
        for base in [BASE, ""] {
            let line = format!("{} {base}{} HTTP/1.1", route.method, example(route.template));
            let expected = if route.template.ends_with('z') { 200 } else { 403 };
            assert_eq!(gateway.say(&[&line, &host], "").await.status, expected, "{line}");
        }
    }
    let secret = gateway.get("/dogwatch/v?token=a", &[]).await;
    assert_eq!(secret.status, 400, "a credential in a query is refused there, too");
}

#[tokio::test]
async fn the_pages_name_their_files_below_the_path_and_an_unknown_browser_gets_the_same() {
    let gateway = Running::below(BASE).await;
    for path in ["", "/", "/v/pods@c/*", "/b?v=pods", "/embed", "/open"] {
        let read = gateway.get(&format!("{BASE}{path}"), &["accept-encoding: br"]).await;
        assert!(read.body.contains("src=\"/dogwatch/assets/start-0a.js\""), "{path}: {}", read.body);
        assert!(read.body.contains("<meta name=\"dogwatch-base\" content=\"/dogwatch\">"), "{path}");
    }
    let tagged = gateway.get("/dogwatch/", &[]).await;
    let again = format!("if-none-match: {}", tagged.header("etag"));
    assert_eq!(gateway.get("/dogwatch/", &[&again]).await.status, 304);
    let root = Running::start().await;
    assert_ne!(root.get("/", &[]).await.header("etag"), tagged.header("etag"), "another page");
    assert!(!root.get("/", &[]).await.body.contains("dogwatch-base"));
}

#[tokio::test]
async fn a_socket_is_opened_below_the_path_and_over_the_unix_socket_at_its_root() {
    let gateway = Running::below(BASE).await;
    let stream = TcpStream::connect(gateway.address).await.expect("connected");
    let (url, origin) = (format!("ws://{}/dogwatch/api/ws", gateway.address), gateway.origin());
    let (mut socket, _) = upgrade(stream, &url, &[("origin", &origin)]).await.expect("opened");
    assert_eq!(first(&mut socket).await.as_deref(), Some(WELCOME));
    let stream = UnixStream::connect(&gateway.socket).await.expect("connected");
    assert!(upgrade(stream, "ws://localhost/api/ws", &[]).await.is_ok());
    let stream = TcpStream::connect(gateway.address).await.expect("connected");
    let beside = upgrade(stream, &format!("ws://{}/api/ws", gateway.address), &[("origin", &origin)]).await;
    assert_eq!(beside.map(drop).expect_err("beside it").0, 404);
}
