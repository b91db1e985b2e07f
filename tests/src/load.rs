//! The load of the benches: a playground full of exemplary pods, and a writer that changes one cell
//! after the other at an even rate. It measures nothing.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use playground::{Failure, Playground};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::exemplar;

/// How large the pods are that a playground is filled with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// The exemplary ones.
    Whole,
    /// What a table shows of them and little else, where the playground is to write a thousand a second.
    Small,
}

pub fn fill(playground: &Playground, pods: usize, size: Size) -> Result<()> {
    let create = |object: Value| playground.create(object).map_err(refused);
    create(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": exemplar::NAMESPACE } }))?;
    for number in 0..pods {
        let mut pod = exemplar::pod(number);
        if size == Size::Small {
            make_small(&mut pod);
        }
        pod["status"] = exemplar::status(number, 0)["status"].take();
        create(pod)?;
    }
    Ok(())
}

/// Leaves of an exemplary pod what a table shows and little else.
pub fn make_small(pod: &mut Value) {
    pod["metadata"]["annotations"].take();
    pod["spec"]["initContainers"].take();
    pod["spec"]["containers"].as_array_mut().into_iter().flatten().for_each(|container| {
        container["env"].take();
    });
}

/// The only writer of its playground. Each change writes a new value.
pub struct Writer {
    pods: usize,
    interval: Duration,
    written: u64,
}

impl Writer {
    pub fn new(pods: usize, changes_per_s: f64) -> Self {
        Self { pods, interval: Duration::from_secs_f64(1.0 / changes_per_s), written: 0 }
    }

    /// One restart after the other; a change that is late is followed by the next at once.
    pub async fn write(&mut self, playground: &Playground, changes: usize) -> Result<()> {
        let mut ticks = tokio::time::interval(self.interval);
        for _ in 0..changes {
            ticks.tick().await;
            self.written += 1;
            let number = (self.written * 7) as usize % self.pods;
            let patch = exemplar::status(number, self.written);
            playground.patch("pods", exemplar::NAMESPACE, &exemplar::name(number), patch).map_err(refused)?;
        }
        Ok(())
    }
}

/// The writer, which goes on until it is ended.
pub struct Writing {
    written: watch::Receiver<u64>,
    runs: watch::Sender<bool>,
    task: JoinHandle<Result<()>>,
}

impl Writing {
    /// A tenth of a second's changes is written at a time.
    pub fn start(playground: Arc<Playground>, pods: usize, changes_per_s: usize) -> Self {
        let (say_written, written) = watch::channel(0);
        let (runs, running) = watch::channel(true);
        let task = tokio::spawn(async move {
            let mut writer = Writer::new(pods, changes_per_s as f64);
            let changes = (changes_per_s / 10).max(1);
            while *running.borrow() {
                writer.write(&playground, changes).await?;
                say_written.send_modify(|written| *written += changes as u64);
            }
            Ok(())
        });
        Self { written, runs, task }
    }

    pub fn written(&self) -> u64 {
        *self.written.borrow()
    }

    pub async fn until_more(&self, count: u64) -> Result<()> {
        let target = self.written() + count;
        self.written.clone().wait_for(|written| *written >= target).await.map(drop).context("it ended")
    }

    pub async fn end(self) -> Result<()> {
        self.runs.send_replace(false);
        self.task.await?
    }
}

/// What the playground refused, as an error.
pub fn refused(failure: Failure) -> anyhow::Error {
    anyhow!("the playground refused: {failure:?}")
}
