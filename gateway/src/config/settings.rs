//! Every setting of `dogwatch serve`. A field's attributes declare its flag, its environment variable, its
//! key in the YAML file and its default; [`super::resolve`] says what its text means. Never a connection.

use std::path::{Path, PathBuf};

use clap::builder::FalseyValueParser;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::problem::Problem;

use super::history::RecordSettings;
use super::lists::{BoardLink, ClusterSettings, HealthSettings, one_or_several};
use super::rules::{ReceiverEntry, RuleEntry};
use super::tls::TlsSettings;
use super::wrong;
use crate::access::modes::{self, ModeFlags};
use crate::limits::{
    CONNECTIONS_MAX, CONNECTIONS_PER_IDENTITY_MAX, DEMO_MINUTES, FEEDS_MAX, FEEDS_PER_IDENTITY_MAX,
};
use crate::plain_file;

/// All values are texts: [`super::resolve`] parses them, and says what is wrong wherever they came from.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Settings {
    /// Where the page is served; with --auth local a loopback address
    #[arg(long, env = "DOGWATCH_LISTEN", value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8484")]
    pub(super) listen: String,

    /// The kubeconfig to use [default: KUBECONFIG, else ~/.kube/config, else the pod's own account]
    #[arg(long, env = "DOGWATCH_KUBECONFIG", value_name = "FILE")]
    pub(super) kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig; repeat it to show several clusters, of which the first is the home cluster [default: the current one]
    #[arg(long, env = "DOGWATCH_CONTEXT", value_name = "NAME")]
    #[serde(deserialize_with = "one_or_several")]
    pub(super) context: Vec<String>,

    /// Show the clusters of all contexts of the kubeconfig; the home cluster is the one of --context, else of the current context
    #[arg(long, env = "DOGWATCH_ALL_CONTEXTS", value_parser = FalseyValueParser::new())]
    pub(super) all_contexts: bool,

    /// Show the clusters, too, of the ClusterProfiles in this namespace of the home cluster, or with `*` in all of its namespaces
    #[arg(long, env = "DOGWATCH_CLUSTER_PROFILES", value_name = "NAMESPACE")]
    pub(super) cluster_profiles: Option<String>,

    /// Which plugins bring the credentials for the clusters of ClusterProfiles: a file as KEP-5339 has it
    #[arg(long, env = "DOGWATCH_CLUSTER_PROFILE_PROVIDERS", value_name = "FILE")]
    pub(super) cluster_profile_providers: Option<PathBuf>,

    /// Show a demo cluster that lives in this process, instead of your own
    #[arg(long, env = "DOGWATCH_DEMO", value_parser = FalseyValueParser::new())]
    pub(super) demo: bool,

    /// How many demo clusters there are with --demo
    #[arg(long, env = "DOGWATCH_DEMO_CLUSTERS", value_name = "COUNT", default_value = "1")]
    pub(super) demo_clusters: String,

    /// For how many minutes a demo cluster has lived before its start, which its past shows
    #[arg(long, env = "DOGWATCH_DEMO_MINUTES", value_name = "COUNT", default_value_t = DEMO_MINUTES.to_string())]
    pub(super) demo_minutes: String,

    #[arg(long, env = "DOGWATCH_AUTH", value_name = "MODE", default_value = "local", help = modes::HELP)]
    pub(super) auth: String,

    /// Whose rights the gateway's requests have: `shared`, its own behind reviews, `passthrough`, each viewer's by
    /// their own token, or `impersonate`, each viewer's, whom it impersonates
    #[arg(long, env = "DOGWATCH_RIGHTS", value_name = "MODE", default_value = "shared")]
    pub(super) rights: String,

    #[command(flatten)]
    #[serde(flatten)]
    pub(super) modes: ModeFlags,

    #[command(flatten)]
    #[serde(flatten)]
    pub(super) tls: TlsSettings,

    /// The URL at which people reach the gateway, if that isn't the address it listens on
    #[arg(long, env = "DOGWATCH_PUBLIC_URL", value_name = "URL")]
    pub(super) public_url: Option<String>,

    /// The path below which the gateway is served, such as /dogwatch, if a reverse proxy has other sites beside it [default: the path of --public-url]
    #[arg(long, env = "DOGWATCH_BASE_PATH", value_name = "PATH")]
    pub(super) base_path: Option<String>,

    /// Another site whose pages may use this gateway, such as https://portal.example; may be repeated
    #[arg(long, env = "DOGWATCH_ALLOWED_ORIGIN", value_name = "ORIGIN", value_delimiter = ',')]
    pub(super) allowed_origin: Vec<String>,

    /// Where /metrics is served for Prometheus [default: nowhere]
    #[arg(long, env = "DOGWATCH_METRICS_LISTEN", value_name = "ADDRESS:PORT")]
    pub(super) metrics_listen: Option<String>,

    /// How the log on stderr is written: `text`, or `json`, one object a line
    #[arg(long, env = "DOGWATCH_LOG_FORMAT", value_name = "FORMAT", default_value = "text")]
    pub(super) log_format: String,

    /// An OpenTelemetry collector that gets the spans of requests with a sampled traceparent, by OTLP over HTTP, such as http://collector:4318 [default: none]
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL")]
    pub(super) otlp_endpoint: Option<String>,

    /// A file that gets one JSON object for each login, subscription, refusal and end of a right, or - for stdout [default: none]
    #[arg(long, env = "DOGWATCH_AUDIT_LOG", value_name = "FILE")]
    pub(super) audit_log: Option<String>,

    /// A kind to show, such as pods, deployments.apps or *.example.org, and no others; may be repeated
    #[arg(long, env = "DOGWATCH_SHOWN_KIND", value_name = "KIND", value_delimiter = ',')]
    pub(super) shown_kind: Vec<String>,

    /// A kind to hide, such as events or *.example.org; Secrets are unless --secret-names is given; may be repeated
    #[arg(long, env = "DOGWATCH_HIDDEN_KIND", value_name = "KIND", value_delimiter = ',')]
    pub(super) hidden_kind: Vec<String>,

    /// A namespace to show, such as shop or team-*, and no others; may be repeated
    #[arg(long, env = "DOGWATCH_SHOWN_NAMESPACE", value_name = "NAMESPACE", value_delimiter = ',')]
    pub(super) shown_namespace: Vec<String>,

    /// A namespace to hide with all that is in it, such as kube-*; may be repeated
    #[arg(long, env = "DOGWATCH_HIDDEN_NAMESPACE", value_name = "NAMESPACE", value_delimiter = ',')]
    pub(super) hidden_namespace: Vec<String>,

    /// Show Secrets by name, type and number of values; their values are never read
    #[arg(long, env = "DOGWATCH_SECRET_NAMES", value_parser = FalseyValueParser::new())]
    pub(super) secret_names: bool,

    /// Show what containers write, to whoever may get pods/log; --logs=false shows it to nobody [default: true with --auth local, else false]
    #[arg(
        long,
        env = "DOGWATCH_LOGS",
        value_name = "BOOLEAN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = FalseyValueParser::new()
    )]
    pub(super) logs: Option<bool>,

    /// Show the values of ConfigMaps, which are masked otherwise
    #[arg(long, env = "DOGWATCH_CONFIG_MAP_VALUES", value_parser = FalseyValueParser::new())]
    pub(super) config_map_values: bool,

    /// A name whose values are masked in every kind, besides those that are always; may be repeated
    #[arg(long, env = "DOGWATCH_MASKED_NAME", value_name = "NAME", value_delimiter = ',')]
    pub(super) masked_name: Vec<String>,

    /// An annotation that is left out, besides those that always are; may be repeated
    #[arg(long, env = "DOGWATCH_HIDDEN_ANNOTATION", value_name = "NAME", value_delimiter = ',')]
    pub(super) hidden_annotation: Vec<String>,

    /// A namespace whose objects are shown with all their values, for controllers that read them here; may be repeated
    #[arg(long, env = "DOGWATCH_UNMASKED_NAMESPACE", value_name = "NAMESPACE", value_delimiter = ',')]
    pub(super) unmasked_namespace: Vec<String>,

    #[command(flatten)]
    #[serde(flatten)]
    pub(super) record: RecordSettings,

    /// How many connections all people together may have open; a further one is closed at once
    #[arg(long, env = "DOGWATCH_CONNECTIONS_MAX", value_name = "COUNT", default_value_t = CONNECTIONS_MAX.to_string())]
    pub(super) connections_max: String,

    /// How many pages and tails one person may have open; a further one is refused and told why
    #[arg(long, env = "DOGWATCH_CONNECTIONS_PER_IDENTITY_MAX", value_name = "COUNT", default_value_t = CONNECTIONS_PER_IDENTITY_MAX.to_string())]
    pub(super) connections_per_identity_max: String,

    /// How many feeds, each a list and a watch, all people together may have open; a further one is refused
    #[arg(long, env = "DOGWATCH_FEEDS_MAX", value_name = "COUNT", default_value_t = FEEDS_MAX.to_string())]
    pub(super) feeds_max: String,

    /// How many feeds one person may have open; a further one is refused and told why
    #[arg(long, env = "DOGWATCH_FEEDS_PER_IDENTITY_MAX", value_name = "COUNT", default_value_t = FEEDS_PER_IDENTITY_MAX.to_string())]
    pub(super) feeds_per_identity_max: String,

    /// How many gateways run with these settings; several tell a webhook once
    #[arg(long, env = "DOGWATCH_REPLICAS", value_name = "COUNT", default_value = "1")]
    pub(super) replicas: String,

    /// The clusters, in the order of a page; in the file alone.
    #[arg(skip)]
    pub(super) clusters: Vec<ClusterSettings>,

    /// A file of `dogwatch record` that is shown instead of a cluster; on the command line of `replay` alone.
    #[arg(skip)]
    #[serde(skip)]
    pub(super) replay: Option<PathBuf>,

    /// What is told of, and to whom; in the file alone.
    #[arg(skip)]
    pub(super) rules: Vec<RuleEntry>,

    /// The webhooks and Alertmanagers that are told; in the file alone.
    #[arg(skip)]
    pub(super) receivers: Vec<ReceiverEntry>,

    /// Kinds at the top of the navigation; in the file alone.
    #[arg(skip)]
    pub(super) pinned: Vec<String>,

    /// Kinds that are always looked at for children of custom kinds; in the file alone.
    #[arg(skip)]
    pub(super) child_kinds: Vec<String>,

    /// Rows that come before the rules of how objects stand; in the file alone.
    #[arg(skip)]
    pub(super) health: Vec<HealthSettings>,

    /// Links with names, for every page; in the file alone.
    #[arg(skip)]
    pub(super) boards: Vec<BoardLink>,

    /// A YAML file whose keys are these flags, without the dashes before them
    #[arg(long, env = "DOGWATCH_CONFIG", value_name = "FILE")]
    #[serde(skip)]
    config: Option<PathBuf>,
}

