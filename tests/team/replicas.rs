//! Two gateways with one key: a login that lands on the other, a session that each honours, and a logout that both
//! hear of.

use std::time::Duration;

use http::Method;
use testkit::provider::{Browser, Provider, ProviderOptions};

use crate::rig::{Gateway, NEW_KEY, OLD_KEY, PUBLIC, Socket, closed_within, free_address, options, start_at};

async fn two(provider: &Provider, first: &str, keys: &[&str]) -> (Gateway, Gateway) {
    let second = free_address().to_string();
    let secret = options().client_secret;
    let one = start_at(provider, secret, first, keys, &["--peers", &second]);
    let other = start_at(provider, secret, &second, keys, &["--peers", first]);
    (one, other)
}

async fn tabs(gateway: &Gateway, browser: &Browser) -> Vec<Socket> {
    let mut sockets = Vec::new();
    for _ in 0..5 {
        let (socket, welcome) = gateway.opened(browser).await;
        assert!(welcome.is_ok_and(|frame| frame.get("welcome").is_some()));
        sockets.push(socket);
    }
    sockets
}

#[tokio::test]
async fn a_login_lands_on_another_gateway_and_its_session_outlives_the_gateway_and_its_key() {
    let provider = Provider::start(&options()).expect("it starts");
    let first = free_address().to_string();
    let (one, other) = two(&provider, &first, &[OLD_KEY]).await;
    let mut browser = one.browser(&provider);
    let callback = format!("{PUBLIC}/login/callback");
    let back =
        browser.open_until(&format!("{PUBLIC}/login?to=/healthz"), &callback).await.expect("it redirects");
    browser.lead(PUBLIC, &other.address);
    assert_eq!(browser.open(&back).await.expect("answered").body, "ok");
    for gateway in [&one, &other] {
        assert_eq!(gateway.user(&browser).await.as_deref(), Some("alice@example.org"));
    }
    one.dogwatch.kill().expect("it ran");
    let successor = start_at(&provider, options().client_secret, &first, &[NEW_KEY, OLD_KEY], &[]);
    assert!(successor.user(&browser).await.is_some(), "a successor, while the key rotates");
}

#[tokio::test]
async fn r_authn_11_a_logout_closes_five_tabs_on_each_gateway_and_a_new_one_hears_of_it() {
    let first = free_address().to_string();
    let options =
        ProviderOptions { logout_uri: Some(format!("http://{first}/logout/backchannel")), ..options() };
    let provider = Provider::start(&options).expect("it starts");
    let (one, other) = two(&provider, &first, &[OLD_KEY]).await;
    for by_provider in [false, true] {
        let mut browser = one.signed_in(&provider).await;
        let bystander = one.signed_in(&provider).await;
        let (here, there) = (tabs(&one, &browser).await, tabs(&other, &browser).await);
        let (kept, _) = one.opened(&bystander).await;
        if by_provider {
            // Its own sessions' names aren't told to a client's test, so all of the person's are ended.
            provider.log_out("1", None).await.expect("told");
        } else {
            let own = [("origin", PUBLIC)];
            let out = browser.clone().send(Method::POST, &format!("{PUBLIC}/logout"), &own, "").await;
            assert_eq!(out.expect("answered").status, 200);
        }
        let (here, there) = tokio::join!(
            closed_within(here, Duration::from_secs(1)),
            closed_within(there, Duration::from_secs(10))
        );
        assert_eq!((here, there), (vec![4401; 5], vec![4401; 5]));
        browser.lead(PUBLIC, &other.address);
        assert_eq!(other.user(&browser).await, None);
        assert_eq!(one.user(&bystander).await.is_some(), !by_provider, "another session of the same person");
        drop(kept);
        let third = free_address().to_string();
        let fresh =
            start_at(&provider, options.client_secret, &third, &[OLD_KEY], &["--peers", &other.address]);
        assert_eq!(fresh.user(&browser).await, None, "it asked before it served");
    }
}
