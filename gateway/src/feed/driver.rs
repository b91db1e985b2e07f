//! Runs the machine's requests, timers and commands: each request becomes a stream of inputs, of the answer's head,
//! values and end. Every decision is the machine's.

mod once;
mod owners_seen;

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use shared::name::ObjectName;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::ingest::PrinterColumns;
use super::machine::{Capabilities, Input, Machine, Output, Request, RequestSlot};
use super::{AnswerReader, FeedCommand, FeedKey, FeedOptions, FeedOutput, FeedProof, Memory, Representation};
use crate::clock::gateway_ms;
use crate::cluster::{Accept, Answer, ApiRequest, Cluster, Failure};
use crate::limits::FEED_LOOK_MS;
use crate::metrics::Answered;
use owners_seen::OwnersSeen;

pub use once::{Once, read_once};

/// Runs until it is cancelled or its hub drops the receiver. `stands_at`: the position of the viewer that
/// the feed is started for. `outputs` and `commands`: to its hub and from it.
pub async fn drive(
    key: FeedKey,
    (cluster, feed_proof): (Cluster, FeedProof),
    options: FeedOptions,
    stands_at: Option<ResourceVersion>,
    (outputs, commands): (mpsc::Sender<FeedOutput>, mpsc::Receiver<FeedCommand>),
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
        feed_proof,
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

/// What is remembered of the answers to one feed's requests, which are read one after the other.
type SharedMemory = Arc<Mutex<Memory>>;

/// Carries out what one [`Machine`] asks for: its two requests, its timer, its messages to the hub. It owns the
/// streams of answers and nothing of the list itself. [`drive`] makes it and runs it until the hub drops its end.
struct Driver {
    key: FeedKey,
    cluster: Cluster,
    machine: Machine,
    /// What the other feeds know of it, and it of them.
    feed_proof: FeedProof,
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
            if matches!(input, Input::Tick) && self.machine.is_before_list() {
                self.machine.note_outage(self.feed_proof.outage_ms());
            }
            self.machine.handle(input, gateway_ms());
        }
    }

    /// `Err`: the hub is gone.
    async fn carry_out(&mut self, output: Output) -> Result<(), ()> {
        match output {
            Output::Tell(said) => {
                self.feed_proof.note(&said);
                return self.outputs.send(said).await.map_err(|_| ());
            }
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

/// The reason for the log, never a body.
fn reason_of(input: &Input) -> Option<Reason> {
    match input {
        Input::Failed { failure, .. } => Some(failure.reason()),
        Input::Unreadable { .. } => Some(Reason::NotKubernetes),
        _ => None,
    }
}

/// Sends the request. A dropped wait for the next input loses nothing, because the state of the request stays in the
/// stream.
fn inputs_of(
    cluster: Cluster,
    key: FeedKey,
    slot: RequestSlot,
    request: Request,
    memory: SharedMemory,
) -> BoxStream<'static, Input> {
    let is_stream = request.is_stream();
    let opening = open(cluster, key, slot, request, Arc::clone(&memory));
    stream::once(opening)
        .flat_map(move |opened| match opened {
            Err(failure) => {
                let failure = lock(&memory).told(failure);
                stream::iter([Input::Failed { slot, failure }]).boxed()
            }
            Ok(open) => {
                let head = Input::Opened { slot, date_ms: open.answer.date_ms };
                let body = if is_stream { open.values() } else { stream::once(open.whole()).boxed() };
                stream::iter([head]).chain(body).boxed()
            }
        })
        .boxed()
}

async fn open(
    cluster: Cluster,
    key: FeedKey,
    slot: RequestSlot,
    request: Request,
    memory: SharedMemory,
) -> Result<OpenAnswer, Failure> {
    let shows_custom_columns = key.representation == Representation::Object
        && cluster.kind_of(&key.resource).is_some_and(|kind| kind.custom);
    let answer = cluster.send_as(&key.upstream, &request.to_api(&key)).await;
    // Only lists and watches are counted: not proofs, and not further pages, which belong to their list.
    if request.is_stream() || request.begins_list() {
        let result = match &answer {
            Ok(_) => Answered::ok,
            Err(Failure::Refused(_)) => Answered::refused,
            Err(Failure::Broken(_)) => Answered::no_answer,
        };
        cluster.metrics().count_list_or_watch(request.is_stream(), &key.resource, result);
    }
    let answer = answer?;
    // Read after the answer has begun: if the definition changes later, the API server ends the answer.
    if shows_custom_columns && (request.is_stream() || request.begins_list()) {
        let printer = printer_columns(&cluster, &key.resource).await;
        lock(&memory).printer = printer;
    }
    let owners = OwnersSeen::new(cluster, key.resource.clone());
    let reader = AnswerReader::new(key.resource, slot, request, &lock(&memory));
    Ok(OpenAnswer { answer, reader, slot, memory, owners })
}

/// An answer whose head has come.
struct OpenAnswer {
    answer: Answer,
    reader: AnswerReader,
    slot: RequestSlot,
    memory: SharedMemory,
    owners: OwnersSeen,
}

impl OpenAnswer {
    /// The values of a watch, until one that can't be read, or the end.
    fn values(self) -> BoxStream<'static, Input> {
        stream::unfold(Some(self), |open| async move {
            let mut open = open?;
            let (inputs, is_over) = open.next_values().await;
            Some((stream::iter(inputs), (!is_over).then_some(open)))
        })
        .flatten()
        .boxed()
    }

    async fn next_values(&mut self) -> (Vec<Input>, bool) {
        match self.answer.chunk().await {
            Err(problem) => {
                let failure = Failure::Broken(problem);
                (vec![Input::Failed { slot: self.slot, failure }], true)
            }
            // A value that was cut off is not lost, because the next watch starts before it.
            Ok(None) => (vec![Input::Ended], true),
            Ok(Some(bytes)) => {
                let inputs = self.reader.chunk(bytes, &mut lock(&self.memory));
                inputs.iter().for_each(|input| self.owners.note(input));
                let is_over = matches!(inputs.last(), Some(Input::Unreadable { .. }));
                (inputs, is_over)
            }
        }
    }

    async fn whole(mut self) -> Input {
        match self.answer.whole().await {
            Err(problem) => Input::Failed { slot: self.slot, failure: Failure::Broken(problem) },
            Ok(body) => {
                let input = self.reader.whole(&Bytes::from(body), &mut lock(&self.memory));
                self.owners.note(&input);
                input
            }
        }
    }
}

fn lock(memory: &SharedMemory) -> MutexGuard<'_, Memory> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the cells of a custom resource come from. The gateway reads definitions with its own account, for every viewer.
/// Without the right to it, durations stay as the server printed them, and titles say what is masked.
async fn printer_columns(cluster: &Cluster, resource: &Resource) -> PrinterColumns {
    let found = async {
        let definitions = Resource::parse("apiextensions.k8s.io", "v1", "customresourcedefinitions").ok()?;
        let name = ObjectName::parse(&resource.to_string()).ok()?;
        let request = ApiRequest::object(&definitions, None, &name, Accept::Json);
        let body = cluster.send(&request).await.ok()?.whole().await.ok()?;
        Some(PrinterColumns::of_definition(&body, resource.version.as_str()))
    };
    found.await.unwrap_or_default()
}

#[cfg(test)]
mod tests;
