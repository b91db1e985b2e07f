//! `dogwatch record`: what happens in a cluster goes into one file, until it is interrupted.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use history::{About, RecordFile, Standing, StoreError};
use jiff::Timestamp;
use shared::name::Namespace;
use shared::problem::{Problem, Reason};
use shared::resource::{Kind, Resource, resolve};
use shared::state::UnixMillis;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use super::clusters::OpenedClusters;
use super::{from_first_to_last, internal};
use crate::clock::gateway_ms;
use crate::cluster::{Cluster, Pattern};
use crate::config::{Config, ServeFlags};
use crate::feed::{FeedOptions, Redaction, RedactionSettings};
use crate::hub::{FeedBounds, Registry};
use crate::limits::RECORD_COMMIT_MS;
use crate::metrics::Metrics;
use crate::past::{Counted, HistorySettings, KINDS, Place, Record, recorded_feeds};
use crate::since::PastTime;
use crate::tail::to_stderr;

/// Record what happens in a cluster into a file, which `dogwatch replay` shows
///
/// The flags below -o are those of `dogwatch serve` that say which cluster is reached and what is masked.
#[derive(Clone, Debug, Args)]
pub struct RecordArgs {
    /// What to record, as after `kubectl get`: pods,deployments,events [default: what runs, what leads to it, and Events]
    #[arg(value_name = "KINDS", value_delimiter = ',')]
    kinds: Vec<String>,

    /// The file, which mustn't be there yet. It is its owner's alone
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// The namespace to record [default: the one of the context, else `default`]
    #[arg(short, long, value_name = "NS", conflicts_with = "all_namespaces")]
    namespace: Option<String>,

    /// Record all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// End after so long, such as 10m; otherwise by Ctrl-C
    #[arg(long = "for", value_name = "DURATION")]
    duration: Option<String>,

    #[command(flatten)]
    serve: ServeFlags,
}

/// Records until it is cancelled, and says on stderr what it does.
///
/// # Errors
/// Nothing can be recorded, or the file could take no more: what is in it stays.
pub async fn record(args: &RecordArgs, cancel: CancellationToken) -> Result<(), Problem> {
    let mut config = Config::of(&args.serve)?;
    let until = args.duration.as_deref().map(duration).transpose()?;
    if config.cluster.has_several() {
        return Err(Problem::bad_request("a file is of one cluster; name its context with --context"));
    }
    // A demo begins now, as any cluster does.
    config.history = HistorySettings { place: Place::File, ..HistorySettings::nothing() };
    let metrics = Metrics::new();
    let opened = cancel.run_until_cancelled(OpenedClusters::of(&config, &metrics)).await;
    let Some(opened) = opened else { return Ok(()) };
    let mut opened = opened?;
    let demos = std::mem::take(&mut opened.demos);
    let recorded = match opened.only.take() {
        Some(cluster) => match Plan::of(args, config, &cluster).await {
            Ok(plan) => carry_out(&plan, (opened, cluster, metrics), until, cancel).await,
            Err(problem) => Err(problem),
        },
        None => Err(internal("there is no cluster to record")),
    };
    for demo in demos {
        demo.stop().await;
    }
    recorded
}

/// What is recorded, and where.
struct Plan {
    path: PathBuf,
    kinds: Vec<Kind>,
    history: HistorySettings,
    redaction: RedactionSettings,
    about: About,
}

impl Plan {
    async fn of(args: &RecordArgs, config: Config, cluster: &Cluster) -> Result<Self, Problem> {
        let namespace = match (&args.namespace, args.all_namespaces) {
            (Some(name), _) => Some(Namespace::parse(name)?),
            (None, true) => None,
            (None, false) => {
                let of_context = cluster.identity().namespaces.first().cloned();
                Some(of_context.map_or_else(|| Namespace::parse("default"), Ok)?)
            }
        };
        let kinds =
            may_be_recorded(wanted(args, cluster, namespace.is_none())?, cluster, namespace.as_ref()).await?;
        let names = kinds.iter().filter_map(|kind| Pattern::parse(&kind.resource.to_string())).collect();
        let about = About {
            cluster: cluster.identity().name.to_string().into(),
            version: cluster.identity().version,
            account: cluster.own_name().await.unwrap_or_default().into(),
            namespace: namespace.as_ref().map(ToString::to_string).unwrap_or_default().into(),
            masks: config.redaction.in_words().into(),
        };
        let history = HistorySettings { kinds: names, namespace, ..config.history };
        Ok(Self { path: args.output.clone(), kinds, history, redaction: config.redaction, about })
    }