/// The command line and the environment, for [`super::Config::of`].
#[derive(Clone, Debug)]
pub struct ServeFlags(ArgMatches);

impl FromArgMatches for ServeFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(matches.clone()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = matches.clone();
        Ok(())
    }
}

impl Args for ServeFlags {
    fn augment_args(command: Command) -> Command {
        Settings::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Settings::augment_args_for_update(command)
    }
}

impl Settings {
    /// The command line comes before the environment, that before the file, and the file before the default.
    pub(super) fn of(ServeFlags(matches): &ServeFlags) -> Result<Self, Problem> {
        let flags = Self::from_arg_matches(matches).map_err(|error| wrong(error.to_string()))?;
        let Some(path) = &flags.config else { return Ok(flags) };
        let text = plain_file::read_to_string(path).map_err(|error| {
            wrong(format!(
                "the configuration {} can't be read: {error}; name another with --config",
                path.display()
            ))
        })?;
        let mut settings = flags
            .with_file(matches, &text)
            .map_err(|why| wrong(format!("the configuration {} is wrong: {why}", path.display())))?;
        // A relative path in a file starts at the file's folder, not at the working directory.
        let folder = path.parent().unwrap_or(Path::new(""));
        for cluster in &mut settings.clusters {
            cluster.kubeconfig = cluster.kubeconfig.take().map(|file| folder.join(file));
        }
        settings.receivers.iter_mut().for_each(|receiver| receiver.below(folder));
        let kubeconfig = [
            ("kubeconfig", settings.kubeconfig.as_mut()),
            ("cluster-profile-providers", settings.cluster_profile_providers.as_mut()),
        ];
        let paths = kubeconfig
            .into_iter()
            .chain(settings.tls.paths())
            .chain(settings.record.paths())
            .chain(settings.modes.paths());
        for (key, path) in paths {
            if let Some(path) = path.filter(|_| !is_given(matches, key)) {
                *path = folder.join(&*path);
            }
        }
        if !is_given(matches, "proxy-jwt-keys") {
            settings.modes.proxy_keys_below(folder);
        }
        if !is_given(matches, "audit-log") {
            let in_folder = |file: String| match file.as_str() {
                "-" => file,
                _ => folder.join(file).to_string_lossy().into_owned(),
            };
            settings.audit_log = settings.audit_log.map(in_folder);
        }
        Ok(settings)
    }

