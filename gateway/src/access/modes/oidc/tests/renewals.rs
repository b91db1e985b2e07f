//! The provider is asked again: what it says, that it says nothing, and two tabs at once.

use serde_json::json;

use super::*;
use crate::limits::{RENEW_LATER_MS, RENEWED_KEPT_MS};

#[tokio::test]
async fn a_renewed_session_has_what_the_provider_says_now_and_its_open_connections_too() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let cookies = signed_in(&gateway, &provider, json!({})).await;
    let now_ms = wall_ms();
    let before = gateway.login(&cookies, now_ms).expect("a session");
    let due_ms = before.expires_ms.expect("it ends");
    assert_eq!((due_ms - now_ms) / 60_000, 4, "when the token ends");
    assert_eq!(user(&gateway, &cookies, due_ms), None, "until the provider is asked again");
    let Some(LoginSession::Cookie(key)) = before.session else { panic!("a cookie's") };
    assert!(gateway.renewed(&key).is_none());

    let later_s = now_ms / 1_000 + 900;
    let change = json!({ "groups": ["ops"], "exp": later_s, "nonce": null });
    provider.gives(provider.token("", change), Some("r2"));
    let renewed = gateway.renew(&cookies, now_ms).await.unwrap_or_else(|_| panic!("renewed"));
    assert_eq!(renewed.expires_ms, later_s * 1_000);
    assert_eq!(form::value(&provider.last_body(), "refresh_token"), Ok(Some("r1".to_owned())));
    let login = gateway.renewed(&key).expect("an open connection learns of it");
    let RenewedLogin::Confirmed(login) = login else { panic!("confirmed") };
    let Rights::OfViewer(subject) = login.rights else { panic!("the viewer's own") };
    assert!(subject.groups.contains("ops") && !subject.groups.contains("dev"));
    let Some(LoginSession::Cookie(newer)) = login.session else { panic!("a cookie's") };
    assert!(gateway.renewed(&newer).is_none(), "once");

    let cookies = kept(&renewed.cookies);
    gateway.renew(&cookies, now_ms + 1_000).await.unwrap_or_else(|_| panic!("renewed"));
    assert_eq!(
        form::value(&provider.last_body(), "refresh_token"),
        Ok(Some("r2".to_owned())),
        "the rotated one"
    );
}

#[tokio::test]
async fn two_tabs_that_renew_at_once_ask_once_and_both_go_on() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let cookies = signed_in(&gateway, &provider, json!({})).await;
    let asked = provider.asked();
    let good = json!({ "id_token": provider.token("", json!({})), "refresh_token": "r2" });
    provider.answers(vec![(200, good), (400, json!({ "error": "invalid_grant" }))]);
    let now_ms = wall_ms();
    let (one, two) = tokio::join!(gateway.renew(&cookies, now_ms), gateway.renew(&cookies, now_ms));
    for renewed in [one, two] {
        let renewed = renewed.unwrap_or_else(|_| panic!("renewed"));
        assert!(user(&gateway, &kept(&renewed.cookies), now_ms).is_some());
    }
    assert_eq!(provider.asked(), asked + 1);
    let late = gateway.renew(&cookies, wall_ms() + RENEWED_KEPT_MS + 1_000).await.map(|_| ());
    assert!(matches!(late, Err(NotRenewed::Ended(Failure::Denied(_)))), "the old cookie is of no use later");
}

#[tokio::test]
async fn a_renewal_that_is_kept_is_told_again_to_connections_that_know_it() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let former = signed_in(&gateway, &provider, json!({})).await;
    let now_ms = wall_ms();
    let renewed = gateway.renew(&former, now_ms).await.unwrap_or_else(|_| panic!("renewed"));
    let login = gateway.login(&kept(&renewed.cookies), now_ms).expect("a session");
    let Some(LoginSession::Cookie(key)) = login.session else { panic!("a cookie's") };
    assert!(gateway.renewed(&key).is_none(), "it knows");

    let asked = provider.asked();
    let again = gateway.renew(&former, now_ms + 1_000).await.unwrap_or_else(|_| panic!("kept"));
    assert_eq!((provider.asked(), again.expires_ms), (asked, renewed.expires_ms));
    let Some(RenewedLogin::Confirmed(told)) = gateway.renewed(&key) else { panic!("told once more") };
    assert_eq!(told.expires_ms, Some(renewed.expires_ms));
    for second in 2..60 {
        gateway.renew(&former, now_ms + second * 1_000).await.unwrap_or_else(|_| panic!("kept"));
    }
    assert_eq!(provider.asked(), asked);
    provider.answers(vec![(400, json!({ "error": "invalid_grant" }))]);
    let late = gateway.renew(&former, now_ms + RENEWED_KEPT_MS).await.map(|_| ());
    assert!(matches!(late, Err(NotRenewed::Ended(_))), "asking keeps nothing for longer");
}

