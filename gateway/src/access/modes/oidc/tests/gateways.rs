//! Several gateways with one key: each honours what another began, and hears of what another ended.

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::limits::PEERS_ASKED_MS;

#[tokio::test]
async fn a_login_may_come_back_to_another_gateway_and_each_honours_its_session() {
    let provider = Hostile::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = [0, 1].map(|_| gateway_with(&provider, folder.path(), &[OLD_KEY]));
    let browser = begun(&one, "/v/pods").await;
    provider.gives(provider.token(&browser.nonce, json!({})), None);
    let redirect = browser.comes_back(&two).await.expect("signed in");
    assert_eq!(redirect.to, "/v/pods");
    let cookies = kept(&redirect.cookies);
    let rotated = gateway_with(&provider, folder.path(), &[NEW_KEY, OLD_KEY]);
    for gateway in [&one, &two, &rotated] {
        assert_eq!(user(gateway, &cookies, wall_ms()).as_deref(), Some("alice@example.org"));
    }
    let after = gateway_with(&provider, folder.path(), &[NEW_KEY]);
    assert_eq!(user(&after, &cookies, wall_ms()), None, "its key is gone");
    let resealed = rotated.renew(&cookies, wall_ms()).await.unwrap_or_else(|_| panic!("as it is"));
    assert!(user(&after, &kept(&resealed.cookies), wall_ms()).is_some(), "under the newest key");
    assert_eq!(user(&gateway(&provider), &cookies, wall_ms()), None, "a gateway with a key of its own");
}

#[tokio::test]
async fn a_session_is_of_one_mapping() {
    let provider = Hostile::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let one = gateway_with(&provider, folder.path(), &[OLD_KEY]);
    let cookies = signed_in(&one, &provider, json!({})).await;
    let mut settings = settings_with(&provider, folder.path(), &[OLD_KEY]);
    settings.mapping.groups_prefix = "idp:".to_owned();
    let other = Oidc::new(settings, PUBLIC.to_owned()).expect("settings");
    assert_eq!(user(&other, &cookies, wall_ms()), None);
}

#[tokio::test]
async fn r_authn_11_only_a_gateway_with_the_key_hears_which_sessions_were_ended() {
    let provider = Hostile::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = [0, 1].map(|_| gateway_with(&provider, folder.path(), &[OLD_KEY]));
    let cookies = signed_in(&one, &provider, json!({})).await;
    let out = one.sign_out(&cookies, wall_ms()).await.expect("signed out");
    assert!(
        out.to.starts_with(&format!("{}/end?client_id=dogwatch&post_logout", provider.issuer)),
        "{}",
        out.to
    );
    assert_eq!(user(&one, &cookies, wall_ms()), None);
    assert!(user(&two, &cookies, wall_ms()).is_some(), "it hasn't heard of it");

    let now_ms = wall_ms();
    let question = two.sealed_and_ended().0.keys().seal(
        Purpose::Peers,
        "which sessions were ended?",
        now_ms.to_string().as_bytes(),
    );
    let asked = format!("Dogwatch {}", question.expect("sealed"));
    let answer = one.answer_peer(Some(&asked), now_ms).expect("a gateway with the key");
    let stranger = gateway(&provider);
    assert!(stranger.answer_peer(Some(&asked), now_ms).is_none());
    let question = asked.trim_start_matches("Dogwatch ");
    assert!(stranger.sealed_and_ended().0.keys().open(Purpose::Peers, question, &answer).is_none());
    assert!(two.sealed_and_ended().0.keys().open(Purpose::Peers, "another question", &answer).is_none());
    for wrong in [None, Some(""), Some("Dogwatch "), Some("Bearer x"), Some(&*answer)] {
        assert!(one.answer_peer(wrong, now_ms).is_none());
    }
    assert!(one.answer_peer(Some(&asked), now_ms + PEERS_ASKED_MS + 1).is_none(), "old");

    let list =
        two.sealed_and_ended().0.keys().open(Purpose::Peers, question, &answer).expect("it holds the key");
    two.sealed_and_ended().1.merge(serde_json::from_slice(&list).expect("a list"), now_ms);
    assert_eq!(user(&two, &cookies, wall_ms()), None);
}

/// What a gateway does at its end.
async fn written(gateway: &Oidc) {
    let until = CancellationToken::new();
    until.cancel();
    gateway.keep_remembering(until).await;
}

