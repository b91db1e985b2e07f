//! A connection that can be frozen: its bytes are neither read nor written, and it stays open, as if
//! the process behind it were stopped. It never closes anything.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Open,
    Frozen(Vec<Waker>),
}

impl Gate {
    pub(crate) fn freeze(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::Open) {
            *state = State::Frozen(Vec::new());
        }
    }

    pub(crate) fn thaw(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Frozen(wakers) = std::mem::take(&mut *state) {
            wakers.into_iter().for_each(Waker::wake);
        }
    }

    fn poll_open(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *state {
            State::Open => Poll::Ready(()),
            State::Frozen(wakers) => {
                if !wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                    wakers.push(context.waker().clone());
                }
                Poll::Pending
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct GatedIo {
    stream: TcpStream,
    gate: Arc<Gate>,
}

impl GatedIo {
    pub(super) fn new(stream: TcpStream, gate: Arc<Gate>) -> Self {
        Self { stream, gate }
    }
}

impl AsyncRead for GatedIo {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.gate.poll_open(context).is_pending() {
            return Poll::Pending;
        }
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for GatedIo {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.gate.poll_open(context).is_pending() {
            return Poll::Pending;
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.gate.poll_open(context).is_pending() {
            return Poll::Pending;
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.gate.poll_open(context).is_pending() {
            return Poll::Pending;
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
