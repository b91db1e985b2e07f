//! The gateway from start to end. Everything is bound, connected and spawned here, in this order, and has ended
//! when [`run`] returns.

mod checks;
mod clusters;
mod collector;
mod listeners;
pub mod record;
mod replay;
mod rules;

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use shared::frame::server::LoginMode;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::access::auth_mode::Greeting;
use crate::access::{self, Authenticator, Peer, Start};
use crate::address::origin::OriginPolicy;
use crate::audit::{Audit, AuditTarget};
use crate::build::Build;
use crate::cluster;
use crate::config::{ClusterChoice, Config, ProfileSettings};
use crate::demo::{self, Demo};
use crate::feed::Redaction;
use crate::http::{
    AppState, Assets, Connections, Listener, PreAuthLimit, Readiness, Seldom, ServedClusters, api_listener,
    routes, unread,
};
use crate::inventory::Connecting;
use crate::kubernetes;
use crate::limits::{DRAIN_S, END_S};
use crate::metrics::Metrics;
use crate::past::lead::live_before;
use crate::past::{HistorySettings, Record, keep};
use crate::reload::{OnHangup, reread, say_what_is_unmasked};
use crate::session::{self, Context};
use crate::traces::Traces;
use checks::checks;
use clusters::OpenedClusters;
use collector::Collector;
use listeners::Listeners;
pub use replay::ReplayArgs;
use rules::RunningRules;

/// Serves until cancelled.
/// Fails with one sentence: why it couldn't start, or which part of it ended unexpectedly.
pub async fn run(
    config: Config,
    page: Assets,
    build: Build,
    cancel: CancellationToken,
) -> Result<(), Problem> {
    cluster::refuse_debug_environment(std::env::vars_os().map(|(name, _)| name))?;
    allow_open_files();
    let (listeners, start) = Listeners::bind(&config).await?;
    let metrics = Metrics::of(build);
    // A cluster may take long to answer, and the user may interrupt.
    let opened = cancel.run_until_cancelled(OpenedClusters::of(&config, &metrics)).await;
    let Some(opened) = opened else { return Ok(()) };
    let mut opened = opened?;
    let demos = std::mem::take(&mut opened.demos);
    let page = page.below(&config.base_path);
    let ended = serve(&config, page, (listeners, start), (opened, metrics), &demos, cancel).await;
    for demo in demos {
        demo.stop().await;
    }
    ended
}

/// Raises the limit of open files to the system's: a shell allows 1,024, fewer than the connections that the
/// gateway accepts.
fn allow_open_files() {
    let limits = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limits.maximum, maximum: limits.maximum };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
}

