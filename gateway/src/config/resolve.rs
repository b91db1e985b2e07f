//! From the settings to one [`Config`], or to the first setting that can't be used.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use shared::login_mode::LoginMode;
use shared::name::Namespace;
use shared::problem::Problem;

use super::cluster::ClusterChoice;
use super::lists::HealthSettings;
use super::reached_at::{origin, reached_at};
use super::settings::{ServeFlags, Settings};
use super::texts::{count, patterns};
use super::{Config, Reloading, history, profiles, rights, rules, team, wrong};
use crate::access::auth_mode::Surroundings;
use crate::audit::AuditTarget;
use crate::cluster::{Ceiling, Choice};
use crate::feed::{HealthRow, RedactionSettings};
use crate::hub::FeedBounds;
use crate::limits::HEALTH_ROWS_MAX;
use crate::log::LogFormat;
use crate::session::Limits;
use crate::traces::Endpoint;

impl Config {
    /// Fails with one sentence that names the flag and what it can be.
    pub fn of(flags: &ServeFlags) -> Result<Self, Problem> {
        Self::of_settings(flags, Settings::of(flags)?)
    }

    /// The same with a file of `dogwatch record` instead of a cluster.
    ///
    /// # Errors
    /// As [`Config::of`]; and a flag names a cluster.
    pub fn of_replay(flags: &ServeFlags, file: PathBuf) -> Result<Self, Problem> {
        let mut settings = Settings::of(flags)?;
        settings.clusters.clear();
        // Nothing happens any more in what is replayed.
        settings.rules.clear();
        // What containers wrote isn't in it.
        settings.logs = Some(false);
        settings.replay = Some(file);
        Self::of_settings(flags, settings)
    }

    pub(super) fn of_settings(flags: &ServeFlags, settings: Settings) -> Result<Self, Problem> {
        let reloading = Reloading::of(flags, &settings)?;
        Self::resolve(settings, reloading, |name| std::env::var_os(name), Path::is_file)
    }

    pub(super) fn resolve(
        settings: Settings,
        reloading: Reloading,
        variable: impl Fn(&str) -> Option<OsString>,
        exists: impl Fn(&Path) -> bool,
    ) -> Result<Self, Problem> {
        let cluster = ClusterChoice::find(&settings, variable, exists)?;
        let profiles = profiles::of(
            settings.cluster_profiles.as_deref(),
            settings.cluster_profile_providers.as_deref(),
        )?;
        let redaction = redaction(&settings)?;
        let history =
            history::of(&settings.record, matches!(cluster, ClusterChoice::Demo(_)), &settings.demo_minutes)?;
        let rules = rules::of(&settings.rules, &settings.receivers)?;
        rules::check_replicas(&rules, count("--replicas", &settings.replicas)?, &history.place)?;
        let listen = address("--listen", &settings.listen)?;
        let (public_url, base_path) =
            reached_at(settings.public_url.as_deref(), settings.base_path.as_deref())?;
        let mode = LoginMode::of_name(&settings.auth).ok_or_else(|| {
            let known = LoginMode::ALL.map(LoginMode::name).join(", ");
            wrong(format!("there is no --auth {}; what there is: {known}", settings.auth))
        })?;
        let auth = settings.modes.resolve(
            mode,
            &Surroundings {
                listen,
                public_url: public_url.as_ref(),
                has_tls: settings.tls.is_given(),
                has_several_clusters: cluster.has_several() || profiles.is_some(),
            },
        )?;
        let tls = settings.tls.resolve(mode.rights().is_none(), auth.certificate())?;
        let rights = rights::of(&settings.rights, mode.rights())?;
        let metrics_listen =
            settings.metrics_listen.map(|text| address("--metrics-listen", &text)).transpose()?;
        let allowed_origins = settings.allowed_origin.iter().map(|text| origin("--allowed-origin", text));
        Ok(Self {
            auth,
            rights,
            listen,
            tls,
            metrics_listen,
            public_url,
            base_path,
            audit_log: settings.audit_log.map(audit_target).transpose()?,
            log_format: log_format(&settings.log_format)?,
            collector: settings.otlp_endpoint.as_deref().map(collector).transpose()?,
            allowed_origins: allowed_origins.collect::<Result<_, _>>()?,
            cluster,
            profiles,
            ceiling: Ceiling::of(
                Choice {
                    only: patterns("--shown-kind", &settings.shown_kind)?,
                    hidden: patterns("--hidden-kind", &settings.hidden_kind)?,
                },
                Choice {
                    only: patterns("--shown-namespace", &settings.shown_namespace)?,
                    hidden: patterns("--hidden-namespace", &settings.hidden_namespace)?,
                },
            )
            .with_secret_names(settings.secret_names)
            .with_logs(shows_logs(settings.logs, mode)),
            redaction,
            connections_max: count("--connections-max", &settings.connections_max)?,
            limits: Limits {
                connections_per_identity: count(
                    "--connections-per-identity-max",
                    &settings.connections_per_identity_max,
                )?,
                feeds: FeedBounds {
                    total: count("--feeds-max", &settings.feeds_max)?,
                    per_identity: count("--feeds-per-identity-max", &settings.feeds_per_identity_max)?,
                },
            },
            history,
            rules,
            team: team::team(settings.pinned, settings.boards, settings.child_kinds)?,
            reloading,
        })
    }
}

