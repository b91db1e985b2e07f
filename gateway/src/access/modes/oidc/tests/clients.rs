//! R-AUTHN-17: a program gets in by the browser of its person, by their click alone, and its session ends with theirs.

use serde_json::json;

use super::super::ask::ClientTokens;
use super::super::revoked::Target;
use super::*;
use crate::access::Login;
use crate::limits::{API_TOKEN_LIFETIME_S, CLIENT_CODE_S, CLIENT_QUESTION_S};

const LIFETIME_MS: UnixMillis = API_TOKEN_LIFETIME_S.cast_signed() * 1_000;

/// A program that waits for a code.
struct Program {
    verifier: String,
    request: ClientRequest,
}

impl Program {
    fn new() -> Self {
        let verifier = fresh_verifier().expect("randomness");
        let request = ClientRequest { port: 49_152, challenge: challenge_of(&verifier).into() };
        Self { verifier, request }
    }

    /// The person of this browser says yes: the code, and what the provider has to say back.
    async fn let_in(&self, gateway: &Oidc, cookies: &HeaderMap, now_ms: UnixMillis) -> (String, String) {
        let asked =
            gateway.clients().ask_person(&self.request, cookies, now_ms).expect("asked").expect("signed in");
        let redirect = gateway.clients().let_in(&asked.ticket, cookies, now_ms).await.expect("let in");
        let (_, query) = redirect.to.split_once('?').expect("a query");
        let one = |name: &str| form::value(query, name).expect("one").expect("there");
        let query = format!("code=c2&state={}", one("state"));
        let browser = kept(&redirect.cookies);
        let client = client("10.0.0.1");
        match gateway.finish(&query, (&browser, &client), now_ms).await.expect("it came back") {
            Finished::Client(back) => {
                let (at, query) = back.to.split_once('?').expect("a query");
                assert_eq!(at, "http://127.0.0.1:49152/");
                assert!(
                    back.cookies.iter().all(|cookie| cookie.to_str().is_ok_and(|c| c.contains("Max-Age=0")))
                );
                let Some(Brought::Code(code)) = self.request.brought(query) else { panic!("a code") };
                (code, one("nonce"))
            }
            Finished::Page(_) | Finished::Refused(..) => panic!("a program's"),
        }
    }

    async fn redeem(&self, gateway: &Oidc, code: &str, now_ms: UnixMillis) -> Result<ClientTokens, Failure> {
        let client = client("10.0.0.1");
        gateway.clients().redeem((code, &self.verifier), &client, now_ms).await.map(|given| given.tokens)
    }
}

/// A program that was let in, and the browser that did.
async fn program(gateway: &Oidc, provider: &Hostile) -> (ClientTokens, HeaderMap) {
    let cookies = signed_in(gateway, provider, json!({})).await;
    let program = Program::new();
    let (code, nonce) = program.let_in(gateway, &cookies, wall_ms()).await;
    provider.gives(provider.token(&nonce, json!({})), Some("p1"));
    (program.redeem(gateway, &code, wall_ms()).await.expect("a token"), cookies)
}

fn user_of(gateway: &Oidc, token: &str, now_ms: UnixMillis) -> Option<String> {
    gateway.clients().of_token(token, now_ms).map(|login| login.identity.name().to_owned())
}

fn key_of(login: Login) -> Box<str> {
    let Some(LoginSession::Cookie(key)) = login.session else { panic!("a session") };
    key.id.clone()
}

fn has_ended<T>(renewed: Result<T, NotRenewed>) -> bool {
    matches!(renewed, Err(NotRenewed::NoSession))
}

