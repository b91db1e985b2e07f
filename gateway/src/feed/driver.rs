//! The rim of a feed: runs the machine's requests, timers and commands. No decision is taken here.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::exchange::{Exchange, SharedMemory, reason_of};
use super::machine::{Abilities, Input, Line, Machine, Output};
use super::{FeedKey, FeedOptions, FeedOutput};
use crate::cluster::Cluster;
use crate::limits::FEED_LOOK_MS;

/// What is said to a feed of its viewers, and by them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedCommand {
    /// Try now instead of at the next time.
    Retry,
    /// Whether there are any, when that has changed.
    Viewers(bool),
    /// One that was served before, by whomever, has all up to there.
    StandsAt(ResourceVersion),
}

/// Runs until it is cancelled or nobody takes its outputs any more. `stands_at`: of the viewer that it
/// begins for.
pub async fn drive(
    key: FeedKey,
    cluster: Cluster,
    options: FeedOptions,
    stands_at: Option<ResourceVersion>,
    outputs: mpsc::Sender<FeedOutput>,
    commands: mpsc::Receiver<FeedCommand>,
    cancel: CancellationToken,
) {
    let mut clock = Clock::start();
    let kind = cluster.kind_of(&key.resource);
    let abilities = Abilities {
        watch: kind.as_ref().is_none_or(|kind| kind.watch),
        custom: kind.as_ref().is_some_and(|kind| kind.custom),
        watch_list: cluster.may_watch_list(&key.resource),
    };
    let machine = Machine::new(&key, abilities, options, stands_at, seed(), clock.now_ms());
    let driver = Driver {
        key,
        cluster,
        machine,
        outputs,
        commands: Some(commands),
        main: None,
        proof: None,
        refresh: None,
        memory: SharedMemory::default(),
    };
    tokio::select! {
        () = driver.run(&mut clock) => {}
        () = cancel.cancelled() => {}
    }
}

struct Driver {
    key: FeedKey,
    cluster: Cluster,
    machine: Machine,
    outputs: mpsc::Sender<FeedOutput>,
    /// `None` once nobody can send any more.
    commands: Option<mpsc::Receiver<FeedCommand>>,
    main: Option<BoxStream<'static, Input>>,
    proof: Option<BoxStream<'static, Input>>,
    refresh: Option<BoxFuture<'static, Result<(), Problem>>>,
    memory: SharedMemory,
}

impl Driver {
    async fn run(mut self, clock: &mut Clock) {
        loop {
            while let Some(output) = self.machine.next_output() {
                if self.carry_out(output).await.is_err() {
                    return;
                }
            }
            let wait_ms = (self.machine.deadline_ms().saturating_sub(clock.now_ms())).clamp(0, FEED_LOOK_MS);
            let input = self.next_input(Duration::from_millis(wait_ms.unsigned_abs())).await;
            if let Some(reason) = reason_of(&input) {
                tracing::debug!(resource = %self.key.resource, ?reason, "a request of the feed failed");
            }
            self.machine.handle(input, clock.now_ms());
        }
    }

    /// `Err`: the hub is gone.
    async fn carry_out(&mut self, output: Output) -> Result<(), ()> {
        match output {
            Output::Tell(said) => return self.outputs.send(said).await.map_err(|_| ()),
            Output::Ask { line, request } => {
                let exchange = Exchange::new(&self.cluster, &self.key, line, request, &self.memory);
                *self.line(line) = Some(exchange.inputs());
            }
            Output::Drop(line) => *self.line(line) = None,
            Output::RefreshCredentials => {
                let cluster = self.cluster.clone();
                self.refresh = Some(Box::pin(async move { cluster.refresh_credentials().await }));
            }
            Output::Rediscover => self.cluster.discover_soon(),
            Output::RememberNoWatchList => self.cluster.remember_no_watch_list(&self.key.resource),
        }
        Ok(())
    }

    fn line(&mut self, line: Line) -> &mut Option<BoxStream<'static, Input>> {
        match line {
            Line::Main => &mut self.main,
            Line::Proof => &mut self.proof,
        }
    }

    async fn next_input(&mut self, wait: Duration) -> Input {
        tokio::select! {
            input = of_line(&mut self.main) => input,
            input = of_line(&mut self.proof) => input,
            result = of_refresh(&mut self.refresh) => Input::Refreshed(result),
            command = of_commands(&mut self.commands) => match command {
                FeedCommand::Retry => Input::Retry,
                FeedCommand::Viewers(any) => Input::Viewers(any),
                FeedCommand::StandsAt(version) => Input::StandsAt(version),
            },
            () = tokio::time::sleep(wait) => Input::Tick,
        }
    }
}

/// Never, while nothing runs on the line or after its end.
async fn of_line(line: &mut Option<BoxStream<'static, Input>>) -> Input {
    if let Some(inputs) = line {
        if let Some(input) = inputs.next().await {
            return input;
        }
        *line = None;
    }
    std::future::pending().await
}

async fn of_refresh(refresh: &mut Option<BoxFuture<'static, Result<(), Problem>>>) -> Result<(), Problem> {
    let Some(running) = refresh else { return std::future::pending().await };
    let result = running.await;
    *refresh = None;
    result
}

async fn of_commands(commands: &mut Option<mpsc::Receiver<FeedCommand>>) -> FeedCommand {
    if let Some(receiver) = commands {
        if let Some(command) = receiver.recv().await {
            return command;
        }
        *commands = None;
    }
    std::future::pending().await
}

/// The machine's time: the wall's, which goes on while a laptop sleeps, but never back.
struct Clock {
    started: Instant,
    offset_ms: UnixMillis,
}

impl Clock {
    fn start() -> Self {
        Self { started: Instant::now(), offset_ms: wall_ms() }
    }

    fn now_ms(&mut self) -> UnixMillis {
        let elapsed_ms = UnixMillis::try_from(self.started.elapsed().as_millis()).unwrap_or(UnixMillis::MAX);
        self.offset_ms = self.offset_ms.max(wall_ms().saturating_sub(elapsed_ms));
        self.offset_ms.saturating_add(elapsed_ms)
    }
}

fn wall_ms() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis::try_from(since.as_millis()).unwrap_or(UnixMillis::MAX)
}

/// Jitter needs no more than that two gateways differ.
fn seed() -> u64 {
    getrandom::u64().unwrap_or(1)
}

#[cfg(test)]
mod tests;
