//! Runs the machine's requests, timers and commands. Every decision is the machine's.

use std::pin::{Pin, pin};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::machine::{Capabilities, Input, Machine, Output, RequestSlot};
use super::reading::Memory;
use super::request_stream::{SharedMemory, inputs_of, reason_of};
use super::{FeedCommand, FeedKey, FeedOptions, FeedOutput};
use crate::clock::gateway_ms;
use crate::cluster::Cluster;
use crate::limits::FEED_LOOK_MS;

/// Runs until it is cancelled or its hub drops the receiver. `stands_at`: the position of the viewer that
/// the feed is started for.
pub async fn drive(
    key: FeedKey,
    cluster: Cluster,
    options: FeedOptions,
    stands_at: Option<ResourceVersion>,
    outputs: mpsc::Sender<FeedOutput>,
    commands: mpsc::Receiver<FeedCommand>,
    cancel: CancellationToken,
) {
    let kind = cluster.kind_of(&key.resource);
    let capabilities = Capabilities {
        watch: kind.as_ref().is_none_or(|kind| kind.watch),
        custom: kind.as_ref().is_some_and(|kind| kind.custom),
        watch_list: cluster.may_watch_list(&key.resource),
    };
    let mut memory = Memory::default();
    memory.redaction.clone_from(&options.redaction);
    memory.ceiling = cluster.ceiling();
    let machine = Machine::new(&key, capabilities, options, stands_at, seed(), gateway_ms());
    let driver = Driver {
        key,
        cluster,
        machine,
        outputs,
        commands: Some(commands),
        main: None,
        proof: None,
        refresh: None,
        another_token: None,
        memory: SharedMemory::new(memory.into()),
    };
    tokio::select! {
        () = driver.run() => {}
        () = cancel.cancelled() => {}
    }
}

/// Carries out what one [`Machine`] asks for: its two requests, its timer, its messages to the hub. It owns the
/// streams of answers and nothing of the list itself. [`drive`] makes it and runs it until the hub drops its end.
struct Driver {
    key: FeedKey,
    cluster: Cluster,
    machine: Machine,
    outputs: mpsc::Sender<FeedOutput>,
    /// `None` after the hub dropped its sender.
    commands: Option<mpsc::Receiver<FeedCommand>>,
    main: Option<BoxStream<'static, Input>>,
    proof: Option<BoxStream<'static, Input>>,
    refresh: Option<BoxFuture<'static, Result<(), Problem>>>,
    /// Returns when the viewer brings a token, after theirs was refused.
    another_token: Option<BoxFuture<'static, ()>>,
    memory: SharedMemory,
}

impl Driver {
    async fn run(mut self) {
        // Putting this timer off takes no lock. A new one at each turn would take two.
        let mut timer = pin!(sleep_until(Instant::now()));
        loop {
            while let Some(output) = self.machine.next_output() {
                if self.carry_out(output).await.is_err() {
                    return;
                }
            }
            let wait_ms = (self.machine.deadline_ms().saturating_sub(gateway_ms())).clamp(0, FEED_LOOK_MS);
            timer.as_mut().reset(Instant::now() + Duration::from_millis(wait_ms.unsigned_abs()));
            let input = self.next_input(timer.as_mut()).await;
            if let Some(reason) = reason_of(&input) {
                tracing::debug!(resource = %self.key.resource, ?reason, "a request of the feed failed");
            }
            self.machine.handle(input, gateway_ms());
        }
    }

    /// `Err`: the hub is gone.
    async fn carry_out(&mut self, output: Output) -> Result<(), ()> {
        match output {
            Output::Tell(said) => return self.outputs.send(said).await.map_err(|_| ()),
            Output::Ask { slot, request } => {
                let (cluster, key, memory) = (self.cluster.clone(), self.key.clone(), self.memory.clone());
                *self.slot(slot) = Some(inputs_of(cluster, key, slot, request, memory));
            }
            Output::Drop(slot) => *self.slot(slot) = None,
            Output::RefreshCredentials => {
                let (cluster, whom) = (self.cluster.clone(), self.key.upstream.clone());
                self.refresh = Some(Box::pin(async move { cluster.refresh_credentials_of(&whom).await }));
            }
            Output::Rediscover => self.cluster.discover_soon(),
            Output::RememberNoWatchList => self.cluster.remember_no_watch_list(&self.key.resource),
        }
        Ok(())
    }

    fn slot(&mut self, slot: RequestSlot) -> &mut Option<BoxStream<'static, Input>> {
        match slot {
            RequestSlot::Main => &mut self.main,
            RequestSlot::Proof => &mut self.proof,
        }
    }

    async fn next_input(&mut self, timer: Pin<&mut Sleep>) -> Input {
        tokio::select! {
            input = next_of_slot(&mut self.main) => input,
            input = next_of_slot(&mut self.proof) => input,
            result = of_refresh(&mut self.refresh) => {
                let (cluster, whom) = (self.cluster.clone(), self.key.upstream.clone());
                self.another_token =
                    result.is_err().then(|| async move { cluster.another_token(&whom).await }.boxed());
                Input::Refreshed(result)
            }
            () = of_token(&mut self.another_token) => Input::Command(FeedCommand::Retry),
            command = of_commands(&mut self.commands) => Input::Command(command),
            () = timer => Input::Tick,
        }
    }
}

/// Pending forever while the slot holds no request.
async fn next_of_slot(slot: &mut Option<BoxStream<'static, Input>>) -> Input {
    if let Some(inputs) = slot {
        if let Some(input) = inputs.next().await {
            return input;
        }
        *slot = None;
    }
    std::future::pending().await
}

async fn of_refresh(refresh: &mut Option<BoxFuture<'static, Result<(), Problem>>>) -> Result<(), Problem> {
    let Some(running) = refresh else { return std::future::pending().await };
    let result = running.await;
    *refresh = None;
    result
}

async fn of_token(another: &mut Option<BoxFuture<'static, ()>>) {
    let Some(waiting) = another else { return std::future::pending().await };
    waiting.await;
    *another = None;
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

/// Two gateways only need different jitter.
fn seed() -> u64 {
    getrandom::u64().unwrap_or(1)
}

#[cfg(test)]
mod tests;