async fn serve(
    config: &Config,
    page: Assets,
    (mut listeners, start): (Listeners, Start),
    (opened, metrics): (OpenedClusters, Metrics),
    demos: &[Demo],
    cancel: CancellationToken,
) -> Result<(), Problem> {
    let url = url_of_page(config, &listeners);
    let begun = start(access::StartContext { only: opened.only.clone(), url }).await?;
    let OpenedClusters { inventory, home, connecting, replayed, .. } = opened;
    let team = config.team.clone();
    let redaction = Redaction::of(&config.redaction);
    let access = (Authenticator::new(begun), config.rights);
    let record = match replayed {
        Some(record) => Some(record),
        None => open_record(&config.history, Redaction::of(&config.redaction), &metrics).await?,
    };
    let mut rules = start_rules(config, url_of_page(config, &listeners), &metrics).await?;
    let context = Context::new(inventory.clone(), access, config.limits, metrics.clone(), team, redaction);
    if let Some(record) = &record {
        context.record(Arc::clone(record));
    }
    let audit =
        Audit::start(listeners.audit.take(), config.auth.mode().name(), home.as_str(), metrics.clone())?;
    say_what_is_unmasked(&config.redaction, &audit);
    config.rules.rules.iter().for_each(|rule| audit.rule(rule.in_words()));
    let (traces, collector) = Collector::of(config, &metrics)?;
    let served = clusters::served(&home, &inventory);
    let state = app_state((config, served), page, &listeners, context.clone(), (audit.clone(), traces));
    let connections = Connections::admitting(config.connections_max, metrics.clone());
    let discovering = CancellationToken::new();
    let mut tasks = spawn_all(listeners, &state, &connections, &discovering);
    tasks.spawn(named("the clusters", kept(&context, connecting, &discovering)));
    if let Some(ProfileSettings { namespace, providers }) = config.profiles.clone() {
        let following = inventory.clone().follow_profiles(namespace, providers, discovering.clone());
        tasks.spawn(named("the ClusterProfiles", following));
    }
    if let Some(collector) = collector {
        let until = discovering.clone();
        tasks.spawn(async move { named("the traces", collector.run(until)).await });
    }
    let moved = audit.clone();
    let authenticator = state.authenticator.clone();
    let hangup = OnHangup::listen()?.then(move || moved.reopen());
    let hangup = hangup.then(move || authenticator.reread());
    let live = rules.as_ref().map(RunningRules::live);
    let hangup = hangup.then(reread(config.reloading.clone(), context.clone(), (audit.clone(), live)));
    let (leave, until) = (cancel.clone(), discovering.clone());
    let reload = async move {
        let _ = until.run_until_cancelled(hangup.run(leave)).await;
    };
    tasks.spawn(named("the reload", reload));

    clusters::first_answers(&inventory).await;
    if let Some(record) = &record {
        live_before(record, &inventory, (Redaction::of(&config.redaction), metrics.clone()), demos).await;
        let (registry, clusters) = (context.registry.clone(), inventory.clone());
        let keeping = keep(Arc::clone(record), registry, clusters, discovering.clone());
        tasks.spawn(named("the record", keeping));
    }
    if let Some(rules) = &mut rules {
        rules.spawn(&context, &discovering, &mut tasks);
    }
    let replayed = record.as_deref().and_then(replay::in_words);
    announce(config, (&clusters::in_words(&home, &inventory), replayed), &state, demos)?;
    let failed = tokio::select! {
        () = cancel.cancelled() => None,
        ended = tasks.join_next() => Some(task_failure(ended)),
    };
    tracing::info!("shutting down");
    state.readiness.leave();
    state.leaving.cancel();
    connections.drain(Duration::from_secs(DRAIN_S)).await;
    discovering.cancel();
    end(context.registry.shutdown(), &mut tasks).await;
    if let Some(rules) = rules {
        rules.end().await;
    }
    if let Some(record) = record {
        // What the hubs told last is written.
        let ended = tokio::task::spawn_blocking(move || record.end()).await;
        if ended.is_err() {
            tracing::error!("the record couldn't be ended");
        }
    }
    audit.end().await;
    failed.map_or(Ok(()), Err)
}

/// Files and a database are asked by calls that block.
async fn start_rules(
    config: &Config,
    source: String,
    metrics: &Metrics,
) -> Result<Option<RunningRules>, Problem> {
    let (config, metrics) = (config.clone(), metrics.clone());
    let started = tokio::task::spawn_blocking(move || RunningRules::start(&config, &source, &metrics));
    started.await.map_err(|_| internal("the rules couldn't be started; see the log"))?
}

/// A database is asked by a client that blocks.
async fn open_record(
    settings: &HistorySettings,
    redaction: Redaction,
    metrics: &Metrics,
) -> Result<Option<Arc<Record>>, Problem> {
    let (settings, metrics) = (settings.clone(), metrics.clone());
    let opened = tokio::task::spawn_blocking(move || Record::open(&settings, &redaction, metrics));
    opened.await.map_err(|_| internal("the record couldn't be opened; see the log"))?
}

/// Waits for the feeds and the tasks, which were asked to end, and aborts those that take too long.
async fn end(feeds: impl Future<Output = ()>, tasks: &mut JoinSet<&'static str>) {
    let rest = async {
        feeds.await;
        while tasks.join_next().await.is_some() {}
    };
    if tokio::time::timeout(Duration::from_secs(END_S), rest).await.is_err() {
        tracing::warn!("some tasks did not end within {END_S} s and were aborted");
        tasks.shutdown().await;
    }
}

/// Scheme, host, port and base path at which people reach the gateway.
fn url_of_page(config: &Config, listeners: &Listeners) -> String {
    let scheme = if listeners.tls.is_some() { "https" } else { "http" };
    let own = format!("{scheme}://{}", listeners.address);
    config.public_url.as_ref().map_or(own, ToString::to_string) + config.base_path.as_str()
}

