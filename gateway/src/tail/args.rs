//! The command line, checked as far as it can be without a gateway. Never a connection.

use std::collections::BTreeSet;
use std::time::Duration;

use shared::custom_column::{CustomColumn, CustomColumns};
use shared::name::{ClusterName, Namespace, ObjectName};
use shared::selector::{FieldSelector, LabelSelector};

use crate::question::{HowFlags, Question};
use crate::since::PastTime;
use crate::tail::endpoint::GatewayFlags;

/// The flags of `dogwatch tail`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
It connects to the gateway (`dogwatch serve`) that runs on this machine. Rows go to stdout; what state they are in
(live, stale since …, gap) goes to stderr.

Exit codes:
  0    the rows were printed, and with --timeout it followed them that long; or stdout was closed; with --until, it is so
  1    something is forbidden, not found or out of reach, and stderr says what; of several namespaces with --once,
       the rows of the others are printed all the same; with --until, it wasn't so within --timeout
  2    the command line is wrong
  3    there were no exact rows within --timeout; with --until, they weren't exact at its end
  130  interrupted")]
pub struct Args {
    /// As after `kubectl get`: pods, po, deployments.apps, deployments.v1.apps, pods/cart-0
    #[arg(value_name = "RESOURCE[/NAME]")]
    pub resource: String,
    /// The object's name
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
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
    /// What is printed. table, wide, name, or custom-columns=NAME:PATH,… with a JSONPath each, evaluated by the gateway,
    /// print states, conflated: what changes faster than it is read, or than 16 ms, comes once, in its latest state. json or
    /// yaml (the whole object, a document each), ndjson (a JSON object with the cells) and events (type, name and
    /// resourceVersion) print every event, as the API server sent it
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: String,
    /// Labels to add as columns, as for `kubectl get`: -L app,tier
    #[arg(short = 'L', long, value_name = "KEYS", value_delimiter = ',')]
    pub label_columns: Vec<String>,
    /// Print the first exact rows and end
    #[arg(long)]
    pub once: bool,
    /// End after so many seconds. With --once: how long to wait for exact rows, and 60 if it is left out
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(..=TIMEOUT_S_MAX))]
    pub timeout: Option<u64>,
    /// First what changed since a time, as the gateway recorded it, each line with its time; then what is there and changes:
    /// 2h, 10m, 2026-11-29T14:02:10Z
    #[arg(long, value_name = "TIME", conflicts_with = "at")]
    pub since: Option<String>,
    /// Print the rows as of a time, as the gateway recorded them, and end
    #[arg(long, value_name = "TIME", conflicts_with_all = ["watch", "watch_only"])]
    pub at: Option<String>,
    /// End with 0 when this is so of the rows, as `dogwatch wait --for` has it: condition=Ready, jsonpath='{.status.phase}'=Failed,
    /// create, delete, 'restarts>5', 'health=failing'; several have to be so one after the other
    #[arg(long, value_name = "FORM", conflicts_with_all = ["once", "at", "since"])]
    pub until: Vec<String>,
    #[command(flatten)]
    pub how: HowFlags,
    #[command(flatten)]
    pub gateway: GatewayFlags,
    #[command(flatten)]
    pub kubectl: KubectlFlags,
}

/// The flags that `kubectl get` has as well, besides those above. Those that mean something else here are hidden from the
/// help, and answered with what to use.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct KubectlFlags {
    /// As for `kubectl get`; it follows without it too
    #[arg(short, long, conflicts_with = "once")]
    pub watch: bool,
    /// Print what changes, and not what is there at first
    #[arg(long, conflicts_with = "once")]
    pub watch_only: bool,
    /// The type of each change: a column EVENT, or `{"type":…,"object":…}` around each object
    #[arg(long)]
    pub output_watch_events: bool,
    /// All labels, as the last column
    #[arg(long)]
    pub show_labels: bool,
    /// Leave out the line of titles
    #[arg(long)]
    pub no_headers: bool,
    #[arg(long, hide = true)]
    pub sort_by: Option<String>,
    #[arg(long, hide = true)]
    pub context: Option<String>,
    #[arg(long, hide = true)]
    pub kubeconfig: Option<String>,
    #[arg(short, long, hide = true)]
    pub filename: Option<String>,
    #[arg(long, hide = true)]
    pub subresource: Option<String>,
    #[arg(long, hide = true)]
    pub template: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// The rows as `kubectl get` prints them.
    Table,
    /// The rows as `kubectl get -o wide` prints them.
    Wide,
    /// The kind and name of each row, as `kubectl get -o name` prints them.
    Name,
    /// The custom columns alone.
    Custom,
    /// Whole objects, a document each.
    Json,
    Yaml,
    /// One JSON object for each event.
    Ndjson,
    /// Type, namespace/name and resourceVersion of each event.
    Events,
}

