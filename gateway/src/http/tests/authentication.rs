//! R-AUTHN-1 and R-AUTHZ-12: without a credential there is a page, and nothing behind it.

use std::time::Duration;

use serde_json::Value;

use super::running::{Running, WELCOME, first, say, send};
use crate::http::routes::{Access, ROUTES};
use crate::limits::PRE_AUTH_PER_ADDRESS_MAX;
use crate::metrics::Rejection;
use crate::test_log;

#[tokio::test]
async fn r_authn_1_a_request_without_or_with_a_wrong_credential_is_refused() {
    let gateway = Running::start().await;
    assert_eq!(gateway.get("/api/ws", &[]).await.status, 401);
    assert_eq!(gateway.get("/api/ws", &["authorization: Bearer wrong"]).await.status, 401);
    let two = ["authorization: Bearer a", "authorization: Bearer b"];
    assert_eq!(gateway.get("/api/ws", &two).await.status, 401);
    let origin = gateway.origin();
    let wrong = gateway.open(&[("origin", &origin), ("authorization", "Bearer wrong")]).await;
    assert_eq!(wrong.map(drop).expect_err("wrong").0, 401);
}

#[tokio::test]
async fn r_authn_1_a_credential_in_a_query_is_refused_on_every_route() {
    let gateway = Running::start().await;
    let secret = "aCodeThatWorks";
    for route in &ROUTES {
        let path = route.template.replace("{*", "x").replace('}', "");
        for name in ["code", "secret", "token", "%63ode"] {
            let asked = format!("{path}?a=b&{name}={secret}");
            let read = gateway.ask(route.method.as_str(), &asked, &[], "").await;
            assert_eq!(read.status, 400, "{asked}");
            assert!(!read.body.contains(secret));
        }
    }
}

#[tokio::test]
async fn r_authn_1_a_login_is_json_of_our_own_page() {
    let gateway = Running::start().await;
    let code = gateway.state.authenticator.issue_code().expect("randomness").code;
    let body = Running::login_body(code.expose());
    let form = ["content-type: text/plain"];
    assert_eq!(gateway.ask("POST", "/api/login", &form, &body).await.status, 415);
    for origin in ["https://evil.example", "null"] {
        let origin = format!("origin: {origin}");
        assert_eq!(gateway.login(code.expose(), &[&origin]).await.status, 403);
    }
    let json = ["content-type: application/json"];
    let no_key = format!("{{\"code\":\"{}\",\"key\":\"AAAA\"}}", code.expose());
    assert_eq!(gateway.ask("POST", "/api/login", &json, &no_key).await.status, 400);
    assert_eq!(gateway.ask("POST", "/api/login", &json, "{\"code\":").await.status, 400);
    assert_eq!(gateway.ask("POST", "/api/login", &json, &" ".repeat(5000)).await.status, 413);
    let own = format!("origin: {}", gateway.origin());
    assert_eq!(gateway.login(code.expose(), &[&own]).await.status, 200, "and it was not used up");
}

#[tokio::test]
async fn r_authz_12_without_a_credential_there_is_the_page_and_nothing_behind_it() {
    let gateway = Running::start().await;
    for route in &ROUTES {
        let path = route.template.replace("{*path}", "start-0a.js").replace("{*view}", "pods@c/*");
        let read = gateway.ask(route.method.as_str(), &path, &[], "").await;
        match route.access {
            Access::Identified => assert_eq!(read.status, 401, "{path}"),
            Access::Open => assert!(is_harmless(&path, read.status), "{path}: {}", read.status),
        }
        assert!(!read.body.contains(WELCOME), "{path}");
    }
}

/// The page, its files, the description of the stream, the probes; and the login, which wants a code.
fn is_harmless(path: &str, status: u16) -> bool {
    let is_page = ["/", "/v", "/v/pods@c/*", "/log/pods@c/*", "/b", "/wrong", "/wrong/pods@c/*", "/embed"]
        .contains(&path);
    let is_open = path.starts_with("/open");
    let is_file = [
        "/element.js",
        "/missing.js",
        "/program.js",
        "/assets/start-0a.js",
        "/healthz",
        "/readyz",
        "/api/v1/openapi.json",
    ]
    .contains(&path);
    ((is_page || is_file) && status == 200)
        || (is_open && status == 404)
        || (path == "/favicon.ico" && status == 204)
        || (path == "/api/login" && status == 415)
        // These routes belong to another mode.
        || (["/login", "/login/callback", "/login/client", "/logout/backchannel"].contains(&path) && status == 404)
        // How people get in, and no token in this mode.
        || (path == "/api/client-token" && [200, 404].contains(&status))
}

#[tokio::test]
async fn over_the_unix_socket_alone_no_credential_is_needed_and_a_code_is_issued() {
    let gateway = Running::start().await;
    assert_eq!(gateway.ask("POST", "/api/code", &[], "").await.status, 401, "a page can't issue one");
    let mut socket = gateway.open_local().await.expect("opened");
    assert_eq!(first(&mut socket).await.as_deref(), Some(WELCOME));
    let stream = tokio::net::UnixStream::connect(&gateway.socket).await.expect("connected");
    let read = say(stream, &["POST /api/code HTTP/1.1", "host: localhost"], "").await;
    assert_eq!(read.status, 200);
    let fresh: Value = serde_json::from_str(&read.body).expect("JSON");
    let code = fresh["code"].as_str().expect("a code");
    assert_eq!(fresh["url"].as_str(), Some(gateway.state.url.as_str()));
    assert_eq!(gateway.login(code, &[]).await.status, 200);
}

/// R-AUTHN-8: whose a token is takes the API server's time.
#[tokio::test]
async fn r_authn_8_a_token_of_an_upgrade_is_looked_at_in_a_place_of_its_address_and_of_no_other_request() {
    let gateway = Running::start().await;
    let mut silent = Vec::new();
    for _ in 0..PRE_AUTH_PER_ADDRESS_MAX {
        let mut socket = gateway.open(&[]).await.expect("opened");
        assert_eq!(first(&mut socket).await.as_deref(), Some(WELCOME));
        silent.push(socket);
    }
    assert_eq!(gateway.get("/api/ws", &["authorization: Bearer wrong"]).await.status, 401);
    assert_eq!(gateway.rejected(Rejection::upgrade), 1);
    let wrong = gateway.open(&[("authorization", "Bearer wrong")]).await;
    assert_eq!(wrong.map(drop).expect_err("wrong").0, 401);
    let made_room = tokio::time::timeout(Duration::from_secs(20), first(&mut silent[0]));
    assert_eq!(made_room.await.expect("the oldest that said nothing makes room"), None);
    assert!(send(&mut silent[1], "still here".to_owned()).await);
}

#[tokio::test]
async fn a_burst_of_wrong_codes_is_one_line_of_the_log() {
    test_log::listen();
    let gateway = Running::start().await;
    for _ in 0..20 {
        assert_eq!(gateway.login("wrong", &[]).await.status, 401);
    }
    assert_eq!(test_log::lines_with("a code was refused").len(), 1);
}