/// Where one person has the gateway for themselves, it shows what kubectl shows them. A team's operator decides.
pub(super) fn shows_logs(logs: Option<bool>, mode: LoginMode) -> bool {
    logs.unwrap_or(mode.rights().is_none())
}

fn address(flag: &str, text: &str) -> Result<SocketAddr, Problem> {
    let port = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    let known = port.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port))).or_else(|| text.parse().ok());
    known.ok_or_else(|| wrong(format!("{flag} {text} is not an address with a port, such as 127.0.0.1:8484")))
}

/// An empty name would be of everything, or of nothing.
fn names(flag: &str, names: Vec<String>) -> Result<Vec<String>, Problem> {
    let is_name = |name: &String| name.bytes().filter(u8::is_ascii_alphanumeric).count() >= 2;
    match names.iter().find(|name| !is_name(name)) {
        Some(wrong_one) => Err(wrong(format!("{flag} {wrong_one:?} is not a name of two letters or more"))),
        None => Ok(names),
    }
}

/// Each by its whole name: a pattern would unmask what is created later.
fn unmasked_namespaces(names: Vec<String>) -> Result<Vec<String>, Problem> {
    for name in &names {
        Namespace::parse(name).map_err(|problem| {
            wrong(format!("--unmasked-namespace {name:?} is not the name of one namespace: {problem}"))
        })?;
    }
    Ok(names)
}

pub(super) fn redaction(settings: &Settings) -> Result<RedactionSettings, Problem> {
    Ok(RedactionSettings {
        config_map_values: settings.config_map_values,
        credential_names: names("--masked-name", settings.masked_name.clone())?,
        dropped_annotations: names("--hidden-annotation", settings.hidden_annotation.clone())?,
        unmasked_namespaces: unmasked_namespaces(settings.unmasked_namespace.clone())?,
        health: health(settings)?,
    })
}

fn health(settings: &Settings) -> Result<Vec<HealthRow>, Problem> {
    let rows = &settings.health;
    if rows.len() > HEALTH_ROWS_MAX {
        return Err(wrong(format!("health has {} rows; it can hold {HEALTH_ROWS_MAX}", rows.len())));
    }
    rows.iter().map(HealthSettings::row).collect()
}

pub(super) fn audit_target(text: String) -> Result<AuditTarget, Problem> {
    match text.as_str() {
        "" => Err(wrong("--audit-log names no file; - stands for stdout")),
        "-" => Ok(AuditTarget::Stdout),
        _ => Ok(AuditTarget::File(text.into())),
    }
}

fn log_format(text: &str) -> Result<LogFormat, Problem> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err(wrong(format!("--log-format {text} is none; it is text or json"))),
    }
}