#[tokio::test]
async fn r_authn_17_a_program_has_a_login_of_its_persons_and_a_refresh_token_of_its_own() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let cookies = signed_in(&gateway, &provider, json!({})).await;
    let (program, now_ms) = (Program::new(), wall_ms());
    assert!(
        gateway.clients().ask_person(&program.request, &HeaderMap::new(), now_ms).expect("asked").is_none()
    );
    let (code, nonce) = program.let_in(&gateway, &cookies, now_ms).await;
    let asked = provider.asked();
    provider.gives(provider.token(&nonce, json!({ "groups": ["ops"] })), Some("p1"));
    let tokens = program.redeem(&gateway, &code, now_ms).await.expect("a token");
    assert_eq!(provider.asked(), asked + 1);
    let body = provider.last_body();
    assert_eq!(form::value(&body, "code"), Ok(Some("c2".to_owned())));
    assert_ne!(form::value(&body, "code_verifier"), Ok(Some(program.verifier.clone())), "the gateway's own");
    let login = gateway.clients().of_token(&tokens.token, now_ms).expect("a login");
    let Rights::OfViewer(subject) = &login.rights else { panic!("the viewer's own") };
    assert!(subject.groups.contains("ops"));
    assert_eq!((login.expires_ms.expect("it ends") - now_ms) / 60_000, 4, "when the provider is to be asked");
    assert_eq!(tokens.expires_ms, login.expires_ms.expect("it ends"), "no token outlives its login");
    assert!(gateway.is_current(&login, now_ms));
    for text in [&tokens.token, &tokens.renewal, &code] {
        assert!(!text.contains("alice"), "sealed");
    }

    // The browser's and the program's refresh tokens rotate apart.
    let later_s = now_ms / 1_000 + 900;
    provider.gives(provider.token("", json!({ "nonce": null, "exp": later_s })), Some("p2"));
    let renewed =
        gateway.clients().renew(&tokens.renewal, now_ms).await.unwrap_or_else(|_| panic!("renewed"));
    assert_eq!(form::value(&provider.last_body(), "refresh_token"), Ok(Some("p1".to_owned())));
    assert_eq!(renewed.is_confirmed, Some(true));
    assert_eq!(renewed.tokens.expires_ms, now_ms + LIFETIME_MS);
    provider.gives(provider.token("", json!({ "nonce": null })), Some("r2"));
    assert!(gateway.renew(&cookies, now_ms).await.is_ok());
    assert_eq!(form::value(&provider.last_body(), "refresh_token"), Ok(Some("r1".to_owned())));
    let asked = provider.asked();
    let again = gateway.clients().renew(&renewed.tokens.renewal, now_ms + 60_000).await;
    let again = again.unwrap_or_else(|_| panic!("given"));
    assert_eq!((provider.asked(), again.is_confirmed), (asked, None), "its word lasts for another token");

    // An open watch has the login, and goes on with the renewed one.
    let Some(LoginSession::Cookie(key)) = &login.session else { panic!("a session") };
    let Some(RenewedLogin::Confirmed(newer)) = gateway.renewed(key) else { panic!("renewed") };
    assert_eq!(newer.expires_ms, Some(later_s * 1_000));
}

#[tokio::test]
async fn a_program_is_told_at_once_that_the_provider_refused_the_login() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let (program, now_ms, address) = (Program::new(), wall_ms(), client("10.0.0.1"));
    let cookies = signed_in(&gateway, &provider, json!({})).await;
    let asked = gateway.clients().ask_person(&program.request, &cookies, now_ms).expect("asked");
    let ticket = asked.expect("signed in").ticket;
    let said_yes = gateway.clients().let_in(&ticket, &cookies, now_ms).await.expect("let in");
    let signs_in = gateway.begin(&program.request.path(), &HeaderMap::new(), now_ms).await.expect("begun");
    for redirect in [said_yes, signs_in] {
        let (_, query) = redirect.to.split_once('?').expect("a query");
        let state = form::value(query, "state").expect("one").expect("there");
        let query = format!("error=access_denied&state={state}");
        let finished = gateway.finish(&query, (&kept(&redirect.cookies), &address), now_ms).await;
        let Ok(Finished::Refused(back, failure)) = finished else { panic!("a refusal for the program") };
        assert_eq!(failure, Failure::Denied("access_denied".to_owned()));
        let (at, query) = back.to.split_once('?').expect("a query");
        assert_eq!(at, "http://127.0.0.1:49152/");
        assert_eq!(program.request.brought(query), Some(Brought::Refusal("access_denied".to_owned())));
        assert_eq!(Program::new().request.brought(query), None, "another program's");
    }
}

#[tokio::test]
async fn r_authn_17_a_code_counts_once_for_a_minute_for_its_program_at_its_gateway() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let cookies = signed_in(&gateway, &provider, json!({})).await;
    let (program, now_ms) = (Program::new(), wall_ms());
    let (code, nonce) = program.let_in(&gateway, &cookies, now_ms).await;
    provider.gives(provider.token(&nonce, json!({})), Some("p1"));
    let asked = provider.asked();
    let late = program.redeem(&gateway, &code, now_ms + CLIENT_CODE_S * 1_000).await;
    assert_eq!(late, Err(Failure::UnknownCode));
    let thief = Program::new();
    assert_eq!(thief.redeem(&gateway, &code, now_ms).await, Err(Failure::OtherProgram));
    assert_eq!(program.redeem(&self::gateway(&provider), &code, now_ms).await, Err(Failure::UnknownCode));
    for no_code in ["", "x", &code[1..], cookies["cookie"].to_str().expect("text")] {
        assert_eq!(program.redeem(&gateway, no_code, now_ms).await, Err(Failure::UnknownCode), "{no_code}");
    }
    assert_eq!(provider.asked(), asked, "the provider hears of none of them");
    program.redeem(&gateway, &code, now_ms).await.expect("its own");
    assert_eq!(program.redeem(&gateway, &code, now_ms).await, Err(Failure::UnknownCode), "once");
    assert_eq!(provider.asked(), asked + 1);
}

