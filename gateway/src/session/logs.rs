//! The logs that one connection is told: one stream for each that is open. They are read only while the client takes more.

use std::pin::Pin;
use std::task::{Context as Wakes, Poll};

use futures_util::Stream;
use futures_util::stream::BoxStream;
use shared::frame::client::SubscriptionId;

use super::protocol::AnswerId;
use crate::logs::LogSaid;

#[derive(Default)]
pub(super) struct LogsTold {
    open: Vec<(AnswerId, BoxStream<'static, LogSaid>)>,
    /// The one that is asked first, so that each has its turn.
    turn: usize,
}

impl LogsTold {
    pub(super) fn open(&mut self, answer: AnswerId, stream: BoxStream<'static, LogSaid>) {
        self.open.push((answer, stream));
    }

    pub(super) fn close(&mut self, id: SubscriptionId) {
        self.open.retain(|(answer, _)| answer.subscription() != id);
    }

    /// What one of them says next. Never returns while none has anything to say.
    pub(super) async fn next(&mut self) -> (AnswerId, LogSaid) {
        std::future::poll_fn(|wakes| self.poll(wakes)).await
    }

    fn poll(&mut self, wakes: &mut Wakes<'_>) -> Poll<(AnswerId, LogSaid)> {
        let count = self.open.len();
        let mut ended = Vec::new();
        let mut said = Poll::Pending;
        for step in 0..count {
            let place = (self.turn + step) % count;
            let Some((answer, stream)) = self.open.get_mut(place) else { continue };
            match Pin::new(stream).poll_next(wakes) {
                Poll::Ready(Some(one)) => {
                    self.turn = place + 1;
                    said = Poll::Ready((*answer, one));
                    break;
                }
                Poll::Ready(None) => ended.push(*answer),
                Poll::Pending => {}
            }
        }
        self.open.retain(|(answer, _)| !ended.contains(answer));
        said
    }
}