/// What is wrong isn't quoted: a URL may hold a credential.
fn collector(text: &str) -> Result<Endpoint, Problem> {
    Endpoint::parse(text).map_err(|why| {
        wrong(format!("--otlp-endpoint can't be used: {why}; it is the base URL of a collector, such as http://collector:4318"))
    })
}

#[cfg(test)]
pub(super) mod tests {
    use shared::resource::Resource;

    use super::super::settings::tests::{flags as serve_flags, settings};
    use super::*;

    pub(in super::super) fn resolved(flags: &[&str], file: &str) -> Result<Config, Problem> {
        let flags = [&["--demo"], flags].concat();
        let settings = settings(&flags, file).expect("read");
        let reloading = Reloading::of(&serve_flags(&flags), &settings)?;
        Config::resolve(settings, reloading, |_| None, |_| false)
    }

    /// Each of these texts is refused, in a sentence with these words.
    fn check(flag: &str, texts: &[&str], words: &str) {
        for text in texts {
            let problem = resolved(&[&format!("{flag}={text}")], "").expect_err(text);
            assert!(problem.message.contains(words), "{flag} {text}: {problem}");
        }
    }

    #[test]
    fn r_authn_2_local_never_leaves_loopback_and_no_other_mode_exists() {
        check("--listen", &["0.0.0.0:8484", "[::]:8484", "192.168.1.7:8484"], "loopback");
        check("--auth", &["none", "", "OIDC", "Local"], "what there is: local");
    }

    #[test]
    fn r_authn_6_a_proxy_that_is_known_in_no_way_stops_the_start_and_other_modes_have_none() {
        let said = |flags: &[&str]| resolved(flags, "").map(drop).expect_err("refused").message.to_string();
        assert!(said(&["--auth=proxy"]).contains("must know its proxy"));
        for auth in ["local", "bearer"] {
            let auth = format!("--auth={auth}");
            for flag in
                ["--proxy-cidr=::1", "--proxy-socket=/s", "--proxy-client-ca=c", "--proxy-client-name=n"]
            {
                assert!(said(&[&auth, flag]).contains("has no effect without --auth proxy"), "{auth} {flag}");
            }
        }
        let tls = ["--tls-cert=c", "--tls-key=k"];
        assert!(
            said(&["--auth=proxy", "--proxy-client-ca=c", "--proxy-client-name=n"])
                .contains("give --tls-cert and --tls-key")
        );
        assert!(said(&[&["--auth=local"], &tls[..]].concat()).contains("no use with --auth local"));
        assert!(said(&["--auth=bearer", "--tls-cert=c"]).contains("needs --tls-key"));
        assert!(said(&["--auth=bearer", "--tls-key=c"]).contains("needs --tls-cert"));
        let config = resolved(
            &[&["--auth=proxy", "--proxy-client-ca=c", "--proxy-client-name=*"], &tls[..]].concat(),
            "",
        );
        assert!(config.expect("a configuration").tls.is_some_and(|tls| tls.proxy.is_some()));
        let config = resolved(&["--auth=bearer", "--listen=0.0.0.0:8484"], "tls-cert: c\ntls-key: k");
        assert!(config.expect("a configuration").tls.is_some_and(|tls| tls.proxy.is_none()));
    }

    #[test]
    fn what_is_masked_besides_is_read_and_a_name_that_would_mask_everything_is_refused() {
        let flags = ["--config-map-values", "--masked-name=pin,wallet-code", "--hidden-annotation=a/b"];
        let redaction = resolved(&flags, "").expect("a configuration").redaction;
        assert!(redaction.config_map_values);
        assert_eq!(redaction.credential_names, ["pin", "wallet-code"]);
        assert_eq!(redaction.dropped_annotations, ["a/b"]);
        check("--masked-name", &["x", "-", "ok,"], "not a name of two letters");
        let unmasked = resolved(&["--unmasked-namespace=ci,build"], "").expect("a configuration").redaction;
        assert_eq!(unmasked.unmasked_namespaces, ["ci", "build"]);
        assert!(unmasked.unmasked_in_words().is_some_and(|words| words.ends_with(": ci, build")));
        check("--unmasked-namespace", &["*", "ci-*", "", "CI"], "not the name of one namespace");
    }

