//! The spellings of an origin that got past other products, and the verdict on each.

use proptest::prelude::*;

use super::*;

fn policy() -> OriginPolicy {
    let allowed = vec![Origin::parse("https://portal.example").expect("an origin")];
    OriginPolicy::new(Origin::parse("https://dogwatch.example"), allowed)
}

fn check(host: &str, origin: Option<&str>, expected: Option<RequestOrigin>) {
    let verdict = policy().host(host).and_then(|own| policy().request_origin(&own, origin));
    assert_eq!(verdict, expected, "Host {host:?}, Origin {origin:?}");
}

#[test]
fn r_brow_4_only_exact_tuples_pass() {
    for (host, origin) in [
        ("localhost:8484", "http://localhost:8484"),
        ("127.0.0.1:8484", "http://127.0.0.1:8484"),
        ("[::1]:8484", "http://[::1]:8484"),
        ("localhost", "http://localhost"),
        ("localhost:80", "http://localhost"),
        ("127.0.0.1:40123", "http://127.0.0.1:40123"),
        ("dogwatch.example", "https://dogwatch.example"),
        ("dogwatch.example:443", "https://dogwatch.example"),
    ] {
        let own = Origin::parse(origin).expect("an origin");
        check(host, Some(origin), Some(RequestOrigin::Own(own)));
        check(host, None, Some(RequestOrigin::Missing));
        let portal = Origin::parse("https://portal.example").expect("an origin");
        check(host, Some("https://portal.example"), Some(RequestOrigin::Listed(portal)));
    }
    let refused = "null| http://127.0.0.1:8484||*|http://|//127.0.0.1:8484|127.0.0.1:8484|\
        https://127.0.0.1:8484|http://127.0.0.1:8485|http://127.0.0.1|http://127.0.0.1:08484|\
        http://127.0.0.1:+8484|http://127.0.0.1:|http://127.0.0.1:8484/|\
        http://127.0.0.1:8484.evil.example|http://127.0.0.1.evil.example:8484|\
        http://localhost:8484|http://localhost.evil.example:8484|http://127.0.0.1.:8484|\
        http://127.1:8484|http://2130706433:8484|http://0x7f.0.0.1:8484|http://[::1]:8484|\
        http://[::ffff:127.0.0.1]:8484|http://user@127.0.0.1:8484|\
        http://127.0.0.1:8484@evil.example|http://evil.example#127.0.0.1:8484|http://evil.example|\
        HTTP://127.0.0.1:8484|ws://127.0.0.1:8484|file://|chrome-extension://abcdef|\
        http://127.0.0.1:8484 http://127.0.0.1:8484|https://sub.portal.example|\
        https://portal.example:443|https://portal.example.|https://PORTAL.example|\
        http://portal.example";
    for origin in refused.split('|') {
        check("127.0.0.1:8484", Some(origin), None);
    }
    check("dogwatch.example", Some("http://dogwatch.example"), None);
    check("localhost", Some("http://localhost:80"), None);
    check("[::1]:8484", Some("http://[0:0:0:0:0:0:0:1]:8484"), None);
}

#[test]
fn r_brow_5_only_our_own_hosts_are_ours() {
    let refused = "evil.example|evil.example:8484|0.0.0.0:8484|127.0.0.2:8484|192.168.1.7:8484|[::]:8484|\
        [::1|[::1]8484|::1|localhost.:8484|LOCALHOST:8484|localhost:8484:8484|localhost:0|\
        localhost:65536|localhost:8484/|user@localhost:8484|localhost.evil.example|\
        dogwatch.example:8443||:8484";
    for host in refused.split('|') {
        check(host, None, None);
    }
}

#[test]
fn with_tls_the_own_origin_is_https_and_only_a_public_one_stays_so() {
    let policy = policy().with_tls();
    for (host, origin) in [
        ("localhost:8484", "https://localhost:8484"),
        ("127.0.0.1:443", "https://127.0.0.1"),
        ("localhost:80", "https://localhost:80"),
        ("dogwatch.example", "https://dogwatch.example"),
    ] {
        let own = policy.host(host).expect("ours");
        assert_eq!(own.to_string(), origin);
        assert!(policy.request_origin(&own, Some(&origin.replace("https", "http"))).is_none(), "{origin}");
        assert_eq!(policy.is_secure(&own), host == "dogwatch.example", "{origin}");
    }
    let plain = OriginPolicy::new(Origin::parse("http://dogwatch.example"), Vec::new());
    assert!(!plain.is_secure(&plain.host("dogwatch.example").expect("ours")));
    let local = OriginPolicy::new(Origin::parse("https://localhost"), Vec::new());
    assert!(!local.is_secure(&local.host("localhost").expect("ours")), "the name of every program here");
}

proptest! {
    #[test]
    fn r_brow_4_nothing_that_is_made_up_passes(text in "\\PC{0,40}") {
        prop_assert_eq!(OriginPolicy::default().host("127.0.0.1:8484").and_then(|own| {
            OriginPolicy::default().request_origin(&own, Some(&text))
        }), (text == "http://127.0.0.1:8484").then(|| RequestOrigin::Own(Origin::parse(&text).expect("an origin"))));
    }

    #[test]
    fn r_brow_4_no_change_of_a_good_one_passes(at in 0_usize..21, to in any::<char>()) {
        let good = "http://127.0.0.1:8484";
        let changed: String = good.chars().enumerate().map(|(i, c)| if i == at { to } else { c }).collect();
        let own = OriginPolicy::default().host("127.0.0.1:8484").expect("ours");
        let verdict = OriginPolicy::default().request_origin(&own, Some(&changed));
        prop_assert_eq!(verdict.is_some(), changed == good);
    }

    #[test]
    fn what_is_written_is_what_was_read(text in "https?://([a-z]{1,5}\\.)?[a-z]{1,5}(:[1-9][0-9]{0,3})?") {
        if let Some(origin) = Origin::parse(&text) {
            prop_assert_eq!(origin.to_string(), text);
        }
    }
}
