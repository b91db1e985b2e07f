//! R-AUTHN-4 and R-AUTHN-5: whatever a provider or a browser does, a login that isn't exactly right makes no session.

use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::*;
use crate::access::jwt::Refusal;
use crate::access::jwt::testing::{Issuer, unsigned};
use crate::limits::LOGIN_BEGUN_S;
use crate::test_log;

#[tokio::test]
async fn a_login_asks_with_pkce_and_a_nonce_and_leads_to_where_it_began() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let browser = begun(&gateway, "/v/pods@prod/*?f=a%20b").await;
    let query = browser.to.split_once('?').expect("a query").1;
    let asked = |name: &str| form::value(query, name).expect("one").unwrap_or_default();
    assert!(browser.to.starts_with(&format!("{}/auth?", provider.issuer)));
    assert_eq!(asked("redirect_uri"), format!("{PUBLIC}/login/callback"));
    assert_eq!((asked("response_type").as_str(), asked("code_challenge_method").as_str()), ("code", "S256"));
    assert_eq!(asked("scope"), "openid email offline_access");

    provider.gives(provider.token(&browser.nonce, json!({})), None);
    let redirect = browser.comes_back(&gateway).await.expect("signed in");
    assert_eq!(redirect.to, "/v/pods@prod/*?f=a%20b");
    let body = provider.last_body();
    let verifier = form::value(&body, "code_verifier").expect("one").expect("there");
    assert_eq!(URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier)), asked("code_challenge"));
    assert!(verifier.len() >= 43, "as RFC 7636 asks");
    let cookies = kept(&redirect.cookies);
    let login = gateway.login(&cookies, wall_ms()).expect("a session");
    let Rights::OfViewer(subject) = login.rights else { panic!("the viewer's own") };
    assert_eq!((login.identity.name(), &*subject.user), ("alice@example.org", "alice@example.org"));
    assert_eq!(subject.groups.iter().map(|group| &**group).collect::<Vec<_>>(), ["dev"]);
    let hours = (login.expires_ms.expect("it ends") - wall_ms()) / 3_600_000;
    assert_eq!(hours, 11, "12 hours, and not the 5 minutes of the token");
    let end = login.expires_ms.expect("it ends");
    assert_eq!(user(&gateway, &cookies, end), None);
    assert_eq!(user(&gateway, &cookies, end - 1).as_deref(), Some("alice@example.org"));
    for cookie in &redirect.cookies {
        let text = cookie.to_str().expect("text");
        assert!(!text.contains("alice") && text.contains("HttpOnly; SameSite=Lax; Secure"), "{text}");
    }
}

#[tokio::test]
async fn r_authn_4_a_token_that_is_not_exactly_right_makes_no_session() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let now_s = wall_ms() / 1_000;
    let off = |failure: &Failure| matches!(failure, Failure::Clock(_));
    for change in [
        json!({ "iss": "https://id.example" }),
        json!({ "aud": "another" }),
        json!({ "aud": ["dogwatch", "another"] }),
        json!({ "azp": "another" }),
        json!({ "nonce": "another" }),
        json!({ "nonce": null }),
        json!({ "exp": now_s - 3_600, "iat": now_s - 7_200 }),
        json!({ "exp": null }),
        json!({ "iat": null }),
        json!({ "sub": "" }),
        json!({ "email": null }),
        json!({ "email": "" }),
        json!({ "email": "system:admin" }),
        json!({ "groups": 7 }),
        json!({ "groups": ["dev", 7] }),
        json!({ "groups": ["dev", "system:masters"] }),
    ] {
        let browser = begun(&gateway, "/").await;
        provider.gives(provider.token(&browser.nonce, change.clone()), Some("r1"));
        let failure = browser.comes_back(&gateway).await.map(|_| ()).expect_err(&change.to_string());
        assert!(failure.to_string().ends_with('.') && !failure.is_passing(), "{failure}");
    }
    // A clock that is ten minutes off, this one's or the provider's.
    for (issued_s, ends_s) in
        [(now_s - 600, now_s - 300), (now_s - 600, now_s + 3_000), (now_s + 600, now_s + 900)]
    {
        let browser = begun(&gateway, "/").await;
        provider.gives(provider.token(&browser.nonce, json!({ "iat": issued_s, "exp": ends_s })), None);
        let failure = browser.comes_back(&gateway).await.map(|_| ()).expect_err("a clock is wrong");
        assert!(off(&failure) && failure.to_string().contains("clock"), "{failure}");
    }
}