    fn names(&self) -> String {
        names_of(self.kinds.iter().map(|kind| &kind.resource))
    }
}

/// As `10m`.
fn duration(text: &str) -> Result<Duration, Problem> {
    let ms = PastTime::length_ms(text).and_then(|ms| u64::try_from(ms).ok()).filter(|ms| *ms > 0);
    ms.map(Duration::from_millis).ok_or_else(|| {
        Problem::bad_request(format!("--for {text} is no duration; it is one such as 90s, 10m or 2h"))
    })
}

/// The kinds that were asked for, as the cluster serves them.
fn wanted(args: &RecordArgs, cluster: &Cluster, is_whole: bool) -> Result<Vec<Kind>, Problem> {
    let served = cluster.kinds();
    let served = Arc::clone(&served.borrow());
    if args.kinds.is_empty() {
        let usual = served.kinds.iter().filter(|kind| KINDS.contains(&kind.resource.to_string().as_str()));
        // A namespace is recorded with what is in it.
        let usual = usual.filter(|kind| kind.disabled.is_none() && (is_whole || kind.namespaced));
        return Ok(usual.cloned().collect());
    }
    let mut kinds: Vec<Kind> = Vec::new();
    for word in args.kinds.iter().filter(|word| !word.is_empty()) {
        let kind = resolve(&served.kinds, word)?.into_owned();
        if kind.resource.is_secrets() {
            return Err(Problem::bad_request("Secrets are never recorded; leave them out"));
        }
        if let Some(why) = &kind.disabled {
            return Err(Problem::bad_request(format!("{} can't be recorded: {why}", kind.resource)));
        }
        if !kinds.iter().any(|known| known.resource == kind.resource) {
            kinds.push(kind);
        }
    }
    Ok(kinds)
}

/// Says which of the kinds the account may not read, and leaves them out.
async fn may_be_recorded(
    wanted: Vec<Kind>,
    cluster: &Cluster,
    namespace: Option<&Namespace>,
) -> Result<Vec<Kind>, Problem> {
    let mut kinds = Vec::new();
    let mut denied = Vec::new();
    for kind in wanted {
        let namespace = namespace.filter(|_| kind.namespaced);
        // A server that doesn't say is asked by the list itself.
        if cluster.may_watch(&kind.resource, namespace).await == Some(false) {
            let place =
                namespace.map_or_else(|| "the whole cluster".into(), |name| format!("the namespace {name}"));
            denied.push(format!("{} in {place}", kind.resource));
        } else {
            kinds.push(kind);
        }
    }
    let said = format!("the account may not list and watch {}", denied.join(", "));
    if kinds.is_empty() {
        return Err(Problem::new(Reason::Forbidden, format!("nothing can be recorded: {said}")));
    }
    if !denied.is_empty() {
        to_stderr(&format!("not recorded: {said}"));
    }
    Ok(kinds)
}

