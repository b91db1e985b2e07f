//! R-BROW: a browser that another site's page drives gets nothing.

use std::collections::BTreeSet;

use shared::frame::VERSION;
use tokio::net::TcpStream;

use super::running::{Read, Running, WELCOME, first, upgrade};
use crate::http::routes::ROUTES;
use crate::metrics::Rejection;

/// A browser sends its cookies with every request; in mode `local` the gateway sets none, and a planted one
/// means nothing.
const COOKIE: (&str, &str) = ("cookie", "__Host-dogwatch=planted");

#[tokio::test]
async fn r_brow_1_another_sites_socket_is_refused_before_the_upgrade() {
    let gateway = Running::start().await;
    let before = gateway.rejected(Rejection::origin);
    let refused = gateway.open(&[("origin", "https://evil.example"), COOKIE]).await;
    let (status, body) = refused.map(drop).expect_err("another site");
    assert_eq!(status, 403);
    assert!(!body.contains(WELCOME));
    assert_eq!(gateway.rejected(Rejection::origin), before + 1);
}

#[tokio::test]
async fn r_brow_2_a_browser_without_an_origin_is_refused() {
    let gateway = Running::start().await;
    let (status, body) = gateway.open(&[COOKIE]).await.map(drop).expect_err("no origin");
    assert_eq!(status, 403);
    assert!(!body.contains(WELCOME));
    assert_eq!(gateway.rejected(Rejection::origin), 1);
}

#[tokio::test]
async fn r_brow_3_a_program_without_an_origin_is_asked_for_its_proof_and_a_wrong_token_is_refused() {
    let gateway = Running::start().await;
    let mut socket = gateway.open(&[]).await.expect("opened");
    assert_eq!(first(&mut socket).await.as_deref(), Some(WELCOME), "it is its session's to ask");
    let wrong = gateway.open(&[("authorization", "Bearer wrong")]).await;
    assert_eq!(wrong.map(drop).expect_err("wrong").0, 401);
    assert_eq!(gateway.rejected(Rejection::credential), 1);
}

#[tokio::test]
async fn r_brow_4_our_own_page_opens_a_socket_and_its_neighbours_do_not() {
    let gateway = Running::start().await;
    let own = gateway.origin();
    let mut socket = gateway.open(&[("origin", &own)]).await.expect("our own page");
    assert_eq!(first(&mut socket).await.as_deref(), Some(WELCOME));
    let listed = gateway.open(&[("origin", "https://portal.example")]).await;
    assert!(listed.is_ok(), "a page on the list");
    let another_port = format!("http://127.0.0.1:{}", gateway.address.port() ^ 1);
    let evil = format!("http://{}.evil.example", gateway.host());
    let tls = format!("https://{}", gateway.host());
    for origin in ["null", "http://127.0.0.1", &another_port, &evil, &tls, "https://sub.portal.example"] {
        let refused = gateway.open(&[("origin", origin)]).await;
        assert_eq!(refused.map(drop).expect_err(origin).0, 403, "{origin}");
    }
}

#[tokio::test]
async fn r_brow_5_a_rebound_host_is_refused_on_every_route() {
    let gateway = Running::start().await;
    let host = format!("evil.example:{}", gateway.address.port());
    for route in &ROUTES {
        let line =
            format!("{} {} HTTP/1.1", route.method, route.template.replace("{*", "x").replace('}', ""));
        let (host_line, origin) = (format!("host: {host}"), format!("origin: http://{host}"));
        let read = gateway.say(&[&line, &host_line, &origin, "cookie: a=b"], "").await;
        let is_probe = route.template.ends_with('z');
        let expected = if is_probe { 200 } else { 403 };
        assert_eq!(read.status, expected, "{line}");
    }
    for path in ["/metrics", "/nothing", "/api/nothing"] {
        let line = format!("GET {path} HTTP/1.1");
        assert_eq!(gateway.say(&[&line, &format!("host: {host}")], "").await.status, 403, "{path}");
    }
    let stream = TcpStream::connect(gateway.address).await.expect("connected");
    let origin = format!("http://{host}");
    let refused = upgrade(stream, &format!("ws://{host}/api/ws"), &[("origin", &origin), COOKIE]).await;
    assert_eq!(refused.map(drop).expect_err("rebound").0, 403);
    assert!(gateway.rejected(Rejection::host) >= 1);
}