fn app_state(
    (config, served): (&Config, ServedClusters),
    assets: Assets,
    listeners: &Listeners,
    context: Arc<Context>,
    (audit, traces): (Audit, Traces),
) -> Arc<AppState> {
    let first_view = if matches!(config.cluster, ClusterChoice::Demo(_)) { demo::FIRST_VIEW } else { "" };
    let policy = OriginPolicy::new(config.public_url.clone(), config.allowed_origins.clone());
    let leaving = CancellationToken::new();
    let url = url_of_page(config, listeners) + context.authenticator.start_path() + first_view;
    Arc::new(AppState {
        audit: audit.clone(),
        base_path: config.base_path.clone(),
        clusters: served,
        authenticator: context.authenticator.clone(),
        metrics: context.metrics.clone(),
        policy: if listeners.tls.is_some() { policy.with_tls() } else { policy },
        readiness: Readiness::new(checks(
            &assets,
            &context.clusters,
            audit,
            context.authenticator.dependency(),
        )),
        refused_codes: Seldom::default(),
        traces,
        kubernetes: {
            let server = Arc::new(kubernetes::Server::start(Arc::clone(&context), leaving.clone()));
            Box::new(move |asked| {
                let server = Arc::clone(&server);
                Box::pin(async move { server.answer(asked).await })
            })
        },
        streams: {
            let context = context.clone();
            Box::new(move |duplex, caller, leaving| {
                Box::pin(session::run(duplex, caller, (), context.clone(), leaving))
            })
        },
        sessions: Box::new(move |(socket, allowance), caller, permit, leaving| {
            let socket = socket.inspect(move |_| allowance.renew()).map_err(unread);
            Box::pin(session::run(socket, caller, permit, context.clone(), leaving))
        }),
        pre_auth: PreAuthLimit::default(),
        assets,
        url,
        leaving,
    })
}

/// The tasks whose end is the gateway's end. Connections are spawned by [`Connections`], feeds
/// and hubs by the [`crate::hub::Registry`]; both end with them.
fn spawn_all(
    listeners: Listeners,
    state: &Arc<AppState>,
    connections: &Connections,
    discovering: &CancellationToken,
) -> JoinSet<&'static str> {
    let mut tasks = JoinSet::new();
    let mut accept = |name, listener, router| {
        let connections = connections.clone();
        tasks.spawn(async move { named(name, connections.accept(listener, router)).await });
    };
    let below_base = routes::router_below_base(state.clone());
    let api_certificates = listeners.api.as_ref().map(|api| Arc::clone(&api.certificates));
    let listener = match listeners.tls.clone() {
        Some(tls) => Listener::Tls(listeners.tcp, tls),
        None => Listener::Tcp(listeners.tcp),
    };
    accept("the listener", listener, below_base.clone());
    if let Some(other) = listeners.other_loopback {
        accept("the other loopback listener", Listener::Tcp(other), below_base.clone());
    }
    if let Some(listener) = listeners.api {
        accept("the listener for clients", Listener::Api(listener), api_listener::router(state.clone()));
    }
    if let Some(entrance) = listeners.entrance {
        // No proxy stands before the user's own socket, so nothing has a base path there.
        let is_own = entrance.peer() == Peer::SameUser;
        let router = if is_own { routes::router(state.clone()) } else { below_base };
        accept(entrance.name(), Listener::Unix(entrance), router);
    }
    if let Some(listener) = listeners.metrics {
        let is_loopback = listener.local_addr().is_ok_and(|address| address.ip().is_loopback());
        accept(
            "the metrics",
            Listener::Metrics(listener),
            routes::metrics_router(state.clone(), is_loopback),
        );
    }
    if let Some(tls) = listeners.tls {
        let until = discovering.clone();
        tasks.spawn(async move {
            // `None` means that the gateway ends.
            let looking = async { until.run_until_cancelled(tls.keep_fresh()).await.unwrap_or_default() };
            named("the certificates", looking).await
        });
    }
    if let Some(certificates) = api_certificates {
        let until = discovering.clone();
        tasks.spawn(async move {
            let looking =
                async { until.run_until_cancelled(certificates.keep_fresh()).await.unwrap_or_default() };
            named("the certificates for clients", looking).await
        });
    }
    if let Some((name, kept)) = state.authenticator.keep(discovering.clone()) {
        tasks.spawn(named(name, kept));
    }
    tasks
}