async fn carry_out(
    plan: &Plan,
    (opened, cluster, metrics): (OpenedClusters, Cluster, Metrics),
    until: Option<Duration>,
    cancel: CancellationToken,
) -> Result<(), Problem> {
    let file = RecordFile::create(&plan.path, &plan.about, gateway_ms()).map_err(unwritten)?;
    let record = Record::to_file(file, &plan.history, metrics.clone())?;
    let options = FeedOptions { redaction: Redaction::of(&plan.redaction), ..FeedOptions::default() };
    // No viewer is ever led to it.
    let registry = Registry::new(opened.inventory.clone(), options, FeedBounds::default(), metrics, || 0);
    registry.record(Arc::new(Arc::clone(&record)));
    for key in recorded_feeds(&record, &cluster) {
        registry.keep(&key)?;
    }
    let path = plan.path.display();
    to_stderr(&format!("recording {} of {} into {path}; Ctrl-C ends it", plan.names(), plan.about.cluster));
    let stopped = tokio::select! {
        () = cancel.cancelled() => None,
        () = lasts(until) => None,
        why = stopped(&record) => Some(why),
    };
    registry.shutdown().await;
    let ended = Arc::clone(&record);
    let ended = tokio::task::spawn_blocking(move || ended.end()).await;
    ended.map_err(|_| internal("the file couldn't be ended"))?;
    let summary = summary(plan, &record, &cluster)?;
    match stopped.or_else(|| match record.standing() {
        Standing::Recording => None,
        Standing::Stopped { why, .. } => Some(why),
    }) {
        Some(why) => Err(Problem::new(
            Reason::ServiceUnavailable,
            format!("{why}; what was recorded until then is in {path}: {summary}"),
        )),
        None => {
            to_stderr(&format!("{path} has {summary}\nlook at it with: dogwatch replay {path}"));
            Ok(())
        }
    }
}

async fn lasts(until: Option<Duration>) {
    match until {
        Some(until) => sleep(until).await,
        None => std::future::pending().await,
    }
}

/// Why the file takes no more.
async fn stopped(record: &Record) -> Box<str> {
    let mut look = interval(Duration::from_millis(RECORD_COMMIT_MS));
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        look.tick().await;
        if let Standing::Stopped { why, .. } = record.standing() {
            return why;
        }
    }
}

/// `1,240 changes of pods and events, from 14:02:10 to 14:12:10 UTC`
fn summary(plan: &Plan, record: &Record, cluster: &Cluster) -> Result<String, Problem> {
    let mut text = String::new();
    let (mut count, mut times, mut missing) = (0_u64, Vec::new(), Vec::new());
    for kind in &plan.kinds {
        match record.counted(cluster, &kind.resource)? {
            Some(Counted { changes, from_ms, to_ms }) => {
                count += changes;
                times.push((from_ms, to_ms));
            }
            None => missing.push(&kind.resource),
        }
    }
    let Some((from_ms, to_ms)) = from_first_to_last(times) else {
        return Err(Problem::new(
            Reason::ServiceUnavailable,
            format!("nothing of {} was recorded; the cluster didn't answer in time", plan.names()),
        ));
    };
    let clock =
        |ms: UnixMillis| Timestamp::from_millisecond(ms).map(|at| at.strftime("%H:%M:%S").to_string());
    let (from, to) = (clock(from_ms).unwrap_or_default(), clock(to_ms).unwrap_or_default());
    // Writing to a text never fails.
    let _ = write!(text, "{count} changes of {}, from {from} to {to} UTC", plan.names());
    if !missing.is_empty() {
        let _ = write!(text, "; nothing of {}", names_of(missing.into_iter()));
    }
    Ok(text)
}

/// So many names are read; more are counted.
const NAMES_MAX: usize = 6;

/// `pods, deployments.apps and events`
fn names_of<'a>(resources: impl Iterator<Item = &'a Resource>) -> String {
    let names: Vec<String> = resources.map(ToString::to_string).collect();
    match names.as_slice() {
        [] => String::new(),
        many if many.len() > NAMES_MAX => format!("{} kinds", many.len()),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn unwritten(StoreError(why): StoreError) -> Problem {
    Problem::bad_request(format!("--output: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_is_said_as_kubectl_says_it() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5_400)));
        for text in ["", "10", "0s", "2026-11-29T14:02:10Z", "-5m", "soon"] {
            let said = duration(text).expect_err("no duration").message;
            assert!(said.contains("--for") && said.contains("10m"), "{text}: {said}");
        }
    }
}