#[tokio::test]
async fn r_authn_17_the_code_at_a_second_gateway_of_the_team_is_the_providers_to_refuse() {
    let folder = tempfile::tempdir().expect("a folder");
    let provider = Hostile::start().await;
    let team = [(); 2].map(|()| gateway_with(&provider, folder.path(), &[OLD_KEY]));
    let cookies = signed_in(&team[0], &provider, json!({})).await;
    let (program, now_ms) = (Program::new(), wall_ms());
    let (code, nonce) = program.let_in(&team[1], &cookies, now_ms).await;
    let good = json!({ "id_token": provider.token(&nonce, json!({})), "refresh_token": "p1" });
    provider.answers(vec![(200, good), (400, json!({ "error": "invalid_grant" }))]);
    let tokens = program.redeem(&team[0], &code, now_ms).await.expect("at whichever it comes to");
    let again = program.redeem(&team[1], &code, now_ms).await;
    assert_eq!(again, Err(Failure::Denied("invalid_grant".to_owned())));
    assert!(user_of(&team[1], &tokens.token, now_ms).is_some(), "a token counts at each");
    let elsewhere =
        Oidc::new(settings_with(&provider, folder.path(), &[OLD_KEY]), "https://another.example".to_owned());
    let elsewhere = elsewhere.expect("settings");
    assert_eq!(user_of(&elsewhere, &tokens.token, now_ms), None, "not at another address");
    assert!(has_ended(elsewhere.clients().renew(&tokens.renewal, now_ms).await));
}

#[tokio::test]
async fn r_authn_17_nothing_is_given_without_the_click_of_the_person_who_was_asked() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let alice = signed_in(&gateway, &provider, json!({})).await;
    let bob = signed_in(&gateway, &provider, json!({ "sub": "2", "email": "bob@example.org" })).await;
    let (program, now_ms) = (Program::new(), wall_ms());
    let asked =
        gateway.clients().ask_person(&program.request, &alice, now_ms).expect("asked").expect("signed in");
    assert_eq!((&*asked.user, asked.shown_code), ("alice@example.org", program.request.shown_code()));
    let late_ms = now_ms + CLIENT_QUESTION_S * 1_000;
    for (what, ticket, cookies, at_ms) in [
        ("another person's browser", asked.ticket.as_str(), &bob, now_ms),
        ("no session", &asked.ticket, &HeaderMap::new(), now_ms),
        ("too late", &asked.ticket, &alice, late_ms),
        ("no ticket", "", &alice, now_ms),
        ("another one", "abc", &alice, now_ms),
    ] {
        let refused = gateway.clients().let_in(ticket, cookies, at_ms).await.map(|redirect| redirect.to);
        assert_eq!(refused, Err(Failure::OldQuestion), "{what}");
    }
    // Between the click and the code another person signed in at the provider.
    let (code, nonce) = program.let_in(&gateway, &alice, now_ms).await;
    provider.gives(provider.token(&nonce, json!({ "sub": "2" })), Some("p1"));
    assert_eq!(program.redeem(&gateway, &code, now_ms).await, Err(Failure::OtherPerson));
    let program = Program::new();
    let (code, _) = program.let_in(&gateway, &alice, now_ms).await;
    gateway.sign_out(&alice, now_ms).await.expect("signed out");
    assert_eq!(program.redeem(&gateway, &code, now_ms).await, Err(Failure::EndedBefore));
}