#[tokio::test]
async fn r_authn_4_a_token_that_another_signed_or_nobody_makes_no_session() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let other = Issuer::new();
    for what in ["none", "another's key", "no token"] {
        let browser = begun(&gateway, "/").await;
        let claims = provider.claims(&browser.nonce, json!({}));
        let (token, expected) = match what {
            "none" => (
                format!("{}.", unsigned(&json!({ "alg": "none" }), &claims)),
                Failure::Token(Refusal::Malformed),
            ),
            "another's key" => {
                let token = other.token(&json!({ "alg": "ES256", "kid": "one" }), &claims);
                (token, Failure::Token(Refusal::Signature))
            }
            _ => (String::new(), Failure::Token(Refusal::Malformed)),
        };
        provider.gives(token, None);
        assert_eq!(browser.comes_back(&gateway).await.map(|_| ()), Err(expected), "{what}");
    }
}

#[tokio::test]
async fn r_authn_4_a_login_is_of_the_browser_that_began_it_and_its_code_works_once() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let (browser, other) = (begun(&gateway, "/").await, begun(&gateway, "/").await);
    provider.gives(provider.token(&browser.nonce, json!({})), None);
    let state = &browser.state;
    for query in [
        String::new(),
        "code=c1".to_owned(),
        format!("code=c1&state={}", other.state),
        format!("code=c1&state={state}x"),
        format!("code=c1&state={}", state.to_ascii_uppercase()),
        format!("code=c1&state={state}&state={state}"),
        format!("code=c1&code=c2&state={state}"),
        format!("state={state}"),
        format!("code=&state={state}"),
        format!("error=access_denied&state={state}"),
        format!("code=c1&state={state}&iss=https%3A%2F%2Fevil.example"),
    ] {
        assert!(browser.comes_back_with(&gateway, &query).await.is_err(), "{query}");
    }
    let nobody = gateway
        .finish(&format!("code=c1&state={state}"), (&HeaderMap::new(), &client("10.0.0.1")), wall_ms())
        .await;
    assert_eq!(nobody.map(|_| ()), Err(Failure::UnknownLogin));
    let late_ms = wall_ms() + LOGIN_BEGUN_S * 1_000;
    let late = gateway
        .finish(&format!("code=c1&state={state}"), (&browser.cookies, &client("10.0.0.1")), late_ms)
        .await;
    assert_eq!(late.map(|_| ()), Err(Failure::UnknownLogin));
    assert_eq!(provider.asked(), 0, "no code was used up");

    let first = browser.comes_back(&gateway).await.expect("signed in");
    let ended = first.cookies.iter().filter_map(|set| set.to_str().ok());
    assert_eq!(ended.filter(|set| set.contains("-login-") && set.contains("Max-Age=0;")).count(), 1);
    let again = browser.comes_back(&gateway).await.map(|_| ());
    assert_eq!(again, Err(Failure::UnknownLogin), "a browser that kept the cookie");
    assert_eq!(provider.asked(), 1);
}

#[tokio::test]
async fn r_authn_4_invented_codes_of_one_login_are_one_question_to_the_provider() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let browser = begun(&gateway, "/").await;
    provider.answers(vec![(400, json!({ "error": "invalid_grant" }))]);
    let queries: Vec<_> = (0..20).map(|n| format!("code=c{n}&state={}", browser.state)).collect();
    let tries = queries.iter().map(|query| browser.comes_back_with(&gateway, query));
    let failures = futures_util::future::join_all(tries).await.into_iter().map(|failed| failed.map(|_| ()));
    let unknown = failures.filter(|failed| *failed == Err(Failure::UnknownLogin)).count();
    assert_eq!((unknown, provider.asked()), (19, 1));
}

#[tokio::test]
async fn a_key_that_is_new_at_the_provider_is_fetched() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    signed_in(&gateway, &provider, json!({})).await;
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(crate::limits::JWT_KEYS_AGAIN_S)).await;
    tokio::time::resume();
    let next = Issuer::new();
    provider.publishes(json!({ "keys": [next.jwk("two")] }));
    let browser = begun(&gateway, "/").await;
    let claims = provider.claims(&browser.nonce, json!({}));
    provider.gives(next.token(&json!({ "alg": "ES256", "kid": "two" }), &claims), None);
    assert!(browser.comes_back(&gateway).await.is_ok());
}

#[tokio::test]
async fn a_provider_that_is_away_is_said_to_be() {
    let mut provider = Hostile::start().await;
    let (first, second) = (gateway(&provider), gateway(&provider));
    let browser = begun(&first, "/").await;
    provider.answers(vec![(503, json!({}))]);
    let failure = browser.comes_back(&first).await.map(|_| ()).expect_err("away");
    assert!(failure.is_passing() && failure.to_string().contains("503"), "{failure}");
    provider.stop().await;
    let failure = second.begin("/", &HeaderMap::new(), wall_ms()).await.map(|_| ()).expect_err("away");
    assert!(failure.is_passing() && failure.to_string().contains("can't be reached"), "{failure}");
}

