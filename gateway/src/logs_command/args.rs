//! The command line of `dogwatch logs`, which is kubectl's, in kubectl's words where it refuses one. Never a connection.

use std::time::Duration;

use jiff::Timestamp;
use shared::name::{Namespace, ObjectName};
use shared::selector::LabelSelector;

use crate::question::duration;
use crate::tail::args::{ClusterChoice, NamespaceChoice, Selection};
use crate::tail::endpoint::GatewayFlags;

/// The flags of `dogwatch logs`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
What differs from `kubectl logs`: lines of several containers that are there already come merged by their times, and those
that are written later as they come; deploy/cart and the like are all pods of it; with -f, containers are followed over
their restarts, and pods that come later are followed too; what happens between the lines (a restart, a pod that is gone,
lines that were skipped) goes to stderr. Of several clusters it reads the same in each, and merges what is there as well;
one that refuses is a sentence on stderr, and the others are printed. Credentials are masked as everywhere. In a terminal,
control characters other than colours are shown and not obeyed.

It asks the gateway (`dogwatch serve`) that runs on this machine, which has to show logs (its setting `logs`).

Exit codes:
  0    what is there was printed, or stdout was closed
  1    something is forbidden, not found or out of reach, and stderr says what; of several clusters, the lines of the
       others are printed all the same
  2    a flag can't be read
  130  interrupted

  dogwatch logs cart-0 -c proxy --tail 20
  dogwatch logs deploy/cart -n shop -f --since 10m
  dogwatch logs deploy/cart -n shop --cluster eu-1,eu-2")]
pub struct Args {
    /// As after `kubectl logs`: cart-0, pod/cart-0, deploy/cart, job/import, svc/cart
    #[arg(value_name = "POD | TYPE/NAME")]
    pub resource: Option<String>,
    #[arg(value_name = "CONTAINER", hide = true)]
    pub container_too: Option<String>,
    /// Follow what is written from now on, over restarts and new pods
    #[arg(short, long)]
    pub follow: bool,
    /// The run of the container before this one
    #[arg(short, long)]
    pub previous: bool,
    /// So many of the last lines of each container; -1 for all [default: all, with a selector 10]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub tail: Option<i64>,
    /// Only lines that are newer than that: 5s, 2m, 3h
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub since: Option<String>,
    /// Only lines from that time on: 2026-11-29T14:02:10Z
    #[arg(long, value_name = "TIME")]
    pub since_time: Option<String>,
    /// The container [default: the one that the pod's annotation names, else its first one]
    #[arg(short, long, value_name = "NAME")]
    pub container: Option<String>,
    /// The pods that this selects: app=web,tier in (api,worker)
    #[arg(short = 'l', long = "selector", value_name = "SEL")]
    pub labels: Option<String>,
    /// All containers of each pod
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub all_containers: Option<bool>,
    /// The time of each line before it
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub timestamps: Option<bool>,
    /// The pod and the container of each line before it, and of several clusters its cluster: [eu-1/pod/cart-0/app]
    /// [default: of a kind that has several pods, and of several clusters]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub prefix: Option<bool>,
    /// At most so many bytes of each container; 0 for all
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    pub limit_bytes: i64,
    /// The namespace [default: the one of the gateway's context, else `default`]
    #[arg(short, long, value_name = "NS")]
    pub namespace: Option<String>,
    /// A cluster of the gateway's, or several: --cluster prod,staging [default: its home cluster]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub cluster: Vec<String>,
    /// All clusters of the gateway
    #[arg(long, conflicts_with = "cluster")]
    pub all_clusters: bool,
    #[command(flatten)]
    pub gateway: GatewayFlags,
    #[command(flatten)]
    pub kubectl: KubectlFlags,
}

/// The flags that `kubectl logs` has as well, and that change nothing here: all pods are read, however many, and a log that
/// can't be read doesn't end the others.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct KubectlFlags {
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub all_pods: Option<bool>,
    #[arg(long, hide = true)]
    pub ignore_errors: bool,
    #[arg(long, hide = true)]
    pub max_log_requests: Option<u32>,
    #[arg(long, hide = true)]
    pub pod_running_timeout: Option<String>,
}

/// What is to be printed, as the command line gives it.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) selection: Selection,
    pub(super) containers: Containers,
    pub(super) follows: bool,
    pub(super) previous: bool,
    pub(super) since: Since,
    pub(super) tail: Option<u32>,
    pub(super) has_times: bool,
    pub(super) has_prefix: bool,
    /// The same where several clusters are read.
    pub(super) has_prefix_of_several: bool,
    /// The bound for each container.
    pub(super) bytes_max: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Containers {
    Default,
    All,
    Named(Box<str>),
}

