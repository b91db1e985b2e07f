//! The settings of mode `oidc`: its flags, and what they come to. Reads no file; that those can be used shows at the
//! start.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};
use shared::problem::Problem;

use super::claims::Mapping;
use super::settings::{OidcSettings, Peers, PeersScheme};
use crate::access::auth_mode::{Surroundings, wrong};
use crate::limits::SESSION_HOURS_MAX;

/// The provider, how its claims name a person, and how sessions are kept. [`super::mode`] has them.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct OidcFlags {
    /// With --auth oidc: the identity provider, exactly as it writes its own issuer
    #[arg(long, env = "DOGWATCH_OIDC_ISSUER", value_name = "URL")]
    oidc_issuer: Option<String>,

    /// The client that the provider knows this gateway as
    #[arg(long, env = "DOGWATCH_OIDC_CLIENT_ID", value_name = "ID")]
    oidc_client_id: Option<String>,

    /// A file with the client's secret [default: none, a public client]
    #[arg(long, env = "DOGWATCH_OIDC_CLIENT_SECRET_FILE", value_name = "FILE")]
    oidc_client_secret_file: Option<PathBuf>,

    /// The certificates that the provider's own must come from [default: the system's]
    #[arg(long, env = "DOGWATCH_OIDC_CA_FILE", value_name = "FILE")]
    oidc_ca_file: Option<PathBuf>,

    /// The claim that is a person's name to the cluster
    #[arg(long, env = "DOGWATCH_OIDC_USERNAME_CLAIM", value_name = "CLAIM", default_value = "sub")]
    oidc_username_claim: String,

    /// What stands before each name
    #[arg(long, env = "DOGWATCH_OIDC_USERNAME_PREFIX", value_name = "TEXT", default_value = "")]
    oidc_username_prefix: String,

    /// The claim that lists a person's groups [default: nobody has groups]
    #[arg(long, env = "DOGWATCH_OIDC_GROUPS_CLAIM", value_name = "CLAIM")]
    oidc_groups_claim: Option<String>,

    /// What stands before each group
    #[arg(long, env = "DOGWATCH_OIDC_GROUPS_PREFIX", value_name = "TEXT", default_value = "")]
    oidc_groups_prefix: String,

    /// What the provider is asked for besides openid, and offline_access where it has that; may be repeated [default: profile, email]
    #[arg(long, env = "DOGWATCH_OIDC_SCOPE", value_name = "SCOPE", value_delimiter = ',')]
    oidc_scope: Vec<String>,

    /// How long a session lasts, in hours
    #[arg(long, env = "DOGWATCH_SESSION_HOURS", value_name = "HOURS", default_value = "12")]
    session_hours: String,

    /// How long a session goes on while the provider doesn't confirm it, in minutes
    #[arg(long, env = "DOGWATCH_SESSION_UNCONFIRMED_MINUTES", value_name = "MINUTES", default_value = "60")]
    session_unconfirmed_minutes: String,

    /// A file with the keys that seal sessions, the newest first [default: one made at the start]
    #[arg(long, env = "DOGWATCH_SESSION_KEY_FILE", value_name = "FILE")]
    session_key_file: Option<PathBuf>,

    /// The gateways that share the key, by a name with all their addresses, such as a headless Service's
    #[arg(long, env = "DOGWATCH_PEERS", value_name = "HOST:PORT")]
    peers: Option<String>,

    /// With --tls-cert: the certificates that those of the other gateways must come from [default: the system's]
    #[arg(long, env = "DOGWATCH_PEERS_CA_FILE", value_name = "FILE")]
    peers_ca_file: Option<PathBuf>,
}