#[tokio::test]
async fn a_path_that_is_not_served_is_a_page_for_a_browser_and_a_problem_for_a_program() {
    let gateway = Running::start().await;
    let host = format!("host: {}", gateway.host());
    for path in ["/garbage", "/foo/bar", "/v/"] {
        let line = format!("GET {path} HTTP/1.1");
        let read =
            gateway.say(&[&line, &host, "accept: text/html,application/xhtml+xml,*/*;q=0.8"], "").await;
        assert_eq!((read.status, read.body.contains("There is no such page")), (404, true), "{path}");
        for accept in ["accept: application/json", "accept: */*"] {
            let read = gateway.say(&[&line, &host, accept], "").await;
            assert_eq!((read.status, read.body.contains("\"NotFound\"")), (404, true), "{path}");
        }
    }
}

#[tokio::test]
async fn r_brow_6_a_host_that_is_odd_missing_double_or_elsewhere_is_refused() {
    let gateway = Running::start().await;
    let own = format!("host: {}", gateway.host());
    let all = format!("host: 0.0.0.0:{}", gateway.address.port());
    let absolute = "GET http://evil.example/ HTTP/1.1";
    for (lines, expected) in [
        (vec!["GET / HTTP/1.1", &all], 403),
        (vec!["GET / HTTP/1.1"], 400),
        (vec!["GET / HTTP/1.0"], 400),
        (vec!["GET / HTTP/1.1", &own, &own], 400),
        (vec!["GET / HTTP/1.1", &own, "host: evil.example"], 400),
        (vec![absolute, &own], 400),
        (vec![absolute, "host: evil.example"], 403),
        (vec!["GET / HTTP/1.1", &own], 200),
    ] {
        assert_eq!(gateway.say(&lines, "").await.status, expected, "{lines:?}");
    }
}

#[tokio::test]
async fn r_brow_7_only_a_listed_origin_is_echoed_and_never_with_credentials() {
    let gateway = Running::start().await;
    let ask = "access-control-request-method: POST";
    for origin in ["https://evil.example", "null"] {
        let origin = format!("origin: {origin}");
        let preflight = gateway.ask("OPTIONS", "/api/login", &[&origin, ask], "").await;
        assert_eq!(preflight.status, 403);
        for read in [preflight, gateway.get("/", &[&origin]).await, gateway.get("/healthz", &[&origin]).await]
        {
            assert_eq!(read.header("access-control-allow-origin"), "", "{origin}");
        }
    }
    let own = gateway.get("/assets/start-0a.js", &[]).await;
    assert!(own.header("vary").contains("Origin"), "what is kept without an origin isn't used for a portal");
    let origin = "origin: https://portal.example";
    let preflight = gateway.ask("OPTIONS", "/api/login", &[origin, ask], "").await;
    assert_eq!(preflight.status, 204);
    assert_eq!(
        preflight.header("access-control-allow-headers"),
        "authorization, content-type, last-event-id"
    );
    for read in [preflight, gateway.get("/assets/start-0a.js", &[origin]).await] {
        assert_eq!(read.header("access-control-allow-origin"), "https://portal.example");
        assert!(read.header("vary").contains("Origin"));
        assert_eq!(read.header("access-control-allow-credentials"), "");
    }
}

/// R-BROW-2: a page that asks its own gateway names no origin, nor does another site's script or picture.
#[tokio::test]
async fn r_brow_1_a_stream_is_for_the_gateways_own_pages_and_for_programs() {
    let gateway = Running::start().await;
    let status = async |headers: &[&str]| gateway.get("/api/v1/stream?resource=pods", headers).await.status;
    let cookie = "cookie: __Host-dogwatch=planted";
    // A credential of this mode is never in a header, so a request from an allowed origin is answered as
    // unauthenticated.
    let own = format!("origin: {}", gateway.origin());
    for let_in in [
        &[][..],
        &[own.as_str()],
        &["origin: https://portal.example"],
        &["sec-fetch-site: none"],
        &[cookie, "sec-fetch-site: same-origin"],
        &[cookie, "authorization: Bearer wrong"],
    ] {
        assert_eq!(status(let_in).await, 401, "{let_in:?}");
    }
    for refused in [
        &["origin: https://evil.example"][..],
        &["origin: null"],
        &[cookie],
        &[cookie, "sec-fetch-site: none"],
        &["sec-fetch-site: cross-site"],
        &["sec-fetch-site: same-site"],
        &["sec-fetch-site: same-origin", "sec-fetch-site: cross-site"],
    ] {
        assert_eq!(status(refused).await, 403, "{refused:?}");
    }
}

