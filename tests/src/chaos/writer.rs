//! Changes, deletes and creates objects at an even rate, directly at the API server, whatever happens to it. Only
//! acknowledged writes are counted. It can be held for a comparison.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use kube::Client;
use simulation::chance::Chance;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::kind::{Kind, name};
use crate::api;

#[derive(Debug, Default)]
pub struct Counts {
    written: [AtomicU64; 3],
    refused: AtomicU64,
    /// Another one was written.
    more: Notify,
}

pub struct Writer {
    pub counts: Arc<Counts>,
    runs: watch::Sender<bool>,
    free: Arc<Semaphore>,
    task: JoinHandle<()>,
}

impl Counts {
    pub fn of(&self, kind: Kind) -> u64 {
        self.written.get(kind as usize).map_or(0, |count| count.load(Ordering::Relaxed))
    }

    pub fn written(&self) -> u64 {
        Kind::ALL.iter().map(|kind| self.of(*kind)).sum()
    }

    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}

impl Writer {
    /// Makes the first objects, and writes from then on.
    pub async fn start(kubeconfig: &Path, per_s: u32, seed: u64) -> Result<Self> {
        let client = api::client(kubeconfig).await?;
        for kind in Kind::ALL {
            for number in 0..OBJECTS {
                api::post(&client, &kind.path(), &kind.object(number)).await?;
            }
        }
        let counts = Arc::new(Counts::default());
        let (runs, gate) = watch::channel(true);
        let free = Arc::new(Semaphore::new(AT_ONCE as usize));
        let task =
            tokio::spawn(write(client, per_s, Chance::new(seed, 1), counts.clone(), gate, free.clone()));
        Ok(Self { counts, runs, free, task })
    }

    /// Stops writing, and returns when no request is under way.
    pub async fn hold(&self) -> Result<()> {
        self.runs.send_replace(false);
        self.free.acquire_many(AT_ONCE).await.map(drop).context("the writer has ended")
    }

    pub fn go_on(&self) {
        self.runs.send_replace(true);
    }

    /// Returns when so many more were written.
    pub async fn until_more(&self, count: u64) {
        let target = self.counts.written() + count;
        loop {
            let more = self.counts.more.notified();
            if self.counts.written() >= target {
                return;
            }
            more.await;
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn write(
    client: Client,
    per_s: u32,
    mut chance: Chance,
    counts: Arc<Counts>,
    mut gate: watch::Receiver<bool>,
    free: Arc<Semaphore>,
) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / per_s);
    let mut value = 0;
    loop {
        let due = ticks.tick().await;
        // After an outage the missed writes are left out, so that the rate stays even.
        if due.elapsed() > LATE_MAX {
            ticks.reset();
        }
        let Ok(permit) = free.clone().acquire_owned().await else { return };
        if !*gate.borrow() {
            drop(permit);
            if gate.wait_for(|runs| *runs).await.is_err() {
                return;
            }
            ticks.reset();
            continue;
        }
        value += 1;
        let kind = Kind::ALL[chance.index(3)];
        let (number, is_delete) = (chance.below(OBJECTS), chance.below(20) == 0);
        let (client, counts) = (client.clone(), counts.clone());
        tokio::spawn(async move {
            let began = Instant::now();
            let writing = one(&client, kind, number, value, is_delete);
            match tokio::time::timeout_at(began + TIMEOUT, writing).await {
                Ok(Ok(())) => {
                    if let Some(count) = counts.written.get(kind as usize) {
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                }
                Ok(Err(_)) | Err(_) => drop(counts.refused.fetch_add(1, Ordering::Relaxed)),
            }
            counts.more.notify_waiters();
            drop(permit);
        });
    }
}

async fn one(client: &Client, kind: Kind, number: u64, value: u64, is_delete: bool) -> Result<()> {
    if is_delete {
        // A pod on a node would wait for its kubelet.
        let path = format!("{}/{}?gracePeriodSeconds=0", kind.path(), name(number));
        return api::delete(client, &path).await.map(drop);
    }
    let (path, patch) = kind.change(number, value);
    match api::merge(client, &path, &patch).await {
        Err(error) if is_absent(&error) => {
            api::post(client, &kind.path(), &kind.object(number)).await.map(drop)
        }
        other => other.map(drop),
    }
}

fn is_absent(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref::<kube::Error>(), Some(kube::Error::Api(status)) if status.code == 404)
}

/// The objects of each kind.
const OBJECTS: u64 = 100;
const AT_ONCE: u32 = 32;
const TIMEOUT: Duration = Duration::from_secs(3);
const LATE_MAX: Duration = Duration::from_millis(500);