    /// An unknown key is an error: otherwise a setting would silently have no effect.
    fn with_file(&self, matches: &ArgMatches, text: &str) -> Result<Self, String> {
        let Ok(Value::Object(mut merged)) = serde_json::to_value(self) else {
            return Err("the settings can't be written".to_owned());
        };
        for (key, value) in keys_of(text)? {
            if !merged.contains_key(&key) {
                return Err(format!("the key {key:?} is unknown; {}", nearest(&key, &merged)));
            }
            if !value.is_null() && !is_given(matches, &key) {
                merged.insert(key, if let Value::Number(n) = value { n.to_string().into() } else { value });
            }
        }
        serde_json::from_value(Value::Object(merged)).map_err(|error| error.to_string())
    }
}

/// Whether a key's flag or environment variable was given.
fn is_given(matches: &ArgMatches, key: &str) -> bool {
    let name = key.replace('-', "_");
    let source =
        matches.ids().find(|id| id.as_str() == name).and_then(|id| matches.value_source(id.as_str()));
    source.is_some_and(|source| source != ValueSource::DefaultValue)
}

fn keys_of(text: &str) -> Result<Map<String, Value>, String> {
    let is_empty = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
    if is_empty {
        return Ok(Map::new());
    }
    serde_saphyr::from_str(text).map_err(|error| {
        let line = error.to_string();
        format!("it is not a mapping in YAML ({})", line.lines().next().unwrap_or_default())
    })
}

