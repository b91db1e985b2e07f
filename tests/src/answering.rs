//! A task that answers questions between other things, and ends with its owner.

use anyhow::{Context, Result};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

pub struct Answering<Q> {
    questions: mpsc::Sender<Q>,
    _task: AbortOnDropHandle<()>,
}

impl<Q> Answering<Q> {
    /// `run` gets the questions; there is one at a time.
    pub fn spawn<F>(run: impl FnOnce(mpsc::Receiver<Q>) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (questions, asked) = mpsc::channel(1);
        Self { questions, _task: AbortOnDropHandle::new(tokio::spawn(run(asked))) }
    }

    /// # Errors
    /// The task has ended.
    pub async fn ask<A>(&self, question: impl FnOnce(oneshot::Sender<A>) -> Q) -> Result<A> {
        let (reply, answer) = oneshot::channel();
        self.questions.send(question(reply)).await.ok().context("a viewer has ended")?;
        answer.await.context("a viewer has ended")
    }
}