#[tokio::test]
async fn a_provider_that_is_away_is_looked_for_once_in_a_while_whoever_comes() {
    let provider = Hostile::start().await;
    provider.goes_away();
    let gateway = gateway(&provider);
    let nobody = HeaderMap::new();
    let tries = (0..20).map(|_| gateway.begin("/", &nobody, wall_ms()));
    for failed in futures_util::future::join_all(tries).await {
        assert!(failed.map(|_| ()).expect_err("away").is_passing());
    }
    assert_eq!(provider.found(), 1);
}

#[tokio::test]
async fn so_many_groups_that_a_cookie_is_split_are_read_again_and_more_are_refused() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let groups = |count: usize| (0..count).map(|n| format!("a-team-of-example-{n:04}")).collect::<Vec<_>>();
    let cookies = signed_in(&gateway, &provider, json!({ "groups": groups(300) })).await;
    let Rights::OfViewer(subject) = gateway.login(&cookies, wall_ms()).expect("a session").rights else {
        panic!("the viewer's own")
    };
    assert_eq!(subject.groups.len(), 300);
    let browser = begun(&gateway, "/").await;
    provider.gives(provider.token(&browser.nonce, json!({ "groups": groups(1_000) })), None);
    assert_eq!(browser.comes_back(&gateway).await.map(|_| ()), Err(Failure::TooLarge));
}

#[tokio::test]
async fn r_data_4_the_log_names_a_session_by_a_hash() {
    test_log::listen();
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let cookies = signed_in(&gateway, &provider, json!({ "sid": "canary-4711" })).await;
    let login = gateway.login(&cookies, wall_ms()).expect("a session");
    let Some(LoginSession::Cookie(key)) = login.session else { panic!("a cookie's") };
    gateway.sign_out(&cookies, wall_ms()).await.expect("signed out");
    let event = json!({ "http://schemas.openid.net/event/backchannel-logout": {} });
    let logout = json!({ "nonce": null, "jti": "1", "events": event, "sid": "canary-4711" });
    let logout = format!("logout_token={}", provider.token("", logout));
    assert_eq!(gateway.told_of_logout(&logout, wall_ms()).await, Ok(()));
    let named = test_log::lines_with(&key.log_name());
    assert_eq!(named.len(), 2, "signed in and out: {named:?}");
    assert_eq!(test_log::lines_with("the provider ended").len(), 1);
    for name in [&*key.id, "canary-4711"] {
        assert_eq!(test_log::lines_with(name), Vec::<String>::new());
    }
}

/// How the provider answered, as soon as it was asked.
async fn looked_at(gateway: &Oidc) -> Result<(), String> {
    let said = async {
        loop {
            match gateway.provider_answers().look() {
                Err(why) if why.contains("hasn't answered yet") => tokio::task::yield_now().await,
                said => return said,
            }
        }
    };
    tokio::select! {
        () = gateway.keep_looking(CancellationToken::new()) => panic!("it goes on"),
        said = said => said,
    }
}

#[tokio::test]
async fn a_provider_is_asked_at_the_start_and_what_is_wrong_with_the_settings_is_said() {
    let provider = Hostile::start().await;
    let of_issuer = |issuer: String| {
        Oidc::new(OidcSettings { issuer, ..settings() }, PUBLIC.to_owned()).expect("settings")
    };
    let right = of_issuer(provider.issuer.clone());
    assert_eq!(looked_at(&right).await, Ok(()));
    right.begin("/", &HeaderMap::new(), wall_ms()).await.expect("begun");
    assert_eq!(provider.found(), 1, "the description is kept");
    provider.answers(vec![(404, json!({}))]);
    let closed = TcpListener::bind("127.0.0.1:0").await.expect("a free port").local_addr().expect("bound");
    for (issuer, says) in [
        (format!("{}/", provider.issuer), "Give --oidc-issuer as the provider writes"),
        (format!("{}/realms/other", provider.issuer), "Check the host, port and path of --oidc-issuer"),
        (format!("http://{closed}"), "Check the host, port and path of --oidc-issuer"),
    ] {
        let gateway = of_issuer(issuer.clone());
        let why = looked_at(&gateway).await.expect_err(&issuer);
        assert!(why.starts_with("nobody can sign in.") && why.contains(says), "{issuer}: {why}");
        assert!(!gateway.provider_answers().has_answered(), "{issuer}");
    }
}
