//! Signing in, going on and signing out, with a real identity provider.

use std::time::Duration;

use gateway::http::routes::{Access, ROUTES};
use http::Method;
use serde_json::{Value, json};
use testkit::provider::{Provider, ProviderOptions};

use testkit::gateways::{
    Gateway, OLD_KEY, PUBLIC, alice, closed_within, next_frame, options, start, start_with,
};
use testkit::metrics::{Metrics, get};
use testkit::ports::free_address;

/// What is answered there as soon as that has this text. Strangers aren't told the reasons.
fn until_ready_says(address: &str, text: &str) -> String {
    loop {
        let said = get(address, "/readyz").expect("answered");
        if said.contains(text) {
            return said;
        }
        assert!(said.contains("hasn't answered yet") || said.contains("reason withheld"), "{said}");
    }
}

const OWN: [(&str, &str); 1] = [("origin", PUBLIC)];

async fn post(browser: &mut testkit::provider::Browser, path: &str) -> (u16, Value) {
    let answer = browser.send(Method::POST, &format!("{PUBLIC}{path}"), &OWN, "").await.expect("answered");
    (answer.status, serde_json::from_str(&answer.body).unwrap_or_default())
}

#[tokio::test]
async fn a_person_signs_in_sees_who_they_are_and_signs_out() {
    let provider = Provider::start(&options()).expect("it starts");
    let gateway = start(&provider, options().client_secret);
    let nobody = gateway.browser(&provider);
    let (_, refused) = gateway.opened(&nobody).await;
    assert_eq!(refused.expect("said why")["problem"]["reason"], "Unauthorized");

    let mut browser = gateway.signed_in(&provider).await;
    let cookies = browser.cookies_of(PUBLIC);
    assert!(cookies.starts_with("__Host-dogwatch=1."), "{cookies}");
    assert!(!cookies.contains("-login-") && !cookies.contains("alice"), "{cookies}");
    let (socket, welcome) = gateway.opened(&browser).await;
    let viewer = welcome.expect("welcome")["welcome"]["viewer"].clone();
    assert_eq!((&viewer["user"], &viewer["groups"]), (&json!("alice@example.org"), &json!(["dev", "ops"])));
    assert_eq!((&viewer["mode"], &viewer["provider"]), (&json!("oidc"), &json!("localhost")));
    assert_eq!((&viewer["rights"], &viewer["signs_out"]), (&json!("viewer"), &json!(true)));

    for path in ["/logout", "/login/renew"] {
        let answer = browser.send(Method::POST, &format!("{PUBLIC}{path}"), &[], "").await.expect("answered");
        assert_eq!(answer.status, 401, "{path} without an origin");
        let evil = [("origin", "https://evil.example")];
        let answer =
            browser.send(Method::POST, &format!("{PUBLIC}{path}"), &evil, "").await.expect("answered");
        assert_eq!(answer.status, 403, "{path} of another site");
    }
    let before = browser.clone();
    let (status, out) = post(&mut browser, "/logout").await;
    let to = out["to"].as_str().expect("where to go");
    assert_eq!(status, 200);
    assert!(to.starts_with(&format!("{}/session/end?client_id=dogwatch&", provider.issuer())), "{to}");
    assert_eq!(browser.cookies_of(PUBLIC), "");
    assert_eq!(closed_within(vec![socket], Duration::from_secs(1)).await, [4401]);
    assert_eq!(gateway.user(&before).await, None, "a copy of the cookie is of no use");
    assert_eq!(post(&mut browser, "/logout").await.0, 401);
}

#[tokio::test]
async fn r_brow_1_r_brow_2_a_cookie_counts_with_an_accepted_origin_alone() {
    let provider = Provider::start(&options()).expect("it starts");
    let gateway = start(&provider, options().client_secret);
    let browser = gateway.signed_in(&provider).await;
    let cookies = browser.cookies_of(PUBLIC);
    for origin in
        ["https://evil.example", "null", "http://dogwatch.test", "https://dogwatch.test.evil.example"]
    {
        let refused = gateway.upgraded(&[("origin", origin), ("cookie", &cookies)]).await;
        assert_eq!(refused.map(drop).expect_err(origin), 403);
    }
    let refused = gateway.upgraded(&[("cookie", &cookies)]).await;
    assert_eq!(refused.map(drop).expect_err("no origin"), 403);
    assert!(gateway.user(&browser).await.is_some());
}

#[tokio::test]
async fn r_authz_12_without_a_cookie_every_route_that_needs_one_is_refused() {
    let provider = Provider::start(&options()).expect("it starts");
    let gateway = start(&provider, options().client_secret);
    let mut browser = gateway.browser(&provider);
    for route in ROUTES.iter().filter(|route| route.access == Access::Identified) {
        let url = format!("{PUBLIC}{}", route.template);
        let answer = browser.send(route.method.clone(), &url, &OWN, "").await.expect("answered");
        assert_eq!(answer.status, 401, "{url}");
    }
}

