//! The command line of `dogwatch wait`, which is kubectl's, in kubectl's words where it refuses one. Never a
//! connection.

use std::time::Duration;

use shared::name::{ClusterName, Namespace, ObjectName};
use shared::selector::{FieldSelector, LabelSelector};

use crate::question::{HowFlags, Question, duration};
use crate::tail::args::{ClusterChoice, NamespaceChoice, Selection};
use crate::tail::endpoint::GatewayFlags;

/// The flags of `dogwatch wait`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Forms of --for, as for `kubectl wait`, and the comparisons of the page's filter:
  condition=Ready                     a condition is True; condition=Ready=False
  jsonpath='{.status.phase}'=Running  a value; without =Running any value
  create, delete                      the object is there, or gone
  'restarts>5', 'health=failing'      columns, and how the object stands

It asks the gateway (`dogwatch serve`) that runs on this machine, over its restarts and those of the API server. What is
met goes to stdout as kubectl prints it, and to stderr with the resourceVersion that showed it. A view that is stale
decides nothing.

Exit codes:
  0    it is so
  1    it wasn't so within --timeout, or kubectl would refuse or not find something; stderr says what
  2    a flag can't be read
  3    it can't be proven: within --timeout the view was stale at the end, or a value is masked
  130  interrupted

  dogwatch wait pods -l app=cart --for condition=Ready --for jsonpath='{.status.phase}'=Failed --any --timeout 5m
  dogwatch wait pods --all -A --for health=failing --of none --hold 10m --timeout 1h")]
pub struct Args {
    /// As after `kubectl wait`: pod/cart-0 svc/cart, pods cart-0 cart-1, or kinds with a selector or --all
    #[arg(value_name = "TYPE/NAME | TYPE NAME | TYPE")]
    pub resources: Vec<String>,
    /// What to wait for; several are waited for in their order, and what was so once counts
    #[arg(long = "for", value_name = "FORM")]
    pub forms: Vec<String>,
    #[command(flatten)]
    pub how: HowFlags,
    /// How long to wait: 0 looks once, less than 0 waits for a week
    #[arg(long, value_name = "DURATION", default_value = "30s", allow_hyphen_values = true)]
    pub timeout: String,
    /// The namespace [default: the one of the gateway's context, else `default`]
    #[arg(short, long, value_name = "NS")]
    pub namespace: Option<String>,
    /// All namespaces
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,
    /// Label selector: app=web,tier in (api,worker)
    #[arg(short = 'l', long = "selector", value_name = "SEL")]
    pub labels: Option<String>,
    /// Field selector, evaluated by the API server
    #[arg(long, value_name = "SEL")]
    pub field_selector: Option<String>,
    /// All objects of the kinds
    #[arg(long)]
    pub all: bool,
    /// What is printed of what is met: name, or json or yaml for the whole object [default: a sentence]
    #[arg(short, long, value_name = "FORMAT")]
    pub output: Option<String>,
    /// A cluster of the gateway's [default: its home cluster]
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    #[command(flatten)]
    pub gateway: GatewayFlags,
}

/// What is waited for, as the command line gives it.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) selections: Vec<Selection>,
    /// Each selection names one object.
    pub(super) is_named: bool,
    pub(super) question: Question,
    pub(super) timeout: Timeout,
    pub(super) output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timeout {
    /// It looks once.
    Once,
    After(Duration),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// kubectl's sentence.
    Words,
    Name,
    Json,
    Yaml,
}