/// The feeds of a cluster end with it.
fn kept(
    context: &Arc<Context>,
    connecting: Connecting,
    until: &CancellationToken,
) -> impl Future<Output = ()> + use<> {
    let registry = context.registry.clone();
    context.clusters.clone().keep(connecting, Box::new(move || registry.end_gone()), until.clone())
}

async fn named(name: &'static str, task: impl Future<Output = ()>) -> &'static str {
    task.await;
    name
}

fn task_failure(ended: Option<Result<&'static str, tokio::task::JoinError>>) -> Problem {
    match ended {
        Some(Ok(name)) => internal(&format!("{name} ended by itself")),
        Some(Err(error)) => internal(&format!("a part of the gateway ended by surprise: {error}")),
        None => internal("nothing was left to do"),
    }
}

/// The first line is for programs too: its last word is the URL.
fn announce(
    config: &Config,
    (clusters, replayed): (&str, Option<String>),
    state: &AppState,
    demos: &[Demo],
) -> Result<(), Problem> {
    let url = &state.url;
    if config.tls.is_none() && !config.listen.ip().is_loopback() {
        tracing::warn!(
            listen = %config.listen,
            "whoever reads the network between here and what stands before the gateway reads along: let only that \
             reach it, or give --tls-cert and --tls-key"
        );
    }
    let is_local = state.authenticator.mode() == LoginMode::Local;
    if is_local && !config.allowed_origins.is_empty() {
        tracing::warn!(
            "elements in pages of other sites sign in with a token, which the mode `local` doesn't take: give --auth bearer"
        );
    }
    let demo_token = demos.first().map(Demo::token_command);
    let Greeting { fragment, name, sentence } = state.authenticator.greeting(demo_token)?;
    let url = name.map_or_else(|| url.clone(), |name| name.instead_of_host(url));
    let text = format!(
        "Dogwatch shows {clusters} at {url}{fragment}\nThis is {}.\n{}{sentence}\n{}",
        config.cluster.explanation(),
        replayed.map(|said| said + "\n").unwrap_or_default(),
        demos.iter().map(|demo| demo.explanation(is_local)).collect::<String>(),
    );
    // stdout holds the audit log's lines alone, where they go there.
    let mut out: Box<dyn Write> = match config.audit_log {
        Some(AuditTarget::Stdout) => Box::new(std::io::stderr().lock()),
        _ => Box::new(std::io::stdout().lock()),
    };
    // It may be closed; the gateway serves all the same.
    drop(config.log_format.announce(&mut *out, &text));
    Ok(())
}

/// The time of a record, of those of its kinds.
fn from_first_to_last(
    times: impl IntoIterator<Item = (UnixMillis, UnixMillis)>,
) -> Option<(UnixMillis, UnixMillis)> {
    times.into_iter().reduce(|all, next| (all.0.min(next.0), all.1.max(next.1)))
}

fn internal(message: &str) -> Problem {
    Problem::new(Reason::InternalError, message)
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::Instant;

    use super::*;
    use crate::test_log;

    #[tokio::test(start_paused = true)]
    async fn only_what_does_not_end_in_time_is_aborted_and_the_log_says_so() {
        for (feed_hangs, task_hangs) in [(true, false), (false, true), (false, false)] {
            test_log::listen();
            let mut tasks = JoinSet::new();
            if task_hangs {
                tasks.spawn(named("one that hangs", pending()));
            }
            let feeds = async {
                if feed_hangs {
                    pending().await
                }
            };
            let started = Instant::now();
            end(feeds, &mut tasks).await;
            let is_aborted = feed_hangs || task_hangs;
            assert_eq!(started.elapsed().as_secs(), if is_aborted { END_S } else { 0 });
            assert!(tasks.is_empty());
            let logged = test_log::lines_with("within 5 s and were aborted").len();
            assert_eq!(logged, usize::from(is_aborted));
        }
    }
}