#[tokio::test]
async fn every_answer_tells_the_browser_to_trust_nothing() {
    let gateway = Running::start().await;
    for path in
        ["/", "/v/pods@c/*", "/log/pods@c/x", "/b", "/assets/start-0a.js", "/nothing", "/api/ws", "/healthz"]
    {
        let read = gateway.get(path, &[]).await;
        let policy = read.header("content-security-policy");
        for part in ["default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "trusted-types 'none'"] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert_eq!(read.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(read.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(read.header("cross-origin-resource-policy"), "same-origin", "{path}");
        assert_eq!(read.header("set-cookie"), "", "{path}");
        let kept =
            if path.starts_with("/assets") { "public, max-age=31536000, immutable" } else { "no-store" };
        assert_eq!(read.header("cache-control"), kept, "{path}");
    }
}

/// Every answer has the headers: of each route, error or not, and of a path without a route.
#[tokio::test]
async fn every_route_and_every_error_has_each_of_the_headers() {
    let gateway = Running::start().await;
    let mut asked: Vec<(u16, String, Read)> = Vec::new();
    for route in &ROUTES {
        let path = route.template.replace("{*path}", "start-0a.js").replace("{*view}", "pods@c/*");
        for (method, query, headers) in [
            (route.method.as_str(), "", &[][..]),
            ("DELETE", "", &[]),
            ("OPTIONS", "", &[]),
            (route.method.as_str(), "?token=a", &[]),
            (route.method.as_str(), "", &["origin: https://evil.example"]),
        ] {
            let read = gateway.ask(method, &format!("{path}{query}"), headers, "").await;
            asked.push((read.status, format!("{method} {path}{query}"), read));
        }
    }
    asked.push((404, "nothing".to_owned(), gateway.get("/nothing", &["accept: text/html"]).await));
    let statuses: BTreeSet<u16> = asked.iter().map(|(status, ..)| *status).collect();
    assert_eq!(statuses, BTreeSet::from([200, 204, 400, 401, 403, 404, 405, 415]));
    for (status, what, read) in asked {
        // The page for a frame alone, and only where it is itself the answer: the next test says what it has.
        if (status, what.as_str()) == (200, "GET /embed") {
            continue;
        }
        for (name, value) in
            [("content-security-policy", CONTENT_SECURITY_POLICY), ("x-frame-options", "DENY")]
                .into_iter()
                .chain(REST)
        {
            assert_eq!(read.header(name), value, "{what}");
        }
        assert_ne!(read.header("cache-control"), "", "{what}");
        assert_eq!((read.header("set-cookie"), read.header("server")), ("", ""), "{what}");
    }
}

/// What else every answer has.
const REST: [(&str, &str); 5] = [
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
];

#[tokio::test]
async fn r_brow_8_the_page_for_a_frame_names_the_listed_sites_and_is_else_as_strict_as_any() {
    for (gateway, base) in [(Running::start().await, ""), (Running::below("/dogwatch").await, "/dogwatch")] {
        let read = gateway.get(&format!("{base}/embed?resource=pods"), &[]).await;
        let policy = CONTENT_SECURITY_POLICY
            .replace("frame-ancestors 'none'", "frame-ancestors https://portal.example");
        assert_eq!((read.status, read.header("content-security-policy")), (200, policy.as_str()), "{base}");
        assert_eq!(read.header("x-frame-options"), "", "it would contradict");
        for (name, value) in REST {
            let value = if name == "cross-origin-resource-policy" { "cross-origin" } else { value };
            assert_eq!(read.header(name), value, "{base}");
        }
        assert_eq!(read.header("cache-control"), "no-store", "the next one may have other sites");
    }
}

/// As the page's CSP was tried with Trusted Types: anything more is a hole, anything less breaks the page.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

#[tokio::test]
async fn any_version_of_the_protocol_is_taken_and_ours_before_others() {
    let gateway = Running::start().await;
    let origin = gateway.origin();
    let both = format!("dogwatch.v9, {VERSION}");
    for (asked, chosen) in [(VERSION, VERSION), (both.as_str(), VERSION), ("dogwatch.v9", "dogwatch.v9")] {
        let stream = TcpStream::connect(gateway.address).await.expect("connected");
        let headers = [("origin", origin.as_str()), ("sec-websocket-protocol", asked)];
        let url = format!("ws://{}/api/ws", gateway.address);
        let (_socket, response) = upgrade(stream, &url, &headers).await.expect("opened");
        let answered = response.headers().get("sec-websocket-protocol").expect("chosen");
        assert_eq!(answered.to_str().expect("text"), chosen, "{asked}");
    }
}