impl Args {
    /// Fails with one sentence, kubectl's where it refuses the same.
    pub(super) fn request(&self) -> Result<Request, String> {
        let timeout = duration::parse(&self.timeout)
            .map_err(|why| format!("invalid argument {:?} for \"--timeout\" flag: {why}", self.timeout))?;
        let timeout = match (timeout.is_negative, timeout.length) {
            (true, _) => Timeout::After(WEEK),
            (false, Duration::ZERO) => Timeout::Once,
            (false, length) => Timeout::After(length),
        };
        let output = self.output()?;
        if self.forms.is_empty() {
            return Err("unrecognized condition: []".to_owned());
        }
        let question = self.how.question(&self.forms)?;
        let pairs = self.pairs()?;
        let is_named = pairs.iter().all(|(_, name)| name.is_some());
        let selections = pairs.into_iter().map(|(word, name)| self.selection(word, name));
        let selections = selections.collect::<Result<_, _>>()?;
        Ok(Request { selections, is_named, question, timeout, output })
    }

    fn output(&self) -> Result<Output, String> {
        match self.output.as_deref() {
            None | Some("") => Ok(Output::Words),
            Some("name") => Ok(Output::Name),
            Some("json") => Ok(Output::Json),
            Some("yaml") => Ok(Output::Yaml),
            Some(other) => Err(format!(
                "unable to match a printer suitable for the output format {other:?}, allowed formats are: json,name,yaml"
            )),
        }
    }

    /// Each kind with a name, or without one where a selector selects.
    fn pairs(&self) -> Result<Vec<(&str, Option<&str>)>, String> {
        let given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
        let selects = given(&self.labels) || given(&self.field_selector) || self.all;
        let slashes = self.resources.iter().filter(|word| word.contains('/')).count();
        if slashes > 0 && slashes < self.resources.len() {
            return Err(
                "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'dogwatch wait resource/<resource_name>' instead of 'dogwatch wait resource resource/<resource_name>'".to_owned(),
            );
        }
        if slashes > 0 {
            let pairs: Result<Vec<_>, _> = self.resources.iter().map(|word| named(word)).collect();
            let pairs = pairs?;
            if selects {
                return Err("selectors and the all flag cannot be used when passing resource/name arguments"
                    .to_owned());
            }
            return self.of_one_namespace(pairs);
        }
        let Some((kinds, names)) = self.resources.split_first() else {
            let sentence = match selects {
                true => "at least one resource must be specified to use a selector",
                false => {
                    "you must provide one or more resources, such as pods/cart-0, pods cart-0 or pods -l app=cart"
                }
            };
            return Err(sentence.to_owned());
        };
        let kinds: Vec<&str> = kinds.split(',').filter(|kind| !kind.is_empty()).collect();
        match (names, selects) {
            ([], false) => Err("resource(s) were provided, but no name was specified".to_owned()),
            ([], true) => Ok(kinds.into_iter().map(|kind| (kind, None)).collect()),
            (_, true) => Err("name cannot be provided when a selector is specified".to_owned()),
            (names, false) => {
                let of_kind = |kind| names.iter().map(move |name| (kind, Some(name.as_str())));
                self.of_one_namespace(kinds.into_iter().flat_map(of_kind).collect())
            }
        }
    }

    fn of_one_namespace<T>(&self, pairs: T) -> Result<T, String> {
        match self.all_namespaces {
            true => Err("a resource cannot be retrieved by name across all namespaces".to_owned()),
            false => Ok(pairs),
        }
    }

    fn selection(&self, word: &str, name: Option<&str>) -> Result<Selection, String> {
        let words = |problem: shared::problem::Problem| problem.message;
        let namespaces = match &self.namespace {
            _ if self.all_namespaces => NamespaceChoice::All,
            Some(name) => NamespaceChoice::These(vec![Namespace::parse(name).map_err(words)?]),
            None => NamespaceChoice::Context,
        };
        let clusters = match &self.cluster {
            Some(name) => ClusterChoice::These(vec![ClusterName::parse(name).map_err(words)?]),
            None => ClusterChoice::Home,
        };
        let labels = self.labels.as_deref().filter(|text| !text.is_empty());
        let fields = self.field_selector.as_deref().filter(|text| !text.is_empty());
        Ok(Selection {
            word: word.to_owned(),
            name: name.map(ObjectName::parse).transpose().map_err(words)?,
            clusters,
            namespaces,
            labels: labels.map(selector).transpose()?,
            fields: fields.map(FieldSelector::parse).transpose().map_err(words)?,
        })
    }
}

