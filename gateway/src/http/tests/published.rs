//! Weaknesses of other gateways and dashboards that were published, tried here. Each test is called after one: in all
//! of these a page of any site opened a WebSocket with what its reader's browser sends by itself.

use tokio::net::TcpStream;

use super::running::{Running, WELCOME, upgrade};
use crate::metrics::Rejection;

/// What a browser sends by itself to a site that asked for it once: a cookie, or HTTP's own credentials.
const COOKIE: (&str, &str) = ("cookie", "R_SESS=token-abc; __Host-dogwatch=planted");
const BASIC: (&str, &str) = ("authorization", "Basic YWRtaW46cGFzc3dvcmQ=");

impl Running {
    /// Opens a socket at this name of loopback.
    async fn opens(&self, name: &str, headers: &[(&'static str, &str)]) -> Result<(), (u16, String)> {
        let stream = TcpStream::connect(self.address).await.expect("connected");
        let url = format!("ws://{name}:{}/api/ws", self.address.port());
        upgrade(stream, &url, headers).await.map(drop)
    }

    /// At no name of loopback a socket is opened with these headers, and nothing of the cluster is said.
    async fn refuses(&self, headers: &[(&'static str, &str)]) {
        for name in ["127.0.0.1", "localhost", "[::1]"] {
            let before = self.rejected(Rejection::origin);
            let (status, body) = self.opens(name, headers).await.expect_err("another site's page");
            assert_eq!(status, 403, "{name} {headers:?}");
            assert!(!body.contains(WELCOME));
            assert_eq!(self.rejected(Rejection::origin), before + 1, "{name} {headers:?}");
        }
    }
}

/// Rancher: a cookie was enough.
#[tokio::test]
async fn cve_2019_13209_a_cookie_opens_no_socket_for_another_sites_page() {
    let gateway = Running::start().await;
    gateway.refuses(&[("origin", "https://evil.example"), COOKIE]).await;
    gateway.refuses(&[COOKIE]).await;
}

/// Lens: a program on the reader's own machine, and no credential at all.
#[tokio::test]
async fn cve_2021_44458_a_web_site_opens_no_socket_of_a_gateway_on_its_readers_machine() {
    let gateway = Running::start().await;
    let port = gateway.address.port();
    let same_port = format!("https://evil.example:{port}");
    for origin in ["https://evil.example", "http://evil.example", &same_port] {
        gateway.refuses(&[("origin", origin)]).await;
    }
    let own = format!("http://localhost:{port}");
    assert!(gateway.opens("localhost", &[("origin", &own)]).await.is_ok(), "its own page does");
}

/// Kubetail: on the desktop beside other local servers, and in a cluster behind a proxy with a password.
#[tokio::test]
async fn cve_2026_44514_neither_a_neighbour_on_loopback_nor_a_proxys_password_opens_a_socket() {
    let gateway = Running::start().await;
    let port = gateway.address.port();
    for origin in [format!("http://localhost:{}", port ^ 1), "http://localhost".to_owned()] {
        gateway.refuses(&[("origin", &origin)]).await;
    }
    gateway.refuses(&[("origin", "https://evil.example"), BASIC]).await;
}

/// An origin that only looks like one's own: a part of it, its beginning or its end.
#[tokio::test]
async fn cve_2026_44985_an_origin_that_begins_or_ends_like_ours_opens_no_socket() {
    let gateway = Running::start().await;
    let port = gateway.address.port();
    for origin in [
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://localhost.evil.example:{port}"),
        format!("http://evil-localhost:{port}"),
        format!("http://localhost:{port}@evil.example"),
        format!("http://evil.example#localhost:{port}"),
        format!("http://localhost:{port}0"),
        "https://portal.example.evil.example".to_owned(),
        "https://evilportal.example".to_owned(),
    ] {
        gateway.refuses(&[("origin", &origin), COOKIE]).await;
    }
}

/// A page without an origin of its own, such as one in a sandboxed frame or from a file.
#[tokio::test]
async fn cve_2026_34403_a_page_without_an_origin_of_its_own_opens_no_socket() {
    let gateway = Running::start().await;
    for origin in ["null", "", "file://", "data:", "*"] {
        gateway.refuses(&[("origin", origin), COOKIE]).await;
        gateway.refuses(&[("origin", origin)]).await;
    }
}