#[tokio::test]
async fn a_session_goes_on_while_its_provider_is_away_and_ends_when_it_says_no() {
    let mut provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let cookies = signed_in(&gateway, &provider, json!({})).await;
    provider.answers(vec![(502, json!({}))]);
    let now_ms = wall_ms();
    let renewed = gateway.renew(&cookies, now_ms).await.unwrap_or_else(|_| panic!("it goes on"));
    assert_eq!(renewed.expires_ms, now_ms + RENEW_LATER_MS);
    let cookies = kept(&renewed.cookies);
    let later_ms = now_ms + RENEWED_KEPT_MS;
    for (what, answer) in [
        ("taken back", (400, json!({ "error": "invalid_grant" }))),
        ("somebody else", (200, json!({ "id_token": provider.token("", json!({ "sub": "2" })) }))),
        (
            "a reserved group",
            (200, json!({ "id_token": provider.token("", json!({ "groups": ["system:masters"] })) })),
        ),
    ] {
        let gateway = self::gateway(&provider);
        let cookies = signed_in(&gateway, &provider, json!({})).await;
        let login = gateway.login(&cookies, now_ms).expect("a session");
        let Some(LoginSession::Cookie(key)) = login.session else { panic!("a cookie's") };
        provider.answers(vec![answer]);
        let ended = gateway.renew(&cookies, wall_ms()).await.map(|_| ());
        assert!(matches!(ended, Err(NotRenewed::Ended(_))), "{what}: {ended:?}");
        assert!(!gateway.is_open(&key), "{what}: its connections end");
        assert_eq!(gateway.renew(&cookies, wall_ms()).await.map(|_| ()), Err(NotRenewed::NoSession));
    }
    provider.stop().await;
    let away = gateway.renew(&cookies, later_ms).await.unwrap_or_else(|_| panic!("it goes on"));
    assert_eq!(away.expires_ms, later_ms + RENEW_LATER_MS);
}

#[tokio::test]
async fn r_authn_14_a_session_that_its_provider_never_confirms_ends_after_an_hour_whichever_copy_is_shown() {
    let mut provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let first = signed_in(&gateway, &provider, json!({})).await;
    let due_ms = gateway.login(&first, wall_ms()).expect("a session").expires_ms.expect("it ends");
    provider.stop().await;
    let (mut now_ms, mut cookies, mut rounds) = (due_ms - 60_000, first.clone(), 0);
    let began_ms = now_ms;
    let ended = loop {
        match gateway.renew(&cookies, now_ms).await {
            Ok(renewed) => {
                assert!(!renewed.is_confirmed && renewed.expires_ms > now_ms);
                cookies = kept(&renewed.cookies);
                now_ms = renewed.expires_ms;
                rounds += 1;
            }
            Err(ended) => break ended,
        }
    };
    assert!(matches!(ended, NotRenewed::Ended(Failure::Unreachable(_))), "{ended:?}");
    assert_eq!((now_ms - began_ms, rounds), (3_600_000, 12));
    // Another gateway doesn't know what this one has seen.
    let other = self::gateway(&provider);
    let (keys, _) = gateway.sealed_and_ended();
    let copied = keys.session(&first).expect("as it was sealed");
    let renewal = copied.renewal.clone().expect("it has one");
    assert_eq!(renewal.due_ms, due_ms);
    let unconfirmed = other.unconfirmed(&copied, &renewal, Failure::Internal, due_ms + 3_600_000);
    assert_eq!(unconfirmed, Err(Failure::Internal), "a copy from before counts from when it was due");
    let unconfirmed = other.unconfirmed(&copied, &renewal, Failure::Internal, due_ms + 3_599_999);
    assert_eq!(unconfirmed.map(|session| session.holds_until_ms()), Ok(due_ms + 3_600_000));
}

#[tokio::test]
async fn r_authn_14_a_provider_that_fails_twice_for_one_session_while_others_are_renewed_ended_it() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let leaver = signed_in(&gateway, &provider, json!({})).await;
    let other = signed_in(&gateway, &provider, json!({ "sub": "2" })).await;
    let failing = || vec![(500, json!({ "error": "server_error" }))];
    provider.answers(failing());
    let mut now_ms = wall_ms();
    let mut cookies = leaver;
    for _ in 0..2 {
        // No other session is renewed, so it may be an outage.
        let renewed = gateway.renew(&cookies, now_ms).await.unwrap_or_else(|_| panic!("it goes on"));
        assert!(!renewed.is_confirmed);
        cookies = kept(&renewed.cookies);
        now_ms += RENEW_LATER_MS;
    }
    let (issued_s, sub) = (now_ms / 1_000, "2");
    let change = json!({ "sub": sub, "nonce": null, "iat": issued_s, "exp": issued_s + 300 });
    provider.gives(provider.token("", change), Some("r2"));
    assert!(gateway.renew(&other, now_ms).await.is_ok_and(|renewed| renewed.is_confirmed));
    let login = gateway.login(&cookies, now_ms - 1).expect("a session");
    let Some(LoginSession::Cookie(key)) = login.session else { panic!("a cookie's") };
    provider.answers(vec![(502, json!({}))]);
    let renewed = gateway.renew(&cookies, now_ms).await.unwrap_or_else(|_| panic!("that says nothing"));
    cookies = kept(&renewed.cookies);
    provider.answers(failing());
    let ended = gateway.renew(&cookies, now_ms + RENEWED_KEPT_MS).await.map(|_| ());
    assert_eq!(ended, Err(NotRenewed::Ended(Failure::Failing("server_error".to_owned()))));
    assert!(!gateway.is_open(&key), "its connections end");
}

#[tokio::test]
async fn without_a_refresh_token_a_session_lasts_to_its_end_and_nobody_is_asked() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let browser = begun(&gateway, "/").await;
    provider.gives(provider.token(&browser.nonce, json!({})), None);
    let cookies = kept(&browser.comes_back(&gateway).await.expect("signed in").cookies);
    let asked = provider.asked();
    let end_ms = gateway.login(&cookies, wall_ms()).expect("a session").expires_ms.expect("it ends");
    let renewed = gateway.renew(&cookies, end_ms - 60_000).await.unwrap_or_else(|_| panic!("as it is"));
    assert_eq!((renewed.expires_ms, provider.asked()), (end_ms, asked));
    assert_eq!(gateway.renew(&cookies, end_ms).await.map(|_| ()), Err(NotRenewed::NoSession));
}