#[tokio::test]
async fn r_authn_11_a_restart_forgets_no_session_that_was_ended() {
    let provider = Hostile::start().await;
    let (folder, state) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let started = |keys: &[&str], port: u16| {
        let mut gateway = gateway_with(&provider, folder.path(), keys);
        gateway.remember_in(state.path(), port).map(|()| gateway)
    };
    let one = started(&[OLD_KEY], 8484).expect("no file yet");
    let cookies = signed_in(&one, &provider, json!({})).await;
    let other = signed_in(&one, &provider, json!({})).await;
    let login = one.login(&cookies, wall_ms()).expect("a session");
    let Some(LoginSession::Cookie(key)) = login.session else { panic!("a cookie's") };
    one.sign_out(&cookies, wall_ms()).await.expect("signed out");
    written(&one).await;

    let two = started(&[NEW_KEY, OLD_KEY], 8484).expect("read");
    assert_eq!(user(&two, &cookies, wall_ms()), None);
    assert!(user(&two, &other, wall_ms()).is_some());
    written(&two).await;
    let three = started(&[NEW_KEY], 8484).expect("sealed under the newest key");
    assert!(!three.is_open(&key));
    let beside = started(&[NEW_KEY], 8485).expect("another gateway's file");
    assert!(beside.is_open(&key));
    let problem = started(&[OLD_KEY], 8484).map(drop).expect_err("its key is gone");
    assert!(problem.message.contains("ended-sessions-8484"), "{problem}");
}

/// What was ended is remembered for as long as a session lasts.
#[tokio::test]
async fn r_authn_11_a_session_of_a_longer_setting_lasts_for_the_present_one() {
    let provider = Hostile::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let of_hours = |session_hours: u32| {
        let settings = settings_with(&provider, folder.path(), &[OLD_KEY]);
        Oidc::new(OidcSettings { session_hours, ..settings }, PUBLIC.to_owned()).expect("settings")
    };
    let gateway = of_hours(12);
    let browser = begun(&gateway, "/").await;
    provider.gives(provider.token(&browser.nonce, json!({})), None);
    let cookies = kept(&browser.comes_back(&gateway).await.expect("signed in").cookies);
    let after = |hours: i64| wall_ms() + hours * 3_600_000 + 60_000;
    assert!(user(&gateway, &cookies, after(1)).is_some());
    assert!(user(&of_hours(1), &cookies, wall_ms()).is_some());
    assert_eq!(user(&of_hours(1), &cookies, after(1)), None);
}

#[tokio::test]
async fn r_authn_11_a_logout_that_the_provider_tells_of_ends_its_sessions_once() {
    let provider = Hostile::start().await;
    let gateway = gateway(&provider);
    let cookies = signed_in(&gateway, &provider, json!({ "sid": "p1" })).await;
    let other = signed_in(&gateway, &provider, json!({ "sid": "p2" })).await;
    let event = "http://schemas.openid.net/event/backchannel-logout";
    let told = |change: Value| {
        let mut all = json!({ "nonce": null, "jti": "1", "events": { event: {} } });
        all.as_object_mut().expect("an object").extend(change.as_object().cloned().unwrap_or_default());
        format!("logout_token={}", provider.token("", all))
    };
    for wrong in [
        "logout_token=x".to_owned(),
        "x=y".to_owned(),
        told(json!({ "aud": "another" })),
        told(json!({ "iss": "https://id.example" })),
        told(json!({ "nonce": "n" })),
        told(json!({ "events": null })),
    ] {
        assert!(gateway.told_of_logout(&wrong, wall_ms()).await.is_err(), "{wrong}");
    }
    assert!(user(&gateway, &cookies, wall_ms()).is_some());
    let good = told(json!({}));
    assert_eq!(gateway.told_of_logout(&good, wall_ms()).await, Ok(()));
    assert_eq!(user(&gateway, &cookies, wall_ms()), None);
    assert!(user(&gateway, &other, wall_ms()).is_some(), "another session at the provider");
    assert!(gateway.told_of_logout(&good, wall_ms()).await.is_err(), "told before");
    assert_eq!(gateway.told_of_logout(&told(json!({ "sid": null, "jti": "2" })), wall_ms()).await, Ok(()));
    assert_eq!(user(&gateway, &other, wall_ms()), None, "all of the person");
}