#[tokio::test]
async fn r_authn_4_a_real_code_works_once_and_in_the_browser_that_asked_for_it() {
    let provider = Provider::start(&options()).expect("it starts");
    let gateway = start(&provider, options().client_secret);
    let mut browser = gateway.browser(&provider);
    let callback = format!("{PUBLIC}/login/callback");
    let back =
        browser.open_until(&format!("{PUBLIC}/login?to=/healthz"), &callback).await.expect("it redirects");
    let mut other = gateway.browser(&provider);
    let refused = other.open(&back).await.expect("answered");
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("another browser, or too long ago") && refused.body.contains("/login"));
    let mut replayed = browser.clone();
    assert_eq!(browser.open(&back).await.expect("answered").body, "ok");
    let refused = replayed.open(&back).await.expect("answered");
    assert_eq!((refused.status, replayed.cookies_of(PUBLIC).contains("dogwatch=")), (400, false));
    assert!(refused.body.contains("another browser, or too long ago"), "{}", refused.body);
    for elsewhere in ["//evil.example", "https%3A%2F%2Fevil.example", "/%5Cevil.example"] {
        let refused = browser.open(&format!("{PUBLIC}/login?to={elsewhere}")).await.expect("answered");
        assert_eq!(refused.status, 400, "{elsewhere}");
    }
    let refused = browser.open(&format!("{PUBLIC}/v/pods?code=x")).await.expect("answered");
    assert_eq!(refused.status, 400, "a code in any other query");
}

#[tokio::test]
async fn two_tabs_renew_at_once_and_the_open_connection_goes_on_with_the_new_groups() {
    let provider = Provider::start(&options()).expect("it starts");
    let gateway = start(&provider, options().client_secret);
    let mut one = gateway.signed_in(&provider).await;
    let (mut two, mut former) = (one.clone(), one.clone());
    let (mut socket, welcome) = gateway.opened(&one).await;
    assert!(welcome.is_ok());
    let mut changed = alice();
    changed["groups"] = json!(["night"]);
    provider.set_account(&changed).await.expect("set");
    let ((first, said), (second, _)) =
        tokio::join!(post(&mut one, "/login/renew"), post(&mut two, "/login/renew"));
    assert_eq!((first, second), (200, 200), "the provider takes a token's second use for a theft");
    let expires_ms = &said["expires_ms"];
    // The last time by a tab that asks late, and whose connection waits for the word on what it asked.
    for asks_again in [true, false] {
        loop {
            let frame = next_frame(&mut socket).await.expect("it goes on");
            if frame.get("auth").is_some() {
                assert_eq!(&frame["auth"]["expires_ms"], expires_ms);
                break;
            }
        }
        if asks_again {
            let (status, again) = post(&mut former, "/login/renew").await;
            assert_eq!((status, &again["expires_ms"]), (200, expires_ms));
        }
    }
    for browser in [&one, &two] {
        let (_, welcome) = gateway.opened(browser).await;
        assert_eq!(welcome.expect("welcome")["welcome"]["viewer"]["groups"], json!(["night"]));
    }
    assert_eq!(post(&mut one, "/login/renew").await.0, 200, "the rotated token is the next one");
}

#[tokio::test]
async fn a_public_client_without_refresh_tokens_has_a_session_all_the_same() {
    let options = ProviderOptions { client_secret: None, offline: false, ..options() };
    let provider = Provider::start(&options).expect("it starts");
    let gateway = start(&provider, None);
    let mut browser = gateway.signed_in(&provider).await;
    let (_, welcome) = gateway.opened(&browser).await;
    let ends = welcome.expect("welcome")["welcome"]["viewer"]["expires_ms"].clone();
    let (status, said) = post(&mut browser, "/login/renew").await;
    assert_eq!((status, &said["expires_ms"]), (200, &ends), "it lasts to its end, and no longer");
}

#[tokio::test]
async fn r_authn_4_claims_that_name_nobody_or_kubernetes_own_make_no_session() {
    let provider = Provider::start(&options()).expect("it starts");
    let gateway = start(&provider, options().client_secret);
    for (account, sentence) in [
        (json!({ "sub": "1", "groups": ["dev"] }), "no name of yours"),
        (json!({ "sub": "1", "email": "a@b.example", "groups": 7 }), "groups can&#39;t be read"),
        (json!({ "sub": "1", "email": "a@b.example", "groups": ["system:masters"] }), "system:"),
        (json!({ "sub": "1", "email": "system:admin" }), "system:"),
    ] {
        provider.set_account(&account).await.expect("set");
        let mut browser = gateway.browser(&provider);
        let refused = browser.open(&format!("{PUBLIC}/login?to=/healthz")).await.expect("answered");
        assert!(refused.body.contains(sentence), "{account}: {}", refused.body);
        assert_eq!((refused.status, gateway.user(&browser).await), (401, None), "{account}");
    }
}