fn nearest(unknown: &str, known: &Map<String, Value>) -> String {
    let near = known.keys().min_by_key(|key| strsim::osa_distance(key, unknown));
    let near = near.filter(|key| strsim::osa_distance(key, unknown) <= 1 + key.len() / 3);
    match near {
        Some(key) => format!("did you mean {key:?}?"),
        None => format!("it can hold {}", known.keys().map(String::as_str).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        _settings: Settings,
    }

    pub(in super::super) fn flags(flags: &[&str]) -> ServeFlags {
        ServeFlags(Cli::command().get_matches_from([&["serve"], flags].concat()))
    }

    /// What these flags and this file come to.
    pub(in super::super) fn settings(arguments: &[&str], file: &str) -> Result<Settings, String> {
        let ServeFlags(matches) = flags(arguments);
        Settings::from_arg_matches(&matches).expect("read").with_file(&matches, file)
    }

    #[test]
    fn every_setting_is_a_key_a_flag_comes_before_it_and_the_default_behind_it() {
        let file = "listen: 127.0.0.1:9000\nkubeconfig: k\ncontext: [c, d]\ndemo: true\ndemo-clusters: 2\ndemo-minutes: 5\nauth: other\n\
             all-contexts: true\ncluster-profiles: fleet\ncluster-profile-providers: p\n\
             clusters: [{name: prod, context: p}, {name: here, in-cluster: true}]\n\
             rights: passthrough\npublic-url: https://d.example\nbase-path: /d\naudit-log: a.log\nallowed-origin: [https://p.example]\nmetrics-listen: 127.0.0.1:1\n\
             log-format: json\nplain-address: true\napi-listen: none\notlp-endpoint: http://c:4318\n\
             tls-cert: c\ntls-key: k\n\
             proxy-client-ca: c\nproxy-client-name: [front]\nproxy-socket: /s\nproxy-jwt-keys: k\n\
             proxy-jwt-header: h\nproxy-jwt-issuer: i\nproxy-jwt-audience: a\nproxy-jwt-user-claim: email\n\
             proxy-jwt-groups-claim: roles\nproxy-cidr: [10.0.0.0/8]\nproxy-user-header: u\n\
             proxy-groups-header: g\nproxy-groups-separator: '|'\n\
             shown-kind: [pods]\nhidden-kind: [events]\nshown-namespace: [shop]\nhidden-namespace: [vault]\n\
             secret-names: true\nlogs: true\nconfig-map-values: true\nmasked-name: [pin]\nhidden-annotation: [a.example/b]\nunmasked-namespace: [ci]\n\
             history: ./past\nhistory-mib: 100\nhistory-days: 3\nhistory-kind: [pods]\n\
             history-password-file: p\nhistory-ca-file: c\nhistory-cert-file: d\nhistory-key-file: k\n\
             connections-max: 20000\nconnections-per-identity-max: 200\nfeeds-max: 2000\n\
             feeds-per-identity-max: 200\npinned: [pods]\nchild-kinds: [parts.example.com]\n\
             oidc-issuer: https://i\noidc-client-id: c\noidc-client-secret-file: s\noidc-ca-file: a\n\
             oidc-username-claim: email\noidc-username-prefix: 'u:'\noidc-groups-claim: groups\n\
             oidc-groups-prefix: 'g:'\noidc-scope: [groups]\nsession-hours: 8\nsession-unconfirmed-minutes: 30\nsession-key-file: k\npeers: p:1\npeers-ca-file: a\n\
             health: [{kind: things.example.com, path: .status.on, value: 'true', class: failing, why: it is on}]\n\
             receivers: [{name: ops, webhook: 'https://h.example/x', secret-file: k}]\n\
             rules: [{name: a, kind: pods, when: health=failing, resolved: true, to: [ops]}]\n\
             replicas: 3\n\
             boards: [{name: On call, link: /b?v=pods}]\n";
        let written = serde_json::to_value(settings(&[], file).expect("read")).expect("JSON");
        for (key, value) in keys_of(file).expect("a mapping") {
            let value = if let Value::Number(n) = value { n.to_string().into() } else { value };
            assert_eq!(written[&key], value, "{key}");
        }
        let defaults = serde_json::to_value(settings(&[], "# nothing yet\n\n").expect("read")).expect("JSON");
        for key in defaults.as_object().expect("an object").keys() {
            assert_ne!(written[key], defaults[key], "{key} has its default, or isn't in this test");
        }
        let both = settings(&["--listen", "[::1]:7000", "--allowed-origin", "https://a.example"], file);
        let both = both.expect("read");
        assert_eq!(
            (both.listen.as_str(), both.allowed_origin),
            ("[::1]:7000", vec!["https://a.example".into()])
        );
        assert_eq!(both.context, ["c", "d"]);
        assert_eq!(settings(&[], "context: c").expect("one is a list of one").context, ["c"]);
    }

    #[test]
    fn what_is_wrong_in_a_file_is_named() {
        for (text, fragments) in [
            ("lisen: x", ["lisen", "\"listen\""]),
            ("publicUrl: x", ["publicUrl", "\"public-url\""]),
            ("colour: x", ["colour", "metrics-listen"]),
            ("clusters: [{name: a, colour: x}]", ["colour", "in-cluster"]),
            ("context: {a: b}", ["context", "list of names"]),
            ("config: x", ["config", "context"]),
            ("demo: perhaps", ["perhaps", "boolean"]),
            ("- listen", ["mapping", "YAML"]),
            ("listen: [", ["mapping", "YAML"]),
        ] {
            let why = settings(&[], text).map(drop).expect_err(text);
            assert!(fragments.iter().all(|fragment| why.contains(fragment)), "{text}: {why}");
        }
    }

    #[test]
    fn a_path_in_a_file_starts_at_the_files_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("dogwatch.yaml");
        std::fs::write(&path, "kubeconfig: k\naudit-log: a").expect("written");
        let config = path.to_str().expect("text");
        let read = |arguments: &[&str]| {
            let settings = Settings::of(&flags(arguments)).expect("read");
            [settings.kubeconfig, settings.audit_log.map(PathBuf::from)].map(|path| path.expect("given"))
        };
        assert_eq!(read(&["--config", config]), ["k", "a"].map(|file| folder.path().join(file)));
        let given = ["--config", config, "--kubeconfig", "here", "--audit-log", "-"];
        assert_eq!(read(&given), ["here", "-"].map(PathBuf::from));
    }

    #[test]
    fn the_document_names_every_key_with_its_variable() {
        let document = include_str!("../../../docs/CONFIGURATION.md");
        let Value::Object(keys) = serde_json::to_value(settings(&[], "").expect("read")).expect("JSON")
        else {
            panic!("an object")
        };
        for key in keys.keys().map(String::as_str).chain(["config"]) {
            assert!(document.contains(&format!("| `{key}` |")), "{key}");
        }
        for variable in Cli::command().get_arguments().filter_map(clap::Arg::get_env) {
            assert!(document.contains(&format!("`{}`", variable.display())), "{variable:?}");
        }
    }
}