/// From when on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Since {
    Beginning,
    Ago(Duration),
    Time(Timestamp),
}

const USAGE: &str = "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command";
/// As kubectl has it.
const TAIL_OF_SELECTOR: u32 = 10;

impl Args {
    /// Fails with one sentence, kubectl's where it refuses the same.
    pub(super) fn request(&self) -> Result<Request, String> {
        let labels = self.labels.as_deref().filter(|text| !text.is_empty());
        let (word, name) = match (self.resource.as_deref(), labels) {
            (None, None) => return Err(USAGE.to_owned()),
            (Some(_), Some(_)) => return Err("only a selector (-l) or a POD name is allowed".to_owned()),
            (None, Some(_)) => ("pods", None),
            (Some(resource), None) => match resource.split('/').collect::<Vec<_>>().as_slice() {
                [name] => ("pods", Some(*name)),
                [word, name] if !word.is_empty() && !name.is_empty() => (*word, Some(*name)),
                _ => {
                    return Err(
                        "arguments in resource/name form must have a single resource and name".to_owned()
                    );
                }
            },
        };
        let is_owner = !matches!(word, "pod" | "pods" | "po");
        let tail = self.tail(labels.is_some())?;
        let bytes_max = match self.limit_bytes {
            ..0 => return Err("--limit-bytes must be greater than 0".to_owned()),
            0 => None,
            bytes => u64::try_from(bytes).ok(),
        };
        Ok(Request {
            selection: self.selection(word, name, labels)?,
            containers: self.containers()?,
            follows: self.follow,
            previous: self.previous,
            since: self.since()?,
            tail,
            has_times: self.timestamps.unwrap_or_default(),
            has_prefix: self.prefix.unwrap_or(is_owner || self.kubectl.all_pods.unwrap_or_default()),
            has_prefix_of_several: self.prefix.unwrap_or(true),
            bytes_max,
        })
    }

    fn tail(&self, has_selector: bool) -> Result<Option<u32>, String> {
        match self.tail {
            None => Ok(has_selector.then_some(TAIL_OF_SELECTOR)),
            Some(-1) => Ok(None),
            Some(lines) => {
                let lines = u32::try_from(lines);
                lines.map(Some).map_err(|_| "--tail must be greater than or equal to -1".to_owned())
            }
        }
    }

    fn containers(&self) -> Result<Containers, String> {
        let named = match (&self.container, &self.container_too) {
            (Some(_), Some(_)) => {
                return Err("only one of -c or an inline [CONTAINER] arg is allowed".to_owned());
            }
            (named, too) => named.as_ref().or(too.as_ref()).filter(|name| !name.is_empty()),
        };
        match (named, self.all_containers.unwrap_or_default()) {
            (Some(_), true) => {
                Err("--all-containers=true should not be specified with container name".to_owned())
            }
            (Some(name), false) => Ok(Containers::Named(name.as_str().into())),
            (None, true) => Ok(Containers::All),
            (None, false) => Ok(Containers::Default),
        }
    }

    fn since(&self) -> Result<Since, String> {
        match (&self.since, &self.since_time) {
            (Some(_), Some(_)) => Err("only one of --since-time or --since may be used".to_owned()),
            (None, None) => Ok(Since::Beginning),
            (Some(text), None) => {
                let invalid = |why: String| format!("invalid argument {text:?} for \"--since\" flag: {why}");
                let ago = duration::parse(text).map_err(invalid)?;
                match (ago.is_negative, ago.length) {
                    (true, _) => Err("--since must be greater than 0".to_owned()),
                    (false, Duration::ZERO) => Ok(Since::Beginning),
                    (false, length) => Ok(Since::Ago(length)),
                }
            }
            (None, Some(text)) => text
                .parse()
                .map(Since::Time)
                .map_err(|_| format!("--since-time {text:?} isn't a time; 2026-11-29T14:02:10Z is one")),
        }
    }