impl OidcFlags {
    /// The paths among them, which start at the folder of the file that has them.
    pub(crate) fn paths(&mut self) -> [(&'static str, Option<&mut PathBuf>); 4] {
        [
            ("oidc-client-secret-file", self.oidc_client_secret_file.as_mut()),
            ("oidc-ca-file", self.oidc_ca_file.as_mut()),
            ("session-key-file", self.session_key_file.as_mut()),
            ("peers-ca-file", self.peers_ca_file.as_mut()),
        ]
    }

    /// Fails with one sentence that names the flag.
    pub(super) fn resolve(self, around: &Surroundings<'_>) -> Result<OidcSettings, Problem> {
        let needed = |flag: &str, given: Option<String>| {
            let given = given.filter(|text| !text.trim().is_empty());
            given.ok_or_else(|| wrong(format!("--auth oidc needs {flag}")))
        };
        let issuer = needed("--oidc-issuer, the URL of the identity provider", self.oidc_issuer)?;
        let client_id =
            needed("--oidc-client-id, the name of this gateway at the provider", self.oidc_client_id)?;
        if !is_safe(&issuer) || issuer.contains(['?', '#']) {
            return Err(wrong(format!(
                "--oidc-issuer {issuer} is not an https URL without a query, such as https://sso.example.org/realms/team"
            )));
        }
        match around.public_url.map(ToString::to_string) {
            None if !around.listen.ip().is_loopback() => {
                return Err(wrong(
                    "--auth oidc needs --public-url, the https URL at which browsers reach the gateway",
                ));
            }
            Some(url) if !is_safe(&url) => {
                return Err(wrong(format!(
                    "--public-url {url} would send logins without TLS: with --auth oidc it must begin with https://"
                )));
            }
            _ => {}
        }
        let hours = self.session_hours.parse().ok().filter(|hours| (1..=SESSION_HOURS_MAX).contains(hours));
        let session_hours = hours.ok_or_else(|| {
            wrong(format!(
                "--session-hours {} is not a number from 1 to {SESSION_HOURS_MAX}",
                self.session_hours
            ))
        })?;
        let minutes = self.session_unconfirmed_minutes.parse().ok();
        let minutes = minutes.filter(|minutes| (1..=SESSION_HOURS_MAX * 60).contains(minutes));
        let unconfirmed_minutes = minutes.ok_or_else(|| {
            wrong(format!(
                "--session-unconfirmed-minutes {} is not a number from 1 to {}",
                self.session_unconfirmed_minutes,
                SESSION_HOURS_MAX * 60
            ))
        })?;
        let peers = peers(self.peers, self.peers_ca_file, around.has_tls)?;
        if peers.is_some() && self.session_key_file.is_none() {
            return Err(wrong("--peers needs --session-key-file, the same for all of them"));
        }
        let groups_claim = self.oidc_groups_claim.filter(|claim| !claim.is_empty());
        let mapping = Mapping {
            username_claim: needed("--oidc-username-claim", Some(self.oidc_username_claim))?,
            username_prefix: self.oidc_username_prefix,
            groups_claim,
            groups_prefix: self.oidc_groups_prefix,
        };
        Ok(OidcSettings {
            issuer,
            client_id,
            client_secret_file: self.oidc_client_secret_file,
            ca_file: self.oidc_ca_file,
            mapping,
            scopes: scopes(self.oidc_scope)?,
            session_hours,
            unconfirmed_minutes,
            session_key_file: self.session_key_file,
            peers,
        })
    }
}

fn peers(place: Option<String>, ca_file: Option<PathBuf>, has_tls: bool) -> Result<Option<Peers>, Problem> {
    if ca_file.is_some() && (place.is_none() || !has_tls) {
        return Err(wrong("--peers-ca-file is of use with --peers and --tls-cert alone"));
    }
    let Some(place) = place else { return Ok(None) };
    let is_place = place
        .rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && !host.contains('/') && port.parse::<u16>().is_ok());
    if !is_place {
        return Err(wrong(format!("--peers {place} must be HOST:PORT, such as dogwatch-peers:8484")));
    }
    let scheme = if has_tls { PeersScheme::Https { ca_file } } else { PeersScheme::Http };
    Ok(Some(Peers { place, scheme }))
}

fn scopes(given: Vec<String>) -> Result<Vec<String>, Problem> {
    if given.is_empty() {
        return Ok(vec!["profile".to_owned(), "email".to_owned()]);
    }
    match given.iter().find(|scope| scope.is_empty() || !scope.bytes().all(|b| b.is_ascii_graphic())) {
        Some(scope) => Err(wrong(format!("--oidc-scope {scope:?} is not one word"))),
        None => Ok(given),
    }
}

