//! Strangers begin logins and come back with invented codes, and a person signs in beside them.

use std::sync::Arc;

use serde_json::json;
use tokio::task::JoinSet;

use super::*;
use crate::limits::{
    LOGINS_ASKED_PER_CLIENT_MAX, LOGINS_ASKED_PER_PEER_MAX, LOGINS_WAITING_PER_CLIENT_MAX,
    LOGINS_WAITING_PER_PEER_MAX,
};

/// Logins that were begun, and all come back at once while the provider doesn't answer. How many found a place.
async fn return_all(gateway: &Arc<Oidc>, browsers: Vec<(Browser, LoginClient)>) -> (JoinSet<bool>, usize) {
    let count = browsers.len();
    let mut returning = JoinSet::new();
    for (browser, client) in browsers {
        let gateway = Arc::clone(gateway);
        returning.spawn(async move {
            let query = format!("code=invented&state={}", browser.state);
            let back = gateway.finish(&query, (&browser.cookies, &client), wall_ms()).await;
            matches!(back, Err(Failure::Busy))
        });
    }
    let mut refused = 0;
    // The others wait for the provider, and no more of them end once each had its turn.
    let mut idle = 0;
    while idle < 100 {
        tokio::task::yield_now().await;
        idle += 1;
        while let Some(is_busy) = returning.try_join_next() {
            refused += usize::from(is_busy.expect("it ends"));
            idle = 0;
        }
    }
    (returning, count - refused)
}

async fn strangers(
    gateway: &Oidc,
    count: usize,
    client: impl Fn(usize) -> LoginClient,
) -> Vec<(Browser, LoginClient)> {
    let mut browsers = Vec::new();
    for number in 0..count {
        browsers.push((begun(gateway, "/").await, client(number)));
    }
    browsers
}

/// Against: sockets
#[tokio::test]
async fn r_authn_15_five_thousand_logins_of_a_stranger_ask_the_provider_four_at_a_time_and_a_person_signs_in()
{
    let provider = Hostile::start().await;
    let gateway = Arc::new(gateway(&provider));
    let browsers = strangers(&gateway, 5_000, |_| client("10.6.6.6")).await;
    provider.answers(vec![(400, json!({ "error": "invalid_grant" }))]);
    provider.holds(true);
    let (returning, found) = return_all(&gateway, browsers).await;
    assert_eq!(found, LOGINS_ASKED_PER_CLIENT_MAX + LOGINS_WAITING_PER_CLIENT_MAX);
    provider.until_asked(LOGINS_ASKED_PER_CLIENT_MAX).await;
    // A person of another address is asked about at once.
    let person = begun(&gateway, "/v/pods").await;
    provider.gives(provider.token(&person.nonce, json!({})), Some("r1"));
    let signing_in = person.comes_back(&gateway);
    let asked = async {
        provider.until_asked(LOGINS_ASKED_PER_CLIENT_MAX + 1).await;
        assert_eq!(provider.asked(), LOGINS_ASKED_PER_CLIENT_MAX + 1, "a stranger has no more places");
        provider.holds(false);
    };
    let (signed_in, ()) = tokio::join!(signing_in, asked);
    assert!(signed_in.is_ok());
    drop(returning);
}

/// Against: sockets
#[tokio::test]
async fn r_authn_15_behind_a_proxy_a_client_has_its_own_places_and_an_invented_address_gains_none() {
    let provider = Hostile::start().await;
    let gateway = Arc::new(gateway(&provider));
    let forwarded = |number: usize| LoginClient {
        forwarded: Some(format!("198.51.100.{number}").into()),
        ..client("10.0.0.2")
    };
    let browsers = strangers(&gateway, 200, forwarded).await;
    provider.answers(vec![(400, json!({ "error": "invalid_grant" }))]);
    provider.holds(true);
    let (mut returning, found) = return_all(&gateway, browsers).await;
    assert_eq!(
        found,
        LOGINS_ASKED_PER_PEER_MAX + LOGINS_WAITING_PER_PEER_MAX,
        "half of all, by 200 addresses"
    );
    // They leave, as a browser that is closed does.
    returning.shutdown().await;
    provider.holds(false);
    let person = begun(&gateway, "/v/pods").await;
    provider.gives(provider.token(&person.nonce, json!({})), Some("r1"));
    let query = format!("code=c1&state={}", person.state);
    let signed_in = gateway.finish(&query, (&person.cookies, &forwarded(1)), wall_ms()).await;
    assert!(signed_in.is_ok(), "their places are free again");
}

#[tokio::test]
async fn a_login_that_found_no_place_can_come_back_again() {
    let provider = Hostile::start().await;
    let gateway = Arc::new(gateway(&provider));
    let browsers = strangers(&gateway, 30, |_| client("10.0.0.1")).await;
    provider.answers(vec![(400, json!({ "error": "invalid_grant" }))]);
    provider.holds(true);
    let (mut returning, _) = return_all(&gateway, browsers).await;
    let person = begun(&gateway, "/v/pods").await;
    assert_eq!(person.comes_back(&gateway).await.map(|_| ()), Err(Failure::Busy));
    returning.shutdown().await;
    provider.holds(false);
    provider.gives(provider.token(&person.nonce, json!({})), Some("r1"));
    assert!(person.comes_back(&gateway).await.is_ok());
}
