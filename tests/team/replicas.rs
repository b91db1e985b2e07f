//! Two gateways with one key: a login that lands on the other, a session that each honours, and a logout that both
//! hear of.

use std::time::Duration;

use http::Method;
use rustix::process::Signal;
use testkit::identities::Authority;
use testkit::provider::{Browser, Provider, ProviderOptions};

use testkit::gateways::{
    Gateway, NEW_KEY, OLD_KEY, PUBLIC, Socket, closed_within, options, start, start_at, status_over_tls,
};
use testkit::ports::free_address;

async fn two(provider: &Provider, first: &str, keys: &[&str]) -> (Gateway, Gateway) {
    let second = free_address().to_string();
    let secret = options().client_secret;
    let one = start_at(provider, secret, first, keys, &["--peers", &second]);
    let other = start_at(provider, secret, &second, keys, &["--peers", first]);
    (one, other)
}

/// Far longer than a signal needs, also on a machine that is busy.
async fn soon(condition: impl Future<Output = ()>) {
    tokio::time::timeout(Duration::from_secs(60), condition).await.expect("it becomes true");
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

#[tokio::test]
async fn r_authn_11_gateways_that_serve_https_hear_of_a_logout_from_those_whose_certificate_they_trust() {
    let provider = Provider::start(&options()).expect("it starts");
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    };
    let (authority, stranger) = (Authority::new().expect("made"), Authority::new().expect("made"));
    let own = authority.sign(&["dogwatch.test"]).expect("signed");
    let (certificate, key) = (file("tls.crt", &own.certificate), file("tls.key", &own.key));
    let (trusted, other) = (file("ca.pem", &authority.pem), file("other.pem", &stranger.pem));
    let tls = ["--tls-cert", &certificate, "--tls-key", &key];
    let secret = options().client_secret;
    let serving = |peers: &[&str]| {
        start_at(&provider, secret, &free_address().to_string(), &[OLD_KEY], &[&tls[..], peers].concat())
    };
    // Any gateway with the key signs in; this one does without TLS, as the browser of the test does.
    let entrance = start(&provider, secret);
    let (ended, bystander) = (entrance.signed_in(&provider).await, entrance.signed_in(&provider).await);
    let client = authority.client(None).expect("a client");
    let post = async |gateway: &Gateway, path: &str, browser: &Browser| {
        status_over_tls(&gateway.address, client.clone(), path, &browser.cookies_of(PUBLIC)).await
    };
    let one = serving(&[]);
    assert_eq!(post(&one, "/logout", &ended).await, 200);
    // First, because a provider takes the second use of a refresh token for a theft, and would end the session as
    // well.
    let two = serving(&["--peers", &one.address, "--peers-ca-file", &trusted]);
    assert_eq!(post(&two, "/login/renew", &ended).await, 401, "it asked before it served");
    assert_eq!(post(&two, "/login/renew", &bystander).await, 200);
    let deaf = serving(&["--peers", &one.address, "--peers-ca-file", &other]);
    assert_eq!(post(&deaf, "/login/renew", &ended).await, 200, "it believes no stranger's certificate");
}

#[tokio::test]
async fn session_keys_are_read_again_on_sighup_and_a_file_that_is_broken_changes_nothing() {
    let provider = Provider::start(&options()).expect("it starts");
    let secret = options().client_secret;
    let one = start(&provider, secret);
    let file = one.dogwatch.home().path().join("keys");
    let write = |text: &str| {
        std::fs::write(&file, text).expect("written");
        one.dogwatch.signal(Signal::HUP).expect("it runs");
    };
    let mut browser = one.signed_in(&provider).await;
    let under_the_old_key = browser.clone();
    let successor = start_at(&provider, secret, &free_address().to_string(), &[NEW_KEY], &[]);
    assert_eq!(successor.user(&browser).await, None, "it doesn't know the key");

    let url = format!("{PUBLIC}/login/renew");
    write(&format!("{NEW_KEY}\n{OLD_KEY}"));
    soon(async {
        while successor.user(&browser).await.is_none() {
            let renewed = browser.send(Method::POST, &url, &[("origin", PUBLIC)], "").await;
            assert_eq!(renewed.expect("answered").status, 200);
        }
    })
    .await;
    assert!(one.user(&under_the_old_key).await.is_some(), "the old key still opens");

    write("not base64!");
    soon(async {
        while !one.dogwatch.stderr().contains("the session keys stay as they are") {
            assert!(one.user(&under_the_old_key).await.is_some());
        }
    })
    .await;
    assert!(one.user(&under_the_old_key).await.is_some());

    write(NEW_KEY);
    soon(async { while one.user(&under_the_old_key).await.is_some() {} }).await;
    assert!(one.user(&browser).await.is_some());
    let log = one.dogwatch.stderr();
    assert!(!log.contains(OLD_KEY) && !log.contains(NEW_KEY), "{log}");
}