#[tokio::test]
async fn a_provider_that_is_away_or_whose_certificate_is_unknown_is_said_to_be() {
    let mut provider = Provider::start(&options()).expect("it starts");
    let stranger = Provider::start(&options()).expect("it starts");
    let gateway = start(&provider, options().client_secret);
    let folder = tempfile::tempdir().expect("a folder");
    let ca = folder.path().join("ca.pem");
    stranger.write_certificate(&ca).expect("written");
    let (watched, watched_late) = (Metrics::at_free_port().address(), Metrics::at_free_port().address());
    let of_another = ["--oidc-ca-file", ca.to_str().expect("text"), "--metrics-listen", &watched];
    let at = free_address().to_string();
    let unknown = start_with(&provider, options().client_secret, (&at, &[OLD_KEY]), &of_another, &[]);
    let opened = |gateway: &Gateway, provider: &Provider| {
        let mut browser = gateway.browser(provider);
        async move { browser.open(&format!("{PUBLIC}/login")).await.expect("answered") }
    };
    let refused = opened(&unknown, &provider).await;
    assert!(refused.status == 503 && refused.body.contains("invalid peer certificate"), "{}", refused.body);
    until_ready_says(&gateway.address, "200 OK");
    let why = until_ready_says(&watched, "invalid peer certificate");
    assert!(why.contains(" 503 ") && why.contains("Check") && why.contains("--oidc-ca-file"), "{why}");
    provider.stop().expect("it ran");
    let more = ["--metrics-listen", &*watched_late];
    let at = free_address().to_string();
    let late = start_with(&provider, options().client_secret, (&at, &[OLD_KEY]), &more, &[]);
    let refused = opened(&late, &provider).await;
    assert!(refused.status == 503 && refused.body.contains("be reached"), "{}", refused.body);
    assert!(!refused.body.contains("<script"));
    let why = until_ready_says(&watched_late, "be reached");
    assert!(why.contains(" 503 ") && why.contains("[-]identity-provider failed"), "{why}");
    let told = until_ready_says(&late.address, "[-]identity-provider failed: reason withheld");
    assert!(!told.contains("be reached"), "{told}");
    until_ready_says(&gateway.address, "200 OK");
}

#[tokio::test]
async fn r_authn_14_a_person_whom_the_provider_removed_is_out_at_the_second_renewal_and_others_go_on() {
    let provider = Provider::start(&options()).expect("it starts");
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("audit.jsonl");
    let metrics = Metrics::at_free_port();
    let counted_at = metrics.address();
    let more = ["--audit-log", log.to_str().expect("text"), "--metrics-listen", &counted_at];
    let at = free_address().to_string();
    let gateway = start_with(&provider, options().client_secret, (&at, &[OLD_KEY]), &more, &[]);
    let mut leaver = gateway.signed_in(&provider).await;
    let (mut socket, welcome) = gateway.opened(&leaver).await;
    assert!(welcome.is_ok());
    provider.set_account(&json!({ "sub": "2", "email": "bob@example.org" })).await.expect("set");
    let mut stays = gateway.signed_in(&provider).await;
    provider.remove(&["1"]).await.expect("set");

    let (status, _) = post(&mut leaver, "/login/renew").await;
    assert_eq!(status, 200, "it may be a hiccup");
    while next_frame(&mut socket).await.expect("it goes on").get("auth").is_none() {}
    // A thread writes the records, a moment later.
    let recorded = async {
        loop {
            let records = std::fs::read_to_string(&log).expect("written");
            if records.contains("\"event\":\"unconfirmed\"") {
                return records;
            }
            tokio::task::yield_now().await;
        }
    };
    let records = tokio::time::timeout(Duration::from_secs(10), recorded).await.expect("it is recorded");
    let unconfirmed = records.lines().filter(|line| line.contains("\"event\":\"unconfirmed\"")).count();
    assert_eq!(unconfirmed, 1, "{records}");
    assert!(!records.contains("confirmed on the open connection"), "{records}");

    assert_eq!(post(&mut stays, "/login/renew").await.0, 200);
    let (status, said) = post(&mut leaver, "/login/renew").await;
    assert_eq!((status, said["reason"].as_str()), (401, Some("Unauthorized")), "{said}");
    assert_eq!(closed_within(vec![socket], Duration::from_secs(1)).await, [4401]);
    assert_eq!(gateway.user(&leaver).await, None);
    assert!(gateway.user(&stays).await.is_some());
    for label in ["result=\"confirmed\"", "result=\"unconfirmed\"", "result=\"ended\""] {
        assert_eq!(metrics.sum("dogwatch_renewals_total", label).expect("scraped"), 1, "{label}");
    }
}
