//! R-AUTHN-17: a program is let in by a click in the browser of its person, and what it is given counts for clients of the
//! Kubernetes API alone.

use serde_json::{Value, json};

use super::running::{Read, Running};
use crate::access::oidc::ask::ClientTokens;
use crate::access::oidc::tests::hostile::Hostile;
use crate::access::oidc::{ClientRequest, challenge_of, fresh_verifier};

struct ClientRig {
    gateway: Running,
    provider: Hostile,
}

const JSON: &str = "content-type: application/json";
const FORM: &str = "content-type: application/x-www-form-urlencoded";

/// The value of a parameter in this text, up to the next mark.
fn after<'t>(text: &'t str, mark: &str) -> &'t str {
    let (_, rest) = text.split_once(mark).unwrap_or_else(|| panic!("no {mark} in {text}"));
    rest.split(['&', '"', ';']).next().unwrap_or_default()
}

/// The `Cookie` header of a browser that was told this.
fn kept(read: &Read) -> String {
    let set = read.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    let set = set.filter(|set| !set.contains("Max-Age=0;")).filter_map(|set| set.split(';').next());
    format!("cookie: {}", set.collect::<Vec<_>>().join("; "))
}

impl ClientRig {
    async fn start() -> Self {
        let provider = Hostile::start().await;
        Self { gateway: Running::with_provider(&provider).await, provider }
    }

    /// The cookie of a browser in which Alice is signed in.
    async fn signed_in(&self) -> String {
        let begun = self.gateway.get("/login?to=/", &[]).await;
        let (to, cookie) = (begun.header("location").to_owned(), kept(&begun));
        let token = self.provider.token(after(&to, "nonce="), json!({}));
        self.provider.gives(token, Some("r1"));
        let back = format!("/login/callback?code=c1&state={}", after(&to, "state="));
        let read = self.gateway.get(&back, &[&cookie]).await;
        assert_eq!(read.status, 303, "{}", read.body);
        kept(&read)
    }

    fn origin(&self) -> String {
        format!("origin: {}", self.gateway.origin())
    }

    /// The code that the browser brings the program, after the click.
    async fn code(&self, cookie: &str, request: &ClientRequest) -> String {
        let asked = self.gateway.get(&request.path(), &[cookie]).await;
        let ticket = format!("ticket={}", after(&asked.body, "name=\"ticket\" value=\""));
        let origin = self.origin();
        let clicked = self.gateway.ask("POST", "/login/client", &[cookie, &origin, FORM], &ticket).await;
        assert_eq!(clicked.status, 200, "{}", clicked.body);
        let to = clicked.header("refresh");
        assert!(to.starts_with(&format!("0;url={}/auth?", self.provider.issuer)), "{to}");
        let token = self.provider.token(after(to, "nonce="), json!({}));
        self.provider.gives(token, Some("p1"));
        let back = format!("/login/callback?code=c2&state={}", after(to, "state="));
        let back = self.gateway.get(&back, &[&kept(&clicked)]).await;
        assert_eq!(back.status, 200, "{}", back.body);
        assert!(back.header("refresh").starts_with("0;url=http://127.0.0.1:49152/?code="));
        assert!(!back.headers.contains_key("location"));
        after(back.header("refresh"), "code=").to_owned()
    }

    async fn ask(&self, ask: &Value, headers: &[&str]) -> Read {
        self.gateway.ask("POST", "/api/client-token", headers, &ask.to_string()).await
    }

    async fn tokens(&self, cookie: &str) -> ClientTokens {
        let (verifier, request) = program();
        let code = self.code(cookie, &request).await;
        let read = self.ask(&json!({ "ask": "code", "code": code, "verifier": verifier }), &[JSON]).await;
        assert_eq!(read.status, 200, "{}", read.body);
        serde_json::from_str(&read.body).expect("tokens")
    }
}

fn program() -> (String, ClientRequest) {
    let verifier = fresh_verifier().expect("randomness");
    let request = ClientRequest { port: 49_152, challenge: challenge_of(&verifier).into() };
    (verifier, request)
}