/// What is printed, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OutputStyle {
    pub(super) format: Format,
    pub(super) has_header: bool,
    /// The type of each change stands before it.
    pub(super) shows_type: bool,
    /// The time of each recorded change stands before it.
    pub(super) shows_time: bool,
    pub(super) shows_labels: bool,
}

/// The objects of one kind, as the command line gives them. [`super::target`] adds what the gateway's kinds say.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    pub(crate) word: String,
    pub(crate) name: Option<ObjectName>,
    pub(crate) clusters: ClusterChoice,
    pub(crate) namespaces: NamespaceChoice,
    pub(crate) labels: Option<LabelSelector>,
    pub(crate) fields: Option<FieldSelector>,
}

/// The subscription as the command line gives it.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) selection: Selection,
    pub(super) output: OutputStyle,
    /// Columns beyond the server's.
    pub(super) columns: CustomColumns,
    /// Print what is there at first.
    pub(super) shows_first: bool,
    /// End with the first exact rows.
    pub(super) once: bool,
    pub(super) past: PastChoice,
    /// End when it is so.
    pub(super) until: Option<Question>,
    /// End after this time.
    pub(super) timeout: Option<Duration>,
}

/// Which part of the past is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PastChoice {
    Nothing,
    At(PastTime),
    Since(PastTime),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClusterChoice {
    /// The gateway's home cluster.
    Home,
    All,
    These(Vec<ClusterName>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NamespaceChoice {
    Context,
    All,
    These(Vec<Namespace>),
}

impl ClusterChoice {
    /// Names, each once, or all.
    pub(crate) fn read(names: &[String], is_all: bool) -> Result<Self, String> {
        if is_all {
            return Ok(Self::All);
        }
        let names: Result<Vec<_>, _> = names.iter().map(|name| ClusterName::parse(name)).collect();
        let mut names = names.map_err(|problem| problem.message)?;
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        Ok(if names.is_empty() { Self::Home } else { Self::These(names) })
    }
}

impl Format {
    /// Whether whole objects are printed, and not cells.
    pub(super) fn is_of_objects(self) -> bool {
        matches!(self, Self::Json | Self::Yaml)
    }

    /// Whether every event is printed, and not the latest states.
    pub(super) fn is_of_events(self) -> bool {
        matches!(self, Self::Json | Self::Yaml | Self::Ndjson | Self::Events)
    }

    fn is_table(self) -> bool {
        matches!(self, Self::Table | Self::Wide | Self::Custom)
    }
}

impl OutputStyle {
    #[cfg(test)]
    pub(super) fn of(format: Format) -> Self {
        Self { format, has_header: true, shows_type: false, shows_time: false, shows_labels: false }
    }

    /// Whether the rows need their objects.
    pub(super) fn needs_objects(&self) -> bool {
        self.format.is_of_objects() || self.shows_labels
    }
}

impl Args {
    /// Fails with one sentence about the first part that can't be used.
    pub(super) fn request(&self) -> Result<Request, String> {
        self.kubectl.answer()?;
        let (word, name) = self.target()?;
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
        let (output, columns) = self.output()?;
        let (clusters, past) = (ClusterChoice::read(&self.cluster, self.all_clusters)?, self.past()?);
        self.check_past(past, &clusters, &columns)?;
        let until = self.until()?;
        let once = self.once || matches!(past, PastChoice::At(_));
        let default = once.then_some(ONCE_TIMEOUT_S);
        let selection = Selection {
            word: word.to_owned(),
            name,
            clusters,
            namespaces: choice,
            labels: labels.transpose()?,
            fields: fields.transpose().map_err(|problem| problem.message)?,
        };
        Ok(Request {
            selection,
            output,
            columns,
            shows_first: !self.kubectl.watch_only,
            once,
            past,
            until,
            timeout: self.timeout.or(default).map(Duration::from_secs),
        })
    }

    /// The word for the kind, and the object's name.
    fn target(&self) -> Result<(&str, Option<&str>), String> {
        if self.resource.contains(',') {
            let words: Vec<&str> = self.resource.split(',').filter(|word| !word.is_empty()).collect();
            let each: Vec<String> = words.iter().map(|word| format!("`dogwatch tail {word}`")).collect();
            return Err(format!(
                "tail follows one kind, as `kubectl get -w` does: start {}, or open the page, which shows several side by side",
                each.join(" and ")
            ));
        }
        match (self.resource.split_once('/'), self.names.as_slice()) {
            (Some(_), [_, ..]) => {
                Err(format!("{:?} names an object already; one name is enough", self.resource))
            }
            (Some((word, name)), []) => Ok((word, Some(name))),
            (None, []) => Ok((&self.resource, None)),
            (None, [name]) => Ok((&self.resource, Some(name))),
            (None, [_, second, ..]) => Err(format!(
                "tail follows one object or all: leave {second:?} out, or select the objects by -l or --field-selector"
            )),
        }
    }

    fn past(&self) -> Result<PastChoice, String> {
        let time = |flag: &str, text: &str| {
            PastTime::parse(text).map_err(|problem| format!("{flag}: {}", problem.message))
        };
        match (&self.at, &self.since) {
            (Some(text), _) => Ok(PastChoice::At(time("--at", text)?)),
            (None, Some(text)) => Ok(PastChoice::Since(time("--since", text)?)),
            (None, None) => Ok(PastChoice::Nothing),
        }
    }

    fn until(&self) -> Result<Option<Question>, String> {
        match self.until.as_slice() {
            [] if self.how.is_given() => {
                Err("--any, --of and --hold say how --until is meant: add --until FORM, such as --until condition=Ready".to_owned())
            }
            [] => Ok(None),
            forms => self.how.question(forms).map(Some),
        }
    }

    fn check_past(
        &self,
        past: PastChoice,
        clusters: &ClusterChoice,
        columns: &CustomColumns,
    ) -> Result<(), String> {
        let is_one = match clusters {
            ClusterChoice::Home => true,
            ClusterChoice::All => false,
            ClusterChoice::These(names) => names.len() == 1,
        };
        let sentence = match past {
            PastChoice::Nothing => return Ok(()),
            _ if !is_one => "--at and --since read the record of one cluster: name it by --cluster",
            PastChoice::Since(_) if !columns.is_empty() => {
                "--since prints the columns that were recorded: leave custom-columns and -L out, or use -o json and `jq`"
            }
            PastChoice::At(_) | PastChoice::Since(_) => return Ok(()),
        };
        Err(sentence.to_owned())
    }

    fn output(&self) -> Result<(OutputStyle, CustomColumns), String> {
        let (format, columns) = self.format()?;
        let KubectlFlags { output_watch_events, show_labels, no_headers, .. } = self.kubectl;
        if show_labels && !format.is_table() {
            return Err(
                "--show-labels adds a column: use it with -o table, wide or custom-columns".to_owned()
            );
        }
        // Among changes of hours a row alone doesn't say that its object went.
        let shows_time = self.since.is_some() && format.is_table();
        let shows_type = shows_time || output_watch_events && (format.is_table() || format.is_of_objects());
        let (has_header, shows_labels) = (!no_headers, show_labels);
        Ok((OutputStyle { format, has_header, shows_type, shows_time, shows_labels }, columns))
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
            "name" => Format::Name,
            "json" | "yaml" if !self.label_columns.is_empty() => {
                return Err(
                    "-L adds columns, and a whole object has its labels already: leave -L out".to_owned()
                );
            }
            "json" => Format::Json,
            "yaml" => Format::Yaml,
            "ndjson" => Format::Ndjson,
            "events" => Format::Events,
            other if other.starts_with("jsonpath") || other.starts_with("go-template") => {
                return Err(format!(
                    "there is no output {other:?}; custom-columns=NAME:PATH takes a JSONPath, and with -o json `jq` takes all else"
                ));
            }
            other => {
                return Err(format!(
                    "there is no output {other:?}; use table, wide, name, json, yaml, ndjson, events or custom-columns=NAME:PATH,…"
                ));
            }
        };
        let labels =
            self.label_columns.iter().map(|key| CustomColumn::of_label(key)).collect::<Result<_, _>>();
        let columns = labels.and_then(CustomColumns::these).map_err(|problem| problem.message)?;
        Ok((format, columns))
    }
}

impl KubectlFlags {
    /// Fails with what to use instead.
    fn answer(&self) -> Result<(), String> {
        let answers = [
            (
                &self.sort_by,
                "--sort-by",
                "rows stand by namespace and name; the page sorts, or `--once --no-headers | sort`",
            ),
            (&self.context, "--context", "the gateway has the clusters: choose one by --cluster NAME"),
            (&self.kubeconfig, "--kubeconfig", "the gateway has it: choose a gateway by --port or --server"),
            (&self.filename, "-f", "name the resource: dogwatch tail deployments web"),
            (&self.subresource, "--subresource", "the object has its status: use -o yaml"),
            (&self.template, "--template", "use -o custom-columns=NAME:PATH, or -o json and `jq`"),
        ];
        match answers.into_iter().find(|(value, ..)| value.is_some()) {
            Some((_, flag, answer)) => Err(format!("tail has no {flag}: {answer}")),
            None => Ok(()),
        }
    }
}

/// How long `--once` waits, if it isn't told.
const ONCE_TIMEOUT_S: u64 = 60;
/// A hundred years: a clock can't count all that a `u64` holds.
const TIMEOUT_S_MAX: u64 = 100 * 365 * 86_400;

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
            assert_eq!(request.selection.word, "pods");
            assert_eq!(request.selection.name.map(|name| name.to_string()).as_deref(), Some("cart-0"));
        }
    }

    #[test]
    fn clusters_are_a_list_or_all_or_the_home_cluster() {
        let clusters =
            |arguments: &[&str]| request(&[&["pods"], arguments].concat()).expect("valid").selection.clusters;
        let these = |names: &[&str]| {
            ClusterChoice::These(names.iter().map(|name| ClusterName::parse(name).expect("valid")).collect())
        };
        assert_eq!(clusters(&[]), ClusterChoice::Home);
        assert_eq!(clusters(&["--all-clusters"]), ClusterChoice::All);
        assert_eq!(clusters(&["--cluster", "a,b,a"]), these(&["a", "b"]));
        assert_eq!(clusters(&["--cluster", "a", "--cluster", "b"]), these(&["a", "b"]));
    }

    #[test]
    fn what_kubectl_get_takes_is_taken() {
        let of = |arguments: &[&str]| request(&[&["pods"], arguments].concat()).expect("valid");
        for arguments in [&["-w"] as &[&str], &["--watch"], &["--watch", "-A"]] {
            assert!(!of(arguments).once && of(arguments).timeout.is_none());
        }
        assert!(!of(&["--watch-only"]).shows_first);
        assert!(of(&["--output-watch-events"]).output.shows_type);
        assert!(of(&["--show-labels", "-o", "wide"]).output.needs_objects());
        assert!(!of(&["--no-headers"]).output.has_header);
        assert_eq!(of(&["-o", "name"]).output.format, Format::Name);
    }

    #[test]
    fn a_view_as_of_a_time_ends_and_changes_since_a_time_have_their_time_and_type() {
        let of = |arguments: &[&str]| request(&[&["pods"], arguments].concat()).expect("valid");
        let at = of(&["--at", "10m"]);
        assert!(at.once && at.timeout.is_some() && at.past == PastChoice::At(PastTime::Ago(600_000)));
        let since = of(&["--since", "2h", "-o", "wide"]);
        assert!(!since.once && since.output.shows_time && since.output.shows_type);
        assert!(!of(&["--since", "2h", "-o", "json"]).output.shows_type, "whole objects are as they were");
    }

    #[test]
    fn a_timeout_bounds_the_following_as_it_bounds_the_wait_for_the_first_rows() {
        let of = |arguments: &[&str]| {
            let request = request(&[&["pods"], arguments].concat()).expect("valid");
            (request.once, request.timeout.map(|timeout| timeout.as_secs()))
        };
        assert_eq!(of(&[]), (false, None));
        assert_eq!(of(&["--timeout", "3"]), (false, Some(3)));
        assert_eq!(of(&["--once"]), (true, Some(60)));
        assert_eq!(of(&["--once", "--timeout", "3"]), (true, Some(3)));
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
            (&["pods,svc"], "`dogwatch tail pods` and `dogwatch tail svc`"),
            (&["pods", "a", "b"], "\"b\""),
            (&["pods", "--context", "prod"], "--cluster"),
            (&["pods", "--kubeconfig", "x"], "--server"),
            (&["pods", "--sort-by", ".metadata.name"], "| sort"),
            (&["-f", "x.yaml", "pods"], "name the resource"),
            (&["pods", "-o", "jsonpath={.a}"], "custom-columns"),
            (&["pods", "-o", "json", "--show-labels"], "--show-labels"),
            (&["pods", "--since", "yesterday"], "--since: \"yesterday\" is no time"),
            (&["pods", "--at", "14:02"], "--at: \"14:02\" is no time"),
            (&["pods", "--since", "2h", "--all-clusters"], "one cluster"),
            (&["pods", "--at", "2h", "--cluster", "a,b"], "one cluster"),
            (&["pods", "--since", "2h", "-L", "app"], "leave custom-columns and -L out"),
            (&["pods", "--until", "Ready"], "unrecognized condition"),
            (&["pods", "--hold", "5s"], "add --until"),
        ] {
            let sentence = request(arguments).expect_err("can't be used");
            assert!(sentence.contains(part), "{arguments:?}: {sentence}");
        }
    }
}
