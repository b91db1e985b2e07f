//! Pages of mode `local` that have names of their own: which are accepted, what is said at every other address, and what
//! a worker hears that another program left behind.

use std::time::SystemTime;

use super::running::{Read, Running};
use crate::access::local::sessions::SessionStore;
use crate::address::page_name::PageName;

async fn ask(gateway: &Running, host: &str, line: &str, headers: &[&str], body: &str) -> Read {
    let (line, host) = (format!("{line} HTTP/1.1"), format!("host: {host}"));
    let lines: Vec<&str> = [line.as_str(), &host].into_iter().chain(headers.iter().copied()).collect();
    gateway.say(&lines, body).await
}

/// A code and the host of the page that it opens.
fn issued(gateway: &Running) -> (String, String) {
    let issued = gateway.state.authenticator.issue_code().expect("randomness");
    let host = format!("{}:{}", issued.name.expect("a name").host(), gateway.address.port());
    (issued.code.expose().to_owned(), host)
}

async fn login(gateway: &Running, host: &str, code: &str) -> u16 {
    let origin = format!("origin: http://{host}");
    let headers = ["content-type: application/json", &origin];
    ask(gateway, host, "POST /api/login", &headers, &Running::login_body(code)).await.status
}

#[tokio::test]
async fn r_orig_2_a_name_is_accepted_while_its_code_is_unused_or_its_session_lives_and_no_other_is() {
    let gateway = Running::with_names().await;
    let (code, host) = issued(&gateway);
    let (_, other) = issued(&gateway);
    let never = format!("{}:{}", PageName::random().expect("randomness").host(), gateway.address.port());
    assert_eq!(ask(&gateway, &host, "GET /open", &[], "").await.status, 404, "the page that exchanges it");
    for path in ["/", "/v/pods", "/api/v1/openapi.json", "/assets/start-0a.js", "/api/login"] {
        let refused = ask(&gateway, &never, &format!("GET {path}"), &[], "").await;
        assert_eq!(refused.status, 403, "{path}");
        assert!(refused.body.contains("This link has ended") && refused.body.contains("dogwatch url"));
    }
    for host in ["evil.localhost:8484", "a.b.localhost", &never.replace(".localhost", ".evil.example")] {
        assert_eq!(ask(&gateway, host, "GET /", &[], "").await.status, 403, "{host}");
    }

    assert_eq!(login(&gateway, &other, &code).await, 401, "the code of another page");
    let (code, host) = issued(&gateway);
    assert_eq!(login(&gateway, &gateway.host(), &code).await, 401, "where a worker may read along");
    assert_eq!(login(&gateway, &host, &code).await, 403, "it was seen there, and its name has ended");
    let (code, host) = issued(&gateway);
    assert_eq!(login(&gateway, &host, &code).await, 200);
    assert_eq!(ask(&gateway, &host, "GET /v/pods", &[], "").await.status, 200, "its session lives");
    let forwarded = host.replace(&gateway.address.port().to_string(), "9000");
    assert_eq!(ask(&gateway, &forwarded, "GET /", &[], "").await.status, 403, "its origin has a port");

    let store = SessionStore::of_folder(gateway.folder.path());
    for listed in store.list(SystemTime::now()) {
        assert!(store.revoke(&listed.id));
    }
    while ask(&gateway, &host, "GET /v/pods", &[], "").await.status != 403 {}
}

#[tokio::test]
async fn r_orig_1_the_plain_address_shows_the_command_and_leads_nowhere() {
    let gateway = Running::with_names().await;
    for host in [gateway.host(), format!("localhost:{}", gateway.address.port())] {
        for path in ["/", "/v/pods", "/open", "/open/v/pods", "/embed"] {
            let shown = ask(&gateway, &host, &format!("GET {path}"), &[], "").await;
            assert_eq!((shown.status, shown.header("location")), (200, ""), "{path}");
            assert!(shown.body.contains("dogwatch url") && !shown.body.contains("<script"), "{path}");
        }
    }
    let plain = Running::start().await;
    assert!(plain.get("/", &[]).await.body.contains("<script"), "with --plain-address");
    let issued = plain.state.authenticator.issue_code().expect("randomness");
    assert!(issued.name.is_none());
    let named = format!("{}:{}", PageName::random().expect("randomness").host(), plain.address.port());
    assert_eq!(ask(&plain, &named, "GET /", &[], "").await.status, 403, "there are no names");
}

#[tokio::test]
async fn r_orig_1_a_worker_that_looks_for_its_script_is_given_one_that_leaves_on_any_path() {
    let gateway = Running::with_names().await;
    let (_, host) = issued(&gateway);
    for host in [gateway.host(), host] {
        for path in ["/sw.js", "/", "/v/pods", "/assets/start-0a.js", "/api/v1/stream"] {
            let worker = ask(&gateway, &host, &format!("GET {path}"), &["service-worker: script"], "").await;
            assert_eq!(worker.status, 200, "{path}");
            assert!(worker.header("content-type").starts_with("text/javascript"), "{path}");
            assert!(worker.body.contains("unregister()") && worker.body.contains("navigate("), "{path}");
            assert_eq!(worker.header("cache-control"), "no-store");
        }
    }
    let evil = ask(&gateway, "evil.example", "GET /sw.js", &["service-worker: script"], "").await;
    assert_eq!(evil.status, 403, "behind the check of the host");
}

#[tokio::test]
async fn preferences_outlive_the_origin_of_a_page_and_are_read_by_the_next_one_alone() {
    let gateway = Running::with_names().await;
    let (_, host) = issued(&gateway);
    let (_, next) = issued(&gateway);
    let origin = format!("origin: http://{host}");
    assert_eq!(ask(&gateway, &host, "GET /api/preferences", &[], "").await.body, "");
    let kept = ask(&gateway, &host, "POST /api/preferences", &[&origin], "{\"theme\":\"dark\"}").await;
    assert_eq!(kept.status, 204);
    assert_eq!(ask(&gateway, &next, "GET /api/preferences", &[], "").await.body, "{\"theme\":\"dark\"}");
    for (line, origin) in [("GET", None), ("POST", None), ("POST", Some(gateway.origin()))] {
        let origin = origin.map(|origin| format!("origin: {origin}"));
        let headers: Vec<&str> = origin.iter().map(String::as_str).collect();
        let refused =
            ask(&gateway, &gateway.host(), &format!("{line} /api/preferences"), &headers, "x").await;
        assert_eq!(refused.status, 401, "{line}");
    }
    let refused = ask(&gateway, &host, "POST /api/preferences", &["origin: https://evil.example"], "x").await;
    assert_eq!(refused.status, 403);
    let refused = ask(&gateway, &host, "POST /api/preferences", &[], "x").await;
    assert_eq!(refused.status, 401, "no page of its own");
}