fn selector(text: &str) -> Result<LabelSelector, String> {
    LabelSelector::parse(text).map_err(|problem| format!("-l {text:?}: {}", problem.message))
}

fn named(word: &str) -> Result<(&str, Option<&str>), String> {
    match word.split('/').collect::<Vec<_>>().as_slice() {
        [kind, name] if !kind.is_empty() && !name.is_empty() && !kind.contains(',') => Ok((kind, Some(name))),
        [_, _] => Err("arguments in resource/name form must have a single resource and name".to_owned()),
        _ => Err("arguments in resource/name form may not have more than one slash".to_owned()),
    }
}

const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

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
        Cli::try_parse_from(format!("wait {line}").split(' ')).expect("clap reads it").args.request()
    }

    fn selected(line: &str) -> Vec<String> {
        let request = request(&format!("{line} --for create")).expect("valid");
        let shown = |of: &Selection| match &of.name {
            Some(name) => format!("{}/{name}", of.word),
            None => of.word.clone(),
        };
        request.selections.iter().map(shown).collect()
    }

    #[test]
    fn objects_are_named_as_for_kubectl() {
        for (line, expected) in [
            ("pod/a", &["pod/a"] as &[&str]),
            ("pod/a svc/b", &["pod/a", "svc/b"]),
            ("pods a b", &["pods/a", "pods/b"]),
            ("pods,svc a b", &["pods/a", "pods/b", "svc/a", "svc/b"]),
            ("pods --all", &["pods"]),
            ("pods,svc -l app=web -A", &["pods", "svc"]),
        ] {
            assert_eq!(selected(line), expected, "{line}");
        }
        assert!(request("pods a --for create").expect("valid").is_named);
        assert!(!request("pods --all --for create").expect("valid").is_named);
    }

    #[test]
    fn a_timeout_is_kubectls() {
        for (line, expected) in [
            ("", Timeout::After(Duration::from_secs(30))),
            (" --timeout 0", Timeout::Once),
            (" --timeout=0s", Timeout::Once),
            (" --timeout -1s", Timeout::After(WEEK)),
            (" --timeout=1m30s", Timeout::After(Duration::from_secs(90))),
        ] {
            let request = request(&format!("pods a --for create{line}")).expect("valid");
            assert_eq!(request.timeout, expected, "{line}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_in_kubectls_words() {
        for (line, words) in [
            ("pods a", "unrecognized condition: []"),
            ("pods a --for foo", "unrecognized condition: \"foo\""),
            ("pods --for create", "resource(s) were provided, but no name was specified"),
            ("--for create", "you must provide one or more resources"),
            ("--all --for create", "at least one resource must be specified"),
            ("pods a b/c --for create", "there is no need to specify a resource type"),
            ("pods/ --for create", "must have a single resource and name"),
            ("pods/a/b --for create", "may not have more than one slash"),
            ("pods a -l x=y --for create", "name cannot be provided when a selector is specified"),
            ("pods/a --all --for create", "selectors and the all flag cannot be used"),
            ("pods a -A --for create", "a resource cannot be retrieved by name across all namespaces"),
            ("pods a --for create -o xml", "unable to match a printer"),
            (
                "pods a --for create --timeout x",
                "invalid argument \"x\" for \"--timeout\" flag: time: invalid",
            ),
            ("pods a --for create --hold 5", "--hold: time: missing unit"),
            ("pods a --for create --hold=-5s", "a time to hold is 0s or more"),
            ("pods -l a=b=c --for create", "a=b=c"),
            ("pods a%b --for create", "a%b"),
        ] {
            let sentence = request(line).expect_err("can't be used");
            assert!(sentence.contains(words), "{line}: {sentence}");
        }
    }
}