    #[test]
    fn rows_of_health_are_read_from_the_file_and_a_wrong_one_says_what_to_write() {
        let file = "health: [{kind: things.example.com, path: .status.on, value: true, class: failing}]";
        assert_eq!(resolved(&[], file).expect("a configuration").redaction.health.len(), 1);
        for (row, words) in [
            ("{kind: Thing, path: .a, class: fine}", "health: kind \"Thing\" is not the name of a resource"),
            ("{kind: things, path: .a, class: ill}", "health: class \"ill\" is none; write one of"),
            ("{kind: things, path: '.a[', class: fine}", "health: path \".a[\" can't be read"),
        ] {
            let problem = resolved(&[], &format!("health: [{row}]")).expect_err(row);
            assert!(problem.message.contains(words), "{problem}");
        }
        let many = vec!["{kind: things, path: .a, class: fine}"; HEALTH_ROWS_MAX + 1].join(", ");
        let problem = resolved(&[], &format!("health: [{many}]")).expect_err("too many");
        assert!(problem.message.contains("it can hold"), "{problem}");
    }

    #[test]
    fn what_is_shown_is_read_and_what_would_be_everything_or_nothing_is_refused() {
        let file = "hidden-kind: [events, '*.example.org']\nhidden-namespace: [vault]";
        let config = resolved(&["--hidden-namespace=kube-*"], file).expect("a configuration");
        let shows = |namespace| {
            let pods = Resource::parse("", "v1", "pods").expect("valid");
            config.ceiling.shows_object(&pods, Some(namespace), "a")
        };
        assert_eq!(["shop", "kube-system", "vault"].map(shows), [true, false, true], "the flag alone counts");
        for flag in ["--shown-kind", "--hidden-kind", "--shown-namespace", "--hidden-namespace"] {
            check(flag, &["*", "Pods", "a/b", "kube-*-x"], flag);
        }
    }

    #[test]
    fn r_net_6_the_limits_of_connections_are_raised_by_configuration() {
        let counts = |flags, file| {
            let config = resolved(flags, file).expect("a configuration");
            (config.connections_max, config.limits.connections_per_identity)
        };
        assert_eq!(counts(&[], ""), (4_096, 100));
        let raised = counts(&["--connections-max", "20000"], "connections-per-identity-max: 10000");
        assert_eq!(raised, (20_000, 10_000));
        check("--connections-max", &["0", "-1", "many", "1e9", "99999999999999999999"], "--connections-max");
    }

    #[test]
    fn r_net_3_the_limits_of_feeds_are_raised_by_configuration() {
        let bounds = |flags, file| {
            let feeds = resolved(flags, file).expect("a configuration").limits.feeds;
            (feeds.total, feeds.per_identity)
        };
        assert_eq!(bounds(&[], ""), (512, 128));
        assert_eq!(bounds(&["--feeds-max", "2000"], "feeds-per-identity-max: 1000"), (2_000, 1_000));
        check("--feeds-max", &["0", "all"], "--feeds-max");
    }

    #[test]
    fn what_is_no_address_and_no_origin_is_named_with_an_example() {
        let no_addresses = ["8484", ":8484", "localhost", "127.0.0.1:99999", "http://127.0.0.1:8484"];
        check("--listen", &no_addresses, "--listen");
        let no_origins = ["*", "portal.example", "https://*.example", "https://portal.example/app", "null"];
        check("--allowed-origin", &no_origins, "--allowed-origin");
        assert!(resolved(&["--public-url", "https://dogwatch.example/"], "").is_ok());
        let listen = resolved(&[], "listen: localhost:9000").expect("a configuration").listen;
        assert_eq!(listen.to_string(), "127.0.0.1:9000");
    }
}