/// Over TLS, or on this machine.
fn is_safe(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else {
        return url.strip_prefix("https://").is_some_and(|rest| !rest.is_empty());
    };
    let authority = rest.split('/').next().unwrap_or_default();
    let host = authority
        .strip_suffix(|c: char| c.is_ascii_digit())
        .map_or(authority, |_| authority.rsplit_once(':').map_or(authority, |(host, _)| host));
    ["localhost", "127.0.0.1", "[::1]"].contains(&host)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use clap::Parser;

    use super::*;
    use crate::address::origin::Origin;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        oidc: OidcFlags,
        #[arg(long, default_value = "127.0.0.1:8484")]
        listen: SocketAddr,
        #[arg(long)]
        public_url: Option<String>,
        #[arg(long)]
        tls_cert: Option<PathBuf>,
        #[arg(long)]
        tls_key: Option<PathBuf>,
    }

    const GOOD: [&str; 3] = [
        "--oidc-issuer=https://sso.example.org/realms/team",
        "--oidc-client-id=dogwatch",
        "--public-url=https://dogwatch.example.org",
    ];

    fn resolved(more: &[&str]) -> Result<OidcSettings, Problem> {
        let flags: Vec<&str> = GOOD.iter().chain(more).copied().collect();
        settings(&flags)
    }

    fn settings(flags: &[&str]) -> Result<OidcSettings, Problem> {
        let cli = Cli::parse_from([&["serve"], flags].concat());
        let public_url = cli.public_url.map(|url| Origin::parse(&url).expect("an origin"));
        cli.oidc.resolve(&Surroundings {
            listen: cli.listen,
            public_url: public_url.as_ref(),
            has_tls: cli.tls_cert.is_some() && cli.tls_key.is_some(),
            has_several_clusters: false,
        })
    }

    #[test]
    fn what_is_said_of_a_provider_is_read_and_the_rest_has_a_default() {
        let least = resolved(&[]).expect("settings");
        assert_eq!(least.unconfirmed_minutes, 60);
        assert_eq!((least.session_hours, least.mapping.username_claim.as_str()), (12, "sub"));
        assert_eq!(
            (least.mapping.groups_claim, least.scopes),
            (None, vec!["profile".into(), "email".into()])
        );
        let more =
            resolved(&["--oidc-groups-claim=groups", "--oidc-scope=email,groups", "--session-hours=8"]);
        let more = more.expect("settings");
        assert_eq!((more.session_hours, more.mapping.groups_claim.as_deref()), (8, Some("groups")));
        assert_eq!(more.scopes, ["email", "groups"]);
    }

    #[test]
    fn other_gateways_are_asked_as_this_one_serves() {
        let scheme = |more: &[&str]| {
            let flags = [&["--peers=peers:8484", "--session-key-file=/keys"], more].concat();
            resolved(&flags).expect("settings").peers.expect("peers").scheme
        };
        let tls = ["--tls-cert=/tls.crt", "--tls-key=/tls.key"];
        assert_eq!(scheme(&[]), PeersScheme::Http);
        assert_eq!(scheme(&tls), PeersScheme::Https { ca_file: None });
        let ca_file = Some("/ca.pem".into());
        assert_eq!(
            scheme(&[&tls[..], &["--peers-ca-file=/ca.pem"]].concat()),
            PeersScheme::Https { ca_file }
        );
    }

    #[test]
    fn what_is_missing_or_would_go_without_tls_is_named() {
        for left_out in 0..GOOD.len() {
            let mut flags: Vec<&str> = GOOD.to_vec();
            flags.push("--listen=0.0.0.0:8484");
            let (name, _) = flags.remove(left_out).split_once('=').expect("a value");
            let problem = settings(&flags).map(drop).expect_err(name);
            assert!(problem.message.contains(name), "{problem}");
        }
        for (flag, values) in [
            ("--public-url", &["http://dogwatch.example.org", "http://localhost.evil.example"][..]),
            ("--oidc-issuer", &["http://sso.example.org", "sso.example.org", "https://", "https://sso/?a=b"]),
            ("--session-hours", &["0", "169", "long"]),
            ("--session-unconfirmed-minutes", &["0", "10081", "1h"]),
            ("--peers", &["peers", "peers:0x", "http://peers:1", ":1", "peers:8484"]),
            ("--peers-ca-file", &["/ca.pem"]),
            ("--oidc-scope", &["a b"]),
        ] {
            for value in values {
                let replaced = format!("{flag}={value}");
                let mut flags: Vec<&str> =
                    GOOD.into_iter().filter(|given| !given.starts_with(flag)).collect();
                flags.push(&replaced);
                let problem = settings(&flags).map(drop).expect_err(&replaced);
                assert!(problem.message.contains(flag), "{replaced}: {problem}");
            }
        }
        for loopback in
            ["http://127.0.0.1:8484", "http://localhost:1", "http://[::1]:8484", "http://localhost"]
        {
            let public = format!("--public-url={loopback}");
            let flags = [&GOOD[..2], &[public.as_str()]].concat();
            assert!(settings(&flags).is_ok(), "{loopback}");
        }
        assert!(settings(&GOOD[..2]).is_ok(), "on this machine it is its own address");
    }
}