#[tokio::test]
async fn r_authn_17_the_page_asks_who_is_signed_in_and_leads_to_the_sign_in_otherwise() {
    let rig = ClientRig::start().await;
    let cookie = rig.signed_in().await;
    let (_, request) = program();
    let path = request.path();
    let read = rig.gateway.get(&path, &[]).await;
    assert_eq!(read.status, 303);
    assert!(read.header("location").starts_with(&format!("{}/auth?", rig.provider.issuer)));
    let read = rig.gateway.get(&path, &[&cookie]).await;
    assert_eq!(read.status, 200);
    assert!(
        read.body.contains("alice@example.org") && read.body.contains(&request.shown_code()),
        "{}",
        read.body
    );
    assert!(!read.body.contains("<script") && !read.body.contains(&*request.challenge), "{}", read.body);
    let policy = read.header("content-security-policy");
    assert!(policy.contains("form-action 'self'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    // With `no-referrer` a browser would hide where the form comes from.
    assert_eq!((read.header("referrer-policy"), read.header("x-frame-options")), ("same-origin", "DENY"));
    let elsewhere = rig.gateway.get("/login?to=//evil", &[]).await;
    assert!(elsewhere.header("content-security-policy").contains("form-action 'none'"));
    for wrong in [
        "/login/client".to_owned(),
        path.replace("49152", "80"),
        path.replace("49152", "0"),
        path.replace("49152", "70000"),
        path.replace("49152", "x"),
        format!("{path}x"),
    ] {
        let read = rig.gateway.get(&wrong, &[&cookie]).await;
        assert_eq!(read.status, 400, "{wrong}");
        assert!(read.body.contains("names no program"), "{}", read.body);
    }
}

#[tokio::test]
async fn r_authn_17_only_a_click_on_that_page_lets_a_program_in() {
    let rig = ClientRig::start().await;
    let (cookie, other) = (rig.signed_in().await, rig.signed_in().await);
    let (_, request) = program();
    let asked = rig.gateway.get(&request.path(), &[&cookie]).await;
    let ticket = format!("ticket={}", after(&asked.body, "name=\"ticket\" value=\""));
    let origin = rig.origin();
    for (what, headers, body, status) in [
        ("no origin", &[cookie.as_str(), FORM][..], ticket.as_str(), 401),
        ("another site", &[&cookie, FORM, "origin: https://evil.example"], &ticket, 403),
        ("a sandboxed page", &[&cookie, FORM, "origin: null"], &ticket, 403),
        ("a listed site", &[&cookie, FORM, "origin: https://portal.example"], &ticket, 401),
        ("no session", &[FORM, &origin], &ticket, 401),
        ("another session", &[&other, FORM, &origin], &ticket, 400),
        ("no ticket", &[&cookie, FORM, &origin], "ticket=", 400),
        ("another ticket", &[&cookie, FORM, &origin], "ticket=abc", 400),
    ] {
        let read = rig.gateway.ask("POST", "/login/client", headers, body).await;
        assert_eq!((read.status, read.header("refresh")), (status, ""), "{what}");
    }
    rig.code(&cookie, &request).await;
}

#[tokio::test]
async fn r_authn_17_a_programs_token_opens_the_api_of_clusters_and_nothing_else() {
    let rig = ClientRig::start().await;
    let cookie = rig.signed_in().await;
    let tokens = rig.tokens(&cookie).await;
    let good = format!("authorization: Bearer {}", tokens.token);
    // The API of this test's gateway has no resource.
    assert_eq!(rig.gateway.get("/k8s/demo/version", &[&good]).await.status, 404);
    let at_home = "cookie: lb=1";
    assert_eq!(rig.gateway.get("/k8s/demo/version", &[&good, at_home]).await.status, 404);
    let renewal = format!("authorization: Bearer {}", tokens.renewal);
    let as_token = cookie.replace("cookie: ", "authorization: Bearer ");
    let (_, sealed) = cookie.split_once("=1.").expect("a value");
    let sealed = format!("authorization: Bearer {sealed}");
    let basic = good.replace("Bearer", "Basic");
    for wrong in [
        &[][..],
        &[renewal.as_str()],
        &[&as_token],
        &[&sealed],
        &[&basic],
        &[&good, &good],
        &["authorization: Bearer x"],
    ] {
        let read = rig.gateway.get("/k8s/demo/version", wrong).await;
        assert_eq!(read.status, 401, "{wrong:?}");
        let status: Value = serde_json::from_str(&read.body).expect("JSON");
        assert_eq!(status["kind"], "Status");
    }
    // A token that doesn't count isn't helped by a cookie that does.
    let origin = rig.origin();
    let both = [cookie.as_str(), &origin, "authorization: Bearer x"];
    assert_eq!(rig.gateway.get("/k8s/demo/version", &both).await.status, 401);
    assert_eq!(rig.gateway.get("/k8s/demo/version", &[&cookie, &origin]).await.status, 404, "a page's own");

    for (method, path) in [
        ("GET", "/api/ws"),
        ("GET", "/api/v1/stream?resource=pods"),
        ("GET", "/api/preferences"),
        ("POST", "/api/code"),
        ("POST", "/api/token"),
        ("GET", "/api/kubeconfig"),
        ("POST", "/login/renew"),
        ("POST", "/logout"),
        ("POST", "/login/client"),
    ] {
        let read = rig.gateway.ask(method, path, &[&good], "").await;
        assert_eq!(read.status, 401, "{method} {path}");
    }
    let token = good.trim_start_matches("authorization: ");
    let opened = rig.gateway.open(&[("origin", &rig.gateway.origin()), ("authorization", token)]).await;
    assert_eq!(opened.map(drop).expect_err("refused").0, 401);
    let (name, _) = cookie.split_once("=1.").expect("a name");
    let as_cookie = format!("{name}=1.{}", tokens.token);
    assert_eq!(rig.gateway.ask("POST", "/logout", &[&as_cookie, &origin], "").await.status, 401);
    for (host, origin, status) in
        [("host: rebound.example", "x: y", 403), ("", "origin: https://evil.example", 403)]
    {
        let own = format!("host: {}", rig.gateway.host());
        let host = if host.is_empty() { &own } else { host };
        let read = rig.gateway.say(&["GET /k8s/demo/version HTTP/1.1", host, origin, &good], "").await;
        assert_eq!(read.status, status, "{host} {origin}");
    }
    assert_eq!(rig.gateway.ask("POST", "/logout", &[&cookie, &rig.origin()], "").await.status, 200);
    assert_eq!(rig.gateway.get("/k8s/demo/version", &[&good]).await.status, 401, "signed out");
    let read = rig.ask(&json!({ "ask": "renewal", "renewal": tokens.renewal }), &[JSON]).await;
    assert_eq!((read.status, read.body.contains("has ended")), (401, true), "{}", read.body);
}

#[tokio::test]
async fn r_authn_17_what_is_no_programs_question_is_refused_in_one_sentence() {
    let rig = ClientRig::start().await;
    let cookie = rig.signed_in().await;
    let (verifier, request) = program();
    let code = rig.code(&cookie, &request).await;
    let asks = |code: &str, verifier: &str| json!({ "ask": "code", "code": code, "verifier": verifier });
    let good = asks(&code, &verifier);
    let other = fresh_verifier().expect("randomness");
    for (what, ask, headers, status, words) in [
        ("no JSON", &good, &["content-type: text/plain"][..], 415, "application/json"),
        ("a page", &good, &[JSON, &rig.origin()], 403, "for programs"),
        ("a listed page", &good, &[JSON, "origin: https://portal.example"], 403, "for programs"),
        ("another site", &good, &[JSON, "origin: https://evil.example"], 403, "another site"),
        ("no question", &json!({ "code": code }), &[JSON], 400, "is expected"),
        ("another verifier", &asks(&code, &other), &[JSON], 401, "another program"),
        ("no code", &asks("abc", &verifier), &[JSON], 401, "used already"),
        ("no renewal", &json!({ "ask": "renewal", "renewal": code }), &[JSON], 401, "has ended"),
    ] {
        let read = rig.ask(ask, headers).await;
        assert_eq!(read.status, status, "{what}: {}", read.body);
        let said: Value = serde_json::from_str(&read.body).expect("JSON");
        assert!(said["message"].as_str().is_some_and(|said| said.contains(words)), "{what}: {said}");
    }
    assert_eq!(rig.ask(&good, &[JSON]).await.status, 200, "and none of them used it up");
    let again = rig.ask(&good, &[JSON]).await;
    assert_eq!((again.status, again.body.contains("used already")), (401, true));
    let read = rig.ask(&json!({ "ask": "end", "renewal": "x" }), &[JSON]).await;
    assert_eq!(read.status, 200, "a session that is none has no end, and strangers aren't told which are");
}

#[tokio::test]
async fn a_gateway_says_in_every_mode_how_people_get_in() {
    let rig = ClientRig::start().await;
    let read = rig.gateway.get("/api/client-token", &[]).await;
    assert_eq!((read.status, read.body.as_str()), (200, r#"{"auth":"oidc"}"#));
    let local = Running::start().await;
    let read = local.get("/api/client-token", &[]).await;
    assert_eq!((read.status, read.body.as_str()), (200, r#"{"auth":"local"}"#));
    let read = local.ask("POST", "/api/client-token", &[JSON], "{}").await;
    assert_eq!(read.status, 404, "and a mode without sign-in gives no token");
    assert_eq!(local.get(&program().1.path(), &[]).await.status, 404);
}
