//! The command line, checked as far as it can be without a gateway. Never a connection.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use shared::custom_column::{CustomColumn, CustomColumns};
use shared::name::{ClusterName, Namespace, ObjectName};
use shared::selector::{FieldSelector, LabelSelector};

/// The flags of `dogwatch tail`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
It connects to the gateway (`dogwatch serve`) that runs on this machine. Rows go to stdout; what state they are in
(live, stale since …, gap) goes to stderr.

Exit codes:
  0    the rows were printed, or stdout was closed
  1    something is forbidden, not found or out of reach, and stderr says what; of several namespaces with --once,
       the rows of the others are printed all the same
  2    the command line is wrong
  3    with --once: there were no exact rows within --timeout
  130  interrupted")]
pub struct Args {
    /// As after `kubectl get`: pods, po, deployments.apps, pods/cart-0
    #[arg(value_name = "RESOURCE[/NAME]")]
    pub resource: String,
    /// The object's name
    pub name: Option<String>,
    /// A namespace; repeat it for several: -n shop -n payments [default: the one of the gateway's context,
    /// else `default`]
    #[arg(short, long, value_name = "NS")]
    pub namespace: Vec<String>,
    /// All namespaces
    #[arg(short = 'A', long, conflicts_with = "namespace")]
    pub all_namespaces: bool,
    /// A cluster of the gateway's, or several, which come as one table: --cluster prod,staging [default: its home cluster]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub cluster: Vec<String>,
    /// All clusters of the gateway
    #[arg(long, conflicts_with = "cluster")]
    pub all_clusters: bool,
    /// Label selector, evaluated by the gateway: app=web,tier in (api,worker)
    #[arg(short = 'l', long = "selector", value_name = "SEL")]
    pub labels: Option<String>,
    /// Field selector, evaluated by the API server: spec.nodeName=a,status.phase!=Running
    #[arg(long, value_name = "SEL")]
    pub field_selector: Option<String>,
    /// table, wide, json or yaml (whole objects, one document each), ndjson (a JSON object for each change), events
    /// (type, name and resourceVersion of each change), or custom-columns=NAME:PATH,… with a JSONPath each, evaluated by the gateway
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: String,
    /// Labels to add as columns, as for `kubectl get`: -L app,tier
    #[arg(short = 'L', long, value_name = "KEYS", value_delimiter = ',')]
    pub label_columns: Vec<String>,
    /// Print the first exact rows and end
    #[arg(long)]
    pub once: bool,
    /// With --once: how many seconds to wait for exact rows
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub timeout: u64,
    /// Which gateway, if several of yours run on this machine: http://127.0.0.1:PORT
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// The file of a token, for a gateway with --auth bearer; it is read again at every connection
    #[arg(long, value_name = "FILE", requires = "server")]
    pub token_file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// The rows as `kubectl get` prints them.
    Table,
    /// The rows as `kubectl get -o wide` prints them.
    Wide,
    /// The custom columns alone.
    Custom,
    /// Whole objects, a document each.
    Json,
    Yaml,
    /// One JSON object for each change.
    Ndjson,
    /// Type, namespace/name and resourceVersion of each change.
    Events,
}

