//! Which ways of trusting a proxy there are, and that one alone is chosen.

use clap::Parser;

use super::*;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    proxy: ProxyFlags,
}

fn resolved(flags: &[&str]) -> Result<(ProxySettings, Option<ProxyCertificate>), Problem> {
    Cli::parse_from([&["serve"], flags].concat()).proxy.resolve()
}

fn trust(flags: &[&str]) -> Trust {
    resolved(flags).unwrap_or_else(|problem| panic!("{flags:?}: {problem}")).0.trust
}

const JWT: [&str; 3] =
    ["--proxy-jwt-header=X-Jwt", "--proxy-jwt-issuer=https://p.example", "--proxy-jwt-audience=d"];

#[test]
fn r_authn_6_a_proxy_is_known_in_one_way() {
    assert_eq!(trust(&["--proxy-client-ca=ca.pem", "--proxy-client-name=front"]), Trust::Certificate);
    assert_eq!(trust(&["--proxy-socket=/run/p.sock"]), Trust::Socket("/run/p.sock".into()));
    let ranges = ["10.0.0.0/8", "::1"].map(|text| Cidr::parse(text).expect("a range"));
    assert_eq!(trust(&["--proxy-cidr=10.0.0.0/8,::1"]), Trust::Addresses(ranges.to_vec()));
    for (keys, expected) in [
        ("keys.json", KeySource::File("keys.json".into())),
        ("https://p.example/keys", KeySource::Url("https://p.example/keys".parse().expect("a URL"))),
    ] {
        let keys = format!("--proxy-jwt-keys={keys}");
        let Trust::Jwt(jwt) = trust(&[&[keys.as_str()], &JWT[..]].concat()) else { panic!("a token") };
        assert_eq!((jwt.keys, jwt.user_claim.as_str(), jwt.header.as_str()), (expected, "sub", "x-jwt"));
    }
    let (settings, _) = resolved(&["--proxy-cidr=::1", "--proxy-groups-separator=|"]).expect("settings");
    let HeaderNames { user, groups, separator } = settings.headers;
    assert_eq!((user.as_str(), groups.as_str(), separator), ("x-remote-user", "x-remote-group", Some('|')));
}

#[test]
fn r_authn_6_the_proxys_certificate_has_a_name_or_it_is_said_that_any_will_do() {
    let names = |names: &str| {
        let (_, certificate) = resolved(&["--proxy-client-ca=c", &format!("--proxy-client-name={names}")])?;
        Ok::<_, Problem>(certificate.expect("a certificate").names)
    };
    assert_eq!(names("front,spiffe://p/q"), Ok(vec!["front".to_owned(), "spiffe://p/q".to_owned()]));
    assert_eq!(names("*"), Ok(Vec::new()));
    for wrong in ["", "front,", "front,*", "*,*"] {
        let problem = names(wrong).expect_err(wrong);
        assert!(problem.message.contains("needs --proxy-client-name"), "{wrong}: {problem}");
    }
}

#[test]
fn r_authn_6_what_is_missing_or_contradicts_itself_is_named() {
    let keys = "--proxy-jwt-keys=keys.json";
    for (flags, words) in [
        (&[][..], "--proxy-client-ca (by its certificate)"),
        (&["--proxy-user-header=X-User"], "must know its proxy"),
        (&["--proxy-client-name=front"], "must know its proxy"),
        (&["--proxy-cidr=::1", "--proxy-socket=/s"], "give one of --proxy-socket and --proxy-cidr"),
        (&["--proxy-cidr=::1", "--proxy-client-ca=c"], "give one of"),
        (&["--proxy-client-ca=c"], "needs --proxy-client-name"),
        (
            &["--proxy-cidr=::1", "--proxy-client-name=front"],
            "--proxy-client-name has no effect with --proxy-cidr",
        ),
        (
            &["--proxy-socket=/s", "--proxy-jwt-issuer=i"],
            "--proxy-jwt-issuer has no effect with --proxy-socket",
        ),
        (&[keys], "--proxy-jwt-header"),
        (&[keys, JWT[0], JWT[1]], "--proxy-jwt-audience"),
        (&[keys, JWT[0], JWT[2]], "--proxy-jwt-issuer"),
        (&[keys, JWT[0], JWT[1], "--proxy-jwt-audience="], "--proxy-jwt-audience"),
        (&["--proxy-jwt-keys=http://p.example/keys", JWT[0], JWT[1], JWT[2]], "https"),
        (&["--proxy-jwt-keys=https://", JWT[0], JWT[1], JWT[2]], "https"),
        (&["--proxy-cidr=0.0.0.0/0"], "--proxy-cidr"),
        (&["--proxy-cidr=everybody"], "--proxy-cidr"),
        (&["--proxy-cidr=::1", "--proxy-user-header=X_Forwarded_User"], "--proxy-user-header"),
        (&["--proxy-cidr=::1", "--proxy-groups-header=a b"], "--proxy-groups-header"),
        (&["--proxy-cidr=::1", "--proxy-groups-header=X-Remote-User"], "must differ"),
        (&["--proxy-cidr=::1", "--proxy-groups-separator=::"], "--proxy-groups-separator"),
        (&["--proxy-cidr=::1", "--proxy-groups-separator=a"], "--proxy-groups-separator"),
    ] {
        let problem = resolved(flags).map(drop).expect_err(words);
        assert!(problem.message.contains(words), "{flags:?}: {problem}");
    }
}