    fn selection(&self, word: &str, name: Option<&str>, labels: Option<&str>) -> Result<Selection, String> {
        let words = |problem: shared::problem::Problem| problem.message;
        let namespaces = match &self.namespace {
            Some(name) => NamespaceChoice::These(vec![Namespace::parse(name).map_err(words)?]),
            None => NamespaceChoice::Context,
        };
        let clusters = ClusterChoice::read(&self.cluster, self.all_clusters)?;
        let parsed = |text: &str| {
            LabelSelector::parse(text).map_err(|problem| format!("-l {text:?}: {}", problem.message))
        };
        let labels = labels.map(parsed).transpose()?;
        Ok(Selection {
            word: word.to_owned(),
            name: name.map(ObjectName::parse).transpose().map_err(words)?,
            clusters,
            namespaces,
            labels,
            fields: None,
        })
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

    fn request(line: &str) -> Result<Request, String> {
        let words = std::iter::once("logs").chain(line.split(' ').filter(|word| !word.is_empty()));
        Cli::try_parse_from(words).expect("clap reads it").args.request()
    }

    #[test]
    fn what_is_meant_is_named_as_for_kubectl() {
        for (line, word, name, containers) in [
            ("cart-0", "pods", Some("cart-0"), Containers::Default),
            ("pod/cart-0 -c proxy", "pod", Some("cart-0"), Containers::Named("proxy".into())),
            ("cart-0 proxy", "pods", Some("cart-0"), Containers::Named("proxy".into())),
            ("deploy/cart --all-containers", "deploy", Some("cart"), Containers::All),
            ("-l app=cart --all-containers=false", "pods", None, Containers::Default),
        ] {
            let request = request(line).expect(line);
            let Selection { word: found, name: named, .. } = request.selection;
            assert_eq!((found.as_str(), named.as_ref().map(ObjectName::as_str)), (word, name), "{line}");
            assert_eq!(request.containers, containers, "{line}");
        }
    }

    #[test]
    fn lines_are_chosen_as_for_kubectl() {
        let tail = |line: &str| request(line).expect(line).tail;
        assert_eq!((tail("a"), tail("a --tail=-1"), tail("a --tail 0")), (None, None, Some(0)));
        assert_eq!(
            (tail("-l a=b"), tail("-l a=b --tail=-1"), tail("-l a=b --tail=3")),
            (Some(10), None, Some(3))
        );
        let since = |line: &str| request(line).expect(line).since;
        assert_eq!(since("a --since 90s"), Since::Ago(Duration::from_secs(90)));
        assert_eq!(since("a --since=0"), Since::Beginning);
        let at = "2026-11-29T14:02:10Z".parse().expect("a time");
        assert_eq!(since("a --since-time 2026-11-29T14:02:10Z"), Since::Time(at));
        let prefix = |line: &str| request(line).expect(line).has_prefix;
        assert!(!prefix("a") && !prefix("-l a=b") && prefix("a --prefix"));
        assert!(prefix("deploy/a") && !prefix("deploy/a --prefix=false"));
    }

    #[test]
    fn clusters_are_those_of_tail() {
        let of = |line: &str| request(line).expect(line);
        let names = |line: &str| match of(line).selection.clusters {
            ClusterChoice::These(names) => names.iter().map(ToString::to_string).collect(),
            other => vec![format!("{other:?}")],
        };
        assert_eq!(names("a"), ["Home"]);
        assert_eq!(names("a --all-clusters"), ["All"]);
        assert_eq!(names("a --cluster eu-1,eu-2 --cluster eu-1"), ["eu-1", "eu-2"]);
        let prefixes = |line: &str| (of(line).has_prefix, of(line).has_prefix_of_several);
        assert_eq!(prefixes("a --cluster eu-1,eu-2"), (false, true));
        assert_eq!(prefixes("deploy/a --prefix=false --all-clusters"), (false, false));
    }

    #[test]
    fn what_cannot_be_used_is_refused_in_kubectls_words() {
        for (line, words) in [
            ("", "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'"),
            ("a -l x=y", "only a selector (-l) or a POD name is allowed"),
            ("a/b/c", "must have a single resource and name"),
            ("/b", "must have a single resource and name"),
            ("a b -c c", "only one of -c or an inline [CONTAINER] arg is allowed"),
            ("a -c c --all-containers", "--all-containers=true should not be specified with container name"),
            (
                "a --since 5m --since-time 2026-11-29T14:02:10Z",
                "only one of --since-time or --since may be used",
            ),
            ("a --since x", "invalid argument \"x\" for \"--since\" flag: time: invalid duration"),
            ("a --since=-5s", "--since must be greater than 0"),
            ("a --since-time noon", "--since-time \"noon\" isn't a time"),
            ("a --tail=-2", "--tail must be greater than or equal to -1"),
            ("a --limit-bytes=-1", "--limit-bytes must be greater than 0"),
            ("a --cluster eu-1,EU", "EU"),
            ("-l a=b=c", "a=b=c"),
            ("a%b", "a%b"),
        ] {
            let sentence = request(line).expect_err("can't be used");
            assert!(sentence.contains(words), "{line}: {sentence}");
        }
    }
}