#[tokio::test]
async fn r_authn_17_a_token_counts_ten_minutes_and_neither_it_nor_a_cookie_is_the_other() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let (tokens, cookies) = program(&gateway, &provider).await;
    let now_ms = wall_ms();
    assert!(user_of(&gateway, &tokens.token, tokens.expires_ms - 1).is_some());
    assert_eq!(user_of(&gateway, &tokens.token, tokens.expires_ms), None);
    assert_eq!(
        user_of(&gateway, &tokens.token, tokens.expires_ms - LIFETIME_MS - 1),
        None,
        "a clock set back"
    );
    let cookie = cookies["cookie"].to_str().expect("text").split_once("=1.").expect("a value").1;
    let long = "A".repeat(20_000);
    for other in ["", "x", cookie, &tokens.renewal, &tokens.token[1..], &long] {
        assert_eq!(user_of(&gateway, other, now_ms), None, "{other}");
    }
    for other in [&tokens.token, cookie, ""] {
        assert!(has_ended(gateway.clients().renew(other, now_ms).await), "{other}");
        assert!(!gateway.clients().end(other, now_ms));
    }
    for other in [&tokens.token, &tokens.renewal] {
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, format!("__Host-dogwatch=1.{other}").parse().expect("a value"));
        assert_eq!(user(&gateway, &headers, now_ms), None);
    }
}

#[tokio::test]
async fn r_authn_17_a_programs_session_ends_with_its_browsers_and_not_the_other_way_round() {
    let provider = Hostile::start().await;
    for what in ["signed out", "the provider's session", "all of the person", "its own end"] {
        let gateway = gateway(&provider);
        let (tokens, cookies) = program(&gateway, &provider).await;
        let now_ms = wall_ms();
        let login = gateway.clients().of_token(&tokens.token, now_ms).expect("a login");
        let (_, ended) = gateway.sealed_and_ended();
        match what {
            "signed out" => drop(gateway.sign_out(&cookies, now_ms).await.expect("signed out")),
            "the provider's session" => ended.end(Target::ProviderSession("p1".into()), now_ms),
            "all of the person" => ended.end(Target::Subject("1".into()), now_ms),
            _ => assert!(gateway.clients().end(&tokens.renewal, now_ms)),
        }
        assert_eq!(user_of(&gateway, &tokens.token, now_ms), None, "{what}");
        assert!(!gateway.is_current(&login, now_ms), "a watch ends too: {what}");
        assert!(has_ended(gateway.clients().renew(&tokens.renewal, now_ms).await), "{what}");
        assert_eq!(user(&gateway, &cookies, now_ms).is_some(), what == "its own end", "{what}");
    }
}

#[tokio::test]
async fn r_authn_17_a_program_goes_on_no_longer_than_its_browser_and_the_provider_say() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let (tokens, _) = program(&gateway, &provider).await;
    let mut now_ms = wall_ms();
    let first = gateway.clients().of_token(&tokens.token, now_ms).map(key_of).expect("a login");
    provider.answers(vec![(502, json!({}))]);
    let unconfirmed = gateway.clients().renew(&tokens.renewal, now_ms).await;
    let unconfirmed = unconfirmed.unwrap_or_else(|_| panic!("it goes on for a while"));
    assert_eq!(unconfirmed.is_confirmed, Some(false));
    assert_eq!(key_of(unconfirmed.login), first, "one session");
    now_ms += 2 * 60_000;
    provider.answers(vec![(400, json!({ "error": "invalid_grant" }))]);
    let ended = gateway.clients().renew(&unconfirmed.tokens.renewal, now_ms).await.map(|_| ());
    assert!(matches!(ended, Err(NotRenewed::Ended(Failure::Denied(_)))), "{ended:?}");
    assert_eq!(user_of(&gateway, &unconfirmed.tokens.token, now_ms), None, "its tokens end at once");

    // Without a refresh token it lasts as its browser's session.
    let cookies = signed_in(&gateway, &provider, json!({})).await;
    let program = Program::new();
    let begun_ms = wall_ms();
    let (code, nonce) = program.let_in(&gateway, &cookies, begun_ms).await;
    provider.gives(provider.token(&nonce, json!({})), None);
    let tokens = program.redeem(&gateway, &code, begun_ms).await.expect("a token");
    let login = gateway.clients().of_token(&tokens.token, begun_ms).expect("a login");
    let ends_ms = login.expires_ms.expect("it ends");
    assert!((begun_ms + 12 * 3_600_000 - ends_ms).abs() < 60_000, "12 hours after the browser's login");
    let last =
        gateway.clients().renew(&tokens.renewal, ends_ms - 1_000).await.unwrap_or_else(|_| panic!("given"));
    assert_eq!(last.tokens.expires_ms, ends_ms);
    assert!(has_ended(gateway.clients().renew(&last.tokens.renewal, ends_ms).await));
}