/// The subscription as the command line gives it. [`super::target`] adds what the gateway's kinds say.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) word: String,
    pub(super) name: Option<ObjectName>,
    pub(super) clusters: ClusterChoice,
    pub(super) namespaces: NamespaceChoice,
    pub(super) labels: Option<LabelSelector>,
    pub(super) fields: Option<FieldSelector>,
    pub(super) format: Format,
    /// Columns beyond the server's.
    pub(super) columns: CustomColumns,
    /// `--once`, with its timeout.
    pub(super) once: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClusterChoice {
    /// The gateway's home cluster.
    Home,
    All,
    These(Vec<ClusterName>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NamespaceChoice {
    Context,
    All,
    These(Vec<Namespace>),
}

impl Format {
    /// Whether whole objects are printed, and not cells.
    pub(super) fn is_of_objects(self) -> bool {
        matches!(self, Self::Json | Self::Yaml)
    }
}

impl Args {
    /// Fails with one sentence about the first part that can't be used.
    pub(super) fn request(&self) -> Result<Request, String> {
        let (word, name) = match (self.resource.split_once('/'), &self.name) {
            (Some((_, _)), Some(_)) => {
                return Err(format!("{:?} names an object already; one name is enough", self.resource));
            }
            (Some((word, name)), None) => (word, Some(name)),
            (None, name) => (self.resource.as_str(), name.as_deref()),
        };
        let name = name.map(ObjectName::parse).transpose().map_err(|problem| problem.message)?;
        if name.is_some() && (self.all_namespaces || self.namespace.len() > 1) {
            return Err("an object has one namespace: name it with one -n".to_owned());
        }
        let namespaces: Result<Vec<_>, _> =
            self.namespace.iter().map(|name| Namespace::parse(name)).collect();
        let choice = match namespaces.map_err(|problem| problem.message)? {
            names if !names.is_empty() => NamespaceChoice::These(names),
            _ if self.all_namespaces => NamespaceChoice::All,
            _ => NamespaceChoice::Context,
        };
        let labels = self.labels.as_deref().filter(|text| !text.is_empty()).map(|text| {
            LabelSelector::parse(text).map_err(|problem| format!("-l {text:?}: {}", problem.message))
        });
        let fields = self.field_selector.as_deref().filter(|text| !text.is_empty()).map(FieldSelector::parse);
        let (format, columns) = self.format()?;
        Ok(Request {
            word: word.to_owned(),
            name,
            clusters: self.clusters()?,
            namespaces: choice,
            labels: labels.transpose()?,
            fields: fields.transpose().map_err(|problem| problem.message)?,
            format,
            columns,
            once: self.once.then(|| Duration::from_secs(self.timeout)),
        })
    }

    fn clusters(&self) -> Result<ClusterChoice, String> {
        if self.all_clusters {
            return Ok(ClusterChoice::All);
        }
        let names: Result<Vec<_>, _> = self.cluster.iter().map(|name| ClusterName::parse(name)).collect();
        let mut names = names.map_err(|problem| problem.message)?;
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        Ok(if names.is_empty() { ClusterChoice::Home } else { ClusterChoice::These(names) })
    }

    fn format(&self) -> Result<(Format, CustomColumns), String> {
        if let Some(list) = self.output.strip_prefix("custom-columns=") {
            if !self.label_columns.is_empty() {
                return Err(
                    "-L stands beside the server's columns: add .metadata.labels['KEY'] to custom-columns"
                        .to_owned(),
                );
            }
            let columns = CustomColumns::parse(list).map_err(|problem| problem.message)?;
            return Ok((Format::Custom, columns));
        }
        let format = match self.output.as_str() {
            "table" => Format::Table,
            "wide" => Format::Wide,
            "json" | "yaml" if !self.label_columns.is_empty() => {
                return Err(
                    "-L adds columns, and a whole object has its labels already: leave -L out".to_owned()
                );
            }
            "json" => Format::Json,
            "yaml" => Format::Yaml,
            "ndjson" => Format::Ndjson,
            "events" => Format::Events,
            other => {
                return Err(format!(
                    "there is no output {other:?}; use table, wide, json, yaml, ndjson, events or custom-columns=NAME:PATH,…"
                ));
            }
        };
        let labels =
            self.label_columns.iter().map(|key| CustomColumn::of_label(key)).collect::<Result<_, _>>();
        let columns = labels.and_then(CustomColumns::these).map_err(|problem| problem.message)?;
        Ok((format, columns))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn request(arguments: &[&str]) -> Result<Request, String> {
        Cli::try_parse_from([&["tail"], arguments].concat()).expect("clap reads it").args.request()
    }

    #[test]
    fn a_name_may_stand_behind_a_slash_or_a_space() {
        for arguments in [&["pods/cart-0"] as &[&str], &["pods", "cart-0"]] {
            let request = request(arguments).expect("valid");
            assert_eq!(request.word, "pods");
            assert_eq!(request.name.map(|name| name.to_string()).as_deref(), Some("cart-0"));
        }
    }

    #[test]
    fn clusters_are_a_list_or_all_or_the_home_cluster() {
        let clusters =
            |arguments: &[&str]| request(&[&["pods"], arguments].concat()).expect("valid").clusters;
        let these = |names: &[&str]| {
            ClusterChoice::These(names.iter().map(|name| ClusterName::parse(name).expect("valid")).collect())
        };
        assert_eq!(clusters(&[]), ClusterChoice::Home);
        assert_eq!(clusters(&["--all-clusters"]), ClusterChoice::All);
        assert_eq!(clusters(&["--cluster", "a,b,a"]), these(&["a", "b"]));
        assert_eq!(clusters(&["--cluster", "a", "--cluster", "b"]), these(&["a", "b"]));
    }

    #[test]
    fn each_part_that_cannot_be_used_is_named() {
        for (arguments, part) in [
            (&["pods/a", "b"] as &[&str], "pods/a"),
            (&["pods/a%b"], "a%b"),
            (&["pods/a", "-A"], "one -n"),
            (&["pods/a", "-n", "a", "-n", "b"], "one -n"),
            (&["pods", "-n", "Not_A_Name"], "Not_A_Name"),
            (&["pods", "--cluster", "a,No_Name"], "No_Name"),
            (&["pods", "-l", "app in web"], "app in web"),
            (&["pods", "--field-selector", "nonsense"], "nonsense"),
            (&["pods", "-o", "xml"], "\"xml\""),
            (&["pods", "-o", "yaml", "-L", "app"], "-L"),
            (&["pods", "-o", "custom-columns=IP"], "NAME:PATH"),
            (&["pods", "-o", "custom-columns=IP:.status[x]"], "invalid array index x at character 9"),
            (&["pods", "-o", "custom-columns=IP:.a", "-L", "app"], "-L"),
        ] {
            let sentence = request(arguments).expect_err("can't be used");
            assert!(sentence.contains(part), "{arguments:?}: {sentence}");
        }
    }
}
